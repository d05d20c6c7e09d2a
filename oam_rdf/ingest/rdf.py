"""RDF files: Turtle, TriG, N-Triples, N-Quads, RDF/XML and JSON-LD, as N-Quads that can be merged. Nothing is fetched.

Blank nodes become IRIs below the document (``#genid-HASH`` of what they say, so order makes no difference); relative
IRIs are resolved against the file's own base, else the one that the run names, else the profile's, else the file's IRI,
where the format allows them and refused where it does not; the project's own prefixes need no declaration; a dateTime
without a zone is refused (hazards 43, 46, 58).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, serialize
from pyoxigraph import parse as parse_rdf

from oam_rdf.errors import Forbidden, ParseError
from oam_rdf.ingest import rdf_access, rdf_document, rdf_lines, rdf_prefixes, skolem
from oam_rdf.ingest.language import detect, tag
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.ingest.source import Source
from oam_rdf.model import DOCUMENT, KnowledgeObject, ParsedDocument, Passage
from oam_rdf.namespaces import DCTERMS, DEFAULT_BASE, OAM, PREFIXES, RDFS, SKOS, XSD, encode_id
from oam_rdf.store.minter import document_segment

FORMATS: dict[str, tuple[RdfFormat, str]] = {
    "ttl": (RdfFormat.TURTLE, "text/turtle"),
    "turtle": (RdfFormat.TURTLE, "text/turtle"),
    "trig": (RdfFormat.TRIG, "application/trig"),
    "nt": (RdfFormat.N_TRIPLES, "application/n-triples"),
    "nq": (RdfFormat.N_QUADS, "application/n-quads"),
    "rdf": (RdfFormat.RDF_XML, "application/rdf+xml"),
    "owl": (RdfFormat.RDF_XML, "application/rdf+xml"),
    "xml": (RdfFormat.RDF_XML, "application/rdf+xml"),
    "jsonld": (RdfFormat.JSON_LD, "application/ld+json"),
}
MEDIA_TYPES: frozenset[str] = frozenset(media_type for _, media_type in FORMATS.values())
_TEXTS = {OAM + "content", DCTERMS + "description", DCTERMS + "abstract", RDFS + "comment", SKOS + "definition"}
_NAMES = {DCTERMS + "title", RDFS + "label", SKOS + "prefLabel"}
_ZONED = re.compile(r"-?\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})")
_DATE_TIMES = {XSD + "dateTime", XSD + "dateTimeStamp"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def parse(
    source: Source, profile: Profile, extension: str, *, statements: str = "said", base: str = DEFAULT_BASE
) -> ParsedDocument:
    """An RDF file as a document whose ``rdf`` holds its N-Quads. ``base`` is the knowledge base's base IRI.

    The one ``oam:Document`` that the file describes is the document, under its ``dcterms:identifier``; a file that
    describes none, or several, is one named after the file. All of it is as visible as the narrowest
    ``oam:visibility`` anywhere in it. Comments ``# LINE <IRI>`` before the N-Quads say where a subject stands in the
    file.

    :raises Skipped: for an XML file that is no RDF/XML.
    :raises ParseError: for RDF that cannot be read, relative IRIs in a line format, dateTimes without a zone, and
        graphs of a knowledge base, which are to be loaded.
    :raises Forbidden: for a JSON-LD context that would have to be fetched.
    """
    form, media_type = FORMATS[extension]
    text = source.text.removeprefix("\ufeff")
    if extension == "xml" and not rdf_prefixes.is_rdf_xml(text):
        raise Skipped("XML that is no RDF/XML", code="other-xml", place=source.place(), hint="its root is not rdf:RDF")
    tree = _no_remote_context(source, text) if form == RdfFormat.JSON_LD else None
    file_iri = profile.base or f"{base}doc/{encode_id(source.stem)}"
    quads = _quads(source, text, form, media_type, file_iri, tree)
    lines = rdf_lines.lines(text, file_iri)
    _no_export(source, quads, base)
    level = rdf_access.level(source, quads, lines, tree)
    identity = rdf_document.identify(source, quads, lines, base, media_type)
    renamed, kept = rdf_document.renamed(quads, identity, skolem.names(quads, identity.iri))
    places = {renamed.get(iri, iri): line for iri, line in lines.items()} | _blank_places(quads, renamed, lines)
    passages = tuple(_passages(kept, profile.language or "en", identity.iri, base))
    language = identity.language or (passages[0].language if passages else profile.language or "en")
    head = KnowledgeObject(
        id="", granularity=DOCUMENT, title=identity.title if identity.known else source.stem, language=language,
        line=identity.line, visibility=level, aliases=identity.aliases, extra={},
    )  # fmt: skip
    subjects = sorted({quad.subject.value for quad in kept if isinstance(quad.subject, NamedNode)})
    comments = "".join(f"# {places[iri]} <{iri}>\n" for iri in subjects if iri in places)
    return ParsedDocument(
        id=identity.id,
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type=media_type,
        profile=profile.name,
        language=language,
        objects=(head,),
        passages=passages,
        terms=tuple(dict.fromkeys(w.value for q in kept if q.predicate.value in _NAMES and (w := _words(q.object)))),
        issues=tuple(source.issues),
        rdf=comments + (serialize(sorted(kept, key=str), format=RdfFormat.N_QUADS) or b"").decode(),
        own_id=identity.known,
    )


def _quads(source: Source, text: str, form: RdfFormat, media_type: str, file_iri: str, tree: Any) -> list[Quad]:
    """The file's quads, each once, blank nodes and all. ``tree`` is the value of a JSON-LD file."""
    line_format = form in (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
    quads: dict[Quad, None] = {}
    ours: dict[str, None] = {}  # prefixes of the project that the file does not declare
    while True:
        try:
            quads = dict.fromkeys(parse_rdf(text.encode(), form, base_iri=None if line_format else file_iri))
            bare = [] if tree is None else [prefix for prefix in rdf_prefixes.in_json(quads) if prefix not in ours]
            if not bare:
                break
            ours |= dict.fromkeys(bare)
            text = json.dumps(rdf_prefixes.with_context(tree, ours))
        except SyntaxError as error:
            prefix = rdf_prefixes.missing(error)
            if prefix is not None and prefix in PREFIXES and prefix not in ours:
                ours[prefix] = None
                text = rdf_prefixes.declared(text, form, prefix)
                continue
            line = error.lineno or (0 if prefix is None else _line(source, f"{prefix}:"))
            where = f"{source.place(line)}:{error.offset}" if error.offset else source.place(line)
            hint = "write absolute IRIs" if "scheme" in str(error) or "IRI" in str(error) else "correct it there"
            hint = hint if prefix is None else f"declare it: @prefix {prefix}: <…> ."
            raise ParseError(f"not valid {media_type}: {error.msg}", place=where, hint=hint) from error
        except ValueError as error:
            raise ParseError(f"not valid {media_type}: {error}", place=source.place(), hint="correct it") from error
    for quad in quads:
        for term in _terms(quad):
            _check(source, term)
    for prefix in ours:
        rdf_prefixes.report(source, prefix)
    if not quads:
        raise ParseError("no triples in this file", place=source.place(), hint="leave it out")
    quoted = sum(isinstance(quad.object, Triple) for quad in quads)
    if quoted:
        source.issue("only-in-original", f"{quoted} triples about triples are kept in the Original only",
                     hint="nothing in the graph has a place for them")  # fmt: skip
    graphs = len({quad.graph_name for quad in quads if not isinstance(quad.graph_name, DefaultGraph)})
    if graphs:
        source.issue("only-in-original", f"{graphs} named graphs become one: their names are kept in the Original only",
                     severity="note", hint="an export of a knowledge base is brought back by `oam load`")  # fmt: skip
    return list(quads)


def _no_export(source: Source, quads: list[Quad], base: str) -> None:
    """Graphs of a knowledge base have their own visibility and history, which no import may flatten or write over."""
    for quad in quads:
        for term in (quad.graph_name, quad.subject):
            if isinstance(term, NamedNode) and (document_segment(term.value) or term.value.startswith(f"{base}graph/")):
                raise ParseError(
                    f"<{term.value}> is a graph of a knowledge base", place=source.place(_line(source, term.value)),
                    hint="bring an export back with `oam load FILE.trig --originals FOLDER`",
                )  # fmt: skip


def _blank_places(quads: list[Quad], renamed: dict[Any, str], lines: dict[str, int]) -> dict[str, int]:
    """Lines of what were blank nodes: those of the subjects that lead to them."""
    found: dict[Any, int] = {}
    for _ in range(8):  # as deep as people nest brackets
        before = len(found)
        for quad in quads:
            if isinstance(quad.object, BlankNode) and quad.object not in found:
                subject = quad.subject
                line = lines.get(subject.value, 0) if isinstance(subject, NamedNode) else found.get(subject, 0)
                if line:
                    found[quad.object] = line
        if len(found) == before:
            break
    return {renamed[node]: line for node, line in found.items()}


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


def _no_remote_context(source: Source, text: str) -> Any:
    """Refuses contexts and imports that name a document instead of containing it, at every depth; gives the JSON."""
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
    return value


def _words(term: object) -> Literal | None:
    """The term if it is a text."""
    if isinstance(term, Literal) and (term.language is not None or term.datatype.value == XSD + "string"):
        return term
    return None


def _passages(quads: list[Quad], default: str, document: str, base: str) -> Iterator[Passage]:
    """One passage for each subject that says something in words, its name and its texts: it stands for that subject."""
    words: dict[str, list[Literal]] = {}
    titles: dict[str, str] = {}
    made = {_value(q.subject) for q in quads if _value(q.object) == OAM + "GeneratedText"}
    for quad in quads:
        text = _words(quad.object)
        if text is not None and quad.predicate.value in _TEXTS | _NAMES:
            words.setdefault(_value(quad.subject), []).append(text)
            if quad.predicate.value in _NAMES:
                titles.setdefault(_value(quad.subject), text.value)
    for number, (subject, literals) in enumerate(words.items()):
        body = "\n".join(dict.fromkeys(literal.value for literal in literals if literal.value.strip()))
        if not body or (subject in made and not _local(subject, document, base)):
            continue  # generated text that is no part of the document must not pass for its words
        written = next((literal.language for literal in literals if literal.language), "")
        yield Passage(
            section="", start=-1, end=-1, heading=titles.get(subject, ""), text=body,
            language=tag(written, body) if written else detect(body, default), lead=number == 0,
            object=_local(subject, document, base),
        )  # fmt: skip


def _value(term: Any) -> str:
    return str(getattr(term, "value", term))


def _local(iri: str, document: str, base: str) -> str:
    """The local or corpus-wide id of one of our own IRIs, "" for any other."""
    for prefix in (document + "#", base + "ko/"):
        if iri.startswith(prefix):
            return unquote(iri.removeprefix(prefix))
    return ""
