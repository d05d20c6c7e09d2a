"""RRF exactly as decision D25 says (hazards 63, 64)."""

from __future__ import annotations

from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.query.fuse import convex, rrf

units = st.lists(st.integers(0, 30), unique=True, max_size=15)


def test_ranks_from_one_and_nothing_for_an_absent_list() -> None:
    fused = rrf({"dense": ["X", "a", "Y"], "sparse": ["b", "c", "Y"]}, {"dense": 1.0, "sparse": 1.0})
    assert [unit for unit, _, _ in fused] == ["Y", "X", "b", "a", "c"]
    scores = {unit: score for unit, score, _ in fused}
    assert scores["Y"] == pytest.approx(2 / 63) and scores["X"] == pytest.approx(1 / 61)
    assert dict(fused[0][2]) == {"dense": pytest.approx(1 / 63), "sparse": pytest.approx(1 / 63)}


def test_weights_and_k() -> None:
    fused = rrf({"lexical": [1, 2], "dense": [2, 1]}, {"lexical": 0.7, "dense": 0.3}, 10)
    assert fused[0][0] == 1
    assert fused[0][1] == pytest.approx(0.7 / 11 + 0.3 / 12) and fused[1][1] == pytest.approx(0.7 / 12 + 0.3 / 11)
    assert rrf({"lexical": [1]}, {"dense": 1.0})[0][1] == 0.0


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), units), st.integers(1, 100))
def test_against_the_formula(rankings: dict[str, list[int]], k: int) -> None:
    weights = {"a": 0.7, "b": 0.3, "c": 0.5}
    fused = rrf(rankings, weights, k)
    every = {unit for ranking in rankings.values() for unit in ranking}
    assert {unit for unit, _, _ in fused} == every
    for unit, score, parts in fused:
        expected = [weights[n] / (k + r.index(unit) + 1) for n, r in rankings.items() if unit in r]
        assert score == pytest.approx(fsum(expected)) and len(parts) == len(expected)
    keys = [(-score, unit) for unit, score, _ in fused]
    assert keys == sorted(keys)


@given(units, units)
def test_the_order_of_the_lists_does_not_matter(one: list[int], two: list[int]) -> None:
    weights = {"a": 0.5, "b": 0.5}
    forward, backward = rrf({"a": one, "b": two}, weights), rrf({"b": two, "a": one}, weights)
    assert [u for u, _, _ in forward] == [u for u, _, _ in backward]


@given(units, units, st.integers(0, 30))
def test_a_better_rank_never_lowers_a_score(one: list[int], two: list[int], unit: int) -> None:
    weights = {"a": 0.7, "b": 0.3}
    without = [u for u in one if u != unit]
    first = rrf({"a": [unit, *without], "b": two}, weights)
    last = rrf({"a": [*without, unit], "b": two}, weights)
    score = {name: {u: s for u, s, _ in fused}[unit] for name, fused in (("first", first), ("last", last))}
    assert score["first"] >= score["last"]


scored = st.dictionaries(st.integers(0, 40), st.floats(-10, 10, allow_nan=False), max_size=20)


@given(st.dictionaries(st.sampled_from(("lexical", "dense", "graph")), scored, max_size=3))
def test_convex_scores_lie_between_nothing_and_all_weights_and_keep_the_order_of_a_list(lists: dict[str, Any]) -> None:
    weights = {"lexical": 0.3, "dense": 0.6, "graph": 0.1}
    fused = convex(lists, weights)
    assert {unit for unit, _, _ in fused} == {unit for units in lists.values() for unit in units}
    assert all(0.0 <= score <= 1.0 + 1e-9 for _, score, _ in fused)
    assert [score for _, score, _ in fused] == sorted((score for _, score, _ in fused), reverse=True)
    for name, units in lists.items():
        parts = {unit: part[name] for unit, _, part in fused if name in part}
        for a in units:
            for b in units:
                assert units[a] < units[b] or parts[a] >= parts[b]


def test_a_list_that_tells_nothing_apart_counts_for_all_it_holds() -> None:
    assert convex({"lexical": {1: 2.0, 2: 2.0}}, {"lexical": 0.5}) == [
        (1, 0.5, {"lexical": 0.5}),
        (2, 0.5, {"lexical": 0.5}),
    ]
    assert convex({}, {"lexical": 1.0}) == []
