"""The dense channel: cosine search over the vectors of a generation, memory-mapped; exact, or by neighbour graphs.

A language of more than 20,000 vectors gets a graph (:mod:`oam_rdf.index.ann`) that proposes rows. What is not in a graph
(smaller languages, new texts) and what a mask leaves too little of is compared exactly. Scores always come from the same
sum over the same vectors, so no answer shows by which way it was found; without hnswlib, or with a damaged graph, all is
exact and :attr:`DenseIndex.engine` says why.

Rows whose vector is not there yet are not covered: they cannot be found here, and :attr:`DenseIndex.coverage` says so.
The folder keeps the model's fingerprint and dimension and the digest of every embedded text; anything that does not fit
is refused, since a wrong comparison looks exactly like a right one (hazard 9).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import ConfigError, Damaged, FeatureMissing, OamError, UsageError
from oam_rdf.index import ann, languages
from oam_rdf.index.embed import NORM_TOLERANCE
from oam_rdf.index.neighbours import Neighbours
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.vectors import VectorCache

_FORMAT = 1
_HINT = "run `oam reindex`"
_CHUNK = 4096  # rows fetched from the cache at once
_BLOCK = 512  # rows compared at once: gathered into the processor's cache they cost a fifth of gathering all first
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Engine:
    """How an open index searches: ``exact`` or ``hnsw``, how many of its rows are in graphs, and what stands in the way.

    ``damaged``: the part of the reason that lies with files, not with an absent package.
    """

    name: str
    in_graphs: int
    reason: str = ""
    damaged: str = ""


def build(
    target: Path,
    passages: PassageTable,
    fingerprint: str,
    dim: int,
    cache: VectorCache,
    previous: Path | None = None,
    *,
    least: int = ann.BUILD_FROM,
) -> None:
    """Write into ``target`` the vectors that ``cache`` has for ``passages``; the rest stays uncovered.

    Vectors and neighbour graphs are taken over from the folder ``previous`` as far as they fit. Equal passages and an
    equal cache give equal files, except that a graph serves on while at most a tenth of it has changed. Languages of at
    most ``least`` texts get none. A vector that is not finite or not of norm 1 stays out (hazard 10).
    :class:`ConfigError` if the cache's vectors have another dimension than ``dim``.
    """
    target.mkdir(parents=True, exist_ok=True)
    matrix, covered = _vectors(passages, fingerprint, dim, cache, previous)
    np.save(target / "vectors.npy", matrix)
    np.save(target / "rows.npy", covered)
    np.save(target / "digests.npy", passages.digest[covered])
    head: dict[str, Any] = {"format": _FORMAT, "fingerprint": fingerprint, "dim": dim, "passages": len(passages)}
    primary = np.array([tag.lower().partition("-")[0] for tag in passages.languages] or [""])
    written = primary[passages.language[covered]]
    known = _head(previous, fingerprint, dim).get("graphs", []) if previous else []
    graphs, missing = ann.build(target, written, passages.digest[covered], matrix, previous, known, least)
    head |= {"graphs": [graph.to_json() for graph in graphs], "no_graphs": missing}
    head["languages"] = languages.means(fingerprint, cache)
    (target / "dense.json").write_text(json.dumps(head, sort_keys=True, indent=0) + "\n", "ascii")


def _vectors(
    passages: PassageTable, fingerprint: str, dim: int, cache: VectorCache, previous: Path | None
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Vectors of the rows that have one, and these rows; from the generation before, which is faster, or the cache."""
    matrix, have = np.empty((len(passages), dim), "f4"), np.zeros(len(passages), bool)
    if previous is not None and _head(previous, fingerprint, dim):
        try:
            digests: NDArray[Any] = np.load(previous / "digests.npy", allow_pickle=False)
            old: NDArray[Any] = np.load(previous / "vectors.npy", mmap_mode="r" if len(digests) else None)
            order = np.argsort(digests, kind="stable")
            at = ann.match(digests[order], passages.digest)
            if old.shape == (len(digests), dim) and old.dtype == np.float32:
                have = at >= 0
                rows, source = np.flatnonzero(have), order[at[have]]
                for start in range(0, len(rows), _CHUNK):  # all at once would hold them in memory twice
                    part = slice(start, start + _CHUNK)
                    matrix[rows[part]] = old[source[part]]
        except (OSError, ValueError):
            have[:] = False  # what cannot be read is taken from the cache
    missing = np.flatnonzero(~have)
    for start in range(0, len(missing), _CHUNK):
        rows = missing[start : start + _CHUNK]
        found, vectors = cache.get(passages.digest[rows].tolist(), fingerprint)
        if len(vectors) and vectors.shape[1] != dim:
            message = f"cached vectors of {fingerprint} have {vectors.shape[1]} dimensions, the model {dim}"
            raise ConfigError(message, hint=_HINT)
        if len(vectors):
            sound = np.abs(np.linalg.norm(vectors, axis=1) - 1) <= NORM_TOLERANCE
            rows = rows[found][sound]
            matrix[rows], have[rows] = vectors[sound], True
    return (matrix if have.all() else matrix[have]), np.flatnonzero(have).astype("i4")


def _head(folder: Path, fingerprint: str, dim: int) -> dict[str, Any]:
    """What ``dense.json`` of another generation says, if it can be read and is of that model; empty if not."""
    try:
        head: dict[str, Any] = json.loads((folder / "dense.json").read_text("ascii"))
        head["graphs"] = [ann.GraphFile(**graph) for graph in head.get("graphs", ())]
        return head if (head["format"], head["fingerprint"], head["dim"]) == (_FORMAT, fingerprint, dim) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


class DenseIndex:
    """An open dense index, safe to search from several threads. ``embedded`` bool[n] says which rows it covers.

    Use :meth:`open`. Graphs are loaded by the first search or by :attr:`engine`.
    """

    def __init__(
        self,
        folder: Path,
        fingerprint: str,
        vectors: NDArray[np.float32],
        rows: NDArray[np.int32],
        n: int,
        graphs: tuple[ann.GraphFile, ...] = (),
        reason: str = "",
        means: Mapping[str, NDArray[np.float32]] = MappingProxyType({}),
    ):
        self.folder, self.fingerprint = folder, fingerprint
        self.dim = int(vectors.shape[1])
        self._vectors, self._rows = np.asarray(vectors), rows
        self.embedded: Bools = np.zeros(n, bool)
        self.embedded[rows] = True
        self._means = means
        self._files, self._reason, self._damaged = graphs, reason, ""
        self._loading = threading.Lock()
        self._loaded: tuple[Neighbours, ...] | None = None

    @property
    def coverage(self) -> float:
        """Share of passages that have a vector, in [0, 1]; 1 if there are no passages."""
        return len(self._rows) / len(self.embedded) if len(self.embedded) else 1.0

    def unsound(self) -> int:
        """How many of the vectors are not finite or not of norm 1: a file that was altered since it was written."""
        norms = [np.linalg.norm(self._vectors[at : at + _CHUNK], axis=1) for at in range(0, len(self._rows), _CHUNK)]
        return sum(int(np.count_nonzero(~(np.abs(part - 1) <= NORM_TOLERANCE))) for part in norms)

    @property
    def engine(self) -> Engine:
        """What searches here use; a graph that cannot be used is told with its reason."""
        graphs = self._graphs()
        inside = sum(graph.count for graph in graphs)
        return Engine("hnsw" if graphs else "exact", inside, self._reason, self._damaged)

    @classmethod
    def open(cls, folder: Path, passages: PassageTable, *, fingerprint: str = "") -> DenseIndex:
        """Open for reading.

        :class:`Damaged` if a file is missing or the vectors do not belong to ``passages``; :class:`ConfigError`
        naming both models if ``fingerprint`` is given and is not that of the vectors.
        """
        place = folder / "dense.json"
        try:
            head = json.loads(place.read_text("ascii"))
            made, dim, count, form = str(head["fingerprint"]), int(head["dim"]), int(head["passages"]), head["format"]
            graphs = tuple(ann.GraphFile(**graph) for graph in head.get("graphs", ()))
            means = {str(tag): np.array(mean, "f4") for tag, mean in head.get("languages", {}).items()}
            rows: NDArray[Any] = np.load(folder / "rows.npy", allow_pickle=False)
            digests: NDArray[Any] = np.load(folder / "digests.npy", allow_pickle=False)
            matrix = folder / "vectors.npy"  # an empty array cannot be mapped
            vectors: NDArray[Any] = (
                np.load(matrix, mmap_mode="r", allow_pickle=False) if len(rows) else np.load(matrix, allow_pickle=False)
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Damaged(f"the dense index cannot be read: {error}", place=str(place), hint=_HINT) from error
        if form != _FORMAT:
            raise Damaged(
                f"the dense index has format {form}, this program reads {_FORMAT}", place=str(place), hint=_HINT
            )
        if vectors.shape != (len(rows), dim) or vectors.dtype != np.float32 or len(digests) != len(rows):
            message = f"the dense index of {made} is not whole: {vectors.shape} vectors for {len(rows)} rows of {dim}"
            raise Damaged(message, place=str(place), hint=_HINT)
        if any(mean.shape != (dim,) or not np.isfinite(mean).all() for mean in means.values()):
            raise Damaged("a language's mean is no vector of that dimension", place=str(place), hint=_HINT)
        if count != len(passages) or (len(rows) and not np.array_equal(passages.digest[rows], digests)):
            raise Damaged("the dense index and the passage table differ", place=str(place), hint=_HINT)
        index = cls(folder, made, vectors, rows, count, graphs, str(head.get("no_graphs", "")), means)
        if fingerprint:
            index.require(fingerprint)
        return index

    def vectors_of(self, rows: NDArray[np.integer[Any]]) -> tuple[Bools, NDArray[np.float32]]:
        """(found bool[len(rows)], float32[found.sum(), dim]): the stored vectors of passages; -1 has none."""
        at = np.searchsorted(self._rows, rows)
        at[at == len(self._rows)] = 0
        found = (self._rows[at] == rows) if len(self._rows) else np.zeros(len(rows), bool)
        return found, np.asarray(self._vectors[at[found]], "f4")

    def across(self, vector: NDArray[np.float32], language: str) -> NDArray[np.float32]:
        """The query vector for texts in other languages than ``language``, the query's own; as it is if none is known."""
        return languages.across(vector, self._means[language]) if language in self._means else vector

    def require(self, fingerprint: str) -> None:
        """:class:`ConfigError` unless the vectors were made by the model with that fingerprint."""
        if fingerprint != self.fingerprint:
            message = f"the vectors were made by {self.fingerprint}, the embedder in use is {fingerprint}"
            raise ConfigError(message, place=str(self.folder), hint=_HINT)

    def search(
        self, vector: NDArray[np.floating[Any]], *, mask: Bools | None = None, k: int = 100
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The ``k`` covered rows allowed by ``mask`` (bool[n]) with the highest cosine, best first, ties by row.

        ``vector`` is float[dim] of norm 1. Scores lie in [-1, 1]. Always ``k`` rows where so many are allowed and
        covered; without graphs exactly the nearest ones. :class:`ConfigError` for another dimension,
        :class:`UsageError` for a vector that is not finite, a wrong mask or ``k < 1``.
        """
        query = np.asarray(vector, "f4")
        if query.shape != (self.dim,):
            message = f"a query of shape {query.shape} for {self.dim}-dimensional vectors of {self.fingerprint}"
            raise ConfigError(message, place=str(self.folder), hint=_HINT)
        if not np.isfinite(query).all():
            raise UsageError("the query vector is not finite")
        if k < 1:
            raise UsageError(f"k is {k}, at least 1 is needed")
        if mask is not None and mask.shape != self.embedded.shape:
            raise UsageError(f"a mask has shape {mask.shape}, the index {len(self.embedded)} rows")
        wanted = None if mask is None else mask[self._rows]
        found = []
        for graph in self._graphs():
            near = graph.search(query, k, wanted)
            if near is not None:
                found.append(near)
                wanted = ~graph.members if wanted is None else wanted & ~graph.members
        found.append(self._nearest(query, k, wanted))
        best = np.concatenate(found)
        # The sum in double precision is the same for equal vectors, wherever they stand and whatever was beside them.
        scores = np.einsum("ij,j->i", self._vectors[best], query, dtype="f8").astype("f4")
        order = np.lexsort((best, -scores))[:k]
        return self._rows[best[order]].astype("i4"), np.clip(scores[order], -1, 1)

    def _nearest(self, query: ann.Floats, k: int, wanted: Bools | None) -> ann.Positions:
        """Covered rows that may be among the ``k`` best of those wanted: those, and what rounding may have put below."""
        chosen = None if wanted is None or wanted.all() else np.flatnonzero(wanted)
        scores = np.empty(len(self._rows) if chosen is None else len(chosen), "f4")
        for at in range(0, len(scores), _BLOCK):
            part = slice(at, at + _BLOCK)
            np.dot(self._vectors[part if chosen is None else chosen[part]], query, out=scores[part])
        if len(scores) > k:
            edge = np.partition(scores, len(scores) - k)[len(scores) - k]
            best = np.flatnonzero(scores >= edge - self.dim * np.finfo("f4").eps)
        else:
            best = np.arange(len(scores))
        return best if chosen is None else chosen[best]

    def _graphs(self) -> tuple[Neighbours, ...]:
        """The graphs that can be used, loaded once."""
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = tuple(self._load())
        return self._loaded

    def _load(self) -> list[Neighbours]:
        usable, reasons, damaged = [], [self._reason] if self._reason else [], []
        for file in self._files:
            try:
                labels: NDArray[Any] = np.load(self.folder / f"{file.name}.labels.npy", allow_pickle=False)
                if labels.shape != self._rows.shape or labels.dtype != np.int32:
                    raise Damaged(f"{file.name}.labels.npy does not fit the vectors", hint=_HINT)
                usable.append(Neighbours(ann.open_graph(self.folder, file, self.dim), labels))
            except (OamError, OSError, ValueError) as error:
                reason = str(error)
                if reason not in reasons:
                    reasons.append(reason)
                    damaged += [] if isinstance(error, FeatureMissing) else [reason]
        self._reason, self._damaged = "; ".join(reasons), "; ".join(damaged)
        return usable
