"""What a search gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from oam_rdf.query.explain import explain


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start:end`` (code points) of the Original with that SHA-256."""

    original: str
    start: int
    end: int

    def to_json(self) -> dict[str, Any]:
        return {"original": self.original, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class Result:
    """One object of an answer.

    ``scores`` are normalised to [0, 1] (``sparse``, ``dense``: by the channel's best in this answer; ``fused``: by the
    best fused score; ``provenance`` 1 span, 0.5 document only, 0 none; ``epistemic`` decision D5; ``version`` 1 active
    or as asked, 0.5 unknown, 0 otherwise). ``raw_scores`` are what the channels gave, and under ``convex`` or ``rrf``
    what fusion made of them (``rrf`` is small by nature: 1/61 is a first rank). ``ranks`` count from 1 within the
    language group. ``span`` is what is shown, ``spans`` all of the object's with their text, where spans are asked for.
    ``status_then``: under ``as_of``, what has superseded the object and since when.
    ``evidence`` (kind, outcome, reference) and ``evidence_of`` (the statements that have it, with their ranks) are of
    evidence, where that is asked for. ``injected``: expansion over the graph brought it. ``duplicates`` say the same and are
    not shown. ``context``: conditions, exceptions, argument, section and document that the object stands in.
    """

    position: int
    id: str
    iri: str
    document: str
    granularity: str
    title: str
    heading: str
    language: str
    group: str
    snippet: str
    scores: Mapping[str, float]
    raw_scores: Mapping[str, float]
    ranks: Mapping[str, int]
    matched: tuple[Mapping[str, Any], ...]
    epistemic_state: str
    verification: str
    version: str
    version_status: str
    source_status: str
    kind: str
    visibility: str
    successors: tuple[str, ...]
    substituted_for: tuple[Mapping[str, Any], ...]
    conflict: str
    heads: tuple[str, ...]
    graph_path: tuple[str, ...]
    source_available: bool
    span: Span | None
    named: bool = False
    injected: bool = False
    duplicates: tuple[str, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    historical: Mapping[str, str] | None = None
    spans: tuple[Mapping[str, Any], ...] = ()
    evidence: Mapping[str, str] | None = None
    evidence_of: tuple[Mapping[str, Any], ...] = ()
    status_then: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Span):
                value = value.to_json()
            elif isinstance(value, tuple):
                value = [dict(part) if isinstance(part, Mapping) else part for part in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            data[item.name] = value
        data["document_id"] = self.document  # the paper's key (§10)
        return data


@dataclass(frozen=True, slots=True)
class Answer:
    """Results with the verdict of the gate and the certificate that says how they came about.

    ``total`` counts the candidates before the window was cut; ``degraded`` names channels that were off or
    incomplete and why.
    """

    retrieval_id: str
    query: str
    verdict: str
    verdicts: tuple[Mapping[str, Any], ...]
    results: tuple[Result, ...]
    total: int
    offset: int
    degraded: Mapping[str, str]
    certificate: Mapping[str, Any] = field(repr=False)

    def explanation(self, language: str = "en") -> list[dict[str, str]]:
        """Sentences from the certificate, each with the field it was made from (decision D13)."""
        return explain(self.certificate, language)

    @property
    def layout(self) -> Mapping[str, Any]:
        """The results in the shape that was asked for (see :mod:`oam_rdf.query.layout`), empty for a list."""
        found: Mapping[str, Any] = self.certificate.get("layout", {})
        return found

    def to_json(self, *, certificate: bool = False) -> dict[str, Any]:
        data: dict[str, Any] = {
            "retrieval_id": self.retrieval_id,
            "query": self.query,
            "verdict": self.verdict,
            "verdicts": [dict(item) for item in self.verdicts],
            "total": self.total,
            "offset": self.offset,
            "degraded": dict(self.degraded),
            "coverage": self.certificate["coverage"],
            "generation": self.certificate["generation"],
            "revision": self.certificate["revision"],
            "clearance": self.certificate["clearance"],
            "route": list(self.certificate["route"]),
            "results": [result.to_json() for result in self.results],
        }
        if self.layout:
            data["layout"] = dict(self.layout)
        if certificate:
            data["certificate"] = dict(self.certificate)
        return data
