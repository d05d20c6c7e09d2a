"""Ingest a folder into a temporary knowledge base and measure it; a Markdown table comes out.

    python benchmarks/ingest.py FOLDER --profile peps

The peer is the least that any RDF loader must do: read the same files and bulk-load the same triples into an empty
Oxigraph store. Latencies are of warm queries without vectors, p50 and p95 over words drawn from the corpus' own titles.
"""

from __future__ import annotations

import argparse
import platform
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from pyoxigraph import RdfFormat, Store

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def timed(calls: list[tuple[str, float]], name: str) -> str:
    values = [seconds * 1000 for kind, seconds in calls if kind == name]
    return f"p50 {statistics.median(values):.1f} ms, p95 {percentile(values, 0.95):.1f} ms ({len(values)} calls)"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--profile", default="default")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kb = KnowledgeBase.init(Path(folder) / "kb")
        began = time.perf_counter()
        report = kb.ingest([given.folder], IngestOptions(profile=given.profile))
        seconds = time.perf_counter() - began
        if not report.landed:
            sys.exit("nothing landed: nothing was measured")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        again = time.perf_counter()
        assert kb.ingest([given.folder], IngestOptions(profile=given.profile)).revision == report.revision
        again = time.perf_counter() - again
        data = kb.export(None, "nquads")
        peer = time.perf_counter()
        for path in given.folder.rglob("*"):
            if path.is_file():
                path.read_bytes()
        store = Store(str(Path(folder) / "peer"))
        store.bulk_load(data, format=RdfFormat.N_QUADS)
        peer = time.perf_counter() - peer
        with kb.snapshot() as snapshot:
            ids = [
                snapshot.facets.identifiers[int(r)]
                for r in snapshot.facets.mask("granularity", "DOCUMENT").nonzero()[0]
            ]
            titles = [title for title in map(snapshot.facets.titles.__getitem__, range(len(snapshot.facets))) if title]
        chance = random.Random(1)
        calls: list[tuple[str, float]] = []
        for _ in range(200):
            for name, call in (
                ("search", lambda: kb.search(chance.choice(titles), k=10)),
                ("navigate", lambda: kb.navigate(chance.choice(ids), "VERSION.LATEST")),
            ):
                start = time.perf_counter()
                call()
                calls.append((name, time.perf_counter() - start))
        size = sum(path.stat().st_size for path in given.folder.rglob("*") if path.is_file())
        inodes = {p.stat().st_ino: p.stat().st_size for p in Path(folder, "kb").rglob("*") if p.is_file()}
        status = kb.status()
        print(
            f"{platform.machine()}, Python {platform.python_version()}, {given.folder.name}, profile {given.profile}\n"
        )
        print("| what | figure |\n|---|---|")
        for what, figure in (
            ("documents, of which landed", f"{report.found}, {report.landed}"),
            ("source", f"{size / 1e6:.1f} MB"),
            (
                "ingest",
                f"{seconds:.1f} s, {report.landed / seconds:.1f} documents/s, {size / 1e4 / seconds:.1f} × 10 kB/s",
            ),
            ("peer: read and bulk-load the same triples", f"{peer:.2f} s, ratio {seconds / peer:.0f}"),
            ("second ingest, nothing changed", f"{again:.2f} s"),
            ("peak memory", f"{peak:.0f} MB, parser process {children:.0f} MB"),
            ("quads", f"{status.quads:,}, {status.quads / (size / 1e4):.0f} per 10 kB"),
            ("objects", ", ".join(f"{count:,} {name}" for name, count in status.objects.items())),
            ("on disk", f"{sum(inodes.values()) / 1e6:.0f} MB, files linked between generations once"),
            ("search, words only", timed(calls, "search")),
            ("navigate", timed(calls, "navigate")),
        ):
            print(f"| {what} | {figure} |")
        kb.close()


if __name__ == "__main__":
    main()
