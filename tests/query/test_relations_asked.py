"""Questions for what stands at the end of a relation: the very object, its old version too, in any language."""

from __future__ import annotations

import pytest
from query_world import World, said

from oam_rdf.query.answer import Answer
from oam_rdf.query.search import search


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


@pytest.fixture
def groups(world: World) -> World:
    world.add(
        "GROUP",
        said("K1", "Every divisor of the order of a group is the order of a subgroup.", state="REFUTED"),
        said(
            "X1", "The alternating group of degree four has twelve elements and none of six below it.", state="DERIVED"
        ),
        relations=(("X1", "counterexample_to", "GROUP#K1"),),
    )
    world.add(
        "OLD", said("S", "An older objection to the divisor claim."), relations=(("S", "contradicts", "GROUP#K1"),)
    )
    world.add("NEW", said("S", "A later text of the objection."), relations=(("supersedes", "OLD"),))
    world.add(
        "ZH", said("S", "四次交錯群說明此說不成立。"), language="zh-Hant", relations=(("S", "contradicts", "GROUP#K1"),)
    )
    for number in range(12):
        world.add(f"N{number:02d}", f"Note {number} on the order of a group and its divisors, subgroup by subgroup.")
    return world


def test_the_object_itself_and_not_another_of_its_document(groups: World) -> None:
    answer = search(groups.snapshot(), "Find a counterexample to GROUP#K1")
    assert "GROUP#X1" in ids(answer)[:3]
    found = next(r for r in answer.results if r.id == "GROUP#X1")
    assert found.graph_path == ("GROUP#K1", "^counterexample_to", "GROUP#X1") and found.ranks["graph"] >= 1


def test_a_superseded_object_at_the_end_of_the_relation_is_shown_with_its_successor(groups: World) -> None:
    answer = search(groups.snapshot(), "What contradicts GROUP#K1?")
    old = next(r for r in answer.results if r.id == "OLD#S")
    assert old.version_status == "SUPERSEDED" and old.successors == ("NEW",)


def test_the_language_of_what_is_joined_does_not_matter(groups: World) -> None:
    answer = search(groups.snapshot(), "What contradicts GROUP#K1?", k=6)
    assert "ZH#S" in ids(answer)


def test_without_a_relation_asked_the_texts_decide(groups: World) -> None:
    answer = search(groups.snapshot(), "order of a group and its divisors", k=3)
    assert all(name.startswith("N") for name in ids(answer))
