"""Walking a navigation direction hop by hop (ontology.md, "Directions as data").

SPARQL paths return no route and cannot count hops, so the walker asks the store for one edge after another, over the
union of the graphs it holds. ``step+`` as one SPARQL path reaches the same nodes; the tests use it as oracle.
Provenance graphs are never walked: they speak of graphs, not of knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pyoxigraph import NamedNode, Store

from oam_rdf.paths import Path, branches

_MANY = 12  # properties of one hop from which all triples of a node are looked at instead
#: A run of (predicate IRI, against its direction?).
Branch = tuple[tuple[str, bool], ...]
_NOT_WALKED = re.compile(r"/(?:provenance|history)(?:/[a-z]+)?$")


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A stored triple as it was walked: ``against`` means from object to subject."""

    subject: str
    predicate: str
    object: str
    against: bool = False

    @property
    def source(self) -> str:
        """Where the walker came from."""
        return self.object if self.against else self.subject

    @property
    def target(self) -> str:
        """Where it arrived."""
        return self.subject if self.against else self.object


@dataclass(frozen=True, slots=True, order=True)
class Hop:
    """One step of the direction: one edge, or several where the step is a sequence."""

    source: str
    target: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found.

    ``depth`` maps every node reached, the start excluded, to its distance in hops, in the order of discovery: near
    first, ties by IRI. ``came_by`` is the hop of one shortest route to it. ``hops`` are all hops, ``dead_ends`` the nodes
    from which no hop leads on, ``loops`` the hops inside a cycle. ``unexpanded`` nodes lie at the step limit.
    ``truncated`` says that ``max_nodes`` or ``max_hops`` stopped the walk.
    """

    start: str
    depth: dict[str, int]
    came_by: dict[str, Hop]
    hops: tuple[Hop, ...]
    dead_ends: tuple[str, ...]
    unexpanded: tuple[str, ...]
    loops: tuple[Hop, ...]
    truncated: bool

    def route(self, node: str) -> tuple[Hop, ...]:
        """The hops of one shortest route from the start to ``node``; empty for the start itself."""
        route: list[Hop] = []
        while node != self.start:
            hop = self.came_by[node]
            route.append(hop)
            node = hop.source
        return tuple(reversed(route))


def step(
    store: Store, node: str, path: Path, admits: Callable[[str], bool] | None = None, limit: int = 100_000
) -> list[Hop]:
    """Every hop of ``path`` from ``node``, ``limit`` per branch at most, sorted by target. Literals are no targets.

    ``admits`` keeps nodes that a caller may not see out of the walk, in the middle of a sequence too (decision D16).
    """
    return _step(store, node, tuple(branches(path)), admits, limit)


def _step(
    store: Store, node: str, ways: Sequence[Branch], admits: Callable[[str], bool] | None, limit: int
) -> list[Hop]:
    found: set[Hop] = set()
    for against in (False, True):
        single = {branch[0][0] for branch in ways if len(branch) == 1 and branch[0][1] == against}
        if len(single) > _MANY:
            edges = (e for e in _any_edges(store, node, single, against) if admits is None or admits(e.target))
            found.update(Hop(node, edge.target, (edge,)) for edge in islice(edges, limit))
            ways = tuple(branch for branch in ways if len(branch) > 1 or branch[0][1] != against)
    for branch in ways:
        trails: list[tuple[Edge, ...]] = [()]
        for predicate, against in branch:
            longer = (
                (*trail, edge)
                for trail in trails
                for edge in _edges(store, trail[-1].target if trail else node, predicate, against)
                if admits is None or admits(edge.target)
            )
            trails = list(islice(longer, limit))
        found.update(Hop(node, trail[-1].target, trail) for trail in trails if trail)
    return sorted(found, key=lambda hop: (hop.target, hop.edges))


def walk(
    store: Store,
    start: str,
    path: Path,
    *,
    max_depth: int | None = None,
    max_nodes: int = 10_000,
    max_hops: int = 100_000,
    admits: Callable[[str], bool] | None = None,
) -> Walk:
    """Repeat ``path`` from ``start``, breadth first, until nothing new is met or a limit is reached.

    :param max_depth: hops at most; None = as far as it goes.
    """
    ways = tuple(branches(path))
    depth: dict[str, int] = {}
    came_by: dict[str, Hop] = {}
    hops: list[Hop] = []
    dead_ends: list[str] = []
    frontier, distance, truncated = [start], 0, False
    while frontier and not truncated and (max_depth is None or distance < max_depth):
        distance += 1
        following: list[str] = []
        for node in frontier:
            out = _step(store, node, ways, admits, max_hops)
            if not out:
                dead_ends.append(node)
            hops.extend(out)
            for hop in out:
                if hop.target != start and hop.target not in depth:
                    depth[hop.target], came_by[hop.target] = distance, hop
                    following.append(hop.target)
            if len(depth) >= max_nodes or len(hops) >= max_hops:
                truncated = True
                break
        # Discovery order within a level depends on the parents: sort, so that equal input gives equal output.
        frontier = sorted(following)
    ordered = dict(sorted(depth.items(), key=lambda item: (item[1], item[0])))
    return Walk(
        start, ordered, came_by, tuple(hops), tuple(sorted(dead_ends)), tuple(frontier), _loops(hops), truncated
    )


def _any_edges(store: Store, node: str, predicates: set[str], against: bool) -> Iterator[Edge]:
    """As :func:`_edges` for many properties: one look at all triples of the node is quicker than one for each."""
    here = NamedNode(node)
    for quad in store.quads_for_pattern(None, None, here) if against else store.quads_for_pattern(here, None, None):
        other, predicate = quad.subject if against else quad.object, quad.predicate.value
        if predicate not in predicates or not isinstance(other, NamedNode):
            continue
        if isinstance(quad.graph_name, NamedNode) and _NOT_WALKED.search(quad.graph_name.value):
            continue
        yield Edge(other.value, predicate, node, True) if against else Edge(node, predicate, other.value)


def _edges(store: Store, node: str, predicate: str, against: bool) -> Iterator[Edge]:
    here, kind = NamedNode(node), NamedNode(predicate)
    quads = store.quads_for_pattern(None, kind, here) if against else store.quads_for_pattern(here, kind, None)
    for quad in quads:
        other = quad.subject if against else quad.object
        if not isinstance(other, NamedNode):
            continue
        if isinstance(quad.graph_name, NamedNode) and _NOT_WALKED.search(quad.graph_name.value):
            continue
        yield Edge(other.value, predicate, node, True) if against else Edge(node, predicate, other.value)


def _loops(hops: list[Hop]) -> tuple[Hop, ...]:
    """Hops whose two ends lie in one strongly connected component."""
    component = components({hop.source: [] for hop in hops}, [(hop.source, hop.target) for hop in hops])
    sizes: dict[int, int] = {}
    for number in component.values():
        sizes[number] = sizes.get(number, 0) + 1
    return tuple(
        hop
        for hop in sorted(hops)
        if hop.source == hop.target
        or (component[hop.source] == component[hop.target] and sizes[component[hop.source]] > 1)
    )


def components(nodes: dict[str, list[str]], edges: list[tuple[str, str]]) -> dict[str, int]:
    """Number of the strongly connected component of every node (Tarjan's algorithm, without recursion)."""
    following: dict[str, list[str]] = {node: [] for node in nodes}
    for source, target in edges:
        following.setdefault(source, []).append(target)
        following.setdefault(target, [])
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    stack: list[str] = []
    for root in following:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(following[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, rest = work[-1]
            child = next((c for c in rest if c not in component), None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    number = index[node]
                    while True:
                        member = stack.pop()
                        component[member] = number
                        if member == node:
                            break
            elif child in index:
                low[node] = min(low[node], index[child])
            else:
                index[child] = low[child] = len(index)
                stack.append(child)
                work.append((child, iter(following[child])))
    return component
