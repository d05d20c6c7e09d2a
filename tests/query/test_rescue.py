"""Rescue (decision D8): what is relaxed, in which order, what it let in, and what never is."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store
from query_world import World, said

from oam_rdf.model import OperatorTag
from oam_rdf.namespaces import OAM
from oam_rdf.query.answer import Answer
from oam_rdf.query.constrain import with_narrower
from oam_rdf.query.plan import Condition, Entry, Epistemic, Operator, Plan, Rescue, Source, Version
from oam_rdf.query.rescue import relaxations
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.widen import widened

FORMAL, CRITIQUE = "REP.FORMALIZE", "META.CRITIQUE"


def tag(notation: str, confidence: float) -> OperatorTag:
    return OperatorTag(notation, confidence, "rules")


@pytest.fixture
def tagged(world: World) -> World:
    """Six notes on one subject: formal ones, a critique, an untagged one and two that a tagger was unsure of."""
    for name, operators in (
        ("A", (tag(FORMAL, 0.9),)),
        ("B", (tag(CRITIQUE, 0.9),)),
        ("C", ()),
        ("D", (tag(CRITIQUE, 0.3),)),
        ("E", (tag("REP.COMPRESS", 0.8),)),
    ):
        world.add(name, f"Note {name} measures the tides of the strait.", operators=operators)
    return world


def documents(answer: Answer) -> set[str]:
    return {result.document for result in answer.results}


def test_steps_come_in_the_order_of_the_decision() -> None:
    guess = Entry(CRITIQUE, "rule:cue critique", 0.5, hard=True)
    surer = Entry("META.REVIEW", "rule:cue review", 0.8, hard=True)
    asked = Entry(FORMAL, hard=True)
    domain = Entry("physics", hard=True)
    plan = Plan(operator=Operator(require=(asked, surer, guess)), condition=Condition(domain=(domain,)))
    steps = [(step.level, step.entry.value) for step in relaxations(plan)]
    first = [value for level, value in steps if level == 1]
    assert first == [CRITIQUE, "META.REVIEW", FORMAL]  # inferred before the caller's, unsure before sure
    assert [level for level, _ in steps] == sorted(level for level, _ in steps)
    assert [value for level, value in steps if level == 3] == [CRITIQUE, "META.REVIEW", "physics", FORMAL]
    assert relaxations(replace(plan, rescue=Rescue(strict=True))) == []
    soft = replace(plan, operator=Operator(require=(Entry(FORMAL),)), condition=Condition())
    assert relaxations(soft) == []


def test_enough_candidates_relax_nothing(tagged: World) -> None:
    answer = search(tagged.snapshot(), "tides strait", operators=[FORMAL], k=1)
    assert documents(answer) == {"A"} and answer.certificate["relaxations"] == []
    assert answer.certificate["constraints"]["removed"]


def test_each_step_says_what_it_let_in(tagged: World) -> None:
    snapshot = tagged.snapshot()
    answer = search(snapshot, "tides strait", operators=[FORMAL])
    steps = answer.certificate["relaxations"]
    assert [step["what"] for step in steps] == ["operator.require"] * len(steps) and steps
    # The untagged note and the one whose tag is not reliable say nothing against themselves.
    assert {name.split("#")[0] for name in steps[0]["let_in"]} == {"C", "D"} and steps[0]["count"] == 2
    assert documents(answer) == {"A", "C", "D"}
    assert answer.results[0].document == "A"  # what meets the condition still comes first


def test_relaxed_to_the_end_everything_is_found_and_every_step_shown(tagged: World) -> None:
    snapshot = tagged.snapshot()
    plan = Plan(
        text="tides strait",
        language="en",
        semantic=Entry("tides strait"),
        operator=Operator(require=(Entry(FORMAL, hard=True),)),
        rescue=Rescue(k_min=5),
    )
    answer = search(snapshot, plan)
    levels = [step["step"] for step in answer.certificate["relaxations"]]
    assert len(levels) == len(relaxations(plan)) and documents(answer) == {"A", "B", "C", "D", "E"}
    assert answer.certificate["relaxations"][-1]["to"] == "soft"


def test_strict_relaxes_nothing_and_says_what_there_would_have_been(tagged: World) -> None:
    snapshot = tagged.snapshot()
    plan = replace(
        Plan(text="tides strait", language="en", semantic=Entry("tides strait")),
        operator=Operator(require=(Entry("TIME.HISTORICAL", hard=True),)),
        rescue=Rescue(strict=True),
    )
    answer = search(snapshot, plan)
    assert answer.results == () and answer.certificate["relaxations"] == []
    assert answer.verdict == "EVIDENCE_INSUFFICIENT"
    assert answer.verdicts[0]["facts"]["would_have_found"] == 5


def test_an_excluded_operator_gives_way_only_to_unreliable_tags_first(tagged: World) -> None:
    answer = search(tagged.snapshot(), "tides strait", exclude_operators=[CRITIQUE, FORMAL, "REP.COMPRESS"])
    (step, *_) = answer.certificate["relaxations"]
    assert step["what"] == "operator.exclude" and documents(answer) >= {"C", "D"}


def test_conditions_of_use_are_masks_that_parts_inherit(world: World) -> None:
    for name in ("A", "B"):
        world.add(name, f"Dose table {name} for the remedy.")
    generation = world.publish()
    writer = Store(str(generation.path / "store"))
    subject = NamedNode(world.iri("A"))
    graph = next(q.graph_name for q in writer.quads_for_pattern(subject, None, None))
    writer.add(Quad(subject, NamedNode(OAM + "appliesTo"), Literal("adults"), graph))
    writer.flush()
    del writer
    snapshot = world.snapshot(generation=generation)
    answer = search(snapshot, "dose table remedy", conditions={"population": ["Adults"]}, k=1)
    assert documents(answer) == {"A"} and answer.certificate["constraints"]["removed"]["population"] > 0
    relaxed = search(snapshot, "dose table remedy", conditions={"population": ["Adults"]})
    assert documents(relaxed) == {"A", "B"} and relaxed.certificate["relaxations"][0]["what"] == "condition.population"


@pytest.fixture
def mixed(world: World) -> World:
    """Forty notes with every combination of state, version, visibility and tags that the plans below can ask for."""
    states = ("CONJECTURE", "HYPOTHESIS", "SOURCE_CLAIM", "DEFINITION", "OBSERVATION")
    for number in range(40):
        previous = ((f"N{number - 1:02d}", "supersedes"),) if number % 7 == 3 else ()
        world.add(
            f"N{number:02d}",
            said("S", f"Observation {number} of the harbour tide and wind.", state=states[number % 5]),
            relations=tuple((kind, target) for target, kind in previous),
            operators=(tag((FORMAL, CRITIQUE, "REP.COMPRESS")[number % 3], (0.3, 0.9)[number % 2]),)
            if number % 4
            else (),
            visibility="" if number % 5 else "CONFIDENTIAL",
        )
    return world


@pytest.mark.parametrize("plans", [120, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_plans_relax_nothing_that_must_hold(mixed: World, plans: int) -> None:
    """No relaxation of what must never be relaxed, and nothing in any result that a mask forbids."""
    rng = random.Random(20260731)
    snapshots = mixed.each_clearance()
    relaxed = 0
    for _ in range(plans):
        clearance = rng.choice(list(snapshots))
        snapshot, plan = snapshots[clearance], _random_plan(rng)
        answer = search(snapshot, plan)
        relaxed += len(answer.certificate["relaxations"])
        _check(snapshot, plan, answer)
    assert relaxed > plans / 3  # the plans are hard enough to need it


def _random_plan(rng: random.Random) -> Plan:
    def some(values: tuple[str, ...], share: float) -> tuple[Entry, ...]:
        origin = rng.choice(("caller", "rule:cue"))
        return tuple(
            Entry(value, origin, round(rng.uniform(0.2, 1), 2), rng.random() < 0.8)
            for value in rng.sample(values, rng.randint(1, min(2, len(values))))
            if rng.random() < share
        )

    operators = (FORMAL, CRITIQUE, "REP.COMPRESS", "TIME.HISTORICAL", "META.REVIEW")
    states = ("CONJECTURE", "HYPOTHESIS", "DEFINITION", "FORMALLY_PROVED")
    return Plan(
        text=rng.choice(("harbour tide", "wind", "observation tide wind", "harbour")),
        language="en",
        semantic=Entry("tide"),
        operator=Operator(require=some(operators, 0.6), exclude=some(operators, 0.3)),
        epistemic=Epistemic(require=some(states, 0.25), exclude=some(states, 0.2)),
        version=Version(mode=Entry("active", hard=True)) if rng.random() < 0.3 else Version(),
        source=Source(Entry("true", hard=True)) if rng.random() < 0.3 else Source(),
        condition=Condition(
            kind=some(("DEFINITION", "OBSERVATION"), 0.15),
            language=some(("en", "zh"), 0.2),
            domain=some(("physics",), 0.2),
            visibility=some(("PUBLIC", "CONFIDENTIAL"), 0.1),
        ),
        rescue=Rescue(k_min=rng.choice((0, 1, 5, 20)), strict=rng.random() < 0.2),
    )


def _check(snapshot: Snapshot, plan: Plan, answer: Answer) -> None:
    allowed = {"operator.require", "operator.exclude", "condition.domain", "condition.language", "condition.kind"}
    gone: dict[tuple[str, str], list[str]] = {}
    for step in answer.certificate["relaxations"]:
        assert not plan.rescue.strict and step["what"] in allowed
        if step["what"] in ("condition.language", "condition.kind"):
            assert step["origin"] != "caller"
        gone.setdefault((step["what"], step["value"]), []).append(step["step"])
    facets = snapshot.facets
    required = [e.value for e in plan.epistemic.require if e.hard]
    barred = [e.value for e in plan.epistemic.exclude if e.hard]
    for result in answer.results:
        row = facets.row(result.iri)
        assert snapshot.visible[row], "access is never relaxed"
        if required:
            assert result.epistemic_state in with_narrower("epistemic-state", required)
        if barred:
            assert result.epistemic_state not in with_narrower("epistemic-state", barred)
        if plan.version.mode.hard:
            assert result.version_status == "ACTIVE"
        if plan.source.require_original and plan.source.require_original.hard:
            assert result.source_available
        for entry in plan.condition.visibility:
            assert not entry.hard or facets.column("visibility")[row] in {e.value for e in plan.condition.visibility}
        for entry in (e for e in plan.operator.require if e.hard):
            _meets(snapshot, row, entry.value, gone.get(("operator.require", entry.value), []))


def _meets(snapshot: Snapshot, row: int, notation: str, steps: list[str]) -> None:
    if any("prefers" in step for step in steps):
        return
    names = widened(notation) if any("widened" in step for step in steps) else (notation,)
    carries = {tag.notation for tag in snapshot.tags.effective(row)}
    reliable = bool(np.asarray(snapshot.tags.reliable)[row])
    assert carries & with_narrower("operator", names) or (steps and not reliable), (notation, carries, steps)


def test_a_relaxed_tag_shows_the_statement_that_carries_it(world: World) -> None:
    """The section holds more of the query's words; the statement inside it is what was asked for."""
    plain = "The harbour master measures the tides of the strait by a gauge."
    world.add("A", said("S", "A critique of it.", operators=(tag(CRITIQUE, 0.9),)), plain)
    passages = world.documents["A"].passages
    whole = replace(passages[0], end=passages[1].end, text=world.texts["A"][passages[0].start : passages[1].end])
    world.documents["A"] = replace(world.documents["A"], passages=(whole,))
    for name in ("B", "C"):
        world.add(name, plain, operators=(tag("TIME.HISTORICAL", 0.9),))
    snapshot = world.snapshot()
    query = "harbour master measures tides of the strait"
    shown = {r.document: r.id for r in search(snapshot, query).results}
    assert shown["A"] == "A#sec-1"  # nothing was asked of tags
    answer = search(snapshot, query, operators=[CRITIQUE])
    assert answer.certificate["relaxations"][-1]["to"] == "soft"
    assert {r.document: r.id for r in answer.results}["A"] == "A#S"
    assert {r.document for r in answer.results} == {"A", "B"}  # C says what B says
