"""What each clearance may see, as a store of its own (architecture.md, "Access").

Physical separation: SPARQL, navigation and the indexes' facets read a projection and cannot reach what is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import OAM, RDF, concept
from oam_rdf.store.minter import Minter

_VISIBILITY = NamedNode(OAM + "visibility")
_TYPE = NamedNode(RDF + "type")
_ENDS = (NamedNode(OAM + "relationSource"), NamedNode(OAM + "relationTarget"))


def graph_levels(store: Store) -> dict[str, int]:
    """Graphs more restricted than PUBLIC -> index into VISIBILITIES."""
    rank = {concept("visibility", level): number for number, level in enumerate(VISIBILITIES)}
    levels: dict[str, int] = {}
    for quad in store.quads_for_pattern(None, _VISIBILITY, None, None):
        subject, value = quad.subject, quad.object
        if isinstance(subject, NamedNode) and isinstance(value, NamedNode):
            # A visibility that we do not know is treated as the narrowest: never show by mistake.
            level = rank.get(value.value, len(VISIBILITIES) - 1)
            levels[subject.value] = max(level, levels.get(subject.value, 0))
    return levels


def needed(store: Store) -> list[str]:
    """Clearances whose view differs from the whole store, widest audience first."""
    levels = graph_levels(store).values()
    narrowest = max(levels, default=0)
    return list(VISIBILITIES[:narrowest])


def build(source: Store, target: Path, clearance: str, minter: Minter) -> int:
    """Write the projection store of one clearance to ``target``; returns its number of quads.

    A triple that points at an object hidden from this clearance is left out: even the id of a hidden object is a secret.
    So is a relation node that leads to one, with its spans: it names the target as the source wrote it.
    """
    allowed = VISIBILITIES.index(clearance)
    levels = graph_levels(source)
    hidden_graphs = {graph for graph, level in levels.items() if level > allowed}
    shown_graphs = [
        graph for graph in source.named_graphs() if isinstance(graph, NamedNode) and graph.value not in hidden_graphs
    ]
    shown, hidden = _described(source, shown_graphs), _described(source, map(NamedNode, hidden_graphs))
    # What a hidden graph describes is hidden unless a shown one says what it is: an edge that starts from a hidden object,
    # stated by a document that names it, does not show it.
    hidden_subjects = {
        subject for subject, typed in hidden.items() if subject not in shown or (typed and not shown[subject])
    }
    hidden_nodes = hidden_subjects | hidden_graphs
    cut = {
        quad.subject.value
        for end in _ENDS
        for quad in source.quads_for_pattern(None, end, None, None)
        if isinstance(quad.subject, NamedNode)
        and isinstance(quad.object, NamedNode)
        and quad.object.value in hidden_nodes
    }
    hidden_nodes |= cut

    def belongs(subject: str) -> bool:
        """Whether a node is cut, or is a span or quote of one that is: they are named after it."""
        return subject in cut or subject.rpartition("-")[0] in cut or subject.rpartition(".")[0] in cut

    def visible() -> Iterator[Quad]:
        for graph in shown_graphs:
            for quad in source.quads_for_pattern(None, None, None, graph):
                value = quad.object
                if isinstance(value, NamedNode) and value.value in hidden_nodes:
                    continue
                if isinstance(quad.subject, NamedNode) and (
                    quad.subject.value in hidden_nodes or (cut and belongs(quad.subject.value))
                ):
                    continue
                yield quad

    target.parent.mkdir(parents=True, exist_ok=True)
    store = Store(str(target))
    store.bulk_extend(visible())
    store.flush()
    return len(store)


def _described(source: Store, graphs: Iterable[NamedNode]) -> dict[str, bool]:
    """Subject -> whether one of the graphs says what it is (``rdf:type``)."""
    found: dict[str, bool] = {}
    for graph in graphs:
        for quad in source.quads_for_pattern(None, None, None, graph):
            if isinstance(quad.subject, NamedNode):
                found[quad.subject.value] = found.get(quad.subject.value, False) or quad.predicate == _TYPE
    return found
