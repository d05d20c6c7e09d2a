"""Posting lists of a Whoosh index as numpy arrays, read once and kept.

Whoosh walks postings one by one in Python; reading its blocks whole is what makes scoring in numpy possible. Document
numbers are mapped to rows by an array the caller gives (-1 = deleted or not a passage), so this module knows nothing of
passages, and publication can use it with document numbers themselves.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from whoosh.codec.whoosh3 import W3LeafMatcher
from whoosh.filedb import filestore
from whoosh.index import FileIndex
from whoosh.matching.wrappers import FilterMatcher

from oam_rdf.errors import Damaged, OamError
from oam_rdf.index.lexical_schema import INDEX_NAME, schema

Rows = NDArray[np.int32]
Weights = NDArray[np.float32]
_storage: Any = filestore.FileStorage  # Whoosh is typed in part
_index: Any = FileIndex
_NO_ROWS: Rows = np.zeros(0, "i4")
_NO_WEIGHTS: Weights = np.zeros(0, "f4")


class Postings(NamedTuple):
    """Rows that hold a term, ascending, each once, with the term's frequency there."""

    rows: Rows
    counts: Weights


NONE = Postings(_NO_ROWS, _NO_WEIGHTS)


@contextmanager
def reading(place: Path | str) -> Iterator[None]:
    """Turn whatever Whoosh raises over a damaged file (it unpickles, so that may be anything) into :class:`Damaged`."""
    try:
        yield
    except (MemoryError, OamError):
        raise
    except Exception as error:
        message = f"the lexical index cannot be read: {type(error).__name__}: {error}"
        raise Damaged(message, place=str(place), hint="run `oam reindex`") from error


def open_whoosh(folder: Path) -> Any:
    """The Whoosh index in ``folder``, read-only; :class:`Damaged` if there is none or it cannot be read."""
    with reading(folder):
        return _index(_storage(str(folder), readonly=True), schema=schema(), indexname=INDEX_NAME)


def open_reader(folder: Path) -> Any:
    """A Whoosh reader over the newest state in ``folder``; :class:`Damaged` likewise."""
    with reading(folder):
        return open_whoosh(folder).reader()


def read_blocks(matcher: Any) -> tuple[NDArray[np.int64], Weights]:
    """All (document number, weight) of one segment's posting list, deleted documents included."""
    while isinstance(matcher, FilterMatcher):
        matcher = matcher.child
    if not isinstance(matcher, W3LeafMatcher):
        ids, weights = [], []
        while matcher.is_active():
            ids.append(matcher.id())
            weights.append(matcher.weight())
            matcher.next()
        return np.array(ids, "i8"), np.array(weights, "f4")
    blocks: list[NDArray[np.int64]] = []
    loads: list[Weights] = []
    leaf: Any = matcher
    while leaf.is_active():
        leaf._read_data()
        gaps, values, _ = leaf._data
        blocks.append(np.cumsum(np.array(gaps, "i8")))
        loads.append(np.full(len(gaps), 1.0 if values is None else values, "f4"))
        leaf._next_block()
    if not blocks:  # a term whose every entry was deleted keeps its place in the segment until it is merged
        return np.zeros(0, "i8"), np.zeros(0, "f4")
    return np.concatenate(blocks), np.concatenate(loads)


class PostingReader:
    """Postings by (field, term) over all segments, cached up to ``limit`` entries of arrays in total. Thread-safe."""

    def __init__(self, reader: Any, rows: Rows | None = None, limit: int = 20_000_000) -> None:
        self._leaves = list(reader.leaf_readers()) if reader.doc_count_all() else []
        self._rows = rows
        self._cache: OrderedDict[tuple[str, str], Postings] = OrderedDict()
        self._held, self._limit = 0, limit
        self._lock = threading.Lock()

    def get(self, field: str, term: str) -> Postings:
        """Postings of a term, :data:`NONE` if the field does not hold it."""
        place = (field, term)
        with self._lock:  # Whoosh's readers share one file position
            found = self._cache.get(place)
            if found is not None:
                self._cache.move_to_end(place)
                return found
            found = self._read(field, term)
            self._cache[place] = found
            self._held += len(found.rows) + 16
            while self._held > self._limit and len(self._cache) > 1:
                self._held -= len(self._cache.popitem(last=False)[1].rows) + 16
        return found

    def close(self) -> None:
        """Let go of the segments; what is cached stays readable."""
        with self._lock:
            self._leaves = []

    def _read(self, field: str, term: str) -> Postings:
        data = term.encode("utf-8", "surrogatepass")
        numbers, weights = [], []
        for leaf, offset in self._leaves:
            with reading(str(leaf)):
                if (field, data) not in leaf:
                    continue
                ids, counts = read_blocks(leaf.postings(field, data))
            numbers.append(ids + offset)
            weights.append(counts)
        if not numbers:
            return NONE
        found, counts = np.concatenate(numbers), np.concatenate(weights)
        if self._rows is None:
            return Postings(found.astype("i4"), counts)
        rows = self._rows[found]
        alive = rows >= 0
        rows, counts = rows[alive], counts[alive]
        order = np.argsort(rows, kind="stable")
        return Postings(rows[order], counts[order])


def any_of(lists: list[Postings]) -> Postings:
    """Rows in at least one list, frequencies added."""
    lists = [p for p in lists if len(p.rows)]
    if len(lists) < 2:
        return lists[0] if lists else NONE
    rows, inverse = np.unique(np.concatenate([p.rows for p in lists]), return_inverse=True)
    counts = np.bincount(inverse, np.concatenate([p.counts for p in lists]), len(rows))
    return Postings(rows.astype("i4"), counts.astype("f4"))


def all_of(lists: list[Postings]) -> Postings:
    """Rows in every list, with the smallest frequency."""
    if not lists or any(not len(p.rows) for p in lists):
        return NONE
    rest = sorted(lists, key=lambda p: len(p.rows))
    rows, counts = rest[0]
    for other in rest[1:]:
        at = np.searchsorted(other.rows, rows)
        at[at == len(other.rows)] = 0
        same = other.rows[at] == rows
        rows, counts = rows[same], np.minimum(counts[same], other.counts[at[same]])
    return Postings(rows, counts)
