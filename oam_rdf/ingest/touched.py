"""Which objects' rows an ingest can have changed: so few are read anew, whatever the size of the knowledge base.

A row depends on the triples of its object, in whatever graph; on its spans, and on the tags and relation nodes about it;
on the graphs that these stand in (visibility, commit); and on whether the objects that it names have rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.namespaces import OA, OAM, PROV, RDF
from oam_rdf.store.live import committed_after
from oam_rdf.store.minter import document_segment

_TYPE = NamedNode(RDF + "type")
_QUOTED = NamedNode(PROV + "wasQuotedFrom")
_AUTHOR_ID = NamedNode(OAM + "authorId")
#: What says of a tag or of a relation node which object it is about.
_ABOUT = (NamedNode(OAM + "relationSource"), NamedNode(OA + "hasTarget"))
_OF_GRAPHS = tuple(NamedNode(OAM + name) for name in ("visibility", "committedAt", "sourcePath"))


def graph_names(store: Store) -> set[str]:
    """IRIs of all named graphs."""
    return {graph.value for graph in store.named_graphs() if isinstance(graph, NamedNode)}


def changed_graphs(before: Set[str], after: Set[str], live: Store, since: int) -> Set[str]:
    """Graphs that came, went, or belong to what was committed after revision ``since``; ``before``, ``after`` are all names."""
    stamped = committed_after(live, since)
    segments = {document_segment(name) for name in stamped} - {None}
    both = {name for name in before & after if document_segment(name) in segments}
    return (before ^ after) | both | (stamped & after)


class Touched:
    """Compares the store of a generation with the live one; ``classes`` are those whose instances have rows."""

    def __init__(self, before: Store, after: Store, classes: Collection[str]) -> None:
        self.before, self.after = before, after
        self._classes = [NamedNode(iri) for iri in sorted(classes)]
        self._subjects: set[str] = set()
        self._graphs: set[str] = set()

    def subjects(self, graphs: Iterable[str]) -> set[str]:
        """Everything whose row, if it has one, may differ, after a change of ``graphs``."""
        todo = set(graphs)
        while todo:
            self._graphs |= todo
            found = {subject for graph in todo for subject in self._stated(graph)} - self._subjects
            new = self._related(found)
            # What is said of a graph may be said in another document's.
            todo = {iri for iri in new if "/graph/" in iri and self._is_graph(iri)} - self._graphs
        return self._subjects

    def _related(self, found: set[str]) -> set[str]:
        """Take in ``found`` with all whose rows depend on them."""
        added: set[str] = set()
        while found:
            self._subjects |= found
            added |= found
            following: set[str] = set()
            for iri in found:
                node = NamedNode(iri)
                following.update(self._owners(node))
                if self._has_row(self.before, node) != self._has_row(self.after, node):
                    following.update(_subjects(self.after.quads_for_pattern(None, None, node, None)))
            found = following - self._subjects
        return added

    def _stated(self, graph: str) -> Iterator[str]:
        for store in (self.before, self.after):
            yield from _subjects(store.quads_for_pattern(None, None, None, NamedNode(graph)))

    def _owners(self, node: NamedNode) -> Iterator[str]:
        """What a span, a tag or a relation node belongs to."""
        for store in (self.before, self.after):
            yield from _subjects(store.quads_for_pattern(None, _QUOTED, node, None))
            for about in _ABOUT:
                for quad in store.quads_for_pattern(node, about, None, None):
                    if isinstance(quad.object, NamedNode):
                        yield quad.object.value

    def _has_row(self, store: Store, node: NamedNode) -> bool:
        return any(next(store.quads_for_pattern(node, _TYPE, one, None), None) is not None for one in self._classes)

    def _is_graph(self, iri: str) -> bool:
        return any(store.contains_named_graph(NamedNode(iri)) for store in (self.before, self.after))

    def extract(self) -> Store:
        """What the rows of :meth:`subjects` are read from: their triples, their spans', tags' and relation nodes', and what
        is said of the graphs that these stand in."""
        found: list[Quad] = []
        live = self.after
        for iri in self._subjects:
            node = NamedNode(iri)
            # Who wrote a document is described in every document's provenance, and has no row.
            if (
                not self._has_row(live, node)
                and next(live.quads_for_pattern(node, _AUTHOR_ID, None, None), None) is None
            ):
                continue
            own = list(live.quads_for_pattern(node, None, None, None))
            found += own
            satellites = [quad.object for quad in own if quad.predicate == _QUOTED]
            satellites += [quad.subject for about in _ABOUT for quad in live.quads_for_pattern(None, about, node, None)]
            for satellite in satellites:
                if isinstance(satellite, NamedNode):
                    found += live.quads_for_pattern(satellite, None, None, None)
        for graph in {quad.graph_name for quad in found}:
            for predicate in _OF_GRAPHS:
                if isinstance(graph, NamedNode):
                    found += live.quads_for_pattern(graph, predicate, None, None)
        store = Store()
        store.extend(found)
        return store


def _subjects(quads: Iterable[Quad]) -> Iterator[str]:
    return (quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))
