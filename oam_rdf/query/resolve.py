"""Ids as people write them: ``PEP-241``, ``pep 241`` and ``PEP-0241`` are one object.

What a clearance may not see resolves exactly like what does not exist (decision D16).
"""

from __future__ import annotations

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.index.facet_table import ALIAS, IDENTIFIER
from oam_rdf.query.snapshot import Snapshot

_ORDER = {"DOCUMENT": 0, "SECTION": 1, "ARGUMENT": 2, "STATEMENT": 3}


def named(snapshot: Snapshot, name: str, *, titles: bool = True) -> list[int]:
    """Rows of the visible objects that ``name`` best names: all of the first kind that has any.

    Kinds in order: IRI, identifier letter for letter, identifier, alias, title; documents before their parts.
    """
    facets, visible = snapshot.facets, snapshot.visible
    row = facets.row(name)
    if row >= 0:
        return [row] if visible[row] else []
    ranked: dict[tuple[int, int], list[int]] = {}
    for row, kind in facets.named(name):
        if not visible[row] or (kind not in (IDENTIFIER, ALIAS) and not titles):
            continue
        exact = kind == IDENTIFIER and facets.identifiers[row] == name
        granularity = _ORDER.get(facets.column("granularity")[row], 4)
        ranked.setdefault((-1 if exact else kind, granularity), []).append(row)
    return sorted(set(ranked[min(ranked)])) if ranked else []


def resolve(snapshot: Snapshot, name: str) -> int:
    """Row of the object called ``name``.

    :raises NotFound: if there is none that may be seen.
    :raises UsageError: if several are called so; their ids are named.
    """
    rows = named(snapshot, name.strip())
    if not rows:
        raise NotFound(f"no object is called {name!r}", hint="try `oam search`")
    if len(rows) > 1:
        ids = ", ".join(snapshot.facets.identifiers[row] or snapshot.facets.iris[row] for row in rows[:5])
        raise UsageError(f"{name!r} names {len(rows)} objects: {ids}", hint="write one of these ids")
    return rows[0]


def node(snapshot: Snapshot, name: str) -> str:
    """IRI of the object, or of any other visible node given by its IRI or as ``sha256-<hex>`` (an Original).

    :raises NotFound: if it is not there, or not to be seen.
    """
    try:
        return snapshot.facets.iris[resolve(snapshot, name)]
    except NotFound:
        iri = name
        if name.startswith("sha256-") and len(snapshot.facets):
            base = snapshot.facets.iris[0].partition("/doc/")[0].partition("/ko/")[0]
            iri = f"{base}/original/{name}"
        if ":" in iri and not any(c in iri for c in ' <>"{}|\\^`') and snapshot.admits(iri) and snapshot.exists(iri):
            return iri
        raise
