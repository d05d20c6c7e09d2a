"""Graphs of near neighbours (hnswlib) over the vectors of a generation: built off-line, read-only while served.

A graph belongs to one language, since every search does. It holds each distinct text once, under a label that is the
place of the text's digest in a sorted list: the same graph serves the next generation unchanged, where the labels are
matched to rows again by digest. Nothing is ever added to a graph that exists (adding while searching raises, re-adding a
label may show it twice, hazards 6 and 7). A file is opened only if its size, hash, dimension and count are the promised
ones: loading one of another dimension corrupts memory without a word (hazard 9).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, FeatureMissing

Floats = NDArray[np.float32]
Positions = NDArray[np.int64]

#: Vectors of one language up to which exact search is used (retrieval.md, "Dense").
BUILD_FROM = 20_000
#: Share of a graph that may be new or gone before it is built anew. New texts are searched exactly, some 0.2 ms
#: for each thousand, and what is gone takes places in every answer: at a tenth of 100,000 that doubles a search (2 ms).
STALE = 0.10
#: Measured on 100,000 vectors of 384 dimensions: recall@10 .994 (.978 with M 16, for as long a build).
M, EF_CONSTRUCTION, EF = 24, 200, 400
SEED = 20_000
_HINT = "run `oam reindex`"
_HEADER = struct.Struct("<6Q")  # how a file of hnswlib 0.8 begins


@dataclass(frozen=True, slots=True)
class GraphFile:
    """What ``dense.json`` says of a graph. Beside ``name.bin`` lie ``name.digests.npy`` (S32, by label) and
    ``name.labels.npy`` (int32 by covered row: its label, or -1)."""

    language: str
    name: str
    texts: int
    size: int
    blake2b: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def require() -> Any:
    """The module ``hnswlib``; :class:`FeatureMissing` where it is not installed."""
    try:
        import hnswlib
    except (ImportError, OSError) as error:
        raise FeatureMissing("hnswlib is not installed", hint="pip install 'oam-rdf[hnsw]'") from error
    return hnswlib


def build(
    target: Path,
    languages: NDArray[Any],
    digests: NDArray[np.bytes_],
    vectors: Floats,
    previous: Path | None,
    known: list[GraphFile],
    least: int,
) -> tuple[list[GraphFile], str]:
    """Give ``target`` a graph for every language with more than ``least`` distinct texts; why some have none, or "".

    ``languages`` (str), ``digests`` and ``vectors`` are by covered row. A graph that is ``known`` in the folder
    ``previous`` is linked and not built where at most :data:`STALE` of it is new or gone. Single-threaded with a fixed
    seed over sorted digests, so equal texts give equal files, whatever the order in which they came.
    """
    made: list[GraphFile] = []
    missing = ""
    for language in sorted(set(languages.tolist())):
        rows = np.flatnonzero(languages == language)
        texts, first = np.unique(digests[rows], return_index=True)
        if len(texts) <= least:
            continue
        name = f"graph{len(made)}"
        old = next((g for g in known if g.language == language), None) if previous else None
        graph = _reuse(target, name, previous, old, texts) if previous and old else None
        try:
            graph = graph or _build(target, name, language, texts, vectors, rows[first])
        except FeatureMissing as error:
            missing = f"not every neighbour graph was built, since {error}; then {_HINT}"
            continue
        held = np.load(target / f"{name}.digests.npy")
        labels = np.full(len(digests), -1, "i4")
        labels[rows] = match(held, digests[rows])
        np.save(target / f"{name}.labels.npy", labels)
        made.append(graph)
    return made, missing


def match(held: NDArray[np.bytes_], wanted: NDArray[np.bytes_]) -> NDArray[np.int32]:
    """Place in the sorted ``held`` of each of ``wanted``, -1 where it is not there."""
    if not len(held):
        return np.full(len(wanted), -1, "i4")
    at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    return np.where(held[at] == wanted, at, -1).astype("i4")


def _reuse(target: Path, name: str, previous: Path, old: GraphFile, texts: NDArray[np.bytes_]) -> GraphFile | None:
    """Link a graph of the generation before, or None if it cannot serve ``texts`` (sorted, distinct) any more."""
    try:
        held = np.load(previous / f"{old.name}.digests.npy", allow_pickle=False)
        if len(held) != old.texts or (previous / f"{old.name}.bin").stat().st_size != old.size:
            return None
        kept = int((match(held, texts) >= 0).sum())
        if (len(texts) - kept) + (len(held) - kept) > STALE * len(held):
            return None
        for ending in (".bin", ".digests.npy"):
            _link(previous / f"{old.name}{ending}", target / f"{name}{ending}")
    except (OSError, ValueError):
        return None  # what cannot be read is made anew
    return GraphFile(old.language, name, old.texts, old.size, old.blake2b)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)


def _build(
    target: Path, name: str, language: str, texts: NDArray[np.bytes_], vectors: Floats, positions: Positions
) -> GraphFile:
    """A new graph of ``texts``, whose vectors are ``vectors[positions]``; its capacity is what it holds."""
    index = require().Index(space="ip", dim=vectors.shape[1])
    index.init_index(max_elements=len(texts), M=M, ef_construction=EF_CONSTRUCTION, random_seed=SEED)
    for at in range(0, len(texts), 4096):
        part = positions[at : at + 4096]
        index.add_items(vectors[part], np.arange(at, at + len(part)), num_threads=1)
    place = target / f"{name}.bin"
    index.save_index(str(place))
    np.save(target / f"{name}.digests.npy", texts)
    return GraphFile(language, name, len(texts), place.stat().st_size, _hash(place))


def _hash(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


class Graph:
    """An open graph. Use :func:`open_graph`; safe to search from several threads."""

    def __init__(self, place: Path, texts: int, dim: int) -> None:
        self.texts = texts
        self._index: Any = require().Index(space="ip", dim=dim)
        self._index.load_index(str(place))
        self._index.set_ef(EF)  # once: a search that needs more asks for more neighbours, which widens it by itself

    def near(self, query: Floats, count: int) -> tuple[Positions, Floats]:
        """Labels and cosines of about the ``count`` nearest texts, best first; fewer where the graph has no more."""
        count = min(count, self.texts)
        while count:
            try:
                labels, distances = self._index.knn_query(query, k=count, num_threads=1)
                return labels[0].astype("i8"), 1 - distances[0]
            except RuntimeError:  # fewer are reachable: a graph of many equal vectors may come apart
                count //= 2
        return np.zeros(0, "i8"), np.zeros(0, "f4")


_open: WeakValueDictionary[tuple[str, int], Graph] = WeakValueDictionary()
_opening = threading.Lock()


def open_graph(folder: Path, file: GraphFile, dim: int) -> Graph:
    """The graph of that file, one handle for the process however many generations and readers share it.

    :class:`Damaged` if the file is not the one that was written, or is for other vectors; :class:`FeatureMissing`.
    """
    place = folder / f"{file.name}.bin"
    with _opening:
        graph = _open.get((file.blake2b, dim))
        if graph is None:
            _check(place, file, dim)
            try:
                graph = Graph(place, file.texts, dim)
            except (RuntimeError, MemoryError) as error:
                raise Damaged(f"the neighbour graph cannot be loaded: {error}", place=str(place), hint=_HINT) from error
            _open[file.blake2b, dim] = graph
        return graph


def _check(place: Path, file: GraphFile, dim: int) -> None:
    """Everything that can be known before hnswlib, which checks next to nothing, reads the file."""
    try:
        with place.open("rb") as opened:
            head = opened.read(_HEADER.size)
        whole = place.stat().st_size == file.size >= _HEADER.size and _hash(place) == file.blake2b
    except OSError as error:
        raise Damaged(f"the neighbour graph cannot be read: {error}", place=str(place), hint=_HINT) from error
    if not whole:
        raise Damaged("the neighbour graph is not the file that was written", place=str(place), hint=_HINT)
    _, most, count, _, label, data = _HEADER.unpack(head)  # an element is links, vector, label
    if label - data != 4 * dim or count != file.texts or count > most:
        message = f"the neighbour graph has {count} vectors of {(label - data) // 4}, expected {file.texts} of {dim}"
        raise Damaged(message, place=str(place), hint=_HINT)
