"""What is said about edges: confidences and verdicts of those walked, and candidates that were not.

A relation node beside an edge says how sure its author is and how an audit judged it (ontology.md). A node whose verdict is
not ``ok`` has no edge; it is shown as a near miss and never walked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.namespaces import OAM, SCHEMES
from oam_rdf.paths import Path, branches
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.walk import Edge

ACCEPTED = "ok"
REFUSED = ("pending", "weak", "wrong")  # verdicts without an edge
_NODES = 2_000  # relation nodes of one object that are read
_SOURCE, _TARGET = NamedNode(OAM + "relationSource"), NamedNode(OAM + "relationTarget")


@dataclass(frozen=True, slots=True)
class RouteHop:
    """One edge as it was walked, by the ids of its ends. ``relation``: local name, ``^`` = against its direction.

    ``confidence`` in [0, 1], None where nobody gave one; ``verdict`` of its audit, "" where there was none. ``leg``: number
    of the direction that walked it, from 1. ``fallback``: ``none`` for a typed edge.
    """

    source: str
    target: str
    relation: str
    confidence: float | None
    verdict: str
    leg: int
    fallback: str = "none"

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Way:
    """A route from the start to an arrival over all legs. ``confidence``: the product of those that are given."""

    route: tuple[str, ...]
    hops: tuple[RouteHop, ...]

    @property
    def confidence(self) -> float:
        sure = 1.0
        for hop in self.hops:
            sure *= 1.0 if hop.confidence is None else hop.confidence
        return sure

    def to_json(self) -> dict[str, Any]:
        return {
            "route": list(self.route),
            "confidence": round(self.confidence, 6),
            "edges": [hop.to_json() for hop in self.hops],
        }


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A candidate edge that would have led from ``source`` to ``target``. ``note`` says why it was not walked."""

    source: str
    target: str
    title: str
    relation: str
    verdict: str
    confidence: float | None
    reason: str
    leg: int

    @property
    def note(self) -> str:
        pending = self.verdict == "pending"
        return "candidate edge, not audited" if pending else f"candidate edge, judged {self.verdict}"

    def to_json(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in self.__slots__}, "note": self.note}


@dataclass(frozen=True, slots=True)
class _Said:
    relation: str
    source: str
    target: str
    verdict: str
    confidence: float | None
    reason: str


class Edges:
    """Reads relation nodes of one snapshot, each object's once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        relations = snapshot.ontology.relations.values()
        #: Property -> itself and all that it implies: a node of ``extends`` speaks of the edge ``refines`` too.
        self._above = {item.iri: item.super_properties | {item.iri} for item in relations}
        self._read: dict[tuple[str, bool], list[_Said]] = {}

    def judged(self, edge: Edge) -> tuple[float | None, str]:
        """``(confidence, verdict)`` of an edge: of the surest node that accepts it, else of one that does not judge."""
        said = [item for item in self._nodes(edge.subject, False) if self._means(item, edge)]
        accepted = [item for item in said if item.verdict == ACCEPTED] or [i for i in said if not i.verdict] or said
        if not accepted:
            return None, ""
        best = max(accepted, key=lambda item: (item.confidence is not None, item.confidence or 0.0))
        return best.confidence, best.verdict

    def near_misses(self, nodes: Iterable[str], step: Path, leg: int, limit: int) -> Iterator[_Miss]:
        """Candidates whose edge would begin the step from one of the nodes, ``limit`` at most, in order of the nodes."""
        first = sorted({branch[0] for branch in branches(step)})
        return islice(self._missed(nodes, first, leg), limit)

    def _missed(self, nodes: Iterable[str], first: list[tuple[str, bool]], leg: int) -> Iterator[_Miss]:
        store, admits = self.snapshot.store, self.snapshot.admits
        told: set[tuple[str, str, str]] = set()
        for node in nodes:
            for predicate, against in first:
                for item in sorted(self._nodes(node, against), key=lambda s: (s.target, s.source, s.relation)):
                    other = item.source if against else item.target
                    if item.verdict not in REFUSED or predicate not in self._above.get(item.relation, {item.relation}):
                        continue
                    ends = NamedNode(item.source), NamedNode(predicate), NamedNode(item.target)
                    if other == node or not admits(other) or next(store.quads_for_pattern(*ends), None) is not None:
                        continue
                    relation = _name(item.relation, against)
                    if (node, other, relation) not in told:
                        told.add((node, other, relation))
                        yield _Miss(node, other, relation, item.verdict, item.confidence, item.reason, leg)

    def _means(self, item: _Said, edge: Edge) -> bool:
        return item.target == edge.object and edge.predicate in self._above.get(item.relation, {item.relation})

    def _nodes(self, iri: str, inward: bool) -> list[_Said]:
        """What relation nodes say that start from an object, or with ``inward`` that end on it."""
        if (iri, inward) not in self._read:
            end = _TARGET if inward else _SOURCE
            quads = self.snapshot.store.quads_for_pattern(None, end, NamedNode(iri))
            nodes = dict.fromkeys(quad.subject for quad in islice(quads, _NODES))
            self._read[iri, inward] = [said for node in nodes if (said := self._said(node)) is not None]
        return self._read[iri, inward]

    def _said(self, node: object) -> _Said | None:
        values: dict[str, str] = {}
        for quad in self.snapshot.store.quads_for_pattern(node, None, None):  # type: ignore[arg-type]
            if isinstance(quad.object, (NamedNode, Literal)):
                name = quad.predicate.value.removeprefix(OAM)
                values[name] = max(quad.object.value, values.get(name, ""))
        if not all(values.get(name) for name in ("relationType", "relationSource", "relationTarget")):
            return None
        rejected = values.get("reviewStatus", "").endswith("/REJECTED")
        verdict = "wrong" if rejected else values.get("verdict", "").removeprefix(SCHEMES["verdict"])
        try:
            confidence = float(values["confidence"]) if "confidence" in values else None
        except ValueError:
            confidence = None
        return _Said(
            values["relationType"], values["relationSource"], values["relationTarget"], verdict, confidence,
            values.get("reason", "") or values.get("cue", ""),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Miss:
    """A near miss by IRIs."""

    source: str
    target: str
    relation: str
    verdict: str
    confidence: float | None
    reason: str
    leg: int


def _name(predicate: str, against: bool) -> str:
    return ("^" if against else "") + predicate.rpartition("#")[2].rpartition("/")[2]
