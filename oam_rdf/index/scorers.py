"""The two lexical scores, computed in numpy from posting lists.

Both see a query as its known original terms, and a term as *evidence*: ways to occur (literal, stem, character pairs …)
with a weight in (0, 1]; a row counts a term once, by its best evidence. N, df and lengths are taken over the rows a
caller may see, so that what access removes moves no score (decision D16).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oam_rdf.index.postings import Postings

BOOSTS: Mapping[str, float] = {"id": 3.0, "title": 2.5, "heading": 1.5, "body": 1.0}
K1, B = 1.2, 0.75
IDF_FORMS = ("smooth", "classic")
# IDF+Coverage (decision D21): the reserve of 0.15 stays unused, so a score lies in [0, 0.85].
IDF_SHARE, COVERAGE_SHARE = 0.6, 0.25
# Decision D21b: IDF+Coverage where unit lengths vary little and the corpus is small.
FEW_UNITS, EVEN_LENGTHS = 1000, 0.6

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One way in which a term occurs: by field, the rows and how often."""

    how: str
    weight: float
    fields: Mapping[str, Postings]
    text: str = ""  # the synonym or translation, "" for the term itself


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """An original query term as the index saw it.

    ``df`` counts visible passages that hold the term itself (or, if none does, any variant of it); ``idf`` is
    that of :func:`idf`, log(1 + N/df) unless the classic form is asked for, 0 for an unknown term; ``known`` is False if
    nothing visible holds it in any form.
    """

    key: str
    kind: str  # han | bigram | ascii | word; run = several original terms unbroken
    df: int
    idf: float
    known: bool


class Impact(NamedTuple):
    """Rows that hold a term, ascending, and what it weighs in each (float64, in (0, k1 + 1))."""

    rows: NDArray[np.int32]
    values: Floats


def choose(lengths: Floats) -> str:
    """The scorer of decision D21b for units of these lengths (tokens): ``idf_coverage`` or ``bm25``."""
    n = len(lengths)
    if n == 0 or n >= FEW_UNITS:
        return "bm25"
    mean = float(lengths.mean())
    return "idf_coverage" if mean > 0 and float(lengths.std()) / mean < EVEN_LENGTHS else "bm25"


def idf(n: int, df: int, form: str = "smooth") -> float:
    """log(1 + N/df), or the report's log(N/df) with ``form="classic"``; 0 if the term does not occur."""
    if df <= 0:
        return 0.0
    return math.log(n / df) if form == "classic" else math.log(1.0 + n / df)


def idf_coverage(size: int, terms: Sequence[QueryTerm], evidence: Sequence[Sequence[Evidence]]) -> Floats:
    """0.6 · Σ idf·w / Σ idf + 0.25 · matched/known over the known original terms (decision D21), by row.

    Range [0, 0.85]; 0/0 is 0. A hit by a variant counts as covered, its idf by the variant's weight.
    """
    total, covered = np.zeros(size), np.zeros(size)
    known = [(t, e) for t, e in zip(terms, evidence, strict=True) if t.known]
    for term, ways in known:
        best = np.zeros(size)
        for way in ways:
            for postings in way.fields.values():
                best[postings.rows] = np.maximum(best[postings.rows], way.weight)
        total += term.idf * best
        covered += best > 0
    whole = sum(t.idf for t, _ in known)
    share = total / whole if whole > 0 else np.zeros(size)
    coverage = covered / len(known) if known else np.zeros(size)
    return np.asarray(IDF_SHARE * share + COVERAGE_SHARE * coverage)


def impact(
    size: int,
    evidence: Sequence[Evidence],
    lengths: Mapping[str, Floats],
    means: Mapping[str, float],
    boosts: Mapping[str, float] = BOOSTS,
) -> Impact:
    """What a term adds to BM25F, by row and before its idf: field frequencies are normalised by field length, boosted and
    added before they saturate; the best evidence counts.

    k1 = 1.2, b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). ``lengths`` by field and
    row, ``means`` over the rows that N counts.
    """
    lists = [postings.rows for way in evidence for postings in way.fields.values()]
    # Most terms are rare: what they cost is to depend on their postings, not on the size of the index.
    some = _union(lists) if sum(map(len, lists)) < size // 8 else None
    length = size if some is None else len(some)
    frequency, best = np.zeros(length), np.zeros(length)
    for way in evidence:
        places = [rows if some is None else some.searchsorted(rows) for rows, _ in way.fields.values()]
        for at, (field, (rows, counts)) in zip(places, way.fields.items(), strict=True):
            norm = 1.0 - B + B * lengths[field][rows] / means[field] if means[field] > 0 else 1.0
            frequency[at] += boosts[field] * counts / norm
        for at in places:
            # However often its parts stand apart, a compound is not there more than once.
            often = np.minimum(frequency[at], 1.0) if way.how == "parts" else frequency[at]
            best[at] = np.maximum(best[at], way.weight * often * (K1 + 1.0) / (K1 + often))
        for at in places:
            frequency[at] = 0.0
    if some is not None:
        return Impact(some, best)
    held = np.flatnonzero(best).astype("i4")
    return Impact(held, best[held])


def _union(lists: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Every row once, ascending."""
    if len(lists) < 2:
        return lists[0] if lists else np.zeros(0, "i4")
    rows = np.sort(np.concatenate(lists))
    first = np.ones(len(rows), bool)
    np.not_equal(rows[1:], rows[:-1], out=first[1:])
    return rows[first]


def bm25(size: int, n: int, terms: Sequence[QueryTerm], impacts: Sequence[Impact]) -> Floats:
    """BM25F by row, unbounded: Σ idf · impact over the known terms, idf = log(1 + (N − df + ½)/(df + ½)).

    A term of kind ``run`` weighs as much as the terms that it consists of together, as phrases usually do.
    """
    weights = {t.key: math.log(1.0 + (n - t.df + 0.5) / (t.df + 0.5)) for t in terms if t.known and t.kind != "run"}
    total = np.zeros(size)
    for term, (rows, values) in zip(terms, impacts, strict=True):
        if term.known:
            parts = (weight for part, weight in weights.items() if part in term.key)
            total[rows] += (sum(parts) if term.kind == "run" else weights[term.key]) * values
    return total
