"""Which node belongs to which: spans, tags, assessments and relation nodes to their object (ontology.md, "IRIs")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from pyoxigraph import NamedNode, Quad, Triple

from oam_rdf.namespaces import OA, OAM, PROV, RDF

# From the owner to what belongs to it, and from what belongs to its owner.
_HAS = (PROV + "wasQuotedFrom", OAM + "hasEvidence", OAM + "evidenceSpan")
_OF = (OAM + "assesses", OA + "hasTarget", OAM + "relationSource")
_DEPENDENT = frozenset(
    OAM + name for name in ("SourceSpan", "OperatorTag", "ConceptTag", "EpistemicAssessment", "Relation")
)
_TYPE, _EVIDENCE = RDF + "type", OAM + "hasEvidence"


def owners(triples: Iterable[Quad] | Iterable[Triple]) -> dict[str, str]:
    """Node -> the node it belongs to, for every dependent node among the subjects whose owner is a subject too.

    A node belongs to what its IRI names it after (``doc/D#A1.span``), else to what points at it as its span or evidence,
    else to what it is about.
    """
    dependent: set[str] = set()
    subjects: set[str] = set()
    has: dict[str, str] = {}
    about: dict[str, str] = {}
    for triple in triples:
        if not isinstance(triple.subject, NamedNode):
            continue
        subject, predicate = triple.subject.value, triple.predicate.value
        subjects.add(subject)
        if not isinstance(triple.object, NamedNode):
            continue
        value = triple.object.value
        if predicate == _TYPE and value in _DEPENDENT:
            dependent.add(subject)
        elif predicate in _HAS:
            has[value] = min(subject, has.get(value, subject))
            if predicate == _EVIDENCE and _named_after(value, {subject}):
                dependent.add(value)
        elif predicate in _OF:
            about[subject] = min(value, about.get(subject, value))
    found: dict[str, str] = {}
    for node in dependent & subjects:
        for owner in (_named_after(node, subjects), has.get(node), about.get(node)):
            if owner is not None and owner != node and owner in subjects:
                found[node] = owner
                break
    return found


def line(start: str, up: Mapping[str, str]) -> Iterator[str]:
    """A node and all above it, nearest first; ends on a cycle."""
    seen: set[str] = set()
    node: str | None = start
    while node is not None and node not in seen:
        seen.add(node)
        yield node
        node = up.get(node)


def _named_after(node: str, subjects: Set[str]) -> str | None:
    head, mark, name = node.partition("#")
    if not mark:
        return None
    # The longest first: doc/D#A1.rel1-span is of the relation node, not of the statement.
    prefixes = sorted({name.rpartition(sign)[0] for sign in ".-"}, key=len, reverse=True)
    for owner in [f"{head}#{prefix}" for prefix in prefixes if prefix] + [head]:
        if owner in subjects:
            return owner
    return None
