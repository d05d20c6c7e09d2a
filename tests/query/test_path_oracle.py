"""Every shipped direction walks hop by hop to what ``step+`` reaches as one SPARQL path."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.concepts import Direction
from oam_rdf.ontology import Ontology
from oam_rdf.paths import branches
from oam_rdf.store.walk import walk

E, GRAPH = "http://e.x/", NamedNode("http://e.x/graph/D/assertion")
WAYS = Ontology.load().directions
PLAIN = sorted(name for name, way in WAYS.items() if len(set(branches(way.hop))) < 20)


def edge(source: str, predicate: str, target: str) -> Quad:
    return Quad(NamedNode(source), NamedNode(predicate), NamedNode(target), GRAPH)


def reached(store: Store, start: str, way: Direction) -> set[str]:
    query = f"SELECT DISTINCT ?o {{ <{start}> ({way.hop.to_sparql()})+ ?o }}"
    return {str(row[0].value) for row in store.query(query, use_default_graph_as_union=True)}  # type: ignore[union-attr]


def agree(store: Store, start: str, way: Direction) -> int:
    """Compare, and return the number of nodes reached."""
    found = walk(store, start, way.hop)
    oracle = reached(store, start, way)
    # The start is reached from itself by a cycle; the walker counts it as visited.
    assert set(found.depth) == oracle - {start} and not found.truncated
    assert (start in oracle) == any(hop.target == start for hop in found.hops)
    assert bool(found.loops) or start not in oracle
    return len(oracle)


def predicates(way: Direction) -> list[str]:
    return sorted({iri for branch in branches(way.hop) for iri, _ in branch})


@st.composite
def graphs(draw: st.DrawFn) -> tuple[str, list[tuple[str, str, str]]]:
    """A direction and edges of its own properties: cycles, forks and self-loops come by themselves on six nodes."""
    name = draw(st.sampled_from(sorted(WAYS)))
    nodes = st.sampled_from([E + f"n{n}" for n in range(6)])
    kinds = st.sampled_from([*predicates(WAYS[name])[:8], E + "another"])  # one that the direction does not walk
    edges = draw(st.lists(st.tuples(nodes, kinds, nodes), max_size=20))
    shape = draw(st.sampled_from(["none", "ring", "fork", "self"]))
    kind = draw(kinds)
    ring = [E + f"n{n}" for n in range(4)]
    edges += {
        "ring": [(a, kind, ring[(at + 1) % 4]) for at, a in enumerate(ring)],
        "fork": [(ring[0], kind, other) for other in ring[1:]] + [(other, kind, ring[0]) for other in ring[2:]],
        "self": [(ring[0], kind, ring[0])],
    }.get(shape, [])
    return name, edges


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_random_graphs(drawn: tuple[str, list[tuple[str, str, str]]]) -> None:
    name, edges = drawn
    store = Store()
    store.extend(edge(*each) for each in edges)
    agree(store, E + "n0", WAYS[name])


@pytest.mark.parametrize("name", PLAIN)
def test_chains_of_five_thousand(name: str) -> None:
    way = WAYS[name]
    (predicate, against) = next(branch for branch in branches(way.hop) if len(branch) == 1)[0]
    store = Store()
    nodes = [f"{E}v{n:05d}" for n in range(5_001)]
    pairs = pairwise(nodes)
    store.extend(edge(b, predicate, a) if against else edge(a, predicate, b) for a, b in pairs)
    began = time.perf_counter()
    found = walk(store, nodes[0], way.hop)
    # Both ways along the edges a direction may lead; either way all are reached, the last one after 5,000 hops.
    assert set(found.depth) == set(nodes[1:]) == reached(store, nodes[0], way) - {nodes[0]}
    assert found.depth[nodes[-1]] == 5_000 == len(found.route(nodes[-1]))
    assert time.perf_counter() - began < 20
