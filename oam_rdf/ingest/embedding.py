"""Vectors follow the words: passages are embedded without the write lock, which is taken only to publish.

Coarse first: the leads of documents, then those of sections, then the rest, each by what matters most; so a corpus is
usefully covered long before it is covered.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import UsageError
from oam_rdf.index.embed import Embedder
from oam_rdf.index.languages import embed_samples
from oam_rdf.index.passages import PassageTable, embedding_text
from oam_rdf.index.vectors import VectorCache
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.run import Progress
from oam_rdf.store.layout import Embedders, Layout

_BATCH = 32
_PUBLISH_EVERY = 300.0  # seconds: what is embedded becomes searchable while the rest is under way
_WORTH = 20.0  # seconds of work that must be left for a publication at the end of a stage
LEAD, SECTION, REST = 0, 1, 2


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


def stages(passages: PassageTable) -> NDArray[np.int8]:
    """:data:`LEAD` for the first passage of a document, :data:`SECTION` for that of a section, else :data:`REST`."""
    found = np.full(len(passages), REST, "i1")
    before: tuple[int, str] | None = None
    seen: set[str] = set()
    for row, document in enumerate(passages.document.tolist()):
        section = passages.section(row)
        if before is None or before[0] != document:
            seen = set()
        if section not in seen:
            found[row] = SECTION
            seen.add(section)
        before = document, section
    found[np.asarray(passages.lead, dtype=bool)] = LEAD
    return found


def order(
    passages: PassageTable,
    priority: NDArray[np.float64] | None = None,
    access: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Rows in the order in which they are embedded: by stage, then by ``priority`` and ``access`` (each as a share of its
    highest, added, high first), then as they stand."""
    weight = np.zeros(len(passages))
    for given in (priority, access):
        if given is not None and len(given) and (highest := float(np.max(given))) > 0:
            weight += np.asarray(given, "f8") / highest
    return np.lexsort((np.arange(len(passages)), -weight, stages(passages)))


def embedder_name(named: str, configured: str, present: str) -> str:
    """What the user names (by ``named`` or ``OAM_EMBEDDER``), else the configured one.

    :raises UsageError: if that is none, or if an embedder that only a user can name made the vectors that are ``present``:
        going over to another one makes all of them anew, and that is for the user to say.
    """
    named = named or os.environ.get("OAM_EMBEDDER", "")
    name = named or configured
    if name == "none":
        raise UsageError("vectors are switched off here", hint='set embedder = "e5" in oam.toml')
    if not named and present and not Embedders.trusted(present):
        hint = f"--embedder {present} goes on with it, --embedder {name} makes all vectors anew"
        raise UsageError(f"the vectors here were made by {present}, the configured embedder is {name}", hint=hint)
    return name


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
    name: str = "e5",
    priority: NDArray[np.float64] | None = None,
    access: NDArray[np.float64] | None = None,
) -> EmbedReport:
    """Fill the vector cache and publish. Killed at any point, what was embedded stays embedded.

    ``priority`` (PageRank) and ``access`` (how often it was retrieved) are one number a passage. ``name`` goes into the
    manifest: what loads the embedder again.
    """

    def publish() -> int:
        with publication("embed", wait) as writer:
            return writer.publish(fingerprint=embedder.fingerprint, dimension=embedder.dim, embedder=name)

    started = last = time.monotonic()
    generation = None
    rows_in_order, stage = order(passages, priority, access), stages(passages)
    with closing(VectorCache(layout.embeddings)) as cache:
        embed_samples(embedder, cache)
        known, _ = cache.get([bytes(passages.digest[row]) for row in rows_in_order], embedder.fingerprint)
        missing = [int(row) for row, there in zip(rows_in_order, known, strict=True) if not there]
        todo = missing if limit is None else missing[:limit]
        made = published = 0
        for start in range(0, len(todo), _BATCH):
            rows = todo[start : start + _BATCH]
            texts = [embedding_text(passages.title(row), passages.heading(row), text(row)) for row in rows]
            vectors = embedder.embed_passages(texts)
            cache.put([bytes(passages.digest[row]) for row in rows], embedder.fingerprint, vectors)
            made += len(rows)
            progress("embed", made, len(todo))
            now = time.monotonic()
            left = (now - started) / made * (len(todo) - made)
            ended = made < len(todo) and stage[todo[made]] > stage[todo[published]]
            if made < len(todo) and (now - last > _PUBLISH_EVERY or (ended and left > _WORTH)):
                generation, published, last = publish(), made, time.monotonic()
    if made or model.get("fingerprint") != embedder.fingerprint or model.get("name") != name:
        generation = publish()
    return EmbedReport(len(passages), len(passages) - len(missing) + made, made, time.monotonic() - started, generation)
