"""Seconds and peak memory of validation by engine and size, and of the ingest gate by number of changed objects.

    python benchmarks/validation.py              # a Markdown table; three minutes
    python benchmarks/validation.py --quick      # 1 k objects only
    python benchmarks/validation.py --long       # pySHACL to 10 k objects as well: some six minutes more

Every row is a process of its own, so that its peak memory is its own. Data are synthetic: documents of 100 objects with
spans, states, tags, relations and versions, encoded by the product's own codec. Shapes are compiled once, as in use.
pySHACL needs some 7 ms an object, and over a minute for 10 k: 100 k objects are not measured with it.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import memory
from pyoxigraph import NamedNode, Store

from oam_rdf.ingest.gate import Gate
from oam_rdf.model import KnowledgeObject, OperatorTag, ParsedDocument, Relation, Span
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import Codec, DocumentQuads, Resolved
from oam_rdf.store.graph_checks import run_checks
from oam_rdf.store.layout import Layout
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes_extract import asserted, merged

PER_DOCUMENT = 100
SIZES = {"shacl": (1_000, 10_000, 100_000), "pyshacl": (1_000,)}


def document(number: int, objects: int, minter: Minter) -> DocumentQuads:
    """A document with ``objects`` statements in sections of ten; it supersedes the one before it."""
    name = f"DOC-{number:05}"
    items = [KnowledgeObject(id="", granularity="DOCUMENT", title=f"Document {number}", language="en", spans=())]
    for n in range(objects):
        section = f"sec-{n // 10}"
        if n % 10 == 0:
            items.append(
                KnowledgeObject(
                    id=section, granularity="SECTION", title=f"Section {n}", spans=(Span(n * 50, n * 50 + 9),)
                )
            )
        items.append(
            KnowledgeObject(
                id=f"S{n}", granularity="STATEMENT", parent=section, content=f"Statement {n} of document {number}.",
                spans=(Span(n * 50 + 10, n * 50 + 49),), state="CONJECTURE" if n % 5 == 0 else "",
                operators=(OperatorTag("META.REVIEW", confidence=0.8),) if n % 4 == 0 else (),
            )
        )  # fmt: skip
    relations = [Relation(f"S{n}", "supports", f"S{n - 1}") for n in range(1, objects, 3)]
    parsed = ParsedDocument(
        id=name, path=f"{name}.md", sha256=f"{number:064x}", media_type="text/markdown", language="en",
        length=objects * 50 + 50, profile="default", objects=tuple(items), relations=tuple(relations), passages=(),
    )  # fmt: skip
    resolved = [Resolved(r, minter.part(name, r.target)) for r in relations]
    if number:
        before = f"DOC-{number - 1:05}"
        resolved.append(Resolved(Relation("", "supersedes", before), minter.document(before)))
    return Codec(minter, Ontology.load()).encode(parsed, resolved, root="")


def fill(store: Store, objects: int, minter: Minter) -> None:
    for number in range(objects // PER_DOCUMENT):
        store.bulk_extend(document(number, PER_DOCUMENT, minter).quads())


def whole(engine: str, objects: int, folder: Path) -> dict[str, object]:
    store = Store(str(folder))
    text = merged(store, asserted(store))
    Validator(engine).validate(f"<urn:x:a> <{NamedNode('urn:x:p').value}> <urn:x:b> .\n")  # compiled
    started = time.perf_counter()
    report = Validator(engine).validate(text)
    seconds = time.perf_counter() - started
    peak = memory.peak()  # before the checks, which have a row of their own
    return {"seconds": seconds, "peak": peak, "checked": report.checked, "results": len(report.results),
            "triples": text.count("\n")}  # fmt: skip


def checks(objects: int, folder: Path) -> dict[str, object]:
    store = Store(str(folder))
    started = time.perf_counter()
    found = run_checks(store)
    return {"seconds": time.perf_counter() - started, "peak": memory.peak(), "results": sum(map(len, found.values())),
            "triples": len(store), "checked": objects}  # fmt: skip


def gate(engine: str, changed: int, folder: Path) -> dict[str, object]:
    """The ingest gate on one document of ``changed`` objects against the filled store; the median of five."""
    minter = Minter("http://oam.localhost/")
    with LiveStore(Layout(folder), minter) as live:
        doc = document(99_999, changed, minter)
        own: dict[str, list[object]] = {}
        types = {q.subject.value: q.object for q in doc.quads() if q.predicate.value.endswith("#type")}  # type: ignore[union-attr]
        for quad in doc.quads():
            if isinstance(quad.object, NamedNode) and not quad.predicate.value.endswith("#type"):
                own.setdefault(quad.object.value, []).append(quad.triple)
        judge = Gate(Validator(engine), live, own, types, frozenset())  # type: ignore[arg-type]
        judge.check(doc, "x.md")
        times = []
        for _ in range(5):
            started = time.perf_counter()
            issues = judge.check(doc, "x.md")
            times.append(time.perf_counter() - started)
    return {"seconds": sorted(times)[2], "peak": memory.peak(), "results": len(issues), "triples": sum(1 for _ in doc.quads()),
            "checked": changed}  # fmt: skip


def _measure(*arguments: object) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        kind, *rest = options.one
        if kind == "checks":
            print(json.dumps(checks(int(rest[0]), Path(rest[1]))))
        else:
            print(json.dumps((whole if kind == "whole" else gate)(rest[0], int(rest[1]), Path(rest[2]))))
        return
    minter = Minter("http://oam.localhost/")
    print(
        f"Python {platform.python_version()}, {platform.machine()}; statements as objects, {PER_DOCUMENT} a document\n"
    )
    print("| what | engine | objects | triples | seconds | peak MB |\n|--|--|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as temporary:
        sizes = (1_000,) if options.quick else (1_000, 10_000, 100_000)
        for size in sizes:
            folder = Path(temporary, str(size))
            folder.mkdir()
            store = Store(str(folder / "live"))
            fill(store, size, minter)
            store.flush()
            del store
            for engine, measured in SIZES.items():
                if size in measured or (engine == "pyshacl" and options.long and size == 10_000):
                    _row("all shapes", engine, size, _measure("whole", engine, size, folder / "live"))
            _row("whole-graph checks", "Oxigraph", size, _measure("checks", size, folder / "live"))
        middle = Path(temporary, str(sizes[min(1, len(sizes) - 1)]))
        for engine in SIZES:
            for changed in (1, 10, 100):
                _row("gate, changed objects", engine, changed, _measure("gate", engine, changed, middle))


def _row(what: str, engine: str, size: int, got: dict[str, float]) -> None:
    print(
        f"| {what} | {engine} | {size:,} | {got['triples']:,} | {got['seconds']:.3f} | {got['peak']:.0f} |", flush=True
    )


if __name__ == "__main__":
    main()
