"""Which claims count as what, and how they came to (paper §12.7, §13.6, §21.6; decisions D6, D17).

A filter is a row of ``ontology/schemes/epistemic-filters.ttl``. Without one everything is listed but what the filters that
add something would add: conjectures, refuted and unresolved claims. ``only_verified`` lists what is proved, checked or
reproduced, with whatever the others add. The counts are of everything, so that nobody takes the list for all there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.namespaces import DCTERMS, OAM, PROV, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.query.agents import agent_name
from oam_rdf.query.resolve import resolve
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.review import instant

ONLY, ADDING = "only_verified", ("include_conjectures", "show_refuted", "show_unresolved")
_FOUND = 200  # results of a text whose states are listed
_EXCERPT = 160  # characters


@dataclass(frozen=True, slots=True)
class Claim:
    """One object with a state. ``successors`` supersede it."""

    id: str
    state: str
    verification: str
    version_status: str
    granularity: str
    text: str
    evidence: int
    successors: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in self.__slots__}, "successors": list(self.successors)}


@dataclass(frozen=True, slots=True)
class Claims:
    """``counts`` are of all claims asked about, by state; ``listed`` says how many of each the filters let in."""

    about: str
    filters: tuple[str, ...]
    counts: Mapping[str, int]
    listed: Mapping[str, int]
    claims: tuple[Claim, ...]
    total: int

    def to_json(self) -> dict[str, Any]:
        return {
            "about": self.about, "filters": list(self.filters), "counts": dict(self.counts),
            "listed": dict(self.listed), "total": self.total, "claims": [claim.to_json() for claim in self.claims],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assessment:
    """One assessment of an object. ``time`` is "" where its source gives none; ``agent`` "" where a run made it."""

    state: str
    before: str
    time: str
    agent: str
    run: str
    reason: str
    source_label: str
    evidence: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in self.__slots__}, "evidence": list(self.evidence)}


@dataclass(frozen=True, slots=True)
class StateHistory:
    """How an object came to its state, oldest first; undated assessments come before all others."""

    id: str
    state: str
    assessments: tuple[Assessment, ...]

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "state": self.state, "assessments": [one.to_json() for one in self.assessments]}


@lru_cache(maxsize=4)
def admitted(name: str, ontology: Ontology) -> frozenset[str]:
    """States (notations) that a filter lets in, with all that is narrower. :raises UsageError: for an unknown filter."""
    concept = ontology.concept("epistemic-filter", name)
    if concept is None:
        known = ", ".join(sorted(ontology.notations("epistemic-filter")))
        raise UsageError(f"unknown filter {name!r}", hint=f"one of {known}")
    top = {iri.removeprefix(SCHEMES["epistemic-state"]) for iri in ontology.admits(concept.iri)}
    return frozenset(state for state in ontology.notations("epistemic-state") if top & set(ontology.lineage(state)))


def states(filters: Sequence[str], ontology: Ontology | None = None) -> frozenset[str]:
    """The states that a set of filters lists."""
    ontology = ontology or Ontology.load()
    wanted = {name.replace("-", "_") for name in filters}
    added = frozenset[str]().union(*(admitted(name, ontology) for name in wanted - {ONLY}))
    if ONLY in wanted:
        return admitted(ONLY, ontology) | added
    hidden = frozenset[str]().union(*(admitted(name, ontology) for name in ADDING))
    return (ontology.notations("epistemic-state") - hidden) | added


def claims(
    snapshot: Snapshot, about: str = "", filters: Sequence[str] = (), *, limit: int = 50, offset: int = 0
) -> Claims:
    """Claims by state. ``about`` is "" (all), an object (it and its parts), or a text (what a search for it finds)."""
    shown = states(filters)
    facets = snapshot.facets
    column = facets.column("epistemic_state")
    rows = [int(row) for row in _rows(snapshot, about) if column[int(row)]]
    counts: dict[str, int] = {}
    for row in rows:
        counts[column[row]] = counts.get(column[row], 0) + 1
    kept = [row for row in rows if column[row] in shown]
    if not about:
        kept.sort(key=lambda row: (column[row], facets.identifiers[row]))
    page = kept[offset : offset + limit]
    listed = {state: count for state, count in counts.items() if state in shown}
    ordered = sorted(counts, key=lambda state: (-counts[state], state))
    return Claims(
        about, tuple(filters), {state: counts[state] for state in ordered}, listed,
        tuple(_claim(snapshot, row) for row in page), len(kept),
    )  # fmt: skip


def _rows(snapshot: Snapshot, about: str) -> Sequence[Any]:
    facets, visible = snapshot.facets, snapshot.visible
    if not about.strip():
        found: Sequence[Any] = np.flatnonzero(visible).tolist()
        return found
    try:
        start = resolve(snapshot, about)
    except NotFound:
        answer = search(snapshot, about, k=_FOUND, granularity="STATEMENT")
        rows = [facets.row(iri) for iri in dict.fromkeys(result.iri for result in answer.results)]
        return [row for row in rows if row >= 0]
    inside = np.zeros(len(facets), dtype=bool)
    inside[start] = True
    while True:
        parts = (facets.parent >= 0) & inside[np.maximum(facets.parent, 0)] & ~inside
        if not parts.any():
            return [int(row) for row in np.flatnonzero(inside & visible)]
        inside |= parts


def _claim(snapshot: Snapshot, row: int) -> Claim:
    facets = snapshot.facets
    node = NamedNode(facets.iris[row])
    contents = snapshot.store.quads_for_pattern(node, NamedNode(OAM + "content"), None, None)
    words = next((quad.object.value for quad in contents if isinstance(quad.object, Literal)), "") or facets.titles[row]
    evidence = snapshot.store.quads_for_pattern(node, NamedNode(OAM + "hasEvidence"), None, None)
    return Claim(
        facets.identifiers[row] or facets.iris[row], facets.column("epistemic_state")[row],
        facets.column("verification")[row], snapshot.version_status[row], facets.column("granularity")[row],
        words[:_EXCERPT], sum(1 for _ in evidence),
        tuple(sorted(facets.identifiers[later] for later in snapshot.successors.get(row, ()))),
    )  # fmt: skip


def history(snapshot: Snapshot, identifier: str) -> StateHistory:
    """The assessments of an object. :raises NotFound: if it is not there or may not be seen."""
    row = resolve(snapshot, identifier)
    facets, store = snapshot.facets, snapshot.store
    found = []
    for quad in store.quads_for_pattern(None, NamedNode(OAM + "assesses"), NamedNode(facets.iris[row]), None):
        said: dict[str, list[str]] = {}
        for fact in store.quads_for_pattern(quad.subject, None, None, None):
            said.setdefault(fact.predicate.value, []).append(str(getattr(fact.object, "value", "")))

        def one(predicate: str, said: Mapping[str, list[str]] = said) -> str:
            return min(said.get(predicate, [""]))

        space = SCHEMES["epistemic-state"]
        evidence = [_cited(snapshot, iri) for iri in sorted(set(said.get(PROV + "wasInfluencedBy", ())))]
        found.append(
            Assessment(
                one(OAM + "assessedAs").removeprefix(space), one(OAM + "changedFrom").removeprefix(space),
                one(PROV + "generatedAtTime"), agent_name(snapshot, one(PROV + "wasAttributedTo")),
                one(PROV + "wasGeneratedBy"), one(OAM + "reason"), one(OAM + "sourceLabel"), tuple(evidence),
            )
        )  # fmt: skip
    ordered = sorted(found, key=lambda one: (instant(one.time), one.state))
    return StateHistory(
        facets.identifiers[row] or facets.iris[row], facets.column("epistemic_state")[row], tuple(ordered)
    )


def _cited(snapshot: Snapshot, iri: str) -> str:
    """What a piece of evidence is called: how it is cited, else its id."""
    for name in ("bibliographicCitation", "identifier"):
        for quad in snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(DCTERMS + name), None, None):
            if isinstance(quad.object, Literal):
                return quad.object.value
    return iri
