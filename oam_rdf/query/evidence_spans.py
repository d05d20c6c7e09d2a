"""The passages that an object quotes from other works to bear it out, as far as this clearance may read them."""

from __future__ import annotations

import re

import numpy as np
from pyoxigraph import Literal, NamedNode

from oam_rdf.namespaces import OA, OAM
from oam_rdf.query.snapshot import Snapshot

_SPAN, _SOURCE = NamedNode(OAM + "evidenceSpan"), NamedNode(OA + "hasSource")
_NUMBER = re.compile(r"\d+")


def evidence_spans(snapshot: Snapshot, iri: str) -> tuple[str, int, list[tuple[int, int]]]:
    """Hash of the quoted work's Original, the facet row of a visible document that it is of, and the spans in order.

    ``("", -1, [])`` where nothing is quoted from a work that may be seen. Of several works the first quoted one counts.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    nodes = [
        q.object.value
        for q in snapshot.store.quads_for_pattern(NamedNode(iri), _SPAN, None)
        if isinstance(q.object, NamedNode)
    ]
    for node in sorted(set(nodes), key=_order):
        start, end = (_integer(snapshot, node, name) for name in ("start", "end"))
        source = next((q.object for q in snapshot.store.quads_for_pattern(NamedNode(node), _SOURCE, None)), None)
        if isinstance(source, NamedNode) and start is not None and end is not None:
            found.setdefault(source.value.rpartition("sha256-")[2], []).append((start, end))
    for original, spans in found.items():
        document = _document(snapshot, original)
        if document >= 0:
            return original, document, spans
    return "", -1, []


def _document(snapshot: Snapshot, original: str) -> int:
    """A visible document that an Original is of; -1 if there is none."""
    facets = snapshot.facets
    codes = [code for code, name in enumerate(facets.originals) if name == original]
    if not codes:
        return -1
    rows = np.flatnonzero((facets.original == codes[0]) & snapshot.visible)
    return int(rows[0]) if len(rows) else -1


def _integer(snapshot: Snapshot, node: str, name: str) -> int | None:
    values = [q.object for q in snapshot.store.quads_for_pattern(NamedNode(node), NamedNode(OA + name), None)]
    return next((int(value.value) for value in values if isinstance(value, Literal)), None)


def _order(node: str) -> list[int]:
    """``….quote1`` before ``….quote1-2`` before ``….quote2``."""
    return [int(number) for number in _NUMBER.findall(node.rpartition("quote")[2])]
