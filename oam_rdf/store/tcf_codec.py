"""What a theory extract says beyond texts and relations, as quads: entries, the extraction, audits (formats.md, 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

from pyoxigraph import NamedNode

from oam_rdf.model import Audit, Extraction, KnowledgeObject
from oam_rdf.namespaces import PROV, RDFS, concept
from oam_rdf.store.document_quads import DocumentQuads
from oam_rdf.store.minter import Minter
from oam_rdf.store.terms import ASSOCIATED, DESCRIPTION, GENERATED, TYPE, integer, moment, n, oam, text

#: Property of a further axis -> the scheme of its values (vocabulary.md, "Status axes" and "TCF").
AXES = {
    "primitiveKind": "primitive-kind",
    "canonicalStatus": "canonical-status",
    "provenanceType": "provenance-type",
    "distilledBy": "distillation",
    "formality": "formality",
    "semanticRole": "semantic-role",
    "rhetoricalRole": "rhetorical-role",
    "artifactFamily": "artifact-family",
}


def entry(out: DocumentQuads, graph: str, subject: NamedNode, item: KnowledgeObject, language: str) -> None:
    """The fields of an object that only extracts have."""
    if item.type:
        out.add(graph, subject, TYPE, oam(item.type))
    if item.formula:
        out.add(graph, subject, oam("formula"), text(item.formula))
    if item.description:
        out.add(graph, subject, DESCRIPTION, text(item.description, item.language or language))
    for name, notation in sorted(item.axes.items()):
        out.add(graph, subject, oam(name), n(concept(AXES[name], notation)))
    for name, place in (("order", item.order), ("dagOrder", item.dag_order)):
        if place is not None:
            out.add(graph, subject, oam(name), integer(place))
    if item.remainder:
        out.add(graph, subject, oam("remainder"), text(item.remainder))


def about(out: DocumentQuads, graph: str, names: Sequence[str]) -> None:
    """By which names the document calls its work."""
    if names:
        out.add(graph, n(out.iri), oam("about"), text(names[0]))
    for name in names[1:]:
        out.add(graph, n(out.iri), oam("aboutFile"), text(name))


def extraction(out: DocumentQuads, graph: str, minter: Minter, made: Extraction | None) -> None:
    """The activity that made the entries, as the source tells of it."""
    if made is None or not (made.agent or made.when):
        return
    activity = n(minter.dependent(out.iri, "extraction"))
    out.add(graph, n(out.iri), GENERATED, activity)
    out.add(graph, activity, TYPE, n(PROV + "Activity"))
    if made.when:
        out.add(graph, activity, n(PROV + "endedAtTime"), moment(made.when))
    if made.agent:
        agent = n(minter.agent(made.agent))
        out.add(graph, activity, ASSOCIATED, agent)
        out.add(graph, agent, TYPE, n(PROV + "Agent"))
        out.add(graph, agent, n(RDFS + "label"), text(made.agent))


def audits(out: DocumentQuads, graph: str, minter: Minter, found: Sequence[Audit]) -> None:
    """The audits that the document records; relations refer to the one that decided them (``oam:decidedBy``)."""
    for number, audit in enumerate(found, 1):
        node = n(minter.part(out.id, audit.id))
        out.places[node.value] = audit.line
        out.add(graph, node, TYPE, oam("EdgeAudit"))
        out.add(graph, node, oam("recordedIn"), n(out.iri))
        out.add(graph, node, oam("auditSource"), text(audit.source))
        out.add(graph, node, oam("auditTarget"), text(audit.target))
        out.add(graph, node, oam("auditVerdict"), n(concept("verdict", audit.verdict)))
        out.add(graph, node, oam("order"), integer(number))
        if audit.reason:
            out.add(graph, node, oam("reason"), text(audit.reason))
        if audit.round is not None:
            out.add(graph, node, oam("round"), integer(audit.round))
        if audit.remainder:
            out.add(graph, node, oam("remainder"), text(audit.remainder))
