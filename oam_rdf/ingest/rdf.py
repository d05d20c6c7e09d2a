"""RDF files: Turtle, TriG, N-Triples, N-Quads, RDF/XML and JSON-LD, as N-Quads that can be merged. Nothing is fetched.

Blank nodes become IRIs below the document (``#genid-1`` in order of appearance, so the same bytes always give the same
IRIs); relative IRIs are resolved against the document's IRI where the format allows them and refused where it does
not; a dateTime without a zone is refused (hazards 43, 46, 58).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, serialize
from pyoxigraph import parse as parse_rdf

from oam_rdf.errors import Forbidden, ParseError
from oam_rdf.ingest.language import detect, tag
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.model import DOCUMENT, KnowledgeObject, ParsedDocument, Passage
from oam_rdf.namespaces import DCTERMS, DEFAULT_BASE, OAM, RDFS, SKOS, XSD, encode_id

FORMATS: dict[str, tuple[RdfFormat, str]] = {
    "ttl": (RdfFormat.TURTLE, "text/turtle"),
    "turtle": (RdfFormat.TURTLE, "text/turtle"),
    "trig": (RdfFormat.TRIG, "application/trig"),
    "nt": (RdfFormat.N_TRIPLES, "application/n-triples"),
    "nq": (RdfFormat.N_QUADS, "application/n-quads"),
    "rdf": (RdfFormat.RDF_XML, "application/rdf+xml"),
    "owl": (RdfFormat.RDF_XML, "application/rdf+xml"),
    "jsonld": (RdfFormat.JSON_LD, "application/ld+json"),
}
_TEXTS = {OAM + "content", DCTERMS + "description", DCTERMS + "abstract", RDFS + "comment", SKOS + "definition"}
_NAMES = {DCTERMS + "title", RDFS + "label", SKOS + "prefLabel"}
_ZONED = re.compile(r"-?\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})")
_DATE_TIMES = {XSD + "dateTime", XSD + "dateTimeStamp"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def parse(
    source: Source, profile: Profile, extension: str, *, statements: str = "said", base: str = DEFAULT_BASE
) -> ParsedDocument:
    """An RDF file as a document whose ``rdf`` holds its N-Quads. ``base`` is the knowledge base's base IRI.

    :raises ParseError: for RDF that cannot be read, relative IRIs in a line format, dateTimes without a zone.
    :raises Forbidden: for a JSON-LD context that would have to be fetched.
    """
    form, media_type = FORMATS[extension]
    text = source.text.removeprefix("\ufeff")
    if form == RdfFormat.JSON_LD:
        _no_remote_context(source, text)
    document = f"{base}doc/{encode_id(source.stem)}"
    line_format = form in (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
    names: dict[BlankNode, NamedNode] = {}

    def skolem(term: Any) -> Any:
        if isinstance(term, BlankNode):
            if term not in names:
                names[term] = NamedNode(f"{document}#genid-{len(names) + 1}")
            return names[term]
        if isinstance(term, Triple):
            return Triple(skolem(term.subject), term.predicate, skolem(term.object))
        return term

    quads: list[Quad] = []
    try:
        for quad in parse_rdf(text.encode(), form, base_iri=None if line_format else document):
            for term in _terms(quad):
                _check(source, term)
            quads.append(Quad(skolem(quad.subject), quad.predicate, skolem(quad.object), skolem(quad.graph_name)))
    except SyntaxError as error:
        where = f"{source.place(error.lineno or 0)}:{error.offset}" if error.offset else source.place(error.lineno or 0)
        hint = "write absolute IRIs" if "scheme" in str(error) or "IRI" in str(error) else "correct it there"
        raise ParseError(f"not valid {media_type}: {error.msg}", place=where, hint=hint) from error
    except ValueError as error:
        raise ParseError(f"not valid {media_type}: {error}", place=source.place(), hint="correct it") from error
    if not quads:
        raise ParseError("no triples in this file", place=source.place(), hint="leave it out")
    quads = list(dict.fromkeys(quads))
    passages = tuple(_passages(quads, profile.language or "en"))
    language = passages[0].language if passages else profile.language or "en"
    head = KnowledgeObject(id="", granularity=DOCUMENT, title=source.stem, language=language, line=1, extra={})
    return ParsedDocument(
        id=source.stem,
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type=media_type,
        profile=profile.name,
        language=language,
        objects=(head,),
        passages=passages,
        terms=tuple(dict.fromkeys(w.value for q in quads if q.predicate.value in _NAMES and (w := _words(q.object)))),
        issues=tuple(source.issues),
        rdf=(serialize(sorted(quads, key=str), format=RdfFormat.N_QUADS) or b"").decode(),
    )


def _terms(quad: Quad) -> Iterator[Any]:
    yield from (quad.subject, quad.predicate, quad.object)
    if not isinstance(quad.graph_name, DefaultGraph):
        yield quad.graph_name


def _check(source: Source, term: Any) -> None:
    if isinstance(term, NamedNode) and not _SCHEME.match(term.value):
        raise ParseError(f"relative IRI <{term.value}>", place=source.place(_line(source, term.value)),
                         hint="write absolute IRIs")  # fmt: skip
    if isinstance(term, Literal) and term.datatype.value in _DATE_TIMES and not _ZONED.fullmatch(term.value):
        raise ParseError(
            f"{term.value!r} is no dateTime with a zone",
            place=source.place(_line(source, term.value)),
            hint="write 2026-07-31T00:00:00Z",
        )
    if isinstance(term, Triple):
        for part in (term.subject, term.predicate, term.object):
            _check(source, part)


def _line(source: Source, value: str) -> int:
    at = source.text.find(value)
    return source.line(at) if at >= 0 else 0


def _no_remote_context(source: Source, text: str) -> None:
    """Refuses contexts and imports that name a document instead of containing it, at every depth."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ParseError("JSON nested too deeply", place=source.place(), hint="flatten it") from error
    except json.JSONDecodeError as error:
        where = f"{source.place(error.lineno)}:{error.colno}"
        raise ParseError(f"not valid JSON: {error.msg}", place=where, hint="correct it there") from error
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif isinstance(node, dict):
            contexts = node.get("@context")
            for context in contexts if isinstance(contexts, list) else [contexts]:
                remote = context if isinstance(context, str) else ""
                if isinstance(context, dict) and isinstance(context.get("@import"), str):
                    remote = context["@import"]
                if remote:
                    raise Forbidden(
                        f"the JSON-LD context {remote!r} would have to be fetched",
                        place=source.place(_line(source, remote)),
                        hint="put the context into the file",
                    )
            todo += node.values()


def _words(term: object) -> Literal | None:
    """The term if it is a text."""
    if isinstance(term, Literal) and (term.language is not None or term.datatype.value == XSD + "string"):
        return term
    return None


def _passages(quads: list[Quad], default: str) -> Iterator[Passage]:
    """One passage for each subject that says something in words: its name and its texts."""
    words: dict[str, list[Literal]] = {}
    titles: dict[str, str] = {}
    for quad in quads:
        text = _words(quad.object)
        if text is not None and quad.predicate.value in _TEXTS | _NAMES:
            words.setdefault(str(quad.subject), []).append(text)
            if quad.predicate.value in _NAMES:
                titles.setdefault(str(quad.subject), text.value)
    for number, (subject, literals) in enumerate(words.items()):
        body = "\n".join(dict.fromkeys(literal.value for literal in literals if literal.value.strip()))
        if not body:
            continue
        written = next((literal.language for literal in literals if literal.language), "")
        yield Passage(
            section="", start=-1, end=-1, heading=titles.get(subject, ""), text=body,
            language=tag(written, body) if written else detect(body, default), lead=number == 0,
        )  # fmt: skip
