"""Vectors of queries for one snapshot: which embedder makes them, and the last ones kept."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict

import numpy as np

from oam_rdf.errors import ConfigError
from oam_rdf.index.columns import Array
from oam_rdf.index.embed import Embedder, load_embedder
from oam_rdf.store.layout import Embedders

_KEPT = 256


class QueryVectors:
    """``name``: what made the vectors of the generation. Safe to share between threads."""

    def __init__(self, name: str, embedder: Embedder | None) -> None:
        """``embedder``: a loaded one to use; otherwise it is loaded when a query first needs it."""
        self._name = name
        self._embedder = embedder
        self._kept: OrderedDict[str, Array] = OrderedDict()
        self._guard = threading.Lock()

    def of(self, text: str, fingerprint: str) -> Array:
        """float32[dim], of norm 1, by the model with that fingerprint.

        :raises ConfigError: where another model would answer, or one that nobody named.
        """
        with self._guard:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
            if self._embedder is None:
                self._embedder = load_embedder(self._chosen())
            embedder = self._embedder
        if embedder.fingerprint != fingerprint:
            raise ConfigError(
                f"the vectors were made by {fingerprint}, the query would be by {embedder.fingerprint}",
                hint="run `oam embed`, or name the other one in OAM_EMBEDDER",
            )
        vector = np.asarray(embedder.embed_query(text), dtype=np.float32)
        with self._guard:
            self._kept[text] = vector
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return vector

    def _chosen(self) -> str:
        """What the user says, else what made the vectors; no knowledge base sends queries anywhere by itself."""
        given = os.environ.get("OAM_EMBEDDER", "")
        if not given and not Embedders.trusted(self._name):
            hint = f"set OAM_EMBEDDER={self._name} to search with it"
            raise ConfigError(f"the vectors were made by {self._name}, which nobody has named here", hint=hint)
        return given or self._name
