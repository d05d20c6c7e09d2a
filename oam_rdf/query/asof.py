"""``as_of``: what the knowledge base said then (segmentation.md, "An edited Original").

Two meanings. *Recorded validity* is about versions: which were in force at the time (a mask, see ``constrain``).
*Commit time* is about edits of one document: what was committed after the time is masked out, and the text that was in
force then is searched in its place, from the history store, on demand. A time before the first commit of all can only
mean validity, because nothing was stored then; the trace says which meanings applied.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from pyoxigraph import NamedNode, Store

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.index.facet_table import BEGINNING
from oam_rdf.index.facets import micros
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import OAM, PROV, SCHEMES
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import Candidate, HistoricalText, State
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import Segmenter, bigrams
from oam_rdf.text.statements import statements

_PIECE = 600  # characters of the runs of statements that are ranked


@dataclass(frozen=True, slots=True)
class HistoricalVersion:
    """A document as it was between two commits. Times are microseconds since 1970 UTC."""

    iri: str
    document: int
    original: str
    since: int
    until: int

    @property
    def mark(self) -> str:
        """What tells it from the live document: ``DOC@mark``."""
        return self.iri.rpartition("@")[2]


def versions_of(snapshot: Snapshot, documents: Iterable[int] | None = None) -> list[HistoricalVersion]:
    """Kept versions of the visible documents (or of some), sorted by document and time."""
    store = snapshot.history
    if store is None:
        return []
    property_, found = NamedNode(OAM + "versionOf"), []
    if documents is None:
        quads = list(store.quads_for_pattern(None, property_, None))
    else:
        iris = [NamedNode(snapshot.facets.iris[row]) for row in documents]
        quads = [quad for iri in iris for quad in store.quads_for_pattern(None, property_, iri)]
    for quad in quads:
        row = snapshot.facets.row(str(getattr(quad.object, "value", "")))
        copy = quad.subject
        if row < 0 or not snapshot.visible[row] or int(snapshot.facets.document[row]) != row:
            continue
        # An old text is whole: where this clearance may not see all of the document, it may not see that.
        if not snapshot.visible[np.asarray(snapshot.facets.document) == row].all():
            continue
        if isinstance(copy, NamedNode) and _level(store, copy) <= VISIBILITIES.index(snapshot.clearance):
            original = _value(store, copy, PROV + "wasDerivedFrom").rpartition("sha256-")[2]
            since, until = (micros(_value(store, copy, OAM + name)) for name in ("committedFrom", "committedUntil"))
            found.append(HistoricalVersion(copy.value, row, original, since, until))
    return sorted(found, key=lambda version: (version.document, version.since, version.iri))


def mask_edits(state: State) -> State:
    """Under ``as_of``: forbid documents committed later, remember which kept versions were in force instead."""
    moment = state.plan.version.moment
    if moment is None:
        return state
    snapshot, facets = state.snapshot, state.snapshot.facets
    committed = np.asarray(facets.committed)
    kept = versions_of(snapshot)
    known = [int(time) for time in committed[snapshot.visible & (committed > BEGINNING)]]
    first = min([*known, *(version.since for version in kept)], default=None)
    if first is None or moment < first:
        return state.note("as_of", meaning=["validity"], reason="the time lies before the first commit")
    document = np.maximum(facets.document, 0)
    late = np.where(facets.document >= 0, committed[document] > moment, committed > moment)
    allowed = state.allowed & ~late
    shown = snapshot.passage_document
    passages = state.passages & ~late[np.maximum(shown, 0)]
    blocked = {**state.blocked, "committed later": snapshot.visible & late} if late.any() else state.blocked
    state = replace(state, allowed=allowed, passages=passages, blocked=blocked)
    return state.note(
        "as_of", meaning=["validity", "commit time"], committed_later=int((late & snapshot.visible).sum())
    )


def recall_edits(state: State) -> State:
    """Search the texts that were in force at ``as_of`` and are not any more; their candidates come first."""
    moment = state.plan.version.moment
    if moment is None or "commit time" not in state.step("as_of").get("meaning", ()):
        return state
    in_force = [v for v in versions_of(state.snapshot) if v.since <= moment < v.until]
    pieces: list[HistoricalText] = []
    owners: list[int] = []
    for version in in_force:
        for piece in _pieces(state.snapshot, version):
            pieces.append(piece)
            owners.append(version.document)
    scores = bm25(state.plan.text, [piece.text for piece in pieces])
    best = sorted((-score, number) for number, score in enumerate(scores) if score > 0)[: state.plan.form.k * 2]
    candidates = [
        Candidate(document=owners[number], row=owners[number], ranks={"history": rank}, scores={"history": -score},
                  contributions={"history": 1 / (state.plan.weights.rrf_k + rank)},
                  score=1 / (state.plan.weights.rrf_k + rank), history=pieces[number])
        for rank, (score, number) in enumerate(best, 1)
    ]  # fmt: skip
    allowed = state.allowed.copy()
    allowed[[version.document for version in in_force]] = True
    state = replace(state, candidates=(*candidates, *state.candidates), allowed=allowed)
    return state.note("as_of", searched=[v.iri.rpartition("/")[2] for v in in_force], found=len(candidates))


def bm25(query: str, texts: list[str], k1: float = 1.2, b: float = 0.75) -> list[float]:
    """BM25 of each text, by words and Han pairs, over these texts alone."""
    segmenter = Segmenter(())

    def terms(text: str) -> list[str]:
        words = [token.key for token in segmenter.tokens(text) if token.kind != "han"]
        return words + list(bigrams(index_key(text)))

    bags = [Counter(terms(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    scores = [0.0] * len(texts)
    for term in set(terms(query)):
        df = sum(1 for bag in bags if term in bag)
        if not df:
            continue
        idf = math.log(1 + len(texts) / df)
        for number, bag in enumerate(bags):
            tf = bag[term]
            scores[number] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[number] / (mean or 1.0)))
    return scores


def _pieces(snapshot: Snapshot, version: HistoricalVersion) -> list[HistoricalText]:
    try:
        text = snapshot.original(version.original)
    except (NotFound, Damaged) as error:
        snapshot.degraded.setdefault("history", str(error))
        return []
    name = f"{snapshot.facets.identifiers[version.document]}@{version.mark}"
    found: list[HistoricalText] = []
    start = end = -1
    for span in [*statements(text, 0, len(text)), None]:
        if span is None or (start >= 0 and span.end - start > _PIECE):
            if start >= 0:
                until = _iso(version.until)
                found.append(HistoricalText(name, version.iri, version.original, start, end, text[start:end], until))
            start = -1
        if span is not None:
            start, end = (span.start if start < 0 else start), span.end
    return found


def _iso(moment: int) -> str:
    return str(np.datetime64(moment, "us")) + "Z"


def _value(store: Store, subject: NamedNode, predicate: str) -> str:
    values = sorted(
        str(getattr(q.object, "value", "")) for q in store.quads_for_pattern(subject, NamedNode(predicate), None)
    )
    return values[0] if values else ""


def _level(store: Store, copy: NamedNode) -> int:
    name = _value(store, copy, OAM + "visibility").removeprefix(SCHEMES["visibility"])
    return VISIBILITIES.index(name) if name in VISIBILITIES else 0
