"""Certificates afterwards: replay, pins, PROV-O, and the command that shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rdflib
from kb_world import World
from rdflib.namespace import PROV, RDF
from sample_answers import questions, run_oam

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.certificate_rdf import DQV, FORMATS
from oam_rdf.store import publish


def page(number: int) -> str:
    return f"---\nid: PAGE-{number}\n---\n# Page {number}\n\nA lantern of tin and glass, number {number}.\n"


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.slow)])
def test_any_answer_replays_to_the_same_ranking(sample: KnowledgeBase, count: int) -> None:
    different, results = [], 0
    for query, options in questions(count, seed=10):
        answer = sample.search(query, **options)
        again = sample.replay(answer.retrieval_id)
        results += len(again.after)
        assert again.on == again.generation and again.after == again.before
        before = [r["scores"] for r in sample.trace(answer.retrieval_id)["results"]]
        assert before == [dict(r.scores) for r in answer.results]
        if not again.same:
            different.append((query, options, again))
    assert not different, different[:3]
    assert results > count


def test_an_older_generation_is_replayed_and_compared_with_the_latest(world: World) -> None:
    for number in range(3):
        world.write(f"{number}.md", page(number))
    world.ingest()
    answer = world.kb.search("lantern glass", k=3)
    first = world.kb.replay(answer.retrieval_id)
    assert first.same and first.on == 1
    world.write("3.md", page(3).replace("A lantern of tin and glass", "Lantern lantern lantern, glass glass"))
    (world.sources / "1.md").unlink()
    world.ingest(prune=True)
    old = world.kb.replay(answer.retrieval_id)
    assert old.same and (old.generation, old.on) == (1, 1) and old.after == first.after
    latest = world.kb.replay(answer.retrieval_id, latest=True)
    assert not latest.same and latest.on == 2
    assert any(name.startswith("PAGE-3") for name in latest.new)
    assert any(name.startswith("PAGE-1") for name in latest.gone)
    assert latest.moved and all(move.before != move.after for move in latest.moved)


def test_a_generation_that_is_gone_is_said_and_a_pinned_one_stays(world: World) -> None:
    world.write("0.md", page(0))
    world.ingest()
    answer = world.kb.search("lantern")
    other = world.kb.search("glass").retrieval_id
    run_oam(world.kb, "trace", answer.retrieval_id, "--pin")
    for number in range(1, publish.KEPT + 2):
        world.write(f"{number}.md", page(number))
        world.ingest()
    assert 1 in publish.kept(world.kb.layout) and 2 not in publish.kept(world.kb.layout)
    assert world.kb.replay(answer.retrieval_id).same
    run_oam(world.kb, "trace", answer.retrieval_id, "--unpin")
    world.kb.search("lantern")  # a reader that stays on an old generation keeps it too
    world.write("0.md", page(0) + "\nMore.\n")
    world.ingest()
    assert 1 not in publish.kept(world.kb.layout)
    gone = run_oam(world.kb, "trace", other, "--replay")
    assert gone.return_value == 1 and "Generation 1 is gone" in gone.stdout and "--latest" in gone.stdout
    asked = json.loads(run_oam(world.kb, "trace", answer.retrieval_id, "--replay", "--json").stdout)
    assert (asked["on"], asked["same"]) == (None, False) and len(asked["kept"]) == publish.KEPT
    with pytest.raises(UsageError, match="generation 1 is not kept"):
        world.kb.pin(answer.retrieval_id)
    assert not list(world.kb.layout.published.glob("pin-*"))
    latest = run_oam(world.kb, "trace", answer.retrieval_id, "--latest")
    assert latest.return_value == 0 and "On generation 8 the answer differs from that of 1" in latest.stdout


def test_a_pin_that_comes_while_others_are_deleted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clean-up looks at the pins again when it holds the lock of what it would delete."""
    world.write("0.md", page(0))
    world.ingest()
    layout, before = world.kb.layout, publish.pinned
    calls: list[int] = []

    def late(given: object) -> set[int]:
        calls.append(1)
        if len(calls) > 1 and not list(layout.published.glob("pin-*")):
            (layout.published / "pin-000001").touch()
        return before(layout)

    monkeypatch.setattr(publish, "pinned", late)
    monkeypatch.setattr(publish, "KEPT", 1)
    world.write("1.md", page(1))
    world.ingest()
    assert len(calls) > 1 and publish.kept(layout) == (1, 2)


def test_replay_keeps_the_clearance_of_the_answer(world: World) -> None:
    world.write("open.md", page(1))
    world.write("hidden.md", page(2).replace("id: PAGE-2", "id: PAGE-2\nvisibility: INTERNAL"))
    world.ingest()
    public = world.kb.search("lantern", clearance="PUBLIC")
    inside = world.kb.search("lantern", clearance="INTERNAL")
    assert len(inside.results) > len(public.results)
    assert world.kb.replay(public.retrieval_id).same and world.kb.replay(inside.retrieval_id).same
    with pytest.raises(NotFound):
        world.kb.replay(inside.retrieval_id, clearance="PUBLIC")
    with pytest.raises(NotFound):
        world.kb.trace_rdf(inside.retrieval_id, clearance="PUBLIC")


@pytest.mark.parametrize("fmt", list(FORMATS))
def test_prov_o(sample: KnowledgeBase, fmt: str) -> None:
    answer = sample.search("燃素 Kepler", k=4, offset=1)
    body = sample.trace_rdf(answer.retrieval_id, fmt)
    graph = rdflib.Dataset(default_union=True)
    graph.parse(data=body, format={"jsonld": "json-ld", "ntriples": "nt"}.get(fmt, fmt))
    (retrieval,) = graph.subjects(RDF.type, PROV.Activity)
    (started,), (ended,) = (list(graph.objects(retrieval, p)) for p in (PROV.startedAtTime, PROV.endedAtTime))
    assert started.toPython() <= ended.toPython()
    (agent,) = graph.objects(retrieval, PROV.wasAssociatedWith)
    assert (agent, RDF.type, PROV.SoftwareAgent) in graph
    assert len(list(graph.objects(agent, rdflib.URIRef("http://purl.org/pav/version")))) == 1
    used = {kind for node in graph.objects(retrieval, PROV.used) for kind in graph.objects(node, RDF.type)}
    assert {PROV.Plan, PROV.Entity} <= used
    (plan,) = graph.subjects(RDF.type, PROV.Plan)
    (stored,) = graph.objects(plan, PROV.value)
    assert json.loads(str(stored)) == answer.certificate["query_plan"]
    (made,) = graph.subjects(PROV.wasGeneratedBy, retrieval)
    places = [next(graph.objects(made, RDF[f"_{n}"])) for n in range(1, len(answer.results) + 1)]
    assert set(places) == set(graph.objects(made, PROV.hadMember))
    for place, result in zip(places, answer.results, strict=True):
        assert str(next(graph.objects(place, PROV.specializationOf))) == result.iri
        scores = {
            str(next(graph.objects(score, rdflib.URIRef(DQV + "isMeasurementOf")))).rpartition("/")[2]:
            float(next(graph.objects(score, rdflib.URIRef(DQV + "value"))))
            for score in graph.objects(place, rdflib.URIRef(DQV + "hasQualityMeasurement"))
        }  # fmt: skip
        paper = ("sparse", "dense", "operator", "graph", "provenance", "epistemic", "version")
        assert scores == {name: value for name, value in result.scores.items() if name in paper} and scores
    assert body == sample.trace_rdf(answer.retrieval_id, fmt)


def test_prov_o_is_clean_by_the_shapes(sample: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "certificate.ttl"
    answer = sample.search("Euler conjecture")
    file.write_bytes(sample.trace_rdf(answer.retrieval_id))
    # Beside the ontology's own terms it uses PROV-O, PAV, DQV, Dublin Core and RDF.
    outcome = sample.validate([file])
    assert not outcome.failed if hasattr(outcome, "failed") else "passes" in outcome.to_text()
    with pytest.raises(UsageError, match="unknown format"):
        sample.trace_rdf(answer.retrieval_id, "csv")
