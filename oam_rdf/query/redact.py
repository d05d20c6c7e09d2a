"""Taking hidden stretches out of a text without a trace (decision D16): no mark, no gap, no count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from oam_rdf.query.body import describes

_MARKERS = re.compile(r"[ \t]*(?:(?:[>*+•·#-]+|\d{1,9}[.)、]|[（(]\d{1,2}[)）])[ \t]+)*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

Ranges = list[tuple[int, int]]


def widened(text: str, spans: Iterable[tuple[int, int]]) -> Ranges:
    """Hidden spans with all that would tell of them: list and heading marks before, describing lines and white space
    after. Sorted, none touching another."""
    found: Ranges = []
    for low, high in sorted(_widen(text, low, high) for low, high in spans):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


def _widen(text: str, low: int, high: int) -> tuple[int, int]:
    line = text.rfind("\n", 0, low) + 1
    if _MARKERS.fullmatch(text, line, low):
        low = line
    at = last = high
    for match in _LINE.finditer(text, high):  # the rest of its own line counts as a line
        if match[0].strip():
            if match.start() == last or not describes(match[0]):
                break
            high = match.end()
        at = match.end()
    high = max(high, min(at, len(text)))
    while high < len(text) and text[high].isspace() and (low == 0 or text[low - 1].isspace()):
        high += 1
    return low, high


def shown_text(text: str, start: int, end: int, hidden: Sequence[tuple[int, int]]) -> str:
    """``text[start:end]`` without the hidden ranges (sorted)."""
    parts, at = [], start
    for low, high in hidden:
        if high <= at or low >= end:
            continue
        parts.append(text[at : max(at, low)])
        at = min(end, high)
    return "".join([*parts, text[at:end]])


def touches(start: int, end: int, hidden: Iterable[tuple[int, int]]) -> bool:
    """Whether a range holds any hidden character."""
    return any(low < end and start < high for low, high in hidden)
