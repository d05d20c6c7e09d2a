"""An answer in the shape that was asked for: timeline, comparison, evidence table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from oam_rdf.cli.labels import concept, label, listed

Line = tuple[int, Text]

_WIDEST = 28  # cells of a column of a comparison
_SCHEMES = {"granularity": "granularity", "verification": "verification", "version status": "version-status"}


def layout_lines(layout: Mapping[str, Any], ui: str) -> Iterator[Line]:
    """``(indent, text)`` of each line of the layout."""
    yield 0, Text(label(layout["shape"], ui), style="bold")
    makers = {"timeline": _timeline, "comparison": _comparison, "evidence table": _evidence_table}
    yield from makers[layout["shape"]](layout, ui)


def evidence_text(item: Mapping[str, Any], ui: str) -> str:
    """Kind, outcome and reference of one piece of evidence."""
    kind = concept("evidence-kind", item["kind"], ui) or "-"
    outcome = concept("outcome", item["outcome"], ui) or "-"
    return label("evidence", ui, kind=kind, outcome=outcome, reference=item["reference"] or "-")


def _timeline(layout: Mapping[str, Any], ui: str) -> Iterator[Line]:
    for row in layout["rows"]:
        of = f" {row['of']}" if row["of"] != row["id"] else ""
        text = Text(row["date"].removesuffix("T00:00:00Z") + "  ", style="green")
        text.append(f"{row['position']}. ", "not green").append(row["id"], "cyan").append(
            f" {row['title']}", "not green"
        )
        yield 2, text.append(f"  {row['field']}{of}", "dim")
    if layout["undated"]:
        yield 2, Text(label("undated", ui, ids=_ids(layout["undated"], ui)), style="dim")


def _comparison(layout: Mapping[str, Any], ui: str) -> Iterator[Line]:
    head = ["", *(f"{item['position']}. {item['id']}" for item in layout["objects"])]
    table = [head]
    for row in layout["rows"]:
        name = row["attribute"]
        values = [
            concept(_SCHEMES[name], str(value), ui) if name in _SCHEMES else str(value) for value in row["values"]
        ]
        mark = "≠ " if row["differs"] else "  "
        table.append([mark + label("evidence count" if name == "evidence" else name, ui), *values])
    table = [[_cut(cell) for cell in row] for row in table]
    widths = [max(cell_len(row[at]) for row in table) for at in range(len(head))]
    for number, row in enumerate(table):
        cells = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield 2, Text("  ".join(cells).rstrip(), style="cyan" if number == 0 else "")


def _evidence_table(layout: Mapping[str, Any], ui: str) -> Iterator[Line]:
    for row in layout["rows"]:
        standing = listed(
            [
                shown
                for scheme, value in (("epistemic-state", row["state"]), ("verification", row["verification"]))
                if (shown := concept(scheme, value, ui))
            ],
            ui,
        )
        yield 2, Text(f"{row['position']}. ").append(row["claim"], "cyan").append(f"  {standing}", "dim")
        for item in row["evidence"]:
            yield 5, Text(evidence_text(item, ui))
    if layout["without"]:
        yield 2, Text(label("without evidence", ui, ids=_ids(layout["without"], ui)), style="dim")
    if layout["left_out"]:
        yield 2, Text(label("left out", ui, count=layout["left_out"]), style="dim")


def _ids(rows: Sequence[Mapping[str, Any]], ui: str) -> str:
    return listed([f"{row['position']}. {row['id']}" for row in rows], ui)


def _cut(text: str) -> str:
    """The text in at most :data:`_WIDEST` cells; a Han character takes two."""
    if cell_len(text) <= _WIDEST:
        return text
    while cell_len(text) >= _WIDEST:
        text = text[:-1]
    return text + "…"
