"""The shape that an answer is laid out in (``form.shape``), from stored facts: timeline, comparison, evidence table.

A layout shows results that were found and ranked already, in another arrangement. It moves none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oam_rdf.index.facet_table import BEGINNING
from oam_rdf.index.facets import seconds
from oam_rdf.query.answer import Result
from oam_rdf.query.evidence import evidence_of, has_evidence
from oam_rdf.query.times import iso_seconds
from oam_rdf.query.trace import Candidate, Evidence, State

SHAPES = ("list", "comparison", "timeline", "evidence table")
ATTRIBUTES = ("granularity", "language", "state", "verification", "version", "version status", "date", "evidence")
_CLAIMS = 50  # claims of an evidence table; what is left out is counted
_FINE = ("STATEMENT", "ARGUMENT", "EVIDENCE_ARTIFACT", "OTHER")


def layout(state: State, shown: Sequence[Result]) -> dict[str, Any]:
    """The results of the window in the plan's shape; empty for a list and for a shape that is not known.

    :param shown: the results of ``state.candidates``, which are cut to the window.
    """
    pairs = list(zip(shown, state.candidates, strict=True))
    match state.plan.form.shape:
        case "timeline":
            return _timeline(state, pairs)
        case "comparison":
            return _comparison(state, pairs)
        case "evidence table":
            return _evidence_table(state, pairs)
    return {}


def _timeline(state: State, pairs: Sequence[tuple[Result, Candidate]]) -> dict[str, Any]:
    """Results by date, equal dates as ranked; those without a recorded date are named apart."""
    dated, undated = [], []
    for result, candidate in pairs:
        when = _date(state, candidate)
        if when:
            dated.append({"position": result.position, "id": result.id, "title": result.title, **when})
        else:
            undated.append({"position": result.position, "id": result.id, "title": result.title})
    dated.sort(key=lambda row: (row["seconds"], row["position"]))
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in dated]
    return {"shape": "timeline", "rows": rows, "undated": undated}


def _comparison(state: State, pairs: Sequence[tuple[Result, Candidate]]) -> dict[str, Any]:
    """A row for each attribute, a column for each object: what the query names where it names two or more of the results,
    else all results."""
    named = [pair for pair in pairs if pair[0].named or _called(state, pair[1])]
    chosen = named if len(named) > 1 else list(pairs)
    columns = [_attributes(state, result, candidate) for result, candidate in chosen]
    rows = []
    for name in ATTRIBUTES:
        values = [column[name] for column in columns]
        if any(value not in ("", 0) for value in values):
            rows.append({"attribute": name, "values": values, "differs": len(set(map(str, values))) > 1})
    objects = [{"position": r.position, "id": r.id, "title": r.title} for r, _ in chosen]
    fields = [str(_date(state, candidate).get("field", "")) for _, candidate in chosen]
    return {"shape": "comparison", "objects": objects, "rows": rows, "date_fields": fields}


def _called(state: State, candidate: Candidate) -> bool:
    """Whether the query calls the object, or the document it is part of, by a name."""
    names = [entry.value for entry in state.plan.entities]
    rows = {row for name in names for row, _ in state.snapshot.facets.named(name)}
    return bool({candidate.row, candidate.document} & rows)


def _attributes(state: State, result: Result, candidate: Candidate) -> dict[str, Any]:
    """What is recorded of one object. A coarse object has its parts' states, with how many carry each."""
    counts: dict[str, int] = {}
    parts = _parts(state, candidate)
    column = state.snapshot.facets.column("epistemic_state")
    for row in parts:
        if column[row]:
            counts[column[row]] = counts.get(column[row], 0) + 1
    own = result.epistemic_state
    states = ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda n: (-n[1], n[0])))
    return {
        "granularity": result.granularity,
        "language": result.language,
        "state": own or states,
        "verification": result.verification,
        "version": result.version,
        "version status": result.version_status,
        "date": str(_date(state, candidate).get("date", "")),
        "evidence": len(_evidence(state, candidate, parts)),
    }


def _evidence_table(state: State, pairs: Sequence[tuple[Result, Candidate]]) -> dict[str, Any]:
    """A row for each claim: the results that are claims, and in place of a section or document its claims that have
    evidence."""
    rows: list[dict[str, Any]] = []
    seen: set[int] = set()
    without: list[dict[str, Any]] = []
    facets, more = state.snapshot.facets, 0
    for result, candidate in pairs:
        claims = [holder.row for holder in candidate.holders] or [candidate.row]
        if candidate.history is not None:
            claims = []
        elif result.granularity in ("DOCUMENT", "SECTION"):
            claims = [row for row in _parts(state, candidate) if has_evidence(state.snapshot)[row]]
        found = [row for row in claims if row not in seen and evidence_of(state.snapshot, row)]
        if not any(row in seen or row in found for row in claims):
            without.append({"position": result.position, "id": result.id, "title": result.title})
        seen.update(found)
        for row in found:
            if len(rows) == _CLAIMS:
                more += 1
                continue
            rows.append(
                {
                    "position": result.position,
                    "claim": state.name(row) or facets.iris[row],
                    "iri": facets.iris[row],
                    "state": facets.column("epistemic_state")[row],
                    "verification": facets.column("verification")[row],
                    "evidence": [item_json(item) for item in evidence_of(state.snapshot, row)],
                }
            )
    return {"shape": "evidence table", "rows": rows, "without": without, "left_out": more}


def item_json(item: Evidence) -> dict[str, Any]:
    """Evidence as data."""
    names = ("id", "iri", "kind", "outcome", "reference", "artifact")
    return {name: getattr(item, name) for name in names}


def _evidence(state: State, candidate: Candidate, parts: Sequence[int]) -> set[str]:
    if candidate.history is not None:
        return set()
    rows = [row for row in (candidate.row, *parts) if row >= 0 and has_evidence(state.snapshot)[row]]
    return {item.iri for row in rows for item in evidence_of(state.snapshot, row)}


def _parts(state: State, candidate: Candidate) -> list[int]:
    """Visible statements and arguments inside a document or section, in order; none of anything finer."""
    snapshot, facets, row = state.snapshot, state.snapshot.facets, candidate.row
    if candidate.history is not None or row < 0 or facets.column("granularity")[row] not in ("DOCUMENT", "SECTION"):
        return []
    parent, inside = np.asarray(facets.parent), np.zeros(len(facets), dtype=bool)
    inside[row] = True
    for _ in range(64):  # deeper nesting is not written; a loop of part-of ends here
        more = (parent >= 0) & inside[np.maximum(parent, 0)] & ~inside
        if not more.any():
            break
        inside |= more
    fine = facets.mask("granularity", _FINE)
    return [int(row) for row in np.flatnonzero(inside & fine & snapshot.visible)]


def _date(state: State, candidate: Candidate) -> Mapping[str, Any]:
    """The recorded date of an object, else of its document: ``date``, the ``field`` that says it and ``of`` whom; empty
    where none is recorded. The day of a commit is no date of what was committed."""
    facets = state.snapshot.facets
    if candidate.history is not None:
        for item in (candidate.history.object, candidate.history.document):
            if item.begins:
                field = "oam:validFrom or dcterms:created"
                return {
                    "date": item.begins,
                    "field": field,
                    "of": item.identifier,
                    "seconds": seconds(item.begins, BEGINNING),
                }
        return {}
    for row in dict.fromkeys((candidate.row, candidate.document)):
        for field, column in (("oam:validFrom", facets.valid_from), ("dcterms:created", facets.created)):
            if row >= 0 and int(column[row]) > BEGINNING:
                when = int(column[row])
                return {"date": iso_seconds(when), "field": field, "of": state.name(row), "seconds": when}
    return {}
