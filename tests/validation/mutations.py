"""Graphs with one violation planted: by breaking what a shape asks of a node that is there, else by grafting the failing
example of that shape."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from oam_rdf.namespaces import RDF, SH, XSD
from oam_rdf.paths import rdf_list
from oam_rdf.store.shapes import Shapes

PLANTED = NamedNode("urn:planted:thing")
TYPE = NamedNode(RDF + "type")
Graph = frozenset[Triple]


@dataclass(frozen=True)
class Mutation:
    """``how`` says what was broken; ``focus`` is the node that must be reported ("" when the graft names it)."""

    shape: str
    how: str
    focus: str
    triples: Graph

    @property
    def text(self) -> str:
        return n_triples(self.triples)


def n_triples(triples: Graph) -> str:
    return (serialize(sorted(triples, key=str), format=RdfFormat.N_TRIPLES) or b"").decode()


def graph(text: str) -> Graph:
    return frozenset(quad.triple for quad in parse(text, format=RdfFormat.N_TRIPLES))


def reporting(shapes: Shapes) -> list[str]:
    """The shapes that can report: they have messages."""
    return sorted(node.value for node in shapes.facts if isinstance(node, NamedNode) and shapes.messages(node.value))


def mutate(shapes: Shapes, shape: str, base: Graph, failing: Sequence[str], rng: random.Random) -> Mutation | None:
    """One mutation of ``base`` that violates ``shape``; None where there is neither a node to break nor an example."""
    broken = _break(shapes, shape, base, rng)
    if broken is not None:
        return broken
    if not failing:
        return None
    return Mutation(shape, "graft", "", base | graph(rng.choice(failing)))


def _break(shapes: Shapes, shape: str, base: Graph, rng: random.Random) -> Mutation | None:
    paths = shapes.lookup(NamedNode(shape), SH + "path")
    if alternatives := _all_required(shapes, shape):
        mine = sorted(_focus(shapes, shape, base), key=str)
        if not mine:
            return None
        node = rng.choice(mine)
        kept = frozenset(t for t in base if not (t.subject == node and t.predicate in alternatives))
        return Mutation(shape, "or", node.value, kept)
    nodes = sorted({node for owner in shapes.owners(shape) for node in _focus(shapes, owner, base)}, key=str)
    if not paths or not isinstance(paths[0], NamedNode) or not nodes:
        return None
    path = paths[0]
    asked: Mapping[str, list[object]] = {
        name: shapes.lookup(NamedNode(shape), SH + name)
        for name in _BREAKERS
        if shapes.lookup(NamedNode(shape), SH + name)
    }
    rng.shuffle(nodes)
    for name in rng.sample(sorted(asked), len(asked)):
        for node in nodes[:50]:
            values = [t.object for t in base if t.subject == node and t.predicate == path]
            change = _BREAKERS[name](asked[name][0], values, shapes.lookup(NamedNode(shape), SH + "datatype"))
            if change is None:
                continue
            removed, added = change
            kept = base - {Triple(node, path, value) for value in removed}
            return Mutation(shape, name, node.value, kept | {Triple(node, path, value) for value in added})
    return None


def _all_required(shapes: Shapes, shape: str) -> set[NamedNode]:
    """The predicates of a shape that asks for at least one value of one of them; {} for any other kind of sh:or."""
    found: set[NamedNode] = set()
    for members in shapes.lookup(NamedNode(shape), SH + "or"):
        for member in rdf_list(members, shapes.lookup):
            paths = shapes.lookup(member, SH + "path")
            asks = shapes.lookup(member, SH + "minCount") or shapes.lookup(member, SH + "qualifiedMinCount")
            if not asks or not paths or not isinstance(paths[0], NamedNode):
                return set()
            found.add(paths[0])
    return found


def _focus(shapes: Shapes, owner: str, base: Graph) -> set[NamedNode]:
    def aimed(name: str) -> set[str]:
        return {t.value for t in shapes.lookup(NamedNode(owner), SH + name) if isinstance(t, NamedNode)}

    classes, subjects = aimed("targetClass"), aimed("targetSubjectsOf")
    assert shapes.ontology is not None
    above = shapes.ontology.superclasses
    return {
        t.subject
        for t in base
        if isinstance(t.subject, NamedNode)
        and (
            t.predicate.value in subjects
            or (
                t.predicate == TYPE
                and isinstance(t.object, NamedNode)
                and ({t.object.value, *above.get(t.object.value, ())} & classes)
            )
        )
    }


Change = tuple[Sequence[object], Sequence[object]] | None


def _other(value: object) -> object:
    if not isinstance(value, Literal):
        return PLANTED
    if value.language:
        return Literal(value.value + " planted", language=value.language)
    if value.datatype.value in (XSD + "integer", XSD + "decimal"):
        return Literal(str(float(value.value) + 0.25 if "decimal" in value.datatype.value else int(value.value) + 1),
                       datatype=value.datatype)  # fmt: skip
    if value.datatype.value == XSD + "dateTime":
        return Literal("1901-02-03T04:05:06Z", datatype=value.datatype)
    return Literal(value.value + " planted", datatype=value.datatype)


def _typed(text: str, datatypes: Sequence[object]) -> Literal:
    kind = datatypes[0] if datatypes else None
    if kind == NamedNode(RDF + "langString"):
        return Literal(text, language="en")
    return Literal(text, datatype=kind) if isinstance(kind, NamedNode) else Literal(text)


_BREAKERS: dict[str, Callable[[object, list[object], Sequence[object]], Change]] = {
    "minCount": lambda _, values, kinds: (values, []) if values else None,
    "maxCount": lambda most, values, kinds: (
        ([], [_other(values[0])]) if values and getattr(most, "value", "") == str(len(values)) else None
    ),
    "datatype": lambda _, values, kinds: (values, [Literal("planted", datatype=NamedNode(XSD + "anyURI"))]),
    "class": lambda _, values, kinds: ([], [PLANTED]),
    "nodeKind": lambda kind, values, kinds: (values, [Literal("planted")]) if str(kind).endswith("IRI>") else None,
    "in": lambda _, values, kinds: ([], [PLANTED]),
    "node": lambda _, values, kinds: (values, [PLANTED]),
    "hasValue": lambda _, values, kinds: (values, [PLANTED]),
    "minLength": lambda _, values, kinds: ([], [_typed("", kinds)]),
    "pattern": lambda _, values, kinds: (values, [_typed("planted !", kinds)]),
    "minInclusive": lambda _, values, kinds: (values, [_typed("-1", kinds)]),
    "maxInclusive": lambda _, values, kinds: (values, [_typed("1000000000", kinds)]),
    "uniqueLang": lambda _, values, kinds: ([], [_other(values[0])]) if values else None,
    "lessThan": lambda _, values, kinds: (
        (values, [Literal("9999999", datatype=v.datatype)])
        if (v := next((v for v in values if isinstance(v, Literal) and v.datatype.value == XSD + "integer"), None))
        else None
    ),
}
