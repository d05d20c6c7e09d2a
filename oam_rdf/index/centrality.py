"""PageRank over numpy arrays (decision D23): d = .85, 30 iterations or a change below 1e-9.

Edges are summed in the order given, so the same edges give the same bits in every run.
"""

from __future__ import annotations

import numpy as np

from oam_rdf.index.columns import Array

DAMPING = 0.85
ITERATIONS = 30
TOLERANCE = 1e-9


def pagerank(
    n: int,
    source: Array,
    target: Array,
    weight: Array | None = None,
    restart: Array | None = None,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
) -> Array:
    """Rank of ``n`` nodes along weighted directed edges; the ranks sum to 1.

    :param restart: where the surfer starts again, ``float[n]``, any scale (personalised PageRank); by default anywhere.
        Nodes without a way on start again there too.
    :returns: ``float64[n]``; zeros if there is nowhere to start.
    """
    if n == 0:
        return np.zeros(0)
    start = np.full(n, 1.0 / n) if restart is None else np.asarray(restart, dtype=np.float64)
    if start.sum() <= 0:
        return np.zeros(n)
    start = start / start.sum()
    weight = np.ones(len(source)) if weight is None else np.asarray(weight, dtype=np.float64)
    out = np.bincount(source, weights=weight, minlength=n)
    share = weight / np.where(out > 0, out, 1.0)[source]
    ends = out <= 0
    rank: Array = start
    for _ in range(ITERATIONS):
        flow = np.bincount(target, weights=rank[source] * share, minlength=n)
        following = damping * (flow + rank[ends].sum() * start) + (1 - damping) * start
        change = float(np.abs(following - rank).sum())
        rank = following
        if change < tolerance:
            break
    return rank
