"""What the ontology says about the words of a source: relation names and concepts, asked often and answered fast."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from oam_rdf.ontology import Ontology

OPEN_OPERATORS = ("UNKNOWN_OPERATOR", "NEW_OPERATOR_CANDIDATE", "MULTIPLE_PLAUSIBLE")


def relation_names() -> Collection[str]:
    """The snake_case names of every relation, inverse names included."""
    return Ontology.load().relations.keys()


def relation(word: str) -> str:
    """The relation a word names (``depends-on``, ``dependsOn`` and ``Depends On`` alike), or ""."""
    return _relation(word, Ontology.load())


@lru_cache(maxsize=4096)
def _relation(word: str, ontology: Ontology) -> str:
    spaced = "".join(f" {c}" if c.isupper() and word[i - 1 : i].islower() else c for i, c in enumerate(word.strip()))
    name = "_".join(spaced.casefold().replace("-", " ").replace("_", " ").split())
    return name if name in ontology.relations else ""


def notation(scheme: str, word: str) -> str:
    """The notation of a scheme that ``word`` spells (letter case, spaces and hyphens ignored), or "" (decision D3).

    Operators are accepted as ``FAMILY.MODE``, ``IOP:FAMILY:MODE`` and ``family:mode`` (decision D4).
    """
    return _notation(scheme, word.strip(), Ontology.load())


@lru_cache(maxsize=4096)
def _notation(scheme: str, word: str, ontology: Ontology) -> str:
    for form in (word, "_".join(word.replace("-", " ").split())):
        found = ontology.concept(scheme, form)
        if found is not None:
            return found.notation
    return ""
