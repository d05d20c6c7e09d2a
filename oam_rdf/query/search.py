"""The pipeline: text or plan in, certified answer out (retrieval.md).

``compile → route → constrain → recall → fuse → locate → substitute → constrain → gate``, each a function
``State -> State``; :data:`STAGES` may be shortened for an ablation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from oam_rdf.errors import Damaged
from oam_rdf.query import asof
from oam_rdf.query.answer import Answer, Result
from oam_rdf.query.certificate import Certificates, new_id
from oam_rdf.query.compile import compile_query
from oam_rdf.query.constrain import admit, constrain, prove
from oam_rdf.query.explain import explain, nearest
from oam_rdf.query.fuse import fuse
from oam_rdf.query.gate import finish, gate
from oam_rdf.query.locate import locate
from oam_rdf.query.options import checked_language, with_options
from oam_rdf.query.plan import Access, Plan
from oam_rdf.query.recall import recall
from oam_rdf.query.resolve import named
from oam_rdf.query.results import results
from oam_rdf.query.route import route
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.substitute import substitute
from oam_rdf.query.trace import State

Stage = Callable[[State], State]
VERIFIED = ("FORMALLY_PROVED", "MACHINE_CHECKED", "REPRODUCED")
UNSETTLED = ("CONJECTURE", "HYPOTHESIS")

# Named, so that a certificate can say how long each took and an ablation can leave one out.
STAGES: tuple[tuple[str, Stage], ...] = (
    ("route", route),
    ("constrain", constrain),
    ("as_of", asof.mask_edits),
    ("recall", recall),
    ("fuse", fuse),
    ("history", asof.recall_edits),
    ("locate", locate),
    ("admit", admit),
    ("substitute", substitute),
    ("admit again", admit),
    ("gate", gate),
)


def search(
    snapshot: Snapshot,
    query: str | Plan,
    *,
    k: int | None = None,
    offset: int | None = None,
    granularity: str = "",
    language: str = "",
    only_language: str = "",
    route: str = "",
    states: Sequence[str] = (),
    exclude_states: Sequence[str] = (),
    only_verified: bool = False,
    include_conjectures: bool = True,
    version: str = "",
    as_of: str = "",
    include_history: bool = False,
    kind: str = "",
    visibility: Sequence[str] = (),
    directions: Sequence[str] = (),
    require_original: bool = False,
    weights: Mapping[str, float] | None = None,
    scorer: str = "",
    strict: bool = False,
    certificates: Certificates | None = None,
    stages: Sequence[tuple[str, Stage]] = STAGES,
) -> Answer:
    """Search one snapshot.

    :param query: plain text, or a plan; options given here are the caller's and hard where they constrain.
    :param k, offset: the window; ``1 <= k <= 1000``.
    :param language: which language's results come first; ``only_language`` leaves no other.
    :param directions: names of directions that the answer is to follow, beside those that the query names.
    :param version: ``active`` leaves nothing but what is in force. ``as_of``: an ISO date-time.
    :param strict: a channel that is off is an error.
    :param certificates: where the certificate is stored; otherwise it is only returned.
    :raises UsageError: for an option or plan that cannot be used as given.
    """
    began = time.perf_counter()
    checked_language(language)
    plan = query if isinstance(query, Plan) else compile_query(query, snapshot, language)
    plan = with_options(
        plan, k=k, offset=offset, granularity=granularity, language=language, only_language=only_language, route=route,
        states=tuple(states) + (VERIFIED if only_verified else ()),
        exclude_states=tuple(exclude_states) + (() if include_conjectures else UNSETTLED),
        version=version, as_of=as_of, include_history=include_history, kind=kind, visibility=tuple(visibility),
        directions=tuple(directions), require_original=require_original, weights=weights, scorer=scorer,
    )  # fmt: skip
    plan = replace(plan, access=Access(snapshot.clearance))
    state = State(plan, snapshot, ids=_ids(plan, snapshot))
    state, milliseconds = _run(state, stages)
    prove(state)
    total = len(state.candidates)
    state = finish(state)
    shown = results(state)
    if strict and snapshot.degraded:
        channel, reason = min(snapshot.degraded.items())
        raise Damaged(f"channel {channel} is off: {reason}", hint="run `oam doctor`, or search without --strict")
    milliseconds["total"] = round((time.perf_counter() - began) * 1000, 2)
    certificate = _certificate(state, shown, total, milliseconds)
    degraded = dict(snapshot.degraded)
    if certificates is not None:
        try:
            certificates.store(certificate)
        except Damaged as error:  # the answer stands; that its trace was not kept is said in it
            degraded["certificates"] = str(error)
    decision = certificate["gate"]
    return Answer(
        certificate["retrieval_id"], state.plan.text, decision.get("verdict", ""), tuple(decision.get("verdicts", ())),
        tuple(shown), total, state.plan.form.offset, degraded, certificate,
    )  # fmt: skip


def replay(snapshot: Snapshot, certificate: Mapping[str, Any]) -> Answer:
    """Run a certificate's plan again; on the same generation it gives the same ranking."""
    return search(snapshot, Plan.from_json(certificate["query_plan"]))


def _run(state: State, stages: Sequence[tuple[str, Stage]]) -> tuple[State, dict[str, float]]:
    milliseconds: dict[str, float] = {}
    skipped = {"recall", "fuse", "history", "locate", "substitute"}
    for name, stage in stages:
        if name in skipped and "NO_RETRIEVAL" in state.plan.routes:
            continue
        began = time.perf_counter()
        state = stage(state)
        milliseconds[name] = round((time.perf_counter() - began) * 1000, 2)
    return state, milliseconds


def _ids(plan: Plan, snapshot: Snapshot) -> dict[str, int]:
    """Objects that the plan names by id: exactly one visible object each."""
    found: dict[str, int] = {}
    for entry in (*plan.lexical.ids, *plan.navigation.start):
        rows = named(snapshot, entry.value, titles=False)
        if len(rows) == 1:
            found[entry.value] = rows[0]
    return found


def _certificate(state: State, shown: list[Result], total: int, milliseconds: Mapping[str, float]) -> dict[str, Any]:
    """The paper's §10 keys and ours, made from the trace."""
    snapshot, plan = state.snapshot, state.plan
    routing, constraints = state.step("route"), dict(state.step("constrain"))
    found = [result.to_json() for result in shown]
    certificate: dict[str, Any] = {
        "retrieval_id": new_id(),
        "query": plan.text,
        "query_plan": plan.to_json(),
        "route": list(plan.routes),
        "routing": dict(routing),
        "generation": snapshot.generation.number,
        "revision": snapshot.generation.revision,
        "clearance": snapshot.clearance,
        "model": str(snapshot.generation.manifest.get("fingerprint", "")),
        "coverage": _coverage(snapshot),
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "milliseconds": dict(milliseconds),
        "channels": {"lexical": dict(state.step("lexical")), "recall": dict(state.step("recall"))},
        "weights": {"rrf_k": plan.weights.rrf_k, "lexical": plan.weights.lexical, "dense": plan.weights.dense,
                    "reason": plan.weights.reason},
        "constraints": constraints,
        "as_of": dict(state.step("as_of")),
        "relaxations": [],  # decision D8: nothing is relaxed yet, a hard condition that leaves nothing says so
        "substitutions": list(state.step("substitute").get("substituted", ())),
        "expansions": [],
        "granularity": dict(state.step("locate")),
        "total": total,
        "results": found,
        "excluded": [dict(item) for item in state.excluded[:20]],
        "gate": dict(state.step("gate")),
        "degraded": dict(snapshot.degraded),
        "uncertainty": {
            "notes": list(plan.notes),
            "answerability_risk": [e.value for e in plan.answerability_risk],
            "unknown_terms": [t["term"] for t in state.step("lexical").get("terms", ()) if not t["known"]],
        },
    }  # fmt: skip
    if found:
        certificate["result"] = found[0]
    certificate["explanation"] = explain(certificate, nearest(plan.language))
    return certificate


def _coverage(snapshot: Snapshot) -> float:
    """Share of the visible passages that have a vector, in [0, 1]: what is hidden counts nowhere (decision D16)."""
    if snapshot.dense is None:
        return 0.0
    visible = snapshot.visible_passages
    return round(float(snapshot.dense.embedded[visible].mean()), 4) if visible.any() else 1.0
