"""Evidence of statements: what ``oam:hasEvidence`` leads to, stored artifacts and works that the source cites.

Where evidence itself is asked for (granularity EVIDENCE_ARTIFACT) the statements that have some are searched, and each
stands aside for its evidence; every artifact says by which statement it came.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pyoxigraph import Literal, NamedNode

from oam_rdf.index.columns import Array
from oam_rdf.namespaces import DCTERMS, OAM, RDF, SCHEMES
from oam_rdf.query.pairs import pairs
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import Candidate, Evidence, State

ASKED = "EVIDENCE_ARTIFACT"
_HAS = NamedNode(OAM + "hasEvidence")
_CITED = (DCTERMS + "bibliographicCitation", DCTERMS + "title", OAM + "content", DCTERMS + "identifier")


def evidence_of(snapshot: Snapshot, row: int) -> tuple[Evidence, ...]:
    """What the object at ``row`` has as evidence and this clearance may see, in order of the IRIs."""
    subject = NamedNode(snapshot.facets.iris[row])
    ends = {str(getattr(quad.object, "value", "")) for quad in snapshot.store.quads_for_pattern(subject, _HAS, None)}
    return tuple(_read(snapshot, iri) for iri in sorted(ends) if iri and snapshot.admits(iri))


def has_evidence(snapshot: Snapshot) -> Array:
    """``bool[objects]``: visible objects with evidence that this clearance may see."""
    if "evidence" not in snapshot.notes:
        mask = np.zeros(len(snapshot.facets), dtype=bool)
        mask[[row for row in pairs(snapshot, OAM + "hasEvidence") if evidence_of(snapshot, row)]] = True
        snapshot.notes["evidence"] = mask
    return np.asarray(snapshot.notes["evidence"])


def artifacts(state: State) -> State:
    """Where evidence is asked for, every statement stands aside for its evidence; what several have comes once.

    An artifact that is an object with a text of its own stays as it was found.
    """
    if state.plan.form.granularity.upper() != ASKED:
        return state
    found: dict[str, Candidate] = {}
    for candidate in state.candidates:
        if state.snapshot.facets.column("granularity")[candidate.row] == ASKED:
            found.setdefault(state.snapshot.facets.iris[candidate.row], candidate)
            continue
        for item in evidence_of(state.snapshot, candidate.row):
            first = found.get(item.iri)
            if first is None:
                found[item.iri] = replace(candidate, evidence=item, holders=(candidate,))
            else:
                found[item.iri] = replace(first, evidence=item, holders=(*first.holders, candidate))
    return replace(state, candidates=tuple(found.values())).note(
        "artifacts", statements=[state.name(c.row) for c in state.candidates], found=len(found)
    )


def _read(snapshot: Snapshot, iri: str) -> Evidence:
    node = NamedNode(iri)
    artifact = next(
        snapshot.store.quads_for_pattern(node, NamedNode(RDF + "type"), NamedNode(OAM + "EvidenceArtifact")), None
    )
    cited = (_text(snapshot, node, predicate) for predicate in _CITED)
    row = snapshot.facets.row(iri)
    return Evidence(
        iri=iri,
        id=(snapshot.facets.identifiers[row] if row >= 0 else "") or iri,
        kind=notation(snapshot, node, "evidenceKind", "evidence-kind"),
        outcome=notation(snapshot, node, "outcome", "outcome"),
        reference=next((text for text in cited if text), ""),
        artifact=artifact is not None,
    )


def _text(snapshot: Snapshot, node: NamedNode, predicate: str) -> str:
    quads = snapshot.store.quads_for_pattern(node, NamedNode(predicate), None)
    return min((quad.object.value for quad in quads if isinstance(quad.object, Literal)), default="")


def notation(snapshot: Snapshot, node: NamedNode, predicate: str, scheme: str) -> str:
    """The first value of a property of :data:`OAM` by its notation in a scheme, "" without one."""
    quads = snapshot.store.quads_for_pattern(node, NamedNode(OAM + predicate), None)
    return min((str(getattr(q.object, "value", "")).removeprefix(SCHEMES[scheme]) for q in quads), default="")
