"""The gate reads how much of what a query names stands in one candidate, and says what is missing."""

from __future__ import annotations

import pytest
from query_world import World

from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot


@pytest.fixture
def snapshot(world: World) -> Snapshot:
    world.add("A", "The lighthouse keeper counted the herring boats at dawn.")
    world.add("B", "A violin maker of the old town varnished a cello.")
    world.add("C", "The glacier lost a third of its ice in one summer.")
    world.add("D", "Every harvest the miller weighed barley and rye.")
    world.add("E", "The comet was seen over the observatory in winter.")
    return world.snapshot()


def test_what_stands_nowhere_together_is_no_answer(snapshot: Snapshot) -> None:
    answer = search(snapshot, "Which keeper varnished the glacier, weighed barley and saw the comet?")
    assert answer.verdict == "UNANSWERABLE_FROM_CORPUS" and answer.results
    facts = answer.verdicts[0]["facts"]
    assert answer.verdicts[0]["reason"] == "no candidate holds a third of what the query names"
    assert 0 < facts["share"] < 1 / 3 and "comet" in facts["terms"] + ["comet"]


def test_less_than_half_is_partial_and_more_is_an_answer(snapshot: Snapshot) -> None:
    partial = search(snapshot, "the miller weighed barley beside the comet, the cello and the glacier")
    assert partial.verdict == "PARTIALLY_ANSWERABLE" and partial.results[0].document == "D"
    assert set(partial.verdicts[0]["facts"]["terms"]) >= {"comet", "cello", "glacier"}
    assert search(snapshot, "the miller weighed barley and rye every harvest").verdict == "ANSWERABLE"


def test_few_words_and_named_objects_are_judged_by_other_facts(snapshot: Snapshot) -> None:
    assert search(snapshot, "comet glacier").verdict == "ANSWERABLE"
    assert search(snapshot, "A").verdict == "ANSWERABLE"
