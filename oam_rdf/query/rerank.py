"""An optional cross-encoder reads the query beside each of the best candidates (extra ``st``; off by default).

Its order is fused with the one before by equal ranks rather than put in its place, so that a model which misreads a
language cannot throw out what every channel found. Both orders are in the trace.
"""

from __future__ import annotations

from dataclasses import replace

from oam_rdf.errors import OamError
from oam_rdf.index.reranker import load_reranker
from oam_rdf.query.fuse import rrf
from oam_rdf.query.trace import State

POOL = 50


def rerank(state: State) -> State:
    """Reorder the first fifty candidates of each group by the plan's cross-encoder; none named: nothing happens."""
    name = state.plan.scoring.rerank
    head = [c for c in state.candidates[:POOL] if not c.pin]
    if not name or len(head) < 2 or not state.plan.text.strip():
        return state
    try:
        scores = load_reranker(name).score(state.plan.text, [_text(state, c.row, c.passage) for c in head])
    except OamError as error:  # the answer stands without it, marked; the next search of the snapshot is not
        failed = state.snapshot.told(str(error))
        return state.note("rerank", model=name, failed=failed)
    before = list(range(len(head)))
    by_model = sorted(before, key=lambda i: (-scores[i], i))
    fused = rrf({"before": before, "model": by_model}, {"before": 0.5, "model": 0.5}, state.plan.weights.rrf_k)
    best = max((value for _, value, _ in fused), default=1.0)
    order = sorted(fused, key=lambda item: (head[item[0]].group, -item[1], item[0]))
    ranked = {id(head[i]): replace(head[i], final=value / best) for i, value, _ in order}
    pinned = [c for c in state.candidates[:POOL] if c.pin]
    candidates = (*pinned, *(ranked[id(head[i])] for i, _, _ in order), *state.candidates[POOL:])
    return replace(state, candidates=candidates).note(
        "rerank",
        model=name,
        before=[state.name(c.row) for c in head],
        after=[state.name(head[i].row) for i, _, _ in order],
        scores={state.name(c.row): round(float(s), 4) for c, s in zip(head, scores, strict=True)},
    )


def _text(state: State, row: int, passage: int) -> str:
    title = state.snapshot.facets.titles[row]
    return f"{title}\n{state.snapshot.text(passage)}" if passage >= 0 else title
