"""Everything out again: a document's graphs or all of them, in a deterministic order (formats.md, "Out")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple, serialize

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.namespaces import OAM, PREFIXES
from oam_rdf.store.minter import Minter, document_segment
from oam_rdf.store.sparql_language import restore_case

FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "nquads": RdfFormat.N_QUADS,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
}
_TRIPLES = ("turtle", "ntriples")
# Which commit of this knowledge base something landed in, and from which folder, says nothing to anybody else.
_LOCAL = {OAM + "atRevision", OAM + "revision", OAM + "ingestRoot"}


@dataclass(frozen=True, slots=True)
class Selection:
    """What an export takes: all documents, or with :meth:`of` one.

    In a quad format all graphs but the inferred ones (they are made anew) and, where ``history`` is given, the old texts; in
    a triple format the assertion graphs alone, merged.
    """

    store: Store
    history: Store | None
    minter: Minter
    prefix: str = ""

    def of(self, document_id: str) -> Selection:
        """One document. Raises :class:`NotFound` when there is none of that id."""
        one = replace(self, prefix=self.minter.graph(document_id, ""))
        if not one._graphs(self.store):
            raise NotFound(f"no document {document_id!r} here", hint="`oam search` finds ids")
        return one

    def serialize(self, fmt: str) -> bytes:
        """The quads in one of :data:`FORMATS`. Raises :class:`UsageError` for another."""
        if fmt not in FORMATS:
            raise UsageError(f"unknown format {fmt!r}", hint="one of " + ", ".join(FORMATS))
        quads = sorted((quad for quad in self._quads(fmt) if quad.predicate.value not in _LOCAL), key=_order)
        data: Iterable[Quad] | Iterable[Triple] = quads
        if fmt in _TRIPLES:
            data = dict.fromkeys(quad.triple for quad in quads)
        body = serialize(data, format=FORMATS[fmt], prefixes=self._prefixes(quads)) or b""
        return restore_case(_sorted_head(body), fmt)

    def copy_originals(self, source: Path, target: Path) -> int:
        """Copy the Originals that the selection names from one folder to another; returns how many."""
        prefix = self.minter.original("")
        wanted = {
            quad.object.value.removeprefix(prefix)
            for quad in self._quads("nquads")
            if isinstance(quad.object, NamedNode) and quad.object.value.startswith(prefix)
        }
        for sha256 in sorted(wanted):
            for path in (source / sha256[:2]).glob(f"{sha256}*"):
                destination = target / sha256[:2] / path.name
                destination.parent.mkdir(parents=True, exist_ok=True)
                destination.write_bytes(path.read_bytes())
        return len(wanted)

    def _graphs(self, store: Store) -> list[str]:
        names = sorted(graph.value for graph in store.named_graphs() if isinstance(graph, NamedNode))
        # Graphs of documents alone: the system's and stored validation runs belong to this knowledge base.
        return [name for name in names if name.startswith(self.prefix) and document_segment(name) is not None]

    def _quads(self, fmt: str) -> Iterator[Quad]:
        sources = [self.store] if fmt in _TRIPLES or self.history is None else [self.store, self.history]
        for store in sources:
            for name in self._graphs(store):
                if "/inferred" in name or (fmt in _TRIPLES and "/assertion" not in name):
                    continue
                yield from store.quads_for_pattern(None, None, None, NamedNode(name))

    def _prefixes(self, quads: Iterable[Quad]) -> dict[str, str]:
        """The prefixes that the quads use: a reader need not wade through the others."""
        nodes = {
            term.value
            for quad in quads
            for term in (quad.subject, quad.predicate, quad.object, quad.graph_name)
            if isinstance(term, NamedNode)
        }
        nodes |= {quad.object.datatype.value for quad in quads if isinstance(quad.object, Literal)}
        known = PREFIXES | self.minter.prefixes()
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
