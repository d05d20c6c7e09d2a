"""Any sentence-transformers model, by name or folder (extra ``st``). Code that comes with a model is never run."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import ConfigError, FeatureMissing
from oam_rdf.index.embed import Vectors, check_text, check_vectors, prefixes_of
from oam_rdf.index.embed_turn import Turn

_BATCH = 16  # texts between two looks at waiting queries


class SentenceTransformerEmbedder:
    """Prefixes as the model's own prompts have them, else those of e5 where the name says e5, else none."""

    def __init__(self, name: str) -> None:
        """:class:`FeatureMissing` without the extra, :class:`ConfigError` for a model that cannot be loaded."""
        if not name:
            raise ConfigError("the model is not named", hint="for example st:intfloat/multilingual-e5-small")
        try:
            from sentence_transformers import SentenceTransformer
        except (ImportError, OSError) as error:
            raise FeatureMissing("sentence-transformers is not installed", hint="pip install 'oam-rdf[st]'") from error
        try:
            self._model: Any = SentenceTransformer(name, trust_remote_code=False)
        except Exception as error:  # whatever its many loaders raise
            raise ConfigError(f"the model cannot be loaded: {error}", place=name) from error
        self.max_tokens = int(self._model.max_seq_length or 512)
        prompts = {key: value for key, value in (getattr(self._model, "prompts", None) or {}).items() if value}
        passage = prompts.get("passage") or prompts.get("document") or ""
        by_model = prompts.get("query", ""), passage
        prefixes: tuple[str, str] = by_model if any(by_model) else prefixes_of(Path(name).name)
        self._query, self._passage = prefixes
        self.dim = int(self._model.encode(["dimension"], show_progress_bar=False).shape[1])
        self.fingerprint = f"st/{Path(name).name}/{self.dim}/{self._hash()}"
        self._engine = threading.Lock()  # its tokenizer keeps state between calls
        self._turn = Turn()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32[n, dim] in the order of ``texts``; similar lengths share a batch."""
        for text in texts:
            check_text(text)
        out = np.empty((len(texts), self.dim), "f4")
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), i))
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            self._turn.after_queries()
            out[batch] = self._encode([self._passage + texts[i] for i in batch])
        return check_vectors(out, self.dim)

    def embed_query(self, text: str) -> Vectors:
        """float32[dim]."""
        check_text(text)
        with self._turn.query():
            return np.asarray(check_vectors(self._encode([self._query + text]), self.dim)[0])

    def _encode(self, texts: list[str]) -> Vectors:
        with self._engine:
            # The empty prompt: the model's default one would come on top of ours.
            vectors: Vectors = self._model.encode(
                texts, prompt="", batch_size=_BATCH, show_progress_bar=False, normalize_embeddings=True
            )
        return vectors

    def _hash(self) -> str:
        """Of the weights, the prefixes and the cut: what makes vectors of one model another model's."""
        digest = hashlib.sha256(repr((self._query, self._passage, self.max_tokens)).encode())
        for key, tensor in sorted(self._model.state_dict().items()):
            digest.update(key.encode())
            digest.update(tensor.detach().cpu().contiguous().reshape(-1).float().numpy().data)
        return digest.hexdigest()[:32]
