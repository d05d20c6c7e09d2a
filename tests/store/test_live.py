"""The live store: atomic commits, and what a kill leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.store import live as live_store
from oam_rdf.store.layout import Layout
from oam_rdf.store.live import LiveStore, Replacement, committed_after
from oam_rdf.store.minter import Minter

MINTER = Minter("http://kb.test/")


def change(document: str, text: str) -> Replacement:
    graph, provenance = MINTER.graph(document, "assertion"), MINTER.graph(document, "provenance")
    quads = [
        Quad(NamedNode(MINTER.document(document)), NamedNode("http://x.test/p"), Literal(text), NamedNode(graph)),
        Quad(NamedNode(graph), NamedNode("http://x.test/q"), Literal("1"), NamedNode(provenance)),
    ]
    return Replacement((graph, provenance), quads, graph, provenance)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def values(live: LiveStore, document: str) -> list[str]:
    graph = NamedNode(MINTER.graph(document, "assertion"))
    return sorted(quad.object.value for quad in live.store.quads_for_pattern(None, None, None, graph))


def test_new_and_replaced_graphs_land_as_one_revision(layout: Layout) -> None:
    live = LiveStore(layout, MINTER)
    assert live.commit([change("A", "one")]) == 1
    assert live.commit([change("A", "two"), change("B", "new")]) == 2
    assert (values(live, "A"), values(live, "B")) == (["two"], ["new"])
    assert live.revision == 2
    assert not layout.journal.exists()


@pytest.mark.parametrize("few", [100, 0], ids=["looked up", "read through"])
def test_what_was_committed_after_a_revision(layout: Layout, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(live_store, "_FEW", few)
    live = LiveStore(layout, MINTER)
    for documents in (["A", "B"], ["B"], ["C"], ["A"]):
        live.commit([change(document, "text") for document in documents])
    found = [{graph.rsplit("/", 2)[1] for graph in committed_after(live.store, revision)} for revision in range(6)]
    assert found == [{"A", "B", "C"}, {"A", "B", "C"}, {"A", "C"}, {"A"}, set(), set()]


def test_text_that_looks_like_sparql_is_text(layout: Layout) -> None:
    nasty = 'x") } UNION { ?s <http://e.x/secret> ?o FILTER(?o != "`\n\\ \' """ } ; DROP ALL ; INSERT DATA {'
    live = LiveStore(layout, MINTER)
    live.commit([change("A", "first")])
    live.commit([change("A", nasty)])  # a replacement goes through an update string
    assert values(live, "A") == [nasty]


def test_half_loaded_graphs_are_dropped_by_the_next_writer(layout: Layout) -> None:
    live = LiveStore(layout, MINTER)
    live.commit([change("A", "kept")])
    half = change("B", "half")
    layout.journal.write_text(json.dumps({"revision": 2, "graphs": list(half.drop)}))
    live.store.bulk_extend(half.quads)
    live.store.flush()
    del live
    again = LiveStore(layout, MINTER)
    assert (values(again, "A"), values(again, "B"), again.revision) == (["kept"], [], 1)
    assert not layout.journal.exists()


def test_a_journal_of_a_finished_commit_drops_nothing(layout: Layout) -> None:
    live = LiveStore(layout, MINTER)
    live.commit([change("A", "kept")])
    layout.journal.write_text(json.dumps({"revision": 1, "graphs": list(change("A", "").drop)}))
    del live
    again = LiveStore(layout, MINTER)
    assert values(again, "A") == ["kept"]
    assert not layout.journal.exists()


def test_single_quads_are_amended_and_an_emptied_graph_is_gone(layout: Layout) -> None:
    live = LiveStore(layout, MINTER)
    live.commit([change("A", "one")])
    places = [(MINTER.graph("A", "assertion"), MINTER.graph("A", "provenance"))]
    said = NamedNode(MINTER.graph("A", "assessment"))
    added = Quad(NamedNode(MINTER.document("A")), NamedNode("http://x.test/p"), Literal('"""} ; DROP ALL'), said)
    assert live.amend([], [added], places) == 2 == live.revision
    assert values(live, "A") == ["one"] and added in live.store
    assert live.amend([added], [], places) == 3
    assert values(live, "A") == ["one"] and not live.store.contains_named_graph(said)
    stamps = live.store.quads_for_pattern(
        NamedNode(places[0][0]), NamedNode("https://w3id.org/oam/ns#atRevision"), None, None
    )
    assert [quad.object.value for quad in stamps] == ["3"]
