"""The content hash: two ways to the same state have the same hash (architecture.md, "Hashes")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from pyoxigraph import NamedNode, Store

from oam_rdf.namespaces import PROV
from oam_rdf.store.minter import document_segment

_HASHED = ("/assertion", "/annotation", "/assessment")
# When and by which run something came to be is not content.
_LEFT_OUT = {PROV + "generatedAtTime", PROV + "wasGeneratedBy"}


def is_content(graph: str) -> bool:
    """Assertion, annotation and assessment graphs of documents; not inferred, history or provenance."""
    return document_segment(graph) is not None and any(part in graph for part in _HASHED)


def graph_hash(store: Store, graph: str) -> str:
    """SHA-256 over the sorted triples of one graph, as stored."""
    lines = sorted(
        str(quad.triple)
        for quad in store.quads_for_pattern(None, None, None, NamedNode(graph))
        if not (isinstance(quad.predicate, NamedNode) and quad.predicate.value in _LEFT_OUT)
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def graph_hashes(store: Store, graphs: Iterable[str]) -> dict[str, str]:
    """Hashes of those of ``graphs`` that are content and not empty."""
    return {graph: graph_hash(store, graph) for graph in graphs if is_content(graph)}


def content_hash(hashes: Mapping[str, str]) -> str:
    """One hash over all content graphs."""
    lines = "\n".join(f"{digest}  {graph}" for graph, digest in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
