"""Moving along a direction (paper §3): hop by hop, with routes, dead ends and loops.

VERSION directions give every object up to the head in topological order by longest distance, ties by id (decision D10):
PEP-241 → 314, 345, 426, 566. Two heads, or a ring, are a VERSION_CONFLICT.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.errors import UsageError
from oam_rdf.namespaces import DCTERMS, OAM, SCHEMES
from oam_rdf.ontology import Direction, Ontology
from oam_rdf.query import evidence
from oam_rdf.query.edges import NearMiss
from oam_rdf.query.generated import barred
from oam_rdf.query.history import Copy, copies_of, value
from oam_rdf.query.loops import Loop
from oam_rdf.query.nodes import Node, called, marks, node_of, relation_of
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.versions import order
from oam_rdf.store.walk import Walk, step, walk

MAX_NODES = 10_000
#: What a check whose artifact is here and which passed counts for in the order of evidence, by its kind. A machine that checked
#: a proof is more than that somebody saw something hold in finitely many cases.
_PASSED = {"formal_proof": ("MACHINE_CHECKED",), "symbolic_check": ("MACHINE_CHECKED",)}
_SEEN = ("OBSERVATION", "EXPERIMENT")
BROAD_NODES = 2_000  # of a direction along any relation: what is farther than these is hardly related


@dataclass(frozen=True, slots=True)
class LegReport:
    """One direction of an expression: from how many ``starts`` to how many ``arrivals`` it led.

    ``dead_ends`` are starts from which it led nowhere, ``passed`` what was walked through, ``loops`` hops inside a cycle.
    """

    number: int
    direction: str
    steps: int | None
    starts: int
    arrivals: int
    dead_ends: tuple[str, ...]
    loops: tuple[tuple[str, str], ...]
    passed: tuple[str, ...]
    more: bool
    truncated: bool
    fallback: str

    def to_json(self) -> dict[str, Any]:
        values = {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}
        return {**values, "loops": [list(loop) for loop in self.loops]}


@dataclass(frozen=True, slots=True)
class Navigation:
    """Where a direction leads.

    ``nodes`` are the arrivals in order. ``route`` are their ids. ``heads`` are ends from which nothing leads on,
    ``dead_ends`` include the start if there is nowhere to go. ``loops`` are hops inside a cycle, as (from, to).
    ``passed`` are objects that were walked through but are not what the direction looks for. ``more`` says that the
    step limit, ``truncated`` that the size limit stopped the walk. ``note`` says why a walk to earlier versions is empty.
    ``legs`` report on each direction of an expression. ``near_misses`` are candidate edges that would have led on.
    ``fallback``: none, operator tags or similarity, the weakest ground that an arrival rests on. ``loop``: what a trail
    warns of, None without one.
    """

    start: str
    direction: str
    steps: int | None
    nodes: tuple[Node, ...]
    heads: tuple[str, ...]
    dead_ends: tuple[str, ...]
    loops: tuple[tuple[str, str], ...]
    branches: tuple[str, ...]
    passed: tuple[str, ...]
    conflict: str
    reason: str
    more: bool
    truncated: bool
    note: str = ""
    legs: tuple[LegReport, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    fallback: str = "none"
    loop: Loop | None = None

    @property
    def route(self) -> tuple[str, ...]:
        """Ids of the arrivals in order."""
        return tuple(node.id for node in self.nodes)

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "direction": self.direction,
            "steps": self.steps,
            "route": list(self.route),
            "nodes": [item.to_json() for item in self.nodes],
            "heads": list(self.heads),
            "dead_ends": list(self.dead_ends),
            "loops": [list(loop) for loop in self.loops],
            "branches": list(self.branches),
            "passed": list(self.passed),
            "conflict": self.conflict,
            "reason": self.reason,
            "more": self.more,
            "truncated": self.truncated,
            "note": self.note,
            "legs": [leg.to_json() for leg in self.legs],
            "near_misses": [miss.to_json() for miss in self.near_misses],
            "fallback": self.fallback,
            "loop": self.loop.to_json() if self.loop else None,
        }


def navigate(
    snapshot: Snapshot, start: str, direction: str, steps: int | None = None, *, max_nodes: int = MAX_NODES
) -> Navigation:
    """Walk ``direction`` from the object called ``start``.

    :param steps: hops at most, 1 or more; None = as far as it leads.
    :raises NotFound: if the start does not exist or may not be seen.
    :raises UsageError: for an unknown direction or a start that names several objects.
    """
    ontology = snapshot.ontology
    way = ontology.direction(direction)
    if way is None:
        known = ", ".join(sorted(ontology.directions))
        raise UsageError(f"unknown direction {direction!r}", hint=f"one of {known}")
    if steps is not None and steps < 1:
        raise UsageError(f"steps = {steps}", hint="1 or more")
    return plain(snapshot, node(snapshot, start), way, steps, max_nodes=max_nodes)[1]


def plain(
    snapshot: Snapshot, origin: str, way: Direction, steps: int | None = None, *, max_nodes: int = MAX_NODES
) -> tuple[Walk, Navigation]:
    """The walk of one direction from the IRI ``origin``, and what it says."""
    max_nodes = min(max_nodes, BROAD_NODES) if way.broad else max_nodes
    found = walk(snapshot.store, origin, way.hop, max_depth=steps, max_nodes=max_nodes, admits=snapshot.admits)
    result = Report(snapshot, snapshot.ontology, way, found, steps).result()
    return found, with_edits(snapshot, result, origin) if way.notation == "VERSION.EARLIER" else result


def with_edits(snapshot: Snapshot, found: Navigation, start: str) -> Navigation:
    """The walk with what the start itself said before it was edited, newest first. Copies are no knowledge objects of
    their own: no walk passes through them."""
    row = snapshot.facets.row(start)
    copies = copies_of(snapshot, start)[::-1] if row >= 0 else []
    if not copies:
        note = "" if found.nodes else f"no earlier version of {found.start} is kept"
        return replace(found, note=note)
    names = [f"{found.start}@{copy.mark}" for copy in copies]
    nodes = [
        Node(
            id=names[at],
            iri=copy.iri,
            title=_stored(snapshot, copy, DCTERMS + "title") or snapshot.facets.titles[row],
            granularity=snapshot.facets.column("granularity")[row],
            epistemic_state=_stored(snapshot, copy, OAM + "epistemicState").removeprefix(SCHEMES["epistemic-state"]),
            version_status="HISTORICAL",
            successors=(found.start if at == 0 else names[at - 1],),
            source_available=any(copy.originals),
            depth=at + 1,
            level=at + 1,
            route=(found.start, *names[: at + 1]),
            relations=("previousVersion",) * (at + 1),
            branch=False,
        )
        for at, copy in enumerate(copies)
    ]
    kept = [item for item in nodes if found.steps is None or item.depth <= found.steps]
    dead = tuple(name for name in found.dead_ends if name != found.start)
    return replace(
        found,
        nodes=tuple(sorted((*kept, *found.nodes), key=lambda item: (item.level, "@" not in item.id, item.id))),
        heads=tuple(sorted({*found.heads, *([names[-1]] if len(kept) == len(nodes) else [])})),
        dead_ends=dead,
        more=found.more or len(kept) < len(nodes),
    )


def _stored(snapshot: Snapshot, copy: Copy, predicate: str) -> str:
    return value(snapshot.history, NamedNode(copy.iri), predicate) if snapshot.history is not None else ""


class Report:
    """What a walk along a direction says, by ids."""

    def __init__(self, snapshot: Snapshot, ontology: Ontology, way: Direction, found: Walk, steps: int | None) -> None:
        self.snapshot, self.ontology, self.way, self.found, self.steps = snapshot, ontology, way, found, steps
        self.versions = way.notation.startswith("VERSION.")
        self.out: dict[str, set[str]] = {}
        self.into: dict[str, set[str]] = {}
        for hop in found.hops:
            self.out.setdefault(hop.source, set()).add(hop.target)
            self.into.setdefault(hop.target, set()).add(hop.source)

    def result(self) -> Navigation:
        found = self.found
        levels = self.levels() if self.versions else dict(found.depth)
        arrivals = sorted(self.arrivals(), key=lambda iri: (levels[iri], self.id(iri)))
        ends = self.ends()
        arrived = set(arrivals)
        reason = self.reason(ends)
        return Navigation(
            start=self.id(found.start),
            direction=self.way.notation,
            steps=self.steps,
            nodes=tuple(self.node(iri, levels[iri]) for iri in arrivals),
            heads=tuple(sorted(self.id(iri) for iri in ends)),
            dead_ends=tuple(self.id(iri) for iri in found.dead_ends),
            loops=tuple(sorted({(self.id(hop.source), self.id(hop.target)) for hop in found.loops})),
            branches=tuple(sorted(self.id(iri) for iri, targets in self.out.items() if len(targets) > 1)),
            passed=tuple(self.id(iri) for iri in found.depth if iri not in arrived),
            conflict="VERSION_CONFLICT" if reason else "",
            reason=reason,
            more=bool(found.unexpanded) and not found.truncated,
            truncated=found.truncated,
        )

    def reason(self, ends: list[str]) -> str:
        """Why the versions are in conflict: ``cycle``, ``fork`` or ""."""
        if not self.versions:
            return ""
        forked = len(ends) > 1 and self.way.notation != "VERSION.EARLIER"
        return "cycle" if self.found.loops else "fork" if forked else ""

    def arrivals(self) -> list[str]:
        """Nodes that the direction looks for, near first."""
        return [iri for iri in self.found.depth if self.arrives(iri)]

    def ends(self) -> list[str]:
        """Nodes from which nothing leads on, but for those that the direction never ends on."""
        found = self.found
        ends = (iri for iri in found.depth if not self.out.get(iri) and iri not in found.unexpanded)
        return [iri for iri in ends if not self.barred(iri)]

    def barred(self, iri: str) -> bool:
        return barred(self.snapshot, iri, self.way)

    def levels(self) -> dict[str, int]:
        """Longest distance from the start over the hops seen, cycles counted as one node."""
        nodes = [self.found.start, *self.found.depth]
        number = {iri: at for at, iri in enumerate(nodes)}
        edges = [(number[h.source], number[h.target]) for h in self.found.hops if h.target in number]
        levels, _ = order(list(range(len(nodes))), edges)
        return {iri: levels[number[iri]] for iri in nodes}

    def arrives(self, iri: str) -> bool:
        """Whether a node is what the direction looks for: its target filter, last step and order over states, and none of
        what it never ends on."""
        way = self.way
        if self.barred(iri):
            return False
        if way.target and not way.target & self.marks(iri):
            return False
        if way.last is not None and not self.came_by_last(iri):
            return False
        if way.order in ("stronger", "weaker", "rigorous"):
            return self.compares(iri)
        return True

    def came_by_last(self, iri: str) -> bool:
        last = self.way.last
        if last is None:
            return True
        store, admits = self.snapshot.store, self.snapshot.admits
        return any(hop.target == iri for source in self.into.get(iri, ()) for hop in step(store, source, last, admits))

    def marks(self, iri: str) -> frozenset[str]:
        return marks(self.snapshot, iri, self.ontology)

    def compares(self, iri: str) -> bool:
        here, there = self.standing(self.found.start), self.standing(iri)
        weaker = self.ontology.weaker_than
        up = any(weaker(a, b) for a in here for b in there) and not any(weaker(b, a) for a in here for b in there)
        down = any(weaker(b, a) for a in here for b in there) and not any(weaker(a, b) for a in here for b in there)
        if self.way.order == "weaker":
            return down
        return up or (self.way.order == "rigorous" and self.formal(iri) > self.formal(self.found.start))

    def standing(self, iri: str) -> list[str]:
        """State and verification of a node, and the kinds of evidence it is."""
        row = self.snapshot.facets.row(iri)
        values = []
        if row >= 0:
            values = [self.snapshot.facets.column(name)[row] for name in ("epistemic_state", "verification")]
        kinds = self.snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(OAM + "evidenceKind"), None)
        values = [v for v in values if v] + [q.object.value for q in kinds if isinstance(q.object, NamedNode)]
        if row >= 0 and self.snapshot.facets.column("granularity")[row] == "EVIDENCE_ARTIFACT":
            found = evidence.notation(self.snapshot, NamedNode(iri), "evidenceKind", "evidence-kind")
            if evidence.notation(self.snapshot, NamedNode(iri), "outcome", "outcome") == "passed":
                values += _PASSED.get(found, _SEEN)
        return values

    def formal(self, iri: str) -> int:
        """1 if a role of the node says that it is formal or executable."""
        formal = {SCHEMES["role"] + name for name in ("SPECIFICATION", "CODE", "FRAMEWORK")}
        formal.add(SCHEMES["operator"] + "REP.FORMALIZE")
        return int(bool(formal & self.marks(iri)))

    def id(self, iri: str) -> str:
        return called(self.snapshot, iri)

    def node(self, iri: str, level: int) -> Node:
        route = self.found.route(iri)
        return node_of(
            self.snapshot,
            iri,
            depth=self.found.depth[iri],
            level=level,
            route=(self.id(self.found.start), *(self.id(hop.target) for hop in route)),
            relations=tuple("/".join(relation_of(edge) for edge in hop.edges) for hop in route),
            branch=len(self.out.get(iri, ())) > 1,
        )
