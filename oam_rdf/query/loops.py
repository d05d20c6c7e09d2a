"""Going in circles: what a trail of steps repeats, and which directions lead back where one came from.

A step is a pair of a node and a direction. Coming back to one once is how people look around; the second repeat is flagged
with the cycle, so that a person or an agent notices before the third.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from oam_rdf.ontology import Ontology
from oam_rdf.paths import branches, invert

FLAGGED = 2  # repeats at which a loop is flagged
LOOKED_AT = 1_000  # steps of a trail that are compared, newest first
_SHOWN = 32  # steps of a cycle that are shown


@dataclass(frozen=True, slots=True)
class Step:
    """From ``node`` (an IRI, called ``id``) along ``direction``, as an expression is written."""

    node: str
    id: str
    direction: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """A direction that leads from here to ``count`` nodes that the trail has not asked from; some of them are named."""

    direction: str
    count: int
    nodes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"direction": self.direction, "count": self.count, "nodes": list(self.nodes)}


@dataclass(frozen=True, slots=True)
class Loop:
    """``kind``: ``repeat``, or ``oscillation`` if the cycle goes to and fro between opposite directions.

    ``repeats`` counts how often the last step was taken before; at :data:`FLAGGED` it is ``flagged``. ``cycle`` are the
    steps since it was last taken, as (id, direction). ``trail`` counts the steps that were compared.
    """

    kind: str
    repeats: int
    cycle: tuple[tuple[str, str], ...]
    trail: int
    alternatives: tuple[Alternative, ...] = ()

    @property
    def flagged(self) -> bool:
        return self.repeats >= FLAGGED

    def with_alternatives(self, found: Sequence[Alternative]) -> Loop:
        return replace(self, alternatives=tuple(found))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "repeats": self.repeats,
            "flagged": self.flagged,
            "cycle": [{"id": name, "direction": direction} for name, direction in self.cycle],
            "trail": self.trail,
            "alternatives": [item.to_json() for item in self.alternatives],
        }


def loop_of(steps: Sequence[Step], ontology: Ontology) -> Loop | None:
    """What the last step of a trail repeats; None if nothing. Looks at the newest :data:`LOOKED_AT` steps."""
    steps = steps[-LOOKED_AT:]
    if not steps:
        return None
    last = steps[-1]
    same = [at for at, step in enumerate(steps) if (step.node, step.direction) == (last.node, last.direction)]
    repeats = len(same) - 1
    if not repeats:
        return None
    cycle = steps[same[-2] : same[-1]]
    back = _back(last.direction, ontology)
    ways = {step.direction for step in cycle}
    kind = "oscillation" if len(ways) > 1 and ways - {last.direction} <= back else "repeat"
    return Loop(kind, repeats, tuple((step.id, step.direction) for step in cycle[:_SHOWN]), len(steps))


def _back(expression: str, ontology: Ontology) -> set[str]:
    """Every way to write a step back from one along ``expression``: its legs reversed and turned, hops left out."""
    found = {""}
    for leg in reversed(expression.split(" / ")):
        name, star, hops = leg.partition("*")
        turned = opposites(ontology).get(name, frozenset())
        found = {f"{before} / {way}".removeprefix(" / ") for before in found for way in sorted(turned)}
        found |= {f"{each}{star}{hops}" for each in found if star}
    return found


@lru_cache(maxsize=8)
def opposites(ontology: Ontology) -> Mapping[str, frozenset[str]]:
    """Direction -> the directions that lead back: by ``oam:opposite``, or because a step of the one is a step of the other
    turned round. A step that is its own inverse says nothing."""
    ways = ontology.directions
    forth = {name: set(branches(way.step)) for name, way in ways.items()}
    back = {name: set(branches(invert(way.step))) - forth[name] for name, way in ways.items()}
    found: dict[str, set[str]] = {name: set() for name in ways}
    for name, way in ways.items():
        for other, item in ways.items():
            if other != name and (back[name] & forth[other] or item.iri in way.opposite or way.iri in item.opposite):
                found[name].add(other)
                found[other].add(name)
    return {name: frozenset(others) for name, others in found.items()}
