"""What cue hits put into a plan: operators, states and evidence, relations."""

from __future__ import annotations

from dataclasses import replace

from oam_rdf.namespaces import SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.query.cues import RELATION, Hit
from oam_rdf.query.directions import relations_of
from oam_rdf.query.kinds import Kind
from oam_rdf.query.plan import Entries, Entry, Epistemic, Graph, Operator, Plan

#: Label of paper §2.1: what was once held, presented as if it held now.
HISTORICAL_AS_CURRENT = "historical_claim_as_current"
_MOST_HOPS = 3
_STANDING = ("epistemic-state", "verification", "evidence-kind", "role")
_EVIDENCE = ("tests", "verifies", "supports")


def operators(plan: Plan, hits: list[Hit], inside: list[Hit]) -> Plan:
    """Operators that the query names.

    Those written by their notation, carried by a direction's own words ("more rigorous") or related to it in the ontology
    are required, softly: what the direction arrives at should have them. Others are preferred.
    """
    onward = {hit.start for hit in hits if hit.meaning.scheme == "direction"}
    found = [hit for hit in hits if hit.meaning.scheme == "operator"]
    written = _entries([hit for hit in found if hit.meaning.sure])
    require = _first(written, _entries([hit for hit in found if hit.start in onward]))
    for entry in plan.navigation.directions if unambiguous(plan) else ():
        names = [Entry(name, f"rule:direction {entry.value}", entry.confidence) for name in _carried(entry.value)]
        require = _first(require, names)
    prefer = _entries([hit for hit in found if hit.start not in onward])
    barred = _entries([hit for hit in inside if hit.meaning.scheme == "operator"])
    return replace(plan, operator=Operator(require, _without(prefer, require), barred))


def epistemic(plan: Plan, hits: list[Hit], inside: list[Hit]) -> Plan:
    """States, verification, kinds of evidence and roles that the query prefers, and states that it excludes.

    Arrivals of a direction may be bound to roles: those are preferred too. Who asks for the newest does not want what was
    once held presented as held now.
    """
    prefer = _entries([hit for hit in hits if hit.meaning.scheme in _STANDING])
    roles = SCHEMES["role"]
    for entry in plan.navigation.directions:
        way = Ontology.load().directions.get(entry.value)
        targets = sorted(iri.removeprefix(roles) for iri in way.target if iri.startswith(roles)) if way else []
        order = ("SPECIFICATION", "CODE", "TEST_RESULT")  # as the paper lists them, any other role after them
        targets.sort(key=lambda name: order.index(name) if name in order else len(order))
        prefer = _first(prefer, [Entry(name, f"rule:direction {entry.value}", entry.confidence) for name in targets])
    exclude = _entries([hit for hit in inside if hit.meaning.scheme in ("epistemic-state", "verification")])
    newest = [e for e in plan.navigation.directions if e.value == "VERSION.LATEST"]
    if newest:
        exclude = (*exclude, Entry(HISTORICAL_AS_CURRENT, f"rule:direction {newest[0].value}", newest[0].confidence))
    return replace(plan, epistemic=Epistemic(prefer=prefer, exclude=exclude))


def relations(plan: Plan, hits: list[Hit], kind: Kind) -> Plan:
    """Relations to walk: those that are named, those of the directions, and what the type itself calls for."""
    types = (kind.primary, *kind.more)
    named: Entries = ()
    if {"RELATIONAL", "NEGATIVE", "VERSION", "DIRECTIONAL"} & set(types):
        named = _entries([hit for hit in hits if hit.meaning.scheme == RELATION])
    for entry in plan.navigation.directions if unambiguous(plan) else ():
        walked = [Entry(name, f"rule:direction {entry.value}", entry.confidence) for name in relations_of(entry.value)]
        named = _first(named, walked)
    if kind.primary == "NEGATIVE":  # paper §13.8: critique, contradiction and what took the thing's place
        named = _first(named, [Entry(n, "rule:type NEGATIVE", 0.6) for n in ("contradicts", "critiques", "supersedes")])
    if "EPISTEMIC" in types and any(hit.meaning.scheme == "evidence-kind" for hit in hits):
        named = _first(named, [Entry(name, "rule:evidence asked", 0.6) for name in _EVIDENCE])
    return replace(plan, graph=Graph(named, max(1, min(_MOST_HOPS, kind.relations))))


def unambiguous(plan: Plan) -> bool:
    """Whether no phrase stands for several of the plan's directions."""
    return len({entry.origin for entry in plan.navigation.directions}) == len(plan.navigation.directions)


def _carried(direction: str) -> list[str]:
    """Operators that the ontology relates to a direction, or that its arrivals are bound to."""
    ontology, space = Ontology.load(), SCHEMES["operator"]
    way = ontology.directions.get(direction)
    if way is None:
        return []
    near = ontology.concepts[way.iri].related | way.target
    return sorted(iri.removeprefix(space) for iri in near if iri.startswith(space))


def _entries(hits: list[Hit]) -> Entries:
    found: dict[str, Entry] = {}
    for hit in hits:
        known = found.get(hit.meaning.notation)
        if known is None or known.confidence < hit.confidence:
            found[hit.meaning.notation] = Entry(hit.meaning.notation, hit.origin, hit.confidence)
    return tuple(found.values())


def _first(entries: Entries | list[Entry], more: Entries | list[Entry]) -> Entries:
    known = {entry.value for entry in entries}
    return (*entries, *(entry for entry in more if entry.value not in known))


def _without(entries: Entries, others: Entries) -> Entries:
    known = {entry.value for entry in others}
    return tuple(entry for entry in entries if entry.value not in known)
