"""What every stage did, and the state that stages hand on.

A stage is ``State -> State``. The trace is append-only; certificate and explanation are made from it and from nothing
else (decision D13). Stages call no other stage, only what others offer beside it, so that any of them can be left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from oam_rdf.index.columns import Array
from oam_rdf.index.lexical_result import LexicalResult, Match
from oam_rdf.query.plan import Plan
from oam_rdf.query.snapshot import Snapshot

# How far a condition is relaxed (decision D8): only reliable tags count against an object; operators are widened; it only
# prefers.
RELIABLE_ONLY, WIDENED, SOFT = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the trace: which stage, what it recorded."""

    stage: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Substitution:
    """What was found (``old``) and the way to its head: rows of the chain, both ends included (decision D10).

    ``ranks`` and ``matched`` are those of the hit: they say why the head is here.
    """

    old: int
    path: tuple[int, ...]
    ranks: Mapping[str, int] = field(default_factory=dict)
    matched: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class Reach:
    """How the graph led to an object: ``rows`` from the start to the object, the relation (``^`` = against its arrow) and
    the confidence of every edge between them. ``score`` is their product × 0.8^hops, in (0, 1]."""

    rows: tuple[int, ...]
    relations: tuple[str, ...]
    confidences: tuple[float, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a statement has as evidence: kind and outcome as notations, ``reference`` as the source cites it ("" if it does
    not say), ``artifact``: an object of its own rather than a work that is cited."""

    iri: str
    id: str
    kind: str
    outcome: str
    reference: str
    artifact: bool


@dataclass(slots=True)
class Candidate:
    """Something that may become a result. No stage changes one: it makes another by :func:`dataclasses.replace`. Not frozen
    because a search makes hundreds, and to freeze one takes four times as long as to make it.

    ``row`` is the object's row in the facets (-1 until :mod:`search` has chosen one), ``document`` its document's row,
    ``passage`` the row of its best passage (-1 = none). ``ranks`` count from 1 within the candidate's language group,
    ``scores`` are the channels' raw scores, ``contributions`` what each channel added to ``score`` (RRF).
    ``group`` is the language group, 0 first. ``pin`` > 0 puts it before all that are not pinned: an exact id, or a
    passage that decision D22 pins. ``reach`` is the way of the graph to it, ``injected`` that expansion brought it.
    ``parts`` is its score vector (paper §5, each in [0, 1]), ``utility`` and ``freshness`` what :mod:`score` made of it,
    ``final`` the number it is ordered by. ``duplicates`` are rows that say the same and were folded into it.
    ``evidence`` is shown in place of the statements ``holders`` that have it.
    """

    document: int
    passage: int = -1
    row: int = -1
    ranks: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0
    group: int = 0
    pin: int = 0
    matched: tuple[Match, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    conflict: str = ""  # "", fork or cycle
    heads: tuple[int, ...] = ()
    history: HistoricalText | None = None
    reach: Reach | None = None
    injected: bool = False
    parts: Mapping[str, float] = field(default_factory=dict)
    utility: float = 0.0
    freshness: float = 1.0
    final: float = 0.0
    duplicates: tuple[int, ...] = ()
    evidence: Evidence | None = None
    holders: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectThen:
    """An object of an earlier text: ``iri`` and ``row`` are the live object's (row -1 = it is gone), ``start`` and ``end``
    its place in the Original of then, the rest what was said of it; ``begins`` and ``ends`` are dates or ""."""

    identifier: str
    iri: str
    row: int
    granularity: str
    title: str
    start: int
    end: int
    language: str = ""
    state: str = ""
    verification: str = ""
    kind: str = ""
    status: str = ""
    source_status: str = ""
    version: str = ""
    visibility: str = ""
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class HistoricalText:
    """A passage of an edited document as it was: ``identifier`` is ``DOC@hash``, offsets point into that Original.

    ``document`` is the document as it was then, ``object`` what the passage stands for: a statement, its section or the
    document.
    """

    identifier: str
    iri: str
    original: str
    start: int
    end: int
    text: str
    until: str
    document: ObjectThen
    object: ObjectThen
    heading: str = ""

    @property
    def key(self) -> str:
        """What tells its object from all others."""
        return f"{self.identifier} {self.object.identifier}"

    @property
    def searched(self) -> str:
        """Everything that a query may meet."""
        names = (self.document.identifier, self.document.title, self.object.identifier, self.heading)
        return "\n".join((*dict.fromkeys(names), self.text))


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one channel found in one language group: passage rows, best first, and raw scores."""

    channel: str
    group: int
    rows: Array
    scores: Array


@dataclass(frozen=True, slots=True)
class State:
    """Everything between two stages.

    ``allowed``: ``bool[objects]`` that the hard constraints admit, ``passages``: the same over passages;
    ``blocked``: constraint -> ``bool[objects]`` that it removes (access is never among them, decision D16).
    """

    plan: Plan
    snapshot: Snapshot
    allowed: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    passages: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    blocked: Mapping[str, Array] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)  # id as written -> object row
    groups: tuple[str, ...] = ()  # languages, the one asked for first
    rankings: tuple[Ranking, ...] = ()
    lexical: LexicalResult | None = None  # over all languages, for what matched where
    candidates: tuple[Candidate, ...] = ()
    excluded: tuple[Mapping[str, Any], ...] = ()
    reached: Mapping[int, Reach] = field(default_factory=dict)  # object row -> best way of the graph to it
    reached_at: Mapping[int, int] = field(default_factory=dict)  # object row -> passage that stands for it
    relaxations: tuple[Mapping[str, Any], ...] = ()  # decision D8, in the order they were made
    relaxed: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (part of the plan, value) -> how far
    steps: tuple[Step, ...] = ()

    def note(self, stage: str, **data: Any) -> State:
        """The state with one more trace entry."""
        return replace(self, steps=(*self.steps, Step(stage, data)))

    @property
    def degraded(self) -> dict[str, str]:
        """What was off in this search, with the reason: the snapshot's channels, and the reranker that it alone named."""
        failed = self.step("rerank").get("failed")
        return {**self.snapshot.degraded, **({"rerank": failed} if failed else {})}

    def step(self, stage: str) -> Mapping[str, Any]:
        """Everything that a stage noted, later entries over earlier ones; empty if it did not run."""
        merged: dict[str, Any] = {}
        for step in self.steps:
            if step.stage == stage:
                merged.update(step.data)
        return merged

    def ran(self, stage: str) -> bool:
        return any(step.stage == stage for step in self.steps)

    def matches(self, passages: Sequence[int]) -> dict[int, tuple[Match, ...]]:
        """How the query's terms occur in each of the passages; ask for many at once."""
        index, wanted = self.snapshot.lexical, list(dict.fromkeys(passages))
        if index is None or self.lexical is None:
            return dict.fromkeys(wanted, ())
        there = [passage for passage in wanted if passage >= 0]
        return {**dict.fromkeys(wanted, ()), **dict(zip(there, index.matches(there, self.lexical), strict=True))}

    def name(self, row: int) -> str:
        """Identifier of an object."""
        return self.snapshot.facets.identifiers[row] if row >= 0 else ""
