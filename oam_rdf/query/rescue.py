"""Rescue (paper §7.1, decision D8): too few candidates, so conditions that may be relaxed are, one at a time, and shown.

Never relaxed: access and visibility, "current only", "must have Original", a required or excluded state, and anything
under ``strict``. What the caller said of language, kind, granularity and time is a fact about objects, not a judgement of
a tagger, and stays as well. Left are operators and the conditions C(d).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from oam_rdf.query.plan import CALLER, Entry, Plan
from oam_rdf.query.trace import RELIABLE_ONLY, SOFT, WIDENED, State
from oam_rdf.query.widen import widened

CONDITIONS = ("domain", "safety", "population", "version", "rights", "preconditions")
_LISTED = 10  # objects named for each relaxation
STEPS = {
    RELIABLE_ONLY: "only reliable tags are held against an object",
    WIDENED: "operators are widened to close, related and broader ones",
    SOFT: "the condition only prefers",
}


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One step: the condition (``operator.require REP.FORMALIZE``) and how far it is relaxed."""

    what: str
    entry: Entry
    level: int

    @property
    def key(self) -> tuple[str, str]:
        return self.what, self.entry.value


def relaxations(plan: Plan) -> list[Relaxation]:
    """Every step that may be taken, in order: tags before widening before giving up, inferred conditions before the
    caller's, less confident ones first.
    """
    if plan.rescue.strict:
        return []
    found = list(_relaxable(plan))
    order = sorted(found, key=lambda item: (item[1].origin == CALLER, item[1].confidence, item[0], item[1].value))
    tagged = [(what, entry) for what, entry in order if what.startswith("operator.")]
    steps = [Relaxation(what, entry, RELIABLE_ONLY) for what, entry in tagged]
    steps += [
        Relaxation(what, entry, WIDENED)
        for what, entry in tagged
        if what == "operator.require" and len(widened(entry.value)) > 1
    ]
    return steps + [Relaxation(what, entry, SOFT) for what, entry in order]


def _relaxable(plan: Plan) -> Iterator[tuple[str, Entry]]:
    for what, entries in (("operator.require", plan.operator.require), ("operator.exclude", plan.operator.exclude)):
        yield from ((what, entry) for entry in entries if entry.hard)
    for name in CONDITIONS:
        yield from ((f"condition.{name}", entry) for entry in getattr(plan.condition, name) if entry.hard)
    for name in ("language", "kind"):
        inferred = (entry for entry in getattr(plan.condition, name) if entry.hard and entry.origin != CALLER)
        yield from ((f"condition.{name}", entry) for entry in inferred)


def rescue(state: State, again: Callable[[State], State]) -> State:
    """Relax until there are enough candidates or nothing is left to relax.

    :param again: runs the stages before this one anew from a state that has only a plan and what is relaxed.
    """
    need = state.plan.rescue.k_min or min(state.plan.form.k, 3)
    if len(state.candidates) >= need or "NO_RETRIEVAL" in state.plan.routes or not state.blocked:
        return state
    log: list[dict[str, Any]] = []
    for step in relaxations(state.plan):
        if len(state.candidates) >= need:
            break
        before = {candidate.row for candidate in state.candidates}
        relaxed = {**state.relaxed, step.key: step.level}
        state = again(replace(State(state.plan, state.snapshot, ids=state.ids), relaxed=relaxed))
        let_in = [candidate for candidate in state.candidates if candidate.row not in before]
        log.append(
            {
                "what": step.what,
                "value": step.entry.value,
                "origin": step.entry.origin,
                "confidence": round(step.entry.confidence, 2),
                "step": STEPS[step.level],
                "to": list(widened(step.entry.value))
                if step.level == WIDENED
                else "soft"
                if step.level == SOFT
                else "",
                "count": len(let_in),
                "let_in": [state.name(candidate.row) for candidate in let_in[:_LISTED]],
            }
        )
    return replace(state, relaxations=tuple(log)).note(
        "rescue", needed=need, found=len(state.candidates), steps=len(log)
    )
