"""Paths between two objects over typed edges: the shortest, and the next shortest without a node twice.

Breadth first from the goal gives every node its distance; from the start the search then goes on with the unfinished path
that may become shortest (best first, as A* does), so paths come out by length. That is the order of Yen's k shortest paths
without its many searches. A clearance sees the paths of its own edges only.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from oam_rdf.errors import UsageError
from oam_rdf.index.columns import Array
from oam_rdf.index.graph_table import Graph
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot

MAX_K = 100
PUSHED = 500_000  # unfinished paths that one search looks at
LEVELS = ("auto", "object", "document")


@dataclass(frozen=True, slots=True)
class PathHop:
    """``relation``: notation, ``^`` = walked against its arrow; ``others`` join the same two as well. ``stated_by``: the part
    that states the edge, where documents are joined."""

    source: str
    target: str
    relation: str
    confidence: float
    others: tuple[str, ...]
    stated_by: str = ""

    def to_json(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "others": list(self.others)}


@dataclass(frozen=True, slots=True)
class FoundPath:
    """``nodes`` are ids, both ends included; ``confidence`` is the product of the hops'."""

    nodes: tuple[str, ...]
    hops: tuple[PathHop, ...]

    @property
    def length(self) -> int:
        return len(self.hops)

    @property
    def confidence(self) -> float:
        return float(np.prod([hop.confidence for hop in self.hops])) if self.hops else 1.0

    def to_json(self) -> dict[str, Any]:
        return {
            "nodes": list(self.nodes),
            "length": self.length,
            "confidence": round(self.confidence, 6),
            "hops": [hop.to_json() for hop in self.hops],
        }


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths from ``start`` to ``goal``, shortest first, ties by the rows of their nodes.

    ``level``: object or document, what the nodes are. ``relations`` that were walked, empty = all; ``directed``: along their
    arrows only. ``more``: there is at least one further path; ``truncated``: the size limit stopped the search before it
    found as many as were asked for.
    """

    start: str
    goal: str
    k: int
    level: str
    relations: tuple[str, ...]
    directed: bool
    paths: tuple[FoundPath, ...]
    more: bool
    truncated: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "goal": self.goal,
            "k": self.k,
            "level": self.level,
            "relations": list(self.relations),
            "directed": self.directed,
            "paths": [path.to_json() for path in self.paths],
            "more": self.more,
            "truncated": self.truncated,
        }


def paths(
    snapshot: Snapshot,
    start: str,
    goal: str,
    *,
    k: int = 1,
    relations: Sequence[str] = (),
    directed: bool = False,
    level: str = "auto",
) -> Paths:
    """The ``k`` shortest paths between two objects.

    :param relations: names of relations; those that imply them are walked too (``refines`` finds ``extends``).
    :param level: ``document`` joins documents by what their parts state too; ``auto`` does so between two documents.
    :raises NotFound: if an end does not exist or may not be seen.
    :raises UsageError: for an unknown relation or level, or a ``k`` outside of 1 to 100.
    """
    if not 1 <= k <= MAX_K:
        raise UsageError(f"k = {k}", hint=f"1 to {MAX_K}")
    if level not in LEVELS:
        raise UsageError(f"unknown level {level!r}", hint="one of " + ", ".join(LEVELS))
    ontology = snapshot.ontology
    for name in relations:
        if name not in ontology.relations:
            raise UsageError(f"unknown relation {name!r}", hint="one of " + ", ".join(sorted(ontology.relations)))
    one, other = resolve(snapshot, start), resolve(snapshot, goal)
    kinds = snapshot.facets.column("granularity")
    if level == "auto":
        level = "document" if kinds[one] == kinds[other] == "DOCUMENT" else "object"
    names = snapshot.facets.identifiers
    ends = names[one] or snapshot.facets.iris[one], names[other] or snapshot.facets.iris[other]
    graph = snapshot.graph
    if graph is None:
        return Paths(*ends, k, level, tuple(relations), directed, (), False, False)
    wanted = {ontology.relations[name].iri for name in relations}
    codes = graph.codes([item.name for item in graph.relations if ontology.relations[item.name].iri in wanted])
    documents = level == "document"
    key = f"network {directed} {documents}"
    network = snapshot.notes.get(key) if not relations else None
    if network is None:
        network = Network(graph, codes if relations else None, directed=directed, documents=documents)
    if not relations:  # few enough to be kept with the snapshot
        snapshot.notes[key] = network
    found, more, truncated = network.shortest(one, other, k)
    shown = tuple(_shown(snapshot, network, rows) for rows in found)
    return Paths(*ends, k, level, tuple(relations), directed, shown, more, truncated)


class Network:
    """The edges of a graph that may be walked, by their source. Against an arrow too unless ``directed``."""

    def __init__(
        self, graph: Graph, codes: frozenset[int] | None = None, *, directed: bool = False, documents: bool = False
    ) -> None:
        self.graph = graph
        kept = np.ones(len(graph), dtype=bool) if codes is None else np.isin(graph.relation, sorted(codes))
        self.edges = np.flatnonzero(kept)
        source, target = graph.source[self.edges].astype(np.int64), graph.target[self.edges].astype(np.int64)
        if documents:
            source, target = graph.page[source].astype(np.int64), graph.page[target].astype(np.int64)
        joins = source != target
        self.edges, source, target = self.edges[joins], source[joins], target[joins]
        against = np.zeros(len(self.edges), dtype=bool)
        if not directed:
            source, target = np.concatenate((source, target)), np.concatenate((target, source))
            self.edges, against = np.tile(self.edges, 2), np.concatenate((against, ~against))
        order = np.lexsort((self.edges, target, source))
        self.source, self.target = source[order], target[order]
        self.edges, self.against = self.edges[order], against[order]
        self.first = np.searchsorted(self.source, np.arange(graph.rows + 1))
        self.by_target = np.argsort(self.target, kind="stable")
        self.last = np.searchsorted(self.target[self.by_target], np.arange(graph.rows + 1))

    def out(self, row: int) -> list[int]:
        """Rows that an edge leads to, each once, in order."""
        rows: list[int] = np.unique(self.target[self.first[row] : self.first[row + 1]]).tolist()
        return rows

    def between(self, row: int, other: int) -> list[tuple[int, bool]]:
        """``(edge, against)`` of the edges from one row to another, the surest first."""
        low, high = int(self.first[row]), int(self.first[row + 1])
        at = low + np.flatnonzero(self.target[low:high] == other)
        pairs = zip(self.edges[at].tolist(), self.against[at].tolist(), strict=True)
        return sorted(pairs, key=lambda pair: (-float(self.graph.confidence[pair[0]]), pair[1], pair[0]))

    def distances(self, goal: int) -> Array:
        """``int64[rows]``: hops from each row to the goal, -1 = none leads there."""
        far = np.full(self.graph.rows, -1, dtype=np.int64)
        far[goal] = 0
        frontier, hops = np.array([goal], dtype=np.int64), 0
        while len(frontier):
            hops += 1
            low, counts = self.last[frontier], self.last[frontier + 1] - self.last[frontier]
            # The runs [low, low + count) of every row, one after the other.
            offsets = np.repeat(low - np.r_[0, np.cumsum(counts)[:-1]], counts) + np.arange(int(counts.sum()))
            reached = np.unique(self.source[self.by_target[offsets]])
            frontier = reached[far[reached] < 0]
            far[frontier] = hops
        return far

    def shortest(self, start: int, goal: int, k: int) -> tuple[list[list[int]], bool, bool]:
        """``(paths as rows, more, truncated)``: up to ``k`` paths without a row twice, shortest first."""
        if start == goal:
            return [[start]], False, False
        far = self.distances(goal)
        if far[start] < 0:
            return [], False, False
        found: list[list[int]] = []
        # (length it will have at least, -hops so far, number) and its tip: the deeper of equal ones ends sooner.
        heap: list[tuple[int, int, int, _Tip]] = [(int(far[start]), 0, 0, _Tip(start, None, 0, int(far[start])))]
        pushed = 1
        while heap:
            _, _, _, tip = heapq.heappop(heap)
            if tip.row == goal:
                found.append(tip.rows())
                if len(found) > k:
                    break
                continue
            for row in self.out(tip.row):
                away = int(far[row])
                if away < 0 or not tip.misses(row, away):
                    continue
                if pushed >= PUSHED:
                    return found[:k], False, True
                following = _Tip(row, tip, tip.hops + 1, min(away, tip.nearest))
                heapq.heappush(heap, (following.hops + away, -following.hops, pushed, following))
                pushed += 1
        return found[:k], len(found) > k, False


@dataclass(frozen=True, slots=True)
class _Tip:
    """The last node of an unfinished path. ``nearest``: the least distance to the goal of any of its nodes."""

    row: int
    before: _Tip | None
    hops: int
    nearest: int

    def misses(self, row: int, away: int) -> bool:
        """Whether the path has not been at a row that is ``away`` from the goal; nearer than all of it, it cannot have."""
        if away < self.nearest:
            return True
        tip: _Tip | None = self
        while tip is not None:
            if tip.row == row:
                return False
            tip = tip.before
        return True

    def rows(self) -> list[int]:
        rows, tip = [self.row], self.before
        while tip is not None:
            rows.append(tip.row)
            tip = tip.before
        return rows[::-1]


def _shown(snapshot: Snapshot, network: Network, rows: list[int]) -> FoundPath:
    facets, graph = snapshot.facets, network.graph
    name = [facets.identifiers[row] or facets.iris[row] for row in rows]
    hops = []
    for at, (row, other) in enumerate(pairwise(rows)):
        edges = network.between(row, other)
        said = [("^" if against else "") + graph.relations[int(graph.relation[edge])].name for edge, against in edges]
        edge, against = edges[0]
        states = int(graph.target[edge] if against else graph.source[edge])
        part = facets.identifiers[states] if states != row else ""
        others = tuple(dict.fromkeys(label for label in said[1:] if label != said[0]))
        hops.append(PathHop(name[at], name[at + 1], said[0], float(graph.confidence[edge]), others, part))
    return FoundPath(tuple(name), tuple(hops))
