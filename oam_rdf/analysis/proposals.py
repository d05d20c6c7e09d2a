"""What state a run that passed proposes for a claim (decision D7). A proposal changes nothing: it waits in the review queue.

Of the changes that the table allows from the claim's state, those count that this kind of evidence can bear with a pass. One
for which there is enough evidence goes before one that still lacks some; a stronger state goes before a weaker one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyoxigraph import NamedNode, Store

from oam_rdf.analysis.assess import EVIDENCE, STATE, UNTOLD, Piece, lacking, piece_of
from oam_rdf.analysis.writing import one, values
from oam_rdf.namespaces import PROV, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.store.review import instant
from oam_rdf.store.terms import TYPE, n, oam

PROPOSAL, FOR, PROPOSED = oam("StateProposal"), oam("proposesFor"), oam("proposedState")
PASSED = "passed"
_AT, INFLUENCED = n(PROV + "generatedAtTime"), n(PROV + "wasInfluencedBy")


@dataclass(frozen=True, slots=True)
class Proposal:
    """``state`` is a notation; ``missing`` says what the change still needs, "" if it could be made as things are."""

    state: str
    missing: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A stored proposal: ``about`` is the claim, ``evidence`` what the run gave."""

    node: str
    about: str
    state: str
    evidence: str
    time: str
    missing: str


def proposed(store: Store, claim: str, new: Piece, ontology: Ontology) -> Proposal | None:
    """What a piece of evidence that is about to be recorded proposes for a claim, None if nothing."""
    if new.outcome != PASSED:
        return None
    before, pieces = _before(store, claim), [*_pieces(store, claim), new]
    best: Proposal | None = None
    for name in sorted(ontology.notations("epistemic-state")):
        row = ontology.transition(before, name)
        if row is None or row.outcome != PASSED or new.kind not in row.evidence or ontology.weaker_than(name, before):
            continue
        found = Proposal(name, lacking(row, pieces))
        if best is None or _better(found, best, ontology):
            best = found
    return best


def _better(one: Proposal, other: Proposal, ontology: Ontology) -> bool:
    if bool(one.missing) != bool(other.missing):
        return not one.missing
    return ontology.weaker_than(other.state, one.state)


def waiting(store: Store, ontology: Ontology) -> Iterator[Waiting]:
    """The newest proposal for each claim, unless the claim counts as that already."""
    newest: dict[str, tuple[datetime, str]] = {}
    for quad in store.quads_for_pattern(None, TYPE, PROPOSAL, None):
        node = quad.subject
        if isinstance(node, NamedNode) and (claim := one(values(store, node, FOR))):
            when = instant(one(values(store, node, _AT))), node.value
            newest[claim] = max(newest.get(claim, when), when)
    for claim, (_, iri) in sorted(newest.items()):
        node = n(iri)
        state = one(values(store, node, PROPOSED)).removeprefix(SCHEMES["epistemic-state"])
        before = _before(store, claim)
        if state == before:
            continue
        row = ontology.transition(before, state)
        missing = lacking(row, _pieces(store, claim)) if row else f"a way from {before}: the table has none"
        yield Waiting(iri, claim, state, one(values(store, node, INFLUENCED)), one(values(store, node, _AT)), missing)


def _before(store: Store, claim: str) -> str:
    return one(values(store, n(claim), STATE)).removeprefix(SCHEMES["epistemic-state"]) or UNTOLD


def _pieces(store: Store, claim: str) -> Sequence[Piece]:
    return [piece_of(store, node) for node in values(store, n(claim), EVIDENCE)]
