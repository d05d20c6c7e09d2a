"""Expansion: neighbours of the best, marked, below what was found on its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from query_world import World, said

from oam_rdf.query.compile import compile_query
from oam_rdf.query.constrain import admit, constrain, prove
from oam_rdf.query.expand import expand
from oam_rdf.query.fuse import fuse
from oam_rdf.query.graph import recall_graph
from oam_rdf.query.locate import locate
from oam_rdf.query.plan import Entry, Plan
from oam_rdf.query.plan import Graph as Asked
from oam_rdf.query.recall import recall
from oam_rdf.query.route import route
from oam_rdf.query.search import _ids as resolved
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import State


def run(snapshot: Snapshot, text: str, **changes: object) -> State:
    plan = replace(compile_query(text, snapshot), **changes)  # type: ignore[arg-type]
    state = State(plan, snapshot, ids=resolved(plan, snapshot))
    for stage in (route, constrain, recall, recall_graph, fuse, locate, admit, expand):
        state = stage(state)
    prove(state)
    return state


def injected(state: State) -> list[str]:
    return [state.name(c.row) for c in state.candidates if c.injected]


def test_the_first_two_by_pagerank_come_in_below_the_others(world: World) -> None:
    world.add("A", "Quokkas smile.", relations=(("cites", "N-1"), ("supports", "N-2"), ("cites", "N-3")))
    for name in ("N-1", "N-2", "N-3"):
        world.add(name, f"Other matter of {name}.")
    for n in range(4):
        world.add(f"R-{n}", "A reader.", relations=(("cites", "N-3"),) + ((("cites", "N-2"),) if n else ()))
    state = run(world.snapshot(), "quokkas")
    assert [state.name(c.row).partition("#")[0] for c in state.candidates] == ["A", "N-3", "N-2"]
    assert [c.injected for c in state.candidates] == [False, True, True]
    found = state.candidates[1]
    assert found.reach is not None and found.reach.relations == ("cites",) and found.reach.score == pytest.approx(0.8)
    assert found.score == 0 and not found.ranks and state.snapshot.text(found.passage) == "Other matter of N-3."
    noted = state.step("expand")
    assert noted["considered"] == 3 and noted["seeds"] == [state.name(state.candidates[0].row)]
    first = noted["expansions"][0]
    assert first["id"] == "N-3" and first["path"] == [first["from"], "cites", "N-3"] and first["relation"] == "cites"
    graph = state.snapshot.graph
    assert graph is not None and first["pagerank"] == pytest.approx(float(graph.pagerank[found.row]), abs=1e-8)


def test_only_what_is_allowed_and_visible(world: World) -> None:
    world.add("A", said("H", "Quokkas smile.", state="CONJECTURE"), relations=(("cites", "N-1"), ("cites", "N-2#H")))
    world.add("N-1", "Plain.")
    world.add("N-2", said("H", "Guessed.", state="CONJECTURE"), visibility="CONFIDENTIAL")
    assert set(injected(run(world.snapshot("RESTRICTED"), "quokkas"))) == {"N-1", "N-2#H"}
    assert injected(run(world.snapshot("PUBLIC"), "quokkas")) == ["N-1"]
    epistemic = replace(Plan().epistemic, require=(Entry("CONJECTURE", hard=True),))
    assert injected(run(world.snapshot(), "quokkas", epistemic=epistemic)) == ["N-2#H"]
    state = run(world.snapshot("PUBLIC"), "quokkas", epistemic=epistemic)
    assert injected(state) == [] and state.step("expand")["considered"] == 0


def test_what_is_there_already_is_not_brought_again(world: World) -> None:
    world.add("A", "Quokkas smile.", relations=(("cites", "B"), ("cites", "C")))
    world.add("B", said("H", "Quokkas dance."))
    world.add("C", said("H", "Elsewhere."))
    state = run(world.snapshot(), "quokkas")
    assert {state.name(c.row).partition("#")[0] for c in state.candidates[:2]} == {"A", "B"} and injected(state) == [
        "C"
    ]


def test_neighbours_of_a_statement_are_its_own_and_its_wholes_not_its_siblings(world: World) -> None:
    relations = (("H1", "cites", "N-1"), ("H2", "cites", "N-2"), ("sec-1", "cites", "N-3"))
    world.add("A", said("H1", "Quokkas smile."), said("H2", "It rains."), relations=relations)
    for name in ("N-1", "N-2", "N-3"):
        world.add(name, "Other.")
    state = run(world.snapshot(), "quokkas smile")
    assert state.name(state.candidates[0].row) == "A#H1" and set(injected(state)) == {"N-1", "N-3"}


def test_three_shared_tags_are_an_edge_for_expansion_and_two_are_not(world: World) -> None:
    world.add("A", "Quokkas smile.", subjects=("x", "y", "z"))
    world.add("B", "Other.", subjects=("X", "y", "z", "w"))
    world.add("C", "Other.", subjects=("x", "y"))
    state = run(world.snapshot(), "quokkas")
    assert injected(state) == ["B"]
    noted = state.step("expand")["expansions"][0]
    assert noted["relation"] == "shared_tags" and noted["score"] == pytest.approx(0.8)


def test_one_of_a_document(world: World) -> None:
    world.add("A", "Quokkas smile.")
    world.add(
        "B",
        *(said(f"H{n}", f"Citing {n}.") for n in range(5)),
        relations=tuple((f"H{n}", "cites", "A") for n in range(5)),
    )
    world.add("C", said("H", "Citing."), relations=(("H", "cites", "A"),))
    found = injected(run(world.snapshot(), "quokkas"))
    assert sorted(name.partition("#")[0] for name in found) == ["B", "C"]


def test_candidates_know_how_the_graph_leads_to_them(world: World) -> None:
    world.add("KO-1", "Start.", relations=(("supports", "KO-2"),))
    world.add("KO-2", said("H", "Quokkas smile."))
    weights = replace(Plan().weights, graph=0.5, reason="test")
    state = run(world.snapshot(), "KO-1 quokkas", weights=weights)
    reach = {state.name(c.row): c.reach for c in state.candidates}
    how = reach["KO-2#H"]  # reached as a part of KO-2
    assert how is not None and how.relations == ("supports",) and reach["KO-1"] is None


def test_no_hops_no_expansion(world: World) -> None:
    world.add("A", "Quokkas smile.", relations=(("cites", "B"),))
    world.add("B", "Other.")
    snapshot = world.snapshot()
    assert injected(run(snapshot, "quokkas")) == ["B"] and injected(run(snapshot, "quokkas", graph=Asked(hops=0))) == []
    assert injected(run(snapshot, "nothing of it")) == []
