"""From candidates to what is shown: text, scores, state, version, source. Reads, never reorders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.index.columns import Column
from oam_rdf.index.facet_table import BEGINNING
from oam_rdf.index.facets import micros
from oam_rdf.namespaces import OAM
from oam_rdf.query.answer import Result, Span
from oam_rdf.query.asof import status_then
from oam_rdf.query.generated import generated, sourced
from oam_rdf.query.source import source
from oam_rdf.query.spelling import Spelling
from oam_rdf.query.substitute import successors
from oam_rdf.query.times import iso_seconds
from oam_rdf.query.trace import Candidate, HistoricalText, State

SNIPPET = 280  # characters


def results(state: State) -> list[Result]:
    """The candidates of the window as results, positions from ``offset + 1``."""
    following = successors(state)
    status = status_then(state, following)
    context = _Context(state, following, status)
    return [context.result(candidate, position) for position, candidate in enumerate(state.candidates, 1)]


class _Context:
    def __init__(self, state: State, following: Mapping[int, list[int]], status: Column) -> None:
        self.state, self.following, self.status = state, following, status
        self.top = max((c.score for c in state.candidates), default=0.0)
        self.spelling = Spelling(str(state.step("lexical").get("query", state.plan.text)))

    def result(self, candidate: Candidate, position: int) -> Result:
        return self.of_evidence(candidate, position) if candidate.evidence else self.of_object(candidate, position)

    def of_evidence(self, candidate: Candidate, position: int) -> Result:
        """Evidence in place of the statements that have it: their standing is theirs, what is shown is its own."""
        item, found = candidate.evidence, self.of_object(candidate.holders[0], position)
        assert item is not None
        holders = [
            {
                "id": self.state.name(holder.row),
                "iri": self.state.snapshot.facets.iris[holder.row],
                "ranks": dict(holder.ranks),
                "matched": self.matched(holder),
            }
            for holder in candidate.holders
        ]
        return replace(
            found, id=item.id, iri=item.iri, title=item.reference, snippet=_snippet(item.reference, []), heading="",
            granularity="EVIDENCE_ARTIFACT" if item.artifact else "EXTERNAL_WORK", ranks={}, matched=(),
            epistemic_state="", verification="", version="", version_status="", source_status="", kind="", successors=(),
            substituted_for=(), conflict="", heads=(), graph_path=(), injected=False, duplicates=(), span=None, spans=(),
            source_available=False, named=False, evidence_of=tuple(holders), status_then=None,
            evidence={"kind": item.kind, "outcome": item.outcome, "reference": item.reference},
        )  # fmt: skip

    def of_object(self, candidate: Candidate, position: int) -> Result:
        state = self.state
        row, document = candidate.row, candidate.document
        text, span = self.text(candidate)
        if generated(state.snapshot)[row] and candidate.history is None:
            span = None  # its characters stand in no Original
        matched = self.matched(candidate)
        spans = self.spans(candidate)
        available = candidate.history is not None or (bool(sourced(state.snapshot)[row]) and self.readable(row))
        passage = candidate.passage
        history = candidate.history
        return Result(
            position=position + state.plan.form.offset,
            document=state.name(document) if document >= 0 else "",
            heading=history.heading if history else state.snapshot.passages.heading(passage) if passage >= 0 else "",
            group=state.groups[candidate.group] if candidate.group < len(state.groups) else "",
            snippet=_snippet(text, [str(item["text"] or item["term"]) for item in matched]),
            scores=self.scores(candidate, span, available),
            raw_scores=_raw(candidate, str(state.step("fuse").get("method", "convex"))),
            ranks=dict(candidate.ranks),
            matched=tuple(matched),
            successors=tuple(state.name(r) for r in self.successor_rows(row)),
            substituted_for=tuple(
                {
                    "id": state.name(s.old),
                    "path": [state.name(r) for r in s.path],
                    "ranks": dict(s.ranks),
                    "matched": self.spelling.shown(s.matched, {}),
                }
                for s in candidate.substitutions
            ),
            conflict=candidate.conflict,
            heads=tuple(state.name(r) for r in candidate.heads),
            graph_path=self.graph_path(candidate),
            injected=candidate.injected,
            duplicates=tuple(state.name(r) for r in candidate.duplicates),
            context=self.whole(candidate),
            source_available=available,
            span=span,
            named=row in state.ids.values(),
            spans=spans,
            evidence=None,
            evidence_of=(),
            status_then=self.since(candidate),
            historical={"version": history.identifier, "iri": history.iri, "until": history.until} if history else None,
            **self.kept(candidate, bool(spans)),
        )

    def status_of(self, candidate: Candidate, row: int) -> str:
        """The version status, under ``as_of`` that of then: what was superseded later was in force, whatever the source
        calls it today."""
        status, then = self.status[row], self.since(candidate)
        moment = self.state.plan.version.moment
        if status == "SUPERSEDED" and then is not None and moment is not None and then["since"]:
            return "ACTIVE" if micros(str(then["since"])) > moment else status
        return status

    def since(self, candidate: Candidate) -> dict[str, Any] | None:
        """Under ``as_of``: what has superseded the object, or what it is part of, and from when on; None if nothing has.

        ``now`` is the status today, ``since`` "" where no date is recorded.
        """
        state, row = self.state, candidate.row
        if state.plan.version.moment is None:
            return None
        snapshot, begins = state.snapshot, state.snapshot.begins
        for _ in range(64):
            if row < 0:
                return None
            if later := snapshot.successors.get(row):
                break
            row = int(snapshot.facets.parent[row])
        else:
            return None
        first = min(later, key=lambda r: (int(begins[r]) == BEGINNING, int(begins[r]), r))
        recorded = int(begins[first]) > BEGINNING
        return {
            "now": "SUPERSEDED",
            "by": state.name(first),
            "since": iso_seconds(int(begins[first])) if recorded else "",
        }

    def kept(self, candidate: Candidate, spans: bool) -> dict[str, str]:
        """What is recorded of the object; where its spans are the answer, they are what is shown."""
        if candidate.history:
            found = self.then(candidate, candidate.history)
        else:
            found = self.now(candidate.row, candidate.document)
            found["version_status"] = self.status_of(candidate, candidate.row)
        return {**found, "granularity": "SOURCE_SPAN"} if spans else found

    def matched(self, candidate: Candidate) -> list[dict[str, Any]]:
        """What matched, spelt as in the query and as it stands there."""
        snapshot, passage = self.state.snapshot, candidate.passage
        texts: dict[str, str] = {}
        if candidate.history:
            texts = {"body": candidate.history.text, "heading": candidate.history.heading}
        elif passage >= 0 and candidate.matched:
            texts = {
                "body": snapshot.text(passage),
                "heading": snapshot.passages.heading(passage),
                "title": snapshot.passages.title(passage),
                "id": self.state.name(candidate.document),
            }
        return self.spelling.shown(candidate.matched, texts)

    def spans(self, candidate: Candidate) -> tuple[dict[str, Any], ...]:
        """The exact spans of the object, where spans are asked for: place in the Original and the text that stands there."""
        if self.state.plan.form.granularity.upper() != "SOURCE_SPAN":
            return ()
        old = candidate.history
        if old is not None:
            return ({"original": old.original, "start": old.start, "end": old.end, "exact": old.text},)
        try:
            view = source(self.state.snapshot, self.state.snapshot.facets.iris[candidate.row], context=0)
        except (NotFound, Damaged) as error:
            self.state.snapshot.degraded.setdefault("originals", self.state.snapshot.told(str(error)))
            return ()
        return tuple(
            {
                "original": view.original,
                "start": quote.start,
                "end": quote.end,
                "exact": quote.exact,
                "line": quote.line,
            }
            for quote in view.quotes
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
                snapshot.degraded.setdefault("originals", snapshot.told(str(error)))
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
        """Ids and relations in turn, as in the paper's example (§10): the way of supersession, else that of the graph."""
        if candidate.substitutions:
            rows = candidate.substitutions[0].path
            relations: tuple[str, ...] = ("superseded_by",) * (len(rows) - 1)
        elif candidate.reach is not None:
            rows, relations = candidate.reach.rows, candidate.reach.relations
        else:
            return ()
        path = [self.state.name(rows[0])]
        for relation, row in zip(relations, rows[1:], strict=True):
            path += [relation, self.state.name(row)]
        return tuple(path)

    def scores(self, candidate: Candidate, span: Span | None, available: bool) -> dict[str, float]:
        """The score vector as the scoring stage left it; provenance as it turned out when the Original was opened."""
        scores = {name: round(value, 4) for name, value in candidate.parts.items() if name != "relevance"}
        scores["provenance"] = 1.0 if span and available else 0.5 if available else 0.0
        scores["fused"] = round(candidate.score / self.top, 4) if self.top else 0.0
        if candidate.parts:
            scores |= {
                "utility": round(candidate.utility, 4),
                "freshness": round(candidate.freshness, 4),
                "final": round(candidate.final, 4),
            }
        return scores

    def whole(self, candidate: Candidate) -> dict[str, Any]:
        """Fine to coarse (paper §14.2): conditions and exceptions, argument, section and document of what was found."""
        state, facets, snapshot = self.state, self.state.snapshot.facets, self.state.snapshot
        found: dict[str, Any] = {}
        row = candidate.row
        if candidate.history is not None:
            return {}
        for name, predicate in (("conditions", "hasCondition"), ("exceptions", "hasException")):
            quads = snapshot.store.quads_for_pattern(NamedNode(facets.iris[row]), NamedNode(OAM + predicate), None)
            rows = sorted({facets.row(str(getattr(quad.object, "value", ""))) for quad in quads})
            said = [{"id": state.name(r), "content": self.content(r)} for r in rows if r >= 0 and snapshot.visible[r]]
            if said:
                found[name] = said
        granularity, above = facets.column("granularity"), int(facets.parent[row])
        for _ in range(64):
            if above < 0 or not snapshot.visible[above]:
                break
            found.setdefault(granularity[above].lower(), {"id": state.name(above), "title": facets.titles[above]})
            above = int(facets.parent[above])
        return found


def _raw(candidate: Candidate, method: str) -> dict[str, float]:
    names = {"lexical": "sparse"}
    raw = {names.get(channel, channel): round(score, 6) for channel, score in candidate.scores.items()}
    return {**raw, method: round(candidate.score, 6)}


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
