"""TCF-lite papers and edge verdicts in a whole knowledge base (formats.md, 3 and 4)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest
import tcf_samples
from hypothesis import HealthCheck, given, settings
from kb_world import World
from tcf_samples import EVERYTHING, EXTRACTS, PAPERS, TCF, VERDICTS, same_json

from oam_rdf.store.tcf_lite import tcf_lite
from oam_rdf.store.verdict_file import verdicts

BASE = "http://oam.localhost/doc/"
DEPENDENT = {
    ("ORDER-1", "th-1"): {"ax-2"},
    ("ORDER-1", "th-2"): {"ax-2", "ax-3"},
    ("COLOUR-1", "th-1"): {"ax-1", "ax-2"},
    ("COLOUR-1", "th-2"): {"ax-2"},
    ("FIX-1", "th-1"): {"ax-1", "ax-2"},
    ("FIX-1", "th-2"): {"ax-1", "ax-2", "th-1"},
}


def put(world: World, *names: str) -> None:
    for name in names:
        world.write(name, tcf_samples.content(name))


def verdict_nodes(world: World) -> set[tuple[str, ...]]:
    """(source, relation, target, verdict, what the source wrote) of every proposal."""
    rows = world.select(
        "SELECT ?s ?p ?t ?v ?w WHERE { ?n oam:relationSource ?s ; oam:relationType ?p ; oam:relationTarget ?t ; "
        "oam:verdict ?v ; oam:writtenAs ?w }"
    )
    return {(s.removeprefix(BASE), _end(p), t.removeprefix(BASE), _end(v), w) for s, p, t, v, w in rows}


def _end(iri: str) -> str:
    return iri.rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]


def test_in_and_out_again(world: World) -> None:
    put(world, *EVERYTHING)
    report = world.ingest()
    assert report.added == 7 and not report.refused and report.balanced
    with world.kb.snapshot() as snapshot:
        for name in EXTRACTS:
            written = tcf_samples.value(name)
            assert tcf_lite(snapshot.store, world.kb.minter, f"{written['id']}.tcf") == written
        assert verdicts(snapshot.store, world.kb.minter, "edge-verdicts") == tcf_samples.value(VERDICTS)
        of_paper = verdicts(snapshot.store, world.kb.minter, "FIX-1.tcf")["audited"]
    assert of_paper.keys() == {"FIX-1->ORDER-1", "FIX-1->COLOUR-1"}
    assert of_paper["FIX-1->ORDER-1"] == tcf_samples.value(VERDICTS)["audited"]["FIX-1->ORDER-1"]
    for fmt, document, expected in (
        ("tcf-lite", "FIX-1.tcf", "fix-1.tcf.json"),
        ("verdicts", "edge-verdicts", VERDICTS),
    ):
        assert json.loads(world.kb.export(document, fmt)) == tcf_samples.value(expected)


def test_every_dependency_is_an_edge_and_dangling_ids_wait(world: World) -> None:
    put(world, *EXTRACTS)
    report = world.ingest()
    found: dict[tuple[str, str], set[str]] = {}
    for source, target in world.select("SELECT ?s ?t WHERE { ?s oam:dependsOn ?t FILTER(CONTAINS(STR(?s), '#')) }"):
        (paper, one), (other, two) = (iri.removeprefix(BASE).split(".tcf#") for iri in (source, target))
        assert paper == other, "two papers' ids never meet"
        found.setdefault((paper, one), set()).add(two)
    assert found == DEPENDENT
    labels = world.select(
        "SELECT ?l ?s WHERE { ?n oam:targetLabel ?l ; oam:relationSource ?s FILTER(STRSTARTS(?l, '#')) }"
    )
    assert {(label, _end(source)) for label, source in labels} == {("#lm-1", "th-2"), ("#cor-1", "th-1")}
    assert sorted(i.message.split("'")[1] for i in report.issues if i.code == "dangling-id") == ["cor-1", "lm-1"]


def test_quotes_are_anchored_in_the_paper(world: World) -> None:
    put(world, *EVERYTHING)
    report = world.ingest()
    # By marks or a line break differ: ax-3, th-2 and "total order" (elided) of ORDER-1, f of FIX-1. One is in no paper.
    assert dict(report.quotes) == {"exact": 23, "normalised": 4, "unanchored": 1}
    assert report.to_json()["quotes"] == {"exact": 23, "normalised": 4, "unanchored": 1}
    view = world.kb.source("ORDER-1.tcf#ax-3", context=20)
    assert [q.exact for q in view.quotes] == ["If $x \\le y$ and $y \\le z$, then $x \\le z$."]
    assert view.path == "order-1.md" and view.intact and view.quotes[0].prefix.endswith("(Transitivity).** ")
    elided = world.kb.source("COLOUR-1.tcf#th-1")
    assert [q.exact for q in elided.quotes] == ["Colour the point (a, b) by the parity of a + b.", "hence the parity."]
    lost = world.kb.source("COLOUR-1.tcf#th-2")
    assert lost.quotes == () and lost.no_source == "the quote does not stand in COLOUR-1"
    rows = world.select(f"SELECT ?q WHERE {{ <{BASE}COLOUR-1.tcf#th-2> oam:quote ?q }}")
    assert rows == [("Every planar graph can be coloured with four colours.",)]
    texts = {name: tcf_samples.content(name).decode() for name in PAPERS}
    spans = world.select("SELECT ?p ?a ?b ?h WHERE { ?d oam:about ?p . ?x dcterms:isPartOf ?d ; oam:evidenceSpan ?s . "
                         "?s oa:start ?a ; oa:end ?b ; oam:anchoring ?h }")  # fmt: skip
    assert len(spans) == 25 and all(0 <= int(a) < int(b) <= len(texts[f"{p.lower()}.md"]) for p, a, b, _ in spans)
    assert world.kb.doctor().problems == []
    assert world.kb.validate().exit_code == 0


def test_homonyms_are_never_merged_and_proposals_wait(world: World) -> None:
    put(world, *EXTRACTS, *PAPERS)
    world.ingest()
    assert verdict_nodes(world) == {
        ("FIX-1", "dependsOn", "ORDER-1", "pending", "ORDER-1"),
        ("FIX-1", "uses", "ORDER-1", "pending", "lattice"),
        ("FIX-1", "uses", "COLOUR-1", "pending", "lattice"),
        ("COLOUR-1", "uses", "ORDER-1", "pending", "total order"),
        ("ORDER-1", "uses", "FIX-1", "pending", "FIX-1"),
    }
    concepts = world.select("SELECT ?c WHERE { ?c a oam:Concept ; dcterms:title ?t FILTER(STR(?t) = 'lattice') }")
    assert len(concepts) == 3
    assert not world.select(
        "SELECT ?o WHERE { ?c a oam:Concept { ?c oam:sameClaimAs ?o } UNION { ?o oam:sameClaimAs ?c } }"
    )
    edges = f"SELECT ?p WHERE {{ ?s ?p ?o VALUES ?s {{ <{BASE}FIX-1> <{BASE}COLOUR-1> <{BASE}ORDER-1> }} "
    assert not world.select(edges + f"VALUES ?o {{ <{BASE}FIX-1> <{BASE}COLOUR-1> <{BASE}ORDER-1> }} }}")


def test_verdicts_open_and_close_edges(world: World) -> None:
    put(world, *EVERYTHING)
    report = world.ingest()
    nodes = verdict_nodes(world)
    assert ("FIX-1", "uses", "COLOUR-1", "wrong", "lattice") in nodes, "a wrong edge stays visible"
    assert {node[:4] for node in nodes} >= {
        ("FIX-1", "dependsOn", "ORDER-1", "ok"), ("FIX-1", "uses", "ORDER-1", "ok"), ("COLOUR-1", "uses", "ORDER-1", "weak"),
        ("ORDER-1", "uses", "FIX-1", "pending"),
    }  # fmt: skip
    (row,) = world.select("SELECT ?r ?n WHERE { ?x oam:verdict verdict:weak ; oam:reason ?r ; oam:round ?n }")
    assert row[0].startswith("a row of vertices") and row[1].startswith("1")
    assert [i.message for i in report.issues if i.code == "verdict-unused"] == [
        "the verdict on 'COLOUR-1' -> 'FIX-1' decides nothing"
    ]
    reached = {node.id for node in world.kb.navigate("FIX-1", "DEPENDENCY.UPSTREAM").nodes}
    assert "ORDER-1" in reached and "COLOUR-1" not in reached
    with world.kb.snapshot() as snapshot:
        graph, names = snapshot.graph, snapshot.facets.identifiers
        assert graph is not None
        walked = {(names[int(s)], names[int(t)]) for s, t in zip(graph.source, graph.target, strict=True)}
    papers = {"FIX-1", "COLOUR-1", "ORDER-1"}
    assert {pair for pair in walked if set(pair) <= papers} == {("FIX-1", "ORDER-1")}


def test_the_latest_round_holds_and_outlives_reingest(world: World) -> None:
    put(world, *EVERYTHING)
    world.ingest()
    later = {"audited": {"FIX-1->COLOUR-1": {"verdict": "weak", "reason": "grids are posets too", "round": 3},
                         "FIX-1->ORDER-1": {"verdict": "wrong", "round": 1}}}  # fmt: skip
    world.write("later.json", json.dumps(later))
    assert world.ingest().relinked == 1
    assert ("FIX-1", "uses", "COLOUR-1", "weak", "lattice") in verdict_nodes(world)
    assert ("FIX-1", "dependsOn", "ORDER-1", "ok", "ORDER-1") in verdict_nodes(world), "round 2 holds against round 1"
    value = tcf_samples.value("fix-1.tcf.json") | {"notes": "edited"}
    world.write("fix-1.tcf.json", json.dumps(value, ensure_ascii=False))
    world.write("fix-1.md", tcf_samples.content("fix-1.md") + "\n補充一句。\n".encode())
    world.ingest()
    assert ("FIX-1", "uses", "COLOUR-1", "weak", "lattice") in verdict_nodes(world)
    later["audited"] = {}
    world.write("later.json", json.dumps(later))
    assert world.ingest().relinked == 1
    assert ("FIX-1", "uses", "COLOUR-1", "wrong", "lattice") in verdict_nodes(world), "the earlier round holds again"
    before = world.ingest()
    assert before.revision == before.revision_before and not before.relinked


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The content hash of all fixtures ingested at once."""
    world = World(tmp_path_factory.mktemp("at-once"))
    put(world, *EVERYTHING)
    found = world.ingest().content_hash
    world.kb.close()
    return found


@pytest.mark.parametrize("order", list(itertools.permutations((EXTRACTS, PAPERS, (VERDICTS,)))), ids=str)
def test_the_order_of_arrival_decides_nothing(order: tuple[tuple[str, ...], ...], world: World, expected: str) -> None:
    for names in order:
        put(world, *names)
        report = world.ingest()
    assert report.content_hash == expected
    again = world.ingest()
    assert again.revision == again.revision_before and again.unchanged == len(EVERYTHING)
    assert world.kb.doctor().problems == []


def test_each_file_alone_gives_the_same(world: World, expected: str) -> None:
    for name in (
        VERDICTS,
        "fix-1.tcf.json",
        "order-1.md",
        "colour-1.tcf.json",
        "fix-1.md",
        "order-1.tcf.json",
        "colour-1.md",
    ):
        put(world, name)
        report = world.ingest()
    assert report.content_hash == expected


def test_a_reference_goes_to_the_work_once_it_is_here(worlds: Callable[[str], World]) -> None:
    later, at_once = worlds("later"), worlds("at-once")
    note = "---\nid: NOTE-1\nlanguage: en\n---\n# Note\n\n- depends_on [[FIX-1]]\n"
    target = f"SELECT ?o WHERE {{ <{BASE}NOTE-1> oam:dependsOn ?o }}"
    later.write("note-1.md", note)
    put(later, "fix-1.tcf.json")
    later.ingest()
    assert later.select(target) == [(f"{BASE}FIX-1.tcf",)], "the extract stands for a work that is not here"
    put(later, "fix-1.md")
    found = later.ingest().content_hash
    assert later.select(target) == [(f"{BASE}FIX-1",)]
    at_once.write("note-1.md", note)
    put(at_once, "fix-1.tcf.json", "fix-1.md")
    assert at_once.ingest().content_hash == found


def test_a_changed_paper_moves_its_spans(world: World) -> None:
    put(world, *EXTRACTS, *PAPERS)
    world.ingest()
    before = world.kb.source("FIX-1.tcf#ax-2").quotes[0]
    text = tcf_samples.content("fix-1.md").decode().replace("## 前提", "增加一句。\n\n## 前提")
    world.write("fix-1.md", text)
    report = world.ingest()
    assert report.relinked == 1 and report.quotes["unanchored"] == 0
    after = world.kb.source("FIX-1.tcf#ax-2").quotes[0]
    assert after.exact == before.exact and after.start == (before.start or 0) + len("增加一句。\n\n")
    assert world.kb.doctor().problems == []


def test_more_than_six_definers_name_none(world: World) -> None:
    for number in range(7):
        world.write(f"d{number}.json", json.dumps({"tcf_extract_version": "0.1", "id": f"D-{number}",
                                                   "concepts": [{"name": "field", "role": "defines"}]}))  # fmt: skip
    world.write("a.json", json.dumps({"tcf_extract_version": "0.1", "id": "A-1",
                                      "external_refs": [{"target": "field", "type": "uses"}]}))  # fmt: skip
    world.ingest()
    assert not verdict_nodes(world)
    assert world.select("SELECT ?l WHERE { ?n oam:targetLabel ?l ; oam:relationType oam:uses }") == [("field",)]
    world.write("d0.json", json.dumps({"tcf_extract_version": "0.1", "id": "D-0"}))
    world.ingest()
    assert {node[2] for node in verdict_nodes(world)} == {f"D-{n}.tcf" for n in range(1, 7)}


def test_a_work_that_few_may_see_is_not_told_of(world: World) -> None:
    paper = tcf_samples.content("order-1.md").decode().replace("language: en\n", "language: en\nvisibility: INTERNAL\n")
    world.write("order-1.md", paper)
    put(world, "order-1.tcf.json")
    world.ingest()
    assert world.kb.source("ORDER-1.tcf#ax-1").quotes
    hidden = world.kb.source("ORDER-1.tcf#ax-1", clearance="PUBLIC")
    assert hidden.quotes == () and hidden.no_source
    body, _ = world.kb.sparql("SELECT ?s WHERE { ?s a oam:SourceSpan }", format="tsv", clearance="PUBLIC")
    assert len(body.decode().splitlines()) == 1
    public, _ = world.kb.sparql("ASK { ?d oam:about 'ORDER-1' }", clearance="PUBLIC")
    assert b"true" in public


def test_a_paper_that_never_was_tcf_lite(world: World) -> None:
    put(world, *PAPERS)
    world.ingest()
    with world.kb.snapshot() as snapshot:
        made = tcf_lite(snapshot.store, world.kb.minter, "ORDER-1")
    assert [a["id"] for a in made["axioms"]] == ["A1", "A2", "A3"] and [t["id"] for t in made["theorems"]] == [
        "T1",
        "T2",
    ]
    assert made["source_file"] == "order-1.md" and made["language"] == "en"
    world.write("again.tcf.json", json.dumps(made))
    report = world.ingest()
    assert report.added == 1 and report.quotes == {"exact": 5}


def test_the_command_line(world: World) -> None:
    put(world, *EVERYTHING)
    done = world.oam("ingest", str(world.sources), check=None)
    assert "28 quotes: 23 exact, 4 normalised, 1 unanchored" in done.stdout
    out = world.oam("export", "COLOUR-1.tcf", "--format", "tcf-lite").stdout
    assert json.loads(out) == tcf_samples.value("colour-1.tcf.json")
    shown = world.oam("source", "FIX-1.tcf#th-1").stdout
    assert "完備格上的保序映射必有不動點" in shown


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=TCF)
def test_whatever_comes_in_lands_and_goes_out(
    value: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = World(tmp_path_factory.mktemp("any"))
    try:
        world.write("any.json", json.dumps(value))
        report = world.ingest()
        assert not report.refused, [str(issue) for issue in report.issues]
        with world.kb.snapshot() as snapshot:
            assert same_json(tcf_lite(snapshot.store, world.kb.minter, str(value["id"]).strip() + ".tcf"), value)
        assert world.kb.doctor().problems == []
        assert world.kb.validate().exit_code == 0
    finally:
        world.kb.close()
