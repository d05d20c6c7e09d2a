"""The two lexical scores, computed in numpy from posting lists.

Both see a query as its known original terms, and a term as *evidence*: ways to occur (literal, stem, character pairs …)
with a weight in (0, 1]; a row counts a term once, by its best evidence. N, df and lengths are taken over the rows a
caller may see, so that what access removes moves no score (decision D16).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


def bm25(
    size: int,
    n: int,
    terms: Sequence[QueryTerm],
    evidence: Sequence[Sequence[Evidence]],
    lengths: Mapping[str, Floats],
    means: Mapping[str, float],
    boosts: Mapping[str, float] = BOOSTS,
) -> Floats:
    """BM25F by row: field frequencies are normalised by field length, boosted and added before they saturate.

    idf = log(1 + (N − df + ½)/(df + ½)), k1 = 1.2, b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance
    Framework", 2009). ``lengths`` by field and row, ``means`` over the rows that N counts; the score is unbounded.
    A term of kind ``run`` weighs as much as the terms that it consists of together, as phrases usually do.
    """
    weights = {t.key: math.log(1.0 + (n - t.df + 0.5) / (t.df + 0.5)) for t in terms if t.known and t.kind != "run"}
    # Two sheets serve every term and are wiped where it was written: the cost is that of the postings, not of the index.
    total, frequency, best = np.zeros(size), np.zeros(size), np.zeros(size)
    for term, ways in zip(terms, evidence, strict=True):
        if not term.known:
            continue
        touched = []
        for way in ways:
            for field, (rows, counts) in way.fields.items():
                norm = 1.0 - B + B * lengths[field][rows] / means[field] if means[field] > 0 else 1.0
                frequency[rows] += boosts[field] * counts / norm
            for rows, _ in way.fields.values():
                # However often its parts stand apart, a compound is not there more than once.
                often = np.minimum(frequency[rows], 1.0) if way.how == "parts" else frequency[rows]
                best[rows] = np.maximum(best[rows], way.weight * often * (K1 + 1.0) / (K1 + often))
                touched.append(rows)
            for rows, _ in way.fields.values():
                frequency[rows] = 0.0
        parts = (weight for part, weight in weights.items() if part in term.key)
        own = sum(parts) if term.kind == "run" else weights[term.key]
        for rows in touched:
            total[rows] += own * best[rows]
            best[rows] = 0.0  # a row that several fields hold counts once
    return total
