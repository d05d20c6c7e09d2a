"""What a query does not want: "but not X", "without X", 不要 X, 排除 X."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STOP = r"[^,.;:?!，。；：？！、()（）]"
_WORDS = r"(?:[^\s,.;:?!，。；：？！、()（）]+\s*){1,6}?"
_END = r"(?=\s*(?:[,.;:?!，。；：？！、()（）]|$|\b(?:that|which|who|but|and then|in the|from the|for the|please)\b))"
# Trigger, and how sure it is that what follows is not wanted.
_PATTERNS = (
    (re.compile(rf"\b(?:but not|and not|not including|excluding|exclude|except for|except|other than|apart from|leave out"
                rf"|leaving out|ignore|ignoring|omit|omitting|rather than|minus|aside from)\s+(?P<what>{_WORDS}){_END}",
                re.IGNORECASE), 0.8),
    (re.compile(rf"\bwithout\s+(?:any\s+)?(?P<what>{_WORDS}){_END}", re.IGNORECASE), 0.6),
    (re.compile(rf"(?:不要|不想要|不含|不包括|不包含|不包|排除|剔除|略過|忽略|撇開|而不是|而非)"
                rf"\s*(?:任何|有|那些|所有)?(?P<what>{_STOP}{{1,20}}?)"
                r"(?=的|之外|以外|在外|[,.;:?!，。；：？！、()（）]|\s|$)"), 0.8),
    (re.compile(rf"除了?\s*(?P<what>{_STOP}{{1,20}}?)(?:之外|以外|外)"), 0.6),
)  # fmt: skip
_HEAD = re.compile(r"(?:the|any|those|these|ones|anything|that are|about)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """``value`` stands at ``inner`` of the text; ``start:end`` is that with the words that exclude it."""

    value: str
    start: int
    end: int
    inner: tuple[int, int]
    trigger: str
    confidence: float


def find_exclusions(text: str) -> list[Exclusion]:
    """Every part of a text that is excluded, in order; the surer reading of a place wins."""
    found: list[Exclusion] = []
    for pattern, confidence in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("what")
            skip = _HEAD.match(text, start, end)
            start = skip.end() if skip else start
            value = text[start:end].strip(" \"“”「」『』《》'")
            free = not any(match.start() < e.end and e.start < match.end() for e in found)
            if value and free and re.search(r"\w", value):
                trigger = text[match.start() : match.start("what")].strip().casefold()
                found.append(Exclusion(value, match.start(), match.end(), (start, end), trigger, confidence))
    return sorted(found, key=lambda exclusion: exclusion.start)
