"""Decision D21 and BM25F, worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from index_corpus import Corpus, document

from oam_rdf.index.postings import Postings, all_of, any_of
from oam_rdf.index.scorers import Evidence, QueryTerm, bm25, choose, idf, idf_coverage, impact


def test_idf_is_positive_and_the_classic_form_is_not() -> None:
    assert idf(3, 3) == pytest.approx(math.log(2)) and idf(3, 3, "classic") == 0.0
    assert idf(3, 0) == 0.0 and idf(0, 0) == 0.0


def test_worked_example(tmp_path: Path) -> None:
    """Four passages: alpha in 1, beta in 2, gamma in 4 of them; the query also asks for an unknown word.

    idf: alpha ln 5 = 1.609438, beta ln 3 = 1.098612, gamma ln 2 = 0.693147; together 3.401197.
    """
    corpus = Corpus(tmp_path)
    texts = ["alpha beta gamma", "beta gamma delta", "gamma delta delta", "gamma epsilon zeta"]
    index = corpus.commit([document(f"d{i}", t, title="T") for i, t in enumerate(texts)])
    result = index.search("alpha beta gamma unknown", scorer="idf_coverage")
    assert [(t.key, t.df, round(t.idf, 6)) for t in result.terms] == [
        ("alpha", 1, 1.609438),
        ("beta", 2, 1.098612),
        ("gamma", 4, 0.693147),
        ("unknown", 0, 0.0),
    ]
    expected = [
        0.6 * 1.0 + 0.25 * 3 / 3,
        0.6 * (1.098612 + 0.693147) / 3.401197 + 0.25 * 2 / 3,
        0.6 * 0.693147 / 3.401197 + 0.25 * 1 / 3,
        0.6 * 0.693147 / 3.401197 + 0.25 * 1 / 3,
    ]
    assert result.rows.tolist() == [0, 1, 2, 3]
    assert result.scores.tolist() == pytest.approx(expected, abs=1e-5)
    assert result.scores.tolist() == pytest.approx([0.85, 0.482749, 0.205611, 0.205611], abs=1e-5)

    # BM25 of beta in passages of three words each: length = mean, so tf' = 1 and 2.2/2.2 = 1; idf = ln(1 + 2.5/2.5)
    ranked = index.search("beta", scorer="bm25", fields=("body",))
    assert ranked.rows.tolist() == [0, 1]
    assert ranked.scores.tolist() == pytest.approx([math.log(2)] * 2)


def test_bm25_by_hand() -> None:
    """Two fields, boosts 2 and 1: tf' = 2·1/(0.25 + 0.75·2/2) + 3/(0.25 + 0.75·20/10) = 2 + 3/1.75."""
    hit = {
        "title": Postings(np.array([0], "i4"), np.array([1], "f4")),
        "body": Postings(np.array([0], "i4"), np.array([3], "f4")),
    }
    lengths = {"title": np.array([2.0, 2.0]), "body": np.array([20.0, 0.0])}
    term = QueryTerm("x", "ascii", 1, idf(2, 1), True)
    means, boosts = {"title": 2.0, "body": 10.0}, {"title": 2.0, "body": 1.0}
    scores = bm25(2, 2, [term], [impact(2, [Evidence("literal", 1.0, hit)], lengths, means, boosts)])
    frequency = 2 + 3 / 1.75
    assert scores.tolist() == pytest.approx([math.log(2) * frequency * 2.2 / (1.2 + frequency), 0.0])


def test_a_variant_counts_its_weight_and_the_best_way_wins() -> None:
    rows = {"body": Postings(np.array([0, 1], "i4"), np.array([1, 1], "f4"))}
    one = {"body": Postings(np.array([0], "i4"), np.array([1], "f4"))}
    term = QueryTerm("x", "ascii", 1, idf(2, 1), True)
    scores = idf_coverage(3, [term], [[Evidence("literal", 1.0, one), Evidence("stem", 0.9, rows)]])
    assert scores.tolist() == pytest.approx([0.85, 0.6 * 0.9 + 0.25, 0.0])
    assert idf_coverage(3, [], []).tolist() == [0.0, 0.0, 0.0]
    classic = QueryTerm("x", "ascii", 2, idf(2, 2, "classic"), True)
    assert idf_coverage(2, [classic], [[Evidence("literal", 1.0, rows)]]).tolist() == [0.25, 0.25]  # 0/0 is 0


def test_the_score_is_chosen_by_size_and_evenness() -> None:
    """Decision D21b: CV < 0.6 and N < 1,000 give IDF+Coverage."""
    even = np.array([100.0, 120.0, 90.0])
    assert choose(even) == "idf_coverage"
    assert choose(np.array([1.0, 500.0, 3.0])) == "bm25"
    assert choose(np.tile(even, 400)) == "bm25"
    assert choose(np.zeros(0)) == "bm25" and choose(np.zeros(3)) == "bm25"


def test_posting_algebra() -> None:
    a = Postings(np.array([1, 3, 5], "i4"), np.array([1, 2, 3], "f4"))
    b = Postings(np.array([3, 4, 5], "i4"), np.array([5, 5, 1], "f4"))
    both, either = all_of([a, b]), any_of([a, b])
    assert both.rows.tolist() == [3, 5] and both.counts.tolist() == [2, 1]
    assert either.rows.tolist() == [1, 3, 4, 5] and either.counts.tolist() == [1, 7, 5, 4]
    empty = Postings(np.zeros(0, "i4"), np.zeros(0, "f4"))
    assert len(all_of([a, empty]).rows) == 0 and any_of([empty, a]).rows.tolist() == [1, 3, 5]


def test_parts_of_a_compound_do_not_add_up_to_it(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    apart = "frame entry " * 6
    index = corpus.commit([document("d0", apart), document("d1", "one frame-entry of many others here and there")])
    assert index.search("frame-entry", scorer="bm25").rows.tolist() == [1, 0]
