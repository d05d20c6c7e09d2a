"""What a knowledge base holds, and what is not in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.namespaces import OAM
from oam_rdf.query.snapshot import Snapshot

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
    unresolved: int = 0
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

    granularity = counts("granularity")
    row = next(iter(snapshot.store.query(_UNRESOLVED, use_default_graph_as_union=True)))  # type: ignore[arg-type]
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
        unresolved=int(row["n"].value),
        degraded=dict(snapshot.degraded),
    )


def _effective(snapshot: Snapshot) -> dict[str, int]:
    column = snapshot.version_status
    chosen = snapshot.visible & snapshot.facets.mask("granularity", "DOCUMENT")
    numbers = np.bincount(column.codes[chosen], minlength=len(column.values))
    return {name: int(n) for name, n in zip(column.values, numbers, strict=False) if n}
