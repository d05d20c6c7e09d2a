"""The columnar table of a generation: one row per knowledge object, sorted by IRI (retrieval.md, "Facets").

Constraints are numpy masks over these columns; the store is not asked while a query is answered. Filled by one query
per predicate over the union of all graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import Damaged
from oam_rdf.index.columns import Array, Column, Strings, digest, load, save
from oam_rdf.model import VISIBILITIES
from oam_rdf.text.normalise import id_key, link_key

FORMAT = 1
CATEGORIES = (
    "granularity",
    "language",
    "epistemic_state",
    "verification",
    "version_status",
    "recorded_status",
    "visibility",
    "kind",
)
BEGINNING, END = -(2**62), 2**62  # "no date said" as valid-from and as deprecated-at
IDENTIFIER, ALIAS, TITLE = 0, 1, 2  # what a name of an object is, best first


class Facets:
    """Columns over ``n`` objects. Read-only; rows are positions in the sorted list of IRIs.

    - ``iris, identifiers, titles, versions, source_statuses``: :class:`Strings`;
    - ``column(name)`` for the names in :data:`CATEGORIES`. ``version_status`` is effective: SUPERSEDED when a successor
      is recorded, whatever the source calls it, and parts inherit what is not ACTIVE (decision D10);
      ``recorded_status`` is what the sources say;
    - ``document, parent``: int32 row, -1 = none; ``has_original``: bool;
    - ``valid_from, deprecated_at, created``: int64 seconds since 1970 UTC; ``committed``: int64 microseconds;
    - ``span_owner`` (row, ascending), ``span_start``, ``span_end`` (code points), ``span_source`` (in ``originals``);
      ``original``: int32, the Original that a document is derived from, -1 = none;
    - ``edge_new, edge_old``: rows of ``new oam:supersedes old``; ``edge_visibility``: code of the widest graph stating it.
    """

    def __init__(self, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
        self.arrays, self.meta = arrays, meta
        self.iris, self.identifiers, self.titles = (self.strings(x) for x in ("iri", "identifier", "title"))
        self.versions, self.source_statuses = self.strings("version"), self.strings("source_status")
        self.originals = self.strings("original_hash")
        self._columns = {name: Column(arrays[name], meta["values"][name]) for name in CATEGORIES}
        self.document, self.parent, self.original = arrays["document"], arrays["parent"], arrays["original"]
        self.has_original = arrays["has_original"]
        self.valid_from, self.deprecated_at = arrays["valid_from"], arrays["deprecated_at"]
        self.created, self.committed = arrays["created"], arrays["committed"]
        self.span_owner, self.span_source = arrays["span_owner"], arrays["span_source"]
        self.span_start, self.span_end = arrays["span_start"], arrays["span_end"]
        self.edge_new, self.edge_old = arrays["edge_new"], arrays["edge_old"]
        self.edge_visibility = arrays["edge_visibility"]
        self._alias_owner, self._aliases = arrays["alias_owner"], self.strings("alias")

    def strings(self, name: str) -> Strings:
        """The strings that are saved as ``<name>_bytes`` and ``<name>_offsets``."""
        return Strings(self.arrays[f"{name}_bytes"], self.arrays[f"{name}_offsets"])

    def __len__(self) -> int:
        return len(self.iris)

    def save(self, folder: Path) -> None:
        """Write the table: one ``.npy`` per column, ``columns.json`` for the notations."""
        save(folder, dict(self.arrays), dict(self.meta))

    @classmethod
    def open(cls, folder: Path) -> Facets:
        """Memory-map a saved table. :raises Damaged: if a file is missing, cut or of another format."""
        arrays, meta = load(folder)
        if meta.get("format") != FORMAT:
            raise Damaged(
                f"facets have format {meta.get('format')}, not {FORMAT}", place=str(folder), hint="oam reindex"
            )
        try:
            return cls(arrays, meta)
        except KeyError as error:
            raise Damaged(f"facets lack the column {error}", place=str(folder), hint="run `oam reindex`") from error

    def row(self, iri: str) -> int:
        """Row of an object, -1 if it has none."""
        return self.iris.find(iri)

    def column(self, name: str) -> Column:
        return self._columns[name]

    def mask(self, column: str, notation: str | Iterable[str]) -> Array:
        """``bool[n]``: objects whose ``column`` holds the notation, or one of several."""
        return self._columns[column].mask([notation] if isinstance(notation, str) else notation)

    def visible(self, clearance: str) -> Array:
        """``bool[n]``: what a clearance may see (decision D16)."""
        seen: Array = self._columns["visibility"].codes <= VISIBILITIES.index(clearance)
        return seen

    def edges(self, visible: Array, clearance: str) -> tuple[Array, Array]:
        """``(new, old)`` rows of the supersession edges that a clearance may see: both ends and the stating graph."""
        seen = visible[self.edge_new] & visible[self.edge_old]
        seen &= self.edge_visibility <= VISIBILITIES.index(clearance)
        return self.edge_new[seen], self.edge_old[seen]

    def effective_status(self, superseded: Array) -> Column:
        """``version_status`` given the rows that have a recorded successor (int array)."""
        return effective(self._columns["recorded_status"], superseded, self.parent)

    def aliases(self, row: int) -> list[str]:
        """Further names that references may use."""
        start, end = np.searchsorted(self._alias_owner, [row, row + 1])
        return self._aliases[int(start) : int(end)]

    def named(self, name: str) -> Iterator[tuple[int, int]]:
        """``(row, IDENTIFIER | ALIAS | TITLE)`` of every object that people call so, spelt as they like."""
        wanted = {id_key(name), link_key(name)} - {""}
        seen: set[tuple[int, int]] = set()
        called: dict[str, bool] = {}  # many objects may have one name
        for key in sorted(wanted):
            hashes, value = self.arrays["key_hash"], np.uint64(digest(key))
            start, end = np.searchsorted(hashes, value, "left"), np.searchsorted(hashes, value, "right")
            for at in range(int(start), int(end)):
                hit = int(self.arrays["key_row"][at]), int(self.arrays["key_kind"][at])
                if hit in seen:
                    continue
                for text in self._names(*hit):
                    if text not in called:
                        called[text] = not wanted.isdisjoint((id_key(text), link_key(text)))
                    if called[text]:
                        seen.add(hit)
                        yield hit
                        break

    def _names(self, row: int, kind: int) -> list[str]:
        if kind == ALIAS:
            return self.aliases(row)
        return [self.identifiers[row] if kind == IDENTIFIER else self.titles[row]]


def key_table(
    identifiers: Iterable[str], aliases: Iterable[tuple[int, str]], titles: Iterable[str]
) -> dict[str, Array]:
    """Sorted hashes of every spelling key: identifiers and aliases by both keys, titles by the link key alone."""
    entries: set[tuple[int, int, int]] = set()
    for kind, names in ((IDENTIFIER, enumerate(identifiers)), (ALIAS, iter(aliases))):
        for row, name in names:
            entries |= {(digest(key), row, kind) for key in {id_key(name), link_key(name)} if key}
    entries |= {(digest(key), row, TITLE) for row, name in enumerate(titles) if name and (key := link_key(name))}
    ordered = sorted(entries)
    return {
        "key_hash": np.array([entry[0] for entry in ordered], dtype=np.uint64),
        "key_row": np.array([entry[1] for entry in ordered], dtype=np.int32),
        "key_kind": np.array([entry[2] for entry in ordered], dtype=np.uint8),
    }


def effective(recorded: Column, superseded: Array, parent: Array) -> Column:
    """Version status in force: successors first, then what parts inherit from what they are part of (decision D10)."""
    values = list(recorded.values)
    if "SUPERSEDED" not in values:
        values.append("SUPERSEDED")
    active, code = values.index("ACTIVE"), values.index("SUPERSEDED")
    status = np.array(recorded.codes, dtype=np.uint16)
    status[superseded] = code
    has_parent = parent >= 0
    for _ in range(64):  # deeper nesting of sections is not written; a cycle of part-of ends here
        inherits = has_parent & (status == active)
        before = status[inherits]
        after = status[parent[inherits]]
        if np.array_equal(before, after):
            break
        status[inherits] = after
    return Column(status, values)
