"""Which ways of retrieval a plan takes, and with which weights (paper §4.2, decision D25).

First router: rules over what the query holds and which channels are there. A route or weight that the caller set stays.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from oam_rdf.query.plan import Entries, Entry, Weights
from oam_rdf.query.trace import State

TEXT_ROUTES = ("SPARSE_ONLY", "DENSE_ONLY", "HYBRID", "NO_RETRIEVAL")


def route(state: State) -> State:
    """Complete ``plan.route`` and ``plan.weights``; the reasons go to the trace."""
    plan, snapshot = state.plan, state.snapshot
    chosen = list(plan.route)
    reasons: list[str] = []
    names = bool(plan.entities or plan.lexical.ids or plan.lexical.exact_terms)
    intent = plan.semantic.value if plan.semantic else ""
    content = _says(plan.text) or _says(intent) or plan.lexical.include or names
    if not content:
        chosen, reasons = [Entry("NO_RETRIEVAL", "rule:empty")], ["nothing is asked"]
    if names:  # never taken when the query names an entity, whoever asked for it by a rule
        chosen = [entry for entry in chosen if not (entry.value == "NO_RETRIEVAL" and entry.origin != "caller")]
    if any(entry.value == "NO_RETRIEVAL" and entry.origin == "rule:operational" for entry in chosen):
        reasons.append("this is asked of the knowledge base, not of its documents: see `oam status`")
    if any(entry.value in TEXT_ROUTES and entry.origin == "caller" for entry in chosen):
        reasons.append("the caller chose the route")
    if not any(entry.value in TEXT_ROUTES for entry in chosen):
        text_route, reason = _text_route(state)
        chosen.insert(0, Entry(text_route, "rule:router"))
        reasons.append(reason)
    chosen += _traces(state, {entry.value for entry in chosen})
    weights = plan.weights if plan.weights.reason else _weights(state)
    plan = replace(plan, route=tuple(chosen), weights=weights)
    return replace(state, plan=plan).note(
        "route",
        route=[entry.value for entry in chosen],
        reasons=reasons,
        origins={entry.value: entry.origin for entry in chosen},
        weights={"lexical": weights.lexical, "dense": weights.dense, "rrf_k": weights.rrf_k},
        weights_reason=weights.reason,
        degraded=dict(snapshot.degraded),
    )


def _says(text: str) -> bool:
    """Whether anything but marks and white space is written."""
    return any(unicodedata.category(character)[0] not in "PZC" for character in text)


def _text_route(state: State) -> tuple[str, str]:
    plan, snapshot = state.plan, state.snapshot
    only_names = _rest(plan.text, plan.lexical.ids).strip(" ?？。.,，:：") == ""
    if plan.lexical.ids and only_names:
        return "SPARSE_ONLY", "the query is an id and nothing else: the short path"
    if snapshot.dense is None:
        return "SPARSE_ONLY", "there are no vectors to search"
    if snapshot.lexical is None:
        return "DENSE_ONLY", "there is no lexical index to search"
    return "HYBRID", "words and meaning both count"


def _rest(text: str, ids: Entries) -> str:
    for entry in ids:
        text = text.replace(entry.value, " ")
    return text


def _traces(state: State, have: set[str]) -> list[Entry]:
    plan, more = state.plan, []
    directions = [entry.value for entry in plan.navigation.directions]
    if plan.version.as_of or plan.version.mode.value == "history" or any(d.startswith("VERSION.") for d in directions):
        more.append(Entry("VERSION_TRACE", "rule:version asked"))
    if "SOURCE.BACK" in directions:
        more.append(Entry("SOURCE_TRACE", "rule:source asked"))
    return [entry for entry in more if entry.value not in have]


def _weights(state: State) -> Weights:
    plan = state.plan
    if plan.lexical.ids or plan.lexical.exact_terms:
        return Weights(60, 0.7, 0.3, reason="an id or exact text is named: words count more")
    if plan.language in ("zh", "ja"):
        return Weights(60, 0.7, 0.3, reason="a query of Chinese terms: words count more")
    return Weights(60, 0.5, 0.5, reason="a concept or question: words and meaning count alike")
