"""What a caller may know of the lexical index, and what each term weighs there.

N, df and mean lengths count visible rows alone (decision D16), so whatever is computed from them belongs to one set of
visible rows. It is kept: common words come back in most queries, and theirs are the long posting lists.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from oam_rdf.index.lexical_terms import OTHER, SAME, Term
from oam_rdf.index.scorers import Evidence, Impact, QueryTerm, choose, idf, impact

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Place = tuple[Term, tuple[str, ...]]

_ROWS = 3_000_000  # kept for one set of visible rows: 36 MB
_TERMS = 16_384
_VIEWS = 4  # sets of visible rows: one for each clearance in use


class View:
    """The index as far as ``visible`` (bool[rows], None = all) goes. Thread-safe.

    ``n`` are the visible rows, ``scorer`` is the one that decision D21b chooses for them.
    """

    def __init__(self, visible: Bools | None, lengths: Mapping[str, Floats], size: int) -> None:
        self.visible, self._lengths, self._size = visible, lengths, size
        self.n = size if visible is None else int(np.count_nonzero(visible))
        seen = {field: v if visible is None else v[visible] for field, v in lengths.items()}
        self._means = {field: float(v.mean()) if len(v) else 0.0 for field, v in seen.items()}
        self.scorer = choose(seen["body"])
        self._df: OrderedDict[Place, int] = OrderedDict()
        self._impacts: OrderedDict[Place, Impact] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def term(self, term: Term, fields: tuple[str, ...], ways: Sequence[Evidence], form: str = "smooth") -> QueryTerm:
        """The term as it is seen here: df of the term itself, or of all its variants if it has only them (decision D21)."""
        place = (term, fields)
        df = self._df.get(place)
        if df is None:
            own = [way for way in ways if way.how not in OTHER]
            df = self._count([way for way in own if way.how in SAME]) or self._count(own) or self._count(ways)
            with self._lock:
                self._df[place] = df
                while len(self._df) > _TERMS:
                    self._df.popitem(last=False)
        return QueryTerm(term.key, term.kind, df, idf(self.n, df, form), df > 0)

    def impact(self, term: Term, fields: tuple[str, ...], ways: Sequence[Evidence]) -> Impact:
        """:func:`~oam_rdf.index.scorers.impact` of the term, by the mean lengths of what is visible."""
        place = (term, fields)
        with self._lock:
            found = self._impacts.get(place)
            if found is not None:
                self._impacts.move_to_end(place)
                return found
        found = impact(self._size, ways, self._lengths, self._means)
        with self._lock:
            if place not in self._impacts:
                self._impacts[place] = found
                self._held += len(found.rows)
            while self._held > _ROWS and len(self._impacts) > 1:
                self._held -= len(self._impacts.popitem(last=False)[1].rows)
        return found

    def _count(self, ways: Sequence[Evidence]) -> int:
        lists = [postings.rows for way in ways for postings in way.fields.values()]
        if not lists:
            return 0
        held = np.zeros(self._size, bool)
        for rows in lists:
            held[rows] = True
        return int(np.count_nonzero(held if self.visible is None else held & self.visible))


class Views:
    """The views in use, told apart by the mask itself: a caller keeps its mask as long as it sees the same. Thread-safe."""

    def __init__(self, lengths: Mapping[str, Floats], size: int) -> None:
        self._lengths, self._size = lengths, size
        self._kept: OrderedDict[int, View] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, visible: Bools | None) -> View:
        """The view of what ``visible`` (bool[rows], not to be changed afterwards) admits."""
        with self._lock:
            view = self._kept.get(id(visible))
            if view is None:
                view = self._kept[id(visible)] = View(
                    visible, self._lengths, self._size
                )  # holds the mask: ids stay apart
            self._kept.move_to_end(id(visible))
            while len(self._kept) > _VIEWS:
                self._kept.popitem(last=False)
        return view
