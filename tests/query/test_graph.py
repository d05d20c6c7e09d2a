"""The graph channel: what the query names, and where its relations lead."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store
from query_world import World, said

from oam_rdf.index import graph_build
from oam_rdf.index.facets import Facets, build
from oam_rdf.index.graph_table import Graph
from oam_rdf.namespaces import DCTERMS, OAM, RDF
from oam_rdf.query.compile import compile_query
from oam_rdf.query.constrain import constrain
from oam_rdf.query.graph import DECAY, FAN, personalised, rank_by_walk, reach, recall_graph, walk_from
from oam_rdf.query.plan import Entry, Plan
from oam_rdf.query.plan import Graph as Asked
from oam_rdf.query.recall import recall
from oam_rdf.query.route import route
from oam_rdf.query.search import _ids as resolved
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import State
from oam_rdf.query.ways import Ways, mentioned, starts, ways


def entries(*values: str, hard: bool = False) -> tuple[Entry, ...]:
    return tuple(Entry(value, hard=hard) for value in values)


def run(snapshot: Snapshot, text: str, relations: Sequence[str] = (), hops: int = 1, **changes: object) -> State:
    plan = replace(compile_query(text, snapshot), graph=Asked(entries(*relations), hops), **changes)  # type: ignore[arg-type]
    state = State(plan, snapshot, ids=resolved(plan, snapshot))
    return recall_graph(recall(constrain(route(state))))


def reached(state: State) -> dict[str, float]:
    return {state.name(row): round(how.score, 4) for row, how in state.reached.items()}


def chain(world: World) -> None:
    world.add("KO-1", "Slow breath.", title="Slow Breathing", relations=(("supports", "KO-2"),))
    world.add("KO-2", "Calm mind.", relations=(("depends_on", "KO-3"),))
    world.add("KO-3", "Vagus nerve.", relations=(("extends", "KO-4"),))
    world.add("KO-4", "Old theory.")
    world.add("KO-5", "Nothing to do with it.")


def test_hops_and_scores(world: World) -> None:
    chain(world)
    snapshot = world.snapshot()
    assert reached(run(snapshot, "KO-1")) == {"KO-2": 0.8}
    assert reached(run(snapshot, "KO-1", hops=3)) == {"KO-2": 0.8, "KO-3": 0.64, "KO-4": 0.512}
    assert reached(run(snapshot, "KO-1", hops=0)) == {} == reached(run(snapshot, "what is it"))
    state = run(snapshot, "KO-3", hops=2)
    assert reached(state) == {"KO-2": 0.8, "KO-4": 0.8, "KO-1": 0.64}
    how = state.reached[snapshot.facets.row(world.iri("KO-1"))]
    assert [state.name(row) for row in how.rows] == ["KO-3", "KO-2", "KO-1"]
    assert (how.relations, how.confidences) == (("^depends_on", "^supports"), (1.0, 1.0))
    # Of two at the same distance the one of higher PageRank is first: KO-4, at the end of the chain.
    assert state.step("graph")["best"][0]["path"] == ["KO-3", "extends", "KO-4"]


def test_the_graph_answers_where_both_text_channels_miss(world: World) -> None:
    chain(world)
    state = run(world.snapshot(), "zzz of Slow Breathing")
    found = {r.channel: r for r in state.rankings if len(r.rows)}
    documents = [state.name(int(state.snapshot.passage_document[row])) for row in found["graph"].rows]
    assert documents == ["KO-2"] and found["graph"].scores.tolist() == [DECAY]
    first = int(found["graph"].rows[0])
    assert found["graph"].group == 0 and all("Calm" not in str(r) for r in state.matches([first])[first])


def test_relations_asked_for_and_those_under_them(world: World) -> None:
    world.add("A", relations=(("supports", "B"), ("extends", "C"), ("depends_on", "D"), ("superseded_by", "E")))
    for name in "BCDE":
        world.add(name, f"text of {name}")
    world.add("F", relations=(("supports", "A"),))
    snapshot = world.snapshot()

    def found(*relations: str) -> set[str]:
        return set(reached(run(snapshot, '"A"', relations, navigation=replace(Plan().navigation, start=entries("A")))))

    assert found() == {"B", "C", "D", "E", "F"}
    assert found("refines") == {"C"} and found("supports") == {"B", "F"} and found("dependsOn", "extends") == {"C", "D"}
    assert found("supported_by") == {"F"} and found("superseded_by") == {"E"} and found("replaces") == {"E"}
    assert found("no_such_relation") == {"B", "C", "D", "E", "F"}
    state = run(snapshot, "x", ("no_such_relation",))
    assert state.step("graph")["unknown_relations"] == ["no_such_relation"]


def test_directions_walk_their_own_steps(world: World) -> None:
    world.add("A", relations=(("depends_on", "B"), ("supports", "C")))
    world.add("D", relations=(("depends_on", "A"), ("contradicts", "A")))
    world.add("B"), world.add("C")
    snapshot = world.snapshot()
    graph = snapshot.graph
    assert graph is not None

    def found(direction: str) -> set[str]:
        plan = replace(Plan(), navigation=replace(Plan().navigation, directions=entries(direction)))
        rows = reach(graph, [snapshot.facets.row(world.iri("A"))], ways(plan, graph), 1).reached
        return {snapshot.facets.identifiers[row] for row in rows}

    assert found("DEPENDENCY.UPSTREAM") == {"B"} and found("DEPENDENCY.DOWNSTREAM") == {"D"}
    assert found("CRITIQUE.OPPOSING") == {"D"} and found("SOURCE.BACK") == set()


def test_what_a_text_names(world: World) -> None:
    world.add("G", title="圖神經網路", language="zh-Hant")
    world.add("N", title="神經網路", language="zh-Hant")
    world.add("P", title="Structural Pattern Matching")
    world.add("D", title="data")
    world.add("R", title="Rust")
    world.add("T1", title="Twin Title"), world.add("T2", title="Twin Title")
    snapshot = world.snapshot()

    def names(text: str) -> list[str]:
        return [snapshot.facets.identifiers[row] for row in mentioned(snapshot, text)]

    assert names("圖神經網路如何學習") == ["G"] and names("什麼是神經網路？") == ["N"]
    assert names("does structural pattern matching use Rust") == ["P", "R"]
    assert names("rust on data") == [] == names("") and names("Twin title") == ["T1", "T2"]


def test_an_edge_of_a_part_counts_for_its_document(world: World) -> None:
    world.add("A", said("H1", "It rains."), said("H2", "It pours."), relations=(("H2", "cites", "B"),))
    world.add("B", "Weather.")
    snapshot = world.snapshot()
    assert reached(run(snapshot, "A#H2")) == {"B": 0.8} and reached(run(snapshot, "A#H1")) == {}
    plan = replace(Plan().navigation, start=entries("A"))
    assert reached(run(snapshot, "zzz", navigation=plan)) == {"B": 0.8}
    plan = replace(Plan().navigation, start=entries("B"))
    state = run(snapshot, "zzz", navigation=plan, hops=3)
    assert reached(state) == {"A#H2": 0.8}
    # The citing sentence stands for itself, by its own passage.
    row = state.rankings[-1].rows[0]
    assert snapshot.text(int(row)) == "It pours."


def test_a_way_does_not_lead_back_to_a_part_of_what_it_passed(world: World) -> None:
    world.add("A", "Start.", relations=(("cites", "B"),))
    world.add("B", said("H", "It pours."), relations=(("H", "cites", "C"),))
    world.add("C", "Weather.")
    plan = replace(Plan().navigation, start=entries("A"))
    assert reached(run(world.snapshot(), "zzz", navigation=plan, hops=4)) == {"B": 0.8, "C": 0.64}


def test_a_reached_object_stands_for_its_best_passage(world: World) -> None:
    world.add("KO-1", "Start.", relations=(("cites", "KO-2"),))
    world.add("KO-2", "Of wolves.", "Of quokkas and quolls.", "Of bears.")
    snapshot = world.snapshot()

    def text(query: str) -> str:
        ranking = next(r for r in run(snapshot, query).rankings if r.channel == "graph")
        return snapshot.text(int(ranking.rows[0]))

    assert text("KO-1 quolls") == "Of quokkas and quolls." and text("KO-1 zzz") == "Of wolves."


def test_each_language_is_a_group_of_its_own(world: World) -> None:
    world.add("KO-1", "Start.", relations=(("cites", "KO-2"), ("cites", "KO-3")))
    world.add("KO-2", "Breath.")
    world.add("KO-3", "呼吸。", language="zh-Hant")
    for text, first in (("KO-1", "KO-2"), ("KO-1 是什麼", "KO-3")):
        state = run(world.snapshot(), text)
        found = {
            r.group: state.name(int(state.snapshot.passage_document[r.rows[0]]))
            for r in state.rankings
            if r.channel == "graph"
        }
        assert found[0] == first and len(found) == 2


def test_masks_are_obeyed(world: World) -> None:
    world.add("KO-1", "Start.", relations=(("cites", "KO-2"), ("cites", "KO-3")))
    world.add("KO-2", said("H1", "Proved.", state="FORMALLY_PROVED"), relations=(("cites", "KO-4"),))
    world.add("KO-3", said("H1", "Guessed.", state="CONJECTURE"))
    world.add("KO-4", said("H1", "Proved too.", state="FORMALLY_PROVED"))
    epistemic = replace(Plan().epistemic, require=entries("FORMALLY_PROVED", hard=True))
    state = run(world.snapshot(), "KO-1", epistemic=epistemic, hops=2)
    assert set(reached(state)) == {"KO-2", "KO-4"}
    rows = [int(row) for r in state.rankings if r.channel == "graph" for row in r.rows]
    assert rows and all(state.passages[row] for row in rows)
    # What is masked is still walked through: a mask says what may be an answer.
    epistemic = replace(Plan().epistemic, exclude=entries("FORMALLY_PROVED", hard=True))
    world.add("KO-4", "Plain.")
    assert "KO-4" in reached(run(world.snapshot(), "KO-1", epistemic=epistemic, hops=2))


def test_what_may_not_be_seen_is_not_walked_through(world: World) -> None:
    world.add("KO-1", "Start.", relations=(("cites", "KO-2"),))
    world.add("KO-2", "Secret.", visibility="CONFIDENTIAL", relations=(("cites", "KO-3"),))
    world.add("KO-3", "End.")
    found = {level: reached(run(snapshot, "KO-1", hops=3)) for level, snapshot in world.each_clearance().items()}
    assert found["PUBLIC"] == {} and set(found["RESTRICTED"]) == {"KO-2", "KO-3"}


def test_without_its_folder_the_channel_is_off_and_says_so(world: World) -> None:
    chain(world)
    generation = world.publish()
    (generation.path / "graph" / "source.npy").write_bytes(b"")
    shutil.rmtree(generation.path / "tags")
    snapshot = world.snapshot(generation=generation)
    state = run(snapshot, "KO-1")
    assert state.reached == {} and snapshot.tags is None and set(snapshot.degraded) >= {"graph", "tags"}
    assert [r for r in state.rankings if r.channel == "lexical"]


def test_a_hub_is_cut_by_rank_and_says_so(world: World) -> None:
    world.add("HUB", "Centre.")
    for n in range(FAN + 9):
        world.add(f"P-{n:03d}", f"page {n}", relations=(("cites", "HUB"),))
    world.add("Z", "popular", relations=(("cites", "HUB"),))
    for n in range(5):
        world.add(f"Y-{n}", f"reader {n}", relations=(("cites", "Z"),))
    state = run(world.snapshot(), "zz", navigation=replace(Plan().navigation, start=entries("HUB")))
    assert len(state.reached) == FAN and state.step("graph")["hub_neighbours_cut"] == 10
    assert next(iter(reached(state))) == "Z"


def test_a_document_that_cites_often_is_heard_in_turn(world: World) -> None:
    many = [said(f"H{n}", f"Sentence {n}.") for n in range(9)]
    world.add("A", *many, relations=tuple((f"H{n}", "cites", "KO-1") for n in range(9)))
    world.add("B", said("H", "Once."), relations=(("H", "cites", "KO-1"),))
    world.add("KO-1", "Cited.")
    state = run(world.snapshot(), "KO-1")
    assert list(reached(state))[:2] == ["A#H0", "B#H"] and len(state.reached) == 10


def test_a_walk_finds_what_both_of_the_best_lead_to(world: World) -> None:
    world.add("M", "The middle.")
    for name in ("KO-1", "KO-2"):
        world.add(name, f"About quokkas {name}.", relations=(("mentions", "M"),))
    world.add("X", "Elsewhere."), world.add("Y", "Elsewhere.", relations=(("mentions", "X"),))
    snapshot = world.snapshot()
    state = run(snapshot, "quokkas")
    assert rank_by_walk(state) is state  # only where the route asks for it
    state = rank_by_walk(replace(state, plan=replace(state.plan, route=(*state.plan.route, Entry("GRAPH_LOCAL")))))
    walk = next(r for r in state.rankings if r.channel == "walk")
    names = [state.name(int(snapshot.passage_document[row])) for row in walk.rows]
    assert set(names) == {"KO-1", "KO-2", "M"} and state.step("walk")["found"] == 3
    masked = replace(state, passages=np.zeros(len(snapshot.passages), dtype=bool), rankings=())
    graph = snapshot.graph
    assert graph is not None and walk_from(masked, graph, {0: 1.0}).rankings == ()
    ranks = personalised(graph, [snapshot.facets.row(world.iri("KO-1"))], [1.0])
    assert ranks[snapshot.facets.row(world.iri("M"))] > ranks[snapshot.facets.row(world.iri("KO-2"))] > 0
    assert ranks[snapshot.facets.row(world.iri("X"))] == 0


# -- walks on any graph ------------------------------------------------------------------------------------------------


def made(n: int, links: Iterable[tuple[int, int, float]], *, plain: bool = False) -> tuple[Facets, Graph]:
    store = Store()
    quads = []

    def add(subject: str, predicate: str, value: NamedNode | Literal) -> None:
        quads.append(Quad(NamedNode(subject), NamedNode(predicate), value, NamedNode("http://x.y/graph/D/assertion")))

    names = [f"http://x.y/doc/{row:05d}" for row in range(n)]
    for name in names:
        add(name, RDF + "type", NamedNode(OAM + "Document"))
        add(name, DCTERMS + "identifier", Literal(name[-5:]))
    for number, (one, other, confidence) in enumerate(links):
        node = f"{names[one]}#r{number}"
        add(names[one], OAM + "supports", NamedNode(names[other]))
        if plain:
            continue
        for predicate, value in (
            ("relationSource", NamedNode(names[one])), ("relationType", NamedNode(OAM + "supports")),
            ("relationTarget", NamedNode(names[other])), ("confidence", Literal(confidence)),
        ):  # fmt: skip
            add(node, OAM + predicate, value)
    store.bulk_extend(quads)

    def select(query: str) -> Iterable[object]:
        return store.query(query, use_default_graph_as_union=True)  # type: ignore[return-value]

    facets = build(select)  # type: ignore[arg-type]
    table = graph_build.build(select, facets)  # type: ignore[arg-type]
    return facets, table.view(facets, facets.visible("RESTRICTED"), "RESTRICTED")


def everywhere(graph: Graph) -> Ways:
    both = np.ones(len(graph.relations), dtype=bool)
    return Ways(both, both)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(
                st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.3, 0.5, 0.9, 1.0])),
                max_size=18,
            ),
            st.sets(st.integers(0, n - 1), min_size=1, max_size=2),
            st.integers(0, 5),
            st.booleans(),
        )
    )
)
def test_a_walk_is_the_best_path_of_at_most_so_many_hops(
    case: tuple[int, list[tuple[int, int, float]], set[int], int, bool],
) -> None:
    n, links, origins, hops, one_way = case
    _, graph = made(n, links)
    way = everywhere(graph)
    if one_way:
        way = replace(way, against=np.zeros(len(graph.relations), dtype=bool))
    found = reach(graph, sorted(origins), way, hops).reached
    best: dict[tuple[int, int], float] = {}
    for one, other, confidence in links:
        for pair in ((one, other),) if one_way else ((one, other), (other, one)):
            best[pair] = max(confidence, best.get(pair, 0.0))
    layer, expected = dict.fromkeys(origins, 1.0), dict[int, float]()
    for _ in range(hops):
        following: dict[int, float] = {}
        for (one, other), confidence in best.items():
            if one in layer and one != other:
                following[other] = max(following.get(other, 0.0), layer[one] * confidence * DECAY)
        layer = following
        for row, score in layer.items():
            if row not in origins:
                expected[row] = max(expected.get(row, 0.0), score)
    assert {row: how.score for row, how in found.items()} == pytest.approx(expected)
    for row, how in found.items():
        assert how.rows[0] in origins and how.rows[-1] == row and len(set(how.rows)) == len(how.rows)
        assert 1 <= len(how.relations) == len(how.confidences) == len(how.rows) - 1 <= hops
        assert how.score == pytest.approx(float(np.prod(how.confidences)) * DECAY ** len(how.relations))
        for (one, other), relation in zip(pairwise(how.rows), how.relations, strict=True):
            assert ((other, one) if relation.startswith("^") else (one, other)) in best


def test_a_long_chain_and_a_ring_end() -> None:
    n = 5_000
    _, graph = made(n, [(row, row + 1, 1.0) for row in range(n - 1)], plain=True)
    began = time.perf_counter()
    walked = reach(graph, [0], everywhere(graph), 10**9)
    assert time.perf_counter() - began < 5
    assert len(walked.reached) == 61 and not walked.truncated  # 0.8^62 is below what is followed
    assert all(len(how.relations) == row for row, how in walked.reached.items())
    _, ring = made(30, [(row, (row + 1) % 30, 1.0) for row in range(30)] + [(3, 3, 1.0)])
    assert len(reach(ring, [0], everywhere(ring), 10**6).reached) == 29


def test_a_dense_graph_is_walked_within_bounds() -> None:
    chance = random.Random(1)
    n = 3_000
    _, graph = made(n, [(chance.randrange(n), chance.randrange(n), 1.0) for _ in range(30_000)], plain=True)
    began = time.perf_counter()
    walked = reach(graph, [0, 1], everywhere(graph), 6)
    assert walked.truncated and 500 < len(walked.reached) <= 2_000 and time.perf_counter() - began < 5


def test_starts_are_few_and_visible(world: World) -> None:
    for n in range(20):
        world.add(f"KO-{n}", "x", visibility="INTERNAL" if n % 2 else "PUBLIC")
    text = " ".join(f"KO-{n}" for n in range(20))
    snapshot = world.snapshot("PUBLIC")
    plan = compile_query(text, snapshot)
    found = starts(State(plan, snapshot, ids=resolved(plan, snapshot)))
    assert len(found) == 8 and snapshot.visible[found].all()
