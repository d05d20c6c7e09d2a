"""What is part of what, as intervals: every subtree of part-of is one stretch of places, so that "a document and all its
parts" is a slice instead of a walk."""

from __future__ import annotations

import numpy as np

from oam_rdf.index.columns import Array

_DEEPEST = 64  # deeper nesting of sections is not written


class Tree:
    """Places of ``n`` rows in depth-first order: ``place[row]`` and ``end[row]``, int32; a row's parts (itself included)
    are the rows whose place lies in ``[place[row], end[row])``. Siblings stand in order of row.

    A row in a cycle of part-of, or nested deeper than 64, counts as a root.
    """

    def __init__(self, parent: Array) -> None:
        """:param parent: ``int32[n]``, -1 = none."""
        n = len(parent)
        above, depth = _without_cycles(np.asarray(parent, dtype=np.int64))
        size = np.ones(n, dtype=np.int64)
        deepest = int(depth.max()) if n else 0
        for level in range(deepest, 0, -1):
            rows = np.flatnonzero(depth == level)
            np.add.at(size, above[rows], size[rows])
        place = np.zeros(n, dtype=np.int64)
        roots = np.flatnonzero(depth == 0)
        place[roots] = np.cumsum(size[roots]) - size[roots]
        for level in range(1, deepest + 1):
            rows = np.flatnonzero(depth == level)
            rows = rows[np.argsort(above[rows], kind="stable")]
            before = np.cumsum(size[rows]) - size[rows]
            first = np.ones(len(rows), dtype=bool)
            first[1:] = above[rows[1:]] != above[rows[:-1]]
            group = np.cumsum(first) - 1
            place[rows] = place[above[rows]] + 1 + before - before[first][group]
        self.above = above.astype(np.int32)
        self.place = place.astype(np.int32)
        self.end = (place + size).astype(np.int32)

    def holds(self, whole: int, part: int) -> bool:
        """Whether ``part`` is ``whole`` or lies within it."""
        return bool(self.place[whole] <= self.place[part] < self.end[whole])

    def upwards(self, row: int) -> list[int]:
        """The row and all that it is part of, nearest first."""
        found = [row]
        while (row := int(self.above[row])) >= 0:
            found.append(row)
        return found

    @property
    def roots(self) -> Array:
        """``int32[n]``: the outermost whole of every row."""
        top = np.where(self.above >= 0, self.above, np.arange(len(self.above), dtype=np.int32))
        while not np.array_equal(following := top[top], top):
            top = following
        return top.astype(np.int32)


def _without_cycles(parent: Array) -> tuple[Array, Array]:
    """``(parent, depth)`` where whatever leads to no root within 64 steps has become a root."""
    n = len(parent)
    depth = np.zeros(n, dtype=np.int64)
    at = parent.copy()
    for _ in range(_DEEPEST):
        inside = at >= 0
        if not inside.any():
            return parent, depth
        depth[inside] += 1
        at[inside] = parent[at[inside]]
    lost = at >= 0
    return _without_cycles(np.where(lost, -1, parent)) if lost.any() else (parent, depth)
