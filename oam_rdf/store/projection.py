"""What each clearance may see, as a store of its own (architecture.md, "Access").

Physical separation: SPARQL, navigation and the indexes' facets read a projection and cannot reach what is not in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import OAM, concept
from oam_rdf.store.minter import Minter

_VISIBILITY = NamedNode(OAM + "visibility")


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
    """
    allowed = VISIBILITIES.index(clearance)
    levels = graph_levels(source)
    hidden_graphs = {graph for graph, level in levels.items() if level > allowed}
    shown_graphs = [
        graph for graph in source.named_graphs() if isinstance(graph, NamedNode) and graph.value not in hidden_graphs
    ]
    shown_subjects = {
        quad.subject.value
        for graph in shown_graphs
        for quad in source.quads_for_pattern(None, None, None, graph)
        if isinstance(quad.subject, NamedNode)
    }
    hidden_subjects = {
        quad.subject.value
        for graph in hidden_graphs
        for quad in source.quads_for_pattern(None, None, None, NamedNode(graph))
        if isinstance(quad.subject, NamedNode)
    } - shown_subjects
    hidden_nodes = hidden_subjects | hidden_graphs

    def visible() -> Iterator[Quad]:
        for graph in shown_graphs:
            for quad in source.quads_for_pattern(None, None, None, graph):
                value = quad.object
                if isinstance(value, NamedNode) and value.value in hidden_nodes:
                    continue
                yield quad

    target.parent.mkdir(parents=True, exist_ok=True)
    store = Store(str(target))
    store.bulk_extend(visible())
    store.flush()
    return len(store)
