"""Status histories: tables of (id, time, status, commit), one change of a document's status a row (formats.md, "In" 12).

The columns are known by their names in any order, or, without a header, by what stands in them: id, time, status and
perhaps a commit. The file is a document of its own that keeps the events; what they are about may come before or after.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from oam_rdf.ingest import dates, visibility
from oam_rdf.ingest.profiles import Profile, key
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.status_words import report_unknown
from oam_rdf.model import DOCUMENT, KnowledgeObject, ParsedDocument, Passage, StatusEvent

_NAMES = {
    "id": {"id", "identifier", "document", "documentid", "文件編號", "文件编号", "編號", "编号"},
    "time": {"time", "committime", "date", "datetime", "timestamp", "since", "from", "時間", "时间", "日期"},
    "status": {"status", "狀態", "状态"},
    "commit": {"commit", "commitid", "revision", "hash", "sha", "提交"},
}
_ORDER = ("id", "time", "status", "commit")
_WIDEST = timedelta(hours=14)
_LOOK = 20  # rows without a header that must look like events
_PREFIX = re.compile(r"[A-Za-z]+(?=[-_ ]?\d)")


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one line, without the spaces around them."""

    cells: tuple[str, ...]
    line: int


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """A status history as a document. ``statements`` makes no difference: a table states no sentences.

    A row without an id or a time is left out, with an issue; a row without a status says that none is stated any more.

    :raises Skipped: for a table that is no status history.
    """
    rows = list(_rows(source))
    columns, body = _columns(source, rows)
    events = tuple(_events(source, profile, columns, body))
    if not events:
        raise Skipped("a status history without a single event", code="no-events", place=source.place())
    name = source.stem
    prefixes = {match[0].upper() for event in events if (match := _PREFIX.match(event.of))}
    if len(prefixes) == 1:  # every corpus calls its history the same
        name = f"{name} ({next(iter(prefixes))})"
    first = len(source.text.split("\n", 1)[0].rstrip("\r"))
    level = visibility.narrowest(
        said.level or visibility.read(said.word, source, source.line(said.start))
        for said in visibility.in_lines(source.text)
        if said.sure
    )
    head = KnowledgeObject(
        id="", granularity=DOCUMENT, title=name, language="en", line=1, visibility=level, extra={}
    )  # fmt: skip
    return ParsedDocument(
        id=name,
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type="text/tab-separated-values",
        profile=profile.name,
        language="en",
        objects=(head,),
        # Rows are for questions about what they are about, not for words: only the first line is searched.
        passages=(Passage("", 0, first, "", source.text[:first], "en", lead=True),),
        issues=tuple(source.issues),
        events=events,
        own_id=False,
    )


def _rows(source: Source) -> Iterator[Row]:
    for number, line in enumerate(source.text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield Row(tuple(cell.strip() for cell in line.rstrip("\r").split("\t")), number)


def _columns(source: Source, rows: Sequence[Row]) -> tuple[dict[str, int], Sequence[Row]]:
    """Where id, time, status and commit stand, and the rows below the header."""
    first = rows[0].cells if rows else ()
    columns: dict[str, int] = {}
    for number, cell in enumerate(first):
        for name, words in _NAMES.items():
            if key(cell) in words:
                columns.setdefault(name, number)
    if {"id", "time", "status"} <= columns.keys():
        for number in sorted(set(range(len(first))) - set(columns.values())):
            source.issue("unknown-column", f"the column {first[number]!r} is not read", line=rows[0].line,
                         severity="note", hint="it stays in the Original")  # fmt: skip
        return columns, rows[1:]
    sample = rows[:_LOOK]
    if sample and all(len(row.cells) in (3, 4) and row.cells[0] and _time(row.cells[1]) for row in sample):
        return {name: number for number, name in enumerate(_ORDER) if number < len(first)}, rows
    named = ", ".join(repr(cell) for cell in first[:6]) or "none"
    raise Skipped(
        f"a table that is no status history (columns: {named})",
        code="other-table",
        place=source.place(1),
        hint="a status history has the columns id, time, status and commit",
    )


def _events(source: Source, profile: Profile, columns: dict[str, int], rows: Sequence[Row]) -> Iterator[StatusEvent]:
    naive: list[int] = []
    unknown: Counter[str] = Counter()
    first: dict[str, int] = {}
    needed = max(columns[name] for name in ("id", "time", "status"))
    for row in rows:
        cells = {name: row.cells[at] if at < len(row.cells) else "" for name, at in columns.items()}
        when = _time(cells["time"])
        if len(row.cells) <= needed or not cells["id"] or not when:
            what = "no id" if not cells["id"] else f"{cells['time']!r} is no time" if not when else "too few columns"
            source.issue("bad-row", f"{what}: the row is left out", line=row.line,
                         hint="write id, time, status and commit, with tabs between them")  # fmt: skip
            continue
        if not when[1]:
            naive.append(row.line)
        word = cells["status"]
        status = profile.word("version-status", word) if word else ""
        if not word:
            source.issue("no-status", f"{cells['id']} states no status from then on", line=row.line, severity="note")
        elif not status and key(word) not in profile.status:
            unknown[word] += 1
            first.setdefault(word, row.line)
        yield StatusEvent(profile.identifier(cells["id"]), word, when[0], status, cells.get("commit", ""), row.line)
    if naive:
        source.issue("utc-assumed", f"{len(naive)} times have no zone: taken as UTC", line=naive[0], severity="note")
    for word, count in unknown.items():
        report_unknown(source, profile, word, first[word], count)


def _time(written: str) -> tuple[str, bool] | None:
    """``(zoned dateTime, whether the source said the zone)``; fractions of a second are kept. None: no time."""
    try:
        when = datetime.fromisoformat(written)
    except ValueError:
        found = dates.moment(written)
        return (found, dates.has_zone(written)) if found else None
    if when.tzinfo is None:
        return when.replace(tzinfo=UTC).isoformat().replace("+00:00", "Z"), False
    offset = when.utcoffset()
    if offset is None or abs(offset) > _WIDEST or offset.seconds % 60 or offset.microseconds:
        return None  # no xsd:dateTime has such a zone
    return when.isoformat().replace("+00:00", "Z"), True
