"""What rests on a withdrawn object: equal to a naive walk on any graph, bounded on cycles, over stated edges alone."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.analysis.invalidation import Impact, impact, propagating, withdrawn
from oam_rdf.namespaces import DCTERMS, OAM, RDF, concept
from oam_rdf.ontology import Ontology

BASE = "http://oam.localhost/"
GRAPH = BASE + "graph/D/assertion"
BACKWARD, FORWARD = ("dependsOn", "derivedFrom", "translates", "implements"), ("supports",)


def ko(name: object) -> str:
    return f"{BASE}doc/D#{name}"


def node(name: object) -> NamedNode:
    return NamedNode(ko(name))


def world(edges: Iterable[tuple[object, str, object]], graph: str = GRAPH, nodes: Iterable[object] = ()) -> Store:
    store = Store()
    edges = list(edges)
    for name in {*nodes, *(end for edge in edges for end in (edge[0], edge[2]))}:
        store.add(Quad(node(name), NamedNode(RDF + "type"), NamedNode(OAM + "Statement"), NamedNode(GRAPH)))
    for source, relation, target in edges:
        store.add(Quad(node(source), NamedNode(OAM + relation), node(target), NamedNode(graph)))
    return store


def says(store: Store, subject: object, predicate: str, value: str, graph: str = GRAPH) -> None:
    store.add(Quad(node(subject), NamedNode(predicate), NamedNode(value), NamedNode(graph)))


def reached(found: Impact) -> dict[str, int]:
    return {dependant.iri.rpartition("#")[2]: dependant.depth for dependant in found.dependants}


def naive(edges: set[tuple[int, str, int]], start: int) -> dict[str, int]:
    """Distances by relaxing all edges until nothing changes."""
    steps = [(b, a) for a, r, b in edges if r in BACKWARD] + [(a, b) for a, r, b in edges if r in FORWARD]
    depth = {start: 0}
    for _ in range(len(edges) + 1):
        for one, other in steps:
            if one in depth and depth[one] + 1 < depth.get(other, 10**9):
                depth[other] = depth[one] + 1
    return {str(name): hops for name, hops in depth.items() if name != start}


_EDGES = st.sets(
    st.tuples(
        st.integers(0, 9),
        st.sampled_from((*BACKWARD, *FORWARD, "contradicts", "relatedTo", "sameClaimAs", "supersedes")),
        st.integers(0, 9),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(_EDGES, st.integers(0, 9))
def test_it_equals_a_naive_walk_on_any_graph(edges: set[tuple[int, str, int]], start: int) -> None:
    found = impact(world(edges, nodes=[start]), ko(start))
    assert reached(found) == naive(edges, start)
    stated = {(ko(a), OAM + r, ko(b)) for a, r, b in edges}
    for dependant in found.dependants:  # each path is made of stated edges, end to end
        here = ko(start)
        for edge in dependant.path:
            assert (edge.subject, edge.predicate, edge.object) in stated and edge.source == here
            here = edge.target
        assert here == dependant.iri
    assert sum(found.counts.values()) == len(found.dependants)


def test_a_long_chain_and_a_cycle_end() -> None:
    chain = [(n + 1, "dependsOn", n) for n in range(3000)]
    found = impact(world([*chain, (0, "dependsOn", 3000)]), ko(0))
    assert len(found.dependants) == 3000 and found.dependants[-1].depth == 3000


def test_only_stated_edges_of_marked_relations_carry_it() -> None:
    store = world([("b", "dependsOn", "a")])
    for graph in ("inferred", "provenance"):
        store.add(Quad(node("c"), NamedNode(OAM + "dependsOn"), node("a"), NamedNode(f"{BASE}graph/D/{graph}")))
    says(store, "c", RDF + "type", OAM + "Statement")
    # A candidate is a node without an edge.
    for name, value in (("relationSource", ko("d")), ("relationType", OAM + "dependsOn"), ("relationTarget", ko("a"))):
        says(store, "d.rel1", OAM + name, value)
    says(store, "d.rel1", OAM + "verdict", concept("verdict", "pending"))
    says(store, "d", RDF + "type", OAM + "Statement")
    assert reached(impact(store, ko("a"))) == {"b": 1}


def test_the_marks_of_the_ontology_are_those_of_the_decision() -> None:
    marks = {iri.removeprefix(OAM): way for iri, way in propagating(Ontology.load()).items()}
    assert {name for name, way in marks.items() if way == "forward"} == {"supports", "verifies"}  # which implies it
    assert set(BACKWARD) <= {name for name, way in marks.items() if way == "backward"}
    assert not {"contradicts", "supersedes", "relatedTo", "sameClaimAs"} & marks.keys()


def test_what_still_upholds_a_dependant_is_named() -> None:
    store = world(
        [("b", "dependsOn", "a"), ("s", "supports", "b"), ("gone", "supports", "b"), ("twin", "sameClaimAs", "a"),
         ("c", "dependsOn", "b"), ("b", "supports", "e"), ("c", "supports", "e")]
    )  # fmt: skip
    says(store, "gone", OAM + "versionStatus", concept("version-status", "DEPRECATED"))
    found = {d.iri.rpartition("#")[2]: d for d in impact(store, ko("a")).dependants}
    other = {
        name: {(e.subject.rpartition("#")[2], e.object.rpartition("#")[2]) for e in d.alternatives}
        for name, d in found.items()
    }
    assert other == {"b": {("s", "b"), ("twin", "a")}, "c": set(), "e": set()}  # c falls with a, so it upholds nothing


def test_a_whole_takes_its_parts_with_it_and_a_part_inherits() -> None:
    store = world([("b", "dependsOn", "part")], nodes=["doc", "sibling"])
    for part in ("part", "sibling"):
        says(store, part, DCTERMS + "isPartOf", ko("doc"))
    says(store, "doc", OAM + "versionStatus", concept("version-status", "SUPERSEDED"), f"{BASE}graph/D/inferred")
    found = impact(store, ko("doc"))
    assert reached(found) == {"b": 1} and found.withdrawn == "SUPERSEDED"
    assert withdrawn(store, ko("part")) == "SUPERSEDED" and not withdrawn(store, ko("b"))


def test_a_narrower_kind_of_refuted_counts_and_a_conjecture_stands() -> None:
    store = world([], nodes=["a", "b"])
    says(store, "a", OAM + "epistemicState", concept("epistemic-state", "REFUTED"))
    says(store, "b", OAM + "epistemicState", concept("epistemic-state", "CONJECTURE"))
    assert withdrawn(store, ko("a")) == "REFUTED" and withdrawn(store, ko("b")) == ""
