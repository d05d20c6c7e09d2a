"""The blind questions for compiler and router: well-formed, and answered no worse than when they were first measured."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology
from oam_rdf.query.compile import compile_query
from oam_rdf.query.route import route
from oam_rdf.query.trace import State

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import routes

QUESTIONS = routes.questions()
KINDS = (
    "exact", "paraphrase", "cross-lingual", "global", "multi-hop", "abstract-up", "concrete-down", "source-back",
    "version", "counterexample", "epistemic-status", "implementation", "unanswerable",
)  # fmt: skip
# Five points below the first measurement, .810 of routes and .766 of query types. They guard against getting worse and are
# no target: rules that are made with these questions at hand make the figures worthless.
ROUTES, TYPES = 0.76, 0.716


def test_forty_of_each_type_in_two_languages() -> None:
    counts = Counter((q.source, q.type, q.language.partition("-")[0]) for q in QUESTIONS)
    types = [("13", name) for name in routes.TYPES] + [("17.2", name) for name in KINDS]
    assert counts == {(*one, language): 20 for one in types for language in ("zh", "en")}
    assert {q.language for q in QUESTIONS} == {"zh-Hant", "zh-Hans", "en"}


def test_no_question_twice() -> None:
    assert len({" ".join(q.text.casefold().split()) for q in QUESTIONS}) == len(QUESTIONS)
    assert len({q.id for q in QUESTIONS}) == len(QUESTIONS)


def test_one_rule_for_a_type_and_routes_that_exist() -> None:
    known = set(Ontology.load().notations("route"))
    for name in {(q.source, q.type) for q in QUESTIONS}:
        own = [q for q in QUESTIONS if (q.source, q.type) == name]
        assert len({str(q.rule) for q in own}) == 1
        assert len({q.expected for q in own}) == 1 or name[1].upper() == "EXACT"
    for q in QUESTIONS:
        assert q.routed == bool(q.expected)
        assert set().union(*q.expected) <= known


@pytest.mark.parametrize(
    ("kind", "found", "query_type", "right"),
    [
        ("EXACT", ["SPARSE_ONLY"], "EXACT", True),
        ("EXACT", ["SPARSE_ONLY", "GRAPH_LOCAL"], "EXACT", False),
        ("SEMANTIC", ["HYBRID", "GRAPH_LOCAL"], "SEMANTIC", True),
        ("SEMANTIC", ["HYBRID", "GRAPH_GLOBAL"], "GLOBAL", False),
        ("EPISTEMIC", ["HYBRID"], "EPISTEMIC", True),
        ("EPISTEMIC", ["HYBRID"], "SEMANTIC", False),
        ("VERSION", ["HYBRID", "SOURCE_TRACE", "VERSION_TRACE"], "VERSION", True),
        ("VERSION", ["HYBRID"], "VERSION", False),
        ("NEGATIVE", ["GRAPH_LOCAL"], "SEMANTIC", True),
    ],
)
def test_rules(kind: str, found: list[str], query_type: str, right: bool) -> None:
    question = next(q for q in QUESTIONS if q.type == kind)
    assert routes.right(question, frozenset(found), query_type) is right


def test_no_answer_is_judged_by_the_verdict() -> None:
    question = next(q for q in QUESTIONS if not q.routed)
    assert routes.right(question, frozenset(), "SEMANTIC", "UNANSWERABLE_FROM_CORPUS")
    assert not routes.right(question, frozenset(), "SEMANTIC", "PARTIALLY_ANSWERABLE")


def test_routes_are_no_worse_than_first_measured(sample: KnowledgeBase) -> None:
    outcomes = []
    with sample.snapshot() as snapshot:
        for question in QUESTIONS:
            if question.routed:
                plan = route(State(compile_query(question.text, snapshot), snapshot)).plan
                outcomes.append(routes.Outcome(question, frozenset(plan.routes), plan.query_type, ""))
    families = [one.query_type == one.question.type for one in outcomes if one.question.source == "13"]
    assert routes.share(one.right for one in outcomes)["share"] >= ROUTES
    assert routes.share(families)["share"] >= TYPES
