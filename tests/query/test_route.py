"""Routes by type and by what is there; weights before recall and after it; reasons in three languages."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_world import World, said

from oam_rdf.errors import ConfigError
from oam_rdf.index.lexical_result import LexicalResult
from oam_rdf.query import adapt as adapt_module
from oam_rdf.query.adapt import adapt, features, margin
from oam_rdf.query.compile import compile_query
from oam_rdf.query.families import families
from oam_rdf.query.logistic import FEATURES, Logistic, shipped
from oam_rdf.query.phrases import LANGUAGES, REASONS, say
from oam_rdf.query.plan import Entry, Plan, Scoring, Weights
from oam_rdf.query.recall import recall
from oam_rdf.query.route import base_weights, route
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import Ranking, State

QUERY = Path(__file__).resolve().parents[2] / "oam_rdf" / "query"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    world = World(tmp_path_factory.mktemp("route"))
    for number in range(12):
        world.add(f"NOTE-{number:02d}", said("H", f"Note {number} tells how a pendulum swings in a clock."))
    world.add("DOC-1", said("H", "A pendulum swings."))
    world.add("DOC-2", said("H", "A pendulum swings on."), relations=(("supersedes", "DOC-1"),))
    yield world.snapshot()
    for opened in world.opened:
        opened.close()


def routed(snapshot: Snapshot, query: str | Plan, **ids: int) -> State:
    plan = compile_query(query, snapshot) if isinstance(query, str) else query
    named = {e.value: row for e in plan.lexical.ids for row, _ in snapshot.facets.named(e.value)}
    return route(State(plan, snapshot, ids=named or ids))


def recalled(snapshot: Snapshot, query: str | Plan) -> State:
    state = routed(snapshot, query)
    shown = snapshot.visible_passages
    return recall(replace(state, allowed=snapshot.visible, passages=shown))


class WithVectors:
    """A snapshot as if vectors were there: what a router looks at, nothing that searches."""

    def __init__(self, snapshot: Snapshot, **parts: Any) -> None:
        self._snapshot, self._parts = snapshot, {"dense": object(), **parts}

    def __getattr__(self, name: str) -> Any:
        return self._parts[name] if name in self._parts else getattr(self._snapshot, name)


ROUTES = [
    ("DOC-1", ["SPARSE_ONLY"]),
    ("What is DOC-1?", ["SPARSE_ONLY"]),
    ("how do clocks keep time", ["HYBRID"]),
    ("a more general statement than DOC-1", ["OPERATOR_FILTERED", "GRAPH_LOCAL"]),
    ("a more general statement about pendulums", ["HYBRID", "OPERATOR_FILTERED", "GRAPH_LOCAL"]),
    ("a more general statement about pendulums than DOC-1", ["HYBRID", "OPERATOR_FILTERED", "GRAPH_LOCAL"]),
    ("which notes depend on DOC-1", ["HYBRID", "GRAPH_LOCAL"]),
    ("這些文件主要分為哪幾類", ["HYBRID", "GRAPH_GLOBAL"]),
    ("which notes are still unproved", ["HYBRID"]),
    ("which notes are backed by experiments", ["HYBRID", "GRAPH_LOCAL"]),
    ("DOC-1 的最新版本", ["VERSION_TRACE", "SOURCE_TRACE"]),
    ("how did the pendulum theory change", ["HYBRID", "VERSION_TRACE", "SOURCE_TRACE"]),
    ("objections to DOC-1", ["OPERATOR_FILTERED", "GRAPH_LOCAL"]),
    ("有多少文件？", ["NO_RETRIEVAL"]),
    ("", ["NO_RETRIEVAL"]),
    ("?!", ["NO_RETRIEVAL"]),
]


@pytest.mark.parametrize(("query", "expected"), ROUTES)
def test_default_routes(snapshot: Snapshot, query: str, expected: list[str]) -> None:
    state = routed(WithVectors(snapshot), query)  # type: ignore[arg-type]
    # A version is traced by its own stages; text is searched for it as well where no walk leads on.
    if "VERSION_TRACE" in expected and "HYBRID" not in expected:
        assert set(state.plan.routes) - {"HYBRID"} == set(expected)
    else:
        assert list(state.plan.routes) == expected
    assert state.step("route")["reasons"]


def test_every_type_of_the_table_is_reached(snapshot: Snapshot) -> None:
    found = {compile_query(query, snapshot).query_type for query, _ in ROUTES}
    assert found == set(families())


def test_a_channel_that_is_off_is_not_a_route(snapshot: Snapshot) -> None:
    plain = routed(snapshot, "how do clocks keep time")
    assert plain.plan.routes == ("SPARSE_ONLY",) and "there are no vectors to search" in plain.step("route")["reasons"]
    blind = routed(WithVectors(snapshot, lexical=None), "What is DOC-1?")  # type: ignore[arg-type]
    assert blind.plan.routes == ("DENSE_ONLY",)
    alone = routed(WithVectors(snapshot, graph=None), "which notes depend on DOC-1")  # type: ignore[arg-type]
    assert alone.plan.routes == ("HYBRID",) and "there is no graph to walk" in alone.step("route")["reasons"]
    lost = routed(WithVectors(snapshot, graph=None), "a more general statement than DOC-1")  # type: ignore[arg-type]
    assert lost.plan.routes == ("HYBRID", "OPERATOR_FILTERED")


def test_the_callers_routes_stay(snapshot: Snapshot) -> None:
    for names in (("SPARSE_ONLY",), ("GRAPH_LOCAL",), ("NO_RETRIEVAL",), ("DENSE_ONLY", "GRAPH_GLOBAL")):
        plan = replace(compile_query("objections to DOC-1", snapshot), route=tuple(Entry(name) for name in names))
        assert set(routed(snapshot, plan).plan.routes) == set(names)
    # A trace alone finds nothing: the text is searched for what it is to start from.
    plan = replace(compile_query("pendulum", snapshot), route=(Entry("VERSION_TRACE"),))
    assert routed(WithVectors(snapshot), plan).plan.routes == ("HYBRID", "VERSION_TRACE")  # type: ignore[arg-type]


def test_no_retrieval_is_never_inferred_where_something_is_named(snapshot: Snapshot) -> None:
    plan = Plan(text="status", entities=(Entry("DOC-1", "rule:x"),), route=(Entry("NO_RETRIEVAL", "rule:operational"),))
    assert "NO_RETRIEVAL" not in routed(snapshot, plan).plan.routes


def test_a_plan_without_routes_gets_those_of_its_type(snapshot: Snapshot) -> None:
    state = routed(WithVectors(snapshot), Plan(text="pendulum", query_type="RELATIONAL"))  # type: ignore[arg-type]
    assert state.plan.routes == ("HYBRID", "GRAPH_LOCAL")
    odd = routed(WithVectors(snapshot), Plan(text="pendulum", query_type="SONG"))  # type: ignore[arg-type]
    assert odd.plan.routes == ("HYBRID",)


def test_a_small_corpus_takes_the_short_path_and_says_so(snapshot: Snapshot) -> None:
    """Paper §19.8."""
    wide = replace(compile_query("clocks", snapshot), form=replace(Plan().form, k=500))
    state = routed(snapshot, wide)
    assert "the whole corpus fits into one answer: the short path" in state.step("route")["reasons"]
    assert adapt(state).plan.weights == state.plan.weights
    assert "short path" not in " ".join(routed(snapshot, "clocks").step("route")["reasons"])


# -- weights -----------------------------------------------------------------------------------------------------------


def test_base_weights_by_kind_and_language() -> None:
    def of(**parts: Any) -> tuple[float, float, float]:
        weights = base_weights(Plan(**parts))
        assert abs(weights.lexical + weights.dense - 1) < 1e-9 and weights.reason in REASONS
        return weights.lexical, weights.dense, weights.graph

    assert of(text="X-1", query_type="EXACT", language="en") == (0.7, 0.3, 0.0)
    assert of(text="呼吸 節律", language="zh") == (0.7, 0.3, 0.0)
    assert of(text="呼吸如何影響節律？", language="zh") == (0.6, 0.4, 0.0)
    assert of(text="how clocks work", language="en") == (0.3, 0.7, 0.0)
    assert of(text="In which year was the clock built?", language="en") == (0.3, 0.7, 0.0)
    assert of(text="clocks lose time in the cold", language="en") == (0.5, 0.5, 0.0)
    assert of(text="x", query_type="RELATIONAL", language="en")[2] > 0.3


def test_what_the_caller_weighs_stays(snapshot: Snapshot) -> None:
    given_, spoken = Weights(60, 0.9, 0.1), Scoring(operator=0.7)
    plan = replace(compile_query("pendulum of unheardof wording", snapshot), weights=given_, scoring=spoken)
    state = adapt(recalled(snapshot, plan))
    assert state.plan.weights == replace(given_, reason="set by the caller") and state.plan.scoring == spoken
    noted = state.step("adapt")
    assert noted["before"] == noted["after"] and noted["reasons"] == ["the weights are set already"]


def test_unknown_words_shift_weight_to_meaning(snapshot: Snapshot) -> None:
    before = recalled(snapshot, "oscillating gizmo heirlooms and a clock")
    after = adapt(before)
    assert after.step("adapt")["features"]["oov"] > 0.34
    assert after.plan.weights.lexical < before.plan.weights.lexical
    assert after.plan.weights.dense == pytest.approx(1 - after.plan.weights.lexical)
    known = adapt(recalled(snapshot, "how does a pendulum swing in a clock"))
    assert known.plan.weights.lexical >= after.plan.weights.lexical


def test_another_language_than_the_corpus_counts_meaning(snapshot: Snapshot) -> None:
    state = adapt(recalled(snapshot, "鐘擺如何擺動？"))
    assert state.step("adapt")["features"]["same_language"] == 0.0 and state.plan.weights.dense == 0.9


def test_a_match_that_stands_out_counts_words(snapshot: Snapshot) -> None:
    state = recalled(snapshot, "how does a pendulum swing")
    scores = np.array([9.0, 2.0, 1.0], dtype="f4")
    clear = replace(state, rankings=(Ranking("lexical", 0, np.arange(3), scores),))
    flat = replace(state, rankings=(Ranking("lexical", 0, np.arange(3), np.ones(3, dtype="f4")),))
    assert adapt(clear).plan.weights.lexical > adapt(flat).plan.weights.lexical == state.plan.weights.lexical


def test_parts_of_the_score_count_only_where_they_are_asked_for(snapshot: Snapshot) -> None:
    def scoring(query: str) -> Scoring:
        return adapt(recalled(snapshot, query)).plan.scoring

    plain = scoring("how does a pendulum swing")
    assert not any((plain.operator, plain.graph, plain.epistemic, plain.version, plain.provenance))
    assert plain.relevance == 1.0 and plain.retrieval == 0.7 and plain.reason in REASONS
    assert scoring("a more rigorous statement than DOC-1").operator > 0.3
    assert scoring("which notes depend on DOC-1").graph > 0
    assert scoring("which notes are still unproved").epistemic == 0.4
    assert scoring("latest version of DOC-1").version > 0
    assert scoring("DOC-1 的原文").provenance > 0


@given(st.lists(st.floats(0.0078125, 1024, width=32), min_size=1, max_size=40))
def test_margins_lie_between_0_and_1(scores: list[float]) -> None:
    ordered = np.array(sorted(scores, reverse=True), dtype="f4")
    found = margin(Ranking("lexical", 0, np.arange(len(ordered)), ordered))
    assert 0 <= found <= 1 and (found == 1) >= (len(scores) == 1)


def test_features_are_plain_numbers(snapshot: Snapshot) -> None:
    for query in ("pendulum", "", "鐘擺", "DOC-1", "which notes depend on DOC-1"):
        found = features(recalled(snapshot, query)) if query else features(routed(snapshot, query))
        assert set(found) == FEATURES and all(isinstance(value, float) for value in found.values())
        json.dumps(found, allow_nan=False)


# -- the optional model ------------------------------------------------------------------------------------------------

SHA = hashlib.sha256(b"judged queries").hexdigest()


def model(tmp_path: Path, **changes: Any) -> Path:
    data = {
        "name": "tiny",
        "training_sha256": SHA,
        "intercept": -1.0,
        "coefficients": {"oov": 4.0, "ids": -2.0},
        **changes,
    }
    file = tmp_path / "router.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_a_model_in_a_file_takes_the_place_of_the_rules(
    snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = Logistic.read(model(tmp_path))
    assert tiny({"oov": 0.25}) == pytest.approx(0.5) and tiny({"ids": 500.0}) < 1e-6 and tiny.training_sha256 == SHA
    assert shipped() is None  # none is shipped: the rules decide
    monkeypatch.setattr(adapt_module, "shipped", lambda: tiny)
    state = adapt(recalled(snapshot, "oscillating gizmo heirlooms and a clock"))
    oov = state.step("adapt")["features"]["oov"]
    assert state.plan.weights.dense == pytest.approx(min(0.9, tiny({"oov": oov})), abs=1e-3)
    assert state.step("adapt")["model"] == "tiny" and state.plan.weights.reason in REASONS


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coefficients": {"mood": 1.0}}, "unknown feature 'mood'"),
        ({"coefficients": [1.0]}, "JSON object with coefficients"),
        ({"training_sha256": "abc"}, "training_sha256 is no SHA-256"),
        ({"intercept": "much"}, "intercept is 'much'"),
        ({"coefficients": {"oov": True}}, "oov is True"),
    ],
)
def test_a_model_that_is_none_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Logistic.read(model(tmp_path, **changes))


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "router.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a model"):
        Logistic.read(tmp_path / "router.json")


# -- reasons -----------------------------------------------------------------------------------------------------------


def test_every_reason_has_both_scripts(snapshot: Snapshot) -> None:
    """Whatever route and adapt may say, read from their source as well as from what they said here."""
    written = set()
    for name in ("route.py", "adapt.py"):
        tree = ast.parse((QUERY / name).read_text("utf-8"))
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        written |= {s for s in texts if re.match(r"[a-z]", s) and s.count(" ") >= 3 and "\n" not in s and s[-1] != " "}
    assert len(written) >= 15
    written |= {f"default routes of the type {kind}" for kind in families()}
    for query, _ in ROUTES:
        state = adapt(recalled(snapshot, query)) if query.strip("?!") else adapt(routed(snapshot, query))
        for stage in ("route", "adapt"):
            written |= set(state.step(stage).get("reasons", ()))
        written |= set(state.plan.weights.reason.split("; ")) | {state.plan.scoring.reason}
    for reason in written - {""}:
        for language in set(LANGUAGES) - {"en"}:
            assert re.search(r"[\u4e00-\u9fff]", REASONS[reason][language]), reason
            assert say("; ", [reason], language) == REASONS[reason][language]


def test_joined_reasons_are_each_translated() -> None:
    one, two = "there is no graph to walk", "the weights are set already"
    for language in ("zh-Hant", "zh-Hans"):
        assert say("; ", [f"{one}; {two}"], language) == f"{REASONS[one][language]}; {REASONS[two][language]}"


def test_an_empty_result_is_no_feature(snapshot: Snapshot) -> None:
    nothing = LexicalResult(np.zeros(0, "i4"), np.zeros(0, "f4"), (), "bm25", 0, np.zeros(0, "i4"), (), ())
    state = replace(routed(snapshot, "pendulum"), lexical=nothing, rankings=())
    found = features(state)
    assert found["oov"] == found["lexical_margin"] == found["operator_coverage"] == 0.0
