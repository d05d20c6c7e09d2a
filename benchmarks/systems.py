"""Systems as settings of the one search, and the runs that they give.

All rank documents; the end of the pipeline is recorded as it stands, whatever the gate's verdict. What the channels found
is recorded beside it, so that fusions can be compared afterwards without another search.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from beir import Search
from library import Library, Speaker, code_digest
from measures import Run

from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.stages import STAGES, Stage
from oam_rdf.query.trace import State

K = 100
# What recall and fusion need; everything else is what "full" adds.
BASE = ("route", "constrain", "recall", "fuse", "locate", "admit")
_DEPTH = 200  # passages of each channel that are recorded


@dataclass(frozen=True, slots=True)
class System:
    """``options`` as :func:`oam_rdf.query.search.search`; ``stages`` names what runs, () = everything."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: tuple[str, ...] = BASE

    @property
    def dense(self) -> bool:
        return self.options.get("route") != "SPARSE_ONLY"


SYSTEMS = {
    system.name: system
    for system in (
        System("BM25", {"route": "SPARSE_ONLY", "scorer": "bm25"}),
        System("IDF+Coverage", {"route": "SPARSE_ONLY", "scorer": "idf_coverage"}),
        System("dense", {"route": "DENSE_ONLY"}),
        System("hybrid", {"route": "HYBRID"}),
        System("full", {}, ()),
    )
}
SINGLE = ("BM25", "IDF+Coverage", "dense")
RECORDED = "hybrid"  # the system whose channels are kept


def stages(system: System) -> list[tuple[str, Stage]]:
    """The stages of a system. :raises RuntimeError: if the pipeline has no stage of a name that is needed."""
    if missing := set(system.stages) - {name for name, _ in STAGES}:
        raise RuntimeError(f"the pipeline has no stage {min(missing)!r}: it has {', '.join(n for n, _ in STAGES)}")
    return [(name, stage) for name, stage in STAGES if not system.stages or name in system.stages]


class Recorder:
    """Last stage: keeps the ranking and lets it go, so that no time is spent on showing it."""

    def __init__(self) -> None:
        self.state: State | None = None

    def __call__(self, state: State) -> State:
        self.state = state
        return replace(state, candidates=())


def run(system: System, asked: Search, library: Library, folder: Path) -> Run:
    """The run of a system, read from ``folder`` as far as it was made before by the same code on the same corpus."""
    path = folder / f"{asked.name}.{system.name}.jsonl"
    head = {
        "code": code_digest(), "system": [system.name, dict(system.options), list(system.stages)], "k": K,
        "pool": asked.pool, "corpus": library.facts["corpus"], "passages": library.facts["passages"],
        "model": library.facts["model"] if system.dense else "", "coverage": library.facts["coverage"] if system.dense else 0,
    }  # fmt: skip
    done = _resumed(path, head)
    left = {query: text for query, text in asked.queries.items() if query not in done}
    say = Speaker(f"{folder.name} {asked.name} {system.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file, library.kb.snapshot() as snapshot:
        for count, (query, text) in enumerate(left.items(), 1):
            row = {"q": query, **_answer(system, text, asked.pool, snapshot, library)}
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            done[query] = row
            say("queries", count, len(left))
    if left:
        spent = sum(done[query]["ms"] for query in left) / len(left)
        say.line(f"{len(left)} queries, {spent:.0f} ms each")
    return {query: [(name, float(K - at)) for at, name in enumerate(done[query]["docs"])] for query in asked.queries}


def rows(folder: Path, asked: Search, system: str) -> Iterator[dict[str, Any]]:
    """What a finished run recorded, query by query."""
    for line in (folder / f"{asked.name}.{system}.jsonl").read_text("utf-8").splitlines()[1:]:
        row = json.loads(line)
        if row["q"] in asked.queries:
            yield row


def _resumed(path: Path, head: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    key = hashlib.sha256(json.dumps(head, sort_keys=True).encode()).hexdigest()[:16]
    first = json.dumps({"key": key, **head}, ensure_ascii=False)
    lines = path.read_text("utf-8").split("\n") if path.is_file() else []
    whole = lines[1:-1] if lines and lines[0] == first else []  # what follows the last line break was cut off
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([first, *whole]) + "\n", "utf-8")
    return {row["q"]: row for row in map(json.loads, whole)}


def _answer(system: System, text: str, pool: str, snapshot: Snapshot, library: Library) -> dict[str, Any]:
    recorder = Recorder()
    began = time.perf_counter()
    search(
        snapshot, text, k=K, granularity="DOCUMENT", only_language=pool,
        stages=[*stages(system), ("record", recorder)], **system.options,
    )  # fmt: skip
    milliseconds = (time.perf_counter() - began) * 1000
    state = recorder.state
    if state is None:  # the router found that nothing is to be retrieved
        return {"ms": round(milliseconds, 1), "docs": []}
    row: dict[str, Any] = {"ms": round(milliseconds, 1), "docs": ranking(state, library)[:K]}
    if system.name == RECORDED:
        row["channels"] = _channels(state, library)
        row["weights"] = [state.plan.weights.lexical, state.plan.weights.dense]
        row["pinned"] = [library.documents[state.name(c.document)] for c in state.candidates if c.pin]
    return row


def ranking(state: State, library: Library) -> list[str]:
    """The set's ids of the documents that the candidates stand for, best first, each once."""
    found = dict.fromkeys(state.name(c.document if c.document >= 0 else c.row) for c in state.candidates)
    return [library.documents[name] for name in found if name in library.documents]


def _channels(state: State, library: Library) -> list[dict[str, Any]]:
    """Every channel's passages as documents (repeated where several passages of one were found) with raw scores."""
    names = state.snapshot.passage_document
    return [
        {
            "channel": found.channel,
            "group": found.group,
            "docs": [library.documents[state.name(int(names[row]))] for row in found.rows[:_DEPTH]],
            "scores": [round(float(score), 5) for score in found.scores[:_DEPTH]],
        }
        for found in state.rankings
        if len(found.rows)
    ]
