"""What a knowledge base holds, and what is not in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.namespaces import OA, OAM, concept
from oam_rdf.query.snapshot import Snapshot

# Every tag, with what makes it reliable; an importer's tag that names neither confidence nor annotator is its author's own.
_TAGS = f"""
SELECT ?target ?kind ?confidence ?annotator ?review WHERE {{
  VALUES ?kind {{ <{OAM}OperatorTag> <{OAM}ConceptTag> }}
  ?tag a ?kind ; <{OA}hasTarget> ?target .
  OPTIONAL {{ ?tag <{OAM}confidence> ?confidence }}
  OPTIONAL {{ ?tag <{OAM}annotator> ?annotator }}
  OPTIONAL {{ ?tag <{OAM}reviewStatus> ?review }}
}}"""
_RELIABLE = 0.6  # decision D11
_REVIEWED, _REJECTED = concept("review-status", "REVIEWED"), concept("review-status", "REJECTED")
_UNRESOLVED = f"SELECT (COUNT(*) AS ?n) WHERE {{ ?r <{OAM}targetLabel> ?l }}"


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of one generation as one clearance may see them."""

    root: str
    base: str
    generation: int | None = None
    revision: int = 0
    content_hash: str = ""
    documents: int = 0
    objects: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    version_status: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)
    quads: int = 0
    passages: int = 0
    embedded: int = 0
    embedder: str = ""  # fingerprint of the model that made the vectors
    vector_search: Mapping[str, str] = field(default_factory=dict)  # engine: exact or hnsw; reason: why not hnsw
    unresolved: int = 0
    tags: Mapping[str, int] = field(default_factory=dict)  # reliable, suggestions, rejected
    tag_coverage: float = 0.0  # objects with a reliable tag of any scheme ÷ all objects, from 0 to 1
    operator_coverage: float = 0.0  # the same for operator tags alone (decision D11)
    degraded: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def empty(root: Path, base: str) -> Status:
        return Status(str(root), base)

    def to_json(self) -> dict[str, Any]:
        return {name: dict(v) if isinstance(v := getattr(self, name), Mapping) else v for name in self.__slots__}


def status(snapshot: Snapshot, base: str) -> Status:
    """Count what this clearance may see, and nothing else (decision D16)."""
    facets, visible = snapshot.facets, snapshot.visible
    lexical, dense = snapshot.lexical, snapshot.dense  # opening them fills ``degraded``
    _ = lexical
    shown = snapshot.visible_passages

    def counts(column: str) -> dict[str, int]:
        values = facets.column(column)
        numbers = np.bincount(values.codes[visible], minlength=len(values.values))
        pairs = zip(values.values, numbers, strict=False)
        return {name: int(number) for name, number in sorted(pairs, key=lambda p: (-p[1], p[0])) if number and name}

    engine = dense.engine if dense is not None else None  # its counts are of all rows, so they are not shown
    granularity = counts("granularity")
    row = next(iter(snapshot.store.query(_UNRESOLVED, use_default_graph_as_union=True)))  # type: ignore[arg-type]
    tags, coverage, operators = _tags(snapshot)
    return Status(
        root=str(snapshot.kb),
        base=base,
        generation=snapshot.generation.number,
        revision=snapshot.generation.revision,
        content_hash=str(snapshot.generation.manifest.get("content_hash", "")),
        documents=granularity.get("DOCUMENT", 0),
        objects=granularity,
        states=counts("epistemic_state"),
        version_status=_effective(snapshot),
        languages=counts("language"),
        quads=len(snapshot.store),
        passages=int(shown.sum()),
        embedded=int((dense.embedded & shown).sum()) if dense is not None else 0,
        embedder=dense.fingerprint if dense is not None else "",
        vector_search={"engine": engine.name, **({"reason": engine.reason} if engine.reason else {})} if engine else {},
        unresolved=int(row["n"].value),
        tags=tags,
        tag_coverage=coverage,
        operator_coverage=operators,
        degraded=dict(snapshot.degraded),
    )


def _tags(snapshot: Snapshot) -> tuple[dict[str, int], float, float]:
    """Tags by reliability, and the share of visible objects with a reliable tag: of any scheme, and of operators."""
    facets, visible = snapshot.facets, snapshot.visible
    numbers = {"reliable": 0, "suggestions": 0, "rejected": 0}
    tagged, operators = set(), set()
    for row in snapshot.store.query(_TAGS, use_default_graph_as_union=True):  # type: ignore[union-attr]
        review = row["review"].value if row["review"] else ""
        if review == _REJECTED:
            numbers["rejected"] += 1
            continue
        confidence = float(row["confidence"].value) if row["confidence"] else None
        by_author = confidence is None and row["annotator"] is None
        if not (review == _REVIEWED or by_author or (confidence or 0.0) >= _RELIABLE):
            numbers["suggestions"] += 1
            continue
        numbers["reliable"] += 1
        target = facets.row(row["target"].value)
        if target >= 0 and visible[target]:
            tagged.add(target)
            if row["kind"].value == OAM + "OperatorTag":
                operators.add(target)
    objects = int(visible.sum())
    tag, operator = (round(len(found) / objects, 4) if objects else 0.0 for found in (tagged, operators))
    return numbers, tag, operator


def _effective(snapshot: Snapshot) -> dict[str, int]:
    column = snapshot.version_status
    chosen = snapshot.visible & snapshot.facets.mask("granularity", "DOCUMENT")
    numbers = np.bincount(column.codes[chosen], minlength=len(column.values))
    return {name: int(n) for name, n in zip(column.values, numbers, strict=False) if n}
