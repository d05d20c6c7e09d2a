"""Measures by ir-measures, with intervals and paired tests.

A run is ``query -> [(document, score)]``. Ties are cut by ir-measures' own rule (the provider's: by document id), so a
system that wants its own order must give falling scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from beir import Qrels
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG
from numpy.typing import NDArray

MEASURES = {"nDCG@10": nDCG @ 10, "R@10": R @ 10, "R@100": R @ 100, "RR": RR}
DRAWS = 10_000
_CHUNK = 4_000_000  # random numbers held at once

Run = Mapping[str, Sequence[tuple[str, float]]]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` queries with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired difference of means with its 95 % interval; ``p`` is two-sided."""

    difference: float
    low: float
    high: float
    p: float
    n: int


def evaluate(qrels: Qrels, run: Run) -> dict[str, Floats]:
    """Each measure by query, in sorted order of the judged queries; a query without results counts 0."""
    order = {query: at for at, query in enumerate(sorted(qrels))}
    judged = [Qrel(query, document, grade) for query, grades in qrels.items() for document, grade in grades.items()]
    found = [ScoredDoc(query, document, score) for query in order for document, score in run.get(query, ())]
    values = {name: np.zeros(len(order)) for name in MEASURES}
    names = {measure: name for name, measure in MEASURES.items()}
    for metric in ir_measures.iter_calc(list(names), judged, found):
        values[names[metric.measure]][order[metric.query_id]] = metric.value
    return values


def estimate(values: Floats, seed: int = 1) -> Estimate:
    """Mean with the percentile interval of 10,000 bootstrap draws over queries."""
    low, high = _interval(values, seed)
    return Estimate(float(values.mean()), low, high, len(values))


def compare(one: Floats, other: Floats, seed: int = 1) -> Comparison:
    """``one`` − ``other`` over the same queries: bootstrap interval, and p of a randomisation test (10,000 sign flips,
    (1 + as extreme) / (1 + draws))."""
    difference = one - other
    low, high = _interval(difference, seed)
    observed, extreme = abs(difference.sum()), 0
    chance = np.random.default_rng(seed)
    for size in _sizes(len(difference)):
        signs = chance.integers(0, 2, (size, len(difference)), dtype=np.int8)
        sums = difference.sum() - 2.0 * (signs @ difference)
        extreme += int(np.count_nonzero(np.abs(sums) >= observed - 1e-9))
    return Comparison(float(difference.mean()), low, high, (1 + extreme) / (1 + DRAWS), len(difference))


def _interval(values: Floats, seed: int) -> tuple[float, float]:
    chance = np.random.default_rng(seed)
    means = [values[chance.integers(0, len(values), (size, len(values)))].mean(axis=1) for size in _sizes(len(values))]
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def _sizes(n: int) -> list[int]:
    """How many draws to make at a time, :data:`DRAWS` together."""
    chunk = max(1, min(DRAWS, _CHUNK // max(n, 1)))
    return [min(chunk, DRAWS - at) for at in range(0, DRAWS, chunk)]
