"""A model's plan: checked by the schema, soft, marked, and never in the way when the model fails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chat_server import ChatServer, Reply, said
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.annotate.chat import Chat
from oam_rdf.query.plan import CALLER, Condition, Entry, Epistemic, Lexical, Plan
from oam_rdf.query.propose import propose

RULES = Plan(
    text="how living things keep time",
    language="en",
    lexical=Lexical(include=(Entry("time", "rule:content", 0.6),)),
    semantic=Entry("how living things keep time", "rule:text"),
    epistemic=Epistemic(require=(Entry("REFUTED", CALLER, 1.0, True),)),
    route=(Entry("HYBRID", "rule:type SEMANTIC"),),
)


class Says:
    """Answers with a value; what is asked is kept."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value
        self.asked: list[tuple[str, str]] = []

    def complete(self, system: str, user: str) -> dict[str, Any]:
        self.asked.append((system, user))
        return self.value


def served(reply: Reply, attempts: int = 1) -> tuple[Plan, ChatServer]:
    with ChatServer(lambda number, body: reply) as server:
        return propose(RULES, Chat(server.endpoint, "tiny", "", 2.0, attempts), "tiny"), server


def risks(plan: Plan) -> list[str]:
    return [entry.value for entry in plan.answerability_risk if entry.origin == "model:tiny"]


def test_a_plan_over_the_wire_is_merged_and_marked() -> None:
    content = {
        "query_type": "DIRECTIONAL",
        "semantic": "mechanisms of biological clocks",
        "lexical": {"include": ["clock", "time"]},
        "navigation": {"direction": ["implementation.down"]},
        "operator": {
            "require": [{"value": "IOP:RHYTHM:PERIODIC", "confidence": 1.0, "hard": True, "origin": "caller"}]
        },
        "epistemic": {"prefer": ["experiment"]},
    }
    plan, server = served((200, {}, said(json.dumps(content)), 0))
    assert server.requests[0]["messages"][1]["content"] == RULES.text
    assert plan.query_type == "DIRECTIONAL" and plan.semantic == Entry(
        "mechanisms of biological clocks", "model:tiny", 0.8
    )
    assert plan.lexical.include == (Entry("time", "rule:content", 0.6), Entry("clock", "model:tiny", 0.8))
    assert plan.operator.require == (Entry("RHYTHM.PERIODIC", "model:tiny", 0.8, False),)
    assert plan.navigation.directions == (Entry("IMPLEMENTATION.NEAREST", "model:tiny", 0.8),)
    assert plan.epistemic.require == RULES.epistemic.require  # the caller's stay as they are
    assert set(plan.routes) == {"HYBRID", "OPERATOR_FILTERED", "GRAPH_LOCAL"} and risks(plan) == []
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"access": {"clearance": "RESTRICTED"}}, "may not set 'access'"),
        ({"weights": {"lexical": 1.0}}, "may not set 'weights'"),
        ({"rescue": {"strict": False}}, "may not set 'rescue'"),
        ({"version": {"as_of": "2020-01-01"}}, "may not set 'version'"),
        ({"entities": ["X"]}, "may not set 'entities'"),
        ({"lexical": {"ids": ["X"]}}, "may not set lexical.ids"),
        ({"epistemic": {"require": ["REFUTED"]}}, "may not set epistemic.require"),
        ({"condition": {"visibility": ["PUBLIC"]}}, "may not set condition.visibility"),
        ({"form": {"granularity": "DOCUMENT"}}, "may not set form.granularity"),
        ({"colour": "red"}, "may not set 'colour'"),
        ({"navigation": "VERSION.LATEST"}, "plan.navigation must be a mapping"),
        ({"operator": {"prefer": [{"confidence": 1}]}}, "an entry has value"),
    ],
)
def test_what_is_no_plan_of_a_model_is_refused_whole(answer: dict[str, Any], message: str) -> None:
    plan = propose(RULES, Says({**answer, "semantic": "something else"}), "tiny")
    (risk,) = risks(plan)
    assert risk.startswith("rules alone made the plan: ") and message in risk
    assert plan.semantic == RULES.semantic and plan.route == RULES.route


def test_names_that_are_none_are_dropped_and_said() -> None:
    answer = {
        "query_type": "MAGIC",
        "navigation": {"directions": ["SIDEWAYS", "VERSION.LATER"]},
        "graph": {"relations": ["loves", "cites"]},
        "epistemic": {"prefer": ["TRUE", "REFUTED"]},
        "operator": {"prefer": ["REP.SING"]},
        "route": ["NO_RETRIEVAL", "GRAPH_LOCAL"],
        "form": {"shape": "poem"},
    }
    plan = propose(RULES, Says(answer), "tiny")
    assert [e.value for e in plan.navigation.directions] == ["VERSION.LATER"]
    assert [e.value for e in plan.graph.relations] == ["cites"] and plan.operator.prefer == ()
    assert [e.value for e in plan.epistemic.prefer] == ["REFUTED"]
    assert plan.routes == ("HYBRID", "GRAPH_LOCAL") and plan.query_type == "SEMANTIC" and plan.form.shape == "list"
    named = ("SIDEWAYS", "loves", "TRUE", "REP.SING", "NO_RETRIEVAL", "MAGIC", "poem")
    assert len(risks(plan)) == len(named) and all(any(name in risk for risk in risks(plan)) for name in named)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((500, {}, {"error": "busy"}, 0.0), "HTTP 500"),
        ((401, {}, {"error": "who are you"}, 0.0), "HTTP 401"),
        ((200, {}, said("I would rather not"), 0.0), "no JSON"),
        ((200, {}, "gibberish", 0.0), "no JSON"),
    ],
)
def test_a_model_that_fails_leaves_the_rules_plan(reply: Reply, message: str) -> None:
    plan, _ = served(reply)
    assert len(risks(plan)) == 1 and message in risks(plan)[0]
    assert plan == Plan.from_json({**RULES.to_json(), "answerability_risk": plan.to_json()["answerability_risk"]})


def test_nobody_is_asked_about_nothing() -> None:
    model = Says({"semantic": "x"})
    assert propose(Plan(text="  "), model, "tiny") == Plan(text="  ") and model.asked == []


values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "hard", "confidence", "x"]), inner)
    ),
    max_leaves=6,
)
keys = st.sampled_from(
    [
        "lexical",
        "operator",
        "navigation",
        "graph",
        "epistemic",
        "condition",
        "form",
        "semantic",
        "route",
        "query_type",
        "access",
    ]
)
names = st.sampled_from(
    ["include", "exclude", "prefer", "require", "directions", "relations", "shape", "domain", "hops"]
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(keys, values | st.dictionaries(names, values)))
def test_whatever_a_model_says_nothing_of_it_is_hard(answer: dict[str, Any]) -> None:
    plan = propose(RULES, Says(answer), "tiny")
    assert plan.access == RULES.access and plan.rescue == RULES.rescue and plan.weights == RULES.weights
    assert plan.epistemic.require == RULES.epistemic.require and plan.lexical.ids == RULES.lexical.ids
    soft = (*plan.operator.require, *plan.operator.exclude, *plan.epistemic.prefer, *plan.lexical.include, *plan.route)
    assert not any(entry.hard for entry in soft)
    assert plan.condition.visibility == Condition().visibility and "NO_RETRIEVAL" not in plan.routes
    assert Plan.from_json(plan.to_json()) == plan
