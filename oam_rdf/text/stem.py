"""English stems: the Snowball algorithm, for words that look English."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from whoosh.lang.snowball.english import EnglishStemmer

ENGLISH = re.compile("[a-z][a-z']{2,}")

_stem_word: Callable[[str], str] = EnglishStemmer().stem


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Snowball stem of an English-looking word (casefolded), any other word unchanged.

    >>> stem("theories"), stem("S7")
    ('theori', 'S7')
    """
    return _stem_word(word) if ENGLISH.fullmatch(word) else word


@lru_cache(maxsize=1 << 14)
def singular(word: str) -> str:
    """An English word (casefolded) without its plural ending, and nothing more: a stem would make relative relativity.

    >>> singular("theories"), singular("indexes"), singular("graphs"), singular("analysis")
    ('theory', 'index', 'graph', 'analysis')
    """
    if not ENGLISH.fullmatch(word) or len(word) < 4 or word.endswith(("ss", "us", "is")) or word[-1] != "s":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2] if word[:-2].endswith(("ss", "x", "zz", "ch", "sh")) else word[:-1]
    return word[:-1]


def plural(word: str) -> str:
    """The regular plural of an English word in the singular, any other word unchanged.

    >>> plural("theory"), plural("index"), plural("S7")
    ('theories', 'indexes', 'S7')
    """
    if not ENGLISH.fullmatch(word):
        return word
    if word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")
