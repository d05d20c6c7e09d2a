"""Names by which references may call stored objects, as a table that is looked into one reference at a time.

Reading all names of a large knowledge base takes seconds; a writer asks for a few. Documents and what has an id of its
author go by identifiers, titles and aliases, documents by their paths too; an entry of a list goes by the id that the list
gives it, never by its title; what an extractor calls an entry is a name inside its extract only.

The id of a text that gives itself none is its title (segmentation.md): as a name it is no stronger than that title is where
other documents bear it, too, so it has a kind of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from oam_rdf.errors import Damaged
from oam_rdf.index.columns import Array, Strings, load, save
from oam_rdf.index.facets import Select
from oam_rdf.index.splicing import Splice, keyed
from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.text.normalise import id_key, link_key

FORMAT = 2
# Stronger kinds win: an identifier before a title, a title before an alias or file name.
IDENTIFIER, TITLED, TITLE, ALIAS = range(4)
#: Media types of texts: where such a one gives itself no id, its title is the id.
TEXTS = frozenset(("text/markdown", "text/x-rst", "text/plain", "application/yaml"))

_MEDIA_TYPE = -1  # no kind of name: what tells whether the title may be the id
_STORED = f"""
SELECT ?object ?name ?kind ?any WHERE {{
  {{ ?object a <{OAM}Document> }} UNION {{ ?object <{OAM}authorId> ?any }}
  {{ ?object <{DCTERMS}identifier> ?name BIND({IDENTIFIER} AS ?kind) }}
  UNION {{ ?object <{DCTERMS}title> ?name BIND({TITLE} AS ?kind) }}
  UNION {{ ?object <{OAM}alias> ?name BIND({ALIAS} AS ?kind) }}
  UNION {{ ?object <{DCTERMS}format> ?name BIND({_MEDIA_TYPE} AS ?kind) }}
  FILTER(?kind = {IDENTIFIER} || !BOUND(?any) || NOT EXISTS {{ ?object <{OAM}provenanceType> ?extracted }})
}}"""

_ENTRIES = f"""
SELECT ?object ?name WHERE {{
  ?object a <{OAM}Section> ; <{OAM}alias> ?name . FILTER NOT EXISTS {{ ?object <{OAM}authorId> ?any }}
}}"""

_PATHS = f"""
SELECT ?object ?path WHERE {{
  ?graph <{OAM}sourcePath> ?path .
  GRAPH ?graph {{ ?object a <{OAM}Document> }}
}}"""


def keys(name: str) -> Iterator[str]:
    """What a name is looked up by: as written but for case and script, then without its punctuation."""
    yield "=" + link_key(name)
    loose = id_key(name)
    if loose:
        yield "~" + loose


def path_names(path: str) -> tuple[str, str, str]:
    """By which a document's path is called: its stem, the path without suffix, and whole."""
    pure = PurePosixPath(path)
    return pure.stem, pure.with_suffix("").as_posix(), path


class NameTable:
    """Entries sorted by key: ``high, low`` (uint64) are the hash of the key, ``object`` (int32) points into ``iris``, ``kind``
    (uint8) is :data:`IDENTIFIER`, :data:`TITLED`, :data:`TITLE` or :data:`ALIAS`."""

    def __init__(self, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
        self._arrays, self._meta = arrays, meta
        self.iris = Strings(arrays["iri_bytes"], arrays["iri_offsets"])
        self.high, self.low = arrays["high"], arrays["low"]
        self.object, self.kind = arrays["object"], arrays["kind"]

    def __len__(self) -> int:
        return len(self.high)

    def find(self, key: str) -> Iterator[tuple[int, str]]:
        """``(kind, IRI)`` of every object that goes by a key of :func:`keys`."""
        high, low = _hash(key)
        at, end = np.searchsorted(self.high, np.uint64(high), "left"), len(self.high)
        for entry in range(int(at), end):
            if int(self.high[entry]) != high:
                break
            if int(self.low[entry]) == low:
                yield int(self.kind[entry]), self.iris[int(self.object[entry])]

    def save(self, folder: Path) -> None:
        save(folder, dict(self._arrays), dict(self._meta))

    @classmethod
    def open(cls, folder: Path) -> NameTable:
        """Memory-map a saved table. :raises Damaged: if it is not whole."""
        arrays, meta = load(folder)
        try:
            made = cls(arrays, meta)
        except KeyError as error:
            raise Damaged(f"the names lack {error}", place=str(folder), hint="run `oam reindex`") from error
        if meta.get("format") != FORMAT or len({len(made.high), len(made.low), len(made.object), len(made.kind)}) > 1:
            raise Damaged("the names are not whole", place=str(folder), hint="run `oam reindex`")
        return made


def build(select: Select, previous: NameTable | None = None, touched: Collection[str] = ()) -> NameTable:
    """The names that ``select`` shows; with the ``previous`` table those of ``touched`` objects alone are read anew."""
    only = None if previous is None else frozenset(touched)
    found = {(s, name, kind) for s, name, kind in _names(select) if only is None or s in only}
    iris = sorted({iri for iri, *_ in found})
    old = NameTable(_arrays([], Strings.of(())), {}) if previous is None else previous
    splice = Splice(old.iris, () if only is None else only, iris)
    number = splice.fresh
    fresh = _arrays(
        sorted({(*_hash(key), number[iri], kind) for iri, name, kind in found for key in keys(name)}),
        splice.strings(old.iris, iris),
    )
    rows = splice.at(fresh["object"])
    merge = keyed(splice, old.high, old.object, fresh["high"], rows)
    arrays = fresh | {
        "high": merge.column(old.high, fresh["high"]),
        "low": merge.column(old.low, fresh["low"]),
        "object": merge.column(splice.moved[old.object], rows),
        "kind": merge.column(old.kind, fresh["kind"]),
    }
    return NameTable(arrays, {"format": FORMAT})


def _names(select: Select) -> Iterator[tuple[str, str, int]]:
    rows = [
        (found.value, name.value, int(kind.value), any_id is not None) for found, name, kind, any_id in select(_STORED)
    ]
    authored = {iri for iri, _, _, has_id in rows if has_id}
    texts = {iri for iri, name, kind, _ in rows if kind == _MEDIA_TYPE and name in TEXTS} - authored
    titles = {(iri, " ".join(name.split())) for iri, name, kind, _ in rows if kind == TITLE and iri in texts}
    for iri, name, kind, _ in rows:
        if kind != _MEDIA_TYPE:
            yield iri, name, TITLED if kind == IDENTIFIER and (iri, name) in titles else kind
    for found, name in select(_ENTRIES):
        yield found.value, name.value, ALIAS
    for found, path in select(_PATHS):
        for name in path_names(path.value):
            yield found.value, name, ALIAS


def _arrays(entries: Iterable[tuple[int, int, int, int]], iris: Strings) -> dict[str, Array]:
    high, low, objects, kinds = zip(*entries, strict=True) if entries else ((), (), (), ())
    return {
        "high": np.array(high, dtype=np.uint64),
        "low": np.array(low, dtype=np.uint64),
        "object": np.array(objects, dtype=np.int32),
        "kind": np.array(kinds, dtype=np.uint8),
        "iri_bytes": iris.data,
        "iri_offsets": iris.offsets,
    }


def _hash(key: str) -> tuple[int, int]:
    data = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(data[:8], "big"), int.from_bytes(data[8:], "big")
