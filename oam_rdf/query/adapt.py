"""Weights that fit the query (paper §5.1): what recall found decides, not the text alone.

Runs after recall and before fusion, and notes every feature, the weights before and after, and why. Hand rules by default;
a logistic model replaces them where its file is there (retrieval.md, "Routes").
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from oam_rdf.query.logistic import Logistic, shipped
from oam_rdf.query.plan import CALLER, Plan, Scoring, Weights
from oam_rdf.query.trace import Ranking, State

LOW_COVERAGE = 0.2  # decision D11
_DEPTH = 10  # a margin is measured between the first hit and this one
_CLEAR = 0.5  # a lexical margin above which words have decided
_STRANGE = 0.34  # share of unknown words above which words say too little
_STEP = 0.1
_POOL = 50  # best hits of every channel that count as the candidate pool


def adapt(state: State) -> State:
    """Set ``plan.weights`` and ``plan.scoring`` from what recall found; what the caller set stays."""
    plan = state.plan
    routing = state.step("route")
    found = features(state)
    before = {"lexical": plan.weights.lexical, "dense": plan.weights.dense, "graph": plan.weights.graph}
    reasons: list[str] = []
    model = None
    weights = plan.weights
    if routing.get("adaptive"):
        model = shipped()
        weights, reasons = _by_model(weights, found, model) if model else _by_rules(plan, found)
    elif not routing.get("adaptive", True):
        reasons.append("the weights are set already")
    scoring = plan.scoring
    if not scoring.reason and scoring == Scoring(half_life=scoring.half_life, rerank=scoring.rerank):
        scoring = _scoring(plan)
    plan = replace(plan, weights=weights, scoring=scoring)
    return replace(state, plan=plan).note(
        "adapt",
        features=found,
        before=before,
        after={"lexical": weights.lexical, "dense": weights.dense, "graph": weights.graph},
        reasons=reasons,
        model=model.name if model else "",
        scoring_reason=scoring.reason,
    )


def features(state: State) -> dict[str, float]:
    """What the query and its first hits look like. Shares and margins lie in [0, 1]; a channel that is off has margin 0."""
    plan, snapshot = state.plan, state.snapshot
    terms = state.lexical.terms if state.lexical is not None else ()
    strange = sum(not term.known for term in terms) / len(terms) if terms else 0.0
    primary = plan.language.lower().partition("-")[0]
    return {
        "lexical_margin": _margin(state, "lexical"),
        "dense_margin": _margin(state, "dense"),
        "oov": round(strange, 4),
        "ids": float(len(state.ids)),
        "operator_coverage": _coverage(state),
        "graph": float(bool(getattr(snapshot, "graph", None) is not None and len(snapshot.graph or ()))),
        "reached": float(len(state.reached)),
        "length": float(len(terms)),
        "same_language": float(primary in snapshot.languages),
    }


def _margin(state: State, channel: str) -> float:
    """(s1 − s10) / s1 of the first language group, with the last hit where there are fewer than ten; 1 for a single one."""
    ranking = next((r for r in state.rankings if r.channel == channel and len(r.rows)), None)
    if ranking is None:
        return 0.0
    return margin(ranking)


def margin(ranking: Ranking) -> float:
    """How far the best hit of a ranking stands out, in [0, 1]."""
    scores = np.asarray(ranking.scores, dtype=float)
    if len(scores) == 1:
        return 1.0
    first, last = float(scores[0]), float(scores[min(_DEPTH, len(scores)) - 1])
    return round(max(0.0, min(1.0, (first - last) / first)), 4) if first > 0 else 0.0


def _coverage(state: State) -> float:
    """Share of the pool's documents and statements that carry a reliable tag (decision D11)."""
    tags: Any = getattr(state.snapshot, "tags", None)
    passages = [int(row) for ranking in state.rankings for row in ranking.rows[:_POOL]]
    if tags is None or not passages:
        return 0.0
    rows = sorted({int(state.snapshot.passage_document[row]) for row in passages} - {-1} | set(state.reached))
    return round(float(tags.coverage(rows)), 4) if rows else 0.0


def _by_rules(plan: Plan, found: dict[str, float]) -> tuple[Weights, list[str]]:
    """Moves between words and meaning, a tenth at a time, never below a tenth; the graph counts where it reached something."""
    weights, reasons = plan.weights, []
    lexical = weights.lexical
    if not found["same_language"]:
        lexical, move = 0.1, "no document is in the language of the query: meaning counts"
        reasons.append(move)
    else:
        if found["oov"] > _STRANGE:
            lexical -= 2 * _STEP
            reasons.append("many words of the query are unknown here: meaning counts more")
        elif found["lexical_margin"] > _CLEAR and found["lexical_margin"] > found["dense_margin"]:
            lexical += _STEP
            reasons.append("the best match by words stands out: words count more")
    lexical = round(min(0.9, max(0.1, lexical)), 4)
    graph = weights.graph if found["reached"] or found["graph"] else 0.0
    if not graph and weights.graph:
        reasons.append("the graph has nothing to walk: it does not count")
    if not reasons:
        return weights, []
    whole = "; ".join((weights.reason, *reasons))
    return replace(weights, lexical=lexical, dense=round(1.0 - lexical, 4), graph=graph, reason=whole), reasons


def _by_model(weights: Weights, found: dict[str, float], model: Logistic) -> tuple[Weights, list[str]]:
    """The model gives the probability that meaning ranks better than words; that is the weight of vectors."""
    dense = round(min(0.9, max(0.1, model(found))), 4)
    reason = "weights by the model that was trained on judged queries"
    graph = weights.graph if found["reached"] or found["graph"] else 0.0
    return replace(weights, lexical=round(1.0 - dense, 4), dense=dense, graph=graph, reason=reason), [reason]


def _scoring(plan: Plan) -> Scoring:
    """Weights of the score vector: above 0 only where the plan asks for that part."""
    kind = plan.query_type
    asked = (*plan.epistemic.require, *plan.epistemic.prefer, *plan.epistemic.exclude)
    directions = {entry.value for entry in plan.navigation.directions}
    operators = (*plan.operator.require, *plan.operator.prefer, *plan.operator.exclude)
    operator = _strong(operators, kind in ("DIRECTIONAL", "NEGATIVE"))
    walked = 0.4 if kind in ("RELATIONAL", "DIRECTIONAL", "NEGATIVE") else 0.2
    graph = walked if "GRAPH_LOCAL" in plan.routes else 0.0
    epistemic = _strong(asked, kind == "EPISTEMIC")
    versions = plan.version.mode.origin != "rule:default" or bool(plan.version.as_of) or kind == "VERSION"
    version = 0.2 if versions else 0.0
    provenance = 0.2 if plan.source.require_original or "SOURCE.BACK" in directions else 0.0
    parts = (operator, graph, epistemic, version, provenance)
    reason = "parts count where the plan asks for them" if any(parts) else "the plan asks for relevance alone"
    return replace(
        plan.scoring, operator=operator, graph=graph, epistemic=epistemic, version=version, provenance=provenance,
        reason=reason,
    )  # fmt: skip


def _strong(entries: Any, central: bool) -> float:
    """0.4 where the type turns on it, 0.3 where it is asked in so many words, 0.1 for hints, 0 where nothing is asked."""
    if not entries:
        return 0.0
    if central:
        return 0.4
    return 0.3 if any(entry.origin == CALLER or entry.confidence >= 0.8 for entry in entries) else 0.1
