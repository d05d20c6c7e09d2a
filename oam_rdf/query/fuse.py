"""Fusion of what the channels found: by scores, or by ranks (decision D25).

``convex``: Σ weight · score, each list's scores stretched to [0, 1] between its last and its first hit (Bruch, Gai and
Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023). ``rrf``: Σ weight / (k + rank), ranks from 1. A list
that does not hold a unit adds nothing. Where texts of other times are ranked among the living ones only ranks compare.

What is fused is the unit that is asked for: passages, or documents where documents are asked for, each ranked in a
channel by its best passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import TypeVar

from oam_rdf.query.trace import Candidate, Ranking, State

WALK = 0.3  # a walk says what is near, the graph what is at the end of a relation

Unit = TypeVar("Unit", int, str)


def rrf(
    rankings: Mapping[str, Sequence[Unit]], weights: Mapping[str, float], k: int = 60
) -> list[tuple[Unit, float, dict[str, float]]]:
    """Fuse named rankings of distinct units.

    :returns: ``(unit, score, contribution of each list)``, best first, equal scores in order of the unit (rows
        are in order of id).

    >>> [unit for unit, _, _ in rrf({"dense": ["X", "a", "Y"], "sparse": ["b", "c", "Y"]}, {"dense": 1, "sparse": 1})]
    ['Y', 'X', 'b', 'a', 'c']
    """
    parts: dict[Unit, dict[str, float]] = {}
    for name, units in rankings.items():
        weight = weights.get(name, 0.0)
        for rank, unit in enumerate(units, 1):
            parts.setdefault(unit, {})[name] = weight / (k + rank)
    scored = [(unit, fsum(part.values()), part) for unit, part in parts.items()]
    return sorted(scored, key=lambda item: (-item[1], item[0]))


def convex(
    scores: Mapping[str, Mapping[Unit, float]], weights: Mapping[str, float]
) -> list[tuple[Unit, float, dict[str, float]]]:
    """Fuse named lists of scored units; a list whose scores are all equal counts 1 for each.

    :returns: as :func:`rrf`; scores lie in [0, Σ weights].

    >>> convex({"a": {"X": 9.0, "Y": 5.0, "Z": 1.0}, "b": {"Y": 0.4}}, {"a": 1.0, "b": 0.25})[1]
    ('Y', 0.75, {'a': 0.5, 'b': 0.25})
    """
    parts: dict[Unit, dict[str, float]] = {}
    for name, units in scores.items():
        weight = weights.get(name, 0.0)
        low, high = min(units.values(), default=0.0), max(units.values(), default=0.0)
        for unit, score in units.items():
            parts.setdefault(unit, {})[name] = weight * ((score - low) / (high - low) if high > low else 1.0)
    scored = [(unit, fsum(part.values()), part) for unit, part in parts.items()]
    return sorted(scored, key=lambda item: (-item[1], item[0]))


def method(state: State) -> str:
    """How this answer is fused: as the plan says, by ranks where old texts are searched as well."""
    old = "commit time" in state.step("as_of").get("meaning", ())
    return "rrf" if old else state.plan.weights.method


def fuse(state: State) -> State:
    """Turn the rankings into candidates: group 0 first, in each group best first; named objects pinned before all."""
    candidates: list[Candidate] = []
    plan = state.plan.weights
    own = {"lexical": plan.lexical, "dense": plan.dense, "graph": plan.graph, "walk": min(plan.graph, WALK)}
    foreign = {**own, "lexical": plan.foreign, "dense": 1 - plan.foreign}
    translated = set(state.step("lexical").get("translated", ())) if plan.reason != "set by the caller" else set()
    how = method(state)
    pins = set(state.step("lexical").get("pins", ()))
    for group, language in enumerate(state.groups):
        weights = foreign if language in translated else own
        # What the graph reached are objects, not passages: see _reached.
        lists = {r.channel: r for r in state.rankings if r.group == group and len(r.rows) and r.channel != "graph"}
        # A channel without weight is heard only where no other found anything.
        lists = {name: ranking for name, ranking in lists.items() if weights[name] > 0} or lists
        by_unit = {name: _units(state, ranking) for name, ranking in lists.items()}
        if how == "rrf":
            fused = rrf({name: list(units) for name, units in by_unit.items()}, weights, plan.rrf_k)
        else:
            scored = {name: {unit: score for unit, (_, score) in units.items()} for name, units in by_unit.items()}
            fused = convex(scored, weights)
        ranks = {name: {unit: rank for rank, unit in enumerate(units, 1)} for name, units in by_unit.items()}
        passages = [by_unit[_most(contributions)][unit][0] for unit, _, contributions in fused]
        documents = state.snapshot.passage_document[passages].tolist() if passages else []
        for (unit, score, contributions), passage, document in zip(fused, passages, documents, strict=True):
            candidates.append(
                Candidate(
                    document=document,
                    passage=passage,
                    ranks={name: ranks[name][unit] for name in contributions},
                    scores={name: by_unit[name][unit][1] for name in contributions},
                    contributions=contributions,
                    score=score,
                    group=group,
                    pin=1 if passage in pins else 0,
                )
            )
    candidates = _reached(state, candidates, own["graph"], plan.rrf_k if how == "rrf" else 0)
    candidates.sort(key=lambda candidate: (-candidate.pin, candidate.group, -candidate.score))  # stable: ties as fused
    state = replace(state, candidates=tuple(candidates))
    return _pin(state).note(
        "fuse",
        method=how,
        k=plan.rrf_k if how == "rrf" else 0,
        weights=own,
        foreign=foreign,
        reason=plan.reason,
        candidates=len(candidates),
    )


def _most(contributions: Mapping[str, float]) -> str:
    """The channel that gave most, the last in the alphabet of equals."""
    if len(contributions) == 1:
        return next(iter(contributions))
    return max(contributions, key=lambda name: (contributions[name], name))


def _reached(state: State, candidates: list[Candidate], weight: float, k: int) -> list[Candidate]:
    """Candidates for the objects that the graph reached, before those that the texts gave.

    An object has the standing of its passage and what the graph adds. Where a relation was asked for, what stands at its
    end belongs to the answer whatever its language. Without weight the graph is heard only where no text answered.
    """
    if not state.reached_at or (not weight and candidates):
        return candidates
    by_passage = {c.passage: c for c in candidates}
    best = max((state.reached[row].score for row in state.reached_at), default=1.0)
    asked = bool(state.plan.graph.relations or state.plan.navigation.directions)
    surest = max((entry.confidence for entry in state.plan.graph.relations), default=1.0) or 1.0
    meant = {entry.value: entry.confidence / surest for entry in state.plan.graph.relations}
    found: list[Candidate] = []
    for rank, (row, passage) in enumerate(state.reached_at.items(), 1):
        how = state.reached[row]
        base = by_passage.get(passage) or Candidate(
            document=int(state.snapshot.passage_document[passage]), passage=passage, group=_group(state, passage)
        )
        sure = (
            meant.get(how.relations[0].lstrip("^"), 1.0 if not meant else min(meant.values())) if how.relations else 1.0
        )
        part = (weight or 1.0) * sure * (1 / (k + rank) if k else how.score / best)
        found.append(
            replace(
                base,
                row=row if not state.plan.form.granularity else -1,
                reach=how,
                ranks={**base.ranks, "graph": rank},
                scores={**base.scores, "graph": how.score},
                contributions={**base.contributions, "graph": part},
                score=base.score + part,
                group=0 if asked else base.group,
            )
        )
    return [*found, *candidates]


def _group(state: State, passage: int) -> int:
    table = state.snapshot.passages
    tag = table.languages[int(table.language[passage])].lower().partition("-")[0]
    return state.groups.index(tag) if tag in state.groups else max(0, len(state.groups) - 1)


def _units(state: State, ranking: Ranking) -> dict[int, tuple[int, float]]:
    """Unit -> its best passage and that passage's score, in order of rank."""
    by_document = state.plan.form.granularity.upper() == "DOCUMENT"
    units = state.snapshot.passage_document[ranking.rows] if by_document else ranking.rows
    found: dict[int, tuple[int, float]] = {}
    for unit, passage, score in zip(units.tolist(), ranking.rows.tolist(), ranking.scores.tolist(), strict=True):
        found.setdefault(unit, (passage, score))
    return found


def _pin(state: State) -> State:
    """Objects that the query names by id come first, with the scores of their best passage if one was found."""
    pinned: list[Candidate] = []
    for number, row in enumerate(dict.fromkeys(state.ids.values())):
        document = int(state.snapshot.facets.document[row])
        passages = state.snapshot.passages_in(row)
        best = next((c for c in state.candidates if c.passage in passages), None)
        own = best or Candidate(document=document, passage=min(passages, default=-1))
        pinned.append(
            replace(own, document=document if document >= 0 else row, row=row, group=0, pin=1 + len(state.ids) - number)
        )
    return replace(state, candidates=(*pinned, *state.candidates))
