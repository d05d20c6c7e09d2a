"""Values that the vocabulary does not have: named where they only prefer, refused where they constrain."""

from __future__ import annotations

from typing import Any

import pytest
from query_world import World, said

from oam_rdf.errors import UsageError
from oam_rdf.query.plan import Entry, Epistemic, Operator, Plan
from oam_rdf.query.search import replay, search


@pytest.fixture
def tides(world: World) -> World:
    world.add("A", said("K1", "The tide follows the moon.", state="CONJECTURE"))
    world.add("B", said("K2", "The tide follows the sun.", state="DEFINITION"))
    return world


def plan(**parts: Any) -> Plan:
    return Plan.from_json({"text": "tide", "language": "en", **parts})


def test_unknown_preferences_are_named_and_not_used(tides: World) -> None:
    snapshot = tides.snapshot()
    asked = plan(
        epistemic={"prefer": ["NOPE", "CONJECTURE"], "exclude": ["historical_claim_as_current"], "require": ["NEVER"]},
        operator={"prefer": ["NO.SUCH"]},
        graph={"relations": ["likes"]},
        query_type="RIDDLE",
    )
    answer = search(snapshot, asked)
    named = {(v["part"], v["value"]) for v in answer.certificate["uncertainty"]["unknown_values"]}
    assert named == {
        ("epistemic.prefer", "NOPE"), ("epistemic.exclude", "historical_claim_as_current"), ("epistemic.require", "NEVER"),
        ("operator.prefer", "NO.SUCH"), ("graph.relations", "likes"), ("query_type", "RIDDLE"),
    }  # fmt: skip
    assert {v["reason"] for v in answer.certificate["uncertainty"]["unknown_values"]} == {"unknown value, not used"}
    told = [s["text"] for s in answer.explanation() if s["pointer"].startswith("/uncertainty/unknown_values/")]
    assert len(told) == 6 and any("NOPE" in text for text in told)
    assert [r.id for r in replay(snapshot, answer.certificate).results] == [r.id for r in answer.results]


def test_what_is_known_is_not_named(tides: World) -> None:
    asked = plan(
        epistemic={"prefer": ["CONJECTURE", "formal_proof", "REPRODUCED", "SPECIFICATION"]},
        operator={"prefer": ["REP.FORMALIZE"]},
        graph={"relations": ["supersedes"]},
    )
    assert search(tides.snapshot(), asked).certificate["uncertainty"]["unknown_values"] == []


@pytest.mark.parametrize(
    ("part", "value"),
    [
        (Operator(require=(Entry("NO.SUCH", hard=True),)), "NO.SUCH"),
        (Operator(exclude=(Entry("NO.SUCH", hard=True),)), "NO.SUCH"),
        (Epistemic(require=(Entry("NOPE", hard=True),)), "NOPE"),
        (Epistemic(exclude=(Entry("NOPE", hard=True),)), "NOPE"),
    ],
)
def test_a_constraint_on_an_unknown_value_is_refused(tides: World, part: Any, value: str) -> None:
    name = "operator" if isinstance(part, Operator) else "epistemic"
    with pytest.raises(UsageError, match=f"unknown .*{value}.*one of"):
        search(tides.snapshot(), Plan(text="tide", language="en", **{name: part}))


def test_spellings_of_one_value_are_one(tides: World) -> None:
    answer = search(
        tides.snapshot(), plan(operator={"prefer": ["iop:rep:formalize"]}, epistemic={"prefer": ["conjecture"]})
    )
    asked = answer.certificate["query_plan"]
    assert [e["value"] for e in asked["operator"]["prefer"]] == ["REP.FORMALIZE"]
    assert [e["value"] for e in asked["epistemic"]["prefer"]] == ["CONJECTURE"]
    assert answer.certificate["uncertainty"]["unknown_values"] == []
    assert next(r for r in answer.results if r.id == "A#K1").scores["epistemic"] == 1.0


@pytest.mark.parametrize("option", ["language", "only_language"])
def test_an_unknown_language_names_the_known_ones(tides: World, option: str) -> None:
    tides.add("S", "Secretum maris.", language="la", visibility="CONFIDENTIAL")
    each = tides.each_clearance()
    for snapshot, tag in ((each["PUBLIC"], "xx"), (each["PUBLIC"], "la"), (each["CONFIDENTIAL"], "xx-Latn")):
        with pytest.raises(UsageError, match=r"unknown language.*one of.*en.*zh") as error:
            search(snapshot, "tide", **{option: tag})
        assert (", la" in str(error.value)) == (snapshot is each["CONFIDENTIAL"])
    for tag in ("la", "zh-Hant", "de"):
        search(each["CONFIDENTIAL"], "tide", **{option: tag})
