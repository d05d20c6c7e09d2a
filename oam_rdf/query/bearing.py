"""What bears on a claim: evidence that it has, what supports, tests or verifies it, what contradicts it, each with its spans.

``supporting`` and ``contradicting`` follow from the relation and the recorded outcome: a test that failed contradicts, one
that ended without deciding, or has not ended, is ``undecided``. A claim's other statements (``same_claim_as``) lend theirs,
and say so. Nothing is weighed into one number (decision D5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.errors import OamError
from oam_rdf.namespaces import OAM
from oam_rdf.query.edges import Edges
from oam_rdf.query.evidence import evidence_of, notation
from oam_rdf.query.pairs import NOWHERE, pairs
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.source import Quote, source
from oam_rdf.store.walk import Edge

STANCES = ("supporting", "contradicting", "undecided")
_FOR, _AGAINST, _OPEN = STANCES
#: Property -> what it means for the claim that it points to; those that imply it count too.
_RELATIONS = {"supports": _FOR, "tests": _FOR, "contradicts": _AGAINST, "critiques": _AGAINST}
_BY_OUTCOME = {"passed": _FOR, "failed": _AGAINST, "inconclusive": _OPEN, "pending": _OPEN}
_QUOTED = 200  # items whose spans are read
_SPANS = 3  # of each
_SAME = 50  # other statements of the claim


@dataclass(frozen=True, slots=True)
class Item:
    """``relation``: how it bears on the claim, read from the item (``has_evidence`` from the claim). ``kind`` and ``outcome``
    are notations, "" where none is recorded. ``via``: the statement of the same claim that it belongs to, "" for the claim
    itself. ``reference``: a work cited as evidence, as the source words it."""

    stance: str
    relation: str
    id: str
    iri: str
    title: str
    kind: str
    outcome: str
    epistemic_state: str
    verification: str
    confidence: float | None
    verdict: str
    reference: str
    artifact: bool
    via: str
    original: str
    path: str
    spans: tuple[Quote, ...]

    def to_json(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "spans": [quote.to_json() for quote in self.spans]}


@dataclass(frozen=True, slots=True)
class Bearing:
    """Evidence of one claim by stance, then kind, then id. ``own`` are the passages that the claim itself quotes."""

    id: str
    title: str
    epistemic_state: str
    verification: str
    items: tuple[Item, ...]
    own: tuple[Quote, ...]

    def count(self, stance: str) -> int:
        return sum(item.stance == stance for item in self.items)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "epistemic_state": self.epistemic_state,
            "verification": self.verification,
            "counts": {stance: self.count(stance) for stance in STANCES},
            "by_kind": {kind: dict(sorted(outcomes.items())) for kind, outcomes in sorted(self.by_kind().items())},
            "items": [item.to_json() for item in self.items],
            "own": [quote.to_json() for quote in self.own],
        }

    def by_kind(self) -> dict[str, Counter[str]]:
        """Kind of evidence -> outcome -> how many; "" where none is recorded."""
        found: dict[str, Counter[str]] = {}
        for item in self.items:
            found.setdefault(item.kind, Counter())[item.outcome] += 1
        return found


def bearing(snapshot: Snapshot, identifier: str, *, stance: str = "", kind: str = "", outcome: str = "") -> Bearing:
    """What bears on the object called ``identifier``; ``stance``, ``kind`` and ``outcome`` choose among it.

    :raises NotFound: if there is no such object, or it may not be seen.
    """
    row = resolve(snapshot, identifier)
    facets = snapshot.facets
    gathered = _Gathered(snapshot)
    items = {item.iri + item.relation + item.via: item for item in gathered.around(row)}
    chosen = sorted(items.values(), key=lambda item: (STANCES.index(item.stance), item.kind, item.id))
    for attribute, wanted in (("stance", stance), ("kind", kind), ("outcome", outcome)):
        if wanted:
            chosen = [item for item in chosen if getattr(item, attribute).casefold() == wanted.casefold()]
    return Bearing(
        id=facets.identifiers[row] or facets.iris[row],
        title=facets.titles[row],
        epistemic_state=facets.column("epistemic_state")[row],
        verification=facets.column("verification")[row],
        items=tuple(chosen),
        own=gathered.spans(row)[2],
    )


class _Gathered:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.edges, self.read = snapshot, Edges(snapshot), 0
        relations = snapshot.ontology.relations.values()
        #: (property, name, stance), the narrower ones first.
        self.ways: list[tuple[str, str, str]] = []
        for name, stance in _RELATIONS.items():
            below = {
                item.iri: item.name for item in relations if OAM + name in item.super_properties and not item.inverse
            }
            self.ways += [(iri, below[iri], stance) for iri in sorted(below)]
        self.ways += [(OAM + name, name, stance) for name, stance in _RELATIONS.items()]

    def around(self, row: int) -> Iterator[Item]:
        yield from self.of(row, "")
        facets = self.snapshot.facets
        others = pairs(self.snapshot, OAM + "sameClaimAs", both=True).get(row, ())
        for other in [o for o in others if o not in (NOWHERE, row)][:_SAME]:
            yield from self.of(other, facets.identifiers[other] or facets.iris[other])

    def of(self, row: int, via: str) -> Iterator[Item]:
        iri = self.snapshot.facets.iris[row]
        seen: set[int] = set()
        for found in evidence_of(self.snapshot, row):
            stance = _BY_OUTCOME.get(found.outcome, _FOR if not found.outcome else _OPEN)
            edge = Edge(iri, OAM + "hasEvidence", found.iri)
            yield self.item(found.iri, "has_evidence", stance, edge, via, found.reference, found.artifact)
            seen.add(self.snapshot.facets.row(found.iri))  # a run that passed tests the claim as well
        for property_, name, stance in self.ways:
            joined = _inward(self.snapshot, property_).get(row, ())
            for other in joined:
                if other not in seen:
                    seen.add(other)
                    yield self.related(other, row, property_, name, stance, via)
        # Contradiction has no direction: what the claim contradicts speaks against it too.
        for other in pairs(self.snapshot, OAM + "contradicts").get(row, ()):
            if other not in seen and other not in (NOWHERE, row):
                seen.add(other)
                edge = Edge(iri, OAM + "contradicts", self.snapshot.facets.iris[other])
                yield self.item(edge.object, "contradicted_by", _AGAINST, edge, via)

    def related(self, other: int, row: int, property_: str, name: str, stance: str, via: str) -> Item:
        iris = self.snapshot.facets.iris
        edge = Edge(iris[other], property_, iris[row])
        if stance == _FOR:
            outcome = notation(self.snapshot, NamedNode(iris[other]), "outcome", "outcome")
            stance = _BY_OUTCOME.get(outcome, self.declared(other, stance))
        return self.item(iris[other], name, stance, edge, via)

    def declared(self, row: int, stance: str) -> str:
        """The stance of what tests a claim: a check that could be run, and did not pass here yet, decides nothing."""
        if row not in pairs(self.snapshot, OAM + "hasProcedure"):
            return stance
        return _FOR if any(found.outcome == "passed" for found in evidence_of(self.snapshot, row)) else _OPEN

    def item(
        self, iri: str, relation: str, stance: str, edge: Edge, via: str, reference: str = "", artifact: bool = False
    ) -> Item:
        snapshot, facets = self.snapshot, self.snapshot.facets
        row, node = facets.row(iri), NamedNode(iri)
        confidence, verdict = self.edges.judged(edge)
        original, path, spans = self.spans(row)
        return Item(
            stance=stance,
            relation=relation,
            id=(facets.identifiers[row] if row >= 0 else "") or iri,
            iri=iri,
            title=facets.titles[row] if row >= 0 else "",
            kind=notation(snapshot, node, "evidenceKind", "evidence-kind"),
            outcome=notation(snapshot, node, "outcome", "outcome"),
            epistemic_state=facets.column("epistemic_state")[row] if row >= 0 else "",
            verification=facets.column("verification")[row] if row >= 0 else "",
            confidence=confidence,
            verdict=verdict,
            reference=reference,
            artifact=artifact,
            via=via,
            original=original,
            path=path,
            spans=spans,
        )

    def spans(self, row: int) -> tuple[str, str, tuple[Quote, ...]]:
        """``(Original, path, quotes)`` of an object that is no whole document; empty where nothing can be read."""
        self.read += 1
        if row < 0 or self.read > _QUOTED or int(self.snapshot.facets.document[row]) == row:
            return "", "", ()
        try:
            view = source(self.snapshot, self.snapshot.facets.iris[row], context=0)
        except OamError:
            return "", "", ()
        return view.original, view.path, view.quotes[:_SPANS]


def _inward(snapshot: Snapshot, property_: str) -> dict[int, tuple[int, ...]]:
    """Row -> visible rows that point to it by the property."""
    key = f"inward {property_}"
    if key not in snapshot.notes:
        found: dict[int, set[int]] = {}
        for one, others in pairs(snapshot, property_).items():
            for other in others:
                if other not in (NOWHERE, one):
                    found.setdefault(other, set()).add(one)
        snapshot.notes[key] = {row: tuple(sorted(rows)) for row, rows in found.items()}
    joined: dict[int, tuple[int, ...]] = snapshot.notes[key]
    return joined
