"""How long a step, a walk, a path and a look for conflicts take on a knowledge base: p50 and p95 of each direction.

    python benchmarks/navigate.py --kb DIR [--starts 200] [--json figures.json]
    python benchmarks/navigate.py --synthetic 100000         # objects that every direction leads on from

Starts are drawn (seeded) from the objects that a direction leads on from; a direction that leads on from none is told so
and is timed from any objects. ``step`` is one hop, ``walk`` as far as it leads (10,000 objects at most, 2,000 along any
relation), both with the edges' confidences, verdicts and near misses, as the program answers. Times are of CPU. Nothing is
written to the knowledge base. The target of the design is a p50 of 10 ms for navigation at 100,000 objects.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.index import facets, graph_build, tag_table
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.namespaces import DCTERMS, OAM, RDF, XSD, concept
from oam_rdf.ontology import Ontology
from oam_rdf.paths import branches
from oam_rdf.query.bearing import bearing
from oam_rdf.query.compose import compose
from oam_rdf.query.conflicts import conflicts
from oam_rdf.query.paths import paths
from oam_rdf.query.snapshot import Snapshot

EXPRESSIONS = (
    "ABSTRACT.UP*2 / EVIDENCE.STRONGER",
    "VERSION.LATEST / SOURCE.BACK",
    "DEPENDENCY.UPSTREAM*3 / VERSION.LATEST",
)
_READ = 200_000  # triples of a property that are looked through for starts


@dataclass
class Generation:
    """Stands where a published one would."""

    path: Path
    number: int = 1
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def revision(self) -> int:
        return 1


@contextmanager
def opened(kb: Path | None, objects: int | None) -> Iterator[Snapshot]:
    """The present generation of a knowledge base, or one made up of ``objects`` statements."""
    if kb is not None:
        with KnowledgeBase.open(kb) as base, base.snapshot() as snapshot:
            yield snapshot
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        store = Store(str(path / "store"))
        store.bulk_extend(synthetic(objects or 0))
        store.flush()

        def select(query: str) -> Any:
            return store.query(query, use_default_graph_as_union=True)

        rows = facets.build(select)
        rows.save(path / "facets")
        graph_build.build(select, rows).save(path / "graph")
        tag_table.build(select, rows).save(path / "tags")
        snapshot = Snapshot(path, Generation(path))
        yield snapshot
        snapshot.close()


def synthetic(objects: int, seed: int = 1) -> Iterator[Quad]:
    """Statements in documents of twenty, with four relations each, drawn alike from all that directions walk; three of four
    stay among the thousand nearest. A tenth of the relations is a candidate, another tenth has a node with a confidence."""
    chance = np.random.default_rng(seed)
    ontology, base = Ontology.load(), "http://bench.localhost/"
    kinds = sorted({item.iri for item in ontology.relations.values() if item.iri != OAM + "relatesTo"})
    states = sorted(ontology.notations("epistemic-state"))
    iris = [f"{base}doc/D{n // 20:05d}#S{n % 20}" for n in range(objects)]
    graphs = [NamedNode(f"{base}graph/D{n // 20:05d}/assertion") for n in range(objects)]
    kind, called, within = (NamedNode(x) for x in (RDF + "type", DCTERMS + "identifier", DCTERMS + "isPartOf"))
    for n, iri in enumerate(iris):
        node, document = NamedNode(iri), NamedNode(iri.partition("#")[0])
        if n % 20 == 0:
            yield Quad(document, kind, NamedNode(OAM + "Document"), graphs[n])
            yield Quad(document, called, Literal(f"D{n // 20:05d}"), graphs[n])
        yield Quad(node, kind, NamedNode(OAM + "Statement"), graphs[n])
        yield Quad(node, called, Literal(iri.rpartition("/")[2]), graphs[n])
        yield Quad(node, within, document, graphs[n])
        state = states[int(chance.integers(len(states)))]
        yield Quad(node, NamedNode(OAM + "epistemicState"), NamedNode(concept("epistemic-state", state)), graphs[n])
        for at in range(4):
            near = chance.random() < 0.75
            other = int(chance.integers(max(0, n - 500), min(objects, n + 500)) if near else chance.integers(objects))
            if other == n:
                continue
            property_, target = NamedNode(kinds[int(chance.integers(len(kinds)))]), NamedNode(iris[other])
            draw = chance.random()
            if draw > 0.1:
                yield Quad(node, property_, target, graphs[n])
            if draw < 0.2:
                relation = NamedNode(f"{iri}.rel{at}")
                verdict = "pending" if draw < 0.1 else "ok"
                for name, value in (
                    ("relationSource", node),
                    ("relationType", property_),
                    ("relationTarget", target),
                    ("verdict", NamedNode(concept("verdict", verdict))),
                    ("confidence", Literal(f"{chance.random():.2f}", datatype=NamedNode(XSD + "decimal"))),
                ):
                    yield Quad(relation, NamedNode(OAM + name), value, graphs[n])


def starts(snapshot: Snapshot, direction: str, count: int) -> tuple[list[str], int]:
    """IRIs that a direction leads on from, and how many there are."""
    way = snapshot.ontology.directions[direction]
    found: set[str] = set()
    for predicate, against in sorted({branch[0] for branch in branches(way.hop)}):
        query = f"SELECT ?s ?o {{ ?s <{predicate}> ?o FILTER(isIRI(?o)) }} LIMIT {_READ}"
        for source, target in snapshot.store.query(query, use_default_graph_as_union=True):  # type: ignore[misc]
            iri = (target if against else source).value
            if snapshot.facets.row(iri) >= 0:
                found.add(iri)
    chosen = sorted(found)
    return random.Random(direction).sample(chosen, min(count, len(chosen))), len(chosen)


def timed(calls: list[Callable[[], Any]]) -> dict[str, float]:
    """p50, p95 and the longest in milliseconds of CPU: other work on the machine does not count."""
    took = []
    for call in calls:
        began = time.process_time()
        call()
        took.append((time.process_time() - began) * 1000)
    at = np.percentile(took, [50, 95, 100])
    return {name: round(float(value), 2) for name, value in zip(("p50", "p95", "max"), at, strict=True)}


def measure(snapshot: Snapshot, count: int) -> dict[str, Any]:
    every = [snapshot.facets.iris[row] for row in np.flatnonzero(snapshot.visible).tolist()]
    anywhere = random.Random(1).sample(every, min(count, len(every)))
    compose(snapshot, anywhere[0], "SOURCE.BACK", 1)  # what is opened on first use
    figures: dict[str, Any] = {}
    for name in sorted(snapshot.ontology.directions):
        chosen, available = starts(snapshot, name, count)
        used = chosen or anywhere
        reached = [len(compose(snapshot, iri, name).nodes) for iri in used[:20]]
        figures[name] = {
            "starts": available,
            "arrivals": round(float(np.mean(reached)), 1),
            "step": timed([partial(compose, snapshot, iri, name, 1) for iri in used]),
            "walk": timed([partial(compose, snapshot, iri, name) for iri in used]),
        }
        print(row(name, figures[name]), flush=True)
    for text in EXPRESSIONS:
        chosen, available = starts(snapshot, text.split("*")[0].split(" ")[0], count)
        calls = [partial(compose, snapshot, iri, text) for iri in chosen or anywhere]
        figures[text] = {"starts": available, "walk": timed(calls)}
        print(
            f"| {text} | {available} |  |  |  | {figures[text]['walk']['p50']} | {figures[text]['walk']['p95']} |",
            flush=True,
        )
    linked, _ = starts(snapshot, "PERSPECTIVE.PUBLIC_EVIDENCE", count + 1)
    pairs = list(pairwise(linked))
    figures["paths k=3"] = timed([partial(paths, snapshot, a, b, k=3) for a, b in pairs[:50]])
    figures["evidence"] = timed([partial(bearing, snapshot, iri) for iri in anywhere])
    figures["conflicts of one"] = timed([partial(conflicts, snapshot, iri) for iri in anywhere[:50]])
    figures["conflicts of all"] = timed([partial(conflicts, snapshot)])
    for name in ("paths k=3", "evidence", "conflicts of one", "conflicts of all"):
        print(f"{name}: {figures[name]}", flush=True)
    return figures


def row(name: str, found: dict[str, Any]) -> str:
    cells = [name, found["starts"], found["arrivals"], *(found[k][p] for k in ("step", "walk") for p in ("p50", "p95"))]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--kb", type=Path)
    which.add_argument("--synthetic", type=int, metavar="OBJECTS")
    parser.add_argument("--starts", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with opened(options.kb, options.synthetic) as snapshot:
        graph = snapshot.graph
        print(
            f"{int(snapshot.visible.sum())} objects, {len(snapshot.store)} quads, {len(graph) if graph else 0} edges; "
            f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        print(
            "| direction | starts | arrivals | step p50 ms | step p95 | walk p50 | walk p95 |\n|---|---|---|---|---|---|---|"
        )
        figures = measure(snapshot, options.starts)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
