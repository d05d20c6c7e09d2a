"""Near duplicates are shown once (retrieval.md, "Fusion and scores"): the best stays, the others are listed with it.

Two candidates say the same if their texts are equal as index keys, or if an accepted relation of the ontology's property
for "same claim" joins them. What the query names by id is never folded into anything else, and versions, states and
visibility must agree: a refuted copy is no duplicate of an unrefuted one.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

from oam_rdf.namespaces import OAM
from oam_rdf.query.pairs import NOWHERE, pairs
from oam_rdf.query.trace import Candidate, State
from oam_rdf.text.normalise import index_key

_SAME = OAM + "sameClaimAs"
_SHORTEST = 12  # characters of a text that can be a duplicate: headings and labels recur rightly
_STANDING = ("granularity", "epistemic_state", "verification")


def collapse(state: State) -> State:
    """Fold later candidates into an earlier one that says the same."""
    kept: list[Candidate] = []
    where: dict[object, int] = {}
    folded: list[dict[str, str]] = []
    for candidate in state.candidates:
        keys = _keys(state, candidate)
        place = next((where[key] for key in keys if key in where), None)
        if place is None or candidate.pin > 1 or candidate.history is not None:
            for key in keys:
                where.setdefault(key, len(kept))
            kept.append(candidate)
            continue
        first = kept[place]
        kept[place] = replace(first, duplicates=(*first.duplicates, candidate.row))
        folded.append({"id": state.name(candidate.row), "into": state.name(first.row)})
    return replace(state, candidates=tuple(kept)).note("collapse", folded=folded)


def _keys(state: State, candidate: Candidate) -> list[object]:
    """What equals for duplicates: a digest of text and standing, and the ends of "same claim" relations."""
    snapshot, row = state.snapshot, candidate.row
    if candidate.history is not None or row < 0:
        return []
    standing = _standing(state, row)
    keys: list[object] = []
    text = _text(state, candidate)
    if len(text) >= _SHORTEST:
        keys.append((blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), standing))
    same = [r for r in pairs(snapshot, _SAME, both=True).get(row, ()) if r not in (NOWHERE, row)]
    agree = [r for r in same if standing[1:] == _standing(state, r)[1:]]
    keys += [("claim", min(row, r), max(row, r)) for r in agree]
    return keys


def _standing(state: State, row: int) -> tuple[str, ...]:
    facets = state.snapshot.facets
    return (*(facets.column(name)[row] for name in _STANDING), state.snapshot.version_status[row])


def _text(state: State, candidate: Candidate) -> str:
    """The object's own text as an index key; a document is its whole Original, known by its hash."""
    snapshot, row = state.snapshot, candidate.row
    original = snapshot.original_of(row)
    if row == candidate.document and original:
        return original
    spans = snapshot.spans_of(row)
    if spans and candidate.passage >= 0 and original:
        start, end = int(snapshot.passages.start[candidate.passage]), int(snapshot.passages.end[candidate.passage])
        text = snapshot.text(candidate.passage)
        own = [text[max(0, a - start) : b - start] for a, b in spans if a < end and b > start]
        return f"{index_key(' '.join(own))}|{sum(b - a for a, b in spans)}" if own else ""
    return index_key(snapshot.passages.inline_text(candidate.passage)) if candidate.passage >= 0 else ""
