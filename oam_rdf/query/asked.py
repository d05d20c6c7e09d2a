"""Which stored field a question about a named object asks for (hazard 74): the third author, the version, the date."""

from __future__ import annotations

import re

from oam_rdf.query.plan import Entries, Entry

_WORDS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
)
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HAN = "一二三四五六七八九"
_AUTHOR = r"(?:co-?)?(?:authors?|creators?|writers?)"
_NUMBER = rf"\d{{1,3}}|{'|'.join(_CARDINALS)}"
_NTH = rf"(?P<nth>{'|'.join(_WORDS)}|\d{{1,3}}(?:st|nd|rd|th))"
_RANK = r"第\s*(?P<han>[一二三四五六七八九十兩两]{1,3}|\d{1,3})\s*(?:位|個|个|名)?\s*"
_HAN_AUTHOR = r"(?:共同)?(?:作者|撰寫者|撰写者|創作者|创作者|creators?|authors?)"
_NUMBERED = (
    re.compile(rf"\b{_NTH}[\s-]+(?:[a-z]+[\s-]+)?{_AUTHOR}\b"),
    re.compile(rf"\b{_AUTHOR}\s*(?:no\.?\s*|number\s+|nr\.?\s*|#\s*)?(?P<number>{_NUMBER})\b"),
    re.compile(rf"\b{_AUTHOR}\b[^.?!]{{0,60}}\b{_NTH}(?=\s*(?:one\b|[,.?!]|$))"),
    re.compile(rf"{_RANK}(?:的)?\s*{_HAN_AUTHOR}"),
    re.compile(rf"{_HAN_AUTHOR}[^。？！]{{0,20}}{_RANK}"),
)
# Field that is asked for -> what asks for it; looked at only beside a named object.
_FIELDS = {
    "creator": re.compile(rf"\b{_AUTHOR}\b|who wrote|written by|作者|誰寫|谁写|撰寫者|撰写者|創作者|创作者"),
    "successor": re.compile(r"superseded by|replaced by|被什麼取代|被什么取代|被誰取代|被谁取代"),
    "created": re.compile(
        r"when was|what date|(?:creation|publication) date|\bdate of\b|何時|何时|日期|哪一年|什麼時候|什么时候"
    ),
    "version": re.compile(
        r"(?:which|what) version (?:is|does|has)\b|version number|what(?: is|'s) (?:the version of|its version)|^version of"
        r"|版本號|版本号|第幾版|第几版|什麼版本|什么版本|哪個版本|哪个版本"
    ),
    "status": re.compile(
        r"(?:what|which) status|\bstatus of\b|what(?: is|'s) (?:the|its) status"
        r"|什麼狀態|什么状态|狀態為何|状态为何|的狀態|的状态"
    ),
}


def asked(text: str) -> Entries:
    """The one field that ``text`` asks for, with its number where several are counted: ``creator[3]``; or nothing."""
    folded = text.casefold()
    for field, pattern in _FIELDS.items():
        match = pattern.search(folded)
        if match is None:
            continue
        number = _ordinal(folded) if field == "creator" else 0
        return (Entry(f"{field}[{number}]" if number else field, f"rule:field {match[0]}", 0.8),)
    return ()


def _ordinal(folded: str) -> int:
    for pattern in _NUMBERED:
        match = pattern.search(folded)
        if match:
            word = next(group for group in match.groupdict().values() if group)
            return _number(word)
    return 0


def _number(word: str) -> int:
    digits = re.match(r"\d+", word)
    if digits:
        return int(digits[0])
    for words in (_WORDS, _CARDINALS):
        if word in words:
            return words.index(word) + 1
    tens, ten, ones = word.replace("兩", "二").replace("两", "二").rpartition("十")
    return (10 * (_HAN.find(tens) + 1 or 1) if ten else 0) + _HAN.find(ones[:1] or "x") + 1
