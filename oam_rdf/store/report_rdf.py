"""A validation as a SHACL validation report (SHACL §3.6), every node with an IRI of its own."""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse, serialize

from oam_rdf.namespaces import DCTERMS, PREFIXES, RDF, SH, XSD
from oam_rdf.store.report_outcome import Validation
from oam_rdf.store.shapes_report import ShapeResult
from oam_rdf.store.sparql_language import restore_case

FORMATS = {"turtle": RdfFormat.TURTLE, "jsonld": RdfFormat.JSON_LD}
_TYPE = NamedNode(RDF + "type")


def report_rdf(found: Validation, fmt: str) -> str:
    """The report as ``turtle`` or ``jsonld``; its nodes are ``urn:oam:finding:<fingerprint>``."""
    triples = list(report_triples(found, "urn:oam:report", "urn:oam:finding:"))
    known = {name: iri for name, iri in PREFIXES.items() if any(iri in str(triple) for triple in triples)}
    body = serialize(triples, format=FORMATS[fmt], prefixes=known if fmt == "turtle" else None) or b""
    return restore_case(body, fmt).decode()


def report_triples(found: Validation, report: str, prefix: str) -> Iterator[Triple]:
    """The triples of the report named ``report``, whose results are named ``prefix`` + fingerprint."""
    node, sh = NamedNode(report), _sh
    yield Triple(node, _TYPE, sh("ValidationReport"))
    yield Triple(node, sh("conforms"), _boolean(not found.report.results))
    for result in found.report.results:
        entry = NamedNode(prefix + result.fingerprint)
        yield Triple(node, sh("result"), entry)
        yield from _entry(entry, result)


def _entry(entry: NamedNode, result: ShapeResult) -> Iterator[Triple]:
    sh = _sh
    yield Triple(entry, _TYPE, sh("ValidationResult"))
    yield Triple(entry, sh("focusNode"), _term(result.focus))
    yield Triple(entry, sh("sourceShape"), NamedNode(result.shape))
    yield Triple(entry, sh("sourceConstraintComponent"), sh(result.component))
    yield Triple(entry, sh("resultSeverity"), sh(result.severity))
    for lang, message in sorted(result.messages.items()):
        yield Triple(entry, sh("resultMessage"), Literal(message, language=lang))
    path = result.path
    if path.startswith("<") and path.count("<") == 1 and path.endswith(">"):
        yield Triple(entry, sh("resultPath"), NamedNode(path[1:-1]))
    elif path:
        # A longer path is a structure of blank nodes in the shapes graph, where sh:sourceShape leads to it.
        yield Triple(entry, NamedNode(DCTERMS + "description"), Literal(path))
    if result.value:
        yield Triple(entry, sh("value"), _value(result.value))
    if result.place:
        yield Triple(entry, NamedNode(DCTERMS + "source"), Literal(result.place))


def _sh(name: str) -> NamedNode:
    return NamedNode(SH + name)


def _boolean(value: bool) -> Literal:
    return Literal("true" if value else "false", datatype=NamedNode(XSD + "boolean"))


def _term(plain: str) -> NamedNode | Literal:
    return NamedNode(plain) if ":" in plain and not plain.startswith("_:") and " " not in plain else Literal(plain)


def _value(text: str) -> NamedNode | Literal:
    """A term from its N-Triples form; a blank node is only a label here."""
    try:
        for quad in parse(f"<x:s> <x:p> {text} .", format=RdfFormat.N_TRIPLES):
            if isinstance(quad.object, (NamedNode, Literal)):
                return quad.object
            if isinstance(quad.object, BlankNode):
                return Literal(text)
    except SyntaxError:
        return Literal(text)
    return Literal(text)
