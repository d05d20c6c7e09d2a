"""SHACL validation of an extract, by the Rust engine ``shacl`` or by pySHACL, with the same answer from both.

Shapes are compiled once per process. Nothing is fetched: imports are not followed, inference is off, and the only text
that reaches an engine is the shapes that ship, the vocabulary and the caller's N-Triples.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

from oam_rdf.errors import ConfigError, FeatureMissing, LimitExceeded, OamError, UsageError
from oam_rdf.namespaces import SH, XSD
from oam_rdf.store.shapes import Shapes
from oam_rdf.store.shapes_report import ShapeResult, ValidationReport, ordered

__all__ = ["ShapeResult", "ValidationReport", "Validator"]

_STRING = XSD + "string"
# N-Triples -> findings: one engine with its compiled shapes.
_Engine: TypeAlias = Callable[[str], list[ShapeResult]]


class Validator:
    """Validates N-Triples (the merge of the named graphs) against shapes: those of a folder (default: those that ship),
    or ``shapes``.

    ``engine`` is ``auto`` (``shacl`` where its wheel exists, else pySHACL), ``shacl`` or ``pyshacl``.

    :raises FeatureMissing: at the first validation, if the engine asked for is not installed.
    """

    def __init__(self, engine: str = "auto", folder: FilePath | None = None, shapes: Shapes | None = None) -> None:
        if engine not in ("auto", "shacl", "pyshacl"):
            raise UsageError(f"unknown SHACL engine {engine!r}", hint="use auto, shacl or pyshacl")
        self._asked = engine
        self._folder = folder
        self._shapes = shapes

    @property
    def shapes(self) -> Shapes:
        return self._shapes or Shapes.load(self._folder)

    def validate(self, triples: str, *, focus: Collection[str] | None = None) -> ValidationReport:
        """Findings of every shape in ``triples``; with ``focus`` only those about these nodes (IRIs).

        A Violation blocks, a Warning does not, whichever engine looks. ``report.checked == 0`` means that no shape met
        a node: the caller decides what that is worth.

        :raises ParseError: if the text is not N-Triples.
        :raises LimitExceeded: if pySHACL cannot finish a path (a chain of many hundred links).
        """
        started = time.perf_counter()
        shapes = self.shapes
        met = shapes.meet(triples, focus)
        name, run = _engine(self._asked, shapes)
        results = [r for r in run(triples + "\n" + shapes.background) if focus is None or r.focus in focus]
        return ValidationReport(ordered(results), met.focus_nodes, name, time.perf_counter() - started, met.idle)

    def seconds_per_shape(self, triples: str) -> dict[str, float]:
        """What each targeted shape costs alone: its run less that of a run without targets, in seconds."""
        text = triples + "\n" + self.shapes.background

        def cost(shapes: Shapes) -> float:
            _, run = _compile(self._asked, shapes)
            started = time.perf_counter()
            run(text)
            return time.perf_counter() - started

        reading = cost(self.shapes.selected(()))
        return {
            shape: max(0.0, cost(self.shapes.selected({shape})) - reading) for shape in sorted(self.shapes.targeted)
        }


@lru_cache(maxsize=8)
def _engine(asked: str, shapes: Shapes) -> tuple[str, _Engine]:
    return _compile(asked, shapes)


def _compile(asked: str, shapes: Shapes) -> tuple[str, _Engine]:
    try:
        return _compiled(asked, shapes)
    except OamError:
        raise
    except Exception as error:  # each engine has errors of its own for shapes that it cannot compile
        message = str(error).partition("\n")[0][:300]
        raise ConfigError(f"the shapes cannot be compiled: {message}", hint="correct the shapes") from error


def _compiled(asked: str, shapes: Shapes) -> tuple[str, _Engine]:
    if asked != "pyshacl":
        try:
            import shacl
        except ImportError as error:
            if asked == "shacl":
                raise FeatureMissing(
                    "the SHACL engine 'shacl' is not installed here",
                    hint="its wheel lacks some platforms; use --engine pyshacl",
                ) from error
        else:
            return f"shacl {shacl.__version__}", _rust(shacl.Shapes.from_turtle(shapes.text), shapes)
    return _python(shapes)


def _rust(compiled: Any, shapes: Shapes) -> _Engine:
    def run(triples: str) -> list[ShapeResult]:
        report = compiled.validate_text(triples, format="ntriples")
        return [
            _finding(
                shapes,
                found.focus_node,
                found.value or "",
                _bare(found.source_shape),
                found.path or "",
                found.component,
                found.severity_iri,
            )
            for found in report.results
        ]

    return run


def _python(shapes: Shapes) -> tuple[str, _Engine]:
    # rdflib and pySHACL cost a third of a second to import: only when they are asked for.
    import pyshacl
    from pyshacl.graph_abstraction import DataGraph
    from pyshacl.shapes_graph import ShapesGraph
    from pyshacl.validator import Validator as PyValidator
    from rdflib import Graph, URIRef

    compiled = ShapesGraph(_graph(shapes.text))
    names = ["result", "focusNode", "value", "sourceShape", "resultPath", "sourceConstraintComponent", "resultSeverity"]
    sh = {name: URIRef(SH + name) for name in names}

    def run(triples: str) -> list[ShapeResult]:
        data = DataGraph.from_rdflib_graph(_graph(triples))
        validator: Any = PyValidator(
            data,
            shacl_graph=Graph(),
            options={"inference": "none", "do_owl_imports": False, "advanced": False, "allow_warnings": True},
        )
        validator.shacl_graph = compiled
        try:
            _, report, _ = validator.run()
        except RecursionError as error:
            raise LimitExceeded(
                "pySHACL ran out of stack on a long chain of relations",
                hint="validate with the engine 'shacl', or a smaller extract",
            ) from error

        def one(result: Any, name: str) -> str:
            value = report.value(result, sh[name])
            return "" if value is None else _n_triples(value)

        return [
            _finding(
                shapes,
                one(result, "focusNode"),
                one(result, "value"),
                _bare(one(result, "sourceShape")),
                one(result, "resultPath"),
                _local(_bare(one(result, "sourceConstraintComponent"))),
                _bare(one(result, "resultSeverity")),
            )
            for result in report.objects(None, sh["result"])
        ]

    return f"pyshacl {pyshacl.__version__}", run


def _graph(triples: str) -> Any:
    """N-Triples as an rdflib graph. Read by Oxigraph, because rdflib's own reader rewrites literals ("01" to "1")."""
    from rdflib import BNode, Graph, URIRef
    from rdflib import Literal as PyLiteral

    def term(value: Any) -> Any:
        if isinstance(value, NamedNode):
            return URIRef(value.value)
        if isinstance(value, BlankNode):
            return BNode(value.value)
        if value.language:
            return PyLiteral(value.value, lang=value.language)
        datatype = None if value.datatype.value == _STRING else URIRef(value.datatype.value)
        return PyLiteral(value.value, datatype=datatype, normalize=False)

    graph = Graph()
    for quad in parse(triples, format=RdfFormat.N_TRIPLES):
        graph.add((term(quad.subject), URIRef(quad.predicate.value), term(quad.object)))
    return graph


def _n_triples(value: Any) -> str:
    """An rdflib term as Oxigraph writes it, so that both engines name a value alike."""
    from rdflib import BNode, URIRef

    if isinstance(value, URIRef):
        return f"<{value}>"
    if isinstance(value, BNode):
        return f"_:{value}"
    if value.language:
        return str(Literal(str(value), language=value.language))
    return str(Literal(str(value), datatype=NamedNode(str(value.datatype))) if value.datatype else Literal(str(value)))


def _finding(
    shapes: Shapes, focus: str, value: str, shape: str, path: str, component: str, severity: str
) -> ShapeResult:
    """``focus``, ``value`` and ``path`` as an engine gives them, in N-Triples; ``shape``, ``severity`` are plain IRIs."""
    if value == focus:
        value = ""  # constraints on the node itself report it as its own value: that adds nothing
    # The shape's own path, which both engines then show alike; closed and SPARQL constraints name one of their own.
    shown = shapes.path(shape) or path
    return ShapeResult(_bare(focus), shown, value, shape, component, _local(severity), shapes.messages(shape))


def _local(iri: str) -> str:
    return iri.rpartition("#")[2]


def _bare(term: str) -> str:
    return term[1:-1] if term.startswith("<") else term
