"""Cutting the Original into passages: runs of whole statements of one section (segmentation.md, "What is indexed")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from oam_rdf.ingest.language import detect
from oam_rdf.ingest.source import Source
from oam_rdf.model import Passage

TARGET = 200  # tokens of a passage
CAP = 480  # tokens that no passage exceeds

_WIDE = re.compile("[\u2e80-\u2fdf\u3040-\u30ff\u3100-\u312f㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U000323af]")
_WORD = re.compile(r"[A-Za-z0-9_À-ɏͰ-ӿ]+")
_BASE64 = re.compile(
    r"(?:data:[\w.+/-]+;base64,)?(?:[A-Za-z0-9+/]{400,}|(?:[A-Za-z0-9+/]{60,100}\r?\n){20,}[A-Za-z0-9+/]*)={0,2}"
)
_RUN = re.compile("[A-Za-z0-9+/]{60}")
_LONG_LINE = re.compile(r"[^\n]{10000,}")
_BREAK = re.compile(r"\n|(?<=[。！？；，、.!?;,])\s*|\s+")


@dataclass(frozen=True, slots=True)
class Unit:
    """What must stay together: a statement, a code block, a table. ``object`` is its object's local id, if any.

    What is ``alone`` shares no passage with anything: those who may not see it may see what stands around it.
    """

    start: int
    end: int
    section: str
    object: str = ""
    alone: bool = False


def tokens(text: str) -> int:
    """A cheap estimate of model tokens: a Han character 1, a word 1.3, a long word a quarter of its length."""
    words = sum(1.3 if len(word) < 8 else max(1.3, len(word) / 4) for word in _WORD.findall(text))
    return len(_WIDE.findall(text)) + int(words + 0.999)


def blobs(text: str) -> list[tuple[int, int]]:
    """Base64 and one-line megabytes: kept in the Original, cut from everything that is searched."""
    found = [m.span() for m in _BASE64.finditer(text)] if _RUN.search(text) else []
    for line in _LONG_LINE.finditer(text):
        loose = sum(c.isspace() for c in line[0]) + len(_WIDE.findall(line[0]))
        if loose < 0.05 * len(line[0]):
            found.append(line.span())
    found.sort()
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def without(start: int, end: int, holes: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The parts of ``start:end`` outside the holes (sorted)."""
    for low, high in holes:
        if high <= start or low >= end:
            continue
        if low > start:
            yield start, low
        start = max(start, high)
    if start < end:
        yield start, end


def cut(
    source: Source, units: Iterable[Unit], headings: dict[str, str], language: str, holes: Sequence[tuple[int, int]]
) -> tuple[Passage, ...]:
    """Passages in order of the text. ``headings`` maps a section's local id to its heading path."""
    out: list[Passage] = []
    pending: list[tuple[Unit, int]] = []

    def flush() -> None:
        if not pending:
            return
        first, last = pending[0][0], pending[-1][0]
        text = source.text[first.start : last.end]
        objects = {unit.object for unit, _ in pending}
        out.append(
            Passage(
                section=first.section,
                start=first.start,
                end=last.end,
                heading=headings.get(first.section, ""),
                text=text,
                language=detect(text, language),
                lead=not out,
                object=objects.pop() if len(pending) == 1 else "",
            )
        )
        pending.clear()

    size = 0
    for unit, weight in _pieces(source, units, holes):
        joins = pending and pending[-1][0].section == unit.section and not _hole_between(pending[-1][0], unit, holes)
        joins = joins and not (unit.alone or pending[-1][0].alone)
        if joins and unit.start - pending[-1][0].end > 20:  # what lies between two units becomes part of the passage
            size += tokens(source.text[pending[-1][0].end : unit.start])
        if not joins or size + weight > TARGET:
            flush()
            size = 0
        pending.append((unit, weight))
        size += weight
    flush()
    return tuple(out)


def _hole_between(left: Unit, right: Unit, holes: Sequence[tuple[int, int]]) -> bool:
    return any(left.end <= low < right.start for low, _ in holes)


def _pieces(source: Source, units: Iterable[Unit], holes: Sequence[tuple[int, int]]) -> Iterator[tuple[Unit, int]]:
    """Units with their tokens; one over the cap is cut at line ends, then at marks, then wherever it must be."""
    for unit in units:
        for start, end in without(unit.start, unit.end, holes):
            piece = source.text[start:end]
            left = len(piece) - len(piece.lstrip())
            start, end = start + left, start + max(left, len(piece.rstrip()))
            if start >= end:
                continue
            weight = tokens(source.text[start:end])
            whole = (start, end) == (unit.start, unit.end)
            if weight <= CAP:
                yield (
                    Unit(start, end, unit.section, unit.object if unit.alone or whole else "", unit.alone),
                    weight,
                )
                continue
            for low, high in _broken(source.text, start, end):
                object_ = unit.object if unit.alone else ""
                yield Unit(low, high, unit.section, object_, unit.alone), tokens(source.text[low:high])


def _broken(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin, size, at = start, 0, start
    for match in [*_BREAK.finditer(text, start, end), None]:
        stop = match.end() if match else end
        weight = tokens(text[at:stop])
        if size and size + weight > TARGET:
            if text[begin:at].strip():
                yield _strip(text, begin, at)
            begin, size = at, 0
        while weight > CAP:  # no break in sight: cut by characters
            middle = at + 400
            yield _strip(text, begin, middle)
            begin = at = middle
            weight, size = tokens(text[at:stop]), 0
        size += weight
        at = stop
    if text[begin:end].strip():
        yield _strip(text, begin, end)


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(left, len(piece.rstrip()))
