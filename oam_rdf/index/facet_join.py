"""The columnar table of a generation out of the rows that stay of the previous one and those that were read anew.

What depends on other rows (the document, the language and the status in force that parts inherit) is computed of all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oam_rdf.index.columns import Array, Column, Strings
from oam_rdf.index.facet_table import CATEGORIES, FORMAT, Facets, effective, key_table
from oam_rdf.index.splicing import Splice, joined, keyed, pooled, recode
from oam_rdf.model import VISIBILITIES

#: Columns of categories as they are read, with the values that have a code whether or not a row holds them.
_READ: Mapping[str, Sequence[str]] = {
    "granularity": ("",),
    "own_language": ("",),
    "epistemic_state": ("",),
    "verification": ("",),
    "recorded_status": ("ACTIVE",),
    "visibility": VISIBILITIES,
    "kind": ("",),
}
_DATES = ("valid_from", "deprecated_at", "created", "committed")
_STRINGS = ("identifier", "title", "version", "source_status")
_DEEPEST = 64  # deeper nesting of sections is not written; a cycle of part-of ends here


@dataclass(frozen=True, slots=True)
class Own:
    """What a store says of ``n`` objects, sorted by IRI, by column. Owners are their numbers, other objects rows of the table
    that is made (-1 = none)."""

    iris: Sequence[str]
    parent: Sequence[int]
    columns: Mapping[str, Sequence[str]]
    edges: Sequence[tuple[int, int, int]]  # number of the new one, row of the old one, visibility
    dates: Mapping[str, Array]
    originals: Sequence[str]  # hash, "" = none
    spans: Sequence[tuple[int, int, str, int, int]]  # number of the owner, place, hash, start, end
    strings: Mapping[str, Sequence[str]]
    aliases: Sequence[tuple[int, str]]


def join(old: Facets, splice: Splice, own: Own) -> Facets:
    """The table of the rows of ``old`` that stay and of ``own``."""
    arrays: dict[str, Array] = {}
    arrays["parent"] = splice.column(splice.moved[old.parent], np.array(own.parent, dtype=np.int32))
    arrays["iri_bytes"], arrays["iri_offsets"] = _parts(splice.strings(old.iris, own.iris))
    for name in _STRINGS:
        arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = _parts(
            splice.strings(old.strings(name), own.strings[name])
        )
    for name in _DATES:
        arrays[name] = splice.column(old.arrays[name], own.dates[name])
    columns = {
        name: joined(splice, Column(old.arrays[name], old.meta["values"][name]), own.columns[name], first)
        for name, first in _READ.items()
    }
    arrays |= _edges(old, splice, own)
    arrays |= _spans(old, splice, own)
    arrays |= _aliases(old, splice, own)
    arrays |= _keys(old, splice, own)
    arrays["document"] = _documents(arrays["parent"], columns["granularity"])
    columns["language"] = _inherited(columns["own_language"], arrays["document"])
    columns["version_status"] = effective(columns["recorded_status"], arrays["edge_old"], arrays["parent"])
    arrays |= {name: column.codes for name, column in columns.items()}
    values = {name: list(column.values) for name, column in columns.items()}
    return Facets(arrays, {"format": FORMAT, "rows": len(splice), "values": values})


def empty() -> Facets:
    """A table without rows."""
    none = Strings.of(())
    numbers: dict[str, type] = {
        **dict.fromkeys(
            ("parent", "document", "original", "span_owner", "span_source", "span_start", "span_end"), np.int32
        ),
        **dict.fromkeys(("edge_new", "edge_old", "alias_owner", "key_row"), np.int32),
        **dict.fromkeys(_DATES, np.int64),
        **dict.fromkeys((*_READ, *CATEGORIES), np.uint16),
        "edge_visibility": np.uint8,
        "key_kind": np.uint8,
        "key_hash": np.uint64,
        "has_original": np.bool_,
    }
    arrays: dict[str, Array] = {name: np.zeros(0, dtype=kind) for name, kind in numbers.items()}
    for name in ("iri", *_STRINGS, "alias", "original_hash"):
        arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = _parts(none)
    values = {name: list(_READ.get(name, ("",))) for name in (*_READ, *CATEGORIES)}
    return Facets(arrays, {"format": FORMAT, "rows": 0, "values": values})


def _parts(strings: Strings) -> tuple[Array, Array]:
    return strings.data, strings.offsets


def _edges(old: Facets, splice: Splice, own: Own) -> dict[str, Array]:
    fresh = np.array(own.edges, dtype=np.int64).reshape(len(own.edges), 3)
    new = splice.at(fresh[:, 0])
    merge = splice.owned(old.edge_new, new)
    return {
        "edge_new": merge.column(splice.moved[old.edge_new], new),
        "edge_old": merge.column(splice.moved[old.edge_old], fresh[:, 1].astype(np.int32)),
        "edge_visibility": merge.column(old.edge_visibility, fresh[:, 2].astype(np.uint8)),
    }


def _spans(old: Facets, splice: Splice, own: Own) -> dict[str, Array]:
    fresh = np.array([(owner, start, end) for owner, _, _, start, end in own.spans], dtype=np.int32)
    fresh = fresh.reshape(len(own.spans), 3)
    owner = splice.at(fresh[:, 0])
    merge = splice.owned(old.span_owner, owner)
    (original, source), hashes = pooled(
        [(splice, old.original, own.originals), (merge, old.span_source, [span[2] for span in own.spans])],
        old.originals,
    )
    owners = merge.column(splice.moved[old.span_owner], owner)
    has_original = original >= 0
    has_original[owners] = True
    return {
        "original": original,
        "has_original": has_original,
        "span_owner": owners,
        "span_source": source,
        "span_start": merge.column(old.span_start, fresh[:, 1].copy()),
        "span_end": merge.column(old.span_end, fresh[:, 2].copy()),
        "original_hash_bytes": hashes.data,
        "original_hash_offsets": hashes.offsets,
    }


def _aliases(old: Facets, splice: Splice, own: Own) -> dict[str, Array]:
    owner = splice.at(np.array([number for number, _ in own.aliases], dtype=np.int64))
    merge = splice.owned(old.arrays["alias_owner"], owner)
    data, offsets = _parts(merge.strings(old.strings("alias"), [alias for _, alias in own.aliases]))
    return {
        "alias_owner": merge.column(splice.moved[old.arrays["alias_owner"]], owner),
        "alias_bytes": data,
        "alias_offsets": offsets,
    }


def _keys(old: Facets, splice: Splice, own: Own) -> dict[str, Array]:
    """Spelling keys, sorted by hash, row and kind."""
    fresh = key_table(own.strings["identifier"], own.aliases, own.strings["title"])
    hashes, rows = fresh["key_hash"], splice.at(fresh["key_row"])
    merge = keyed(splice, old.arrays["key_hash"], old.arrays["key_row"], hashes, rows)
    return {
        "key_hash": merge.column(old.arrays["key_hash"], hashes),
        "key_row": merge.column(splice.moved[old.arrays["key_row"]], rows),
        "key_kind": merge.column(old.arrays["key_kind"], fresh["key_kind"]),
    }


def _documents(parent: Array, granularity: Column) -> Array:
    top = np.where(parent >= 0, parent, np.arange(len(parent), dtype=np.int32)).astype(np.int32)
    for _ in range(_DEEPEST):
        following = top[top]
        if np.array_equal(following, top):
            break
        top = following
    is_document = granularity.mask(["DOCUMENT"])
    return np.where(is_document[top], top, -1).astype(np.int32) if len(parent) else top


def _inherited(own: Column, document: Array) -> Column:
    """The language of each row, else that of its document."""
    none = own.code("")
    codes = own.codes
    if len(codes):
        codes = np.where((codes == none) & (document >= 0), codes[np.maximum(document, 0)], codes)
    return recode(codes, own.values, ("",))
