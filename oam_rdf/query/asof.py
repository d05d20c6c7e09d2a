"""``as_of``: what the knowledge base said then (segmentation.md, "An edited Original").

Two meanings. *Recorded validity* is about versions: which were in force at the time (a mask, see ``constrain``).
*Commit time* is about edits of one document: what was committed after the time is masked out, and the text that was in
force then is searched in its place, from the history store, on demand. A time before the first commit of all can only
mean validity, because nothing was stored then; the trace says which meanings applied.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from pyoxigraph import NamedNode

from oam_rdf.index.columns import Column
from oam_rdf.index.facet_table import BEGINNING, END, effective
from oam_rdf.index.facets import micros
from oam_rdf.index.lexical import Match
from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.asked_status import note_statuses
from oam_rdf.query.history import HistoricalVersion, versions_of
from oam_rdf.query.old_text import bm25, passages_then
from oam_rdf.query.trace import Candidate, HistoricalText, ObjectThen, State
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import Segmenter

_LIVING = 200  # candidates from living texts that old ones are ranked among


def mask_edits(state: State) -> State:
    """Under ``as_of``: forbid documents committed later, remember which kept versions were in force instead."""
    moment = state.plan.version.moment
    if moment is None:
        return state
    state = note_statuses(state)
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
    """Search the texts that were in force at ``as_of`` and are not any more, among what was found in the others."""
    moment = state.plan.version.moment
    if moment is None or "commit time" not in state.step("as_of").get("meaning", ()):
        return state
    in_force = [v for v in versions_of(state.snapshot) if v.since <= moment < v.until]
    pieces: list[HistoricalText] = []
    for version in in_force:
        pieces += passages_then(state.snapshot, version, state.plan.form.granularity.upper())
    # One scale for old and living texts: ranks of BM25 over both, fused as if every channel had given that rank.
    living = [state.snapshot.text(c.passage) if c.passage >= 0 else "" for c in state.candidates[:_LIVING]]
    scores = bm25(state.plan.text, [piece.searched for piece in pieces] + living)
    order = sorted((-score, number) for number, score in enumerate(scores) if score > 0)
    ranks = {number: rank for rank, (_, number) in enumerate(order, 1)}
    named = _named(state, pieces, scores)
    best = [number for _, number in order if number < len(pieces)][: 2 * (state.plan.form.offset + state.plan.form.k)]
    words = _words(state)
    texts = {number: index_key(pieces[number].searched) for number in {*best, *named}}
    channels = {ranking.channel for ranking in state.rankings} & {"lexical", "dense"} or {"lexical"}
    weight = sum(getattr(state.plan.weights, channel) for channel in sorted(channels))
    candidates = []
    for number in dict.fromkeys([*named, *best]):
        piece, rank = pieces[number], ranks.get(number)
        score = weight / (state.plan.weights.rrf_k + rank) if rank else 0.0
        pin, shown = named.get(number, (0, piece))
        candidates.append(
            Candidate(
                document=_row(state, piece.document), row=_row(state, shown.object),
                ranks={"history": rank} if rank else {}, scores={"history": scores[number]},
                contributions={"history": score}, score=score, group=_group(state, piece), pin=pin, history=shown,
                matched=tuple(Match(word, "literal", ("body",)) for word in words if word in texts[number]),
            )
        )  # fmt: skip
    merged = sorted((*candidates, *state.candidates), key=lambda c: (-c.pin, c.group, -c.score))
    everything = index_key("\n".join(piece.searched for piece in pieces))
    return replace(state, candidates=tuple(merged)).note(
        "as_of",
        searched=[v.iri.rpartition("/")[2] for v in in_force],
        found=len(candidates),
        words=sorted({word for word in words if word in everything}),
    )


def in_force_then(state: State, document: int) -> HistoricalVersion | None:
    """The version of a document that was in force at ``as_of``, None if it is the present one."""
    moment = state.plan.version.moment
    if moment is None or "commit time" not in state.step("as_of").get("meaning", ()):
        return None
    return next((v for v in versions_of(state.snapshot, [document]) if v.since <= moment < v.until), None)


def status_then(state: State, following: Collection[int]) -> Column:
    """Version status of the living objects as it was at ``as_of``; ``following``: rows with a successor by then."""
    snapshot, facets, moment = state.snapshot, state.snapshot.facets, state.plan.version.moment
    superseded = np.array(sorted(following), dtype=np.int64)
    if moment is None:
        return snapshot.version_status
    late = np.asarray(facets.deprecated_at) < END
    late &= np.asarray(facets.deprecated_at) > moment / 1_000_000
    for quad in snapshot.store.quads_for_pattern(None, NamedNode(OAM + "sourceRemoved"), None):
        if micros(str(getattr(quad.object, "value", ""))) > moment:
            iri = str(getattr(quad.subject, "value", "")).removesuffix("/assertion").replace("/graph/", "/doc/")
            row = facets.row(iri)
            late |= np.asarray(facets.document) == row if row >= 0 else False
    recorded = facets.column("recorded_status")
    late &= recorded.mask(["DEPRECATED"])
    if not late.any():
        return facets.effective_status(superseded)
    # The mark of a removed source replaced what was recorded: the source's own word is what is left of it.
    known = Ontology.load().notations("version-status")
    values, codes = list(recorded.values), np.array(recorded.codes)
    for row in np.flatnonzero(late).tolist():
        word = facets.source_statuses[row].upper()
        name = word if word in known else "ACTIVE"
        if name not in values:
            values.append(name)
        codes[row] = values.index(name)
    return effective(Column(codes, values), superseded, facets.parent)


def _words(state: State) -> list[str]:
    """Index keys of the query's words, as the lexical channel took them where it ran."""
    if state.lexical is not None:
        return [term.key for term in state.lexical.terms]
    return [token.key for token in Segmenter(()).tokens(state.plan.text)]


def _row(state: State, item: ObjectThen) -> int:
    """A living row for what may be gone: its own, else its document's."""
    return item.row if item.row >= 0 else state.snapshot.facets.row(item.iri.partition("#")[0])


def _group(state: State, piece: HistoricalText) -> int:
    tag = piece.document.language.lower().partition("-")[0]
    return state.groups.index(tag) if tag in state.groups else len(state.groups)


def _named(
    state: State, pieces: list[HistoricalText], scores: list[float]
) -> dict[int, tuple[int, HistoricalText]]:
    """Pieces that stand for objects which the query names by id, with their pins."""
    found: dict[int, tuple[int, HistoricalText]] = {}
    for number, row in enumerate(dict.fromkeys(state.ids.values())):
        mine = [at for at, piece in enumerate(pieces) if piece.object.row == row]
        whole = [at for at, piece in enumerate(pieces) if piece.document.row == row]
        if mine or whole:
            at = max(mine or whole, key=lambda at: (scores[at], -at))
            shown = pieces[at] if mine else replace(pieces[at], object=pieces[at].document)
            found.setdefault(at, (2 + len(state.ids) - number, shown))
    return found
