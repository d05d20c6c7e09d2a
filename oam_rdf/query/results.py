"""From candidates to what is shown: text, scores, state, version, source. Reads, never reorders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.index.columns import Column
from oam_rdf.index.lexical import Match
from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.answer import Result, Span
from oam_rdf.query.asof import status_then
from oam_rdf.query.constrain import with_narrower
from oam_rdf.query.substitute import successors
from oam_rdf.query.trace import Candidate, HistoricalText, State

SNIPPET = 280  # characters


def results(state: State) -> list[Result]:
    """The candidates of the window as results, positions from ``offset + 1``."""
    following = successors(state)
    status = status_then(state, following)
    preferred = [entry.value for entry in state.plan.epistemic.prefer]
    context = _Context(state, following, status, with_narrower("epistemic-state", preferred) if preferred else set())
    return [context.result(candidate, position) for position, candidate in enumerate(state.candidates, 1)]


class _Context:
    def __init__(self, state: State, following: Mapping[int, list[int]], status: Column, preferred: set[str]) -> None:
        self.state, self.following, self.status, self.preferred = state, following, status, preferred
        self.best = {(r.channel, r.group): float(r.scores[0]) for r in state.rankings if len(r.scores)}
        self.top = max((c.score for c in state.candidates), default=0.0)

    def result(self, candidate: Candidate, position: int) -> Result:
        state, facets = self.state, self.state.snapshot.facets
        row, document = candidate.row, candidate.document
        text, span = self.text(candidate)
        available = candidate.history is not None or (bool(facets.has_original[row]) and self.readable(row))
        passage = candidate.passage
        history = candidate.history
        return Result(
            position=position + state.plan.form.offset,
            document=state.name(document) if document >= 0 else "",
            heading=history.heading if history else state.snapshot.passages.heading(passage) if passage >= 0 else "",
            group=state.groups[candidate.group] if candidate.group < len(state.groups) else "",
            snippet=_snippet(text, [match.term for match in candidate.matched]),
            scores=self.scores(candidate, span, available),
            raw_scores=_raw(candidate),
            ranks=dict(candidate.ranks),
            matched=tuple(_matched(candidate.matched)),
            successors=tuple(state.name(r) for r in self.successor_rows(row)),
            substituted_for=tuple(
                {
                    "id": state.name(s.old),
                    "path": [state.name(r) for r in s.path],
                    "ranks": dict(s.ranks),
                    "matched": _matched(s.matched),
                }
                for s in candidate.substitutions
            ),
            conflict=candidate.conflict,
            heads=tuple(state.name(r) for r in candidate.heads),
            graph_path=self.graph_path(candidate),
            source_available=available,
            span=span,
            named=row in state.ids.values(),
            historical={"version": history.identifier, "iri": history.iri, "until": history.until} if history else None,
            **(self.then(candidate, history) if history else self.now(row, document)),
        )

    def now(self, row: int, document: int) -> dict[str, str]:
        """What is recorded of a living object, or of its document where it says nothing itself."""
        facets = self.state.snapshot.facets
        said = {name: facets.column(name)[row] for name in ("granularity", "language", "epistemic_state", "visibility")}
        return {
            **said,
            "id": facets.identifiers[row] or facets.iris[row],
            "iri": facets.iris[row],
            "title": facets.titles[row] or (facets.titles[document] if document >= 0 else ""),
            "verification": facets.column("verification")[row] or ("NOT_TESTED" if said["epistemic_state"] else ""),
            "version": facets.versions[row] or (facets.versions[document] if document >= 0 else ""),
            "version_status": self.status[row],
            "source_status": facets.source_statuses[row] or (facets.source_statuses[document] if document >= 0 else ""),
            "kind": facets.column("kind")[row],
        }

    def then(self, candidate: Candidate, old: HistoricalText) -> dict[str, str]:
        """What was recorded of an object of an old text."""
        item, document = old.object, old.document
        superseded = "SUPERSEDED" if self.successor_rows(candidate.row) else ""
        return {
            "id": item.identifier,
            "iri": item.iri,
            "granularity": item.granularity,
            "title": item.title or document.title,
            "language": item.language,
            "epistemic_state": item.state,
            "verification": item.verification or ("NOT_TESTED" if item.state else ""),
            "version": item.version or document.version,
            "version_status": superseded or item.status or document.status or "ACTIVE",
            "source_status": item.source_status or document.source_status,
            "kind": item.kind,
            "visibility": item.visibility,
        }

    def text(self, candidate: Candidate) -> tuple[str, Span | None]:
        """What is shown of the candidate, and where it stands."""
        snapshot, row = self.state.snapshot, candidate.row
        if candidate.history:
            old = candidate.history
            return old.text, Span(old.original, old.start, old.end)
        original = snapshot.original_of(row)
        spans = snapshot.spans_of(row)
        passage = candidate.passage
        coarse = snapshot.facets.column("granularity")[row] in ("DOCUMENT", "SECTION")
        if spans and not coarse and original:
            start, end = spans[0]
            try:
                return snapshot.original(original)[start:end], Span(original, start, end)
            except (NotFound, Damaged) as error:
                snapshot.degraded.setdefault("originals", str(error))
        if passage >= 0:
            start, end = int(snapshot.passages.start[passage]), int(snapshot.passages.end[passage])
            return snapshot.text(passage), Span(original, start, end) if start >= 0 and original else None
        return self.content(row), None

    def content(self, row: int) -> str:
        subject, predicate = NamedNode(self.state.snapshot.facets.iris[row]), NamedNode(OAM + "content")
        quads = self.state.snapshot.store.quads_for_pattern(subject, predicate, None)
        return next((quad.object.value for quad in quads if isinstance(quad.object, Literal)), "")

    def readable(self, row: int) -> bool:
        try:
            return bool(self.state.snapshot.original(self.state.snapshot.original_of(row)))
        except (NotFound, Damaged):
            return False

    def successor_rows(self, row: int) -> list[int]:
        """Direct successors of the object, or of what it is part of."""
        for _ in range(64):
            if row < 0:
                return []
            if row in self.following:
                return sorted(self.following[row])
            row = int(self.state.snapshot.facets.parent[row])
        return []

    def graph_path(self, candidate: Candidate) -> tuple[str, ...]:
        """Ids and relations in turn, as in the paper's example (§10)."""
        if not candidate.substitutions:
            return ()
        path: list[str] = []
        for row in candidate.substitutions[0].path:
            path += [self.state.name(row)] if not path else ["superseded_by", self.state.name(row)]
        return tuple(path)

    def scores(self, candidate: Candidate, span: Span | None, available: bool) -> dict[str, float]:
        plan, old = self.state.plan, candidate.history
        state = old.object.state if old else self.state.snapshot.facets.column("epistemic_state")[candidate.row]
        scores: dict[str, float] = {}
        for channel, name in (("lexical", "sparse"), ("dense", "dense")):
            best = self.best.get((channel, candidate.group), 0.0)
            if channel in candidate.scores and best > 0:
                scores[name] = round(max(0.0, min(1.0, candidate.scores[channel] / best)), 4)
        if candidate.substitutions:
            scores["graph"] = round(0.8 ** (len(candidate.substitutions[0].path) - 1), 4)
        scores["provenance"] = 1.0 if span and available else 0.5 if available else 0.0
        if self.preferred:
            scores["epistemic"] = _epistemic(state, self.preferred)
        asked = plan.version.mode.value == "history" or bool(plan.version.as_of)
        scores["version"] = 1.0 if asked or self.status[candidate.row] == "ACTIVE" else 0.0
        scores["fused"] = round(candidate.score / self.top, 4) if self.top else 0.0
        return scores


def _raw(candidate: Candidate) -> dict[str, float]:
    names = {"lexical": "sparse"}
    raw = {names.get(channel, channel): round(score, 6) for channel, score in candidate.scores.items()}
    return {**raw, "rrf": round(candidate.score, 6)}


def _matched(matches: tuple[Match, ...]) -> list[dict[str, Any]]:
    return [{"term": m.term, "how": m.how, "fields": list(m.fields)} for m in matches]


def _epistemic(state: str, preferred: set[str]) -> float:
    """Decision D5: 1 the preference is met, 0.5 incomparable, 0 weaker than all that is preferred."""
    ontology = Ontology.load()
    if state in preferred or any(ontology.weaker_than(wanted, state) for wanted in preferred):
        return 1.0
    return 0.0 if any(ontology.weaker_than(state, wanted) for wanted in preferred) else 0.5


def _snippet(text: str, terms: list[str]) -> str:
    """At most :data:`SNIPPET` characters, from a little before the first term on."""
    text = text.strip()
    if len(text) <= SNIPPET:
        return text
    folded = text.casefold()
    found = [at for at in (folded.find(term.casefold()) for term in terms) if at >= 0]
    start = max(0, min(found, default=0) - 60)
    start = min(start, len(text) - SNIPPET)
    return ("…" if start else "") + text[start : start + SNIPPET] + ("…" if start + SNIPPET < len(text) else "")

