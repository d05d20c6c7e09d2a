"""multilingual-e5-small on ONNX Runtime in int8: the default embedder.

Every text runs alone, several at once on a core each. Activations are quantised with one scale per run, so texts in one
batch would change each other's vectors; alone, a vector depends on its text and on nothing else, and from some 30 tokens
on it is also faster than padded batches.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import ConfigError, Damaged, FeatureMissing
from oam_rdf.index.embed import Progress, Vectors, check_text, check_vectors
from oam_rdf.index.embed_cache import made_once
from oam_rdf.index.embed_tokens import Tokens, write_vocabulary
from oam_rdf.index.embed_turn import Turn
from oam_rdf.index.embed_weights import Weights, find_weights

_FILES = 3  # raised when other files are written
_RECIPE = 2  # raised when they give other vectors
_log = logging.getLogger(__name__)


def thread_count() -> int:
    """``OAM_THREADS``, else the cores that this process may use; :class:`ConfigError` unless a number from 1 to 1024."""
    given = os.environ.get("OAM_THREADS", "")
    if not given:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not given.isdecimal() or not 1 <= int(given) <= 1024:
        raise ConfigError(f"OAM_THREADS is {given!r}", hint="a number of threads, 1 or more")
    return int(given)


class OnnxE5:
    """384 dimensions, ``query: `` and ``passage: `` prefixes; texts are cut at 480 tokens.

    The first use on a machine converts the weights (some seconds). While a query runs, passages pause.
    """

    max_tokens = 480

    def __init__(
        self, weights: Path | None = None, *, int8: bool = True, threads: int = 0, progress: Progress | None = None
    ) -> None:
        """:class:`FeatureMissing` where onnxruntime, tokenizers or the weights are absent, or onnx at the first use.

        ``int8=False`` keeps float32 matrices: three times as slow, for comparison. ``threads`` 0: :func:`thread_count`.
        """
        try:
            import onnxruntime
            import tokenizers  # noqa: F401
        except (ImportError, OSError) as error:
            hint = "pip install onnxruntime onnx tokenizers, or use the embedder e5:nano"
            raise FeatureMissing(f"ONNX Runtime cannot be used: {error}", hint=hint) from error
        self._weights = Weights(weights or find_weights())
        kind = "int8" if int8 else "fp32"
        name = f"e5-{self._weights.sha256}-{kind}-{_FILES}"
        folder = made_once(name, lambda fresh: _convert(self._weights, fresh, int8, progress))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # it would keep a plan for every length
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
            self._tokens = Tokens(self._weights, folder)
        except Exception as error:  # both libraries raise their own kinds, some of them plain Exception
            hint = "delete the folder, it is made anew"
            raise Damaged(f"the converted model cannot be used: {error}", place=str(folder), hint=hint) from error
        self.dim = self._weights.hidden
        self.fingerprint = (
            f"multilingual-e5-small/onnx-{kind}-{_RECIPE}/{self.dim}/query+passage/{self._weights.sha256[:32]}"
        )
        self._threads = threads or thread_count()
        self._pool: ThreadPoolExecutor | None = None
        self._guard = threading.Lock()
        self._turn = Turn()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 384] in the order of ``texts``."""
        for text in texts:
            check_text(text)
        out = np.empty((len(texts), self.dim), "f4")

        def one(row: int) -> None:
            self._turn.after_queries()
            out[row] = self._run("passage: " + texts[row])

        # Long ones first, so that the cores end together.
        order = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), i))
        for _ in map(one, order) if self._threads == 1 or len(texts) < 2 else self._workers().map(one, order):
            pass
        return check_vectors(out, self.dim)

    def embed_query(self, text: str) -> Vectors:
        """float32[384]."""
        check_text(text)
        with self._turn.query():
            vector = self._run("query: " + text, once=True)
        return np.asarray(check_vectors(vector[None], self.dim)[0])

    def count_tokens(self, text: str) -> int:
        """Tokens of a passage, prefix and ends included, uncut."""
        return len(self._tokens.encode("passage: " + text, sys.maxsize))

    def _run(self, text: str, *, once: bool = False) -> Vectors:
        ids = np.array([self._tokens.encode(text, self.max_tokens, once=once)], "i8")
        vector: Vectors = self._session.run(None, {"ids": ids, "mask": np.ones_like(ids)})[0][0]
        return vector

    def _workers(self) -> ThreadPoolExecutor:
        with self._guard:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, "embed")
            return self._pool


def _convert(weights: Weights, folder: Path, int8: bool, progress: Progress | None) -> None:
    try:
        from oam_rdf.index.embed_graph import write_model
    except ImportError as error:
        hint = "pip install onnx, or use the embedder e5:nano"
        raise FeatureMissing(f"the model cannot be converted: {error}", hint=hint) from error
    _log.info("converting multilingual-e5-small for ONNX Runtime, once, some seconds")
    told = progress or (lambda step, done, total: None)
    told("convert", 0, 2)
    write_vocabulary(weights, folder)
    told("convert", 1, 2)
    write_model(weights, folder, int8=int8)
    told("convert", 2, 2)
