"""``oam validate``: files, folders, or a knowledge base, with what was checked counted (decision: zero is never a pass)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, Triple, parse, serialize

from oam_rdf.errors import NotFound, NothingChecked, ParseError
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes_report import ValidationReport

_FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".jsonld": RdfFormat.JSON_LD,
    ".rdf": RdfFormat.RDF_XML,
}
# What an import states is validated; what was inferred from it is not.
_LEFT_OUT = ("/inferred", "/provenance")


@dataclass(frozen=True, slots=True)
class Validation:
    """A validation report and where its data came from. ``exit_code``: 0 conforms, 1 violations."""

    report: ValidationReport
    sources: tuple[str, ...]
    triples: int

    @property
    def exit_code(self) -> int:
        return 0 if self.report.conforms else 1

    def to_json(self) -> dict[str, Any]:
        return {"sources": list(self.sources), "triples": self.triples, **self.report.to_json()}

    def to_text(self, lang: str = "en") -> str:
        return f"{len(self.sources)} sources, {self.triples} triples\n{self.report.to_text(lang)}"


def validate_store(store: Store, *, engine: str = "auto") -> Validation:
    """Validate all assertion, annotation and assessment graphs. Raises :class:`NothingChecked` when there is nothing."""
    graphs = [
        graph
        for graph in store.named_graphs()
        if isinstance(graph, NamedNode) and not any(part in graph.value for part in _LEFT_OUT)
    ]
    triples = {quad.triple for graph in graphs for quad in store.quads_for_pattern(None, None, None, graph)}
    return _validate(triples, tuple(sorted(graph.value for graph in graphs)), engine)


def validate_files(paths: Sequence[Path], *, engine: str = "auto") -> Validation:
    """Validate RDF files, and those below folders. Raises :class:`NothingChecked` when there are none."""
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
    triples: set[Triple] = set()
    for file in files:
        triples |= {quad.triple for quad in _read(file)}
    return _validate(triples, tuple(map(str, files)), engine)


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


def _validate(triples: set[Triple], sources: tuple[str, ...], engine: str) -> Validation:
    text = (serialize(sorted(triples, key=str), format=RdfFormat.N_TRIPLES) or b"").decode()
    report = Validator(engine).validate(text)
    if not report.checked:
        raise NothingChecked(
            f"no shape met a node in {len(sources)} sources with {len(triples)} triples",
            hint="is it in the oam: vocabulary? a check that met nothing is not a pass",
        )
    return Validation(report, sources, len(triples))
