"""Moving along a direction (paper §3): hop by hop, with routes, dead ends and loops.

VERSION directions give every object up to the head in topological order by longest distance, ties by id (decision D10):
PEP-241 → 314, 345, 426, 566. Two heads, or a ring, are a VERSION_CONFLICT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.errors import UsageError
from oam_rdf.namespaces import DCTERMS, OAM, RDF, SCHEMES
from oam_rdf.ontology import Direction, Ontology
from oam_rdf.query.history import Copy, copies_of, value
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.versions import order
from oam_rdf.store.walk import Edge, Hop, Walk, step, walk

MAX_NODES = 10_000


@dataclass(frozen=True, slots=True)
class Node:
    """An arrival. ``depth`` counts hops from the start, ``route`` are the ids on one shortest way there, both ends
    included, ``relations`` the relation of each hop (``^`` = walked against its direction). ``branch``: several ways lead
    on from here."""

    id: str
    iri: str
    title: str
    granularity: str
    epistemic_state: str
    version_status: str
    successors: tuple[str, ...]
    source_available: bool
    depth: int
    level: int
    route: tuple[str, ...]
    relations: tuple[str, ...]
    branch: bool

    def to_json(self) -> dict[str, Any]:
        return {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Navigation:
    """Where a direction leads.

    ``nodes`` are the arrivals in order. ``route`` are their ids. ``heads`` are ends from which nothing leads on,
    ``dead_ends`` include the start if there is nowhere to go. ``loops`` are hops inside a cycle, as (from, to).
    ``passed`` are objects that were walked through but are not what the direction looks for. ``more`` says that the
    step limit, ``truncated`` that the size limit stopped the walk. ``note`` says why a walk to earlier versions is empty.
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
        }


def navigate(
    snapshot: Snapshot, start: str, direction: str, steps: int | None = None, *, max_nodes: int = MAX_NODES
) -> Navigation:
    """Walk ``direction`` from the object called ``start``.

    :param steps: hops at most, 1 or more; None = as far as it leads.
    :raises NotFound: if the start does not exist or may not be seen.
    :raises UsageError: for an unknown direction or a start that names several objects.
    """
    ontology = Ontology.load()
    way = ontology.direction(direction)
    if way is None:
        known = ", ".join(sorted(ontology.directions))
        raise UsageError(f"unknown direction {direction!r}", hint=f"one of {known}")
    if steps is not None and steps < 1:
        raise UsageError(f"steps = {steps}", hint="1 or more")
    origin = node(snapshot, start)
    found = walk(snapshot.store, origin, way.step, max_depth=steps, max_nodes=max_nodes, admits=snapshot.admits)
    result = _Report(snapshot, ontology, way, found, steps).result()
    return with_edits(snapshot, result, origin) if way.notation == "VERSION.EARLIER" else result


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


class _Report:
    def __init__(self, snapshot: Snapshot, ontology: Ontology, way: Direction, found: Walk, steps: int | None) -> None:
        self.snapshot, self.ontology, self.way, self.found, self.steps = snapshot, ontology, way, found, steps
        self.versions = way.notation.startswith("VERSION.")
        self.out: dict[str, set[str]] = {}
        for hop in found.hops:
            self.out.setdefault(hop.source, set()).add(hop.target)

    def result(self) -> Navigation:
        found = self.found
        levels = self.levels() if self.versions else dict(found.depth)
        arrivals = [iri for iri in found.depth if self.arrives(iri)]
        if self.versions:
            arrivals.sort(key=lambda iri: (levels[iri], self.id(iri)))
        else:
            arrivals.sort(key=lambda iri: (found.depth[iri], self.id(iri)))
        ends = [iri for iri in found.depth if not self.out.get(iri) and iri not in found.unexpanded]
        conflict = reason = ""
        if self.versions and self.way.notation != "VERSION.EARLIER":
            reason = "cycle" if found.loops else "fork" if len(ends) > 1 else ""
        elif self.versions and found.loops:
            reason = "cycle"
        conflict = "VERSION_CONFLICT" if reason else ""
        return Navigation(
            start=self.id(found.start),
            direction=self.way.notation,
            steps=self.steps,
            nodes=tuple(self.node(iri, levels[iri]) for iri in arrivals),
            heads=tuple(sorted(self.id(iri) for iri in ends)),
            dead_ends=tuple(self.id(iri) for iri in found.dead_ends),
            loops=tuple(sorted({(self.id(hop.source), self.id(hop.target)) for hop in found.loops})),
            branches=tuple(sorted(self.id(iri) for iri, targets in self.out.items() if len(targets) > 1)),
            passed=tuple(self.id(iri) for iri in found.depth if iri not in set(arrivals)),
            conflict=conflict,
            reason=reason,
            more=bool(found.unexpanded) and not found.truncated,
            truncated=found.truncated,
        )

    def levels(self) -> dict[str, int]:
        """Longest distance from the start over the hops seen, cycles counted as one node."""
        nodes = [self.found.start, *self.found.depth]
        number = {iri: at for at, iri in enumerate(nodes)}
        edges = [(number[h.source], number[h.target]) for h in self.found.hops if h.target in number]
        levels, _ = order(list(range(len(nodes))), edges)
        return {iri: levels[number[iri]] for iri in nodes}

    def arrives(self, iri: str) -> bool:
        """Whether a node is what the direction looks for: its target filter, last step and order over states."""
        way = self.way
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
        sources = [hop.source for hop in self.found.hops if hop.target == iri]
        return any(h.target == iri for s in sources for h in step(self.snapshot.store, s, last, self.snapshot.admits))

    def marks(self, iri: str) -> frozenset[str]:
        """Classes (with superclasses), roles and operators that a node carries."""
        found: set[str] = set()
        for predicate in (RDF + "type", OAM + "hasRole", OAM + "hasOperator", OAM + "evidenceKind"):
            for quad in self.snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(predicate), None):
                if isinstance(quad.object, NamedNode):
                    found.add(quad.object.value)
                    found |= self.ontology.superclasses.get(quad.object.value, frozenset())
                    found |= self.ontology.broader.get(quad.object.value, frozenset())
        return frozenset(found)

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
        return [v for v in values if v] + [q.object.value for q in kinds if isinstance(q.object, NamedNode)]

    def formal(self, iri: str) -> int:
        """1 if a role of the node says that it is formal or executable."""
        formal = {SCHEMES["role"] + name for name in ("SPECIFICATION", "CODE", "FRAMEWORK")}
        formal.add(SCHEMES["operator"] + "REP.FORMALIZE")
        return int(bool(formal & self.marks(iri)))

    def id(self, iri: str) -> str:
        row = self.snapshot.facets.row(iri)
        return (self.snapshot.facets.identifiers[row] if row >= 0 else "") or self.short(iri)

    def short(self, iri: str) -> str:
        """How a node that is no object is called: its title or citation, else what follows the base."""
        for predicate in (DCTERMS + "title", DCTERMS + "bibliographicCitation", DCTERMS + "identifier"):
            for quad in self.snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(predicate), None):
                if not isinstance(quad.object, NamedNode):
                    return str(getattr(quad.object, "value", iri))
        return iri.rpartition("/original/")[2] if "/original/" in iri else iri

    def node(self, iri: str, level: int) -> Node:
        snapshot, facets = self.snapshot, self.snapshot.facets
        row = facets.row(iri)
        route: tuple[Hop, ...] = self.found.route(iri)
        known = row >= 0
        return Node(
            id=self.id(iri),
            iri=iri,
            title=facets.titles[row] if known else "",
            granularity=facets.column("granularity")[row] if known else _kind(self.marks(iri)),
            epistemic_state=facets.column("epistemic_state")[row] if known else "",
            version_status=snapshot.version_status[row] if known else "",
            successors=self.successors(row) if known else (),
            source_available=bool(facets.has_original[row]) if known else "/original/" in iri,
            depth=self.found.depth[iri],
            level=level,
            route=(self.id(self.found.start), *(self.id(hop.target) for hop in route)),
            relations=tuple("/".join(_relation(edge) for edge in hop.edges) for hop in route),
            branch=len(self.out.get(iri, ())) > 1,
        )

    def successors(self, row: int) -> tuple[str, ...]:
        new, old = self.snapshot.edges
        return tuple(sorted(self.snapshot.facets.identifiers[int(r)] for r in new[old == row]))


def _relation(edge: Edge) -> str:
    return ("^" if edge.against else "") + edge.predicate.rpartition("#")[2].rpartition("/")[2]


def _kind(marks: frozenset[str]) -> str:
    names: Mapping[str, str] = {
        OAM + "Original": "ORIGINAL", OAM + "SourceSpan": "SOURCE_SPAN", OAM + "ExternalWork": "EXTERNAL_WORK",
        OAM + "EvidenceArtifact": "EVIDENCE_ARTIFACT",
    }  # fmt: skip
    return next((name for iri, name in sorted(names.items()) if iri in marks), "")
