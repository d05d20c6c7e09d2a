"""The table of passages: one row for every unit that the two text channels rank.

Rows are sorted by document id (code point order), then by place in the document, so equal sets of documents give equal
tables, whatever the order of ingestion. Columns are numpy arrays, memory-mapped when read from disk; strings sit in
pools that hold each text once. The table holds no passage text (the Original has it) except for objects without span.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.model import Passage

_FORMAT = 1
_COUNTS = ("document", "ordinal", "start", "end", "language", "lead", "digest")
_STRINGS = ("section", "heading", "object", "inline")
_TYPES: dict[str, str] = {
    "document": "i4", "ordinal": "i4", "start": "i4", "end": "i4", "language": "u1", "lead": "?", "digest": "S32",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """What the indexes need of one document: its passages in order, and the terms mined for the dictionary."""

    id: str
    title: str
    language: str
    passages: tuple[Passage, ...]
    terms: tuple[str, ...] = ()


def embedding_text(title: str, heading: str, text: str) -> str:
    """What the embedder reads of a passage: title and heading path on a first line, then the text.

    A title without a letter or digit (``—``, ``***``) says nothing and is left out: before a single sentence such a mark
    moves the vector far enough to cost .09 nDCG across languages.
    """
    head = " › ".join(part for part in (title.strip(), heading.strip()) if any(map(str.isalnum, part)))
    return f"{head}\n{text}" if head else text


def embedding_digest(text: str) -> bytes:
    """32 hex digits (ASCII) that stand for an embedding text in the vector cache."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest().encode()


class _Pool:
    """Strings by row: an index into distinct UTF-8 slices of one byte array."""

    def __init__(self, index: NDArray[np.int32], ends: NDArray[np.int64], blob: NDArray[np.uint8]) -> None:
        self.index, self.ends, self.blob = index, ends, blob

    @classmethod
    def of(cls, strings: list[str]) -> _Pool:
        ids: dict[str, int] = {}
        index = np.fromiter((ids.setdefault(s, len(ids)) for s in strings), "i4", len(strings))
        encoded = [s.encode("utf-8", "surrogatepass") for s in ids]
        ends = np.cumsum([len(b) for b in encoded], dtype="i8")
        return cls(index, ends, np.frombuffer(b"".join(encoded), "u1"))

    def __getitem__(self, row: int) -> str:
        i = int(self.index[row])
        start = int(self.ends[i - 1]) if i else 0
        return self.blob[start : int(self.ends[i])].tobytes().decode("utf-8", "surrogatepass")

    def distinct(self) -> list[str]:
        """The strings that ``index`` points to."""
        data, starts = self.blob.tobytes(), [0, *self.ends.tolist()]
        return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts)]

    def all(self) -> list[str]:
        """Every row's string, each distinct one decoded once."""
        distinct = self.distinct()
        return [distinct[i] for i in self.index.tolist()]

    def splice(self, kept: NDArray[Any], added: list[str], order: NDArray[Any]) -> _Pool:
        """What :meth:`of` makes of the strings of the rows ``kept`` and those ``added``, both in ``order``."""
        strings = self.distinct()
        ids = {s: i for i, s in enumerate(strings)}
        for s in added:
            if s not in ids:
                ids[s] = len(strings)
                strings.append(s)
        codes = np.concatenate([self.index[kept], np.fromiter((ids[s] for s in added), "i4", len(added))])[order]
        used, first, place = np.unique(codes, return_index=True, return_inverse=True)
        by_first = np.argsort(first)
        number = np.empty(len(used), "i4")
        number[by_first] = np.arange(len(used), dtype="i4")
        encoded = [strings[i].encode("utf-8", "surrogatepass") for i in used[by_first].tolist()]
        ends = np.cumsum([len(b) for b in encoded], dtype="i8")
        return _Pool(number[place].astype("i4"), ends, np.frombuffer(b"".join(encoded), "u1"))

    def save(self, folder: Path, name: str) -> None:
        np.save(folder / f"{name}.index.npy", self.index)
        np.save(folder / f"{name}.ends.npy", self.ends)
        np.save(folder / f"{name}.blob.npy", self.blob)

    @classmethod
    def open(cls, folder: Path, name: str) -> _Pool:
        return cls(*(_load(folder, f"{name}.{part}") for part in ("index", "ends", "blob")))


def _load(folder: Path, name: str) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    try:
        if path.stat().st_size < 1 << 16:  # mapping costs more than reading
            return np.asarray(np.load(path, allow_pickle=False))
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError) as error:
        message = f"the passage table cannot be read: {error}"
        raise Damaged(message, place=str(path), hint="run `oam reindex`") from error


class PassageTable:
    """Rows ``0 … n-1`` with arrays ``document, ordinal, start, end: int32``, ``language: uint8``, ``lead: bool`` and
    ``digest: S32`` (of the embedding text), and strings by row. Immutable; :meth:`splice` makes the next one.

    ``documents`` are the sorted ids (also of documents without passages), ``document[row]`` indexes into them,
    ``languages`` likewise for ``language[row]``. ``start = end = -1`` means that :meth:`inline_text` has the text.
    """

    document: NDArray[np.int32]
    ordinal: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    language: NDArray[np.uint8]
    lead: NDArray[np.bool_]
    digest: NDArray[np.bytes_]

    def __init__(
        self, documents: list[str], languages: list[str], columns: dict[str, NDArray[Any]], strings: dict[str, _Pool]
    ) -> None:
        """Use :meth:`empty`, :meth:`open` or :meth:`splice`. ``strings["title"]`` is by document, the others by row."""
        self.documents, self.languages = documents, languages
        for name in _COUNTS:
            setattr(self, name, columns[name])
        self._columns, self._strings = columns, strings
        self._first: NDArray[np.int64] = np.searchsorted(self.document, np.arange(len(documents) + 1)).astype("i8")

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def by_language(self) -> dict[str, NDArray[np.bool_]]:
        """Primary language subtag -> ``bool[n]``: the rows in that language."""
        primary = [tag.lower().partition("-")[0] for tag in self.languages]
        tags = {tag: np.array([name == tag for name in primary], bool) for tag in dict.fromkeys(primary)}
        return {tag: wanted[self.language] for tag, wanted in tags.items()}

    def section(self, row: int) -> str:
        """Local id of the section ("" = the document)."""
        return self._strings["section"][row]

    def heading(self, row: int) -> str:
        """Heading path joined with " › ", without the document's title."""
        return self._strings["heading"][row]

    def object(self, row: int) -> str:
        """Local id of the object that the passage is, "" if it stands for no single one."""
        return self._strings["object"][row]

    def title(self, row: int) -> str:
        """Title of the passage's document."""
        return self._strings["title"][int(self.document[row])]

    def inline_text(self, row: int) -> str:
        """Text of a passage without a span, "" for all others."""
        return self._strings["inline"][row]

    def document_id(self, row: int) -> str:
        """Id of the passage's document."""
        return self.documents[int(self.document[row])]

    def rows_of(self, document_id: str) -> range:
        """Rows of a document in order; an empty range if it has none or is not here."""
        i = bisect_left(self.documents, document_id)
        if i == len(self.documents) or self.documents[i] != document_id:
            return range(0)
        return range(int(self._first[i]), int(self._first[i + 1]))

    @classmethod
    def empty(cls) -> PassageTable:
        """A table without rows."""
        columns = {name: np.zeros(0, kind) for name, kind in _TYPES.items()}
        return cls([], [], columns, {name: _Pool.of([]) for name in (*_STRINGS, "title")})

    def splice(self, removed: Collection[str], added: Iterable[IndexedDocument]) -> PassageTable:
        """The table without the documents ``removed`` and with ``added``, which replace documents of the same id.

        Ids in ``removed`` that are not here are ignored. :class:`UsageError` if two added documents share an id.
        """
        new = sorted(added, key=lambda d: d.id)
        for a, b in pairwise(new):
            if a.id == b.id:
                raise UsageError(f"two documents with the id {a.id!r} in one publication")
        gone = set(removed) | {d.id for d in new}
        stays = np.fromiter((d not in gone for d in self.documents), bool, len(self.documents))
        kept = np.flatnonzero(stays[self.document]) if len(self) else np.zeros(0, "i8")
        documents = sorted([d for d in self.documents if d not in gone] + [d.id for d in new])
        place = {d: i for i, d in enumerate(documents)}
        moved = np.fromiter((place.get(d, -1) for d in self.documents), "i4", len(self.documents))

        fresh = [(place[d.id], n, d, p) for d in new for n, p in enumerate(d.passages)]
        document = np.concatenate([moved[self.document[kept]], np.fromiter((f[0] for f in fresh), "i4", len(fresh))])
        ordinal = np.concatenate([self.ordinal[kept], np.fromiter((f[1] for f in fresh), "i4", len(fresh))])
        order = np.lexsort((ordinal, document))
        columns: dict[str, NDArray[Any]] = {"document": document[order], "ordinal": ordinal[order]}

        def numbers(name: str, values: Iterable[Any]) -> None:
            column = np.concatenate([getattr(self, name)[kept], np.array(list(values), _TYPES[name])])
            columns[name] = column[order].astype(_TYPES[name])

        numbers("start", (p.start for *_, p in fresh))
        numbers("end", (p.end for *_, p in fresh))
        numbers("lead", (p.lead for *_, p in fresh))
        numbers("digest", (embedding_digest(embedding_text(d.title, p.heading, p.text)) for *_, d, p in fresh))

        def strings(name: str, values: Iterable[str]) -> _Pool:
            return self._strings[name].splice(kept, list(values), order)

        tags = _Pool.of(self.languages).splice(
            self.language[kept], [p.language or d.language for *_, d, p in fresh], order
        )
        languages, columns["language"] = _languages(tags)
        pools = {
            "section": strings("section", (p.section for *_, p in fresh)),
            "heading": strings("heading", (p.heading for *_, p in fresh)),
            "object": strings("object", (p.object for *_, p in fresh)),
            "inline": strings("inline", ("" if p.start >= 0 else p.text for *_, p in fresh)),
        }
        titles = dict(zip(self.documents, self._strings["title"].all(), strict=True))
        titles.update((d.id, d.title) for d in new)
        pools["title"] = _Pool.of([titles[d] for d in documents])
        return PassageTable(documents, languages, columns, pools)

    def save(self, folder: Path) -> None:
        """Write the table into ``folder`` (made if absent): equal tables give equal files."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _COUNTS:
            np.save(folder / f"{name}.npy", self._columns[name])
        for name, pool in self._strings.items():
            pool.save(folder, name)
        head = {"format": _FORMAT, "rows": len(self), "languages": self.languages, "documents": self.documents}
        (folder / "passages.json").write_text(json.dumps(head, indent=0), "ascii")

    @classmethod
    def open(cls, folder: Path) -> PassageTable:
        """Read a saved table; :class:`Damaged` with a way out if it is missing or not whole."""
        place = folder / "passages.json"
        hint = "run `oam reindex`"
        try:
            head = json.loads(place.read_text("ascii"))
            documents, languages, rows = list(head["documents"]), list(head["languages"]), int(head["rows"])
            if head["format"] != _FORMAT:
                raise ValueError(f"format {head['format']}, this program reads {_FORMAT}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Damaged(f"the passage table cannot be read: {error}", place=str(place), hint=hint) from error
        columns = {name: _load(folder, name) for name in _COUNTS}
        strings = {name: _Pool.open(folder, name) for name in (*_STRINGS, "title")}
        lengths = {len(c) for c in columns.values()} | {len(strings[name].index) for name in _STRINGS}
        if lengths != {rows} or len(strings["title"].index) != len(documents):
            raise Damaged("columns of the passage table differ in length", place=str(folder), hint=hint)
        return cls(documents, languages, columns, strings)


def _languages(tags: _Pool) -> tuple[list[str], NDArray[np.uint8]]:
    """Distinct tags, sorted, and each row's index; beyond 255 tags the rarest become "" (unknown)."""
    names = tags.distinct()
    counts = np.bincount(tags.index, minlength=len(names)).tolist()
    kept = set(names)
    if len(names) > 255:
        kept = set(sorted(names, key=lambda t: (-counts[names.index(t)], t))[:254])
    named = [t if t in kept else "" for t in names]
    languages = sorted(set(named))
    place = {t: i for i, t in enumerate(languages)}
    table = np.array([place[t] for t in named], "u1")
    return languages, table[tags.index].astype("u1")
