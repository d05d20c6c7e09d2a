"""Operators near another one: its close matches, then what it is related to, then what is broader (SKOS; paper §7.1)."""

from __future__ import annotations

from functools import lru_cache

from oam_rdf.namespaces import SCHEMES
from oam_rdf.ontology import Ontology


def widened(notation: str) -> tuple[str, ...]:
    """The notation first, then its neighbours; itself alone if the ontology names none."""
    return _widened(notation, Ontology.load())


@lru_cache(maxsize=512)
def _widened(notation: str, ontology: Ontology) -> tuple[str, ...]:
    concept = ontology.concept("operator", notation)
    if concept is None:
        return (notation,)
    near = [*sorted(concept.related), *sorted(ontology.broader.get(concept.iri, ()))]
    names = [found.removeprefix(SCHEMES["operator"]) for found in near if found.startswith(SCHEMES["operator"])]
    return tuple(dict.fromkeys((notation, *names)))
