"""Searching a graph for rows: labels to rows, masks, and when an exact search is the better one.

hnswlib can call a Python filter for each node it meets, which costs more than comparing all vectors. So a mask is obeyed
afterwards, on more neighbours than asked for, and where too few of them pass, the rows are compared exactly: a mask costs
time, never answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged
from oam_rdf.index.ann import EF, Floats, Graph, Positions

#: Neighbours looked at for one row compared exactly: what costs the same, measured at 100,000 vectors of 384 dimensions
#: (3 µs and 0.15 µs). As every search looks at ``EF``, up to 8,000 wanted rows are always compared exactly.
WORTH = 0.05
#: Neighbours looked at for every row asked for and every share that a mask leaves: recall .99 at 200 and .98 at 100 of
#: 100,000, measured.
SPARE = 6


class Neighbours:
    """A graph and the rows that its labels stand for. ``members`` (bool by covered row) are the rows it can find."""

    def __init__(self, graph: Graph, labels: NDArray[np.int32]) -> None:
        """``labels`` by covered row, -1 for a row that is not in the graph. :class:`Damaged` for one out of range."""
        if len(labels) and int(labels.max()) >= graph.texts:
            raise Damaged("a label is not in its neighbour graph", hint="run `oam reindex`")
        self.graph = graph
        self.members: NDArray[np.bool_] = labels >= 0
        self.count = int(self.members.sum())
        self._rows = np.argsort(labels, kind="stable")[len(labels) - self.count :]
        #: Share of the texts that any row still has.
        self._live = len(np.unique(labels[self._rows])) / graph.texts
        self._ends = np.searchsorted(labels[self._rows], np.arange(graph.texts), side="right")

    def search(self, query: Floats, k: int, wanted: NDArray[np.bool_] | None) -> Positions | None:
        """At least the ``k`` nearest members that are ``wanted`` (bool by covered row; None for all), unordered.

        None where they are better found by comparing all: few are wanted, or too few came back.
        """
        left = self.count if wanted is None else int((wanted & self.members).sum())
        if left <= k:
            return None
        share = self._live * left / self.count  # of the texts that a search meets, those that answer it
        fetch = int(SPARE * k / share) + 1
        while max(fetch, EF) <= WORTH * left:
            labels, cosines = self.graph.near(query, fetch)
            rows, times = self._expand(labels)
            scores = np.repeat(cosines, times)
            if wanted is not None:
                keep = wanted[rows]
                rows, scores = rows[keep], scores[keep]
            if len(rows) >= k:
                margin = len(query) * np.finfo("f4").eps  # what two sums of the same products may differ by
                found: Positions = rows[scores >= scores[k - 1] - margin]
                return found
            fetch *= 4  # those near the query are not the wanted ones, or are gone
        return None

    def _expand(self, labels: Positions) -> tuple[Positions, NDArray[Any]]:
        """Rows of the labels in order, and how many each label has: none if its text is gone."""
        ends = self._ends[labels]
        starts = np.where(labels > 0, self._ends[labels - 1], 0)
        times = ends - starts
        before = np.cumsum(times) - times
        return self._rows[np.arange(int(times.sum())) + np.repeat(starts - before, times)], times
