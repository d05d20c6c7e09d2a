"""How a matched term is written: as the query has it and as it stands in the text. Keys are for matching, not for people.

The index knows 拉瓦節 as ``拉瓦节`` and "Programmes" by its stem; what an answer shows is what somebody wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from whoosh.lang.stopwords import stoplists

from oam_rdf.index.lexical import Match
from oam_rdf.query.unknown import is_function
from oam_rdf.text.gloss import FUNCTION_WORDS
from oam_rdf.text.normalise import Folded, fold, index_key
from oam_rdf.text.stem import stem

_WORD = re.compile(r"[^\W_]+")
_JOINERS = re.compile(r"[-_.']+")
_STEMMED = ("stem", "translation")


class Spelling:
    """Spellings of one query's terms."""

    def __init__(self, query: str) -> None:
        self._query, self._folded = query, fold(query)

    def asked(self, key: str) -> str:
        """The term as the query writes it; the key itself where it does not stand there in one piece."""
        span = _find(self._folded.text, key)
        return self._query[slice(*self._folded.span(*span))] if span else key

    def shown(self, matches: Iterable[Match], texts: Mapping[str, str]) -> list[dict[str, Any]]:
        """Matches as answers show them, words that only join or ask left out.

        :param texts: field -> its text, where the matches stand.
        :returns: for each ``term`` as asked, ``key`` of the index, ``how`` and ``fields``, and ``text`` as it stands there
            ("" where it does not stand there in one piece, or the texts are not at hand).
        """
        folded = {name: (text, fold(text)) for name, text in texts.items() if text}
        found = []
        for match in matches:
            if _says_nothing(match.term):
                continue
            places = (folded[name] for name in ("body", *match.fields) if name in folded and name in match.fields)
            text = next((written for raw, key in places if (written := _standing(raw, key, match))), "")
            found.append(
                {
                    "term": self.asked(match.term),
                    "key": match.term,
                    "how": match.how,
                    "fields": list(match.fields),
                    "text": text,
                }
            )
        return found


def _says_nothing(key: str) -> bool:
    return key in stoplists["en"] or key in FUNCTION_WORDS or is_function(key)


def _standing(raw: str, folded: Folded, match: Match) -> str:
    """What stands in the text for a match."""
    wanted = index_key(match.text) if match.text else match.term
    span = _inflected(folded.text, wanted) if match.how in _STEMMED else None
    span = span or _find(folded.text, wanted)
    if span is None and match.how == "joined":
        bare = _JOINERS.sub("", wanted)
        found = re.search(r"[-_.']*".join(map(re.escape, bare)), folded.text) if bare else None
        span = found.span() if found else None
    return raw[slice(*folded.span(*span))] if span else ""


def _inflected(text: str, word: str) -> tuple[int, int] | None:
    """The first word of the same stem."""
    root = stem(word)
    return next((found.span() for found in _WORD.finditer(text) if stem(found[0]) == root), None)


def _find(text: str, key: str) -> tuple[int, int] | None:
    """Where the key stands, as a word of its own if it does so anywhere."""
    at = text.find(key) if key else -1
    if at < 0:
        return None
    if key[0].isascii() and key[-1].isascii():
        whole = re.search(rf"(?<![a-z0-9]){re.escape(key)}(?![a-z0-9])", text)
        if whole:
            return whole.span()
    return at, at + len(key)
