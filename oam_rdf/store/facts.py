"""What a store says of one document, by subject and predicate: what tables, graph.json and OAM JSON are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import DCTERMS, OA, OAM, PROV, RDF, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.store.belonging import line
from oam_rdf.store.sparql_language import bcp47

IDENTIFIER, TITLE, PART_OF, QUOTED = (
    DCTERMS + "identifier", DCTERMS + "title", DCTERMS + "isPartOf", PROV + "wasQuotedFrom",
)  # fmt: skip
TYPE = RDF + "type"

Term = NamedNode | Literal


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation as a document states it. ``target`` is an IRI, or "" where ``label`` names what was not found.

    ``verdict``: ok for a plain edge, what the node says for others. ``graph``: kind of the graph that says it.
    """

    source: str
    relation: str
    target: str
    label: str = ""
    verdict: str = "ok"
    confidence: float | None = None
    source_label: str = ""
    node: str = ""
    graph: str = "assertion"
    inverted: bool = False
    spans: tuple[tuple[str, int, int], ...] = ()  # hash of the Original, start, end
    written: str = ""  # the target as the source wrote it, where that is kept
    order: int | None = None
    remainder: str = ""

    @property
    def owner(self) -> str:
        """IRI of the object that the source says it of: which is the target where the property runs the other way."""
        head, _, name = self.node.partition("#")
        return self.source if not head else f"{head}#{name.rpartition('.')[0]}" if "." in name else head


class Facts:
    """The quads of one document. ``iri`` is its own IRI; ``store`` names what lies outside of it."""

    def __init__(self, iri: str, quads: Iterable[Quad], store: Store, ontology: Ontology) -> None:
        self.iri, self._store, self._ontology = iri, store, ontology
        self._facts: dict[str, dict[str, list[Term]]] = {}
        self._home: dict[str, str] = {}
        self._plain: list[tuple[str, str, str, str]] = []
        self._forward = forward(ontology)
        self._about: dict[str, dict[str, list[str]]] = {}
        for quad in quads:
            if not isinstance(quad.subject, NamedNode) or not isinstance(quad.object, NamedNode | Literal):
                continue
            subject, predicate, graph = quad.subject.value, quad.predicate.value, quad.graph_name.value  # type: ignore[union-attr]
            self._facts.setdefault(subject, {}).setdefault(predicate, []).append(quad.object)
            if predicate == TYPE:
                self._home[subject] = min(graph, self._home.get(subject, graph))
            elif predicate in self._forward and isinstance(quad.object, NamedNode):
                self._plain.append((subject, predicate, quad.object.value, _kind(graph)))

    # -- one node ----------------------------------------------------------------------------------------------------

    def values(self, subject: str, predicate: str) -> list[str]:
        """Values of a predicate as text, sorted."""
        return sorted({term.value for term in self._facts.get(subject, {}).get(predicate, ())})

    def value(self, subject: str, predicate: str) -> str:
        return next(iter(self.values(subject, predicate)), "")

    def notations(self, subject: str, name: str, scheme: str) -> list[str]:
        """Notations of the concepts of a scheme that the property called ``name`` gives."""
        return [value.removeprefix(SCHEMES[scheme]) for value in self.values(subject, OAM + name)]

    def notation(self, subject: str, name: str, scheme: str) -> str:
        return next(iter(self.notations(subject, name, scheme)), "")

    def language(self, subject: str) -> str:
        """Tag of the content, else of the title, else what the node says."""
        for predicate in (OAM + "content", TITLE):
            for term in self._facts.get(subject, {}).get(predicate, ()):
                if isinstance(term, Literal) and term.language:
                    return bcp47(term.language)  # Oxigraph keeps tags in lower case
        return self.value(subject, DCTERMS + "language")

    def visibility(self, subject: str) -> str:
        """Of the graph that says what the node is."""
        levels = self.values(self._home.get(subject, ""), OAM + "visibility")
        return levels[0].removeprefix(SCHEMES["visibility"]) if levels else VISIBILITIES[0]

    def spans(self, subject: str) -> tuple[tuple[str, int, int], ...]:
        """``(hash of the Original, start, end)`` of the spans that a node is quoted from, in order."""
        found = []
        for node in (*self.values(subject, QUOTED), *self.values(subject, OAM + "evidenceSpan")):
            source = self.value(node, OA + "hasSource").rpartition("sha256-")[2]
            start, end = self.value(node, OA + "start"), self.value(node, OA + "end")
            if source and start.isdecimal() and end.isdecimal():
                found.append((source, int(start), int(end)))
        return tuple(sorted(found, key=lambda span: (span[1], span[2], span[0])))

    def own_spans(self, subject: str) -> list[str]:
        """Names of the spans that the object is quoted from: ``A1.span``. Generated text is quoted from none, nor its parts."""
        nodes = self.values(subject, QUOTED)
        if nodes and any(self._generated(node) for node in (*self.wholes(subject), self.iri)):
            return []
        return [node.rpartition("#")[2] for node in nodes]

    def _generated(self, node: str) -> bool:
        """Whether any document says so, this one or another."""
        quads = self._store.quads_for_pattern(NamedNode(node), NamedNode(TYPE), NamedNode(OAM + "GeneratedText"))
        return next(quads, None) is not None

    def types(self, subject: str) -> list[str]:
        return self.values(subject, TYPE)

    def graph(self, subject: str) -> str:
        """Kind of the graph that says what a node is: assertion, annotation/import …"""
        return _kind(self._home.get(subject, ""))

    def wholes(self, subject: str) -> list[str]:
        """A node and what it is part of, nearest first."""
        return list(line(subject, self._parents))

    @cached_property
    def _parents(self) -> dict[str, str]:
        return {
            subject: min(t.value for t in facts[PART_OF]) for subject, facts in self._facts.items() if PART_OF in facts
        }

    # -- objects -----------------------------------------------------------------------------------------------------

    def objects(self) -> list[str]:
        """IRIs of the knowledge objects: the document, then all others in the order of the text, then by id."""
        found = [name for name in self._facts if self.granularity(name) and self.values(name, IDENTIFIER)]

        def place(name: str) -> tuple[bool, int, str]:
            spans = self.spans(name)
            return name != self.iri, spans[0][1] if spans else 1 << 60, name

        return sorted(found, key=place)

    def granularity(self, subject: str) -> str:
        """``statement``, ``section``, ``concept`` …: the class in lower case with underscores; "" for no object."""
        for kind in self.values(subject, TYPE):
            above = self._ontology.superclasses.get(kind, frozenset())
            if kind.startswith(OAM) and OAM + "KnowledgeObject" in above and kind != OAM + "SourceSpan":
                name = kind.removeprefix(OAM)
                return "".join(f"_{c.lower()}" if c.isupper() and at else c.lower() for at, c in enumerate(name))
        return ""

    def name(self, iri: str) -> str:
        """Identifier of a node here or elsewhere in the store, else its IRI."""
        own = self.value(iri, IDENTIFIER)
        if own:
            return own
        quads = self._store.quads_for_pattern(NamedNode(iri), NamedNode(IDENTIFIER), None)
        return min((quad.object.value for quad in quads), default=iri)  # type: ignore[union-attr]

    # -- relations ---------------------------------------------------------------------------------------------------

    def said_by(self, owner: str) -> list[Edge]:
        """Relations that the source says of an object, whichever way their property runs."""
        return self._by_owner.get(owner, [])

    @cached_property
    def _by_owner(self) -> dict[str, list[Edge]]:
        found: dict[str, list[Edge]] = {}
        for edge in self.edges():
            found.setdefault(edge.owner, []).append(edge)
        return found

    def edges(self) -> list[Edge]:
        """Every relation that the document states: plain edges, and nodes with what they say of theirs."""
        nodes = [self._node(subject) for subject, facts in self._facts.items() if OAM + "relationType" in facts]
        judged = {(edge.source, edge.relation, edge.target) for edge in nodes}
        plain = {
            Edge(source, self._forward[predicate], target, graph=graph)
            for source, predicate, target, graph in self._plain
            if (source, self._forward[predicate], target) not in judged
        }
        return sorted([*nodes, *plain], key=lambda e: (e.source, e.relation, e.target, e.label, e.node, e.graph))

    def _node(self, node: str) -> Edge:
        confidence = self.value(node, OAM + "confidence")
        kind = self.value(node, OAM + "relationType")
        return Edge(
            source=self.value(node, OAM + "relationSource"),
            relation=self._forward.get(kind, kind),
            target=self.value(node, OAM + "relationTarget"),
            label=self.value(node, OAM + "targetLabel"),
            verdict=self.notation(node, "verdict", "verdict") or "unresolved",
            confidence=float(confidence) if confidence else None,
            source_label=self.value(node, OAM + "sourceLabel"),
            node=node,
            graph=_kind(self._home.get(node, "")),
            inverted=self.value(node, OAM + "inverted") == "true",
            spans=self.spans(node),
            written=self.value(node, OAM + "writtenAs"),
            order=int(order) if (order := self.value(node, OAM + "order")) else None,
            remainder=self.value(node, OAM + "remainder"),
        )

    def committed(self) -> list[str]:
        """Graphs of which it is said when they came in."""
        return sorted(subject for subject, facts in self._facts.items() if OAM + "committedAt" in facts)

    def about(self, predicate: str, target: str) -> list[str]:
        """Nodes that point at ``target``, numbered ones by number: ``op2`` before ``op10``."""
        index = self._about.get(predicate)
        if index is None:
            index = self._about[predicate] = {}
            for subject, facts in self._facts.items():
                for term in facts.get(predicate, ()):
                    index.setdefault(term.value, []).append(subject)
        return sorted(index.get(target, ()), key=numbered)

    def numbered(self, subject: str, predicate: str) -> list[str]:
        """IRIs that a predicate gives, by their numbers."""
        return sorted(self.values(subject, predicate), key=numbered)


def numbered(node: str) -> tuple[str, int]:
    head = node.rstrip("0123456789")
    return head, int(node[len(head) :][:9] or 0)


def forward(ontology: Ontology) -> dict[str, str]:
    """IRI of a relation -> its name, the first where it has several."""
    found: dict[str, str] = {}
    for name, relation in ontology.relations.items():
        if not relation.inverse:
            found.setdefault(relation.iri, name)
    return found


def _kind(graph: str) -> str:
    parts = graph.partition("/graph/")[2].split("/")
    return "/".join(parts[1:3]) if parts[1:2] == ["annotation"] else (parts[1] if len(parts) > 1 else "")
