"""A store of documents, parts, edges and tags, written quad by quad, and the tables made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.index import graph_build, tag_table
from oam_rdf.index.facets import Facets, build
from oam_rdf.index.graph_table import Graph, GraphTable
from oam_rdf.index.tag_table import Tags, TagTable
from oam_rdf.namespaces import DCTERMS, OA, OAM, RDF, XSD, concept

B = "http://oam.localhost/"


def decimal(value: float) -> Literal:
    return Literal(str(value), datatype=NamedNode(XSD + "decimal"))


class GraphStore:
    """Adds quads; every document has graphs of its own. ``D`` names a document, ``D#H1`` a part of it."""

    def __init__(self) -> None:
        self.quads: list[Quad] = []

    def iri(self, name: str) -> str:
        return f"{B}doc/{name}"

    def add(self, subject: str, predicate: str, value: str | Literal, graph: str) -> None:
        term = value if isinstance(value, Literal) else NamedNode(value)
        name = graph if graph.startswith("http") else f"{B}graph/{graph}"
        self.quads.append(Quad(NamedNode(subject), NamedNode(predicate), term, NamedNode(name)))

    def document(self, *names: str, level: str = "", subjects: Iterable[str] = ()) -> None:
        for name in names:
            graph = f"{name}/assertion"
            self.add(self.iri(name), RDF + "type", OAM + "Document", graph)
            self.add(self.iri(name), DCTERMS + "identifier", Literal(name), graph)
            for subject in subjects:
                self.add(self.iri(name), DCTERMS + "subject", Literal(subject), graph)
            if level:
                self.restrict(graph, level)

    def part(self, name: str, kind: str = "Statement", above: str = "", graph: str = "") -> None:
        document = name.partition("#")[0]
        graph = graph or f"{document}/assertion"
        self.add(self.iri(name), RDF + "type", OAM + kind, graph)
        self.add(self.iri(name), DCTERMS + "identifier", Literal(name), graph)
        self.add(self.iri(name), DCTERMS + "isPartOf", self.iri(above or document), graph)

    def restrict(self, graph: str, level: str) -> None:
        name = f"{B}graph/{graph}"
        self.add(name, OAM + "visibility", concept("visibility", level), f"{graph.partition('/')[0]}/provenance")

    def edge(self, source: str, relation: str, target: str, graph: str = "") -> None:
        document = source.partition("#")[0]
        self.add(self.iri(source), OAM + relation, self.iri(target), graph or f"{document}/assertion")

    def node(self, name: str, source: str, relation: str, target: str, graph: str = "", **says: float | str) -> None:
        """A relation node: ``verdict``, ``review`` and ``confidence`` are optional."""
        node, graph = f"{self.iri(source)}.{name}", graph or f"{source.partition('#')[0]}/assertion"
        self.add(node, RDF + "type", OAM + "Relation", graph)
        self.add(node, OAM + "relationSource", self.iri(source), graph)
        self.add(node, OAM + "relationType", OAM + relation, graph)
        self.add(node, OAM + "relationTarget", self.iri(target), graph)
        if "confidence" in says:
            self.add(node, OAM + "confidence", decimal(float(says["confidence"])), graph)
        if "verdict" in says:
            self.add(node, OAM + "verdict", concept("verdict", str(says["verdict"])), graph)
        if "review" in says:
            self.add(node, OAM + "reviewStatus", concept("review-status", str(says["review"])), graph)

    def tag(
        self,
        name: str,
        notation: str,
        confidence: float | None = None,
        scheme: str = "operator",
        graph: str = "",
        **says: str,
    ) -> str:
        """A tag node; ``review`` is optional."""
        node = f"{self.iri(name)}.{scheme}-{notation}{len(self.quads)}"
        graph = graph or f"{name.partition('#')[0]}/annotation/import"
        self.add(node, RDF + "type", OAM + ("OperatorTag" if scheme == "operator" else "ConceptTag"), graph)
        self.add(node, OA + "hasTarget", self.iri(name), graph)
        self.add(node, OA + "hasBody", concept(scheme, notation), graph)
        if confidence is not None:
            self.add(node, OAM + "confidence", decimal(confidence), graph)
        if "review" in says:
            self.add(node, OAM + "reviewStatus", concept("review-status", says["review"]), graph)
        return node

    def tables(self) -> tuple[Facets, GraphTable, TagTable]:
        store = Store()
        store.extend(self.quads)

        def select(query: str) -> Iterable[Any]:
            return store.query(query, use_default_graph_as_union=True)  # type: ignore[return-value]

        facets = build(select)
        return facets, graph_build.build(select, facets), tag_table.build(select, facets)

    def graph(self, clearance: str = "RESTRICTED") -> tuple[Facets, Graph]:
        facets, table, _ = self.tables()
        return facets, table.view(facets, facets.visible(clearance), clearance)

    def tagged(self, clearance: str = "RESTRICTED") -> tuple[Facets, Tags]:
        facets, _, table = self.tables()
        return facets, table.view(facets, facets.visible(clearance), clearance)

    def said(self, clearance: str = "RESTRICTED") -> set[tuple[str, str, str, float]]:
        """The edges of a view: (source, relation, target, confidence)."""
        facets, graph = self.graph(clearance)
        return edges(facets, graph)


def edges(facets: Facets, graph: Graph) -> set[tuple[str, str, str, float]]:
    name = facets.identifiers
    return {
        (name[int(s)], graph.relations[int(r)].name, name[int(t)], round(float(c), 4))
        for s, t, r, c in zip(graph.source, graph.target, graph.relation, graph.confidence, strict=True)
    }
