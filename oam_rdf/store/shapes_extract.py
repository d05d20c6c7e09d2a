"""The extract that a change needs: the documents that changed, what points at them, and the types they point to."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

from pyoxigraph import DefaultGraph, NamedNode, Quad, RdfFormat, Store, Triple, serialize

from oam_rdf.errors import UsageError
from oam_rdf.namespaces import OAM, RDF
from oam_rdf.store.live import recorded
from oam_rdf.store.minter import document_segment

_TYPE, _AT_REVISION = NamedNode(RDF + "type"), NamedNode(OAM + "atRevision")
_REVISION = NamedNode(OAM + "revision")
# What an import states is validated; what the program inferred from it, and its own records, are not.
_LEFT_OUT = re.compile(r"graph/(?:[^/]+/inferred(?:/[a-z]+)?|system|validation:[0-9a-f]+)$")


def asserted(store: Store) -> list[NamedNode | DefaultGraph]:
    """The graphs that are validated, the default graph first."""
    named = sorted(graph.value for graph in store.named_graphs() if isinstance(graph, NamedNode))
    return [DefaultGraph(), *(NamedNode(name) for name in named if not _LEFT_OUT.search(name))]


def merged(store: Store, graphs: Iterable[NamedNode | DefaultGraph]) -> str:
    """The triples of the graphs as N-Triples; one that lies in two graphs comes twice, which no reader minds."""
    out = io.BytesIO()
    for graph in graphs:
        store.dump(out, RdfFormat.N_TRIPLES, from_graph=graph)
    return out.getvalue().decode()


def changed_since(store: Store, revision: int) -> tuple[list[NamedNode], int]:
    """Asserted graphs of the documents committed after ``revision``, and the revision that the store is at.

    :raises UsageError: for a revision that is not reached yet.
    """
    numbers = dict(recorded(store, _AT_REVISION))
    now = max([0, *numbers.values(), *(number for _, number in recorded(store, _REVISION))])
    if revision > now:
        raise UsageError(f"revision {revision} is not reached yet", hint=f"the knowledge base is at revision {now}")
    changed = {document_segment(graph) for graph, number in numbers.items() if number > revision} - {None}
    graphs = [g for g in asserted(store) if isinstance(g, NamedNode) and document_segment(g.value) in changed]
    return graphs, now


def extract(store: Store, graphs: Iterable[NamedNode]) -> tuple[str, set[str]]:
    """N-Triples of ``graphs`` with their neighbourhood, and the nodes that they describe: the focus of the validation."""
    quads = [quad for graph in graphs for quad in store.quads_for_pattern(None, None, None, graph)]
    focus = {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}
    triples = {quad.triple for quad in quads}
    for iri in {q.subject.value for q in quads if q.predicate == _TYPE and isinstance(q.subject, NamedNode)}:
        triples |= {quad.triple for quad in _asserted(store.quads_for_pattern(None, None, NamedNode(iri)))}
    for value in {q.object for q in quads if isinstance(q.object, NamedNode) and q.object.value not in focus}:
        triples |= {Triple(value, _TYPE, quad.object) for quad in store.quads_for_pattern(value, _TYPE, None)}
    return (serialize(sorted(triples, key=str), format=RdfFormat.N_TRIPLES) or b"").decode(), focus


def _asserted(quads: Iterable[Quad]) -> Iterable[Quad]:
    return (q for q in quads if not (isinstance(q.graph_name, NamedNode) and _LEFT_OUT.search(q.graph_name.value)))
