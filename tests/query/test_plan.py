"""Plans in and out, and the deterministic compiler."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_world import World

from oam_rdf.errors import UsageError
from oam_rdf.query.compile import compile_query, language_of
from oam_rdf.query.plan import Entry, Epistemic, Form, Lexical, Plan, Version
from oam_rdf.query.search import search

# The two plans of the paper's §2.1, as it prints them.
FIRST = """
lexical:
  include: [IMS, 知識導航]
semantic:
  intent: replacement framework for IMS
operator:
  require:
    - META.REVIEW
    - REP.FORMALIZE
navigation:
  direction:
    - VERSION.LATEST
    - EPISTEMIC.MORE_RIGOROUS
graph:
  relation:
    - supersedes
    - refines
version:
  prefer_active: true
epistemic:
  exclude:
    - historical_claim_as_current
route:
  type: hybrid_graph
"""
SECOND = """
navigation:
  direction:
    - APPLICATION.DOWN
    - IMPLEMENTATION.NEAREST
graph:
  relation:
    - implements
    - operationalizes
epistemic:
  prefer:
    - SPECIFICATION
    - CODE
    - TEST_RESULT
"""


def test_the_papers_plans_are_read_and_kept() -> None:
    first, second = Plan.from_yaml(FIRST), Plan.from_yaml(SECOND)
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


@pytest.fixture
def kb(world: World) -> World:
    world.add("PEP-0241", "Metadata for packages.", aliases=("pkg-info",))
    world.add("呼吸律", "宇宙以固定節奏呼吸。", language="zh-Hant")
    return world


def test_ids_names_and_quotes(kb: World) -> None:
    snapshot = kb.snapshot()
    for text in ("What is PEP-241?", "pep 241 的內容", "ＰＥＰ－241", "see pkg-info"):
        (entry,) = compile_query(text, snapshot).lexical.ids
        assert entry.origin == "rule:id-index" and not entry.hard
    # A page that is called by a word is not an exact id: its head must be able to stand in.
    named = compile_query("呼吸律", snapshot)
    assert named.lexical.ids == () and [e.value for e in named.entities] == ["呼吸律"]
    unknown = compile_query("PEP 9999 says what?", snapshot)
    assert [e.value for e in unknown.entities] == ["PEP 9999"] and unknown.answerability_risk
    quoted = compile_query("論文依賴「Original 最高來源」與 “free will”", snapshot)
    assert [e.value for e in quoted.lexical.exact_terms] == ["Original 最高來源", "free will"]


def test_cue_phrases_come_from_the_ontology(kb: World) -> None:
    snapshot = kb.snapshot()
    for text in ("PEP-241 的最新版本", "PEP-241 的最新版本".translate({ord("內"): "内"}), "latest version of PEP-241"):
        plan = compile_query(text, snapshot)
        assert [e.value for e in plan.navigation.directions] == ["VERSION.LATEST"] and plan.query_type == "VERSION"
        assert plan.version.mode.value == "default"
        assert all(not e.hard and e.origin.startswith("rule:cue") for e in plan.navigation.directions)
    assert compile_query("找出反對宇宙呼吸律的內容", snapshot).query_type == "NEGATIVE"
    assert compile_query("the translatest versionist", snapshot).navigation.directions == ()
    # One English word is content: it switches nothing.
    assert compile_query("historical development of calculus", snapshot).version.mode.value == "default"


def test_deeper_is_ambiguous_and_says_so(kb: World) -> None:
    """Paper §19.10."""
    plan = compile_query("更深入", kb.snapshot())
    assert len(plan.navigation.directions) > 1 and "may mean" in plan.notes[0]
    sentence = search(kb.snapshot(), "更深入").explanation("zh-Hant")
    assert any("歧義" in s["text"] for s in sentence)


def test_the_compiler_is_deterministic_and_takes_anything(kb: World) -> None:
    snapshot = kb.snapshot()
    for text in ("", "\x00", "🌟", "a" * 5000, "((((", '"""', "「", "第 位作者 PEP-241", "PEP-241 第0位作者", "\ud800"):
        assert compile_query(text, snapshot) == compile_query(text, snapshot)


@given(st.text(max_size=60))
def test_language_by_script(text: str) -> None:
    assert language_of(text, ["en", "zh-Hant"]) in ("en", "zh", "ja", "ko")


def test_languages() -> None:
    assert [language_of(t, ["en"]) for t in ("word", "字", "かな", "한글", "")] == ["en", "zh", "ja", "ko", "en"]
    assert language_of("Wort", ["de"]) == "de"
