"""From :mod:`oam_rdf.model` to quads: one document becomes five named graphs (ontology.md, "Graphs")."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from oam_rdf import __version__
from oam_rdf.model import VISIBILITIES, KnowledgeObject, ParsedDocument
from oam_rdf.namespaces import DCTERMS, OA, PAV, PROV, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store import procedure_codec, prov_codec, tcf_codec
from oam_rdf.store.document_quads import Anchors, DocumentQuads, Resolved
from oam_rdf.store.inference import infer
from oam_rdf.store.minter import Minter
from oam_rdf.store.quote_codec import QuoteCodec
from oam_rdf.store.relation_codec import RelationCodec
from oam_rdf.store.status_quads import status_quads
from oam_rdf.store.terms import (
    DERIVED,
    GENERATED,
    IDENTIFIER,
    LANGUAGE,
    PART_OF,
    QUOTED,
    TITLE,
    TYPE,
    decimal,
    integer,
    moment,
    n,
    oam,
    text,
)

__all__ = [
    "DERIVED",
    "GENERATED",
    "IDENTIFIER",
    "LANGUAGE",
    "PART_OF",
    "QUOTED",
    "TITLE",
    "TYPE",
    "Codec",
    "DocumentQuads",
    "Resolved",
    "decimal",
    "integer",
    "moment",
    "n",
    "oam",
    "text",
]

_CLASS = {"DOCUMENT": "Document", "SECTION": "Section", "ARGUMENT": "Argument", "STATEMENT": "Statement"}
# A comment before the N-Quads of an imported document: where a subject stands in its file.
_PLACE = re.compile(r"^# (\d+) <([^<>\n]+)>$", re.MULTILINE)
_DEFAULT_STATE = "SOURCE_CLAIM"  # decision D17: the text asserts, and nothing says more


class Codec:
    """Encodes documents for one knowledge base."""

    def __init__(self, minter: Minter, ontology: Ontology) -> None:
        self.minter = minter
        self.ontology = ontology

    def encode(
        self,
        document: ParsedDocument,
        relations: Sequence[Resolved],
        *,
        root: str,
        events: Sequence[str | None] = (),
        anchors: Anchors | None = None,
    ) -> DocumentQuads:
        """All graphs of a document. ``relations`` are its relations, resolved; ``root`` names the ingest root.

        ``events`` are the IRIs that the ids of its status events resolved to, None where there is none yet. ``anchors`` says
        where its quotes stand.
        """
        encoding = _Encoding(self, document, relations, root, anchors or {})
        graph = self.minter.graph(document.id, "assertion")
        for quad in status_quads(document.events, events, encoding.out.iri, graph, self.minter):
            encoding.out.graphs.setdefault(graph, []).append(quad)
        return encoding.result()


class _Encoding:
    def __init__(
        self, codec: Codec, document: ParsedDocument, relations: Sequence[Resolved], root: str, anchors: Anchors
    ) -> None:
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
        self.quotes = QuoteCodec(self.minter, anchors, self.out, self._narrow)

    def graph(self, name: str, item: KnowledgeObject | None = None) -> str:
        """An object more restricted than its document lives in the document's restricted graph of the same kind."""
        return self._graph(name, (item.visibility if item else "") or self.visibility)

    def _narrow(self, graph: str, visibility: str) -> str:
        """The assertion graph for what is said in ``graph`` of a work that only ``visibility`` may see."""
        level = next((v for v in self.restricted if graph.endswith(f"/{v.lower()}")), self.visibility)
        wider = VISIBILITIES.index(visibility or "PUBLIC") <= VISIBILITIES.index(level)
        return graph if wider else self._graph("assertion", visibility)

    def _graph(self, name: str, own: str) -> str:
        narrower = VISIBILITIES.index(own) > VISIBILITIES.index(self.visibility)
        if narrower:
            self.restricted.add(own)
        return self.minter.graph(self.document.id, name, own if narrower else "")

    def result(self) -> DocumentQuads:
        for item in self.document.objects:
            self._object(item)
        relations = RelationCodec(self.minter, self.ontology, self.out, self.quotes, self.original)
        by_id = {item.id: item for item in self.document.objects}
        for resolved in self.relations:
            source = by_id.get(resolved.relation.source, self.document.document)
            level = source.visibility or self.visibility
            relations.write(resolved, self.iri[source.id], self.graph("assertion", source), level)
        graph = self.graph("assertion")
        tcf_codec.about(self.out, graph, self.document.about)
        tcf_codec.extraction(self.out, graph, self.minter, self.document.extraction)
        tcf_codec.audits(self.out, graph, self.minter, self.document.audits)
        prov_codec.nodes(self.out, graph, self.minter, self.document.nodes, self.iri)
        prov_codec.events(self.out, graph, self.minter, self.document.nodes, self.relations)
        if self.document.procedure:
            procedure_codec.write(self.out, graph, self.minter, self.document.procedure)
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
        if item.granularity in _CLASS:
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
        tcf_codec.entry(self.out, graph, subject, item, self.document.language)
        self.quotes.write(graph, subject, item.quotes)
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
            prov_codec.scope(self.out, graph, self.minter, node, evidence)

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
        prov_codec.checks(self.out, graph, self.minter, software.value, self.document.hashes)
        for name in list(self.out.graphs):
            level = next((v for v in self.restricted if name.endswith(f"/{v.lower()}")), self.visibility)
            if level == "PUBLIC":
                continue
            # Said in a graph of the same visibility: even the name of a restricted graph is a secret.
            own = graph if level == self.visibility else self.minter.graph(self.document.id, "provenance", level)
            for hidden in (name, own):
                add(own, n(hidden), oam("visibility"), n(concept("visibility", level)))
