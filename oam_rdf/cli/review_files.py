"""The review queue as a file that a person fills in: CSV for a spreadsheet, JSON for a program."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from oam_rdf.analysis.decide import Ruling
from oam_rdf.analysis.queue import Entry
from oam_rdf.errors import ParseError, UsageError
from oam_rdf.ontology import Ontology

COLUMNS = (
    "key", "kind", "id", "text", "concept", "label", "confidence", "annotator", "relation", "target", "detail",
    "decision", "change_to", "reason", "reviewer", "time",
)  # fmt: skip
_GIVEN = COLUMNS[COLUMNS.index("decision") :]
# A cell that begins so is a formula for a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """One row an entry, with empty cells for the decision."""
    ontology = Ontology.load()
    return [
        {
            **dict.fromkeys(COLUMNS, ""), "key": e.key, "kind": e.kind, "id": e.id, "text": " ".join(e.text.split()),
            "concept": notation(ontology, e.concept), "label": e.label, "annotator": e.annotator,
            "confidence": "" if e.confidence is None else f"{e.confidence:g}",
            "relation": " ".join(iri.rpartition("#")[2] for iri in e.relation.split()), "target": e.target_id, "detail": e.detail,
        }
        for e in entries
    ]  # fmt: skip


def notation(ontology: Ontology, iri: str) -> str:
    """``scheme NOTATION`` of a concept, "" for ""."""
    found = ontology.concepts.get(iri)
    return f"{found.scheme} {found.notation}" if found else iri


def write(path: Path, entries: Sequence[Entry]) -> None:
    """Write the queue. :raises UsageError: for a name that is neither .csv nor .json."""
    if _suffix(path) == ".json":
        path.write_text(json.dumps(rows(entries), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        return
    out = io.StringIO()
    sheet = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    sheet.writeheader()
    for row in rows(entries):
        sheet.writerow({name: f"'{cell}" if cell.startswith(_FORMULA) else cell for name, cell in row.items()})
    path.write_text("\ufeff" + out.getvalue(), encoding="utf-8")  # the mark tells spreadsheets that it is UTF-8


def read(path: Path, reviewer: str = "") -> list[Ruling]:
    """The rows that hold a decision; ``reviewer`` stands for those that name none.

    :raises UsageError: for a row that cannot be used, naming it.
    :raises ParseError: for a file that is no CSV or JSON of this kind.
    """
    text = path.read_text(encoding="utf-8-sig")
    found: list[Mapping[str, Any]] = []
    if _suffix(path) == ".json":
        try:
            loaded = json.loads(text)
        except json.JSONDecodeError as error:
            raise ParseError(error.msg, place=f"{path}:{error.lineno}:{error.colno}") from error
        if not isinstance(loaded, list) or not all(isinstance(row, dict) for row in loaded):
            raise ParseError(
                "not a list of rows", place=str(path), hint="export the queue to a .json file and fill it in"
            )
        found, first = loaded, 1
    else:
        found, first = list(csv.DictReader(io.StringIO(text))), 2
    rulings = []
    for number, row in enumerate(found, first):
        place = f"{path}: row {number}"
        cell = {name: str(row.get(name) or "").strip().removeprefix("'") for name in ("key", *_GIVEN)}
        if cell["decision"].casefold() in ("", "skip"):
            continue
        if not cell["key"]:
            raise UsageError("a decision without its key", place=place, hint="keep the column key as it was exported")
        who = cell["reviewer"] or reviewer
        if not who:
            hint = "fill in the column reviewer, or give --by NAME"
            raise UsageError("a decision without its reviewer", place=place, hint=hint)
        rulings.append(
            Ruling(
                cell["key"], cell["decision"].casefold(), who, cell["change_to"], cell["reason"],
                _time(cell["time"], place), place,
            )
        )  # fmt: skip
    return rulings


def _time(written: str, place: str) -> str:
    if not written:
        return ""
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        hint = "write it with its zone, such as 2026-01-31T12:00:00Z, or leave it empty"
        raise UsageError(f"{written!r} is no time with a zone", place=place, hint=hint)
    return found.isoformat()


def _suffix(path: Path) -> str:
    if path.suffix.casefold() not in (".csv", ".json"):
        raise UsageError(f"cannot tell the format of {path.name}", place=str(path), hint="name it .csv or .json")
    return path.suffix.casefold()
