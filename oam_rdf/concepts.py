"""What the vocabulary's rows become: concepts, directions and relation types, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oam_rdf.paths import Path

# BCP-47 as people write it -> the three languages that every label has.
_LANGUAGES = {
    "en": "en",
    "zh-hant": "zh-Hant",
    "zh-hans": "zh-Hans",
    "zh-tw": "zh-Hant",
    "zh-hk": "zh-Hant",
    "zh-mo": "zh-Hant",
    "zh-cn": "zh-Hans",
    "zh-sg": "zh-Hans",
    "zh": "zh-Hant",
}


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that points to a concept: one of its labels in ``language``; ``hidden`` ones are never shown."""

    phrase: str
    language: str
    scheme: str
    notation: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Concept:
    """A row of a scheme. ``broader`` holds IRIs, ``aliases`` other spellings that are accepted for the notation."""

    iri: str
    scheme: str
    notation: str
    labels: Mapping[str, str]
    definitions: Mapping[str, str]
    broader: frozenset[str]
    related: frozenset[str]
    aliases: tuple[str, ...]
    cues: tuple[Cue, ...]
    rank: int  # position in an ordered scheme (visibility), else 0
    classes: frozenset[str]  # classes of this vocabulary that it belongs to, such as oam:EpistemicState


@dataclass(frozen=True, slots=True)
class Direction:
    """A navigation direction (paper §3, decision D1): ``step`` is one hop, repeated by the walker.

    ``order`` is ``near`` (nearest first), ``head`` (only the ends of the chain), ``stronger``/``weaker`` (only objects
    whose state or verification is so in the partial order) or ``rigorous`` (stronger, or a more formal role).
    ``target`` holds IRIs of classes, roles or operators, one of which an arrival must carry (empty = any object);
    ``last`` is the hop that an arrival must have come by, if not any. ``opposite`` holds IRIs of directions that lead back;
    ``related`` IRIs of concepts that mean what the direction looks for; ``barred`` IRIs of classes, roles or operators, none
    of which an arrival may carry. ``hop`` is the step as it is walked: a property that stands for all relations, and has no
    edges of its own, is written out.
    """

    notation: str
    iri: str
    step: Path
    order: str
    target: frozenset[str]
    last: Path | None
    labels: Mapping[str, str]
    cues: tuple[Cue, ...]
    canonical: bool  # one of the paper's sixteen
    opposite: frozenset[str] = frozenset()
    related: frozenset[str] = frozenset()
    spread: Path | None = None
    barred: frozenset[str] = frozenset()

    @property
    def hop(self) -> Path:
        return self.spread or self.step

    @property
    def broad(self) -> bool:
        """Whether a hop is any relation at all, so that a walk soon meets everything."""
        return self.hop != self.step


@dataclass(frozen=True, slots=True)
class RelationType:
    """A relation by one of its snake_case names.

    ``inverse`` is True when the name reads the edge backwards (``superseded_by``). ``super_properties`` is the closure
    within this vocabulary (what decision D18 materialises), ``external`` the closure outside it (CiTO, DCTERMS, PROV).
    ``propagates`` is "" or the way invalidation travels (decision D9): ``backward`` or ``forward`` along the edge.
    """

    name: str
    iri: str
    inverse: bool
    symmetric: bool
    propagates: str
    super_properties: frozenset[str]
    external: frozenset[str]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Transition:
    """An allowed change of epistemic state (``ontology/transitions.ttl``); all values are notations.

    ``evidence`` lists kinds of which ``runs`` pieces with ``outcome`` are needed, ``relations`` names relations that may
    stand in their place, ``agent`` is the role of the person who must answer for it ("" = none).
    """

    source: str
    target: str
    evidence: frozenset[str]
    outcome: str
    runs: int
    relations: frozenset[str]
    agent: str


def language(tag: str) -> str:
    """``en``, ``zh-Hant`` or ``zh-Hans`` for a BCP-47 tag in any case (Oxigraph lower-cases them); others unchanged."""
    return _LANGUAGES.get(tag.lower(), tag)
