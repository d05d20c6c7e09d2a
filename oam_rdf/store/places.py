"""In which graphs of its document what people say of an object belongs (ontology.md, "Graphs")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import OAM, RDF, concept

_SAYS = re.compile(
    r"^(?P<head>.*/graph/[^/]+)/(?:assertion|annotation/[^/]+)(?:/(?P<level>internal|confidential|restricted))?$"
)
_LEVELS = ("", *(level.lower() for level in VISIBILITIES[1:]))
_TYPE, _VISIBILITY = NamedNode(RDF + "type"), NamedNode(OAM + "visibility")


@dataclass(frozen=True, slots=True)
class Place:
    """``assessment`` is as narrow as the object; ``document`` is the assertion graph that a revision is stamped on."""

    head: str  # the graphs' names up to their kind
    level: str  # "" = as wide as the document, else internal, confidential or restricted
    assessment: str
    provenance: str

    @property
    def document(self) -> tuple[str, str]:
        """Assertion and provenance graph of the document as a whole."""
        return f"{self.head}/assertion", f"{self.head}/provenance"

    def graphs(self, store: Store, kind: str) -> Iterator[str]:
        """Stored graphs of the object's document of a kind, of whatever visibility."""
        for level in _LEVELS:
            name = f"{self.head}/{kind}/{level}".removesuffix("/")
            if store.contains_named_graph(NamedNode(name)):
                yield name


def place(store: Store, iri: str) -> Place | None:
    """The place of the node ``iri``, None if no document says what it is.

    Where several graphs say so it is the widest, as everywhere (an object is as visible as what says what it is).
    """
    found = []
    for quad in store.quads_for_pattern(NamedNode(iri), _TYPE, None, None):
        match = _SAYS.match(quad.graph_name.value) if isinstance(quad.graph_name, NamedNode) else None
        if match:
            level = match["level"] or ""
            found.append((_LEVELS.index(level), level, match["head"]))
    if not found:
        return None
    _, level, head = min(found)
    suffix = f"/{level}" if level else ""
    return Place(head, level, f"{head}/assessment{suffix}", f"{head}/provenance{suffix}")


def narrowed(where: Place, level: str) -> Place:
    """The place of what only ``level`` (of :data:`oam_rdf.model.VISIBILITIES`) may see of an object that more may see."""
    suffix = level.lower()
    return replace(
        where,
        level=suffix,
        assessment=f"{where.head}/assessment/{suffix}",
        provenance=f"{where.head}/provenance/{suffix}",
    )


def unveiled(store: Store, where: Place) -> list[Quad]:
    """What has to be said of the visibility of a place's graphs that are not there yet."""
    own = NamedNode(where.provenance)
    if where.level:
        level: NamedNode | None = NamedNode(concept("visibility", where.level.upper()))
    else:  # as narrow as the document
        said = store.quads_for_pattern(NamedNode(f"{where.head}/assertion"), _VISIBILITY, None, None)
        level = next((quad.object for quad in said if isinstance(quad.object, NamedNode)), None)
    if level is None:
        return []
    quads = [Quad(NamedNode(name), _VISIBILITY, level, own) for name in (where.assessment, where.provenance)]
    return [quad for quad in quads if quad not in store]
