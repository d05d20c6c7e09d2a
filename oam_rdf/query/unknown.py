"""What a query speaks of that occurs nowhere in the corpus: a fact about words, not a similarity (hazard 74)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from whoosh.lang.stopwords import stoplists

from oam_rdf.text.normalise import index_key

# Characters that ask, join or count rather than name; matched against folded (simplified) keys.
_FUNCTION = frozenset(
    "的了吗呢吧么什怎样如何几多少哪谁为是有在和与或及被把从到由于之其这那个会能可以要请问啊也都就还而但则即等中上下"
)
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MOSTLY = 2 / 3


def is_function(word: str) -> bool:
    """Whether a Han word (an index key) only asks, joins or counts."""
    return all(character in _FUNCTION for character in word)


@dataclass(frozen=True, slots=True)
class Unknown:
    """``names``: runs of ≥ 2 Han characters, or words, that no document contains; ``share`` of all content, in [0, 1]."""

    names: tuple[str, ...]
    share: float

    @property
    def mostly(self) -> bool:
        """Whether most of what the query speaks of is unknown here."""
        return bool(self.names) and self.share >= _MOSTLY


def unknown(query: str, terms: Iterable[Mapping[str, Any]]) -> Unknown:
    """Compare the query with the terms that the lexical channel looked up (``term``, ``known``)."""
    text = index_key(query)
    covered = [False] * len(text)
    known: set[str] = set()
    for term in terms:
        if term["known"]:
            known.add(str(term["term"]))
    for word in known:
        at = text.find(word)
        while at >= 0:
            covered[at : at + len(word)] = [True] * len(word)
            at = text.find(word, at + 1)
    names: list[str] = []
    content = missing = 0
    for match in _HAN.finditer(text):
        run = ""
        for place in range(match.start(), match.end() + 1):
            character = text[place] if place < match.end() else ""
            if character and character not in _FUNCTION:
                content += 1
                missing += not covered[place]
            if character and not covered[place] and (character not in _FUNCTION or character == "之"):
                run += character
                continue
            if len(run.strip("之")) >= 2:
                names.append(run)
            run = ""
    stop = stoplists["en"]
    for match in _WORD.finditer(text):
        word = match[0]
        if word in stop or _HAN.search(word):
            continue
        content += 1
        if word not in known and not covered[match.start()]:
            missing += 1
            names.append(word)
    return Unknown(tuple(dict.fromkeys(names)), missing / content if content else 0.0)
