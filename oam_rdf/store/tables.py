"""Tables of what a selection holds, as CSV for spreadsheets and JSON Lines for programs (formats.md, "Out").

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula and runs it. Such cells, and those that
begin with a tab or a carriage return, which hide one, are written with an apostrophe before them, the mark by which
spreadsheets know text; JSON Lines hold them as they are.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from oam_rdf.namespaces import DCTERMS, OAM, PAV
from oam_rdf.ontology import Ontology
from oam_rdf.store.facts import PART_OF, TITLE, Facts
from oam_rdf.store.selection import Selection

Row = dict[str, Any]
KINDS = ("csv", "jsonl")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def dump(selection: Selection, table: str, kind: str) -> bytes:
    """One of :data:`TABLES` as one of :data:`KINDS`, UTF-8; CSV has a header line and CRLF (RFC 4180)."""
    columns, rows = TABLES[table]
    ontology = Ontology.load()
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    if kind == "csv":
        writer.writerow(columns)
    for iri, quads in selection.documents():
        for row in rows(Facts(iri, quads, selection.store, ontology)):
            if kind == "csv":
                writer.writerow([cell(row[name]) for name in columns])
            else:
                stream.write(json.dumps({name: row[name] for name in columns}, ensure_ascii=False) + "\n")
    return stream.getvalue().encode()


def cell(value: Any) -> str:
    """A value as a CSV cell that no spreadsheet takes for a formula; parts of a list stand on lines of their own."""
    if isinstance(value, list):
        value = "\n".join(str(part) for part in value)
    text = "" if value is None else str(value)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def _objects(facts: Facts) -> Iterator[Row]:
    for iri in facts.objects():
        yield {
            "id": facts.name(iri),
            "iri": iri,
            "granularity": facts.granularity(iri),
            "title": facts.value(iri, TITLE),
            "language": facts.language(iri),
            "document": facts.name(facts.iri),
            "part_of": facts.name(parent) if (parent := facts.value(iri, PART_OF)) else "",
            "kind": facts.notation(iri, "statementKind", "statement-kind"),
            "roles": facts.notations(iri, "hasRole", "role"),
            "operators": facts.notations(iri, "hasOperator", "operator"),
            "state": facts.notation(iri, "epistemicState", "epistemic-state"),
            "verification": facts.notation(iri, "verification", "verification"),
            "version": facts.value(iri, PAV + "version"),
            "version_status": facts.notation(iri, "versionStatus", "version-status"),
            "source_status": facts.value(iri, OAM + "sourceStatus"),
            "valid_from": facts.value(iri, OAM + "validFrom"),
            "deprecated_at": facts.value(iri, OAM + "deprecatedAt"),
            "visibility": facts.visibility(iri),
            "subjects": facts.values(iri, DCTERMS + "subject"),
        }


def _relations(facts: Facts) -> Iterator[Row]:
    for edge in facts.edges():
        yield {
            "source": facts.name(edge.source) if edge.source else "",
            "relation": edge.relation,
            "target": facts.name(edge.target) if edge.target else "",
            "target_label": edge.label,
            "verdict": edge.verdict,
            "confidence": edge.confidence,
            "source_label": edge.source_label,
            "evidence": [f"sha256-{sha256}#char={start},{end}" for sha256, start, end in edge.spans],
            "stated_by": edge.graph,
            "document": facts.name(facts.iri),
        }


def _statements(facts: Facts) -> Iterator[Row]:
    for iri in facts.objects():
        state = facts.notation(iri, "epistemicState", "epistemic-state")
        if not state:
            continue
        yield {
            "id": facts.name(iri),
            "document": facts.name(facts.iri),
            "title": facts.value(iri, TITLE),
            "statement": facts.value(iri, OAM + "content"),
            "language": facts.language(iri),
            "kind": facts.notation(iri, "statementKind", "statement-kind"),
            "state": state,
            "verification": facts.notation(iri, "verification", "verification") or "NOT_TESTED",
            "evidence": [
                " | ".join((
                    facts.notation(node, "evidenceKind", "evidence-kind"),
                    facts.notation(node, "outcome", "outcome"),
                    facts.value(node, DCTERMS + "bibliographicCitation"),
                ))
                for node in facts.values(iri, OAM + "hasEvidence")
            ],
            "spans": [f"sha256-{sha256}#char={start},{end}" for sha256, start, end in facts.spans(iri)],
        }  # fmt: skip


TABLES: dict[str, tuple[tuple[str, ...], Callable[[Facts], Iterator[Row]]]] = {
    "objects": (
        ("id", "iri", "granularity", "title", "language", "document", "part_of", "kind", "roles", "operators", "state",
         "verification", "version", "version_status", "source_status", "valid_from", "deprecated_at", "visibility",
         "subjects"),
        _objects,
    ),
    "relations": (
        ("source", "relation", "target", "target_label", "verdict", "confidence", "source_label", "evidence",
         "stated_by", "document"),
        _relations,
    ),
    "statements": (
        ("id", "document", "title", "statement", "language", "kind", "state", "verification", "evidence", "spans"),
        _statements,
    ),
}  # fmt: skip
