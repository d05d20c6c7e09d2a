"""The share of a query that the corpus has no word for."""

from __future__ import annotations

import pytest

from oam_rdf.query.unknown import unknown


def terms(**known: bool) -> list[dict[str, object]]:
    return [{"term": word, "known": state} for word, state in known.items()]


def test_han_names_that_no_document_contains() -> None:
    found = unknown(
        "祖沖之怎樣計算圓周率？", terms(祖冲=False, 冲之=False, 怎样=True, 计算=True, 圆周=False, 周率=False)
    )
    assert found.names == ("祖冲之", "圆周率")
    assert found.mostly


def test_words_that_ask_and_join_do_not_count() -> None:
    found = unknown("陳景潤證明了什麼？", terms(陈景润=True, 证明=True, 了什=False))
    assert (found.names, found.share) == ((), 0.0)


@pytest.mark.parametrize(
    ("query", "mostly"),
    [
        ("Who won the medal for the fundamental lemma?", True),
        ("Which clocks run fast in orbit?", False),
        ("", False),
        ("的", False),
        ("2026?", False),
    ],
)
def test_english_content_words(query: str, mostly: bool) -> None:
    known = terms(clocks=True, run=True, fast=True, orbit=True, medal=False, fundamental=False, lemma=False)
    assert unknown(query, known).mostly is mostly


def test_a_word_inside_a_known_term_is_known() -> None:
    assert unknown("四色定理", terms(四色定理=True)).share == 0.0
