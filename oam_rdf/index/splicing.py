"""Tables of a generation made from those of the one before: rows that stay are copied, the others come between them.

A table made anew is the same with nothing that stays, so both ways end in the same bytes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from oam_rdf.index.columns import Array, Column, Strings


class Merge:
    """Entries of two lists in one: ``kept`` are positions in the old one, the new ones come before ``kept[before]``."""

    def __init__(self, kept: Array, before: Array) -> None:
        self.kept, self.before = kept, before

    def column(self, old: Array, new: Array) -> Array:
        """One column of both lists, in the type of the new one."""
        merged: Array = np.insert(np.asarray(old)[self.kept], self.before, new)
        return np.ascontiguousarray(merged.astype(new.dtype, copy=False))

    def strings(self, old: Strings, new: Sequence[str]) -> Strings:
        """The same for strings; runs of old ones are copied as they lie."""
        fresh = Strings.of(new)
        lengths = self.column(np.diff(old.offsets), np.diff(fresh.offsets))
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        source = np.concatenate([np.asarray(old.data), fresh.data])
        begins = self.column(old.offsets[:-1], fresh.offsets[:-1] + len(old.data))
        # A run ends where the next string does not lie behind the one before.
        cuts = np.flatnonzero(begins[1:] != begins[:-1] + lengths[:-1]) + 1
        starts = np.concatenate([[0], cuts]).astype(np.int64) if len(lengths) else np.zeros(0, dtype=np.int64)
        ends = np.append(cuts, len(lengths)).astype(np.int64) if len(lengths) else starts
        low, high = begins[starts], begins[ends - 1] + lengths[ends - 1]
        parts = [source[a:b] for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        return Strings(np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint8), offsets)


class Splice(Merge):
    """The rows of the objects, sorted by IRI.

    :param old: IRIs of the previous table, sorted.
    :param touched: IRIs whose rows are made anew or go away.
    :param fresh: IRIs that have a row now, out of ``touched``, sorted.
    """

    def __init__(self, old: Strings, touched: Iterable[str], fresh: Sequence[str]) -> None:
        self.old = old
        self.fresh = {iri: number for number, iri in enumerate(fresh)}
        stays = np.ones(len(old), dtype=bool)
        gone = {iri: row for iri in touched if (row := find(old, iri)) >= 0} if len(old) else {}
        stays[list(gone.values())] = False
        places = np.fromiter((bisect_left(old, iri) for iri in fresh), dtype=np.int64, count=len(fresh))
        super().__init__(np.flatnonzero(stays), np.concatenate([[0], np.cumsum(stays)])[places])
        #: Row of each of the fresh ones.
        self.rows = self.before + np.arange(len(fresh))
        kept = np.arange(len(self.kept))
        #: Old row -> row, -1 where it has none any more; one more at the end, so that -1 stays -1.
        self.moved = np.full(len(old) + 1, -1, dtype=np.int32)
        self.moved[self.kept] = kept + np.searchsorted(self.before, kept, "right")
        for iri, row in gone.items():
            if iri in self.fresh:
                self.moved[row] = self.rows[self.fresh[iri]]
        self._row = dict(zip(fresh, self.rows.tolist(), strict=True))
        self._stays = stays

    @classmethod
    def whole(cls, iris: Sequence[str]) -> Splice:
        """Everything is new."""
        return cls(Strings.of(()), (), iris)

    def __len__(self) -> int:
        return len(self.kept) + len(self.fresh)

    def row(self, iri: str) -> int:
        """Row of an object in the table that is made, -1 if it has none."""
        known = self._row.get(iri)
        if known is None:
            known = self._row[iri] = int(self.moved[find(self.old, iri)]) if len(self.old) else -1
        return known

    def at(self, numbers: Array) -> Array:
        """Rows of fresh objects by their numbers; -1 stays -1."""
        return np.append(self.rows, -1)[numbers].astype(np.int32)

    def owned(self, old: Array, new: Array) -> Merge:
        """For a table sorted by owner: ``old`` are rows of the previous table, ``new`` ascending rows of fresh objects."""
        kept = self.entries(old)
        return Merge(kept, np.searchsorted(self.moved[old[kept]], new, "left"))

    def entries(self, old: Array) -> Array:
        """Entries of the previous table whose owners, rows of it, stay as they are."""
        return np.flatnonzero(self._stays[old]) if len(old) else np.zeros(0, dtype=np.int64)


def find(strings: Strings, value: str) -> int:
    """Position of ``value`` in a sorted list, -1 if it is not there. For a few look-ups: it makes no index."""
    at = bisect_left(strings, value)
    return at if at < len(strings) and strings[at] == value else -1


def keyed(splice: Splice, old_hashes: Array, old_rows: Array, hashes: Array, rows: Array) -> Merge:
    """For a table sorted by hash and row: ``rows`` are those of the table that is made, ``old_rows`` of the previous one."""
    kept = splice.entries(old_rows)
    left, stayed = old_hashes[kept], splice.moved[old_rows[kept]]
    before = np.searchsorted(left, hashes, "left")
    after = np.searchsorted(left, hashes, "right")
    for at in np.flatnonzero(after > before).tolist():  # other objects go by the same name: in order of their rows
        low = int(before[at])
        before[at] = low + int(np.searchsorted(stayed[low : int(after[at])], rows[at]))
    return Merge(kept, before)


def recode(codes: Array, values: Sequence[str], first: Sequence[str]) -> Column:
    """The column with the codes that :meth:`Column.of` would give: ``first``, then what occurs in sorted order."""
    used = np.unique(codes).tolist()
    every = [*first, *sorted({values[code] for code in used} - set(first))]
    index = {value: code for code, value in enumerate(every)}
    table = np.zeros(max(used, default=0) + 1, dtype=np.uint16)
    for code in used:
        table[code] = index[values[code]]
    return Column(table[codes], every)


def joined(merge: Merge, old: Column, new: Iterable[str], first: Sequence[str]) -> Column:
    """One column of categories of both lists."""
    fresh = Column.of(new, ())
    codes = merge.column(old.codes.astype(np.int64), fresh.codes.astype(np.int64) + len(old.values))
    return recode(codes, (*old.values, *fresh.values), first)


def pooled(parts: Sequence[tuple[Merge, Array, Sequence[str]]], strings: Strings) -> tuple[list[Array], Strings]:
    """``(codes of each part, sorted strings)``: codes into one list of strings, of which only what is used stays.

    Of each part the old codes (-1 = none) and the new strings ("" = none); codes are int32.
    """
    kept = [np.asarray(old)[merge.kept] for merge, old, _ in parts]
    every = np.concatenate(kept)
    used = np.unique(every[every >= 0])
    names = [strings[code] for code in used.tolist()]
    pool = sorted({*names, *(value for *_, new in parts for value in new)} - {""})
    index = {value: code for code, value in enumerate(pool)} | {"": -1}
    table = np.full(len(strings) + 1, -1, dtype=np.int32)
    table[used] = [index[name] for name in names]
    codes = [
        np.insert(table[old], merge.before, np.array([index[value] for value in new], dtype=np.int32))
        for (merge, _, new), old in zip(parts, kept, strict=True)
    ]
    return codes, Strings.of(pool)
