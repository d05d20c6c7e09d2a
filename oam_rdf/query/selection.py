"""Which objects are looked at: some by name, what a search finds, or all; as far as filters let them in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oam_rdf.errors import UsageError
from oam_rdf.index.columns import Array
from oam_rdf.query.constrain import with_narrower
from oam_rdf.query.resolve import resolve
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot

FOUND = 20  # results of a search that are looked at
#: What only holds what others say: looked at where it is named or asked for by its granularity.
_HOLDERS = ("DOCUMENT", "SECTION")


@dataclass(frozen=True, slots=True)
class Wanted:
    """``identifiers`` by name (with ``parts`` all that is part of them), else what a search for ``query`` finds, else all
    that says something itself. ``kinds``, ``states`` (with narrower ones) and ``granularities`` (notations) choose among
    these."""

    identifiers: tuple[str, ...] = ()
    query: str = ""
    parts: bool = False
    kinds: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    granularities: tuple[str, ...] = ()
    k: int = FOUND


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of visible objects in the order in which they were found, and ids of what is no object here."""

    rows: tuple[int, ...]
    others: tuple[str, ...] = ()


def select(snapshot: Snapshot, wanted: Wanted) -> Selection:
    """The objects wanted, as far as this clearance sees them.

    :raises NotFound: for a name that no visible object has. :raises UsageError: for a filter value that no scheme has.
    """
    if wanted.identifiers and wanted.query:
        raise UsageError("ids and a query exclude each other", hint="leave one of them out")
    mask = _filtered(snapshot, wanted)
    others: tuple[str, ...] = ()
    if wanted.identifiers:
        rows = list(dict.fromkeys(resolve(snapshot, name) for name in wanted.identifiers))
        rows = [row for start in rows for row in _parts(snapshot, start)] if wanted.parts else rows
    elif wanted.query:
        found = {result.iri: result.id for result in search(snapshot, wanted.query, k=wanted.k).results}
        rows = [row for iri in found if (row := snapshot.facets.row(iri)) >= 0]
        if mask is None:
            others = tuple(name for iri, name in found.items() if snapshot.facets.row(iri) < 0)
    else:
        shown = (
            snapshot.visible
            if wanted.granularities
            else snapshot.visible & ~snapshot.facets.mask("granularity", _HOLDERS)
        )
        rows = np.flatnonzero(shown).tolist()
    seen = snapshot.visible if mask is None else snapshot.visible & mask
    return Selection(tuple(row for row in dict.fromkeys(rows) if seen[row]), others)


def _filtered(snapshot: Snapshot, wanted: Wanted) -> Array | None:
    """``bool[objects]``, None without filters."""
    mask: Array | None = None
    filters = (
        ("kind", "statement-kind", wanted.kinds),
        ("epistemic_state", "epistemic-state", wanted.states),
        ("granularity", "granularity", wanted.granularities),
    )
    for column, scheme, names in filters:
        if names:
            known = [_notation(snapshot, scheme, name) for name in names]
            one = snapshot.facets.mask(column, with_narrower(scheme, known) if scheme == "epistemic-state" else known)
            mask = one if mask is None else mask & one
    return mask


def _notation(snapshot: Snapshot, scheme: str, name: str) -> str:
    concept = snapshot.ontology.concept(scheme, name)
    if concept is None:
        known = ", ".join(sorted(snapshot.ontology.notations(scheme)))
        raise UsageError(f"unknown {scheme} {name!r}", hint=f"one of {known}")
    return concept.notation


def _parts(snapshot: Snapshot, start: int) -> list[int]:
    """An object and all that is part of it, itself first."""
    parent = snapshot.facets.parent
    inside = np.zeros(len(parent), dtype=bool)
    inside[start] = True
    while (parts := (parent >= 0) & inside[np.maximum(parent, 0)] & ~inside).any():
        inside |= parts
    inside[start] = False
    return [start, *np.flatnonzero(inside).tolist()]
