"""The directions that a query asks for, where it starts, and what an ambiguous phrase may mean (paper §3, §19.10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from oam_rdf.ontology import Ontology
from oam_rdf.paths import branches
from oam_rdf.query.cues import HINT, Hit
from oam_rdf.query.plan import Directions, Entry, Plan


def directed(plan: Plan, hits: Iterable[Hit], named: Iterable[Entry]) -> Plan:
    """The plan with its directions, their start, and a note for every phrase that may mean several of them.

    An ambiguous phrase is read as the direction that is nearest to an unambiguous one beside it: 往下 is an application
    where an implementation is asked for. With nothing beside it all its meanings stand, and the note says so.
    """
    at: dict[int, list[Hit]] = {}
    for hit in hits:
        if hit.meaning.scheme == "direction":
            at.setdefault(hit.start, []).append(hit)
    clear = {group[0].meaning.notation for group in at.values() if len(group) == 1}
    entries: dict[str, Entry] = {}
    notes = list(plan.notes)
    for group in (at[start] for start in sorted(at)):
        chosen = _nearest(group, clear) if len(group) > 1 else group
        if len(chosen) > 1:
            meanings = " | ".join(sorted(hit.meaning.notation for hit in chosen))
            notes.append(f"{chosen[0].meaning.label} → {meanings}")
        for hit in chosen:
            confidence = hit.confidence if len(chosen) == 1 else HINT
            known = entries.get(hit.meaning.notation)
            if known is None or known.confidence < confidence:
                entries[hit.meaning.notation] = Entry(hit.meaning.notation, hit.origin, confidence)
    start = tuple(dict.fromkeys(named)) if entries else ()
    return replace(plan, navigation=Directions(tuple(entries.values()), start), notes=tuple(notes))


def _nearest(group: list[Hit], clear: set[str]) -> list[Hit]:
    """The one meaning whose relations are most like those of a clear direction, if one stands out."""
    scores = [(max((_alike(hit.meaning.notation, other) for other in clear), default=0.0), hit) for hit in group]
    best = max(score for score, _ in scores)
    first = [hit for score, hit in scores if score == best]
    return first if best > 0 and len(first) == 1 else group


def _alike(one: str, other: str) -> float:
    a, b = set(relations_of(one)), set(relations_of(other))
    return 1.0 if one == other else len(a & b) / len(a | b) if a | b else 0.0


def relations_of(direction: str) -> tuple[str, ...]:
    """Names of the relations that a direction walks, in order; one that a more general one of them includes is left out."""
    return _relations_of(direction, Ontology.load())


@lru_cache(maxsize=256)
def _relations_of(direction: str, ontology: Ontology) -> tuple[str, ...]:
    way = ontology.directions.get(direction)
    if way is None:
        return ()
    wanted = dict.fromkeys(
        iri for path in (way.step, way.last) if path for branch in branches(path) for iri, _ in branch
    )
    # A relation's own name comes before its other spellings in no particular place: the notation is the one to keep.
    names: dict[str, str] = {}
    above: dict[str, frozenset[str]] = {}
    for name, relation in ontology.relations.items():
        if relation.iri in wanted and not relation.inverse and relation.iri not in names:
            names[relation.iri], above[relation.iri] = name, relation.super_properties
    return tuple(names[iri] for iri in wanted if iri in names and not above[iri] & (set(names) - {iri}))
