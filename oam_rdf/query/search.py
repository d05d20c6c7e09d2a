"""The pipeline: text or plan in, certified answer out (retrieval.md).

Compiles the query, puts what the caller asks for into the plan, runs :data:`oam_rdf.query.stages.STAGES` and certifies.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.query.answer import Answer
from oam_rdf.query.certificate import Certificates
from oam_rdf.query.certify import certify
from oam_rdf.query.compile import compile_query, whoosh_query
from oam_rdf.query.constrain import prove
from oam_rdf.query.gate import finish
from oam_rdf.query.options import checked_language, spoken_here, with_options
from oam_rdf.query.plan import Access, Plan
from oam_rdf.query.resolve import named
from oam_rdf.query.results import results
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.stages import STAGES, Stage, run
from oam_rdf.query.trace import State

VERIFIED = ("FORMALLY_PROVED", "MACHINE_CHECKED", "REPRODUCED")
UNSETTLED = ("CONJECTURE", "HYPOTHESIS")


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
    operators: Sequence[str] = (),
    exclude_operators: Sequence[str] = (),
    conditions: Mapping[str, Sequence[str]] | None = None,
    require_original: bool = False,
    diversity: float | None = None,
    half_life: int | None = None,
    rerank: str = "",
    weights: Mapping[str, float] | None = None,
    scorer: str = "",
    idf: str = "",
    shape: str = "",
    syntax: str = "plain",
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
    :param operators, exclude_operators: tags that results must, must not carry; rescue may relax them (decision D8).
    :param conditions: domain, safety, population, version, rights, preconditions -> values, one of which must hold.
    :param diversity: 1 − λ of maximal marginal relevance. ``half_life``: days (decision D27), 0 switches freshness off.
    :param rerank: a cross-encoder, ``st:NAME_OR_PATH``.
    :param idf: ``smooth`` or ``classic`` (decision D21), of the score IDF+Coverage.
    :param shape: how the answer is laid out: list, comparison, timeline, evidence table. It moves no result.
    :param syntax: ``whoosh`` reads AND, OR, NOT, brackets and ``field:``; a plain query is plain text.
    :param strict: a channel that is off or incomplete is an error, and no condition is relaxed.
    :param certificates: where the certificate is stored; otherwise it is only returned.
    :raises UsageError: for an option or plan that cannot be used as given.
    """
    began = time.perf_counter()
    for given in (language, only_language):
        spoken_here(checked_language(given), snapshot)
    if syntax not in ("plain", "whoosh"):
        raise UsageError(f"unknown syntax {syntax!r}", hint="plain or whoosh")
    read = whoosh_query if syntax == "whoosh" else compile_query
    plan = query if isinstance(query, Plan) else read(query, snapshot, language)
    plan = with_options(
        plan, k=k, offset=offset, granularity=granularity, language=language, only_language=only_language, route=route,
        states=tuple(states) + (VERIFIED if only_verified else ()),
        exclude_states=tuple(exclude_states) + (() if include_conjectures else UNSETTLED),
        version=version, as_of=as_of, include_history=include_history, kind=kind, visibility=tuple(visibility),
        directions=tuple(directions), operators=tuple(operators), exclude_operators=tuple(exclude_operators),
        conditions=conditions or {}, diversity=diversity, half_life=half_life, rerank=rerank, strict=strict,
        require_original=require_original, weights=weights, scorer=scorer,
        idf=idf, shape=shape,
    )  # fmt: skip
    plan = replace(plan, access=Access(snapshot.clearance))
    state = State(plan, snapshot, ids=_ids(plan, snapshot))
    state, milliseconds = run(state, stages)
    prove(state)
    ranked = state.candidates
    state = finish(state)
    shown = results(state)
    if strict and (off := state.degraded):
        raise _off(*min(off.items()))
    milliseconds["total"] = round((time.perf_counter() - began) * 1000, 2)
    certificate = certify(state, shown, ranked, milliseconds, asked=plan)
    degraded = state.degraded
    if certificates is not None:
        try:
            certificates.store(certificate, plan.to_json() if certificate.get("echo") else None)
        except Damaged as error:  # the answer stands; that its trace was not kept is said in it
            degraded["certificates"] = snapshot.told(str(error))
            if strict:
                raise _off("certificates", degraded["certificates"]) from error
    decision = certificate["gate"]
    return Answer(
        certificate["retrieval_id"], certificate["query"], decision.get("verdict", ""), tuple(decision.get("verdicts", ())),
        tuple(shown), len(ranked), state.plan.form.offset, degraded, certificate,
    )  # fmt: skip


def replay(snapshot: Snapshot, certificate: Mapping[str, Any], plan: Mapping[str, Any] | None = None) -> Answer:
    """Run a certificate's plan again; on the same generation it gives the same ranking.

    :param plan: the whole plan, where the certificate repeats only the beginning of its query.
    :raises UsageError: if such a certificate comes without it.
    """
    if plan is None and certificate.get("echo"):
        limit = certificate["echo"]["limit"]
        hint = "replay it by its id, where it is stored"
        raise UsageError(f"this certificate holds only the first {limit} characters of its query", hint=hint)
    return search(snapshot, Plan.from_json(plan or certificate.get("asked_plan") or certificate["query_plan"]))


def _off(channel: str, reason: str) -> Damaged:
    hint = "run `oam doctor`, or search without --strict"
    return Damaged(f"channel {channel} is off or incomplete: {reason}", hint=hint)


def _ids(plan: Plan, snapshot: Snapshot) -> dict[str, int]:
    """Objects that the plan names by id: exactly one visible object each."""
    found: dict[str, int] = {}
    for entry in (*plan.lexical.ids, *plan.navigation.start):
        rows = named(snapshot, entry.value, titles=False)
        if len(rows) == 1:
            found[entry.value] = rows[0]
    return found
