"""What never passes for a source: generated text, and whatever else a direction never ends on (paper §19.6).

A node is generated if a graph says so by its class, or by the kind of the activity that made it. What is part of such an
object counts as the object does, and so does an Original that was read for such documents alone: those bytes are theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from pyoxigraph import NamedNode

from oam_rdf.concepts import Direction
from oam_rdf.errors import NotFound
from oam_rdf.index.columns import Array
from oam_rdf.namespaces import OAM, PROV, RDF, concept
from oam_rdf.query.snapshot import Snapshot

GENERATED = OAM + "GeneratedText"
#: By what a node carries a class, role, operator or kind of evidence.
MARKS = (RDF + "type", OAM + "hasRole", OAM + "hasOperator", OAM + "evidenceKind")
_KINDS = ("generation", "summarisation")  # of activities that make generated text


@dataclass(frozen=True, slots=True)
class Carriers:
    """Nodes that carry one of some marks: ``said`` by IRI, ``rows`` of the objects among them with all of their parts."""

    said: frozenset[str]
    rows: Array


def barred(snapshot: Snapshot, iri: str, way: Direction) -> bool:
    """Whether a direction may not arrive at a node (``oam:neverEndsOn``), for what it is or what it is part of."""
    return bool(way.barred) and _carries(snapshot, iri, way.barred)


def barred_rows(snapshot: Snapshot, directions: Iterable[str]) -> Array:
    """``bool[objects]``: objects that one of some directions (notations) never ends on."""
    ways = (snapshot.ontology.direction(name) for name in directions)
    masks = [carriers(snapshot, way.barred).rows for way in ways if way is not None and way.barred]
    return np.logical_or.reduce(masks) if masks else np.zeros(len(snapshot.facets), dtype=bool)


def is_generated(snapshot: Snapshot, iri: str) -> bool:
    """Whether any node, an Original included, is generated text."""
    return _carries(snapshot, iri, frozenset([GENERATED]))


def generated(snapshot: Snapshot) -> Array:
    """``bool[objects]``: what is generated text, or part of it."""
    return carriers(snapshot, frozenset([GENERATED])).rows


def sourced(snapshot: Snapshot) -> Array:
    """``bool[objects]``: objects with an Original that is no generated text."""
    return np.asarray(snapshot.facets.has_original) & ~generated(snapshot)


def is_original(snapshot: Snapshot, iri: str) -> bool:
    """Whether a node is an Original, whatever is said of it: bytes that are kept here and that a visible document was read
    from, and not those of generated text alone."""
    if "/original/sha256-" not in iri or not documents_of(snapshot, iri) or is_generated(snapshot, iri):
        return False
    try:
        return snapshot.originals.path(iri.rpartition("sha256-")[2]).is_file()
    except NotFound:
        return False


def documents_of(snapshot: Snapshot, original: str) -> list[int]:
    """Rows of the visible documents that were read from an Original, given by its IRI or hash; none for any other node."""
    facets, sha256 = snapshot.facets, original.rpartition("sha256-")[2]
    if "originals by hash" not in snapshot.notes:
        snapshot.notes["originals by hash"] = {name: code for code, name in enumerate(facets.originals)}
    code = snapshot.notes["originals by hash"].get(sha256, -1)
    if code < 0:
        return []
    rows: list[int] = np.flatnonzero((facets.original == code) & snapshot.visible).tolist()
    return rows


def carriers(snapshot: Snapshot, marks: frozenset[str]) -> Carriers:
    """All that carries one of the marks (IRIs), read once for a snapshot."""
    key = f"carriers {sorted(marks)}"
    if key not in snapshot.notes:
        facets, said = snapshot.facets, frozenset(_said(snapshot, marks))
        mask = np.zeros(len(facets), dtype=bool)
        mask[[row for iri in said if (row := facets.row(iri)) >= 0]] = True
        while (parts := (facets.parent >= 0) & mask[np.maximum(facets.parent, 0)] & ~mask).any():
            mask |= parts
        snapshot.notes[key] = Carriers(said, mask)
    found: Carriers = snapshot.notes[key]
    return found


def _said(snapshot: Snapshot, marks: frozenset[str]) -> Iterator[str]:
    store, ontology = snapshot.store, snapshot.ontology
    wanted = set(marks)
    for above in (ontology.superclasses, ontology.broader):
        wanted |= {iri for iri, broader in above.items() if broader & marks}
    ends = [(predicate, iri) for iri in sorted(wanted) for predicate in MARKS]
    if GENERATED in marks:
        kinds = [NamedNode(concept("activity-kind", kind)) for kind in _KINDS]
        runs = [
            q.subject for kind in kinds for q in store.quads_for_pattern(None, NamedNode(OAM + "activityKind"), kind)
        ]
        ends += [(PROV + "wasGeneratedBy", run.value) for run in runs if isinstance(run, NamedNode)]
    for predicate, iri in ends:
        for quad in store.quads_for_pattern(None, NamedNode(predicate), NamedNode(iri)):
            if isinstance(quad.subject, NamedNode):
                yield quad.subject.value


def _carries(snapshot: Snapshot, iri: str, marks: frozenset[str]) -> bool:
    found, row = carriers(snapshot, marks), snapshot.facets.row(iri)
    if row >= 0:
        return bool(found.rows[row])
    documents = documents_of(snapshot, iri)
    return iri in found.said or (bool(documents) and bool(found.rows[documents].all()))
