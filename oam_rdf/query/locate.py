"""From passages to objects: the finest granularity that answers (retrieval.md, "Granularity").

A statement inside the best passage where it carries what matched, else the passage's section, else its document. One
candidate per object: the best; the others are counted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oam_rdf.index.lexical import Match
from oam_rdf.query.constrain import with_narrower
from oam_rdf.query.evidence import ASKED
from oam_rdf.query.trace import WIDENED, Candidate, State
from oam_rdf.query.widen import widened
from oam_rdf.text.normalise import index_key

_SPARE = 30  # objects located beyond the window, for what later stages remove


def locate(state: State) -> State:
    """Give every candidate its object ``row`` until enough distinct ones are found; drop the rest."""
    enough = state.plan.form.offset + state.plan.form.k + _SPARE
    found: dict[tuple[int, str], Candidate] = {}
    folded = 0
    matched: dict[int, tuple[Match, ...]] = {}
    for number, candidate in enumerate(state.candidates):
        if len(found) >= enough:
            break
        if number % enough == 0:
            batch = state.candidates[number : number + enough]
            matched |= state.matches([c.passage for c in batch if c.history is None])
        hits = matched[candidate.passage] if candidate.history is None else candidate.matched
        row = candidate.row if candidate.row >= 0 else _object(state, candidate, hits)
        key = (row, candidate.history.key if candidate.history else "")
        if row < 0:
            continue
        if key in found:
            folded += 1
            continue
        found[key] = replace(candidate, row=row, matched=hits)
    fine = [c.row for c in found.values()]
    granularity = state.snapshot.facets.column("granularity")
    counts: dict[str, int] = {}
    for row in fine:
        counts[granularity[row]] = counts.get(granularity[row], 0) + 1
    return replace(state, candidates=tuple(found.values())).note(
        "locate", asked=state.plan.form.granularity or "finest", chosen=counts, folded=folded
    )


def _object(state: State, candidate: Candidate, matched: tuple[Match, ...]) -> int:
    asked = state.plan.form.granularity.upper()
    document, passage = candidate.document, candidate.passage
    if asked == "DOCUMENT" or passage < 0:
        return document
    section = _section(state, candidate)
    if asked == "SECTION":
        return section
    tagged = _tagged(state, passage) if state.relaxed else -1
    if tagged >= 0:
        return tagged
    statement = _statement(state, candidate, matched)
    if statement >= 0 and (state.allowed[statement] or not state.allowed[section]):
        return statement
    return section


def _section(state: State, candidate: Candidate) -> int:
    row = state.snapshot.object_row(candidate.document, state.snapshot.passages.section(candidate.passage))
    return row if row >= 0 and state.snapshot.visible[row] else candidate.document


def _tagged(state: State, passage: int) -> int:
    """The first allowed statement of the passage that itself carries an operator which was asked for and has been relaxed;
    -1 if none does. However little else of the query it holds, it is what was asked for."""
    tags = state.snapshot.tags
    names: set[str] = set()
    for (what, value), level in state.relaxed.items():
        if what == "operator.require":
            names |= set(widened(value)) if level >= WIDENED else {value}
    if tags is None or not names:
        return -1
    where, rows = state.snapshot.statements
    low, high = np.searchsorted(where, [passage, passage + 1])
    inside = [int(row) for row in rows[low:high] if state.allowed[row]]
    wanted = with_narrower("operator", names)
    return next((row for row in inside if any(tag.notation in wanted for tag in tags.own(row))), -1)


def _statement(state: State, candidate: Candidate, matched: tuple[Match, ...]) -> int:
    """The allowed statement in the passage that holds most of what matched; -1 if none holds at least half of it."""
    snapshot, passage = state.snapshot, candidate.passage
    named = snapshot.passages.object(passage)
    if named:
        row = snapshot.object_row(candidate.document, named)
        if row >= 0:
            return row
    where, rows = snapshot.statements
    low, high = np.searchsorted(where, [passage, passage + 1])
    inside = [int(row) for row in rows[low:high] if state.allowed[row]]
    if not inside:
        return -1
    terms = [match.term for match in matched if match.how not in ("stem", "parts")]
    # A constraint that only statements can meet (a state, a kind, evidence) leaves no coarser answer.
    only = "state" in state.blocked or "kind" in state.blocked or state.plan.form.granularity.upper() == ASKED
    needed = 0 if only else max(1, (len(terms) + 1) // 2)
    start, end = int(snapshot.passages.start[passage]), int(snapshot.passages.end[passage])
    text = snapshot.text(passage)
    best, most = -1, -1
    for row in inside:
        spans = snapshot.spans_of(row)
        own = index_key(" ".join(text[max(0, a - start) : b - start] for a, b in spans if a < end))
        hits = sum(1 for term in terms if term in own)
        covers = sum(b - a for a, b in spans) * 2 >= end - start
        if hits > most and (hits >= needed or (not terms and (covers or not needed))):
            best, most = row, hits
    return best
