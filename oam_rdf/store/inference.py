"""What is materialised at write, and nothing else (decision D18)."""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import NamedNode, Quad

from oam_rdf.namespaces import OAM, concept
from oam_rdf.ontology import Ontology

_SUPERSEDED = NamedNode(concept("version-status", "SUPERSEDED"))
_STATUS = NamedNode(OAM + "versionStatus")


def infer(quads: Iterable[Quad], ontology: Ontology) -> list[Quad]:
    """Super-property edges of accepted edges, and SUPERSEDED for whatever has a recorded successor.

    Each lies in the inferred graph beside the assertion graph that states the edge, so that nobody learns of an edge or a
    successor that they may not see.
    """
    supers = {relation.iri: relation.super_properties for relation in ontology.relations.values()}
    found: dict[Quad, None] = {}
    for quad in quads:
        graph = quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else ""
        if "/assertion" not in graph or quad.predicate.value not in supers or not isinstance(quad.object, NamedNode):
            continue
        target = NamedNode(graph.replace("/assertion", "/inferred", 1))
        for broader in sorted(supers[quad.predicate.value]):
            if broader != OAM + "relatesTo":
                found[Quad(quad.subject, NamedNode(broader), quad.object, target)] = None
        if quad.predicate.value == OAM + "supersedes":
            found[Quad(quad.object, _STATUS, _SUPERSEDED, target)] = None
    return list(found)
