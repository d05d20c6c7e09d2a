"""The RDF syntaxes that exports are written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from oam_rdf.errors import UsageError
from oam_rdf.namespaces import RDF, XSD
from oam_rdf.store.sparql_language import restore_case

#: Name as commands and servers know it -> format; Turtle is what is meant when nothing is said.
FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "nquads": RdfFormat.N_QUADS,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
    "rdfxml": RdfFormat.RDF_XML,
}
#: Formats without graph names.
TRIPLES = ("turtle", "ntriples", "rdfxml")

# XML 1.0 has no way at all to write these (§2.2), and an element name must end in a name (RDF/XML §5.1).
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_XML_NAME = re.compile(r"[^\W\d][\w.\-]*\Z")

# What Turtle writes in short: "a", plain strings, tagged strings, numbers and truth values.
_UNWRITTEN = {RDF + "type", RDF + "langString"} | {
    XSD + name for name in ("string", "integer", "decimal", "double", "boolean")
}


def write(quads: Sequence[Quad] | Sequence[Triple], fmt: str, prefixes: Mapping[str, str]) -> bytes:
    """The quads or triples in one of :data:`FORMATS`, in the order given, UTF-8.

    :raises UsageError: for an unknown format, and for what RDF/XML cannot say.
    """
    check(fmt)
    if fmt == "rdfxml":
        _check_xml(quads)
    body = serialize(iter(quads), format=FORMATS[fmt], prefixes=dict(prefixes)) or b""  # type: ignore[arg-type]
    return restore_case(_sorted_head(body), fmt)


def check(fmt: str) -> None:
    """:raises UsageError: for a format that is not in :data:`FORMATS`."""
    if fmt not in FORMATS:
        raise UsageError(f"unknown format {fmt!r}", hint="one of " + ", ".join(FORMATS))


def used(known: Mapping[str, str], triples: Iterable[Quad] | Iterable[Triple]) -> dict[str, str]:
    """The prefixes that the triples or quads use, by name: a reader need not wade through the others."""
    nodes: set[str] = set()
    for item in triples:
        terms = [item.subject, item.predicate, item.object, *([item.graph_name] if isinstance(item, Quad) else [])]
        nodes |= {term.value for term in terms if isinstance(term, NamedNode)}
        if isinstance(item.object, Literal):
            nodes.add(item.object.datatype.value)
    nodes -= _UNWRITTEN
    # What ends at "#" or "/" is what a prefix may stand for: cut once, so that each prefix is looked up and not searched.
    spaces = {node[: at + 1] for node in nodes for at, sign in enumerate(node) if sign in "#/"}
    return {name: iri for name, iri in sorted(known.items()) if iri in spaces}


def _check_xml(items: Iterable[Quad] | Iterable[Triple]) -> None:
    for item in items:
        if isinstance(item.object, Literal) and (bad := _NOT_XML.search(item.object.value)):
            raise UsageError(
                f"XML cannot write the character U+{ord(bad[0]):04X}", place=str(item.subject),
                hint="export as Turtle or N-Triples",
            )  # fmt: skip
        name = re.split("[#/]", item.predicate.value)[-1]
        if not _XML_NAME.match(name):
            raise UsageError(
                f"RDF/XML cannot write the property <{item.predicate.value}>", place=str(item.subject),
                hint="export as Turtle or N-Triples",
            )  # fmt: skip


def _sorted_head(body: bytes) -> bytes:
    """The prefix lines that the serialiser wrote first, in order of their names instead of by chance."""
    lines = body.split(b"\n")
    count = next((n for n, line in enumerate(lines) if not line.startswith(b"@prefix ")), len(lines))
    return b"\n".join([*sorted(lines[:count]), *lines[count:]])
