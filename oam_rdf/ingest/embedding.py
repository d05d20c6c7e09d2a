"""Vectors follow the words: passages are embedded without the write lock, which is taken only to publish."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from oam_rdf.index.embed import Embedder
from oam_rdf.index.passages import PassageTable, embedding_text
from oam_rdf.index.vectors import VectorCache
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.run import Progress
from oam_rdf.store.layout import Layout

_BATCH = 32
_PUBLISH_EVERY = 300.0  # seconds: what is embedded becomes searchable while the rest is under way


@dataclass(slots=True)
class EmbedReport:
    """Passages in the generation, how many have a vector now, how many were made in this call."""

    passages: int
    embedded: int
    made: int
    seconds: float
    generation: int | None

    def to_json(self) -> dict[str, Any]:
        return {
            "passages": self.passages,
            "embedded": self.embedded,
            "made": self.made,
            "seconds": round(self.seconds, 3),
            "generation": self.generation,
        }


def embed_passages(
    layout: Layout,
    passages: PassageTable,
    text: Callable[[int], str],
    embedder: Embedder,
    publication: Callable[[str, float], AbstractContextManager[Publication]],
    progress: Progress,
    *,
    wait: float,
    limit: int | None,
    model: dict[str, Any],
) -> EmbedReport:
    """Fill the vector cache, leads first, and publish. Killed at any point, what was embedded stays embedded."""
    started = last = time.monotonic()
    generation = None
    order = np.lexsort((np.arange(len(passages)), ~np.asarray(passages.lead, dtype=bool)))
    with closing(VectorCache(layout.embeddings)) as cache:
        known, _ = cache.get([bytes(passages.digest[row]) for row in order], embedder.fingerprint)
        missing = [int(row) for row, there in zip(order, known, strict=True) if not there]
        todo = missing if limit is None else missing[:limit]
        made = 0
        for start in range(0, len(todo), _BATCH):
            rows = todo[start : start + _BATCH]
            texts = [embedding_text(passages.title(row), passages.heading(row), text(row)) for row in rows]
            vectors = embedder.embed_passages(texts)
            cache.put([bytes(passages.digest[row]) for row in rows], embedder.fingerprint, vectors)
            made += len(rows)
            progress("embed", made, len(todo))
            if time.monotonic() - last > _PUBLISH_EVERY:
                with publication("embed", wait) as writer:
                    generation = writer.publish(fingerprint=embedder.fingerprint, dimension=embedder.dim)
                last = time.monotonic()
    if made or model.get("fingerprint") != embedder.fingerprint:
        with publication("embed", wait) as writer:
            generation = writer.publish(fingerprint=embedder.fingerprint, dimension=embedder.dim)
    return EmbedReport(len(passages), len(passages) - len(missing) + made, made, time.monotonic() - started, generation)
