"""Which OWL 2 profile the ontology is in, by the constructs that it uses (OWL 2 Profiles, W3C 2012).

A construct outside a profile is named, so that whoever wants EL, QL or RL sees what stands in the way. The other way
round is weaker: staying inside the listed constructs is necessary for a profile, and reported as such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Triple

from oam_rdf.namespaces import OWL, RDF, RDFS
from oam_rdf.vocabulary.source import index, of_type

# Construct -> the profiles that do not have it (for unions, universals and cardinalities: as a superclass or range,
# which is where this ontology has them).
_OUTSIDE: Mapping[str, tuple[str, ...]] = {
    "unionOf": ("EL", "QL", "RL"),
    "allValuesFrom": ("EL", "QL"),
    "someValuesFrom": ("RL",),
    "complementOf": ("EL",),
    "cardinality": ("EL", "QL", "RL"),
    "minCardinality": ("EL", "QL", "RL"),
    "maxCardinality": ("EL", "QL"),
    "qualifiedCardinality": ("EL", "QL", "RL"),
    "oneOf": ("QL", "RL"),
    "hasValue": ("QL",),
    "inverseOf": ("EL",),
    "propertyDisjointWith": ("EL",),
    "FunctionalProperty": ("EL", "QL"),
    "InverseFunctionalProperty": ("EL", "QL"),
    "SymmetricProperty": ("EL",),
    "AsymmetricProperty": ("EL",),
    "IrreflexiveProperty": ("EL",),
    "TransitiveProperty": ("QL",),
    "ReflexiveProperty": ("RL",),
    "hasKey": ("QL",),
    "propertyChainAxiom": ("QL",),
}
_FLAGS = frozenset(name for name in _OUTSIDE if name.endswith("Property") and name[0].isupper())
_CARDINALITIES = ("cardinality", "minCardinality", "maxCardinality", "qualifiedCardinality")


@dataclass(frozen=True, slots=True)
class Profile:
    """``name``: "EL", "QL", "RL" (several joined by " "), "DL" or "Full"; ``constructs``: how often each is used;
    ``outside``: profile → the constructs that leave it; ``problems``: what leaves OWL 2 DL."""

    name: str
    constructs: Mapping[str, int]
    outside: Mapping[str, tuple[str, ...]]
    problems: tuple[str, ...]


def profile(triples: Iterable[Triple]) -> Profile:
    """The OWL 2 profile of merged triples, judged by the constructs in them."""
    triples = list(triples)
    used: Counter[str] = Counter()
    for triple in triples:
        name = triple.predicate.value.removeprefix(OWL)
        if triple.predicate.value.startswith(OWL) and name in _OUTSIDE:
            used[name] += 1
        if triple.predicate.value == RDF + "type" and isinstance(triple.object, NamedNode):
            name = triple.object.value.removeprefix(OWL)
            if triple.object.value.startswith(OWL) and name in _FLAGS:
                used[name] += 1
    outside = {
        each: tuple(sorted(name for name in used if each in _OUTSIDE[name])) for each in ("EL", "QL", "RL")
    }
    problems = tuple(_outside_dl(triples))
    inside = [each for each, names in outside.items() if not names]
    return Profile("Full" if problems else " ".join(inside) or "DL", dict(used), outside, problems)


def _outside_dl(triples: list[Triple]) -> Iterable[str]:
    objects = of_type(triples, OWL + "ObjectProperty")
    data = of_type(triples, OWL + "DatatypeProperty")
    annotations = of_type(triples, OWL + "AnnotationProperty")
    for one, other in ((objects, data), (objects, annotations), (data, annotations)):
        for iri in sorted(one & other):
            yield f"{iri} is declared as two kinds of property"
    for iri in sorted(of_type(triples, OWL + "Class") & of_type(triples, RDFS + "Datatype")):
        yield f"{iri} is a class and a datatype"
    facts = index(triples)
    composite = of_type(triples, OWL + "TransitiveProperty") | {
        str(node.value)
        for node, told in facts.items()
        if isinstance(node, NamedNode) and OWL + "propertyChainAxiom" in told
    }
    simple_only = of_type(triples, OWL + "IrreflexiveProperty", OWL + "AsymmetricProperty", OWL + "FunctionalProperty")
    for told in facts.values():
        if any(OWL + name in told for name in _CARDINALITIES):
            simple_only |= {p.value for p in told.get(OWL + "onProperty", ()) if isinstance(p, NamedNode)}
    for iri in sorted(composite & simple_only):
        yield f"{iri} is transitive or a chain, and used where only a simple property may stand"
