"""The quads of one document, and its relations as they go in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.model import Anchoring, Audit, Quote, Relation

#: Where the quotes of a document stand in the Originals of their works.
Anchors: TypeAlias = Mapping[Quote, Anchoring]


@dataclass(frozen=True, slots=True)
class Decision:
    """An audit that holds for a relation: its node, and the visibility of the document that records it."""

    audit: Audit
    node: str
    visibility: str = "PUBLIC"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A relation, the object that its target resolved to (None: none, or more than one), and what an audit says of it.

    ``source`` is the IRI of the work that the relation is said of, "" = its own object. A relation to a concept that several
    works define comes once for each of them.
    """

    relation: Relation
    target: str | None
    source: str = ""
    decision: Decision | None = None


@dataclass(slots=True)
class DocumentQuads:
    """The quads of one document by graph IRI; ``focus`` are the IRIs of its objects, for the gate."""

    id: str
    iri: str
    graphs: dict[str, list[Quad]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)  # object or node IRI -> line in the file
    run: str = ""

    def add(self, graph: str, subject: NamedNode, predicate: NamedNode, value: NamedNode | Literal) -> None:
        self.graphs.setdefault(graph, []).append(Quad(subject, predicate, value, NamedNode(graph)))

    def quads(self) -> Iterable[Quad]:
        for graph in self.graphs.values():
            yield from graph
