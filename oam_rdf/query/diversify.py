"""Maximal marginal relevance over the best candidates, for questions about the whole corpus (paper §5.3).

Carbonell and Goldstein, "The Use of MMR" (1998): next is the candidate with the highest ``λ · final − (1 − λ) · max sim``
to what is already chosen, λ = 1 − ``form.diversity``. Similarity is the cosine of the best passages' vectors, and where
one has none 1 for the same community of the graph, else 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oam_rdf.index.columns import Array
from oam_rdf.query.trace import Candidate, State

_POOL = 50  # candidates that are looked at, or the window if that is wider


def diversify(state: State) -> State:
    """Reorder the best candidates of each language group; does nothing where the plan asks for no diversity."""
    share = state.plan.form.diversity
    if share <= 0 or len(state.candidates) < 3:
        return state
    pool = max(_POOL, state.plan.form.offset + state.plan.form.k)
    head, tail = list(state.candidates[:pool]), state.candidates[pool:]
    similar, source = _similarity(state, head)
    order: list[int] = []
    for group in sorted({c.group for c in head}):
        order += _mmr([i for i, c in enumerate(head) if c.group == group], head, similar, 1.0 - share)
    moved = sum(1 for at, i in enumerate(order) if at != i)
    return replace(state, candidates=(*(head[i] for i in order), *tail)).note(
        "diversify", **{"lambda": round(1.0 - share, 4)}, moved=moved, similarity=source
    )


def _mmr(members: list[int], head: list[Candidate], similar: Array, balance: float) -> list[int]:
    chosen = [i for i in members if head[i].pin]
    rest = [i for i in members if not head[i].pin]
    nearest = similar[:, chosen].max(axis=1) if chosen else np.zeros(len(head))
    while rest:
        best = max(rest, key=lambda i: (balance * head[i].final - (1.0 - balance) * float(nearest[i]), -i))
        rest.remove(best)
        chosen.append(best)
        nearest = np.maximum(nearest, similar[:, best])
    return chosen


def _similarity(state: State, head: list[Candidate]) -> tuple[Array, str]:
    """``float[n, n]`` in [0, 1], and what it rests on."""
    n, dense, graph = len(head), state.snapshot.dense, state.snapshot.graph
    similar = np.zeros((n, n))
    sources = []
    if graph is not None:
        community = np.array([int(graph.community[c.row]) if c.row >= 0 else -1 for c in head])
        similar = ((community[:, None] == community[None, :]) & (community >= 0)[:, None]).astype(float)
        sources.append("communities")
    if dense is not None:
        found, vectors = dense.vectors_of(np.array([c.passage for c in head]))
        known = np.flatnonzero(found)
        similar[np.ix_(known, known)] = np.clip(vectors @ vectors.T, 0.0, 1.0)
        sources.append("vectors")
    return similar, " and ".join(sources)
