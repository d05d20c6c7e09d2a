"""What may stand in where typed edges lead nowhere, and only where it is asked for: operator tags, then similarity.

Neither is a relation that anybody stated, so every arrival says what it rests on, and what the direction looks for (a role, a
stronger state) holds for stand-ins too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oam_rdf.concepts import Direction
from oam_rdf.query.navigate import Report
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.walk import Walk

NONE, TAGS, SIMILARITY = "none", "operator tags", "similarity"
FALLBACKS = (NONE, TAGS, SIMILARITY)
LIMIT = 10  # stand-ins of one object
_SHARED = 3  # tags that make two documents neighbours (decision D26)
_LOOKED_AT = 2_000  # objects of the neighbourhood
_NEAREST = 50  # passages


@dataclass(frozen=True, slots=True)
class Found:
    """A hop that is no edge. ``strength`` in [0, 1]: confidence of the tag, or cosine. ``mark``: as a route shows it."""

    source: str
    target: str
    ground: str
    mark: str
    strength: float


def fall_back(snapshot: Snapshot, source: str, way: Direction, allowed: str) -> tuple[Found, ...]:
    """Stand-ins for the arrivals of a direction from an object, best first; none where it is no object.

    :param allowed: :data:`TAGS`, or :data:`SIMILARITY`, which is tried where tags give nothing.
    """
    row = snapshot.facets.row(source)
    if row < 0:
        return ()
    found = tuple(_by_tags(snapshot, row, way))[:LIMIT]
    if not found and allowed == SIMILARITY:
        found = tuple(_by_similarity(snapshot, row, way))[:LIMIT]
    return found


def _by_tags(snapshot: Snapshot, row: int, way: Direction) -> Iterator[Found]:
    """Objects nearby that reliably carry an operator or role which the direction stands for."""
    concepts = snapshot.ontology.concepts
    wanted = [concepts[iri] for iri in sorted(way.target | way.related) if iri in concepts]
    if snapshot.tags is None or not wanted:
        return
    near = _nearby(snapshot, row)
    best: dict[int, tuple[float, str]] = {}
    for concept in wanted:
        strength = snapshot.tags.strength(concept.notation, concept.scheme, reliable_only=True)
        for other in near:
            if strength[other] > best.get(other, (0.0, ""))[0]:
                best[other] = float(strength[other]), concept.notation
    order = {other: at for at, other in enumerate(near)}
    for other in sorted(best, key=lambda r: (-best[r][0], order[r])):
        if _looked_for(snapshot, row, other, way):
            strength_, notation = best[other]
            yield _found(snapshot, row, other, TAGS, f"~{notation}", strength_)


def _nearby(snapshot: Snapshot, row: int) -> list[int]:
    """Objects of the same document, then of documents that are joined to it by any relation or by shared tags."""
    graph, facets = snapshot.graph, snapshot.facets
    document = int(facets.document[row])
    pages = [document if document >= 0 else row]
    if graph is not None:
        _, others, _ = graph.around(pages[0])
        pages += dict.fromkeys(graph.page[others].tolist())
        shared, count, _ = graph.shared(row)
        pages += shared[count >= _SHARED].tolist()
    found: dict[int, None] = {}
    for page in dict.fromkeys(pages):
        members = np.flatnonzero((facets.document == page) & snapshot.visible).tolist()
        found.update(dict.fromkeys([*members, *([page] if snapshot.visible[page] else [])]))
        if len(found) >= _LOOKED_AT:
            break
    found.pop(row, None)
    return list(found)[:_LOOKED_AT]


def _by_similarity(snapshot: Snapshot, row: int, way: Direction) -> Iterator[Found]:
    """Objects whose passages are nearest to the object's first one that has a vector; nothing is embedded for it."""
    dense = snapshot.dense
    passages = snapshot.passages_in(row)
    if dense is None or not passages:
        return
    _, vectors = dense.vectors_of(np.array(passages[:_NEAREST], dtype=np.int64))
    if not len(vectors):
        return
    mask = snapshot.visible_passages.copy()
    mask[passages] = False
    rows, scores = dense.search(vectors[0], mask=mask, k=_NEAREST)
    seen: set[int] = {row}
    for passage, score in zip(rows.tolist(), scores.tolist(), strict=True):
        table = snapshot.passages
        document = int(snapshot.passage_document[passage])
        other = snapshot.object_row(document, table.object(passage) or table.section(passage)) if document >= 0 else -1
        other = document if other < 0 else other
        if other in seen or other < 0 or not snapshot.visible[other]:
            continue
        seen.add(other)
        if _looked_for(snapshot, row, other, way):
            yield _found(snapshot, row, other, SIMILARITY, f"~{score:.2f}", max(0.0, float(score)))


def _looked_for(snapshot: Snapshot, row: int, other: int, way: Direction) -> bool:
    """Whether the direction's order and target would let a typed edge to the other object count. A last step is an edge:
    a direction that demands one has no stand-ins."""
    here = snapshot.facets.iris[row]
    alone = Walk(here, {}, {}, (), (), (), (), False)
    return way.last is None and Report(snapshot, snapshot.ontology, way, alone, None).arrives(
        snapshot.facets.iris[other]
    )


def _found(snapshot: Snapshot, row: int, other: int, ground: str, mark: str, strength: float) -> Found:
    iris = snapshot.facets.iris
    return Found(iris[row], iris[other], ground, mark, round(strength, 4))
