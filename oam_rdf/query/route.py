"""Which ways of retrieval a plan takes, and the weights it starts with (paper §4.2, §13, decision D25).

The compiler gives a plan the default routes of its type; here they meet what is there: a channel that is off, a corpus that
is small, a query that is no more than a name. A route or weight that the caller set stays. What only shows after recall is
for :mod:`adapt`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from oam_rdf.query.families import ROUTES, TEXT_ROUTES, default_routes, traces
from oam_rdf.query.plan import CALLER, Entries, Entry, Plan, Weights
from oam_rdf.query.trace import State

__all__ = ["TEXT_ROUTES", "route"]

_GRAPH_ROUTES = ("GRAPH_LOCAL", "GRAPH_GLOBAL")
_RECALLS = (*TEXT_ROUTES, *_GRAPH_ROUTES)
_ORDER = {name: number for number, name in enumerate(ROUTES)}


def route(state: State) -> State:
    """Complete ``plan.route`` and ``plan.weights``; the reasons go to the trace."""
    plan, snapshot = state.plan, state.snapshot
    reasons: list[str] = []
    names = bool(plan.entities or plan.lexical.ids or plan.lexical.exact_terms)
    chosen = list(plan.route)
    if any(entry.origin == CALLER for entry in chosen):
        chosen, reasons = _callers(state, chosen)
    elif not _asks(plan, names):
        chosen = [Entry("NO_RETRIEVAL", "rule:empty")]
        wish = plan.navigation.directions or plan.graph.relations
        reasons = ["a direction is asked for, and nothing to start from"] if wish else ["nothing is asked"]
    else:
        if names:  # never taken when the query names an entity
            chosen = [entry for entry in chosen if entry.value != "NO_RETRIEVAL"]
        if any(entry.value == "NO_RETRIEVAL" for entry in chosen):
            reasons.append("this is asked of the knowledge base, not of its documents: see `oam status`")
        else:
            chosen, reasons = _fitted(state, chosen or list(default_routes(plan)))
    short = _short(state, {entry.value for entry in chosen})
    if short:
        reasons.append(short)
    chosen.sort(key=lambda entry: _ORDER.get(entry.value, len(_ORDER)))
    given = bool(plan.weights.reason) or plan.weights != Weights()
    plan = replace(plan, route=tuple(chosen))
    weights = replace(plan.weights, reason=plan.weights.reason or "set by the caller") if given else base_weights(plan)
    plan = replace(plan, weights=weights)
    return replace(state, plan=plan).note(
        "route",
        query_type=plan.query_type,
        route=[entry.value for entry in chosen],
        reasons=reasons,
        origins={entry.value: entry.origin for entry in chosen},
        weights={"lexical": weights.lexical, "dense": weights.dense, "graph": weights.graph, "rrf_k": weights.rrf_k},
        weights_reason=weights.reason,
        adaptive=not given and not short,
        degraded=dict(snapshot.degraded),
    )


def _asks(plan: Plan, names: bool) -> bool:
    """Whether anything but marks and white space is written."""
    intent = plan.semantic.value if plan.semantic else ""
    return bool(_says(plan.text) or _says(intent) or plan.lexical.include or names)


def _says(text: str) -> bool:
    return any(unicodedata.category(character)[0] not in "PZC" for character in text)


def _callers(state: State, chosen: list[Entry]) -> tuple[list[Entry], list[str]]:
    """The caller's routes as they are, with what their own plan needs beside them: a way to recall, and version tracing."""
    chosen = [entry for entry in chosen if entry.origin == CALLER or entry.value != "NO_RETRIEVAL"]
    reasons = ["the caller chose the route"]
    if not any(entry.value in _RECALLS for entry in chosen):
        entry, reason = _text_route(state, "HYBRID", Entry("HYBRID", "rule:router"))
        chosen.append(entry)
        reasons.append(reason)
    have = {entry.value for entry in chosen}
    if "NO_RETRIEVAL" not in have:
        chosen += [Entry(name, "rule:asked") for name in sorted(traces(state.plan) - have)]
    return chosen, reasons


def _fitted(state: State, chosen: list[Entry]) -> tuple[list[Entry], list[str]]:
    """The routes of the plan's type, as far as the channels are there and the query needs them."""
    plan, snapshot = state.plan, state.snapshot
    have = {entry.value for entry in chosen}
    added = traces(plan)
    if plan.query_type in ("SEMANTIC", "EXACT") and any(e.origin == CALLER for e in plan.navigation.directions):
        added |= {"OPERATOR_FILTERED", "GRAPH_LOCAL"}
    chosen += [Entry(name, "rule:asked") for name in sorted(added - have)]
    reasons = [f"default routes of the type {plan.query_type}"]
    graph = [entry for entry in chosen if entry.value in _GRAPH_ROUTES]
    if graph and getattr(snapshot, "graph", None) is None:
        chosen = [entry for entry in chosen if entry not in graph]
        reasons.append("there is no graph to walk")
    text = next((entry for entry in chosen if entry.value in TEXT_ROUTES), None)
    walks = any(entry.value in _GRAPH_ROUTES for entry in chosen) and (state.ids or plan.navigation.start)
    if text is None and walks:
        reasons.append("the start is named and nothing else: the graph leads from it")
        return chosen, reasons
    if text is None:
        text = Entry("HYBRID", "rule:router")
    else:
        chosen.remove(text)
    entry, reason = _text_route(state, text.value, text)
    return [*chosen, entry], [*reasons, reason]


def _text_route(state: State, wanted: str, entry: Entry) -> tuple[Entry, str]:
    plan, snapshot = state.plan, state.snapshot
    if snapshot.dense is None and snapshot.lexical is not None:
        reason = "there are no vectors to search"
        if wanted == "SPARSE_ONLY" or _only_names(plan):
            reason = _lookup(plan)
        return replace(entry, value="SPARSE_ONLY"), reason
    if snapshot.lexical is None and snapshot.dense is not None:
        return replace(entry, value="DENSE_ONLY"), "there is no lexical index to search"
    if wanted == "SPARSE_ONLY" or _only_names(plan):
        return replace(entry, value="SPARSE_ONLY"), _lookup(plan)
    return replace(entry, value=wanted), "words and meaning both count"


def _lookup(plan: Plan) -> str:
    """Why a lookup takes the short path (paper §19.8)."""
    if _only_names(plan):
        return "the query is an id and nothing else: the short path"
    return "a lookup by id or exact name: words suffice, the short path"


def _only_names(plan: Plan) -> bool:
    return bool(plan.lexical.ids) and _rest(plan.text, plan.lexical.ids).strip(" ?？。.,，:：") == ""


def _rest(text: str, ids: Entries) -> str:
    for entry in ids:
        text = text.replace(entry.value, " ")
    return text


def _short(state: State, routes: set[str]) -> str:
    """Why weights need no adapting: nothing to search, or an answer that shows all there is (paper §19.8)."""
    if "NO_RETRIEVAL" in routes or state.plan.query_type not in ("SEMANTIC", "EXACT"):
        return ""
    if int(state.snapshot.visible_passages.sum()) <= state.plan.form.k:
        return "the whole corpus fits into one answer: the short path"
    return ""


_ASKS = re.compile(
    r"(?:in |on |of |to |for |at |by |with |from )?(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)


def base_weights(plan: Plan) -> Weights:
    """What each type asks of a channel (paper §5.1). A graph that is not asked for has no weight: it is then heard only
    where no other channel found anything.

    Words count .3 in an English question, .5 in an English phrase or claim, .6 in a Chinese question: where nDCG@10 over
    this share has its top, and is flat, on parts for tuning (MuSiQue and HotpotQA train, SciFact train, DRCD dev).
    """
    graph = 0.3 if set(plan.routes) & set(_GRAPH_ROUTES) else 0.0
    chinese = plan.language.partition("-")[0] in ("zh", "ja")
    asks = _question(plan)
    words = 0.6 if chinese else 0.3 if asks else 0.5
    if plan.query_type in ("RELATIONAL", "DIRECTIONAL", "NEGATIVE", "VERSION"):
        if plan.lexical.ids or plan.navigation.start:  # what is left of the text are the words that ask
            return Weights(60, words, 1 - words, 3.0, "relations of what is named are asked for: the graph leads")
        return Weights(60, words, 1 - words, 0.6, "relations are asked for: the graph counts beside words and meaning")
    if plan.query_type == "EXACT" or plan.lexical.ids or plan.lexical.exact_terms:
        return Weights(60, 0.7, 0.3, graph, "an id or exact text is named: words count more")
    if chinese and not asks:
        return Weights(60, 0.7, 0.3, graph, "a query of Chinese terms: words count more")
    if chinese:
        return Weights(60, words, 1 - words, graph, "a Chinese question: words count a little more")
    if asks:
        return Weights(60, words, 1 - words, graph, "a question: meaning counts more")
    return Weights(60, words, 1 - words, graph, "a phrase or claim: words and meaning count alike")


def _question(plan: Plan) -> bool:
    """Whether the query is a sentence that asks, and not a few terms or a claim."""
    if plan.language.partition("-")[0] not in ("zh", "ja"):
        return "?" in plan.text or _ASKS.match(plan.text.strip()) is not None
    asks = (
        "?",
        "？",
        "嗎",
        "吗",
        "什麼",
        "什么",
        "如何",
        "怎",
        "為何",
        "为何",
        "哪",
        "誰",
        "谁",
        "幾",
        "几",
        "多少",
        "是否",
    )
    return any(word in plan.text for word in asks) or len(plan.text) > 20
