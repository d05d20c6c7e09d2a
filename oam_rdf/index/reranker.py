"""Cross-encoders: how well a text answers a query, read together (extra ``st``, imported only when one is asked for)."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from typing import Any, Protocol

from oam_rdf.errors import ConfigError, FeatureMissing, Refused


class Reranker(Protocol):
    """What reranking needs of a model."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite number a text, higher = better; comparable within one call only."""


class CrossEncoder:
    """A cross-encoder of sentence-transformers, by name or path. Runs no code that a model brings along."""

    def __init__(self, name: str) -> None:
        """:raises FeatureMissing: without the extra; :raises ConfigError: if the model cannot be loaded."""
        try:
            from sentence_transformers import CrossEncoder as Model
        except ImportError as error:
            raise FeatureMissing("cross-encoders need the extra `st`", hint="pip install 'oam-rdf[st]'") from error
        try:
            # A path is read where it lies; a name may be fetched, because the user named it.
            self._model: Any = Model(name, trust_remote_code=False, local_files_only=os.path.isdir(name))  # noqa: PTH112
        except (OSError, ValueError) as error:
            raise ConfigError(f"the cross-encoder {name!r} cannot be loaded: {error}") from error
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """See :class:`Reranker`. :raises Refused: for a number that is not finite."""
        with self._lock:
            values = self._model.predict([(query, text) for text in texts], show_progress_bar=False)
        scores = [float(value) for value in values]
        if not all(map(math.isfinite, scores)):
            raise Refused("the cross-encoder gave a score that is not finite")
        return scores


_loaded: dict[str, Reranker] = {}
_loading = threading.Lock()


def load_reranker(name: str) -> Reranker:
    """The cross-encoder ``st:NAME_OR_PATH``, one for the process. :raises ConfigError: for any other name."""
    if not name.startswith("st:"):
        raise ConfigError(f"unknown reranker {name!r}", hint="write st:NAME or st:FOLDER")
    with _loading:
        if name not in _loaded:
            _loaded[name] = CrossEncoder(name.removeprefix("st:"))
        return _loaded[name]
