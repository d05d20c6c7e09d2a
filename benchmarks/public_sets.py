"""Public retrieval sets through the product's own pipeline: BM25, IDF+Coverage, dense, hybrid and full, beside bm25s.

    python benchmarks/public_sets.py --part dev --sets drcd,scifact --tune
    python benchmarks/public_sets.py --part test --losses --json figures.json
    python benchmarks/public_sets.py --dataset DIR

Each corpus is ingested and embedded as a user's files would be; knowledge bases and runs stay in ``--work`` and are taken
up again where an earlier call ended. A Markdown table goes to standard output, progress to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import peers
import tuning
from beir import TUNING, Dataset, Task, read
from library import Library, code_digest, open_library
from losses import Loss, worst
from measures import MEASURES, Floats, Run, compare, estimate, evaluate
from systems import SINGLE, SYSTEMS, run

# Set -> (folder, part -> judgement files). Where a set has no part to tune on, none is invented.
SETS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "xquad": ("xquad-zh-en", {"test": ("zh-zh", "en-en", "zh-en", "en-zh")}),
    "xquad-r": ("xquad-r-zh-en", {"test": ("zh-zh", "en-en", "zh-en", "en-zh")}),
    "drcd": ("drcd-zh-hant", {"dev": ("dev",), "test": ("test",)}),
    "scifact": ("scifact", {"dev": ("train",), "test": ("test",)}),
    "musique": ("musique-dev200", {"test": ("test",)}),
    "musique-train": ("musique-train100", {"dev": ("test",)}),
    "hotpotqa-train": ("hotpotqa-train100", {"dev": ("test",)}),
}
SHARED = Path(os.environ.get("OAM_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "benchmarks"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "oam-rdf" / "benchmarks"
REFERENCE = "nDCG@10"  # by which the best single channel is chosen and losses are counted


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sets", default="", help="names, comma between: " + ", ".join(SETS))
    arguments.add_argument("--dataset", type=Path, action="append", default=[], help="another folder in BEIR layout")
    arguments.add_argument("--part", choices=("dev", "test"), default="dev", help="dev = what may be tuned on")
    arguments.add_argument("--systems", default=",".join(SYSTEMS), help="names, comma between")
    arguments.add_argument("--limit", type=int, default=0, help="so many queries of each task, always the same")
    arguments.add_argument("--words", action="store_true", help="lexical systems only, no vectors are made")
    arguments.add_argument("--tune", action="store_true", help="compare fusions on the recorded channels (dev part)")
    arguments.add_argument("--losses", action="store_true", help="the worst losses against the best single channel")
    arguments.add_argument("--prepare", action="store_true", help="ingest and embed, search nothing")
    arguments.add_argument("--fresh", action="store_true", help="make knowledge bases anew; vectors are kept")
    arguments.add_argument("--keep", action="store_true", help="take knowledge bases that earlier code made")
    arguments.add_argument("--work", type=Path, default=CACHE)
    arguments.add_argument("--json", type=Path, help="all figures to this file")
    given = arguments.parse_args()
    if given.tune and given.part == "test":
        arguments.error("a test part is not tuned on")
    systems = [s for s in given.systems.split(",") if not given.words or not SYSTEMS[s].dense]
    figures: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "time": time.strftime("%Y-%m-%d %H:%M"), "code": code_digest(), "part": given.part, "limit": given.limit, "sets": {},
    }  # fmt: skip
    print(f"{figures['machine']}, {figures['time']}, code {figures['code']}, part {given.part}\n", flush=True)
    for name, dataset, stems in _chosen(given):
        library = open_library(dataset, given.work, fresh=given.fresh, keep=given.keep, words=given.words)
        figures["sets"][name] = entry = {"facts": library.facts, "tasks": {}}
        facts = ", ".join(f"{what} {value}" for what, value in library.facts.items())
        print(f"## {name}\n\n{facts}\n", flush=True)
        folder = given.work / "runs" / dataset.name
        for task in [] if given.prepare else dataset.tasks(stems, given.limit):
            entry["tasks"][task.name] = _task(task, dataset, library, systems, folder, given)
        library.kb.close()
        if given.json:
            given.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1), "utf-8")


def _chosen(given: argparse.Namespace) -> Iterable[tuple[str, Dataset, tuple[str, ...]]]:
    """The sets that have the part, with its judgement files."""
    names = [name for name in given.sets.split(",") if name] or ([] if given.dataset else list(SETS))
    for name in names:
        if name not in SETS:
            raise SystemExit(f"there is no set {name!r}: one of {', '.join(SETS)}")
        folder, parts = SETS[name]
        if stems := parts.get(given.part, ()):
            yield name, read(SHARED / folder), stems
    for path in given.dataset:
        dataset = read(path)
        stems = tuple(stem for stem in dataset.judged if (stem in TUNING) == (given.part == "dev"))
        if stems:
            yield dataset.name, dataset, stems


def _task(
    task: Task, dataset: Dataset, library: Library, systems: list[str], folder: Path, given: argparse.Namespace
) -> dict[str, Any]:
    runs: dict[str, Run] = {name: run(SYSTEMS[name], task.search, library, folder) for name in systems}
    runs |= {name: peers.run(name, dataset, task.search) for name in peers.PEERS}
    values = {name: evaluate(task.qrels, found) for name, found in runs.items()}
    entry: dict[str, Any] = {"queries": len(task.qrels), "pool": task.search.pool, "systems": {}, "against": {}}
    for name, measured in values.items():
        entry["systems"][name] = {m: _plain(estimate(v)) for m, v in measured.items()}
    _save_queries(folder / f"{task.name}.per-query.json", task, values)
    entry["against"] = {m: _against({n: v[m] for n, v in values.items()}) for m in MEASURES}
    print(f"### {dataset.name}: {task.name}\n\n{table(entry)}\n", flush=True)
    if given.tune and "hybrid" in runs:
        entry["tuning"] = found = tuning.grid(task, folder)
        print(f"nDCG@10 by share of the lexical channel\n\n{tuning.by_share(found)}\n", flush=True)
    if given.losses and "full" in values:
        single = _best(values, REFERENCE)
        lost = worst(task, library, values["full"][REFERENCE], values[single][REFERENCE], single, runs[single])
        entry["losses"] = [loss.to_json() for loss in lost]
        print(f"{losses(lost, single)}\n", flush=True)
    return entry


def _best(values: dict[str, dict[str, Floats]], measure: str) -> str:
    return max((name for name in SINGLE if name in values), key=lambda name: float(values[name][measure].mean()))


def _against(values: dict[str, Floats]) -> dict[str, Any]:
    """Full against the single channel that is best by this measure, hybrid, and each peer: paired."""
    if "full" not in values:
        return {}
    single = max((name for name in SINGLE if name in values), key=lambda name: float(values[name].mean()))
    others = {"best single": single, "hybrid": "hybrid", **{name: name for name in peers.PEERS}}
    return {
        label: {"other": name, **_plain(compare(values["full"], values[name]))}
        for label, name in others.items()
        if name in values
    }


def _plain(figure: Any) -> dict[str, float]:
    return {name: round(getattr(figure, name), 5) for name in figure.__slots__}


def _save_queries(path: Path, task: Task, values: dict[str, dict[str, Floats]]) -> None:
    order = sorted(task.qrels)
    table = {
        query: {name: {m: round(float(v[at]), 4) for m, v in measured.items()} for name, measured in values.items()}
        for at, query in enumerate(order)
    }
    path.write_text(json.dumps(table, ensure_ascii=False), "utf-8")


def table(entry: dict[str, Any]) -> str:
    """One task as Markdown: means with 95 % intervals, then the paired differences."""
    lines = [f"| n = {entry['queries']} | " + " | ".join(MEASURES) + " |", "|---|" + "---|" * len(MEASURES)]
    for name, measured in entry["systems"].items():
        cells = [f"{e['mean']:.4f} [{e['low']:.3f}, {e['high']:.3f}]" for e in measured.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    for label in entry["against"].get(REFERENCE, {}):
        cells = []
        for measure in MEASURES:
            c = entry["against"][measure][label]
            which = f" ({c['other']})" if c["other"] != label else ""
            cells.append(f"{c['difference']:+.4f} [{c['low']:+.3f}, {c['high']:+.3f}] p {c['p']:.4f}{which}")
        lines.append(f"| full − {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def losses(lost: list[Loss], single: str) -> str:
    """The worst losses as Markdown, with how many each stage lost."""
    if not lost:
        return f"No query lost against {single}."
    counts: dict[str, int] = {}
    for loss in lost:
        counts[loss.stage] = counts.get(loss.stage, 0) + 1
    by_stage = ", ".join(f"{stage} {count}" for stage, count in sorted(counts.items(), key=lambda item: -item[1]))
    lines = [f"{len(lost)} worst losses of full against {single}: {by_stage}", ""]
    lines += ["| lost | query | stage | how | certificate |", "|--:|---|---|---|---|"]
    for loss in lost:
        text = loss.text.replace("|", "\\|")
        lines.append(
            f"| {loss.lost:.3f} | {loss.query}: {text[:90]} | {loss.stage} | {loss.detail} | {loss.certificate} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
