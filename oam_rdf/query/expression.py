"""Directions written one after the other: ``ABSTRACT.UP*2 / EVIDENCE.STRONGER``.

    expression = leg , { "/" , leg } ;
    leg        = direction , [ "*" , [ hops ] ] ;

``*2`` are at most two hops, as ``--steps 2`` says of a plain direction; ``*`` and nothing at all mean as far as it leads.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from oam_rdf.concepts import Direction
from oam_rdf.errors import UsageError
from oam_rdf.ontology import Ontology

MAX_LEGS = 16
MAX_HOPS = 10_000
_LEG = re.compile(r"\s*([^\s*/]+)\s*(?:(\*)\s*(\d{1,6})?)?\s*\Z")
_EXAMPLE = "write for example ABSTRACT.UP*2 / EVIDENCE.STRONGER"


@dataclass(frozen=True, slots=True)
class Leg:
    """One direction of an expression; ``hops`` at most, None = as far as it leads."""

    direction: Direction
    hops: int | None

    def __str__(self) -> str:
        return self.direction.notation + ("" if self.hops is None else f"*{self.hops}")


def parse(text: str, ontology: Ontology) -> tuple[Leg, ...]:
    """The legs of an expression; full-width signs are read as the plain ones.

    :raises UsageError: naming the leg that is wrong, by its number.
    """
    parts = unicodedata.normalize("NFKC", text).split("/")
    if len(parts) > MAX_LEGS:
        raise UsageError(f"{len(parts)} directions one after the other", hint=f"at most {MAX_LEGS}")
    return tuple(_leg(part, number, len(parts), ontology) for number, part in enumerate(parts, 1))


def _leg(part: str, number: int, count: int, ontology: Ontology) -> Leg:
    where = f"leg {number} of {count}: " if count > 1 else ""
    match = _LEG.match(part)
    if match is None:
        raise UsageError(f"{where}{part.strip()!r} is no direction with a number of hops", hint=_EXAMPLE)
    direction = ontology.direction(match[1])
    if direction is None:
        known = ", ".join(sorted(ontology.directions))
        raise UsageError(f"{where}unknown direction {match[1]!r}", hint=f"one of {known}")
    hops = int(match[3]) if match[3] else None
    if hops is not None and not 1 <= hops <= MAX_HOPS:
        raise UsageError(f"{where}*{hops}", hint=f"1 to {MAX_HOPS} hops")
    return Leg(direction, hops)
