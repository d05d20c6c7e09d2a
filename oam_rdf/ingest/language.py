"""The language of a text: BCP-47 tags as written, else told from its characters."""

from __future__ import annotations

import re

# Characters that only one of the two scripts uses, in pairs of common words.
_TRADITIONAL = frozenset(
    "這國對時會來說們個為從發經進過還動開關問題沒實現應該數據與於無論學體機義證觀點種樣類"
    "將當裡後見長門車東馬語請讓頭書記"
)
_SIMPLIFIED = frozenset(
    "这国对时会来说们个为从发经进过还动开关问题没实现应该数据与无论学体机义证观点种样类将当见长门车东马语请让头书记"
)
_CJK = re.compile("[㐀-䶿一-鿿豈-﫿\U00020000-\U000323af]")
_LATIN = re.compile("[A-Za-z]+")
_KANA = re.compile("[ぁ-ゟ゠-ヿ]")

_TAGS = {
    "zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant", "zh-hant-tw": "zh-Hant", "zh-hant": "zh-Hant",
    "zh_tw": "zh-Hant", "zh-cn": "zh-Hans", "zh-sg": "zh-Hans", "zh_cn": "zh-Hans", "zh-hans-cn": "zh-Hans",
    "zh-hans": "zh-Hans", "english": "en", "英文": "en",
    "繁體中文": "zh-Hant", "正體中文": "zh-Hant", "简体中文": "zh-Hans",
}  # fmt: skip


def tag(written: str, text: str = "") -> str:
    """A language tag as people write it, in BCP-47 (``zh-TW`` → ``zh-Hant``); plain ``zh`` is decided by ``text``.

    "" if it is no language tag.
    """
    word = written.strip()
    known = _TAGS.get(word.casefold())
    if known:
        return known
    if word.casefold() in ("zh", "chinese", "中文"):
        return chinese(text)
    return word if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", word) else ""


def chinese(text: str) -> str:
    """``zh-Hans`` if the text is more simplified than traditional, else ``zh-Hant``."""
    sample = text[:20000]
    traditional = sum(c in _TRADITIONAL for c in sample)
    simplified = sum(c in _SIMPLIFIED and c not in _TRADITIONAL for c in sample)
    return "zh-Hans" if simplified > traditional else "zh-Hant"


def detect(text: str, default: str = "en") -> str:
    """``zh-Hant``, ``zh-Hans``, ``ja`` or ``en`` by the characters of the text; ``default`` if there are no letters."""
    sample = text[:20000]
    han, words = len(_CJK.findall(sample)), len(_LATIN.findall(sample))
    if not han and not words:
        return default
    # A Chinese text full of English terms is Chinese: a Han character weighs like half a word.
    if han < words * 0.7:
        return "en" if not default or default.startswith(("zh", "ja", "en")) else default
    if len(_KANA.findall(sample)) > han // 4:
        return "ja"
    return chinese(sample)
