"""The sample documents against their hand-made gold: routes of eight directions, and queries with expected answers."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from kb_world import World

from oam_rdf.query.navigate import Navigation
from oam_rdf.resources import sample_dir

ROUTES = json.loads((sample_dir() / "gold" / "routes.json").read_text("utf-8"))["routes"]
QUERIES = json.loads((sample_dir() / "gold" / "queries.json").read_text("utf-8"))["queries"]
DIRECTIONS = {
    *("ABSTRACT.UP", "CONCRETE.DOWN", "SOURCE.BACK", "DEPENDENCY.UPSTREAM", "DEPENDENCY.DOWNSTREAM"),
    *("VERSION.EARLIER", "VERSION.LATER", "VERSION.LATEST"),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("gold"))
    assert world.kb.ingest([sample_dir() / "documents"]).refused == 0
    world.kb.embed()
    return world


def test_every_direction_has_gold() -> None:
    counts = Counter(route["direction"] for route in ROUTES)
    assert set(counts) == DIRECTIONS
    assert min(counts.values()) >= 3


@pytest.fixture(scope="module")
def originals(sample: World) -> dict[str, str]:
    """Original IRI → path below the sample folder."""
    rows = sample.select("SELECT ?o ?p { ?g oam:sourcePath ?p ; prov:wasDerivedFrom ?o }")
    return {iri: f"original:{path}" for iri, path in rows}


def arrivals(found: Navigation, originals: dict[str, str]) -> list[str]:
    return [originals.get(node.iri, node.id) for node in found.nodes]


@pytest.mark.parametrize("gold", ROUTES, ids=lambda gold: f"{gold['start']}-{gold['direction']}")
def test_routes(sample: World, originals: dict[str, str], gold: dict[str, object]) -> None:
    found = sample.kb.navigate(str(gold["start"]), str(gold["direction"]), steps=gold["steps"])  # type: ignore[arg-type]
    assert arrivals(found, originals) == gold["route"], gold["why"]


@pytest.mark.parametrize("gold", QUERIES, ids=lambda gold: gold["id"])
def test_queries(sample: World, gold: dict[str, object]) -> None:
    answer = sample.kb.search(str(gold["query"]), k=3, clearance=str(gold["clearance"]))
    if gold["verdict"]:
        assert answer.verdict == gold["verdict"], [result.id for result in answer.results]
    if not gold["expected"]:
        return
    first = answer.results[0]
    expected = list(gold["expected"])  # type: ignore[call-overload]
    # A section of the expected page is the page at a finer grain.
    assert first.id in expected or first.document in expected, (first.id, [result.id for result in answer.results])
    if gold["substituted_for"]:
        assert gold["substituted_for"] in {str(item["id"]).split("#")[0] for item in first.substituted_for}


def test_one_navigation_of_each_direction_is_explained_by_its_route(sample: World) -> None:
    for gold in ROUTES:
        for node in sample.kb.navigate(gold["start"], gold["direction"], steps=gold["steps"]).nodes:
            assert node.route[0] == gold["start"]
            assert len(node.route) == len(node.relations) + 1 == node.depth + 1
