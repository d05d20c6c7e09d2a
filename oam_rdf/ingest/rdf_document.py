"""Which document an RDF file is: the one it describes, under the identifier that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, parse, serialize

from oam_rdf.ingest.language import tag
from oam_rdf.ingest.source import Source
from oam_rdf.namespaces import DCTERMS, OAM, PROV, RDF, encode_id

_TYPE, _DOCUMENT = NamedNode(RDF + "type"), NamedNode(OAM + "Document")


@dataclass(frozen=True, slots=True)
class Identity:
    """``node`` is the file's own IRI for the document, ``iri`` the one it has here; ``known`` is False if none is."""

    id: str
    iri: str
    node: str = ""
    known: bool = False
    title: str = ""
    language: str = ""
    aliases: tuple[str, ...] = ()
    line: int = 1
    left: frozenset[Quad] = frozenset()  # quads that the document's own description replaces
    parts: bool = False  # whether fragments of ``node`` are parts of it


def identify(source: Source, quads: Sequence[Quad], lines: Mapping[str, int], base: str, media_type: str) -> Identity:
    """The only ``oam:Document`` under ``base``, else the only one with an identifier, else one named after the file."""
    described = list(dict.fromkeys(q.subject for q in quads if q.predicate == _TYPE and q.object == _DOCUMENT))
    own = [
        n for n in described if isinstance(n, NamedNode) and n.value.startswith(f"{base}doc/") and "#" not in n.value
    ]
    named = [n for n in described if isinstance(n, NamedNode) and _texts(quads, n, DCTERMS + "identifier")]
    node = own[0] if len(own) == 1 else named[0] if len(named) == 1 and len(described) == 1 else None
    if node is None:
        if len(described) > 1:
            source.issue("several-documents", f"{len(described)} documents are described here, so the file is another",
                         severity="note", hint="one file for each, to give each its own Original")  # fmt: skip
        return Identity(source.stem, f"{base}doc/{encode_id(source.stem)}")
    ours = node in own
    identifiers = [literal.value.strip() for literal in _texts(quads, node, DCTERMS + "identifier")]
    fitting = [i for i in identifiers if f"{base}doc/{encode_id(i)}" == node.value]
    name = (fitting or sorted(filter(None, identifiers)) or [unquote(node.value.removeprefix(f"{base}doc/"))])[0]
    iri, line = f"{base}doc/{encode_id(name)}", lines.get(node.value, 1)
    languages = sorted(literal.value for literal in _texts(quads, node, DCTERMS + "language"))
    title, language, untagged = _title(_texts(quads, node, DCTERMS + "title"), languages)
    left = set()
    for quad in quads:
        if quad.subject != node:
            continue
        value = quad.object.value if isinstance(quad.object, Literal | NamedNode) else ""
        what = ""
        if quad.predicate.value == DCTERMS + "format":
            what = "" if value == media_type else f"the format {value!r} of what it was exported from"
            left.add(quad)
        elif quad.predicate.value == PROV + "wasDerivedFrom" and value.startswith(f"{base}original/"):
            what = f"that it was read from <{value}>"
            left.add(quad)
        elif quad.predicate.value == DCTERMS + "title" and untagged and quad.object == Literal(title):
            left.add(quad)  # written again, with its language
        if what:
            source.issue("only-in-original", f"kept in the Original only: {what}", line=line, severity="note",
                         hint="the document's Original is this file")  # fmt: skip
    if iri != node.value:
        source.issue("renamed-iri", f"<{node.value}> is <{iri}> here, after its identifier {name!r}", line=line,
                     severity="note", hint="its old IRI is an alias")  # fmt: skip
    aliases = [literal.value for literal in _texts(quads, node, OAM + "alias")]
    if iri != node.value and not ours:
        aliases.append(node.value)
    return Identity(name, iri, node.value, True, title, language, tuple(dict.fromkeys(aliases)), line,
                    frozenset(left), ours)  # fmt: skip


def renamed(
    quads: Iterable[Quad], identity: Identity, blank: Mapping[BlankNode, NamedNode]
) -> tuple[dict[Any, str], list[Quad]]:
    """The new IRIs of what is renamed, by old IRI or blank node, and the quads under them that are kept, each once."""
    names: dict[Any, str] = {node: iri.value for node, iri in blank.items()}

    def new(term: Any) -> Any:
        if isinstance(term, BlankNode):
            return blank[term]
        if isinstance(term, Triple):
            return Triple(new(term.subject), term.predicate, new(term.object))
        if isinstance(term, NamedNode) and identity.known and identity.node != identity.iri:
            whole, mark, part = term.value.partition("#")
            if whole == identity.node and (not mark or identity.parts):
                names[term.value] = identity.iri + mark + part
                return NamedNode(names[term.value])
        return term

    kept: dict[Quad, None] = {}
    for quad in quads:
        if quad not in identity.left:
            graph = quad.graph_name if isinstance(quad.graph_name, DefaultGraph) else new(quad.graph_name)
            kept[Quad(new(quad.subject), quad.predicate, new(quad.object), graph)] = None
    return names, list(kept)


def moved(rdf: str, document: str, to: str) -> str:
    """N-Quads with their comments on lines, in which a document and its parts have other IRIs."""

    def new(term: Any) -> Any:
        if isinstance(term, Triple):
            return Triple(new(term.subject), term.predicate, new(term.object))
        whole, mark, part = term.value.partition("#") if isinstance(term, NamedNode) else ("", "", "")
        return NamedNode(to + mark + part) if whole == document else term

    comments = []
    for line in rdf.split("\n"):
        mark, number, place = (*line.split(" ", 2), "", "")[:3]
        if mark != "#":
            break
        comments.append(f"# {number} <{new(NamedNode(place[1:-1])).value}>\n")
    quads = {
        Quad(new(q.subject), q.predicate, new(q.object), new(q.graph_name))
        for q in parse(rdf, format=RdfFormat.N_QUADS)
    }
    return "".join(comments) + (serialize(sorted(quads, key=str), format=RdfFormat.N_QUADS) or b"").decode()


def _texts(quads: Iterable[Quad], node: object, predicate: str) -> list[Literal]:
    return [q.object for q in quads if q.subject == node and q.predicate.value == predicate
            and isinstance(q.object, Literal)]  # fmt: skip


def _title(titles: Sequence[Literal], languages: Sequence[str]) -> tuple[str, str, bool]:
    """Title and language of the document, and whether the title has none of its own. A title in another language only
    stays where it is said, and is no title of the document's here: it would be written in the wrong language."""
    language = languages[0] if languages else next((tag(t.language) for t in titles if t.language), "")
    fitting = [t for t in titles if (t.language or "").casefold() == language.casefold()]
    fitting += [t for t in titles if not t.language and t not in fitting]
    return (fitting[0].value, language, not fitting[0].language) if fitting else ("", language, False)
