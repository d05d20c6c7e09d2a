"""Relations as quads: a plain edge, and a node that repeats it where there is something to say (ontology.md)."""

from __future__ import annotations

from oam_rdf.model import VISIBILITIES, Relation
from oam_rdf.namespaces import OA, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store import prov_codec
from oam_rdf.store.document_quads import Decision, DocumentQuads, Resolved
from oam_rdf.store.minter import Minter
from oam_rdf.store.quote_codec import QuoteCodec
from oam_rdf.store.terms import QUOTED, TYPE, boolean, decimal, integer, n, oam, text


class RelationCodec:
    """Writes the relations of one document whose Original is ``original``."""

    def __init__(
        self, minter: Minter, ontology: Ontology, out: DocumentQuads, quotes: QuoteCodec, original: str
    ) -> None:
        self.minter, self.ontology, self.out, self.quotes, self.original = minter, ontology, out, quotes, original
        self._counters: dict[str, int] = {}

    def write(self, resolved: Resolved, owner: str, graph: str, visibility: str) -> None:
        """One relation of the object ``owner``, into ``graph``, which ``visibility`` is that of."""
        relation = resolved.relation
        kind = self.ontology.relations.get(relation.type)
        label = relation.source_label or ("" if kind else relation.type)
        predicate = n(kind.iri) if kind else oam("relatedTo")
        decision = resolved.decision
        verdict = decision.audit.verdict if decision else relation.verdict
        waiting = bool(relation.subject) and not resolved.source  # for what the relation starts from
        accepted = kind is not None and verdict == "ok" and resolved.target is not None and not waiting
        subject, target = resolved.source or owner, resolved.target
        if kind and kind.inverse and target is not None and not waiting:
            subject, target = target, subject
        if accepted and target is not None and subject != target:
            self.out.add(graph, n(subject), predicate, n(target))
        said = (
            label
            or relation.confidence is not None
            or relation.evidence
            or relation.quote
            or decision
            or relation.coupling
        )
        plain = accepted and not said and relation.order is None
        if plain and subject != target:
            return
        self._counters[owner] = self._counters.get(owner, 0) + 1
        node = n(self.minter.dependent(owner, f"rel{self._counters[owner]}"))
        self.out.places[node.value] = relation.line
        add = self.out.add
        add(graph, node, TYPE, oam("Relation"))
        add(graph, node, oam("relationType"), predicate)
        if target is not None and not waiting:
            # A thing that relates to itself says nothing; the node keeps what the source wrote, and is never walked.
            judged = "wrong" if subject == target else verdict if kind is not None else "pending"
            add(graph, node, oam("relationSource"), n(subject))
            add(graph, node, oam("relationTarget"), n(target))
            add(graph, node, oam("verdict"), n(concept("verdict", judged)))
            if relation.order is not None:
                add(graph, node, oam("writtenAs"), text(relation.target))
        else:
            # Unresolved: the source stays our object, whichever way the property runs; tried again at every ingest.
            add(graph, node, oam("relationSource"), n(resolved.source or owner))
            if target is not None and target != owner:
                add(graph, node, oam("relationTarget"), n(target))
            else:
                for name in (
                    f"#{relation.target.removeprefix('#')}" if relation.local else relation.target,
                    *relation.also,
                ):
                    add(graph, node, oam("targetLabel"), text(name))
            if kind and kind.inverse:
                add(graph, node, oam("inverted"), boolean(True))
        prov_codec.relation(self.out, graph, node, relation, waiting)
        if label:
            add(graph, node, oam("sourceLabel"), text(label))
        if relation.confidence is not None:
            add(graph, node, oam("confidence"), decimal(relation.confidence))
        if decision:
            self._decided(graph, node.value, decision, visibility)
        self._source(graph, node.value, relation)

    def _source(self, graph: str, node: str, relation: Relation) -> None:
        add = self.out.add
        if relation.evidence:
            span = n(f"{node}-span")
            add(graph, n(node), QUOTED, span)
            add(graph, span, TYPE, oam("SourceSpan"))
            add(graph, span, n(OA + "hasSource"), n(self.original))
            add(graph, span, n(OA + "start"), integer(relation.evidence.start))
            add(graph, span, n(OA + "end"), integer(relation.evidence.end))
        if relation.quote:
            self.quotes.write(graph, n(node), (relation.quote,))
        if relation.order is not None:
            add(graph, n(node), oam("order"), integer(relation.order))
        if relation.remainder:
            add(graph, n(node), oam("remainder"), text(relation.remainder))

    def _decided(self, graph: str, node: str, decision: Decision, visibility: str) -> None:
        """Whose verdict it is, unless those who may see the relation may not see the audit."""
        if VISIBILITIES.index(decision.visibility) > VISIBILITIES.index(visibility):
            return
        self.out.add(graph, n(node), oam("decidedBy"), n(decision.node))
        if decision.audit.reason:
            self.out.add(graph, n(node), oam("reason"), text(decision.audit.reason))
        if decision.audit.round is not None:
            self.out.add(graph, n(node), oam("round"), integer(decision.audit.round))
