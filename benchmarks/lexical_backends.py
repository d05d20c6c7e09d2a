"""Write time and query latency of the two lexical backends over the passages of a folder, in one run; Markdown comes out.

    python benchmarks/lexical_backends.py FOLDER --profile peps [--copies 5]

``--copies`` repeats the documents under other ids, so that sizes beyond the corpus can be measured; the table says so.
Queries are titles, words of the texts and ids of the corpus' own, drawn with a fixed seed. *First* is the first time that
a query is asked of the open index, *again* the second: both backends keep postings that they have read.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import OamError
from oam_rdf.index.base import LexicalChannel, backend
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse

QUERIES = 150


def read(folder: Path, profile: str, copies: int) -> list[IndexedDocument]:
    """The documents of a folder as the indexes take them."""
    chosen = profiles.load(profile)
    documents = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        try:
            parsed = parse(path.read_bytes(), str(path.relative_to(folder)), chosen)
        except (OamError, UnicodeDecodeError):
            continue
        documents.append(
            IndexedDocument(parsed.id, parsed.document.title, parsed.language, parsed.passages, parsed.terms)
        )
    again = [replace(d, id=f"{d.id}-copy{n}") for n in range(1, copies) for d in documents]
    return documents + again


def questions(documents: list[IndexedDocument]) -> list[str]:
    """Titles, a few words of a passage, and ids, in equal parts."""
    chance = random.Random(1)
    found = []
    for number in range(QUERIES):
        document = chance.choice([d for d in documents if d.passages])
        words = re.findall(r"\w[\w.-]+", chance.choice(document.passages).text) or [document.title]
        found.append((document.title, " ".join(chance.sample(words, min(3, len(words)))), document.id)[number % 3])
    return found


def latency(ask: Callable[[str], Any], queries: list[str]) -> str:
    """p50 and p95 in milliseconds."""
    times = []
    for query in queries:
        start = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    return f"{statistics.median(times):.1f} / {times[int(0.95 * len(times))]:.1f}"


def size(folder: Path) -> float:
    return sum(p.stat().st_size for p in folder.iterdir()) / 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--profile", default="default")
    arguments.add_argument("--copies", type=int, default=1)
    given = arguments.parse_args()
    documents = read(given.folder, given.profile, given.copies)
    table = PassageTable.empty().splice((), documents)
    if not len(table):
        sys.exit("no passage was read: nothing was measured")
    queries = questions(documents)
    visible = np.random.default_rng(1).random(len(table.documents)) < 0.9
    seen = visible[table.document]
    changed = documents[0]
    columns: dict[str, dict[str, str]] = {}
    indexes: dict[str, LexicalChannel] = {}
    with tempfile.TemporaryDirectory() as root:
        for name in ("whoosh", "tantivy"):
            made, rows = backend(name), columns.setdefault(name, {})
            start = time.perf_counter()
            made.publish(None, Path(root, name), (), documents, {d.id: d for d in documents}.__getitem__)
            rows["write all, s"] = f"{time.perf_counter() - start:.1f}"
            start = time.perf_counter()
            made.publish(Path(root, name), Path(root, name + "2"), (), [changed], {changed.id: changed}.__getitem__)
            rows["replace one document, s"] = f"{time.perf_counter() - start:.2f}"
            rows["on disk, MB"] = f"{size(Path(root, name)):.0f}"
            start = time.perf_counter()
            index = indexes[name] = made.open(Path(root, name), table)
            rows["open, ms"] = f"{(time.perf_counter() - start) * 1000:.0f}"
            kinds: tuple[tuple[str, dict[str, Any]], ...] = (
                ("coverage, best 10", {"scorer": "idf_coverage", "k": 10}),
                ("coverage, all", {"scorer": "idf_coverage"}),
                ("coverage, all, 90 % visible", {"scorer": "idf_coverage", "visible": seen}),
                ("bm25, all", {"scorer": "bm25"}),
            )
            for kind, options in kinds:
                index = made.open(Path(root, name), table)
                for time_of_asking in ("first", "again"):
                    ask = lambda q, index=index, options=options: index.search(q, **options)  # noqa: E731
                    rows[f"{kind}, {time_of_asking}, p50 / p95 ms"] = latency(ask, queries)
        wrong = 0
        for query in queries:
            one, two = (indexes[name].search(query, scorer="idf_coverage") for name in indexes)
            wrong += one.rows.tolist() != two.rows.tolist() or not np.allclose(one.scores, two.scores, atol=1e-5)
    copies = "" if given.copies == 1 else f", every document {given.copies} times"
    print(f"{given.folder.name}: {len(documents)} documents, {len(table)} passages{copies}; {len(queries)} queries.")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}.")
    print(f"Rankings that differ between the backends: {wrong} of {len(queries)}.\n")
    print("| | whoosh | tantivy |\n|--|--:|--:|")
    for row in columns["whoosh"]:
        print(f"| {row} | {columns['whoosh'][row]} | {columns['tantivy'][row]} |")


if __name__ == "__main__":
    main()
