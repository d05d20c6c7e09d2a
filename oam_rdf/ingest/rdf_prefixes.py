"""The project's own prefixes in RDF files that use them without declaring them: declared for the reader, and reported.

Nothing else is guessed: a prefix that is not ours and not declared is an error with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pyoxigraph import NamedNode, Quad, RdfFormat

from oam_rdf.ingest.source import Source
from oam_rdf.namespaces import PREFIXES

# What the reader says of one, in Turtle and TriG, and in RDF/XML.
_UNDECLARED = re.compile(r"prefix ([\w.-]*): has not been declared|Unknown prefix ([\w.-]+):")
_ROOT = re.compile(r"<(?:[\w.-]+:)?RDF\b")
_RDF_XML = re.compile(
    r"\s*(?:<\?xml.*?\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\])?>\s*)*<(?:[\w.-]+:)?RDF\b", re.DOTALL
)


def missing(error: Exception) -> str | None:
    """The prefix that an error of the reader is about, None if it is about something else."""
    found = _UNDECLARED.search(str(error))
    return None if found is None else found[1] if found[1] is not None else found[2]


def declared(text: str, form: RdfFormat, prefix: str) -> str:
    """``text`` with one of our prefixes declared, line for line; the same text where that cannot be done."""
    iri = PREFIXES[prefix]
    if form == RdfFormat.RDF_XML:
        return _ROOT.sub(lambda root: f'{root[0]} xmlns:{prefix}="{iri}"', text, count=1)
    return f"@prefix {prefix}: <{iri}> . {text}"


def report(source: Source, prefix: str) -> None:
    """Say that a prefix was taken as ours, at its first use."""
    at = re.search(rf"(?<![\w-]){re.escape(prefix)}:", source.text)
    source.issue("undeclared-prefix", f"the prefix {prefix}: is not declared: read as <{PREFIXES[prefix]}>",
                 line=source.line(at.start()) if at else 0, hint="declare it in the file")  # fmt: skip


def in_json(quads: Iterable[Quad]) -> list[str]:
    """Our prefixes that a JSON-LD context left as they were: ``oam:alias`` as an IRI of its own, sorted."""
    found = set()
    for quad in quads:
        for term in (quad.subject, quad.predicate, quad.object, quad.graph_name):
            scheme = term.value.partition(":")[0] if isinstance(term, NamedNode) else ""
            if scheme in PREFIXES:
                found.add(scheme)
    return sorted(found)


def with_context(tree: Any, prefixes: Iterable[str]) -> Any:
    """A JSON-LD value with the prefixes in a context before its own."""
    ours = {prefix: PREFIXES[prefix] for prefix in prefixes}
    if isinstance(tree, list):
        return [with_context(item, prefixes) for item in tree]
    if not isinstance(tree, dict):
        return tree
    own = tree.get("@context")
    contexts = own if isinstance(own, list) else [own] if own is not None else []
    return {"@context": [ours, *contexts], **{name: value for name, value in tree.items() if name != "@context"}}


def is_rdf_xml(text: str) -> bool:
    """Whether an XML file is RDF/XML: its root is ``rdf:RDF``."""
    return _RDF_XML.match(text.removeprefix("\ufeff")[:20_000]) is not None
