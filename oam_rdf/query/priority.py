"""What is worth embedding first: PageRank of documents, and how often each was retrieved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oam_rdf.query.certificate import Certificates
from oam_rdf.query.snapshot import Snapshot


def importance(snapshot: Snapshot) -> NDArray[np.float64] | None:
    """``float64[passages]``: PageRank of each passage's document; None without a graph."""
    graph = snapshot.graph
    return None if graph is None else _of_passages(snapshot, np.asarray(graph.pagerank, "f8"))


def access(snapshot: Snapshot, certificates: Certificates) -> NDArray[np.float64] | None:
    """``float64[passages]``: in how many answers each passage's document was; None where nothing was ever retrieved."""
    counts = certificates.retrieved()
    if not counts:
        return None
    return _of_passages(snapshot, np.array([counts.get(name, 0) for name in snapshot.facets.identifiers], "f8"))


def _of_passages(snapshot: Snapshot, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    documents = snapshot.passage_document
    if not len(documents):
        return None
    return np.where(documents >= 0, values[np.maximum(documents, 0)], 0.0)
