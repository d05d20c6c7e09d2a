"""Plans in and out, JSON and YAML, with the paper's spellings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.errors import UsageError
from oam_rdf.query.plan import Entry, Epistemic, Form, Lexical, Plan, Version

PLANS = Path(__file__).resolve().parents[1] / "data" / "plans"


def paper(number: int) -> Plan:
    """One of the two plans of the paper's §2.1, as it prints them."""
    return Plan.from_yaml((PLANS / f"paper-{number}.yaml").read_text("utf-8"))


def test_the_papers_plans_are_read_and_kept() -> None:
    first, second = paper(1), paper(2)
    assert [e.value for e in first.lexical.include] == ["IMS", "知識導航"]
    assert first.semantic == Entry("replacement framework for IMS")
    assert [e.value for e in first.navigation.directions] == ["VERSION.LATEST", "EPISTEMIC.MORE_RIGOROUS"]
    assert [e.value for e in first.graph.relations] == ["supersedes", "refines"]
    assert first.routes == ("HYBRID", "GRAPH_LOCAL") and not first.version.mode.hard
    assert [e.value for e in second.epistemic.prefer] == ["SPECIFICATION", "CODE", "TEST_RESULT"]
    for plan in (first, second):
        assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
        assert Plan.from_yaml(plan.to_yaml()) == plan


entries = st.lists(
    st.builds(Entry, st.text(), st.just("rule:x"), st.integers(0, 100).map(lambda n: n / 100), st.booleans()),
    max_size=3,
).map(tuple)


@given(entries, entries, st.integers(1, 1000), st.sampled_from(["", "2026-07-31"]), st.text())
def test_round_trip(ids: tuple[Entry, ...], states: tuple[Entry, ...], k: int, as_of: str, text: str) -> None:
    plan = Plan(
        text=text,
        lexical=Lexical(ids=ids),
        epistemic=Epistemic(require=states),
        form=Form(k=k),
        version=Version(as_of=as_of),
    )
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"lexicon": {}}, "unknown key 'lexicon' in plan"),
        ({"lexical": []}, "plan.lexical must be a mapping"),
        ({"form": {"k": "ten"}}, "plan.form.k must be of type int"),
        ({"form": {"k": True}}, "plan.form.k must be of type int"),
        ({"epistemic": {"require": [{"confidence": 1}]}}, "an entry has value"),
        ({"epistemic": {"require": [{"value": "X", "confidence": 2}]}}, "confidence must lie in"),
        ({"epistemic": {"require": [None]}}, "is no entry"),
    ],
)
def test_a_wrong_plan_names_its_place(data: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("[", r"\[")):
        Plan.from_json(data)


def test_yaml_that_is_no_plan() -> None:
    for text in ("- a\n- b", "a: [", ": :\n\t"):
        with pytest.raises(UsageError):
            Plan.from_yaml(text)
    with pytest.raises(UsageError, match="is not a date"):
        _ = Version(as_of="yesterday").moment


def test_a_date_without_quotes_is_read() -> None:
    assert Plan.from_yaml("version: {as_of: 2026-07-31}").version.as_of == "2026-07-31"


def test_a_callers_plan_in_json() -> None:
    plan = Plan.from_json(json.loads((PLANS / "caller.json").read_text("utf-8")))
    assert plan.epistemic.require == (Entry("FORMALLY_PROVED", "caller", 1.0, True),)
    assert plan.weights.lexical == 0.9 and plan.weights.rrf_k == 60 and plan.form.shape == "timeline"
    assert [e.value for e in plan.navigation.directions] == ["IMPLEMENTATION.DOWN"]
    assert Plan.from_yaml(plan.to_yaml()) == plan


@pytest.mark.parametrize(
    ("spelling", "mode"),
    [
        ({"query_plan": {}}, None),
        ({"version": {"prefer_active": False}}, "default"),
        ({"version_preference": "latest_active"}, "active"),
        ({"semantic_intent": "breathing"}, "default"),
    ],
)
def test_spellings_of_the_papers_certificate(spelling: dict[str, object], mode: str | None) -> None:
    if mode is None:
        with pytest.raises(UsageError, match="unknown key 'query_plan'"):
            Plan.from_json(spelling)
        return
    assert Plan.from_json(spelling).version.mode.value == mode


def test_the_plan_of_the_papers_certificate_is_read() -> None:
    """Paper §10: ``semantic_intent``, ``operators``, ``version_preference``, ``epistemic_preference``."""
    plan = Plan.from_json(
        {
            "semantic_intent": "reconstructed breathing framework",
            "operators": ["META.CRITIQUE", "REP.FORMALIZE", "INTERO.BREATH"],
            "version_preference": "latest_active",
            "epistemic_preference": "testable_over_metaphysical",
        }
    )
    assert plan.semantic == Entry("reconstructed breathing framework")
    assert [e.value for e in plan.operator.prefer] == ["META.CRITIQUE", "REP.FORMALIZE", "INTERO.BREATH"]
    assert not plan.version.mode.hard
    assert [e.value for e in plan.epistemic.prefer] == ["TESTABLE_HYPOTHESIS"]
    assert [e.value for e in plan.epistemic.exclude] == ["METAPHYSICAL_CONJECTURE"]
    assert Plan.from_json(plan.to_json()) == plan
