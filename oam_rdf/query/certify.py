"""The certificate of an answer, made from the trace and from nothing else (decision D13, paper §10).

Its keys are fixed by ``data/schemas/certificate.schema.json``. A stage that did not run leaves its key empty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from oam_rdf import __version__
from oam_rdf.query.answer import Result
from oam_rdf.query.certificate import new_id
from oam_rdf.query.echo import cut, too_long
from oam_rdf.query.explain import explain, nearest
from oam_rdf.query.known import unused
from oam_rdf.query.layout import layout
from oam_rdf.query.plan import Plan
from oam_rdf.query.sentences import SHOWN
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.spelling import Spelling
from oam_rdf.query.trace import Candidate, Ranking, State

EXCLUDED = 20  # of what conditions removed; the paper asks for reasons, not for lists
_BELOW = 10  # candidates after the window
_RANKS = 10  # per channel and language
_PLAIN = frozenset((str, bool, int, type(None)))


def certify(
    state: State,
    shown: Sequence[Result],
    ranked: Sequence[Candidate],
    milliseconds: Mapping[str, float],
    *,
    asked: Plan,
) -> dict[str, Any]:
    """The paper's §10 keys and ours, as plain JSON data.

    :param state: after the gate, its candidates cut to the window; ``shown`` are their results.
    :param ranked: all candidates in order; ``asked``: the plan before any stage completed it, for a replay.
    """
    snapshot, plan = state.snapshot, state.plan
    weights = plan.weights
    rest = ranked[plan.form.offset + len(shown) :][:_BELOW]
    found = [{**r.to_json(), **_parts(state, c, r)} for r, c in zip(shown, state.candidates, strict=True)]
    regret = dict(state.step("regret"))
    certificate: dict[str, Any] = {
        "retrieval_id": new_id(),
        "query": plan.text,
        "query_plan": plan.to_json(),
        "route": list(plan.routes),
        "routing": state.step("route"),
        "generation": snapshot.generation.number,
        "revision": snapshot.generation.revision,
        "clearance": snapshot.clearance,
        "software": f"oam-rdf {__version__}",
        "model": str((snapshot.generation.manifest.get("model") or {}).get("fingerprint", "")),
        "coverage": _coverage(snapshot),
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "milliseconds": milliseconds,
        "channels": {
            "lexical": _words(state),
            "recall": state.step("recall"),
            "graph": state.step("graph"),
            "walk": state.step("walk"),
            "ranks": [_ranking(state, ranking) for ranking in state.rankings if len(ranking.rows)],
        },
        "weights": {
            "method": state.step("fuse").get("method", weights.method),
            "rrf_k": weights.rrf_k,
            "lexical": round(weights.lexical, 4),
            "dense": round(weights.dense, 4),
            "graph": round(weights.graph, 4),
            "foreign": round(weights.foreign, 4),
            "reason": weights.reason,
        },
        "adapt": state.step("adapt"),
        "scoring": state.step("score"),
        "rerank": state.step("rerank"),
        "diversity": state.step("diversify"),
        "collapsed": state.step("collapse").get("folded", ()),
        "constraints": state.step("constrain"),
        "as_of": state.step("as_of"),
        "relaxations": state.relaxations,
        "substitutions": state.step("substitute").get("substituted", ()),
        "expansions": state.step("expand").get("expansions", ()),
        "granularity": {**state.step("locate"), **_artifacts(state)},
        "filter_regret": {name: value for name, value in regret.items() if name != "tag_coverage"},
        "tag_coverage": regret.get("tag_coverage", state.step("score").get("tag_coverage")),
        "total": len(ranked),
        "results": found,
        "excluded": [*_once(state.excluded), *_below(state, rest, plan.form.offset + len(shown))],
        "gate": _gate(state),
        "degraded": state.degraded,
        "uncertainty": {
            "notes": plan.notes,
            "answerability_risk": [e.value for e in plan.answerability_risk],
            "unknown_terms": [t["written"] for t in _words(state).get("terms", ()) if not t["known"]],
            "unknown_values": unused(plan),
        },
    }
    if arranged := layout(state, shown):
        certificate["layout"] = arranged
    if (given := asked.to_json()) != certificate["query_plan"]:
        certificate["asked_plan"] = given
    if found:
        certificate["result"] = found[0]
    certificate = plain(certificate)
    if too_long(given):
        certificate = cut(certificate)
    certificate["explanation"] = explain(certificate, nearest(plan.language))
    return certificate


def _words(state: State) -> dict[str, Any]:
    """What the lexical channel noted, its terms also as the query writes them."""
    noted = dict(state.step("lexical"))
    if "terms" in noted:
        spelling = Spelling(str(noted.get("query", state.plan.text)))
        noted["terms"] = [{**term, "written": spelling.asked(term["term"])} for term in noted["terms"]]
    return noted


def _gate(state: State) -> dict[str, Any]:
    """What the gate noted; terms among its facts as the query writes them."""
    noted, spelling = dict(state.step("gate")), Spelling(state.plan.text)
    verdicts = []
    for verdict in noted.get("verdicts", ()):
        facts = dict(verdict["facts"])
        if "terms" in facts:
            facts["terms"] = [spelling.asked(term) for term in facts["terms"]]
        verdicts.append({**verdict, "facts": facts})
    return {**noted, "verdicts": verdicts} if "verdicts" in noted else noted


def _artifacts(state: State) -> dict[str, Any]:
    """The statements whose evidence is shown in their place, and how much evidence they have."""
    return {"evidence": dict(state.step("artifacts"))} if state.ran("artifacts") else {}


def plain(value: Any) -> Any:
    """The value as JSON data: no tuples, no numpy, no number that is not finite (None instead).

    >>> plain({1: (np.float32(0.5), float("nan"))})
    {'1': [0.5, None]}
    """
    if type(value) in _PLAIN or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if type(value) is dict or isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    return str(value)


def _parts(state: State, candidate: Candidate, result: Result) -> dict[str, Any]:
    """What the trace knows of a candidate beside what its result shows."""
    reach = candidate.reach
    counts = {
        "substituted_for": len(candidate.substitutions),
        "evidence_of": len(candidate.holders),
        "spans": len(result.spans),
    }
    return {
        "counts": {name: count for name, count in counts.items() if count > SHOWN},
        "contributions": {name: round(value, 6) for name, value in candidate.contributions.items()},
        "met": sorted(state.blocked),
        "reach": {
            "path": [state.name(row) for row in reach.rows],
            "relations": reach.relations,
            "confidences": [round(value, 2) for value in reach.confidences],
            "score": round(reach.score, 4),
        }
        if reach
        else None,
    }


def _ranking(state: State, ranking: Ranking) -> dict[str, Any]:
    """The head of one channel's list in one language: ranks of passages and raw scores."""
    documents = state.snapshot.passage_document
    head = zip(ranking.rows[:_RANKS].tolist(), ranking.scores[:_RANKS].tolist(), strict=True)
    return {
        "channel": ranking.channel,
        "language": state.groups[ranking.group] if ranking.group < len(state.groups) else "",
        "found": len(ranking.rows),
        "best": [
            {"rank": rank, "document": state.name(int(documents[row])), "passage": row, "score": round(score, 6)}
            for rank, (row, score) in enumerate(head, 1)
        ],
    }


def _once(excluded: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first that were excluded, best first; several passages of one document for one reason are named once."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for item in excluded:
        found.setdefault((str(item["id"]), str(item["reason"])), item)
    return list(found.values())[:EXCLUDED]


def _below(state: State, rest: Sequence[Candidate], before: int) -> list[dict[str, Any]]:
    """What came next, so that nobody has to guess why something is not there."""
    reason = "it comes after the results that were asked for"
    return [
        {
            "id": candidate.evidence.id
            if candidate.evidence
            else state.name(candidate.row if candidate.row >= 0 else candidate.document),
            "reason": reason,
            "position": position,
            "score": round(candidate.score, 6),
        }
        for position, candidate in enumerate(rest, before + 1)
    ]


def _coverage(snapshot: Snapshot) -> float:
    """Share of the visible passages that have a vector, in [0, 1]: what is hidden counts nowhere (decision D16)."""
    if snapshot.dense is None:
        return 0.0
    visible = snapshot.visible_passages
    return round(float(snapshot.dense.embedded[visible].mean()), 4) if visible.any() else 1.0
