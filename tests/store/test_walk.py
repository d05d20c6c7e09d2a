"""The walker reaches what SPARQL's ``step+`` reaches, with routes, and stops on cycles (hazards 54, 55)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.ontology import Ontology
from oam_rdf.paths import Alternative, Inverse, Path, Predicate, Sequence
from oam_rdf.store.walk import Edge, components, step, walk

E = "http://e.x/"
GRAPH = NamedNode("http://e.x/graph/D/assertion")


def store_of(edges: list[tuple[str, str, str]], graph: NamedNode = GRAPH) -> Store:
    store = Store()
    store.extend(Quad(NamedNode(E + s), NamedNode(E + p), NamedNode(E + o), graph) for s, p, o in edges)
    return store


def chain(n: int) -> list[tuple[str, str, str]]:
    return [(f"v{i + 1:05d}", "sup", f"v{i:05d}") for i in range(n)]


SUP, DEP = Predicate(E + "sup"), Predicate(E + "dep")
names = st.sampled_from([f"n{i}" for i in range(7)])
edge_lists = st.lists(st.tuples(names, st.sampled_from(["sup", "dep", "sub"]), names), max_size=24)
leaves = st.sampled_from([SUP, DEP, Predicate(E + "sub")])
paths: st.SearchStrategy[Path] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(Inverse),
        st.lists(inner, min_size=1, max_size=3).map(lambda p: Alternative(tuple(p))),
        st.lists(inner, min_size=1, max_size=2).map(lambda p: Sequence(tuple(p))),
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(edge_lists, paths, names)
def test_reaches_exactly_what_the_sparql_path_reaches(
    edges: list[tuple[str, str, str]], path: Path, start: str
) -> None:
    store = store_of(edges)
    found = walk(store, E + start, path)
    query = f"SELECT DISTINCT ?o {{ <{E}{start}> ({path.to_sparql()})+ ?o }}"
    oracle = {str(row[0].value) for row in store.query(query, use_default_graph_as_union=True)}  # type: ignore[union-attr]
    # The start is reached from itself by a cycle; the walker counts it as visited, not as an arrival.
    assert set(found.depth) == oracle - {E + start}
    assert (E + start in oracle) == any(hop.target == E + start for hop in found.hops)
    assert not found.truncated
    for node, distance in found.depth.items():
        route = found.route(node)
        assert len(route) == distance
        assert [hop.source for hop in route] == [E + start, *(hop.target for hop in route[:-1])]


@settings(max_examples=80, deadline=None)
@given(edge_lists, names)
def test_a_hop_is_a_loop_exactly_if_its_source_can_be_reached_again(
    edges: list[tuple[str, str, str]], start: str
) -> None:
    store = store_of(edges)
    found = walk(store, E + start, SUP)
    loops = set(found.loops)
    for hop in found.hops:
        back = walk(store, hop.target, SUP)
        assert (hop in loops) == (hop.source == hop.target or hop.source in back.depth)


def test_cycle_self_loop_and_fork_end() -> None:
    ring = store_of([("a", "sup", "b"), ("b", "sup", "c"), ("c", "sup", "a")])
    found = walk(ring, E + "a", SUP)
    assert list(found.depth) == [E + "b", E + "c"] and len(found.loops) == 3 and found.dead_ends == ()
    itself = walk(store_of([("a", "sup", "a")]), E + "a", SUP)
    assert itself.depth == {} and len(itself.loops) == 1
    fork = walk(store_of([("x", "sup", "a"), ("y", "sup", "a")]), E + "a", Inverse(SUP))
    assert list(fork.depth) == [E + "x", E + "y"] and fork.dead_ends == (E + "x", E + "y") and fork.loops == ()


def test_three_thousand_versions_do_not_recurse() -> None:
    store = store_of(chain(3000))
    began = time.perf_counter()
    found = walk(store, E + "v03000", SUP)
    assert len(found.depth) == 3000 and max(found.depth.values()) == 3000
    assert len(found.route(E + "v00000")) == 3000
    assert time.perf_counter() - began < 5


def test_steps_and_limits_are_said() -> None:
    store = store_of(chain(10))
    two = walk(store, E + "v00000", Inverse(SUP), max_depth=2)
    assert list(two.depth.values()) == [1, 2] and two.unexpanded == (E + "v00002",) and not two.dead_ends
    cut = walk(store, E + "v00000", Inverse(SUP), max_nodes=3)
    assert cut.truncated and len(cut.depth) == 3
    star = store_of([("hub", "sup", f"n{i:03d}") for i in range(500)])
    assert walk(star, E + "hub", SUP, max_hops=100).truncated
    assert walk(store_of([]), E + "nowhere", SUP).dead_ends == (E + "nowhere",)


def test_edges_remember_their_direction() -> None:
    store = store_of([("stmt", "quoted", "span"), ("span", "source", "orig")])
    forward = Sequence((Predicate(E + "quoted"), Predicate(E + "source")))
    (hop,) = step(store, E + "stmt", forward)
    assert hop.target == E + "orig"
    assert hop.edges[0] == Edge(E + "stmt", E + "quoted", E + "span")
    (back,) = step(store, E + "orig", Inverse(forward))
    assert back.target == E + "stmt" and all(edge.against for edge in back.edges)
    assert [edge.source for edge in back.edges] == [E + "orig", E + "span"]


def test_literals_and_provenance_graphs_are_not_walked() -> None:
    store = store_of([("a", "sup", "b")])
    store.add(Quad(NamedNode(E + "a"), NamedNode(E + "sup"), Literal("text"), GRAPH))
    for name in ("provenance", "provenance/internal", "history"):
        graph = NamedNode(f"http://e.x/graph/D/{name}")
        store.add(Quad(NamedNode(E + "a"), NamedNode(E + "sup"), NamedNode(E + "g"), graph))
    assert list(walk(store, E + "a", SUP).depth) == [E + "b"]


def test_paths_cross_graphs_and_repeated_edges_count_once() -> None:
    store = store_of([("a", "sup", "b")])
    for graph in ("http://e.x/graph/E/assertion", "http://e.x/graph/F/inferred"):
        store.extend(
            Quad(NamedNode(E + s), NamedNode(E + "sup"), NamedNode(E + o), NamedNode(graph))
            for s, o in (("a", "b"), ("b", "c"))
        )
    found = walk(store, E + "a", SUP)
    assert list(found.depth) == [E + "b", E + "c"] and len(found.hops) == 2


def test_what_is_not_admitted_is_nowhere() -> None:
    store = store_of([("a", "sup", "secret"), ("secret", "sup", "b"), ("a", "sup", "c")])
    found = walk(store, E + "a", SUP, admits=lambda iri: "secret" not in iri)
    assert list(found.depth) == [E + "c"]
    assert not any("secret" in text for text in (str(found.hops), str(found.dead_ends), str(found.loops)))
    inner = Sequence((SUP, SUP))
    assert step(store, E + "a", inner, lambda iri: "secret" not in iri) == []


@pytest.mark.parametrize("name", sorted(Ontology.load().directions))
def test_every_shipped_direction_can_be_walked(name: str) -> None:
    way = Ontology.load().directions[name]
    assert walk(store_of([("a", "sup", "b")]), E + "a", way.step).depth == {}


def test_components_by_hand() -> None:
    found = components({"a": []}, [("a", "b"), ("b", "a"), ("b", "c"), ("d", "d")])
    assert found["a"] == found["b"] != found["c"]
    assert len({found["a"], found["c"], found["d"]}) == 3
