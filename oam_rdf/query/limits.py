"""What a query says about the answer rather than its matter: a date, a language, a field, for whom, how many, in what shape.

All of it is soft; a date that is plainly said with "as of", "on" or 在 becomes ``version.as_of``.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date

from oam_rdf.query.plan import Entries, Entry

Span = tuple[int, int]
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_MONTH = "|".join(f"{name}|{name[:3]}\\.?" for name in _MONTHS)
_DATE = (
    r"(?:(?P<y>\d{4})[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<n2>{_MONTH}),?\s+(?P<y2>\d{{4}})"
    rf"|(?P<n3>{_MONTH})\s+(?:(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?(?P<y3>\d{{4}})"
    r"|(?P<y4>\d{4})\s*年(?:\s*(?P<m4>\d{1,2})\s*月(?:\s*(?P<d4>\d{1,2})\s*[日號号])?)?"
    r"|(?P<y5>\d{4}))(?![\d-])"
)
# A state at a date of any precision, and a date to the day after a plain preposition.
_AS_OF = re.compile(
    r"(?:\b(?:as of|as at|as it (?:was|stood)(?: on| in)?|state (?:of|on|at)|in force (?:on|in)|valid (?:on|in)"
    rf"|current (?:on|in))\s+(?:the\s+)?|(?:截至|截止到?)\s*){_DATE}(?:\s*(?:為止|为止|止))?",
    re.IGNORECASE,
)
_THEN = re.compile(rf"{_DATE}\s*(?:時的|时的|當時|当时|那時|那时|的版本|時有效|时有效|生效的)", re.IGNORECASE)
_ON = re.compile(rf"(?:\b(?:on|at)\s+(?:the\s+)?|[在於于]\s*){_DATE}", re.IGNORECASE)
_VALID = re.compile(
    r"\b(?:rules?|versions?|texts?|laws?|wording|polic(?:y|ies)|standards?|definitions?|specifications?|specs?|in force|valid"
    r"|in effect|documents?|articles?|theor(?:y|ies)|claims?|statements?)\b"
    r"|規定|规定|規則|规则|條文|条文|法規|法规|版本|定義|定义|標準|标准|政策|規範|规范|規格|规格|有效|文件|理論|理论|主張|主张|命題|命题|說法|说法",
    re.IGNORECASE,
)
_TONGUES = {
    "zh-Hant": r"traditional chinese|繁體中文|繁体中文|繁體|正體中文",
    "zh-Hans": r"simplified chinese|簡體中文|简体中文|簡體|简体",
    "zh": r"chinese|mandarin|中文|華文|华文|漢語|汉语",
    "en": r"english|英文|英語|英语",
    "ja": r"japanese|日文|日語|日语",
    "ko": r"korean|韓文|韩文|韓語|韩语",
    "de": r"german|德文|德語|德语",
    "fr": r"french|法文|法語|法语",
    "es": r"spanish|西班牙文|西班牙語|西班牙语",
}
LANGUAGES = frozenset(tag.partition("-")[0] for tag in _TONGUES)
_SPOKEN = "|".join(_TONGUES.values())
_LANGUAGE = re.compile(
    rf"\b(?:only |just )?(?:in|written in) (?:{_SPOKEN})(?: only| alone)?\b|\b(?:only|just) (?:{_SPOKEN})\b"
    rf"|\b(?:{_SPOKEN}) (?:only|sources?|documents?|papers?|texts?|pages?)\b"
    rf"|(?:只要|只看|只找|限|僅限|仅限|僅|仅|只)\s*(?:{_SPOKEN})|用(?:{_SPOKEN})[寫写]"
    rf"|(?:{_SPOKEN})的?(?:資料|资料|文獻|文献|文件|論文|论文|來源|来源|版本)",
    re.IGNORECASE,
)
_DOMAIN = re.compile(
    r"\b(?:in|within) the (?:field|domain|area|discipline) of (?P<en>[A-Za-z -]{2,30}?)(?=[,.;?!]|$)"
    r"|[在於于限](?P<zh>[\u3400-\u9fff]{2,8}?)(?:領域|领域|學科|学科|領域中|领域中)(?:裡|里|中|內|内)?"
)
_POPULATION = re.compile(
    r"\b(?:in|for|among) (?P<en>(?:healthy |older |young(?:er)? )?(?:adults|children|adolescents|infants|elderly people|"
    r"the elderly|women|men|students|patients(?: with [a-z ]{2,30}?)?|beginners|athletes))(?=[,.;?!]|\s|$)"
    r"|(?:對|对|針對|针对|適用於|适用于|在)(?P<zh>成人|兒童|儿童|青少年|老人|老年人|長者|长者|嬰兒|婴儿|女性|男性|學生|学生|患者|病人|初學者|初学者)",
    re.IGNORECASE,
)
_RIGHTS = re.compile(
    r"\b(open access|public domain|CC[- ]BY(?:-[A-Z]{2})*|openly licensed)\b|(開放取用|开放获取|公共領域|公共领域)",
    re.IGNORECASE,
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SMALL = {word: n for n, word in enumerate(_NUMBERS, 1)}
_HAN = {c: n for n, c in enumerate("一二三四五六七八九十", 1)} | {"兩": 2, "两": 2}
_COUNT = rf"(\d{{1,3}}|{'|'.join(_SMALL)})"
_K = re.compile(
    rf"\b(?:top|best|first)[- ]{_COUNT}\b|\b(?:at most|up to|no more than|only|give me|show me|list) {_COUNT} "
    r"(?:papers?|documents?|pages?|results?|examples?|statements?|hits?|items?|sources?)\b"
    r"|前\s*(\d{1,3}|[一二三四五六七八九十兩两]{1,2})\s*(?:篇|個|个|份|條|条|項|项|名|則|则|筆|笔)"
    r"|(?:最多|只要|給我|给我|列出|找)\s*(\d{1,3}|[一二三四五六七八九十兩两]{1,2})\s*(?:篇|個|个|份|條|条|項|项|則|则|筆|笔)",
    re.IGNORECASE,
)
_SHAPES = {
    "evidence table": re.compile(
        r"\b(?:evidence table|table of evidence|evidence matrix|tabulate the evidence)\b"
        r"|證據表|证据表|證據對照|证据对照|證據清單|证据清单",
        re.IGNORECASE,
    ),
    "comparison": re.compile(
        r"\b(?:compar(?:e|ed|ing|ison|isons)|differences? between|how do(?:es)? .{2,60} differ|versus|vs\.?|side by side|"
        r"similarities between)\b"
        r"|比較|比较(?!好)|對比|对比|差異|差异|差別|差别|異同|异同|有何不同|有什麼不同|有什么不同|優劣|优劣",
        re.IGNORECASE,
    ),
    "timeline": re.compile(
        r"\b(?:time ?line|chronolog(?:y|ical|ically)|in chronological order|in order of time|by date|year by year)\b"
        r"|時間線|时间线|時間軸|时间轴|年表|大事記|大事记|按時間|按时间|依時間|依时间|先後順序|先后顺序|編年|编年",
        re.IGNORECASE,
    ),
}


@dataclass(slots=True)
class Limits:
    """``spans`` are the characters that were understood so."""

    as_of: str = ""
    as_of_text: str = ""
    language: str = ""
    conditions: dict[str, Entries] = field(default_factory=dict)
    k: int = 0
    shape: str = ""
    spans: list[Span] = field(default_factory=list)


def find_limits(text: str, here: bool = True) -> Limits:
    """What a normalised text says about date, language, conditions, number and shape.

    A date after a mere preposition is the day of an event in most questions. It is one of validity only where something
    ``here`` is named, or the text speaks of what may be valid.
    """
    found = Limits()
    _date(text, found, here or bool(_VALID.search(text)))
    if match := _LANGUAGE.search(text):
        said = match[0].casefold()
        found.language = next(tag for tag, words in _TONGUES.items() if re.search(words, said))
        found.conditions["language"] = (Entry(found.language, f"rule:language {match[0].strip()}", 0.8),)
        found.spans.append(match.span())
    for name, pattern in (("domain", _DOMAIN), ("population", _POPULATION), ("rights", _RIGHTS)):
        if match := pattern.search(text):
            value = next(group for group in match.groups() if group)
            found.conditions[name] = (Entry(value.strip(), f"rule:{name} {match[0].strip()}", 0.6),)
            found.spans.append(match.span())
    if match := _K.search(text):
        found.k = max(1, _number(next(group for group in match.groups() if group)))
        found.spans.append(match.span())
    for shape, pattern in _SHAPES.items():
        if match := pattern.search(text):
            found.shape = shape
            break
    return found


def _number(word: str) -> int:
    word = word.casefold()
    if word.isdigit():
        return int(word)
    if word in _SMALL:
        return _SMALL[word]
    tens, ten, ones = word.rpartition("十")
    return (10 * _HAN.get(tens, 1) if ten else 0) + _HAN.get(ones, 0)


def _date(text: str, found: Limits, plain: bool) -> None:
    for pattern, whole in ((_AS_OF, False), (_THEN, False), (_ON, True)) if plain else ((_AS_OF, False),):
        for match in pattern.finditer(text):
            value = _day(match, whole)
            if value:
                found.as_of, found.as_of_text = value, match[0].strip()
                found.spans.append(match.span())
                return


def _day(match: re.Match[str], whole: bool) -> str:
    """ISO date; of a month or year its last day, so that what held then counts; "" if it is none."""
    parts = {key: value for key, value in match.groupdict().items() if value}
    year = next((int(v) for k, v in parts.items() if k[0] == "y"), 0)
    month = next((int(v) for k, v in parts.items() if k[0] == "m"), 0)
    name = next((v for k, v in parts.items() if k[0] == "n"), "").casefold()[:3]
    month = month or next((n for n, full in enumerate(_MONTHS, 1) if name and full.startswith(name)), 0)
    day = next((int(v) for k, v in parts.items() if k[0] == "d"), 0)
    if whole and not (month and day):
        return ""
    try:
        month = month or 12
        return date(year, month, day or monthrange(year, month)[1]).isoformat()
    except (ValueError, IndexError):
        return ""
