"""``oam validate``: files, folders, or a knowledge base, with what was checked counted (decision: zero is never a pass)."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from pyoxigraph import Quad, RdfFormat, Store, Triple, parse, serialize

from oam_rdf.errors import NotFound, NothingChecked, ParseError, UsageError
from oam_rdf.namespaces import SHAPES
from oam_rdf.store import shapes_extract
from oam_rdf.store.graph_checks import checks, run_checks
from oam_rdf.store.report_outcome import LINT, Validation
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes import Shapes
from oam_rdf.store.shapes_lint import lint_shapes
from oam_rdf.store.shapes_report import ShapeResult, ValidationReport, ordered

__all__ = ["Request", "Validation", "examine_files", "examine_store", "rdf_files", "validate_files", "validate_store"]

_FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".jsonld": RdfFormat.JSON_LD,
    ".rdf": RdfFormat.RDF_XML,
}
# Shapes that a whole-graph check replaces on a whole graph: the path from every node is quadratic on a long chain.
_REPLACED = {SHAPES + "SupersessionCycle": "supersession-cycle"}


class Places(Protocol):
    """Knows where a source speaks of a node."""

    def find(self, focus: str) -> tuple[str, int]: ...


@dataclass(frozen=True, slots=True)
class Request:
    """What to validate with. ``only`` names shapes or whole-graph checks (all when empty); ``shapes`` are Turtle files or
    folders that are checked beside the shapes that ship; ``since`` is a revision; ``timed`` asks for seconds a shape."""

    engine: str = "auto"
    only: tuple[str, ...] = ()
    shapes: tuple[Path, ...] = ()
    since: int | None = None
    timed: bool = False


def validate_store(store: Store, *, engine: str = "auto") -> Validation:
    """Validate all that a store asserts. Raises :class:`NothingChecked` when there is nothing."""
    return examine_store(store, Request(engine)).require()


def validate_files(paths: Sequence[Path], *, engine: str = "auto") -> Validation:
    """Validate RDF files, and those below folders. Raises :class:`NothingChecked` when there are none."""
    return examine_files(paths, Request(engine)).require()


def examine_store(store: Store, request: Request, places: Places | None = None) -> Validation:
    """Shapes over the merge of all asserted graphs, and the whole-graph checks over the store.

    With ``request.since`` only what the documents changed after that revision describe, and what points at them.

    :raises UsageError: for an unknown shape or revision.
    """
    shapes, names = _selection(request)
    if not request.only:
        shapes = _without(shapes, _REPLACED)
    focus: set[str] | None = None
    revision = None
    if request.since is None:
        graphs = shapes_extract.asserted(store)
        data = shapes_extract.merged(store, graphs)
    else:
        changed, revision = shapes_extract.changed_since(store, request.since)
        graphs = list(changed)
        data, focus = shapes_extract.extract(store, changed)
    report = _validate(data, shapes, request, focus)
    found = run_checks(store, names)
    if focus is not None:
        found = {name: [f for f in rows if f.focus in focus or f.value[1:-1] in focus] for name, rows in found.items()}
    results = ordered([*report.results, *(finding for rows in found.values() for finding in rows)])
    counts = {name: len(rows) for name, rows in found.items()}
    sources = tuple(str(getattr(graph, "value", "default graph")) for graph in graphs)
    if request.only and names and not report.focus_nodes:
        # Asked for whole-graph checks alone: what they met is the graph itself.
        report = replace(report, focus_nodes={checks()[name].shape: _triples(data) for name in names})
    report = replace(report, results=_placed(results, places))
    return Validation(report, sources, _triples(data), counts, revision=revision)


def examine_files(paths: Sequence[Path], request: Request, places: Places | None = None) -> Validation:
    """Shapes over the merge of RDF files, of all their graphs.

    :raises NothingChecked: for a folder without RDF. :raises ParseError: with file and line. :raises NotFound:
    """
    if request.since is not None:
        raise UsageError("--changed-since needs a knowledge base", hint="leave the files out")
    shapes, _ = _selection(request, whole_graph=False)
    files = rdf_files(paths)
    triples: set[Triple] = set()
    for file in files:
        triples |= {quad.triple for quad in _read(file)}
    data = (serialize(sorted(triples, key=str), format=RdfFormat.N_TRIPLES) or b"").decode()
    report = _validate(data, shapes, request, None)
    report = replace(report, results=_placed(report.results, places))
    return Validation(report, tuple(map(str, files)), len(triples))


def rdf_files(paths: Sequence[Path]) -> list[Path]:
    """The RDF files meant. :raises NotFound: for a path that is not there. :raises NothingChecked: for an empty folder."""
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise NotFound("no such file or folder", place=str(path))
        found = sorted(file for file in path.rglob("*") if file.suffix in _FORMATS) if path.is_dir() else [path]
        if not found:
            raise NothingChecked(
                "no RDF files here", place=str(path), hint="Turtle, TriG, N-Triples, N-Quads, JSON-LD, RDF/XML"
            )
        files += found
    return files


def _selection(request: Request, *, whole_graph: bool = True) -> tuple[Shapes, list[str]]:
    """The shapes to compile, and the names of the whole-graph checks to run."""
    shapes = Shapes.with_files(request.shapes) if request.shapes else Shapes.load()
    known = list(checks()) if whole_graph else []
    if not request.only:
        return shapes, known
    chosen: set[str] = set()
    names: list[str] = []
    for name in request.only:
        check, shape = name.removeprefix(SHAPES).removeprefix("queries/"), shapes.find(name)
        if shape is not None:
            chosen.add(shape)
        elif check in known:
            names.append(check)
        else:
            some = sorted(iri.removeprefix(SHAPES) for iri in shapes.targeted)
            raise UsageError(f"no such shape: {name}", hint=f"one of {', '.join([*some, *known])}")
    return shapes.selected(chosen), names


def _without(shapes: Shapes, left_out: Collection[str]) -> Shapes:
    return shapes.selected(shapes.targeted - set(left_out))


def _validate(data: str, shapes: Shapes, request: Request, focus: Collection[str] | None) -> ValidationReport:
    started = time.perf_counter()
    slips = lint_shapes(shapes)
    # An engine gives up on a query that it cannot read: it is reported, and the other constraints are checked.
    shapes = shapes.without_queries(
        {slip.shape for slip in slips if slip.code in ("broken-sparql", "forbidden-sparql")}
    )
    validator = Validator(request.engine, shapes=shapes)
    report = validator.validate(data, focus=focus)
    wrong = [
        ShapeResult(slip.shape, "", "", f"{SHAPES}lint/{slip.code}", LINT, "Violation", {"en": slip.message})
        for slip in slips
        # A class of somebody else's vocabulary is no mistake when the data has members of it.
        if slip.code != "unknown-class" or not report.focus_nodes.get(slip.shape)
    ]
    costs = validator.seconds_per_shape(data) if request.timed else {}
    seconds = time.perf_counter() - started
    return replace(report, results=(*report.results, *wrong), seconds=seconds, shape_seconds=costs)


def _placed(results: Sequence[ShapeResult], places: Places | None) -> tuple[ShapeResult, ...]:
    if places is None:
        return tuple(results)
    found = []
    for result in results:
        file, line = places.find(result.focus)
        found.append(replace(result, file=file, line=line) if file else result)
    return tuple(found)


def _triples(data: str) -> int:
    return data.count("\n")


def _read(file: Path) -> list[Quad]:
    fmt = _FORMATS.get(file.suffix)
    if fmt is None:
        raise ParseError(
            f"cannot tell the RDF format of '{file.suffix}'", place=str(file), hint="one of " + " ".join(_FORMATS)
        )
    try:
        return list(parse(path=str(file), format=fmt, base_iri=file.resolve().as_uri()))
    except SyntaxError as error:
        raise ParseError(str(error), place=f"{file}:{error.lineno or 0}", hint="correct that line") from error
