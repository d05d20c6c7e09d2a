"""Where a query lost: the gold document's place after every stage, and what the certificate alone says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from beir import Task
from library import Library, identifier
from measures import Floats, Run
from systems import SYSTEMS, K, Recorder, ranking, stages

from oam_rdf.query.search import search
from oam_rdf.query.stages import Stage
from oam_rdf.query.trace import State


@dataclass(frozen=True, slots=True)
class Loss:
    """``path`` is the gold document's place after each stage from recall on (None = it is not there)."""

    query: str
    text: str
    gold: str
    lost: float
    single: str
    rank: int | None
    path: tuple[tuple[str, int | None], ...]
    stage: str
    detail: str
    certificate: str

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def worst(
    task: Task, library: Library, full: Floats, single: Floats, name: str, run: Run, count: int = 20
) -> list[Loss]:
    """The queries where the full system lost most against the best single one."""
    order = sorted(task.qrels)
    places = sorted(range(len(order)), key=lambda at: (full[at] - single[at], order[at]))[:count]
    return [
        examine(task, order[at], library, single[at] - full[at], name, run) for at in places if full[at] < single[at]
    ]


def examine(task: Task, query: str, library: Library, lost: float, name: str, run: Run) -> Loss:
    """Run the query again and follow the gold document that fell most."""
    text = task.search.queries[query]
    watched: list[tuple[str, Recorder]] = []
    steps: list[tuple[str, Stage]] = []
    for stage_name, step in stages(SYSTEMS["full"]):
        watch = Keeper()
        watched.append((stage_name, watch))
        steps += [(stage_name, step), (f"after {stage_name}", watch)]
    with library.kb.snapshot() as snapshot:
        answer = search(
            snapshot, text, k=K, granularity="DOCUMENT", only_language=task.search.pool, stages=steps,
            certificates=library.kb.certificates,
        )  # fmt: skip
    single = {document: rank for rank, (document, _) in enumerate(run.get(query, ()), 1)}
    found = []
    for gold in task.qrels[query]:
        path = _path(watched, gold, library) or [("route", None)]  # nothing was to be retrieved
        reference = single.get(gold)
        fell = _gain(reference) - _gain(path[-1][1])
        found.append((fell, gold, reference, path))
    _, gold, reference, path = max(found, key=lambda item: (item[0], item[1]))
    stage, detail = blame(path, reference, _ranks(watched, gold, library), _barred(watched, gold))
    return Loss(
        query, text, gold, round(float(lost), 4), name, reference, tuple(path), stage, detail,
        certified(answer.certificate, identifier(gold)),
    )  # fmt: skip


class Keeper(Recorder):
    """Keeps the state between two stages and hands it on untouched."""

    def __call__(self, state: State) -> State:
        self.state = state
        return state


def blame(
    path: Sequence[tuple[str, int | None]], reference: int | None, ranks: Mapping[str, int], barred: str
) -> tuple[str, str]:
    """The stage whose step cost most of the gain 1/log2(1 + rank), in the words of the pipeline.

    >>> blame([("recall", 1), ("fuse", 7), ("locate", 7)], 1, {"dense": 1, "lexical": 80}, "")
    ('fuse', '1 → 7 (dense 1, lexical 80)')
    """
    heard = ", ".join(f"{channel} {rank}" for channel, rank in sorted(ranks.items())) or "no channel found it"
    if barred:
        return "constrain", f"removed by {barred}"
    before, worst, stage, detail = reference, 0.0, "", ""
    for name, place in path:
        cost = _gain(before) - _gain(place)
        if cost > worst:
            worst, stage, detail = cost, name, f"{before or 'absent'} → {place or 'absent'} ({heard})"
        before = place
    return (stage, detail) if stage else ("none", f"no stage moved it down ({heard})")


def certified(certificate: Mapping[str, Any], name: str) -> str:
    """What the certificate says of a document, nothing else being known."""
    for result in certificate["results"]:
        if name in (result.get("document"), result.get("id")):
            ranks = result.get("ranks") or {}
            shown = ", ".join(f"{channel} {rank}" for channel, rank in sorted(ranks.items())) or "no channel rank"
            best = min(ranks.values(), default=None)
            fell = best is not None and best < result["position"]
            return f"{certificate['retrieval_id']}: place {result['position']}, {shown}" + (
                ": fused below" if fell else ""
            )
    for item in certificate["excluded"]:
        if item.get("id") == name:
            return f"{certificate['retrieval_id']}: excluded, {item['reason']}"
    for item in certificate["results"]:
        if any(name in (part.get("id"), part.get("old")) for part in item.get("substituted_for") or ()):
            return f"{certificate['retrieval_id']}: substituted by {item['id']}"
    return f"{certificate['retrieval_id']}: neither among the {len(certificate['results'])} results nor excluded"


def _path(watched: Sequence[tuple[str, Recorder]], gold: str, library: Library) -> list[tuple[str, int | None]]:
    path: list[tuple[str, int | None]] = []
    for name, watch in watched:
        state = watch.state
        if state is None or not state.rankings:
            continue
        if not path:
            path.append((name, min(_ranks([(name, watch)], gold, library).values(), default=None)))
            continue
        if not state.candidates and len(path) == 1:  # between recall and fusion
            continue
        order = {document: rank for rank, document in enumerate(ranking(state, library), 1)}
        place = order.get(gold)
        if path[-1] != (name, place):
            path.append((name, place))
    return path


def _ranks(watched: Sequence[tuple[str, Recorder]], gold: str, library: Library) -> dict[str, int]:
    """The document's rank in each channel's list of its language group."""
    state = watched[-1][1].state
    found: dict[str, int] = {}
    if state is None:
        return found
    for listed in state.rankings:
        names = dict.fromkeys(state.name(int(state.snapshot.passage_document[row])) for row in listed.rows)
        order = {library.documents[name]: rank for rank, name in enumerate(names, 1) if name in library.documents}
        if gold in order:
            found[listed.channel] = min(order[gold], found.get(listed.channel, order[gold]))
    return found


def _barred(watched: Sequence[tuple[str, Recorder]], gold: str) -> str:
    state = watched[-1][1].state
    if state is None:
        return ""
    row = next((row for row, _ in state.snapshot.facets.named(identifier(gold))), -1)
    return ", ".join(name for name, mask in state.blocked.items() if row >= 0 and mask[row])


def _gain(rank: int | None) -> float:
    return 1 / log2(1 + rank) if rank else 0.0
