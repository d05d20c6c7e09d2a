"""Who is joined to whom by one property, for those who see it: read once for a snapshot, then a dictionary."""

from __future__ import annotations

from collections.abc import Mapping

from pyoxigraph import NamedNode

from oam_rdf.query.snapshot import Snapshot

NOWHERE = -1  # the other end is no object that this clearance sees


def pairs(snapshot: Snapshot, predicate: str, *, both: bool = False) -> Mapping[int, tuple[int, ...]]:
    """Row -> rows that it is joined to by the property, each once, in order; with ``both`` also against the arrow.

    An end that is no visible object is :data:`NOWHERE`, so that it can be counted and not be named.
    """
    key = f"pairs {predicate} {both}"
    if key not in snapshot.notes:
        facets, visible = snapshot.facets, snapshot.visible
        found: dict[int, set[int]] = {}
        for quad in snapshot.store.quads_for_pattern(None, NamedNode(predicate), None):
            ends = [facets.row(str(getattr(end, "value", ""))) for end in (quad.subject, quad.object)]
            one, other = (row if row >= 0 and visible[row] else NOWHERE for row in ends)
            if one >= 0:
                found.setdefault(one, set()).add(other)
            if both and other >= 0:
                found.setdefault(other, set()).add(one)
        snapshot.notes[key] = {row: tuple(sorted(rows)) for row, rows in found.items()}
    joined: Mapping[int, tuple[int, ...]] = snapshot.notes[key]
    return joined
