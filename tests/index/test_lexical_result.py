"""A result sorts only what is asked for, and in the order of the whole (ties by row)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.index.lexical_result import LexicalResult

SIZE = 40


@given(
    st.dictionaries(st.integers(0, SIZE - 1), st.sampled_from([0.25, 0.5, 0.5000001, 2.0, 7.5])),
    st.integers(0, SIZE + 5),
    st.lists(st.booleans(), min_size=SIZE, max_size=SIZE),
)
def test_the_best_are_the_beginning_of_all(found: dict[int, float], k: int, admitted: list[bool]) -> None:
    hits = np.array(sorted(found), "i4")
    weights = np.array([found[int(row)] for row in hits], "f4")
    result = LexicalResult(hits, weights, (), "bm25", len(hits), np.zeros(0, "i4"), (), ())
    ordered = sorted(found, key=lambda row: (-np.float32(found[row]), row))
    assert result.rows.tolist() == ordered and result.scores.tolist() == [np.float32(found[row]) for row in ordered]
    assert result.best(k).tolist() == ordered[:k]
    among = np.array(admitted)
    assert result.best(k, among).tolist() == [row for row in ordered if among[row]][:k]
    assert result.where(among).rows.tolist() == [row for row in ordered if among[row]]
    cut = result.cut(k)
    assert cut.rows.tolist() == ordered[:k] and cut.total == result.total
    assert result.scores_of(cut.rows).tolist() == cut.scores.tolist()
