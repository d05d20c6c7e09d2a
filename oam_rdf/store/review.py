"""Decisions of people on tags and proposed edges, and what they make of the quads of taggers and importers.

A decision lies in the assessment graph of its document and names what it is about by target and concept, an edge by its two
ends: never by the node, which another run may call otherwise. So it is applied wherever tags are written: when it is made,
when the document is ingested again, and when a tagger runs again. Of several decisions on one thing the latest holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.namespaces import OA, OAM, PROV, SCHEMES, concept
from oam_rdf.store.terms import ATTRIBUTED, TYPE, integer, n, oam, whole

#: Operators that stand for a word that the scheme lacks (decision D3): the word is then part of what names the tag.
OPEN_SET = ("UNKNOWN_OPERATOR", "NEW_OPERATOR_CANDIDATE", "MULTIPLE_PLAUSIBLE")
REVIEWED, REJECTED, NEEDS_REVIEW = (concept("review-status", name) for name in ("REVIEWED", "REJECTED", "NEEDS_REVIEW"))
TARGET, BODY, STATUS, LABEL = n(OA + "hasTarget"), n(OA + "hasBody"), oam("reviewStatus"), oam("sourceLabel")
HAS_OPERATOR, VERDICT, DECIDED_BY = oam("hasOperator"), oam("verdict"), oam("decidedBy")
REASON, ROUND, REVIEWS = oam("reason"), oam("round"), oam("reviews")
AT = n(PROV + "generatedAtTime")
DECISION, FLAG = oam("ReviewDecision"), oam("ReviewFlag")
_OPEN = {concept("operator", name) for name in OPEN_SET}
_OK = n(concept("verdict", "ok"))
_FIELDS = {
    OAM + name: name
    for name in (
        "reviews", "reviewKind", "reviewStatus", "aboutConcept", "changedTo", "sourceLabel", "reason", "auditVerdict",
        "auditSource", "auditTarget", "round",
    )
} | {ATTRIBUTED.value: "agent", AT.value: "time"}  # fmt: skip

Key = tuple[str, str, str]  # target, concept, word of an open-set operator


def tag_key(target: str, body: str, label: str) -> Key:
    """What names a tag whichever run made it."""
    return target, body, label if body in _OPEN else ""


@dataclass(frozen=True, slots=True)
class Decided:
    """A person's decision as stored; ``kind`` and ``verdict`` are notations, ``status`` and ``changed`` IRIs."""

    node: str
    about: str
    kind: str
    status: str
    agent: str
    time: str
    concept: str = ""
    label: str = ""
    changed: str = ""
    reason: str = ""
    verdict: str = ""
    source: str = ""
    target: str = ""
    round: int = 0


def decided(quads: Iterable[Quad]) -> list[Decided]:
    """The decisions among some quads, oldest first."""
    quads = list(quads)
    nodes = {quad.subject for quad in quads if quad.predicate == TYPE and quad.object == DECISION}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for quad in quads:
        name = _FIELDS.get(quad.predicate.value)
        if name and quad.subject in nodes and isinstance(quad.object, NamedNode | Literal):
            found[quad.subject.value][name] = quad.object.value  # type: ignore[union-attr]
    made = [_decided(node, fields) for node, fields in found.items()]
    return sorted(made, key=lambda one: (instant(one.time), one.node))


def instant(written: str) -> datetime:
    """A stored time; what is none counts as the beginning of time. Text does not do: a store drops zeros at its end."""
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _decided(node: str, said: Mapping[str, str]) -> Decided:
    return Decided(
        node, said.get("reviews", ""), said.get("reviewKind", "").removeprefix(SCHEMES["review-kind"]),
        said.get("reviewStatus", ""), said.get("agent", ""), said.get("time", ""), said.get("aboutConcept", ""),
        said.get("sourceLabel", ""), said.get("changedTo", ""), said.get("reason", ""),
        said.get("auditVerdict", "").removeprefix(SCHEMES["verdict"]), said.get("auditSource", ""),
        said.get("auditTarget", ""), whole(said.get("round", "")) or 0,
    )  # fmt: skip


def with_states(quads: Sequence[Quad], said: Iterable[Quad]) -> list[Quad]:
    """The quads of a tagger, with the state that a person gave to a statement which it makes an object again.

    ``said`` are the quads of the document's assessment graphs.
    """
    rows = _rows(said)
    persons = [row for row in rows.values() if ATTRIBUTED.value in row and OAM + "assesses" in row]
    ordered = sorted(persons, key=lambda row: instant(row[AT.value].value) if AT.value in row else instant(""))
    states = {row[OAM + "assesses"]: row[OAM + "assessedAs"] for row in ordered if OAM + "assessedAs" in row}
    state = oam("epistemicState")
    return [
        Quad(q.subject, q.predicate, states[q.subject], q.graph_name)  # type: ignore[index]
        if q.predicate == state and q.subject in states
        else q
        for q in quads
    ]


class Decisions:
    """The decisions that hold, by what they are about."""

    def __init__(self, made: Sequence[Decided]) -> None:
        #: by (target, concept, word)
        self.tags: dict[Key, Decided] = {}
        #: by (source, target)
        self.edges: dict[tuple[str, str], Decided] = {}
        #: by (kind, thing): decisions on the thing itself
        self.things: dict[tuple[str, str], Decided] = {}
        for one in made:  # oldest first: a later one takes the place of an earlier one
            if one.concept:
                self.tags[tag_key(one.about, one.concept, one.label)] = one
            elif one.verdict:
                self.edges[one.source, one.target] = one
            else:
                self.things[one.kind, one.about] = one

    @staticmethod
    def of(quads: Iterable[Quad]) -> Decisions:
        return Decisions(decided(quads))

    def __bool__(self) -> bool:
        return bool(self.tags or self.edges or self.things)

    def applied(self, quads: Sequence[Quad]) -> list[Quad]:
        """The quads as these decisions would have them: tags and proposed edges of the annotation graphs among them.

        Doing it twice changes nothing. Edges that a document's own source proposes are encoded with their verdict by the
        importer (:mod:`oam_rdf.ingest.audits`).
        """
        if not self:
            return list(quads)
        marked = [quad for quad in quads if "/annotation/" in quad.graph_name.value]  # type: ignore[union-attr]
        gone, new = self._tags(marked)
        for one, other in self._edges(marked):
            gone |= one
            new |= other
        kept = [quad for quad in quads if quad not in gone]
        return list(dict.fromkeys([*kept, *sorted(new, key=str)]))

    def _tags(self, quads: Sequence[Quad]) -> tuple[set[Quad], set[Quad]]:
        says, present = _rows(quads), set(quads)
        gone: set[Quad] = set()
        new: set[Quad] = set()
        held: dict[Quad, bool] = {}  # the short form of operator tags, and whether some tag still bears it
        for (node, graph), row in says.items():
            target, body = row.get(TARGET.value), row.get(BODY.value)
            if target is None or body is None:
                continue
            label = row.get(LABEL.value)
            one = self.tags.get(tag_key(target.value, body.value, label.value if label else ""))
            short = Quad(target, HAS_OPERATOR, body, graph)  # type: ignore[arg-type]
            if one is None:
                if short in present:
                    held[short] = True
                continue
            if STATUS.value in row:
                gone.add(Quad(node, STATUS, row[STATUS.value], graph))
            new.add(Quad(node, STATUS, n(one.status), graph))
            operator = row.get(TYPE.value) == oam("OperatorTag")
            if operator and one.status == REJECTED:
                held.setdefault(short, False)
            elif operator and not target.value.rpartition(".")[2].startswith(("rel", "edge")):
                held[short] = True
        for short, stays in held.items():
            (new if stays else gone).add(short)
        return gone - new, new

    def _edges(self, quads: Sequence[Quad]) -> Iterable[tuple[set[Quad], set[Quad]]]:
        for (node, graph), row in _rows(quads).items() if self.edges else ():
            if row.get(TYPE.value) == oam("Relation"):
                one = self.edge_of(row)
                if one is not None:
                    yield judged([q for q in quads if q.graph_name == graph], node, one)

    def edge_of(self, row: Mapping[str, NamedNode | Literal]) -> Decided | None:
        """The decision on a relation node, whichever way its property runs from what the source says it of."""
        ends = [row[name].value for name in (OAM + "relationSource", OAM + "relationTarget") if name in row]
        return (self.edges.get((ends[0], ends[1])) or self.edges.get((ends[1], ends[0]))) if len(ends) == 2 else None


def _rows(quads: Iterable[Quad]) -> dict[tuple[NamedNode, NamedNode], dict[str, NamedNode | Literal]]:
    """(node, graph) -> predicate -> value, for what is of one kind and has one value of each."""
    found: dict[tuple[NamedNode, NamedNode], dict[str, NamedNode | Literal]] = defaultdict(dict)
    for quad in quads:
        if isinstance(quad.subject, NamedNode) and isinstance(quad.graph_name, NamedNode):
            found[quad.subject, quad.graph_name][quad.predicate.value] = quad.object  # type: ignore[assignment]
    return found


def judged(quads: Iterable[Quad], node: NamedNode, one: Decided) -> tuple[set[Quad], set[Quad]]:
    """What a verdict takes from a graph and gives to it. ``quads`` are the graph's, at least those about ``node`` and its
    edge; only an edge that an earlier verdict had accepted is taken away."""
    quads = list(quads)
    own = {quad.predicate.value: quad for quad in quads if quad.subject == node}
    source, kind, target = (own[OAM + name].object for name in ("relationSource", "relationType", "relationTarget"))
    graph = own[OAM + "relationType"].graph_name
    said = {VERDICT, DECIDED_BY, REASON, ROUND}
    gone = {quad for quad in quads if quad.subject == node and quad.predicate in said}
    new = {Quad(node, VERDICT, n(concept("verdict", one.verdict)), graph), Quad(node, DECIDED_BY, n(one.node), graph)}
    if one.reason:
        new.add(Quad(node, REASON, Literal(one.reason), graph))
    if one.round:
        new.add(Quad(node, ROUND, integer(one.round), graph))
    edge = Quad(source, kind, target, graph)  # type: ignore[arg-type]
    if one.verdict == "ok":
        new.add(edge)
    elif Quad(node, VERDICT, _OK, graph) in gone:
        gone.add(edge)
    return gone - new, new - set(quads)
