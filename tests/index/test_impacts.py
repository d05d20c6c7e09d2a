"""What is kept for one set of visible rows never answers for another (decision D16)."""

from __future__ import annotations

import numpy as np

from oam_rdf.index.impacts import Views
from oam_rdf.index.lexical_terms import Form, Term
from oam_rdf.index.postings import Postings
from oam_rdf.index.scorers import Evidence

ROWS = 8
TERM = Term("lantern", "ascii", (Form("literal", (("lantern",),)),))
HELD = np.arange(0, ROWS, 2, dtype="i4")
WAYS = [Evidence("literal", 1.0, {"body": Postings(HELD, np.ones(len(HELD), "f4"))})]


def test_every_set_of_visible_rows_has_its_own_figures() -> None:
    lengths = {"body": np.arange(1.0, ROWS + 1)}
    views = Views(lengths, ROWS)
    for _ in range(2):
        for number in range(1, 40):  # far more than are kept: masks come and go, and so do their addresses
            visible = np.array([number >> row & 1 for row in range(ROWS)], bool)
            view = views.of(visible)
            assert view.n == visible.sum()
            assert view.term(TERM, ("body",), WAYS).df == visible[HELD].sum()
            mean = lengths["body"][visible].mean()
            frequency = 1 / (0.25 + 0.75 * lengths["body"][HELD] / mean)
            found = view.impact(TERM, ("body",), WAYS)
            assert found.rows.tolist() == HELD.tolist()
            assert np.allclose(found.values, frequency * 2.2 / (1.2 + frequency))
            assert views.of(visible) is view
