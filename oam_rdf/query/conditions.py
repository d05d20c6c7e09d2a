"""Conditions C(d) of paper §1.8 as masks: domain, safety level, population, version limit, rights, task precondition.

Read from the store of the clearance on first use and kept with the snapshot: most queries ask for none of them. An object
without a value of its own has that of the nearest object above it (its section, its document).
"""

from __future__ import annotations

import numpy as np

from oam_rdf.index.columns import Array
from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import index_key

PREDICATES = {
    "domain": (OAM + "domain",),
    "safety": (OAM + "safetyLevel",),
    "population": (OAM + "appliesTo",),
    "version": (OAM + "validForVersion",),
    "rights": (DCTERMS + "rights", DCTERMS + "license"),
    "preconditions": (OAM + "requires",),
}
_DEEP = 64  # levels of parts; a loop of part-of ends here


def values(snapshot: Snapshot, name: str) -> dict[int, set[str]]:
    """Row -> index keys of what is recorded as the condition ``name``, concepts by their notation."""
    known: dict[str, dict[int, set[str]]] = snapshot.notes.setdefault("conditions", {})
    if name not in known:
        found: dict[int, set[str]] = {}
        for predicate in PREDICATES[name]:
            query = f"SELECT DISTINCT ?s ?o {{ ?s <{predicate}> ?o }}"
            for subject, value in snapshot.store.query(query, use_default_graph_as_union=True):  # type: ignore[union-attr]
                row = snapshot.facets.row(str(getattr(subject, "value", "")))
                if row >= 0 and snapshot.visible[row]:
                    text = str(getattr(value, "value", ""))
                    found.setdefault(row, set()).update({index_key(text), index_key(text.rpartition("/")[2])})
        known[name] = found
    return known[name]


def mask(snapshot: Snapshot, name: str, wanted: list[str]) -> Array:
    """``bool[objects]``: those that meet the condition ``name`` with one of the wanted values."""
    size = len(snapshot.facets)
    own, met = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    keys = {index_key(value) for value in wanted}
    for row, said in values(snapshot, name).items():
        own[row] = True
        met[row] = bool(said & keys)
    parent = np.asarray(snapshot.facets.parent)
    above = np.maximum(parent, 0)
    for _ in range(_DEEP):
        inherits = ~own & (parent >= 0) & own[above]
        if not inherits.any():
            break
        met[inherits] = met[above[inherits]]
        own |= inherits
    return met
