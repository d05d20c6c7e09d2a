"""What has to be looked at again when something is withdrawn (decision D9): computed, never decided.

Invalidation travels over explicit, accepted edges alone, and only over relations that the ontology marks as propagating
(``oam:propagates``): backwards over what depends on, is derived from, translates or implements the withdrawn object,
forwards over what it supports. Similarity, candidate edges and inferred edges never carry it (hazard 68).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pyoxigraph import NamedNode, Store

from oam_rdf.index.facets import granularities
from oam_rdf.namespaces import DCTERMS, OAM, RDF, SCHEMES, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store.walk import Edge

_TYPE, _PART = NamedNode(RDF + "type"), NamedNode(DCTERMS + "isPartOf")
_STATE, _STATUS = NamedNode(OAM + "epistemicState"), NamedNode(OAM + "versionStatus")
_SAME = NamedNode(OAM + "sameClaimAs")
_REFUTED = concept("epistemic-state", "REFUTED")
_GONE = ("SUPERSEDED", "DEPRECATED")
_UNSTATED = ("/inferred", "/provenance", "/history")


@dataclass(frozen=True, slots=True)
class Dependant:
    """An object that rests on a withdrawn one. ``path`` is one shortest way from there, edge by edge as stated.

    ``alternatives`` are edges by which it, or what it rests on, is upheld by something that still stands.
    """

    iri: str
    path: tuple[Edge, ...]
    alternatives: tuple[Edge, ...] = ()

    @property
    def depth(self) -> int:
        return len(self.path)


@dataclass(frozen=True, slots=True)
class Impact:
    """``withdrawn`` says by which status the cause no longer stands ("" = it does); ``seeds`` are it and its parts."""

    cause: str
    withdrawn: str
    seeds: tuple[str, ...]
    dependants: tuple[Dependant, ...]
    counts: Mapping[int, int] = field(default_factory=dict)  # distance in hops -> dependants


@lru_cache(maxsize=4)
def propagating(ontology: Ontology) -> Mapping[str, str]:
    """Property -> ``backward`` or ``forward``; a relation travels as the broader one that it implies."""
    marks = {relation.iri: relation.propagates for relation in ontology.relations.values() if relation.propagates}
    found = dict(marks)
    for relation in ontology.relations.values():
        for broader in sorted(relation.super_properties):
            if broader in marks:
                found.setdefault(relation.iri, marks[broader])
    return found


def impact(store: Store, cause: str, ontology: Ontology | None = None) -> Impact:
    """Everything that rests on ``cause`` (an IRI) or a part of it, near first, ties by IRI. Each object is met once, so
    cycles end."""
    return _Walk(store, ontology or Ontology.load()).run(cause)


def withdrawn(store: Store, iri: str, ontology: Ontology | None = None) -> str:
    """REFUTED, SUPERSEDED or DEPRECATED, where the object or a whole that it is part of is so; "" if it stands."""
    ontology = ontology or Ontology.load()
    node: Any = NamedNode(iri)
    for name in (
        q.object.value for q in store.quads_for_pattern(node, _STATE, None, None) if isinstance(q.object, NamedNode)
    ):
        if _REFUTED in (name, *ontology.broader.get(name, ())):
            return "REFUTED"
    seen = set()
    while node is not None and node not in seen:
        seen.add(node)
        statuses = {
            quad.object.value.removeprefix(SCHEMES["version-status"])  # type: ignore[union-attr]
            for quad in store.quads_for_pattern(node, _STATUS, None, None)
        }
        if found := next((status for status in _GONE if status in statuses), ""):
            return found
        node = next((quad.object for quad in store.quads_for_pattern(node, _PART, None, None)), None)
    return ""


class _Walk:
    def __init__(self, store: Store, ontology: Ontology) -> None:
        self.store, self.ontology = store, ontology
        self.ways = [(NamedNode(iri), way) for iri, way in sorted(propagating(ontology).items())]
        self.classes = granularities(ontology)
        self._objects: dict[str, bool] = {}

    def run(self, cause: str) -> Impact:
        seeds = self._with_parts(cause)
        came = set(seeds)
        first: dict[str, Edge] = {}
        frontier = list(seeds)
        order: list[str] = []
        while frontier:
            found: dict[str, Edge] = {}
            for node in frontier:
                for edge in self._onward(node):
                    if edge.target not in came and self._is_object(edge.target):
                        found[edge.target] = min(edge, found.get(edge.target, edge))
            frontier = sorted(found)
            came.update(found)
            first.update(found)
            order += frontier
        dependants = []
        counts: dict[int, int] = {}
        paths: dict[str, tuple[Edge, ...]] = dict.fromkeys(seeds, ())
        for iri in order:
            edge = first[iri]
            paths[iri] = (*paths[edge.source], edge)
            counts[len(paths[iri])] = counts.get(len(paths[iri]), 0) + 1
            dependants.append(Dependant(iri, paths[iri], tuple(self._alternatives(iri, edge, came))))
        return Impact(cause, withdrawn(self.store, cause, self.ontology), tuple(seeds), tuple(dependants), counts)

    def _with_parts(self, cause: str) -> list[str]:
        """The cause and everything that is part of it: what is withdrawn whole takes its parts with it (decision D10)."""
        found, todo = {cause: None}, [cause]
        while todo:
            for quad in self.store.quads_for_pattern(None, _PART, NamedNode(todo.pop()), None):
                part = quad.subject.value if isinstance(quad.subject, NamedNode) else ""
                if part and part not in found:
                    found[part] = None
                    todo.append(part)
        return [cause, *sorted(found.keys() - {cause})]

    def _onward(self, iri: str) -> Iterator[Edge]:
        node = NamedNode(iri)
        for relation, way in self.ways:
            if way == "backward":
                for subject in self._stated(None, relation, node):
                    yield Edge(subject, relation.value, iri, against=True)
            else:
                for target in self._stated(node, relation, None):
                    yield Edge(iri, relation.value, target)

    def _stated(self, subject: NamedNode | None, relation: NamedNode, target: NamedNode | None) -> Iterable[str]:
        """The open ends of the edges that some document states."""
        for quad in self.store.quads_for_pattern(subject, relation, target, None):
            graph = quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else ""
            other = quad.subject if subject is None else quad.object
            if isinstance(other, NamedNode) and not any(part in graph for part in _UNSTATED):
                yield other.value

    def _is_object(self, iri: str) -> bool:
        if iri not in self._objects:
            types = self.store.quads_for_pattern(NamedNode(iri), _TYPE, None, None)
            self._objects[iri] = any(str(getattr(quad.object, "value", "")) in self.classes for quad in types)
        return self._objects[iri]

    def _alternatives(self, iri: str, edge: Edge, affected: set[str]) -> Iterator[Edge]:
        """What upholds an object beside the path: other supporters, and twins of the claim that it was reached from."""
        node, before = NamedNode(iri), NamedNode(edge.source)
        found = set()
        for relation, way in self.ways:
            if way == "forward":
                found |= {Edge(other, relation.value, iri) for other in self._stated(None, relation, node)}
        found |= {Edge(edge.source, _SAME.value, twin) for twin in self._stated(before, _SAME, None)}
        found |= {Edge(twin, _SAME.value, edge.source, against=True) for twin in self._stated(None, _SAME, before)}
        for one in sorted(found):
            other = one.subject if one.object == iri else one.target
            if other not in affected and self._is_object(other) and not withdrawn(self.store, other, self.ontology):
                yield one
