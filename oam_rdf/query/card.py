"""An object as somebody sees it who stands before it: what it is, what it is joined to, and where one can go from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.ontology import Ontology
from oam_rdf.query.navigate import navigate
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot

LIMIT = 50  # relations named


@dataclass(frozen=True, slots=True)
class Link:
    """A typed relation, by the name that reads from the card's object to the other (``^`` where there is none)."""

    relation: str
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Card:
    """``directions`` lead somewhere, with the number of arrivals at the first step; ``successors`` supersede the object."""

    id: str
    iri: str
    title: str
    granularity: str
    kind: str
    language: str
    epistemic_state: str
    verification: str
    version: str
    version_status: str
    successors: tuple[str, ...]
    relations: tuple[Link, ...]
    directions: tuple[tuple[str, int], ...]

    def to_json(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in self.__slots__}
        links = [{name: getattr(link, name) for name in Link.__slots__} for link in self.relations]
        return {**data, "successors": list(self.successors), "relations": links, "directions": dict(self.directions)}


def card(snapshot: Snapshot, identifier: str) -> Card:
    """The card of the object called ``identifier``. :raises NotFound: if it does not exist or may not be seen."""
    iri = node(snapshot, identifier)
    facets, row = snapshot.facets, snapshot.facets.row(iri)
    ways = ((name, navigate(snapshot, iri, name, 1)) for name in sorted(snapshot.ontology.directions))
    new, old = snapshot.edges
    document = int(facets.document[row]) if row >= 0 else -1
    known = {
        name: facets.column(name)[row] if row >= 0 else ""
        for name in ("granularity", "kind", "language", "epistemic_state", "verification")
    }
    return Card(
        id=(facets.identifiers[row] if row >= 0 else "") or iri,
        iri=iri,
        title=_title(snapshot, row),
        version=(facets.versions[row] or (facets.versions[document] if document >= 0 else "")) if row >= 0 else "",
        version_status=snapshot.version_status[row] if row >= 0 else "",
        successors=tuple(sorted(facets.identifiers[int(r)] for r in new[old == row])) if row >= 0 else (),
        relations=tuple(_links(snapshot, iri)),
        directions=tuple((name, len(found.nodes)) for name, found in ways if found.nodes),
        **known,
    )


def _title(snapshot: Snapshot, row: int) -> str:
    facets = snapshot.facets
    if row < 0:
        return ""
    document = int(facets.document[row])
    return facets.titles[row] or (facets.titles[document] if document >= 0 else "")


def _links(snapshot: Snapshot, iri: str) -> list[Link]:
    here, store, facets = NamedNode(iri), snapshot.store, snapshot.facets
    found: dict[tuple[str, str], Link] = {}
    names = _names(snapshot.ontology)
    quads = [(quad, quad.object, False) for quad in store.quads_for_pattern(here, None, None)]
    quads += [(quad, quad.subject, True) for quad in store.quads_for_pattern(None, None, here)]
    for quad, other, against in quads:
        name = names.get((quad.predicate.value, against))
        row = facets.row(str(getattr(other, "value", "")))
        if not name or row < 0 or not snapshot.visible[row] or "/inferred" in str(quad.graph_name):
            continue
        other_id = facets.identifiers[row] or facets.iris[row]
        found[name, other_id] = Link(name, other_id, _title(snapshot, row))
    return [found[key] for key in sorted(found)][:LIMIT]


@lru_cache(maxsize=4)
def _names(ontology: Ontology) -> dict[tuple[str, bool], str]:
    """(property, walked against its arrow) -> the name that reads that way."""
    found: dict[tuple[str, bool], str] = {}
    for name, relation in ontology.relations.items():
        found.setdefault((relation.iri, relation.inverse), name)
        if relation.symmetric:
            found.setdefault((relation.iri, not relation.inverse), name)
    for iri, against in list(found):
        found.setdefault((iri, not against), "^" + found[iri, against])
    return found
