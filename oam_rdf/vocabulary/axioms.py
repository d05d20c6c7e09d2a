"""The logical axioms of the ontology as sentences, for people who do not read Turtle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyoxigraph import BlankNode, NamedNode, Triple

from oam_rdf.namespaces import OAM, OWL, PREFIXES, RDF, RDFS
from oam_rdf.vocabulary.source import index, plain

_FLAGS = {
    "FunctionalProperty": "has at most one value",
    "SymmetricProperty": "holds both ways",
    "AsymmetricProperty": "never holds both ways",
    "IrreflexiveProperty": "never joins a thing to itself",
    "TransitiveProperty": "is transitive",
}
_NUMBERS = {"cardinality": "exactly", "minCardinality": "at least", "maxCardinality": "at most"}

Facts = dict[object, dict[str, list[object]]]


@dataclass(frozen=True, slots=True, order=True)
class Axiom:
    """One axiom in words; ``is_taxonomy`` for a subclass or sub-property by name."""

    is_taxonomy: bool
    text: str


def axioms(triples: Iterable[Triple]) -> list[Axiom]:
    """Every axiom about terms of this vocabulary, those beyond the taxonomy first, each once, in alphabetical order."""
    facts = index(triples)
    found: set[Axiom] = set()
    for node, told in facts.items():
        if isinstance(node, NamedNode) and node.value.startswith(OAM):
            found |= set(_of_term(node, told, facts))
        elif NamedNode(OWL + "AllDisjointClasses") in told.get(RDF + "type", ()):
            names = ", ".join(_expression(member, facts) for member in _members(told[OWL + "members"][0], facts))
            found.add(Axiom(False, f"Nothing is more than one of {names}."))
    return sorted(found)


def _of_term(node: NamedNode, told: dict[str, list[object]], facts: Facts) -> Iterator[Axiom]:
    name = _expression(node, facts)
    for kind in told.get(RDF + "type", ()):
        if (flag := plain(kind).removeprefix(OWL)) in _FLAGS:
            yield Axiom(False, f"{name} {_FLAGS[flag]}.")
    for value in told.get(RDFS + "domain", ()):
        yield Axiom(False, f"Whatever {name} is said of is a {_expression(value, facts)}.")
    for value in told.get(RDFS + "range", ()):
        yield Axiom(False, f"Every value of {name} is a {_expression(value, facts)}.")
    for value in told.get(OWL + "disjointWith", ()):
        yield Axiom(False, f"No {name} is a {_expression(value, facts)}.")
    for value in told.get(OWL + "propertyDisjointWith", ()):
        yield Axiom(False, f"{name} and {_expression(value, facts)} never join the same two things.")
    for value in told.get(RDFS + "subClassOf", ()):
        if isinstance(value, BlankNode):
            yield Axiom(False, f"Every {name} has {_expression(value, facts)}.")
        else:
            yield Axiom(True, f"Every {name} is a {_expression(value, facts)}.")
    for value in told.get(RDFS + "subPropertyOf", ()):
        yield Axiom(True, f"{name} implies {_expression(value, facts)}.")


def _expression(node: object, facts: Facts) -> str:
    if isinstance(node, NamedNode):
        return f"`{short(node.value)}`"
    told = facts.get(node, {})
    if union := told.get(OWL + "unionOf"):
        return " or ".join(_expression(member, facts) for member in _members(union[0], facts))
    if one_of := told.get(OWL + "oneOf"):
        return " or ".join(
            _expression(m, facts) if isinstance(m, NamedNode) else f'"{plain(m)}"' for m in _members(one_of[0], facts)
        )
    if path := told.get(OWL + "onProperty"):
        name = _expression(path[0], facts)
        for term, words in _NUMBERS.items():
            if number := told.get(OWL + term):
                return f"{words} {plain(number[0])} {name}"
        for term, words in (("allValuesFrom", "only"), ("someValuesFrom", "some")):
            if value := told.get(OWL + term):
                return f"as {name} {words} {_expression(value[0], facts)}"
    return "an unnamed class"


def _members(node: object, facts: Facts) -> Iterator[object]:
    while node != NamedNode(RDF + "nil"):
        told = facts.get(node, {})
        yield told[RDF + "first"][0]
        node = told[RDF + "rest"][0]


def short(iri: str) -> str:
    """An IRI with one of the prefixes of ``namespaces.py``, or as it is."""
    for name, space in PREFIXES.items():
        if iri.startswith(space):
            return f"{name}:{iri.removeprefix(space)}"
    return iri
