"""Quotes found exactly, without marks, in parts, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.ingest.anchoring import EXACT, NORMALISED, UNANCHORED, Work, anchor
from oam_rdf.model import Anchoring

TEXT = "\ufeff# 標題\r\n\r\n設 **$L$** 為完備格，則 `f` 有\n不動點。 First the *premise*; then much else; last the conclusion.\n"


def found(quote: str, text: str = TEXT) -> Anchoring:
    return anchor(quote, Work(text), "0" * 64, name="P-1")


@pytest.mark.parametrize(
    ("quote", "how", "exact"),
    [
        ("為完備格", EXACT, ("為完備格",)),
        ("設 L 為完備格", NORMALISED, ("設 **$L$** 為完備格",)),
        ("則 f 有不動點。", NORMALISED, ("則 `f` 有\n不動點。",)),
        ("First the *premise* … the conclusion", EXACT, ("First the *premise*", "the conclusion")),
        ("First the premise; ... last the conclusion.", NORMALISED, ("First the *premise*;", "last the conclusion.")),
        ("First [...] then much […] conclusion", EXACT, ("First", "then much", "conclusion")),
        ("…then much else…", EXACT, ("then much else",)),
        ("last … First", UNANCHORED, ()),
        ("no such words", UNANCHORED, ()),
        ("**", UNANCHORED, ()),
        ("…", UNANCHORED, ()),
    ],
)
def test_where_a_quote_stands(quote: str, how: str, exact: tuple[str, ...]) -> None:
    anchoring = found(quote)
    assert (anchoring.how, anchoring.exact) == (how, exact)
    assert tuple(TEXT[span.start : span.end] for span in anchoring.spans) == exact
    assert bool(anchoring.reason) == (how == UNANCHORED)


@given(st.text("ab *_\n設。", max_size=40), st.text("ab *_\n設。…", max_size=10))
def test_spans_hold_the_quote_but_for_marks(text: str, quote: str) -> None:
    def bare(words: str) -> str:
        return "".join(c for c in words if c not in " *_\n…")

    anchoring = found(quote, text)
    assert all(0 <= span.start < span.end <= len(text) for span in anchoring.spans)
    assert all(a.end <= b.start for a, b in zip(anchoring.spans, anchoring.spans[1:], strict=False))
    if anchoring.spans:
        assert bare("".join(anchoring.exact)) == bare(quote)
        assert anchoring.how == NORMALISED or all(part in quote for part in anchoring.exact)
    elif bare(quote):
        assert bare(quote) not in bare(text)


def test_the_first_place_counts() -> None:
    assert found("ab", "ab ab").spans[0].start == 0
