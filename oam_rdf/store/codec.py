"""From :mod:`oam_rdf.model` to quads: one document becomes five named graphs (ontology.md, "Graphs")."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from oam_rdf import __version__
from oam_rdf.model import VISIBILITIES, KnowledgeObject, ParsedDocument, Relation
from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, PROV, RDF, XSD, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store.inference import infer
from oam_rdf.store.minter import Minter

_CLASS = {"DOCUMENT": "Document", "SECTION": "Section", "ARGUMENT": "Argument", "STATEMENT": "Statement"}
# A comment before the N-Quads of an imported document: where a subject stands in its file.
_PLACE = re.compile(r"^# (\d+) <([^<>\n]+)>$", re.MULTILINE)
_DEFAULT_STATE = "SOURCE_CLAIM"  # decision D17: the text asserts, and nothing says more


def n(iri: str) -> NamedNode:
    return NamedNode(iri)


def oam(name: str) -> NamedNode:
    return NamedNode(OAM + name)


TYPE = n(RDF + "type")
IDENTIFIER, TITLE, PART_OF, LANGUAGE = (n(DCTERMS + x) for x in ("identifier", "title", "isPartOf", "language"))
QUOTED, DERIVED, GENERATED = (n(PROV + x) for x in ("wasQuotedFrom", "wasDerivedFrom", "wasGeneratedBy"))
ATTRIBUTED = n(PROV + "wasAttributedTo")


def text(value: str, language: str = "") -> Literal:
    return Literal(value, language=language) if language else Literal(value)


def integer(value: int) -> Literal:
    return Literal(str(value), datatype=n(XSD + "integer"))


def decimal(value: float) -> Literal:
    # Two digits: more would be false precision (decision D14).
    return Literal(f"{value:.2f}".rstrip("0").rstrip(".") or "0", datatype=n(XSD + "decimal"))


def moment(value: str) -> Literal:
    return Literal(value, datatype=n(XSD + "dateTime"))


@dataclass(frozen=True, slots=True)
class Resolved:
    """A relation and the IRIs that its target resolved to: none, one, or several when the reference is ambiguous."""

    relation: Relation
    target: str | None


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


class Codec:
    """Encodes documents for one knowledge base."""

    def __init__(self, minter: Minter, ontology: Ontology) -> None:
        self.minter = minter
        self.ontology = ontology

    def encode(self, document: ParsedDocument, relations: Sequence[Resolved], *, root: str) -> DocumentQuads:
        """All graphs of a document. ``relations`` are its relations, resolved; ``root`` names the ingest root."""
        return _Encoding(self, document, relations, root).result()


class _Encoding:
    def __init__(self, codec: Codec, document: ParsedDocument, relations: Sequence[Resolved], root: str) -> None:
        self.minter = codec.minter
        self.ontology = codec.ontology
        self.document = document
        self.relations = relations
        self.root = root
        head = document.document
        self.visibility = head.visibility or "PUBLIC"
        self.iri = {item.id: self.minter.object(document.id, item) for item in document.objects}
        self.original = self.minter.original(document.sha256)
        digest = hashlib.sha256(
            "\0".join((document.sha256, document.id, document.profile, __version__)).encode()
        ).hexdigest()[:16]
        self.run = self.minter.run(digest)
        self.out = DocumentQuads(document.id, self.minter.document(document.id), run=self.run)
        self.restricted: set[str] = set()

    def graph(self, name: str, item: KnowledgeObject | None = None) -> str:
        """An object more restricted than its document lives in the document's restricted graph of the same kind."""
        own = (item.visibility if item else "") or self.visibility
        narrower = VISIBILITIES.index(own) > VISIBILITIES.index(self.visibility)
        if narrower:
            self.restricted.add(own)
        return self.minter.graph(self.document.id, name, own if narrower else "")

    def result(self) -> DocumentQuads:
        for item in self.document.objects:
            self._object(item)
        counters: dict[str, int] = {}
        by_id = {item.id: item for item in self.document.objects}
        for resolved in self.relations:
            source = by_id.get(resolved.relation.source, self.document.document)
            self._relation(resolved, source, counters)
        self._works()
        self._foreign()
        self._original()
        for quad in infer(list(self.out.quads()), self.ontology):
            self.out.graphs.setdefault(quad.graph_name.value, []).append(quad)  # type: ignore[union-attr]
        self._provenance()
        return self.out

    def _object(self, item: KnowledgeObject) -> None:
        graph, iri = self.graph("assertion", item), self.iri[item.id]
        subject, add = n(iri), self.out.add
        self.out.places[iri] = item.line
        add(graph, subject, TYPE, oam(_CLASS[item.granularity]))
        add(graph, subject, IDENTIFIER, text(self._identifier(item)))
        if item.title:
            add(graph, subject, TITLE, text(item.title, item.language or self.document.language))
        if item.granularity == "DOCUMENT":
            add(graph, subject, LANGUAGE, text(item.language or self.document.language))
            add(graph, subject, n(DCTERMS + "format"), text(self.document.media_type))
            add(graph, subject, DERIVED, n(self.original))
        else:
            add(graph, subject, PART_OF, n(self.iri.get(item.parent, self.out.iri)))
        if item.content:
            add(graph, subject, oam("content"), text(item.content, item.language or self.document.language))
        for number, span in enumerate(item.spans, 1):
            node = n(self.minter.dependent(iri, "span" if number == 1 else f"span{number}"))
            add(graph, subject, QUOTED, node)
            add(graph, node, TYPE, oam("SourceSpan"))
            add(graph, node, n(OA + "hasSource"), n(self.original))
            add(graph, node, n(OA + "start"), integer(span.start))
            add(graph, node, n(OA + "end"), integer(span.end))
        self._metadata(graph, subject, item)
        self._fields(graph, subject, item)
        self._state(item, iri)
        self._operators(item, iri)

    def _identifier(self, item: KnowledgeObject) -> str:
        if item.global_id:
            return item.id
        return f"{self.document.id}#{item.id}" if item.id else self.document.id

    def _metadata(self, graph: str, subject: NamedNode, item: KnowledgeObject) -> None:
        def add(predicate: NamedNode, value: NamedNode | Literal) -> None:
            self.out.add(graph, subject, predicate, value)

        for name, scheme, value in (
            ("statementKind", "statement-kind", item.kind),
            ("versionStatus", "version-status", item.version_status if item.version_status != "ACTIVE" else ""),
            ("verification", "verification", item.verification if item.verification != "NOT_TESTED" else ""),
        ):
            if value:
                add(oam(name), n(concept(scheme, value)))
        for name, value in (
            ("authorId", item.author_id),
            ("sourceStatus", item.status_label),
            ("noSource", item.no_source),
        ):
            if value:
                add(oam(name), text(value))
        if item.version:
            add(n(PAV + "version"), text(item.version))
        for predicate, when in (
            (oam("validFrom"), item.valid_from),
            (oam("deprecatedAt"), item.deprecated_at),
            (n(DCTERMS + "created"), item.created),
        ):
            if when:
                add(predicate, moment(when))
        for role in item.roles:
            add(oam("hasRole"), n(concept("role", role)))
        for predicate, values in (
            (oam("alias"), item.aliases),
            (oam("spanLabel"), item.span_labels),
            (n(DCTERMS + "creator"), item.creators),
            (n(DCTERMS + "subject"), item.subjects),
        ):
            for value in values:
                add(predicate, text(value))
        for name, parts in (("hasCondition", item.conditions), ("hasException", item.exceptions)):
            for local in parts:
                add(oam(name), n(self.iri[local]))
        for number, evidence in enumerate(item.evidence, 1):
            node = n(self.minter.dependent(subject.value, f"evidence{number}"))
            add(oam("hasEvidence"), node)
            kind = "EvidenceArtifact" if evidence.artifact else "ExternalWork"
            self.out.add(graph, node, TYPE, oam(kind))
            self.out.add(graph, node, oam("evidenceKind"), n(concept("evidence-kind", evidence.kind)))
            self.out.add(graph, node, oam("outcome"), n(concept("outcome", evidence.outcome)))
            self.out.add(graph, node, n(DCTERMS + "bibliographicCitation"), text(evidence.reference))

    def _fields(self, graph: str, subject: NamedNode, item: KnowledgeObject) -> None:
        """What the source says in fields of its own: kept as written, so that nothing of it is left to the Original alone."""
        for name, value in sorted(item.extra.items()):
            if name == "representations.sparse_terms":
                # E and L of K(d): what the source computed belongs to its annotations; the live index is no RDF.
                for term in json.loads(value):
                    self.out.add(self.graph("annotation/import", item), subject, oam("sparseTerm"), text(str(term)))
            elif name == "representations.dense_embedding_ref":
                self.out.add(self.graph("annotation/import", item), subject, oam("denseEmbeddingRef"), text(value))
            elif name == "provenance.tcf_version":
                self.out.add(graph, subject, oam("tcfVersion"), text(value))
            else:
                self.out.add(graph, subject, oam("sourceField"), text(f"{name}: {value}"))

    def _state(self, item: KnowledgeObject, iri: str) -> None:
        state = item.state or (_DEFAULT_STATE if item.granularity in ("STATEMENT", "ARGUMENT") else "")
        if not state:
            return
        graph = self.graph("assessment", item)
        self.out.add(graph, n(iri), oam("epistemicState"), n(concept("epistemic-state", state)))
        if item.state or item.state_label:
            node = n(self.minter.dependent(iri, "state1"))
            self.out.add(graph, node, TYPE, oam("EpistemicAssessment"))
            self.out.add(graph, node, oam("assesses"), n(iri))
            self.out.add(graph, node, oam("assessedAs"), n(concept("epistemic-state", state)))
            self.out.add(graph, node, GENERATED, n(self.run))
            if item.state_label:
                self.out.add(graph, node, oam("sourceLabel"), text(item.state_label))

    def _operators(self, item: KnowledgeObject, iri: str) -> None:
        graph = self.graph("annotation/import", item)
        for number, tag in enumerate(item.operators, 1):
            node, body = n(self.minter.dependent(iri, f"op{number}")), n(concept("operator", tag.notation))
            self.out.add(graph, n(iri), oam("hasOperator"), body)
            for predicate, value in (
                (TYPE, oam("OperatorTag")),
                (n(OA + "hasTarget"), n(iri)),
                (n(OA + "hasBody"), body),
                (n(OA + "motivatedBy"), n(OA + "classifying")),
                (GENERATED, n(self.run)),
            ):
                self.out.add(graph, node, predicate, value)
            if tag.confidence is not None:
                self.out.add(graph, node, oam("confidence"), decimal(tag.confidence))
            for name, word in (
                ("annotator", tag.annotator),
                ("modelVersion", tag.model_version),
                ("sourceLabel", tag.source_label),
            ):
                if word:
                    self.out.add(graph, node, oam(name), text(word))
            if tag.review_status:
                self.out.add(graph, node, oam("reviewStatus"), n(concept("review-status", tag.review_status)))
            if tag.order is not None:
                self.out.add(graph, node, oam("order"), integer(tag.order))
            for key, setting in sorted(tag.parameters.items()):
                self.out.add(graph, node, oam("parameter"), text(f"{key}={setting}"))

    def _relation(self, resolved: Resolved, source: KnowledgeObject, counters: dict[str, int]) -> None:
        relation, graph = resolved.relation, self.graph("assertion", source)
        kind = self.ontology.relations.get(relation.type)
        label = relation.source_label or ("" if kind else relation.type)
        predicate = n(kind.iri) if kind else oam("relatedTo")
        accepted = kind is not None and relation.verdict == "ok" and resolved.target is not None
        owner = self.iri.get(relation.source, self.out.iri)
        subject, target = owner, resolved.target
        if kind and kind.inverse and target is not None:
            subject, target = target, owner
        if accepted and target is not None and subject != target:
            self.out.add(graph, n(subject), predicate, n(target))
        plain = accepted and not (label or relation.confidence is not None or relation.evidence)
        if plain and subject != target:
            return
        counters[owner] = counters.get(owner, 0) + 1
        node = n(self.minter.dependent(owner, f"rel{counters[owner]}"))
        self.out.places[node.value] = relation.line
        add = self.out.add
        add(graph, node, TYPE, oam("Relation"))
        add(graph, node, oam("relationType"), predicate)
        if target is not None:
            add(graph, node, oam("relationSource"), n(subject))
            add(graph, node, oam("relationTarget"), n(target))
            add(
                graph,
                node,
                oam("verdict"),
                n(concept("verdict", self._verdict(relation, kind is not None, subject == target))),
            )
        else:
            # Unresolved: the source stays our object, whichever way the property runs; tried again at every ingest.
            add(graph, node, oam("relationSource"), n(owner))
            add(graph, node, oam("targetLabel"), text(relation.target))
            if kind and kind.inverse:
                add(graph, node, oam("inverted"), Literal("true", datatype=n(XSD + "boolean")))
        if label:
            add(graph, node, oam("sourceLabel"), text(label))
        if relation.confidence is not None:
            add(graph, node, oam("confidence"), decimal(relation.confidence))
        if relation.evidence:
            span = n(self.minter.dependent(owner, f"rel{counters[owner]}-span"))
            add(graph, node, QUOTED, span)
            add(graph, span, TYPE, oam("SourceSpan"))
            add(graph, span, n(OA + "hasSource"), n(self.original))
            add(graph, span, n(OA + "start"), integer(relation.evidence.start))
            add(graph, span, n(OA + "end"), integer(relation.evidence.end))

    @staticmethod
    def _verdict(relation: Relation, known: bool, loop: bool) -> str:
        # A thing that relates to itself says nothing; the node keeps what the source wrote, and is never walked.
        return "wrong" if loop else relation.verdict if known else "pending"

    def _works(self) -> None:
        """What the reference lists cite: no knowledge objects, but named, so that documents meet in them."""
        graph, add = self.graph("assertion"), self.out.add
        for work in self.document.works:
            node = n(self.minter.part(self.document.id, work.id))
            self.out.places[node.value] = work.line
            add(graph, n(self.out.iri), oam("cites"), node)
            add(graph, node, TYPE, oam("ExternalWork"))
            add(graph, node, n(DCTERMS + "bibliographicCitation"), text(work.citation))
            if work.doi:
                add(graph, node, oam("doi"), text(work.doi))
            if work.arxiv:
                add(graph, node, oam("arxiv"), text(work.arxiv))

    def _foreign(self) -> None:
        """Imported RDF: every triple lies in this document's assertion graph, whatever graph it came in."""
        if not self.document.rdf:
            return
        graph = self.graph("assertion")
        for line, iri in _PLACE.findall(self.document.rdf):
            self.out.places.setdefault(iri, int(line))
        for quad in parse(self.document.rdf, format=RdfFormat.N_QUADS):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode | Literal):
                self.out.add(graph, quad.subject, quad.predicate, quad.object)

    def _original(self) -> None:
        graph = self.graph("assertion")
        self.out.add(graph, n(self.original), TYPE, oam("Original"))
        self.out.add(graph, n(self.original), oam("length"), integer(self.document.length))

    def _provenance(self) -> None:
        graph, assertion = self.graph("provenance"), n(self.graph("assertion"))
        add = self.out.add
        add(graph, assertion, DERIVED, n(self.original))
        add(graph, assertion, GENERATED, n(self.run))
        for name, value in (
            ("sourcePath", self.document.path),
            ("ingestRoot", self.root),
            ("profile", self.document.profile),
        ):
            add(graph, assertion, oam(name), text(value))
        add(graph, n(self.run), TYPE, n(PROV + "Activity"))
        software = n(self.minter.agent(f"oam-rdf-{__version__}"))
        add(graph, n(self.run), n(PROV + "wasAssociatedWith"), software)
        add(graph, software, TYPE, n(PROV + "SoftwareAgent"))
        add(graph, software, n(PAV + "version"), text(__version__))
        for name in list(self.out.graphs):
            level = next((v for v in self.restricted if name.endswith(f"/{v.lower()}")), self.visibility)
            if level == "PUBLIC":
                continue
            # Said in a graph of the same visibility: even the name of a restricted graph is a secret.
            own = graph if level == self.visibility else self.minter.graph(self.document.id, "provenance", level)
            for hidden in (name, own):
                add(own, n(hidden), oam("visibility"), n(concept("visibility", level)))
