"""Everything out again: a document's graphs or all of them, in a deterministic order (formats.md, "Out")."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple, serialize

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.namespaces import OAM, PREFIXES
from oam_rdf.store.minter import Minter
from oam_rdf.store.sparql_language import restore_case

FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "nquads": RdfFormat.N_QUADS,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
}
_TRIPLES = ("turtle", "ntriples")
# Which commit of this knowledge base something landed in says nothing to anybody else.
_LOCAL = {OAM + "atRevision", OAM + "revision", OAM + "ingestRoot"}


def document_graphs(store: Store, minter: Minter, document_id: str) -> list[str]:
    """Names of a document's stored graphs, sorted. Raises :class:`NotFound` when there are none."""
    prefix = minter.graph(document_id, "")
    names = sorted(g.value for g in store.named_graphs() if isinstance(g, NamedNode) and g.value.startswith(prefix))
    if not names:
        raise NotFound(f"no document {document_id!r} here", hint="`oam search` finds ids")
    return names


def all_graphs(store: Store, minter: Minter) -> list[str]:
    """Names of all graphs but the system's, sorted."""
    names = sorted(graph.value for graph in store.named_graphs() if isinstance(graph, NamedNode))
    return [name for name in names if name != minter.system_graph()]


def export_graphs(store: Store, minter: Minter, graphs: Iterable[str], fmt: str) -> bytes:
    """The named graphs without the inferred ones; in a triple format the assertion graphs alone, merged.

    Raises :class:`UsageError` for an unknown format.
    """
    if fmt not in FORMATS:
        raise UsageError(f"unknown format {fmt!r}", hint="one of " + ", ".join(FORMATS))
    if fmt in _TRIPLES:
        graphs = [name for name in graphs if "/assertion" in name]
    quads = [
        quad
        for name in graphs
        if "/inferred" not in name
        for quad in store.quads_for_pattern(None, None, None, NamedNode(name))
        if quad.predicate.value not in _LOCAL
    ]
    quads.sort(key=_order)
    data: Iterable[Quad] | Iterable[Triple] = quads
    if fmt in _TRIPLES:
        data = dict.fromkeys(quad.triple for quad in quads)
    body = serialize(data, format=FORMATS[fmt], prefixes=_prefixes(quads, minter)) or b""
    return restore_case(_sorted_head(body), fmt)


def _prefixes(quads: Iterable[Quad], minter: Minter) -> dict[str, str]:
    """The prefixes that the quads use: a reader need not wade through the others."""
    known = PREFIXES | {"doc": f"{minter.base}doc/", "ko": f"{minter.base}ko/", "orig": f"{minter.base}original/"}
    nodes = {
        term.value
        for quad in quads
        for term in (quad.subject, quad.predicate, quad.object, quad.graph_name)
        if isinstance(term, NamedNode)
    }
    nodes |= {quad.object.datatype.value for quad in quads if isinstance(quad.object, Literal)}
    return {name: iri for name, iri in known.items() if any(node.startswith(iri) for node in nodes)}


def _sorted_head(body: bytes) -> bytes:
    """The prefix lines that the serialiser wrote first, in order of their names instead of by chance."""
    lines = body.split(b"\n")
    count = next((n for n, line in enumerate(lines) if not line.startswith(b"@prefix ")), len(lines))
    return b"\n".join([*sorted(lines[:count]), *lines[count:]])


def _order(quad: Quad) -> tuple[str, str, bool, str, str]:
    # rdf:type first under each subject, as a person would write it.
    is_type = quad.predicate.value.endswith("#type")
    return (str(quad.graph_name), str(quad.subject), not is_type, quad.predicate.value, str(quad.object))


def copy_originals(store: Store, graphs: Iterable[str], minter: Minter, source: Path, target: Path) -> int:
    """Copy the Originals that the graphs name from one folder to another; returns how many."""
    prefix = minter.original("")
    wanted = {
        quad.object.value.removeprefix(prefix)
        for name in graphs
        for quad in store.quads_for_pattern(None, None, None, NamedNode(name))
        if isinstance(quad.object, NamedNode) and quad.object.value.startswith(prefix)
    }
    for sha256 in sorted(wanted):
        for path in (source / sha256[:2]).glob(f"{sha256}*"):
            destination = target / sha256[:2] / path.name
            destination.parent.mkdir(parents=True, exist_ok=True)
            destination.write_bytes(path.read_bytes())
    return len(wanted)
