"""Search at 1,000, 10,000 and 100,000 objects of real text: milliseconds by stage, queries a second, memory.

    python benchmarks/search.py CORPORA --work DIR [--sizes 1000,10000,100000] [--no-vectors] [--json figures.json]

``CORPORA`` is a folder that holds ``peps``, ``eips``, ``pldst-zh-hant`` and ``taiwan-md-zh-hant``. Documents are taken in
turn from all of them until there are enough objects; where they do not suffice they are taken again under new ids, and
the table says how many objects are such repetitions. Queries are titles, ids, and runs of words and Han characters drawn
(seeded) from the texts themselves, half of them Chinese. Targets are those of the design: p50 20 ms and p95 80 ms for a
search with vectors, 10 ms for navigation, 1 ms for writing a certificate, 1 s for opening a generation, 1.5 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import Any

import memory
import numpy as np

from oam_rdf.index.embed import load_embedder
from oam_rdf.index.vectors import VectorCache
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.search import search

SETS = (("peps/files", "peps"), ("eips/files", "eips"), ("pldst-zh-hant/vault", "pldst"),
        ("taiwan-md-zh-hant/vault", "wiki"), ("taiwan-md-zh-hant/vault-en", "wiki"))  # fmt: skip
TARGETS = {
    "search p50": 20.0,
    "search p95": 80.0,
    "navigate p50": 10.0,
    "certificate": 1.0,
    "open": 1000.0,
    "MB": 1536.0,
}
_FRONT = re.compile(r"\A---\r?\n.*?\r?\n---\r?\n", re.DOTALL)
_HAN = re.compile(r"[\u4e00-\u9fff]{6,}")
_WORDS = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{3,}){3,}")
_BATCH = 400  # files a batch, so that growth can be stopped in time


def files(corpora: Path) -> list[tuple[Path, str]]:
    """(file, profile), one of each corpus in turn."""
    rows = []
    for name, profile in SETS:
        found = sorted(p for p in (corpora / name).rglob("*") if p.suffix in (".md", ".rst", ".txt"))
        rows.append([(path, profile) for path in found])
    turns = zip_longest(*rows)
    return [item for turn in turns for item in turn if item is not None]


def build(kb: KnowledgeBase, corpora: Path, work: Path, size: int) -> tuple[int, int]:
    """Ingest until there are at least ``size`` objects. :returns: (objects, those that are repetitions)."""
    taken, todo, number = objects(kb), files(corpora), 0
    state = work / "taken.json"
    done: list[str] = json.loads(state.read_text()) if state.is_file() else []
    while taken < size:
        staged = work / f"round-{number}"
        fresh = [(path, profile) for path, profile in todo if f"{number}:{path}" not in done]
        if not fresh:
            number += 1
            continue
        share = max(10, int(_BATCH * min(1.0, (size - taken) / 8000)))
        batch = fresh[:share]
        for profile in sorted({profile for _, profile in batch}):
            chosen = [path for path, name in batch if name == profile]
            inputs = chosen if number == 0 else [_again(path, staged, number) for path in chosen]
            kb.ingest(inputs, IngestOptions(profile=profile if number == 0 else "default"))
        done += [f"{number}:{path}" for path, _ in batch]
        state.write_text(json.dumps(done))
        taken = objects(kb)
        print(f"{taken} objects, round {number}", file=sys.stderr, flush=True)
    with kb.snapshot() as snapshot:
        repeated = sum(1 for name in snapshot.facets.identifiers if name.startswith("AGAIN-"))
    return taken, repeated


def _again(path: Path, folder: Path, number: int) -> Path:
    """The same text under another id, as a Markdown file: a repetition, and counted as one."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"AGAIN-{number}-{path.parent.name}-{path.stem}"
    target = folder / f"{name}.md"
    target.write_text(
        f"---\nid: {json.dumps(name)}\ntitle: {json.dumps(path.stem)}\n---\n\n"
        + _FRONT.sub("", path.read_text("utf-8"))
    )
    return target


def fill(kb: KnowledgeBase) -> int:
    """Random unit vectors for passages without one: how long a search takes does not depend on what they mean."""
    embedder = load_embedder("e5")
    rng = np.random.default_rng(1)
    with kb.snapshot() as snapshot, closing(VectorCache(kb.layout.embeddings)) as cache:
        digests = sorted({bytes(digest) for digest in snapshot.passages.digest})
        have, _ = cache.get(digests, embedder.fingerprint)
        missing = [digest for digest, there in zip(digests, have, strict=True) if not there]
        for at in range(0, len(missing), 10_000):
            some = missing[at : at + 10_000]
            vectors = rng.normal(size=(len(some), embedder.dim)).astype("f4")
            cache.put(some, embedder.fingerprint, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return len(missing)


def objects(kb: KnowledgeBase) -> int:
    if kb.status().generation is None:
        return 0
    with kb.snapshot() as snapshot:
        return len(snapshot.facets)


def queries(kb: KnowledgeBase, count: int = 200) -> list[str]:
    """Titles, ids, Chinese and English runs in equal parts, drawn from what is stored."""
    rng = random.Random(20260731)
    found: dict[str, list[str]] = {"title": [], "id": [], "han": [], "words": []}
    with kb.snapshot() as snapshot:
        rows = list(range(len(snapshot.facets)))
        for row in rng.sample(rows, min(len(rows), 4 * count)):
            if snapshot.facets.titles[row]:
                found["title"].append(snapshot.facets.titles[row])
            found["id"].append(snapshot.facets.identifiers[row].partition("#")[0])
        passages = list(range(len(snapshot.passages)))
        for row in rng.sample(passages, min(len(passages), 8 * count)):
            text = snapshot.text(row)
            found["han"] += [m[0][: rng.randint(4, 12)] for m in list(_HAN.finditer(text))[:1]]
            found["words"] += [" ".join(m[0].split()[:6]) for m in list(_WORDS.finditer(text))[:1]]
    chosen = [text for kind in found.values() for text in kind[: count // 4]]
    rng.shuffle(chosen)
    return chosen


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def timed(call: Callable[[str], Any], inputs: Sequence[str]) -> list[float]:
    times = []
    for text in inputs:
        began = time.perf_counter()
        call(text)
        times.append((time.perf_counter() - began) * 1000)
    return times


def measure(folder: Path) -> dict[str, Any]:
    """All figures of one knowledge base; run in a process of its own, so that memory is its own."""
    began = time.perf_counter()
    kb = KnowledgeBase.open(folder)
    with kb.snapshot() as snapshot:
        _ = (
            snapshot.facets,
            snapshot.passages,
            snapshot.lexical,
            snapshot.dense,
            snapshot.graph,
            snapshot.tags,
            snapshot.store,
        )
        opened = (time.perf_counter() - began) * 1000
        asked = queries(kb)
        texts = [*asked, *asked]
        for text in asked:  # warm: postings, pages of the vectors, the embedder
            search(snapshot, text)
        stages: dict[str, list[float]] = {}
        certificates: list[float] = []

        def ask(text: str) -> None:
            answer = search(snapshot, text)
            for name, spent in answer.certificate["milliseconds"].items():
                stages.setdefault(name, []).append(spent)

        times = timed(ask, texts)
        snapshot._query_vectors._kept.clear()  # the embedding of a query is part of the search
        cold = timed(ask, asked)
        words = timed(lambda text: search(snapshot, text, route="SPARSE_ONLY"), asked)
        for text in asked[:50]:
            answer = search(snapshot, text)
            before = time.perf_counter()
            kb.certificates.store({**answer.certificate})
            certificates.append((time.perf_counter() - before) * 1000)
        starts = [
            snapshot.facets.identifiers[row]
            for row in range(0, len(snapshot.facets), max(1, len(snapshot.facets) // 200))
        ]
        ways = ("ABSTRACT.UP", "DEPENDENCY.UPSTREAM", "VERSION.LATEST", "SOURCE.BACK")
        steps = [(start, ways[i % 4]) for i, start in enumerate(starts)]
    walked = []
    for start, way in steps:
        before = time.perf_counter()
        kb.navigate(start, way, steps=2)
        walked.append((time.perf_counter() - before) * 1000)
    rates = {threads: rate(kb, asked, threads) for threads in (1, 2, 4)}
    status = kb.status()
    return {
        "objects": sum(status.objects.values()), "passages": status.passages, "embedded": status.embedded,
        "quads": status.quads, "open": opened,
        "search p50": statistics.median(cold), "search p95": percentile(cold, 0.95),
        "search p50 (query vector known)": statistics.median(times),
        "words only p50": statistics.median(words), "words only p95": percentile(words, 0.95),
        "navigate p50": statistics.median(walked), "navigate p95": percentile(walked, 0.95),
        "certificate": statistics.median(certificates),
        "queries a second": rates, "MB": memory.peak(),
        "stages": {name: [round(statistics.median(v), 2), round(percentile(v, 0.95), 2)] for name, v in stages.items()},
        "n": len(cold),
    }  # fmt: skip


def rate(kb: KnowledgeBase, asked: Sequence[str], threads: int) -> float:
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda text: kb.search(text), asked))
    return round(len(asked) / (time.perf_counter() - began), 1)


def table(figures: dict[int, dict[str, Any]]) -> Iterator[str]:
    sizes = list(figures)
    yield "| | " + " | ".join(f"{size:,}" for size in sizes) + " | target |"
    yield "|---" * (len(sizes) + 2) + "|"
    plain = [name for name, value in figures[sizes[0]].items() if isinstance(value, (int, float))]
    for name in plain:
        cells = [
            f"{figures[size][name]:,.1f}" if isinstance(figures[size][name], float) else f"{figures[size][name]:,}"
            for size in sizes
        ]
        yield (
            f"| {name} | " + " | ".join(cells) + f" | {'≤ ' + format(TARGETS[name], 'g') if name in TARGETS else ''} |"
        )
    for threads in (1, 2, 4):
        rates = [
            str(figures[size]["queries a second"].get(threads, figures[size]["queries a second"].get(str(threads))))
            for size in sizes
        ]
        yield f"| queries a second, {threads} threads | " + " | ".join(rates) + " | |"
    yield ""
    yield "Stages, p50 / p95 in ms:"
    yield ""
    for name in figures[sizes[-1]]["stages"]:
        cells = [" / ".join(map(str, figures[size]["stages"].get(name, ["", ""]))) for size in sizes]
        yield f"- {name}: " + " · ".join(cells)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpora", type=Path, nargs="?")
    arguments.add_argument("--work", type=Path)
    arguments.add_argument("--sizes", default="1000,10000,100000")
    arguments.add_argument("--no-vectors", action="store_true")
    arguments.add_argument(
        "--filler", action="store_true", help="random unit vectors for what is not embedded yet; counted in the table"
    )
    arguments.add_argument("--fresh", action="store_true")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--measure", type=Path, help="measure one knowledge base and print JSON")
    given = arguments.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure)))
        return
    if not given.corpora or not given.work:
        arguments.error("CORPORA and --work are needed")
    figures: dict[int, dict[str, Any]] = {}
    for size in map(int, given.sizes.split(",")):
        home = given.work / str(size)
        if given.fresh:
            shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True, exist_ok=True)
        kb = KnowledgeBase.open(home / "kb") if (home / "kb").is_dir() else KnowledgeBase.init(home / "kb")
        _, repeated = build(kb, given.corpora, home, size)
        filled = fill(kb) if given.filler else 0
        if not given.no_vectors:
            kb.embed()
        kb.close()
        command = [sys.executable, __file__, "--measure", str(home / "kb")]
        out = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
        figures[size] = {**json.loads(out.stdout), "repeated objects": repeated, "filler vectors": filled}
        print(f"measured {size}", file=sys.stderr, flush=True)
    print("\n".join(table(figures)))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
