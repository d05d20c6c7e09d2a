"""``--syntax whoosh``: AND, OR, NOT, brackets and fields; what the index cannot say is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from query_world import World

from oam_rdf.errors import UsageError
from oam_rdf.query.plan import Plan
from oam_rdf.query.search import replay, search
from oam_rdf.query.snapshot import Snapshot

PLANS = Path(__file__).resolve().parent.parent / "data" / "plans"


@pytest.fixture
def snapshot(world: World) -> Snapshot:
    world.add("A", "The pendulum swings in the tower.", title="Galileo")
    world.add("B", "The tower bell rings at noon.", title="Bells")
    world.add("C", "重啟gen-itgc後，鐘擺恢復擺動。", title="鐘擺", language="zh-Hant")
    return world.snapshot()


def found(snapshot: Snapshot, query: str) -> set[str]:
    return {result.document for result in search(snapshot, query, syntax="whoosh").results}


def test_operators_brackets_and_fields(snapshot: Snapshot) -> None:
    assert found(snapshot, "tower") == {"A", "B"}
    assert found(snapshot, "tower AND pendulum") == {"A"}
    assert found(snapshot, "tower NOT pendulum") == {"B"}
    assert found(snapshot, "bell OR gen-itgc") == {"B", "C"}
    assert found(snapshot, "(pendulum OR bell) AND tower") == {"A", "B"}
    assert found(snapshot, "title:bells") == {"B"} and found(snapshot, "body:galileo") == set()
    assert found(snapshot, "钟摆 AND ITGC") == {"C"}


def test_a_plain_query_is_plain_text(snapshot: Snapshot) -> None:
    assert {r.document for r in search(snapshot, "tower NOT pendulum").results} >= {"A", "B"}


@pytest.mark.parametrize("query", ["pend*", '"bell rings"', "author:x", "NOT tower", ""])
def test_what_cannot_be_answered_is_refused(snapshot: Snapshot, query: str) -> None:
    with pytest.raises(UsageError):
        search(snapshot, query, syntax="whoosh")


def test_it_replays(snapshot: Snapshot) -> None:
    answer = search(snapshot, "tower NOT pendulum", syntax="whoosh")
    assert answer.certificate["route"] == ["SPARSE_ONLY"]
    assert replay(snapshot, answer.certificate).certificate["results"] == answer.certificate["results"]


def test_the_papers_second_plan_says_that_it_has_no_start(snapshot: Snapshot) -> None:
    answer = search(snapshot, Plan.from_yaml((PLANS / "paper-2.yaml").read_text("utf-8")))
    assert answer.verdict == "NO_RETRIEVAL"
    assert answer.verdicts[0]["reason"] == "a direction is asked for, and nothing to start from"
