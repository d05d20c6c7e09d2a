"""What the lexical channel found: the rows that were hit, put in order only as far as somebody looks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oam_rdf.index.lexical_terms import Term
from oam_rdf.index.scorers import QueryTerm

Bools = NDArray[np.bool_]
Rows = NDArray[np.int32]
Scores = NDArray[np.float32]


class Match(NamedTuple):
    """A query term in a row: ``how`` literal | joined | part | bigram | stem | parts | synonym | translation, in which fields.

    ``text`` is the synonym or translation that stands there, "" where it is the term itself.
    """

    term: str
    how: str
    fields: tuple[str, ...]
    text: str = ""

    def __str__(self) -> str:
        return f"{self.term} ({self.how}{self.text and f' {self.text}'}: {', '.join(self.fields)})"


@dataclass(frozen=True)
class LexicalResult:
    """``hits`` are rows, ascending, ``weights`` float32 of the same length their scores (``scorer`` says which formula).

    ``terms`` are the query's original terms, ``total`` how many rows were hit before ``k`` cut the list, ``pins`` the
    rows that decision D22 pins: every original term literally, one of them rare, at most 20 rows.
    """

    hits: Rows
    weights: Scores
    terms: tuple[QueryTerm, ...]
    scorer: str
    total: int
    pins: Rows
    fields: tuple[str, ...]
    plan: tuple[Term, ...]

    @cached_property
    def rows(self) -> Rows:
        """All hits by falling score, ties by row."""
        return self.hits[self._order]

    @cached_property
    def scores(self) -> Scores:
        """Their scores."""
        return self.weights[self._order]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(-self.weights, kind="stable")  # hits ascend, so ties go by row

    def best(self, k: int, among: Bools | None = None) -> Rows:
        """The first ``k`` of :attr:`rows`, or of those that ``among`` (bool[rows of the index]) admits.

        Only they are sorted: a common word hits most of a large index, and a channel hands on some hundreds.
        """
        hits, weights = self.hits, self.weights
        if among is not None:
            admitted = among[hits]
            hits, weights = hits[admitted], weights[admitted]
        if 0 < k < len(hits):
            last = np.partition(weights, len(weights) - k)[len(weights) - k]
            ahead = np.flatnonzero(weights >= last)
            hits, weights = hits[ahead], weights[ahead]
        return hits[np.argsort(-weights, kind="stable")[:k]]

    def cut(self, k: int) -> LexicalResult:
        """The best ``k``; :attr:`total` stays."""
        hits = np.sort(self.best(k))
        return replace(self, hits=hits, weights=self.scores_of(hits))

    def scores_of(self, rows: Rows) -> Scores:
        """Scores of rows that were hit."""
        return self.weights[np.searchsorted(self.hits, rows)]

    def where(self, met: Bools) -> LexicalResult:
        """The hits that ``met`` (bool[rows of the index]) admits."""
        kept = met[self.hits]
        return replace(self, hits=self.hits[kept], weights=self.weights[kept], total=int(np.count_nonzero(kept)))
