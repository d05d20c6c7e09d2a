"""Invalidation on a large graph: preview, apply and undo in seconds, the hash before and after, and one wrong edge.

    python benchmarks/invalidation.py                      # 100,000 objects, 10,000 of which rest on the withdrawn one
    python benchmarks/invalidation.py --objects 5000 --dependants 500

The store is made by bulk load: documents of 100 statements, each statement with its state; the dependants hang on the
withdrawn statement in a tree of the given width over depends_on, derived_from and supports, with edges back into it (cycles),
every tenth dependant is also supported by a statement that stands, and the others have edges among themselves. Figures are
wall-clock seconds on a machine that may be busy; CPU seconds stand beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.analysis import flagging, invalidation
from oam_rdf.namespaces import DCTERMS, OAM, RDF, concept
from oam_rdf.store.hashing import content_hash, graph_hashes
from oam_rdf.store.layout import Layout
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.review import Decided, judged

BASE = "http://bench.localhost/"
_PARTS = 100
_KINDS = ("dependsOn", "derivedFrom", "supports")
T = TypeVar("T")


def iri(number: int) -> str:
    return f"{BASE}doc/D{number // _PARTS}#s{number % _PARTS}"


def graph(number: int, kind: str) -> NamedNode:
    return NamedNode(f"{BASE}graph/D{number // _PARTS}/{kind}")


def edge(number: int, under: int, kind: str) -> Quad:
    """``number`` rests on ``under``: supports points the other way."""
    first, second = (under, number) if kind == "supports" else (number, under)
    return Quad(NamedNode(iri(first)), NamedNode(OAM + kind), NamedNode(iri(second)), graph(first, "assertion"))


def world(objects: int, dependants: int, width: int, seed: int = 1) -> Iterator[Quad]:
    """Statement 0 is withdrawn; 1 … ``dependants`` rest on it. The others never do."""
    chance = np.random.default_rng(seed)
    kinds = chance.integers(0, len(_KINDS), objects)
    other = chance.integers(dependants + 1, objects, objects)
    back = chance.integers(1, dependants + 1, dependants + 1)
    claim, refuted = (NamedNode(concept("epistemic-state", name)) for name in ("SOURCE_CLAIM", "REFUTED"))
    for number in range(objects):
        node, here = NamedNode(iri(number)), graph(number, "assertion")
        yield Quad(node, NamedNode(RDF + "type"), NamedNode(OAM + "Statement"), here)
        yield Quad(node, NamedNode(DCTERMS + "identifier"), Literal(iri(number).rpartition("/")[2]), here)
        yield Quad(node, NamedNode(OAM + "content"), Literal(f"Statement {number}."), here)
        state = claim if number else refuted
        yield Quad(node, NamedNode(OAM + "epistemicState"), state, graph(number, "assessment"))
        if 0 < number <= dependants:
            yield edge(number, (number - 1) // width, _KINDS[int(kinds[number])])
            if number % 7 == 0:  # a way back in: cycles
                yield edge(int(back[number]), number, "dependsOn")
            if number % 10 == 0:
                yield edge(number, int(other[number]), "supports")
        elif number > dependants + 1:
            yield edge(number, int(chance.integers(dependants + 1, number)), _KINDS[int(kinds[number])])


def wrong_edge(store: Store, objects: int, dependants: int) -> dict[str, Any]:
    """An accepted edge from a statement that stands to the withdrawn one, with three hops of others behind it."""
    ends = range(objects - 40, objects)
    first, second, third = ends[0], ends[1:4], ends[4:13]
    for number, under in ((first, 0), *((n, first) for n in second), *((n, second[0]) for n in third)):
        store.add(edge(number, under, "dependsOn"))
    node, here = NamedNode(f"{iri(first)}.rel1"), graph(first, "assertion")
    for name, value in (
        ("relationSource", iri(first)), ("relationType", OAM + "dependsOn"), ("relationTarget", iri(0)),
        ("verdict", concept("verdict", "ok")),
    ):  # fmt: skip
        store.add(Quad(node, NamedNode(OAM + name), NamedNode(value), here))
    store.add(Quad(node, NamedNode(RDF + "type"), NamedNode(OAM + "Relation"), here))

    def beyond() -> dict[int, int]:
        """Hops behind the wrong edge -> dependants that only it brings in."""
        found: dict[int, int] = {}
        for one in invalidation.impact(store, iri(0)).dependants:
            if any(step.subject == iri(first) and step.object == iri(0) for step in one.path):
                found[one.depth] = found.get(one.depth, 0) + 1
        return found

    before = beyond()
    made = Decided(f"{iri(first)}.review", iri(first), "UNAUDITED_EDGE", "", "", "", verdict="wrong")
    gone, new = judged(store.quads_for_pattern(None, None, None, here), node, made)
    for quad in gone:
        store.remove(quad)
    store.extend(new)
    return {"before the verdict": before, "after it": beyond()}


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, round(time.perf_counter() - wall, 3), round(time.process_time() - cpu, 3)


def measure(root: Path, objects: int, dependants: int, width: int = 12) -> dict[str, Any]:
    """Everything, with seconds as (wall, CPU)."""
    minter, layout = Minter(BASE), Layout(root)
    layout.live.mkdir(parents=True)
    with LiveStore(layout, minter) as live:
        live.store.bulk_extend(world(objects, dependants, width))
        live.store.flush()

        def hashed() -> str:
            names = [name.value for name in live.store.named_graphs() if isinstance(name, NamedNode)]
            return content_hash(graph_hashes(live.store, names))

        first = hashed()
        found, *preview = timed(lambda: invalidation.impact(live.store, iri(0)))
        done, *applied = timed(lambda: flagging.apply(live, minter, found, "bench"))
        flagged = hashed()
        taken, *undone = timed(lambda: flagging.undo(live, minter, done.run, "bench"))
        return {
            "objects": objects, "dependants": len(found.dependants), "deepest": max(found.counts, default=0),
            "with another support": sum(bool(one.alternatives) for one in found.dependants),
            "quads": len(live.store), "preview s": preview, "apply s": applied, "undo s": undone,
            "flagged": len(done.objects), "taken back": len(taken.objects),
            "hash differs while flagged": flagged != first, "hash after undo identical": hashed() == first,
            "wrong edge": wrong_edge(live.store, objects, dependants),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--dependants", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), given.objects, given.dependants)
    print(json.dumps(result, indent=2))
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
