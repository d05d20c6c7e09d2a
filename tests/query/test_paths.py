"""Paths between two objects are those that networkx finds, at the clearance of whoever asks."""

from __future__ import annotations

import random
from itertools import islice, pairwise

import pytest
from query_world import World, said

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.query import paths as module
from oam_rdf.query.paths import Network, paths

networkx = pytest.importorskip("networkx")


def made(world: World, edges: list[tuple[str, str, str]]) -> None:
    out: dict[str, list[tuple[str, str]]] = {}
    for source, kind, target in edges:
        out.setdefault(source, []).append((kind, target))
        out.setdefault(target, [])
    for name in sorted(out):
        world.add(name, f"Text of {name}.", relations=tuple(out[name]))


@pytest.mark.parametrize("directed", [False, True])
def test_two_hundred_random_pairs_equal_networkx(world: World, directed: bool) -> None:
    chance = random.Random(7)
    names = [f"N{n:02d}" for n in range(40)]
    kinds = ("depends_on", "supports", "uses")
    edges = {(a, chance.choice(kinds), b) for a, b in (chance.sample(names, 2) for _ in range(90))}
    # A ring with a tail beside the random part, so that some pairs are far apart and some not joined at all.
    ring = [f"R{n}" for n in range(12)]
    edges |= {(a, "depends_on", b) for a, b in pairwise([*ring, ring[0]])} | {("R0", "uses", "TAIL")}
    made(world, sorted(edges))
    snapshot = world.snapshot()
    graph = networkx.DiGraph() if directed else networkx.Graph()
    graph.add_nodes_from([*names, *ring, "TAIL"])
    graph.add_edges_from((a, b) for a, _, b in edges)
    nodes = sorted(graph)
    joined = 0
    for _ in range(200):
        one, other = chance.sample(nodes, 2)
        found = paths(snapshot, one, other, k=6, directed=directed)
        ours = [path.nodes for path in found.paths]
        theirs: list[tuple[str, ...]] = []
        if networkx.has_path(graph, one, other):
            theirs = [tuple(p) for p in islice(networkx.shortest_simple_paths(graph, one, other), 7)]
        assert found.more == (len(theirs) > 6) and not found.truncated
        assert list(map(len, ours)) == list(map(len, theirs[:6])) and len(set(ours)) == len(ours)
        # Of equally long ones either may come first, so the last length is compared by its count alone.
        longest = len(ours[-1]) if found.more else 10**9
        assert {p for p in ours if len(p) < longest} == {p for p in theirs[:6] if len(p) < longest}
        for path in ours:
            assert all(graph.has_edge(a, b) for a, b in pairwise(path)) and len(set(path)) == len(path)
        joined += bool(ours)
    assert 50 < joined < 200


@pytest.fixture
def small(world: World) -> World:
    made(world, [("A", "refines", "B"), ("B", "depends_on", "C"), ("A", "extends", "D"), ("C", "supports", "D"),
                 ("A", "cites", "B"), ("X", "uses", "Y")])  # fmt: skip
    return world


def test_relations_and_arrows(small: World) -> None:
    snapshot = small.snapshot()
    best = paths(snapshot, "A", "C", k=5)
    assert [p.nodes for p in best.paths] == [("A", "B", "C"), ("A", "D", "C")] and not best.more
    assert best.paths[0].hops[0].relation in ("refines", "cites") and len(best.paths[0].hops[0].others) == 1
    assert best.paths[1].hops[1].relation == "^supports"
    assert [p.nodes for p in paths(snapshot, "A", "C", k=5, directed=True).paths] == [("A", "B", "C")]
    # What implies a relation counts as it; an inverse name means the same edges.
    assert [p.nodes for p in paths(snapshot, "A", "D", relations=["refines"]).paths] == [("A", "D")]
    assert paths(snapshot, "A", "C", relations=["refines"]).paths == ()
    assert [p.nodes for p in paths(snapshot, "A", "C", relations=["refined_by", "required_by"]).paths] == [
        ("A", "B", "C")
    ]
    assert paths(snapshot, "A", "Y").paths == () and paths(snapshot, "C", "A", directed=True).paths == ()
    assert paths(snapshot, "A", "A").paths[0].nodes == ("A",)
    for wrong in ({"k": 0}, {"k": 101}, {"relations": ["likes"]}, {"level": "chapter"}):
        with pytest.raises(UsageError):
            paths(snapshot, "A", "C", **wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        paths(snapshot, "A", "NOBODY")


def test_documents_are_joined_by_what_their_parts_state(world: World) -> None:
    world.add("ONE", said("S", "One."), relations=(("S", "supports", "TWO#S"),))
    world.add("TWO", said("S", "Two."), relations=(("S", "depends_on", "TRE"),))
    world.add("TRE", "Three.")
    snapshot = world.snapshot()
    found = paths(snapshot, "ONE", "TRE")
    assert found.level == "document" and found.paths[0].nodes == ("ONE", "TWO", "TRE")
    assert [hop.stated_by for hop in found.paths[0].hops] == ["ONE#S", "TWO#S"]
    assert paths(snapshot, "ONE", "TRE", level="object").paths == ()
    assert paths(snapshot, "ONE#S", "TRE").paths[0].nodes == ("ONE#S", "TWO#S", "TRE")


def test_a_clearance_walks_its_own_edges(world: World) -> None:
    made(world, [("A", "uses", "C"), ("C", "uses", "D"), ("D", "uses", "Z")])
    world.add("SECRET", "hidden", visibility="INTERNAL", relations=(("uses", "A"), ("uses", "Z")))
    lengths = {c: paths(s, "A", "Z").paths[0].length for c, s in world.each_clearance().items()}
    assert (lengths["PUBLIC"], lengths["INTERNAL"]) == (3, 2)
    public = world.opened[0]
    assert public.clearance == "PUBLIC" and "SECRET" not in str(paths(public, "A", "Z", k=9).to_json())
    with pytest.raises(NotFound):
        paths(public, "A", "SECRET")


def test_the_search_is_bounded_and_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = [(f"G{x}{y}", "uses", f"G{x + dx}{y + dy}") for x in range(6) for y in range(6)
            for dx, dy in ((0, 1), (1, 0)) if x + dx < 6 and y + dy < 6]  # fmt: skip
    made(world, grid)
    snapshot = world.snapshot()
    found = paths(snapshot, "G00", "G55", k=100)
    assert {path.length for path in found.paths} == {10} and len(found.paths) == 100 and found.more
    monkeypatch.setattr(module, "PUSHED", 50)
    cut = paths(snapshot, "G00", "G55", k=100)
    assert cut.truncated and len(cut.paths) < 100


@pytest.mark.slow
def test_a_chain_of_five_thousand(world: World) -> None:
    world.add("D", *(said(f"S{n}", f"s{n}") for n in range(5_001)),
              relations=tuple((f"S{n}", "depends_on", f"D#S{n + 1}") for n in range(5_000)))  # fmt: skip
    graph = world.snapshot().graph
    assert graph is not None
    network = Network(graph)
    facets = world.opened[0].facets
    one, other = (
        facets.identifiers.index(name)
        if isinstance(facets.identifiers, list)
        else next(r for r in range(len(facets)) if facets.identifiers[r] == name)
        for name in ("D#S0", "D#S5000")
    )
    (rows,), more, truncated = network.shortest(one, other, 3)
    assert len(rows) == 5_001 and not more and not truncated
