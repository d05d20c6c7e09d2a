"""Neighbour graphs (hnswlib) against exact search, on the product's own dense index; a Markdown table comes out.

    python benchmarks/ann.py CORPORA                  # embeds passages of the files below CORPORA for four minutes at most
    python benchmarks/ann.py CORPORA --save V.npz     # and keeps what it embedded for
    python benchmarks/ann.py --vectors V.npz          # (or a .npy of unit rows, whose last 200 become the queries)

What is embedded is filled up to ``--count`` with mixtures: mean + w · (a − mean) + √(1 − w²) · (b − mean) of two embedded
passages of one language, w from .6 to .95, so that mean and spread stay those of real vectors. The table says how many are
real. Queries are beginnings of passages that were kept out, embedded as queries. Exact and graph answer each query in
turn, so other work on the machine slows both.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import OamError
from oam_rdf.index import ann
from oam_rdf.index.dense import DenseIndex, build
from oam_rdf.index.embed import load_embedder
from oam_rdf.index.passages import IndexedDocument, PassageTable, embedding_text
from oam_rdf.index.vectors import VectorCache
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.model import Passage

QUERIES, SEED, PER_DOCUMENT = 200, 7, 20
NEVER = 10**9
Array = Any


def texts_of(folder: Path, chars: int) -> Iterator[tuple[str, str, str]]:
    """(primary language, embedding text, text) of every passage of the Markdown, reStructuredText and text files."""
    profile = profiles.load("default")
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".md", ".rst", ".txt")):
        try:
            document = parse(path.read_bytes(), path.relative_to(folder).as_posix(), profile)
        except OamError:
            continue
        for p in document.passages:
            if p.text.strip() and "\0" not in p.text:
                tag = (p.language or document.language).lower().partition("-")[0]
                yield tag, embedding_text(document.document.title, p.heading, p.text[:chars]), p.text


def embedded(folder: Path, seconds: float, chars: int) -> dict[str, Array]:
    """Vectors and queries of as many randomly drawn English and Chinese passages as fit into the time."""
    drawn = [text for text in texts_of(folder, chars) if text[0] in ("en", "zh")]
    random.Random(SEED).shuffle(drawn)
    model = load_embedder("e5")
    held, drawn = drawn[: 2 * QUERIES], drawn[2 * QUERIES :]
    queries = np.stack([model.embed_query(" ".join(text.split())[:80]) for _, _, text in held])
    parts, tags, began = [], [], time.monotonic()
    for at in range(0, len(drawn), 64):
        if time.monotonic() - began > seconds:
            break
        parts.append(model.embed_passages([text for _, text, _ in drawn[at : at + 64]]))
        tags += [tag for tag, _, _ in drawn[at : at + 64]]
    return {
        "vectors": np.concatenate(parts),
        "languages": np.array(tags),
        "queries": queries,
        "query_languages": np.array([tag for tag, _, _ in held]),
        "model": np.array(f"{model.fingerprint}, first {chars} characters"),
    }


def given_vectors(path: Path) -> dict[str, Array]:
    """What ``--save`` kept, or the rows of a ``.npy`` as one language."""
    found = np.load(path, allow_pickle=False)
    if path.suffix == ".npz":
        return dict(found)
    kept, queries = found[:-QUERIES], found[-QUERIES:]
    return {
        "vectors": kept,
        "languages": np.array(["en"] * len(kept)),
        "queries": queries,
        "query_languages": np.array(["en"] * len(queries)),
        "model": np.array(path.name),
    }


def filled(real: Array, count: int, chance: np.random.Generator) -> Array:
    """``count`` unit vectors that begin with the real ones."""
    mean, parts, have = real.mean(axis=0), [real[:count]], min(len(real), count)
    while have < count:
        n = min(count - have, 10_000)
        a, b = real[chance.integers(len(real), size=n)], real[chance.integers(len(real), size=n)]
        w = chance.uniform(0.6, 0.95, (n, 1))
        mixed = mean + w * (a - mean) + np.sqrt(1 - w * w) * (b - mean)
        parts.append((mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype("f4"))
        have += n
    return np.concatenate(parts)


class Corpus:
    """Passages named by number, twenty a document; their vectors lie in a cache, as after ``oam embed``."""

    def __init__(self, folder: Path, vectors: Array, languages: Array) -> None:
        self.folder, self.languages, self.dim = folder, languages, vectors.shape[1]
        self.cache, self.table = VectorCache(folder / "vectors.sqlite"), PassageTable.empty()
        for at in range(0, len(vectors), 10_000):
            part = range(at, min(at + 10_000, len(vectors)))
            digests = PassageTable.empty().splice((), self.documents(part)).digest.tolist()
            self.cache.put(digests, "benchmark", vectors[part.start : part.stop])

    def documents(self, numbers: range) -> list[IndexedDocument]:
        found = []
        for at in range(numbers.start, numbers.stop, PER_DOCUMENT):
            language = str(self.languages[at])
            passages = tuple(
                Passage("", n, n + 1, "", f"passage {n}", language)
                for n in range(at, min(at + PER_DOCUMENT, numbers.stop))
            )
            found.append(IndexedDocument(f"d{at:07}", "", language, passages))
        return found

    def replace(self, removed: range, added: range) -> None:
        self.table = self.table.splice([f"d{at:07}" for at in removed[::PER_DOCUMENT]], self.documents(added))

    def publish(self, name: str, previous: str = "", least: int = ann.BUILD_FROM) -> tuple[DenseIndex, float]:
        began = time.perf_counter()
        before = self.folder / previous if previous else None
        build(self.folder / name, self.table, "benchmark", self.dim, self.cache, before, least=least)
        return DenseIndex.open(self.folder / name, self.table), time.perf_counter() - began


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    found = call()
    return found, (time.perf_counter() - began) * 1000


def compare(
    what: str, exact: DenseIndex, graph: DenseIndex, queries: Array, masks: list[Array | None], k: int
) -> dict[str, Any]:
    """Recall of the graph's answers in the exact ones, by score so that ties count, and milliseconds of both."""
    shares, times = [], []
    for n, query in enumerate(queries):
        mask = masks[n % len(masks)]
        (rows, scores), slow = timed(lambda q=query, m=mask: exact.search(q, mask=m, k=k))
        (near, cosines), fast = timed(lambda q=query, m=mask: graph.search(q, mask=m, k=k))
        assert len(near) == len(rows) == len(set(near.tolist())) and (mask is None or mask[near].all())
        shares.append(float((cosines >= scores[-1]).mean()))
        times.append((slow, fast))
    p50, p95 = np.percentile(times, 50, axis=0), np.percentile(times, 95, axis=0)
    return {
        "what": what, "k": k, "recall": round(float(np.mean(shares)), 4),
        "exact_p50": round(p50[0], 2), "exact_p95": round(p95[0], 2),
        "hnsw_p50": round(p50[1], 2), "hnsw_p95": round(p95[1], 2),
    }  # fmt: skip


def resident() -> float:
    """MB of this process that are its own, files mapped from disk not counted."""
    pages = Path("/proc/self/statm").read_text().split()
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(data: dict[str, Array], count: int) -> dict[str, Any]:
    chance = np.random.default_rng(SEED)
    tags, asked = data["languages"], data["query_languages"]
    main = max(("en", "zh"), key=lambda tag: int((tags == tag).sum()))
    real = data["vectors"][tags == main]
    queries = data["queries"][asked == main][:QUERIES]
    more = count + count // 10
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(Path(folder), filled(real, more, chance), np.full(more, main))
        corpus.replace(range(0), range(count))
        exact, plain = corpus.publish("exact", least=NEVER)
        before = resident()
        graph, seconds = corpus.publish("hnsw")
        engine, loading = timed(lambda index=graph: index.engine)
        memory = resident() - before
        if engine.name != "hnsw":
            raise SystemExit(f"no graph, nothing to measure: {engine.reason or 'too few vectors'}")
        table = [compare("all", exact, graph, queries, [None], k) for k in (10, 200)]
        for share in (0.01, 0.1, 0.5, 0.9):
            masks = [chance.random(count) < share for _ in range(10)]
            table += [compare(f"random {share:.0%} allowed", exact, graph, queries, masks, k) for k in (10, 200)]
        publishing = []
        for percent in (1, 5):
            n = count * percent // 100 // PER_DOCUMENT * PER_DOCUMENT
            corpus.replace(range(n), range(count, count + n))
            new, carried = corpus.publish(f"hnsw{percent}", "hnsw")
            same = new.engine.in_graphs < len(corpus.table)
            label = f"{percent} % new, as many gone"
            publishing.append((label, round(carried, 2), "linked" if same else "built anew"))
            full, _ = corpus.publish(f"exact{percent}", least=NEVER)
            table += [compare(label, full, new, queries, [None], k) for k in (10, 200)]
            corpus.replace(range(count, count + n), range(n))
        files = {p.name: p.stat().st_size / 1e6 for p in (Path(folder) / "hnsw").iterdir()}
        del exact, graph, new, full
        gc.collect()
    parameters = f"M {ann.M}, ef_construction {ann.EF_CONSTRUCTION}, ef {ann.EF}"
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "model": str(data["model"]),
        "language": main,
        "count": count,
        "real": min(len(real), count),
        "queries": len(queries),
        "parameters": parameters,
        "publish_exact_s": round(plain, 2),
        "publish_hnsw_s": round(seconds, 2),
        "load_ms": round(loading, 1),
        "memory_mb": round(memory, 1),
        "graph_mb": round(files["graph0.bin"], 1),
        "vectors_mb": round(files["vectors.npy"], 1),
        "carried": publishing,
        "table": table,
        "languages": two_languages(data, count, chance),
    }


def two_languages(data: dict[str, Array], count: int, chance: np.random.Generator) -> list[dict[str, Any]]:
    """Half English, half Chinese: what a question in one language finds in its own and in the other one."""
    halves = {tag: data["vectors"][data["languages"] == tag] for tag in ("en", "zh")}
    if min(map(len, halves.values())) < 2:
        return []
    with tempfile.TemporaryDirectory() as folder:
        half = count // 2 // PER_DOCUMENT * PER_DOCUMENT
        vectors = np.concatenate([filled(vectors, half, chance) for vectors in halves.values()])
        corpus = Corpus(Path(folder), vectors, np.repeat(["en", "zh"], half))
        corpus.replace(range(0), range(2 * half))
        exact, _ = corpus.publish("exact", least=NEVER)
        graph, _ = corpus.publish("hnsw")
        queries = data["queries"][data["query_languages"] == "en"][:QUERIES]
        table = []
        for tag in ("en", "zh"):
            code = corpus.table.languages.index(tag)
            mask = corpus.table.language == code
            table += [compare(f"English question, {tag} half", exact, graph, queries, [mask], k) for k in (10, 200)]
        del exact, graph
        gc.collect()
    return table


def show(found: dict[str, Any]) -> None:
    print(f"{found['machine']}, load {found['load']}; {found['model']}")
    print(
        f"{found['count']:,} vectors of {found['language']}, {found['real']:,} of them real, the rest mixed; "
        f"{found['queries']} queries; {found['parameters']}\n"
    )
    print("| what | figure |\n|---|---|")
    print(f"| publish, exact only | {found['publish_exact_s']} s |")
    print(f"| publish, graph built | {found['publish_hnsw_s']} s |")
    for what, seconds, how in found["carried"]:
        print(f"| publish, {what} | {seconds} s, graph {how} |")
    print(f"| check and load the graph | {found['load_ms']} ms, {found['memory_mb']} MB |")
    print(f"| on disk | graph {found['graph_mb']} MB, vectors {found['vectors_mb']} MB |")
    print("\n| search | k | recall | exact p50 ms | p95 | hnsw p50 ms | p95 |\n|---|--:|--:|--:|--:|--:|--:|")
    for row in found["table"] + found["languages"]:
        print("| " + " | ".join(str(value) for value in row.values()) + " |")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpora", type=Path, nargs="?")
    arguments.add_argument("--vectors", type=Path, help="take these instead of embedding")
    arguments.add_argument("--save", type=Path, help="keep what was embedded (.npz)")
    arguments.add_argument("--seconds", type=float, default=240.0, help="to embed for")
    arguments.add_argument("--chars", type=int, default=200, help="of each passage, so that more of them fit")
    arguments.add_argument("--count", type=int, default=100_000)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    if given.vectors:
        data = given_vectors(given.vectors)
    elif given.corpora:
        data = embedded(given.corpora, given.seconds, given.chars)
    else:
        arguments.error("name a folder of texts, or --vectors")
    if given.save:
        np.savez(given.save, **data)
    found = measure(data, given.count)
    print(json.dumps(found, indent=1, ensure_ascii=False)) if given.json else show(found)


if __name__ == "__main__":
    main()
