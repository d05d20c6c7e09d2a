"""What the lexical index writes for a text, and what it asks of itself for a query.

One term space holds five forms, told apart by the first character, which no word begins with:

====  ==================================================================  ======
form  posting                                                             weight
====  ==================================================================  ======
word  a token as it stands                                                1
`=`   a compound without its joiners: ``gen-itgc`` → ``=genitgc``         0.95
`<`   a part of a compound: ``<gen``, ``<itgc``                           0.9
`_`   a character pair of a Han (kana, Hangul …) run                      0.9
`~`   the Snowball stem of an English word, where it differs from it      0.9
====  ==================================================================  ======

A query term may also occur through a synonym or a translation (0.5): see :mod:`oam_rdf.index.lexical_expand`.
Pairs do not depend on the dictionary: a verbatim occurrence is found however the text around it was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from oam_rdf.text.segment import HAN, HAN_CLASS, Segmenter, Token, bigrams, has_han
from oam_rdf.text.stem import ENGLISH as _ENGLISH
from oam_rdf.text.stem import stem

WEIGHTS = {"literal": 1.0, "joined": 0.95, "bigram": 0.9, "part": 0.9, "stem": 0.9, "parts": 0.6}
WEIGHTS |= {"synonym": 0.5, "translation": 0.5}
# Ways to occur that are the term itself as written, if inside something longer or punctuated otherwise: they make df.
SAME = frozenset(("literal", "joined", "bigram", "part"))

# Ways to occur that are other words.
OTHER = frozenset(("synonym", "translation"))

_JOINERS = re.compile("[-_.']+")
_BETWEEN_PIECES = re.compile("[-_.]+")
_COARSE = re.compile("[-_]+")
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_RUNS = re.compile(rf"[^{HAN_CLASS}]+")
_UNIT = re.compile(rf"[{HAN_CLASS}]|[^\W{HAN_CLASS}]+")
RUN = "run"
_SHORTEST_RUN, _LONGEST_RUN = 3, 32
_LONGEST = 96  # characters of a key written in full


class Compound(NamedTuple):
    """A word with joiners: without them, its smallest pieces, and all parts (``v4.0`` beside ``v4`` and ``0``)."""

    joined: str
    pieces: tuple[str, ...]
    parts: tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def compound(word: str) -> Compound | None:
    """How a word is put together, None for a plain word or a number.

    >>> compound("gen-itgc")
    Compound(joined='genitgc', pieces=('gen', 'itgc'), parts=('gen', 'itgc'))
    """
    if word.isalnum() or _DECIMAL.fullmatch(word):
        return None
    coarse = [p for p in _COARSE.split(word) if p]
    pieces: list[str] = []
    for part in coarse:
        pieces += [part] if _DECIMAL.fullmatch(part) else [p for p in _BETWEEN_PIECES.split(part) if p]
    joined = "".join(_JOINERS.split(word))
    parts = tuple(dict.fromkeys(p for p in (*coarse, *pieces) if p != word))
    return Compound(joined, tuple(dict.fromkeys(pieces)), parts) if joined != word else None


@lru_cache(maxsize=1 << 14)
def _runs(word: str) -> tuple[str, ...]:
    """Letter runs of a mixed dictionary term (pre-A輪), none for a purely Han one."""
    return tuple(_RUNS.findall(word))


def key(term: str) -> str:
    """The term as stored: longer than 96 characters it keeps its head and gets a digest, so that it stays unique."""
    if len(term) <= _LONGEST:
        return term
    return term[:48] + "…" + blake2b(term.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@lru_cache(maxsize=1 << 16)
def _word_terms(word: str, mark: str) -> tuple[str, ...]:
    """Stored terms of one run of letters; ``mark`` "" = a word of its own, "<" = inside something longer."""
    terms = [mark + key(word)]
    root = stem(word)
    if root != word:
        terms.append("~" + key(root))
    if (made := compound(word)) is not None:
        terms.append("=" + key(made.joined))
        for part in made.parts:
            terms.append("<" + key(part))
            root = stem(part)
            if root != part:
                terms.append("~" + key(root))
    return tuple(terms)


def field_terms(segmenter: Segmenter, folded: str) -> dict[str, int]:
    """Stored terms of one field (given as its index key) with their frequencies."""
    counts: dict[str, int] = {}
    count = counts.get
    for word, _, _, kind in segmenter.segment(folded):
        if kind == HAN:
            counts[word] = count(word, 0) + 1
            if len(word) > 1:
                for run in _runs(word):
                    for term in _word_terms(run, "<"):
                        counts[term] = count(term, 0) + 1
        else:
            for term in _word_terms(word, ""):
                counts[term] = count(term, 0) + 1
    for pair in bigrams(folded):
        pair = "_" + pair
        counts[pair] = count(pair, 0) + 1
    return counts


def field_length(folded: str) -> int:
    """Length of a field for BM25: Han characters and letter runs, so that no dictionary changes it."""
    return sum(1 for _ in _UNIT.finditer(folded))


class Form(NamedTuple):
    """A way for a term to occur: in one field, of every group at least one stored term."""

    how: str  # literal | joined | bigram | stem | part | parts | synonym | translation; its weight is in WEIGHTS
    groups: tuple[tuple[str, ...], ...]
    text: str = ""  # the synonym or translation, "" for the term itself
    share: float = 1.0  # of the weight


@dataclass(frozen=True, slots=True)
class Term:
    """One original term of a query: ``key`` as index key, ``kind`` han | bigram | ascii | word | run, best form first.

    A ``run`` is no original term but what several of them make together: see :func:`runs`.
    """

    key: str
    kind: str
    forms: tuple[Form, ...]


def query_terms(tokens: Sequence[Token], more: Sequence[tuple[int, int, tuple[Form, ...]]] = ()) -> tuple[Term, ...]:
    """Original terms of a query (its tokens, folded), each once, in order.

    Neighbouring single Han characters, which no dictionary word covers, become their pairs; a single one beside a
    word stays a term, which the pair across the seam shows as well. ``more`` are further forms for the terms that lie
    in a range of tokens, ``(start, end, forms)``.
    """
    terms: dict[str, Term] = {}

    def put(term: Term, start: int, end: int) -> None:
        known = terms.setdefault(term.key, term)
        extra = [f for a, b, forms in more if a <= start and end <= b for f in forms if f not in known.forms]
        if extra:
            terms[term.key] = Term(known.key, known.kind, (*known.forms, *extra))

    for i, token in enumerate(tokens):
        word = token.key
        if token.kind != HAN:
            put(_word(word), i, i + 1)
        elif len(word) > 1:
            put(_han(word), i, i + 1)
        else:
            before = tokens[i - 1].key if i and _touch(tokens[i - 1], token) else ""
            after = tokens[i + 1].key if i + 1 < len(tokens) and _touch(token, tokens[i + 1]) else ""
            if len(before) == 1:
                put(Term(before + word, "bigram", (Form("literal", (("_" + before + word,),)),)), i - 1, i + 1)
            elif len(after) != 1:
                seams = [
                    word,
                    *(["_" + before[-1] + word] if before else []),
                    *(["_" + word + after[0]] if after else []),
                ]
                put(Term(word, HAN, (Form("literal", (tuple(seams),)),)), i, i + 1)
    return tuple(terms.values())


def runs(tokens: Sequence[Token]) -> tuple[Term, ...]:
    """Unbroken Han runs of a query that were cut into several tokens, each as one more term.

    A text that has all their pairs has most likely the whole run, which none of the single terms can reward.
    """
    found: dict[str, Term] = {}
    start = 0
    for i, token in enumerate(tokens):
        if i + 1 < len(tokens) and _touch(token, tokens[i + 1]) and token.kind == tokens[i + 1].kind == HAN:
            continue
        run = "".join(t.key for t in tokens[start : i + 1])
        if i > start and _SHORTEST_RUN <= len(run) <= _LONGEST_RUN:
            found.setdefault(run, Term(run, RUN, (Form("bigram", tuple(needed(run))),)))
        start = i + 1
    return tuple(found.values())


def _touch(a: Token, b: Token) -> bool:
    """Nothing stands between the two, and they are Han where they meet."""
    return a.end == b.start and has_han(a.key[-1]) and has_han(b.key[0])


def _pairs(word: str) -> Iterator[tuple[str, ...]]:
    return (("_" + pair,) for pair in dict.fromkeys(bigrams(word)))


@lru_cache(maxsize=1 << 14)
def _han(word: str) -> Term:
    """A dictionary word: as such, or all its pairs (and letter runs) in one field, however the text was cut."""
    forms = [Form("literal", ((word,),))]
    if all(len(part) > 1 for part in _RUNS.split(word) if part):  # a lone Han character in pre-A輪 has no pair
        forms.append(Form("bigram", tuple(needed(word))))
    return Term(word, HAN, tuple(forms))


def needed(word: str) -> list[tuple[str, ...]]:
    """Groups of stored terms of which every text that contains the dictionary word holds one each."""
    return [*_pairs(word), *((key(run), "<" + key(run)) for run in _runs(word))]


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> Term:
    stored, root, made = key(word), stem(word), compound(word)
    forms = [Form("literal", ((stored,),))]
    together = key(made.joined) if made else stored
    forms.append(Form("joined", (tuple({"=" + together: 0, together: 0} if together != stored else ["=" + stored]),)))
    if pairs := tuple(_pairs(word)):
        forms.append(Form("bigram", pairs))
    forms.append(Form("part", (("<" + stored,),)))
    if root != word:
        forms.append(Form("stem", (tuple(mark + key(root) for mark in ("~", "<", "")),)))
    elif _ENGLISH.fullmatch(word):
        forms.append(Form("stem", (("~" + stored,),)))
    if made and len(made.pieces) > 1:
        forms.append(Form("parts", tuple((key(p), "<" + key(p)) for p in made.pieces)))
    return Term(word, "ascii" if word.isascii() else "word", tuple(forms))
