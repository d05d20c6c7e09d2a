"""Nodes at which a walk arrives, and how nodes and hops are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.edges import Way
from oam_rdf.query.generated import MARKS, is_original, sourced
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.walk import Edge


@dataclass(frozen=True, slots=True)
class Node:
    """An arrival. ``depth`` counts hops from the start, ``route`` are the ids on one shortest way there, both ends
    included, ``relations`` the relation of each hop (``^`` = walked against its direction). ``branch``: several ways lead
    on from here. ``ways`` are routes over all legs with what is said of their edges, shortest first, the number bounded.
    ``fallback``: what the ways rest on beside typed edges."""

    id: str
    iri: str
    title: str
    granularity: str
    epistemic_state: str
    version_status: str
    successors: tuple[str, ...]
    source_available: bool
    depth: int
    level: int
    route: tuple[str, ...]
    relations: tuple[str, ...]
    branch: bool
    ways: tuple[Way, ...] = ()
    fallback: str = "none"

    def to_json(self) -> dict[str, Any]:
        values = {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}
        return {**values, "ways": [way.to_json() for way in self.ways]}


def node_of(
    snapshot: Snapshot,
    iri: str,
    *,
    depth: int,
    route: tuple[str, ...],
    relations: tuple[str, ...],
    level: int | None = None,
    branch: bool = False,
    ways: tuple[Way, ...] = (),
    fallback: str = "none",
) -> Node:
    """An arrival with everything that is shown of it."""
    facets = snapshot.facets
    row = facets.row(iri)
    known = row >= 0
    new, old = snapshot.edges
    return Node(
        id=called(snapshot, iri),
        iri=iri,
        title=facets.titles[row] if known else "",
        granularity=facets.column("granularity")[row] if known else _kind(marks(snapshot, iri, snapshot.ontology)),
        epistemic_state=facets.column("epistemic_state")[row] if known else "",
        version_status=snapshot.version_status[row] if known else "",
        successors=tuple(sorted(facets.identifiers[int(r)] for r in new[old == row])) if known else (),
        source_available=bool(sourced(snapshot)[row]) if known else is_original(snapshot, iri),
        depth=depth,
        level=depth if level is None else level,
        route=route,
        relations=relations,
        branch=branch,
        ways=ways,
        fallback=fallback,
    )


def called(snapshot: Snapshot, iri: str) -> str:
    """How a node is called: its id; of what is no object its title or citation, else what follows the base."""
    row = snapshot.facets.row(iri)
    if row >= 0 and snapshot.facets.identifiers[row]:
        return snapshot.facets.identifiers[row]
    for predicate in (DCTERMS + "title", DCTERMS + "bibliographicCitation", DCTERMS + "identifier"):
        for quad in snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(predicate), None):
            if not isinstance(quad.object, NamedNode):
                return str(getattr(quad.object, "value", iri))
    return iri.rpartition("/original/")[2] if "/original/" in iri else iri


def marks(snapshot: Snapshot, iri: str, ontology: Ontology) -> frozenset[str]:
    """Classes (with superclasses), roles and operators that a node carries."""
    found: set[str] = set()
    for predicate in MARKS:
        for quad in snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(predicate), None):
            if isinstance(quad.object, NamedNode):
                found.add(quad.object.value)
                found |= ontology.superclasses.get(quad.object.value, frozenset())
                found |= ontology.broader.get(quad.object.value, frozenset())
    if OAM + "Original" in found and not is_original(snapshot, iri):
        found.discard(OAM + "Original")  # whoever says so: an Original is bytes that are kept here
    return frozenset(found)


def relation_of(edge: Edge) -> str:
    """A hop's relation by its local name, ``^`` = walked against its direction."""
    return ("^" if edge.against else "") + edge.predicate.rpartition("#")[2].rpartition("/")[2]


def _kind(marks: frozenset[str]) -> str:
    names: Mapping[str, str] = {
        OAM + "Original": "ORIGINAL", OAM + "SourceSpan": "SOURCE_SPAN", OAM + "ExternalWork": "EXTERNAL_WORK",
        OAM + "EvidenceArtifact": "EVIDENCE_ARTIFACT",
    }  # fmt: skip
    return next((name for iri, name in sorted(names.items()) if iri in marks), "")
