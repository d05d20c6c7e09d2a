"""Flat communities by the Leiden algorithm (Traag, Waltman, van Eck 2019), the same in every run (hazard 76)."""

from __future__ import annotations

import numpy as np

from oam_rdf.index.columns import Array

_SEED = 1
_DIGITS = 9


def communities(n: int, source: Array, target: Array, weight: Array) -> Array:
    """Number of the community of each of ``n`` nodes, the largest community 0, equal sizes in order of their first node.

    Direction is ignored, weights of the same pair add up. Nodes without edges belong to none.

    :returns: ``int32[n]``, -1 = none.
    """
    found = np.full(n, -1, dtype=np.int32)
    low, high = np.minimum(source, target).astype(np.int64), np.maximum(source, target).astype(np.int64)
    joined = low != high
    if not joined.any():
        return found
    from graspologic_native import leiden  # loaded only by those who need it

    # Sorted pairs and names of one length, so that neither the order of input nor that of hashing is ever seen.
    pairs, place = np.unique(low[joined] * n + high[joined], return_inverse=True)
    sums = np.bincount(place, weights=np.asarray(weight, dtype=np.float64)[joined], minlength=len(pairs))
    edges = [
        (f"{pair // n:0{_DIGITS}d}", f"{pair % n:0{_DIGITS}d}", total)
        for pair, total in zip(pairs.tolist(), sums.tolist(), strict=True)
    ]
    _, groups = leiden(edges, seed=_SEED)
    members: dict[int, list[int]] = {}
    for name in sorted(groups):
        members.setdefault(groups[name], []).append(int(name))
    ordered = sorted(members.values(), key=lambda rows: (-len(rows), rows[0]))
    for number, rows in enumerate(ordered):
        found[rows] = number
    return found
