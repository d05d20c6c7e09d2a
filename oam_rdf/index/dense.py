"""The dense channel: exact cosine search over the vectors of a generation, memory-mapped.

Rows whose vector is not there yet are not covered: they cannot be found here, and :attr:`DenseIndex.coverage` says so.
The folder keeps the model's fingerprint and dimension and the digest of every embedded text; anything that does not fit
is refused, since a wrong comparison looks exactly like a right one (hazard 9).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import ConfigError, Damaged, UsageError
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.vectors import VectorCache

_FORMAT = 1
_HINT = "run `oam reindex`"
_SELECTIVE = 0.25  # below this share of rows, gathering them first is faster than scoring all
_CHUNK = 4096  # rows fetched from the cache at once
Bools = NDArray[np.bool_]


def build(target: Path, passages: PassageTable, fingerprint: str, dim: int, cache: VectorCache) -> None:
    """Write into ``target`` the vectors that ``cache`` has for ``passages``; the rest stays uncovered.

    Equal passages and an equal cache give equal files. :class:`ConfigError` if the cache's vectors have another
    dimension than ``dim``.
    """
    target.mkdir(parents=True, exist_ok=True)
    digests = passages.digest.tolist()
    parts, rows = [], []
    for at in range(0, len(digests), _CHUNK):
        found, vectors = cache.get(digests[at : at + _CHUNK], fingerprint)
        if len(vectors) and vectors.shape[1] != dim:
            message = f"cached vectors of {fingerprint} have {vectors.shape[1]} dimensions, the model {dim}"
            raise ConfigError(message, hint=_HINT)
        if len(vectors):
            parts.append(vectors)
            rows.append(np.flatnonzero(found) + at)
    matrix = np.concatenate(parts) if parts else np.zeros((0, dim), "f4")
    covered = np.concatenate(rows).astype("i4") if rows else np.zeros(0, "i4")
    np.save(target / "vectors.npy", matrix)
    np.save(target / "rows.npy", covered)
    np.save(target / "digests.npy", passages.digest[covered])
    head = {"format": _FORMAT, "fingerprint": fingerprint, "dim": dim, "passages": len(passages)}
    (target / "dense.json").write_text(json.dumps(head, sort_keys=True, indent=0) + "\n", "ascii")


class DenseIndex:
    """An open dense index. ``embedded`` bool[n] says which rows it covers. Use :meth:`open`."""

    def __init__(self, folder: Path, fingerprint: str, vectors: NDArray[np.float32], rows: NDArray[np.int32], n: int):
        self.folder, self.fingerprint = folder, fingerprint
        self.dim = int(vectors.shape[1])
        self._vectors, self._rows = vectors, rows
        self.embedded: Bools = np.zeros(n, bool)
        self.embedded[rows] = True

    @property
    def coverage(self) -> float:
        """Share of passages that have a vector, in [0, 1]; 1 if there are no passages."""
        return len(self._rows) / len(self.embedded) if len(self.embedded) else 1.0

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
            rows: NDArray[Any] = np.load(folder / "rows.npy", allow_pickle=False)
            digests: NDArray[Any] = np.load(folder / "digests.npy", allow_pickle=False)
            matrix = folder / "vectors.npy"  # an empty array cannot be mapped
            vectors: NDArray[Any] = (
                np.load(matrix, mmap_mode="r", allow_pickle=False) if len(rows) else np.load(matrix, allow_pickle=False)
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Damaged(f"the dense index cannot be read: {error}", place=str(place), hint=_HINT) from error
        if form != _FORMAT:
            raise Damaged(
                f"the dense index has format {form}, this program reads {_FORMAT}", place=str(place), hint=_HINT
            )
        if vectors.shape != (len(rows), dim) or vectors.dtype != np.float32 or len(digests) != len(rows):
            message = f"the dense index of {made} is not whole: {vectors.shape} vectors for {len(rows)} rows of {dim}"
            raise Damaged(message, place=str(place), hint=_HINT)
        if count != len(passages) or (len(rows) and not np.array_equal(passages.digest[rows], digests)):
            raise Damaged("the dense index and the passage table differ", place=str(place), hint=_HINT)
        index = cls(folder, made, vectors, rows, count)
        if fingerprint:
            index.require(fingerprint)
        return index

    def require(self, fingerprint: str) -> None:
        """:class:`ConfigError` unless the vectors were made by the model with that fingerprint."""
        if fingerprint != self.fingerprint:
            message = f"the vectors were made by {self.fingerprint}, the embedder in use is {fingerprint}"
            raise ConfigError(message, place=str(self.folder), hint=_HINT)

    def search(
        self, vector: NDArray[np.floating[Any]], *, mask: Bools | None = None, k: int = 100
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The ``k`` covered rows allowed by ``mask`` (bool[n]) with the highest cosine, best first, ties by row.

        ``vector`` is float[dim] of norm 1. Scores lie in [-1, 1]. :class:`ConfigError` for another dimension,
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
        rows, scores = self._rows, None
        if mask is not None:
            chosen = np.flatnonzero(mask[rows])
            few = len(chosen) < _SELECTIVE * len(rows)
            scores = self._vectors[chosen] @ query if few else (self._vectors @ query)[chosen]
            rows = rows[chosen]
        else:
            scores = self._vectors @ query
        if len(scores) > k:
            # all rows as good as the k-th, so that ties are cut by row and not by chance
            edge = np.partition(scores, len(scores) - k)[len(scores) - k]
            best = np.flatnonzero(scores >= edge)
        else:
            best = np.arange(len(scores))
        order = best[np.argsort(-scores[best], kind="stable")][:k]
        return rows[order].astype("i4"), scores[order].astype("f4")
