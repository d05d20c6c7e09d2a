"""Current heads in place of superseded hits (decision D10).

Supersession is per object: an object with a recorded successor is replaced by its head; a part of a superseded document
inherits that, and the document's head stands in. A fork shows every head and a cycle the hit itself, both marked for
the gate. An object that the query names by id stays, with its successor shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from oam_rdf.query.trace import Candidate, State, Substitution

_NAMED = 2  # pins of objects named by id begin here (see fuse)
_LIMIT = 10_000  # objects looked at for one head
LATER = ("VERSION.LATER", "VERSION.LATEST")


def successors(state: State) -> Mapping[int, list[int]]:
    """Old row -> rows that supersede it, as known to the caller and, under ``as_of``, begun by then."""
    moment = state.plan.version.moment
    if moment is None:
        return state.snapshot.successors
    then = state.snapshot.begins <= moment / 1_000_000
    kept = {old: [row for row in new if then[row]] for old, new in state.snapshot.successors.items()}
    return {old: new for old, new in kept.items() if new}


def heads(start: int, following: Mapping[int, list[int]]) -> tuple[dict[int, tuple[int, ...]], bool]:
    """Heads reachable from ``start`` with a shortest path to each, and whether a cycle was met. Bounded."""
    paths: dict[int, tuple[int, ...]] = {start: (start,)}
    ends: dict[int, tuple[int, ...]] = {}
    queue = [start]
    for row in queue:
        later = sorted(following.get(row, ()))
        if not later:
            ends[row] = paths[row]
        for target in later:
            if target not in paths and len(paths) < _LIMIT:
                paths[target] = (*paths[row], target)
                queue.append(target)
    # Kahn: what cannot be taken off in order lies on a cycle or behind one.
    degree = dict.fromkeys(paths, 0)
    for row in paths:
        for target in following.get(row, ()):
            if target in degree:
                degree[target] += 1
    ready = [row for row, count in degree.items() if not count]
    taken = 0
    while ready:
        row = ready.pop()
        taken += 1
        for target in following.get(row, ()):
            if target in degree:
                degree[target] -= 1
                if not degree[target]:
                    ready.append(target)
    return ends, taken < len(paths)


def substitute(state: State) -> State:
    """Replace superseded candidates, unless history is asked for."""
    if state.plan.version.mode.value == "history":
        return state.note("substitute", skipped="history was asked for")
    following = successors(state)
    if not following:
        return state.note("substitute", substituted=[])
    wants_later = any(entry.value in LATER for entry in state.plan.navigation.directions)
    named = set(state.ids.values())
    # What stands at the end of a relation that was asked for is the answer itself; its successor is shown with it.
    asked = not wants_later and bool(state.plan.graph.relations or state.plan.navigation.directions)
    candidates: list[Candidate] = []
    done: list[dict[str, Any]] = []
    for candidate in state.candidates:
        old = _superseded(state, candidate, following)
        if old < 0:
            candidates.append(candidate)
            continue
        ends, cycle = heads(old, following)
        if cycle or len(ends) != 1:
            candidate = replace(candidate, conflict="cycle" if cycle else "fork", heads=tuple(sorted(ends)))
        kept = asked and candidate.reach is not None and candidate.row == candidate.reach.rows[-1]
        if candidate.history is not None or kept or (not wants_later and {candidate.row, candidate.document} & named):
            candidates.append(candidate)
            continue
        if cycle and not ends:
            candidates.append(candidate)
        for path in ends.values():
            done.append({"old": state.name(candidate.row), "path": [state.name(row) for row in path]})
            candidates.append(_head(state, candidate, path))
    merged = _merge(candidates)
    return replace(state, candidates=tuple(merged)).note("substitute", substituted=done, heads=len(merged))


def _superseded(state: State, candidate: Candidate, following: Mapping[int, list[int]]) -> int:
    """The object whose successor counts: the candidate's own, else that of what it is part of; -1 if none."""
    row = candidate.row
    for _ in range(64):
        if row < 0 or row in following:
            return row
        row = int(state.snapshot.facets.parent[row])
    return -1


def _head(state: State, candidate: Candidate, path: tuple[int, ...]) -> Candidate:
    """The head at the end of ``path`` with the standing of the hit that led to it."""
    head = path[-1]
    passages = state.snapshot.passages_in(head)
    return replace(
        candidate,
        row=head,
        document=max(int(state.snapshot.facets.document[head]), -1),
        passage=passages[0] if passages else -1,
        # Nothing of the hit's own standing may be read as the head's.
        ranks={},
        scores={},
        matched=(),
        substitutions=(
            *candidate.substitutions,
            Substitution(candidate.row, path, candidate.ranks, candidate.matched),
        ),
    )


def _stands_for(candidate: Candidate, head: int, parts: bool) -> bool:
    return candidate.row == head or (parts and candidate.document == head)


def _merge(candidates: list[Candidate]) -> list[Candidate]:
    """One candidate per object, at its best place. A head that is found itself, or by a part of it, takes the note."""
    placed: dict[tuple[int, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.row, candidate.history.key if candidate.history else "")
        if candidate.substitutions:
            # The head's own hit, or its document's best part, says more than the head's first lines; but the head of
            # an object that was asked for by name is given itself.
            parts = candidate.pin < _NAMED
            own = next((c for c in candidates if not c.substitutions and _stands_for(c, candidate.row, parts)), None)
            if own is not None:
                key = (own.row, "")
                candidate = replace(
                    own,
                    score=max(own.score, candidate.score),
                    substitutions=candidate.substitutions,
                    conflict=own.conflict or candidate.conflict,
                    heads=own.heads or candidate.heads,
                    group=min(own.group, candidate.group),
                    pin=max(own.pin, candidate.pin),
                )
        known = placed.get(key)
        if known is None:
            placed[key] = candidate
        else:
            known_olds = {s.old for s in known.substitutions}
            extra = tuple(s for s in candidate.substitutions if s.old not in known_olds)
            placed[key] = replace(
                known, substitutions=(*known.substitutions, *extra), conflict=known.conflict or candidate.conflict
            )
    return list(placed.values())
