"""Score vector, freshness, duplicates and diversity: the stages between what was found and what is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from query_world import World, said

from oam_rdf.errors import UsageError
from oam_rdf.model import OperatorTag
from oam_rdf.query.answer import Answer
from oam_rdf.query.plan import Entry, Epistemic, Operator, Plan, Scoring
from oam_rdf.query.score import score
from oam_rdf.query.search import search
from oam_rdf.query.stages import STAGES


def ids(answer: Answer) -> list[str]:
    return [result.document for result in answer.results]


def asking(text: str, **parts: Any) -> Plan:
    return Plan(text=text, language="en", semantic=Entry(text), **parts)


def test_every_part_of_the_vector_is_in_the_unit_interval_and_recomputes(world: World) -> None:
    """final = (λ · Σ w·part / Σ w + (1 − λ) · utility) · freshness, for every result, from what the certificate says."""
    world.add("OLD", "The tide table of the harbour.", created="2001-01-01T00:00:00Z")
    world.add("NEW", "The tide table of the river.", created="2026-01-01T00:00:00Z", committed="2026-02-01T00:00:00Z")
    world.add("TAG", "The tide table of the lake.", operators=(OperatorTag("REP.FORMALIZE", 0.9, "rules"),))
    plan = asking(
        "tide table",
        operator=Operator(prefer=(Entry("REP.FORMALIZE"),)),
        scoring=Scoring(operator=0.5, provenance=0.2, version=0.1, reason="test"),
    )
    answer = search(world.snapshot(), plan)
    names = {"operator": "operator", "provenance": "provenance", "version": "version"}
    weights = answer.certificate["scoring"]["weights"]
    assert answer.results[0].document == "TAG"
    for result in answer.results:
        scores = dict(result.scores)
        assert all(0.0 <= value <= 1.0 for value in scores.values())
        parts = {"relevance": scores["fused"], **{name: scores[key] for name, key in names.items()}}
        retrieval = sum(weights[name] * parts[name] for name in parts) / sum(weights[name] for name in parts)
        final = (0.7 * retrieval + 0.3 * scores["utility"]) * scores["freshness"]
        assert scores["final"] == pytest.approx(final, abs=2e-3)


def test_a_part_of_weight_zero_moves_nothing(world: World) -> None:
    world.add("PLAIN", "The tide table, the tide table of the harbour.")
    world.add("TAGGED", "A tide table.", operators=(OperatorTag("REP.FORMALIZE", 1.0, "rules"),))
    snapshot = world.snapshot()
    wanted = Operator(prefer=(Entry("REP.FORMALIZE"),))
    plain = search(snapshot, asking("tide table"))
    shown = search(snapshot, asking("tide table", operator=wanted, scoring=Scoring(operator=0.0, reason="test")))
    assert ids(plain) == ids(shown)
    assert {r.document: r.scores["operator"] for r in shown.results} == {"PLAIN": 0.0, "TAGGED": 1.0}
    moved = search(snapshot, asking("tide table", operator=wanted, scoring=Scoring(operator=2.0, reason="test")))
    assert ids(moved)[0] == "TAGGED"


def test_few_reliable_tags_weaken_the_operator_weight(world: World) -> None:
    """Decision D11: below 20 % coverage the weight is scaled by coverage / 0.2."""
    for number in range(19):
        world.add(f"N{number:02d}", f"Tide table number {number}.")
    world.add("T", "Tide table with a tag.", operators=(OperatorTag("REP.FORMALIZE", 0.9, "rules"),))
    plan = asking(
        "tide table",
        operator=Operator(prefer=(Entry("REP.FORMALIZE"),)),
        scoring=Scoring(operator=1.0, reason="test"),
    )
    note = search(world.snapshot(), plan, k=20).certificate["scoring"]
    assert note["tag_coverage"] == pytest.approx(0.05) and note["weights"]["operator"] == pytest.approx(0.25)


def test_an_asked_state_counts_by_the_partial_order(world: World) -> None:
    """Decision D5: 1 met, 0.5 incomparable, 0 violated; never a number for strength."""
    for name, state in (("P", "FORMALLY_PROVED"), ("R", "REPRODUCED"), ("C", "CONJECTURE")):
        world.add(name, said("S", f"Claim {name} about the tide.", state=state))
    plan = asking(
        "claim tide",
        epistemic=Epistemic(prefer=(Entry("FORMALLY_PROVED"), Entry("CODE"))),
        scoring=Scoring(epistemic=1.0, reason="test"),
    )
    answer = search(world.snapshot(), plan)
    assert {r.document: r.scores["epistemic"] for r in answer.results} == {"P": 1.0, "R": 0.5, "C": 0.0}
    assert ids(answer) == ["P", "R", "C"]


def test_freshness_is_bounded_exempt_and_off_where_it_must_be(world: World) -> None:
    """Decision D27, hazard 73: [0.85, 1], never below, never for what does not age."""
    now = "2026-01-01T00:00:00Z"
    world.add("NEW", "Tide table one.", created=now, committed=now)
    world.add("HALF", "Tide table two.", created="2025-07-05T00:00:00Z", committed=now)
    world.add("OLD", "Tide table three.", created="1950-01-01T00:00:00Z", committed=now)
    world.add("DEF", said("S", "Tide table four.", state="DEFINITION"), created="1950-01-01T00:00:00Z", committed=now)
    world.add("NONE", "Tide table five.", committed=now)
    snapshot = world.snapshot()
    fresh = {r.document: r.scores["freshness"] for r in search(snapshot, "tide table").results}
    assert fresh["NEW"] == 1.0 and fresh["NONE"] == 1.0 and fresh["DEF"] == 1.0
    assert fresh["HALF"] == pytest.approx(0.925, abs=1e-3) and fresh["OLD"] == 0.85
    for options in ({"half_life": 0}, {"as_of": "2026-06-01"}, {"directions": ["SOURCE.BACK"]}):
        answer = search(snapshot, "tide table", **options)  # type: ignore[arg-type]
        assert {r.scores["freshness"] for r in answer.results} == {1.0}, options
        assert answer.certificate["scoring"]["freshness_off"]
    first = search(snapshot, "OLD").results[0]
    assert first.document == "OLD" and first.scores["freshness"] == 1.0


def test_a_text_without_source_counts_less(world: World) -> None:
    world.add("SPAN", said("S", "The tide table of the bay was printed in spring."))
    world.add("BARE", said("S", "The tide table of the bay was printed in autumn."), inline=True)
    found = {r.document: r.scores for r in search(world.snapshot(), "tide table bay printed").results}
    assert found["SPAN"]["utility"] == 1.0 > found["BARE"]["utility"]
    assert found["SPAN"]["provenance"] == 1.0


def test_duplicates_are_shown_once_and_listed(world: World) -> None:
    for name in ("A", "B"):
        world.add(name, said("S", "The tide in the strait turns twice a day."))
    world.add("C", said("S", "The tide in the strait turns twice a day.", state="CONJECTURE"))
    world.add(
        "D", said("S", "In the strait the tide turns two times daily."), relations=(("S", "same_claim_as", "A#S"),)
    )
    answer = search(world.snapshot(), "tide strait turns twice")
    shown = {result.id: result.duplicates for result in answer.results}
    assert shown["A#S"][:1] == ("B#S",) and "D#S" in shown["A#S"]
    assert "C#S" in shown, "another state is no duplicate"
    assert {(item["id"], item["into"]) for item in answer.certificate["collapsed"]} == {("B#S", "A#S"), ("D#S", "A#S")}
    named = search(world.snapshot(), "B#S")
    assert named.results[0].id == "B#S", "what is named by id is itself"


def test_diversity_takes_the_next_best_from_elsewhere(world: World) -> None:
    """Two families of pages: without diversity the closer family fills the top, with it both are there."""
    for number in range(6):
        links = tuple(("cites", f"A{other}") for other in range(6) if other != number)
        world.add(f"A{number}", f"Tide table tide table, page {number} of the almanac.", relations=links)
    for number in range(3):
        links = tuple(("cites", f"B{other}") for other in range(3) if other != number)
        world.add(
            f"B{number}", f"A tide table in the {number} volume of an atlas with further words in it.", relations=links
        )
    snapshot = world.snapshot()
    plain = ids(search(snapshot, "tide table", k=3))
    varied = search(snapshot, "tide table", k=3, diversity=0.5)
    assert {name[0] for name in plain} == {"A"} and {name[0] for name in ids(varied)} == {"A", "B"}
    assert varied.certificate["diversity"]["lambda"] == 0.5 and varied.certificate["diversity"]["moved"] > 0
    assert ids(varied)[0] == plain[0]
    with pytest.raises(UsageError, match="diversity"):
        search(snapshot, "tide table", diversity=1.5)


def test_the_stage_can_be_left_out_and_pins_stay_first(world: World) -> None:
    world.add("A", "The tide.", operators=(OperatorTag("REP.FORMALIZE", 1.0, "rules"),))
    world.add("B", "The tide and the harbour.")
    snapshot = world.snapshot()
    plan = asking(
        "B tide", scoring=Scoring(operator=5.0, reason="test"), operator=Operator(prefer=(Entry("REP.FORMALIZE"),))
    )
    named = replace(plan, lexical=replace(plan.lexical, ids=(Entry("B"),)))
    assert ids(search(snapshot, named))[0] == "B"
    without = search(snapshot, plan, stages=[stage for stage in STAGES if stage[1] is not score])
    assert without.certificate["scoring"] == {} and without.results
