"""What sources record as events, and the hashes that were checked here, as quads on PROV-O (ontology.md, "Modules").

What a source tells of lies in its document's assertion graph; a hash that was computed here is a check of our own, an
attestation by this software in the provenance graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyoxigraph import NamedNode

from oam_rdf.model import Evidence, HashClaim, ProvNode, Relation
from oam_rdf.namespaces import PROV, RDFS, concept
from oam_rdf.store.document_quads import DocumentQuads, Resolved
from oam_rdf.store.minter import Minter
from oam_rdf.store.terms import ASSOCIATED, ATTRIBUTED, GENERATED, IDENTIFIER, TYPE, boolean, moment, n, oam, text

_LABEL = n(RDFS + "label")


def nodes(out: DocumentQuads, graph: str, minter: Minter, found: Sequence[ProvNode], iri: Mapping[str, str]) -> None:
    """The nodes of one document. ``iri`` gives the IRIs of its objects by local id."""
    for item in found:
        node = n(minter.part(out.id, item.id))
        out.places[node.value] = item.line
        add = out.add
        add(graph, node, TYPE, n(PROV + item.type))
        if item.kind:
            add(graph, node, oam("activityKind"), n(concept("activity-kind", item.kind)))
        if item.label:
            add(graph, node, oam("sourceLabel"), text(item.label))
        if item.author_id:
            add(graph, node, IDENTIFIER, text(item.author_id))
        if item.at:
            name = "endedAtTime" if item.type == "Activity" else "generatedAtTime"
            add(graph, node, n(PROV + name), moment(item.at))
        if item.outcome:
            add(graph, node, oam("outcome"), n(concept("outcome", item.outcome)))
        if item.sha256:
            add(graph, node, oam("contentHash"), text(f"sha256:{item.sha256}"))
        for local in item.used:
            add(graph, node, n(PROV + "used"), n(iri[local]))
        for local in item.made:
            add(graph, n(iri[local]), GENERATED, node)
        for name, other in item.links:
            add(graph, node, n(name), n(minter.part(out.id, other)))
        _agents(out, graph, minter, node, item)


def _agents(out: DocumentQuads, graph: str, minter: Minter, node: NamedNode, item: ProvNode) -> None:
    for number, (name, role) in enumerate(item.agents, 1):
        agent = n(minter.agent(name))
        out.add(graph, agent, TYPE, n(PROV + "Agent"))
        out.add(graph, agent, _LABEL, text(name))
        out.add(graph, node, ASSOCIATED, agent)
        if role:
            part = n(minter.dependent(node.value, f"role{number}"))
            out.add(graph, node, n(PROV + "qualifiedAssociation"), part)
            out.add(graph, part, TYPE, n(PROV + "Association"))
            out.add(graph, part, n(PROV + "agent"), agent)
            out.add(graph, part, n(PROV + "hadRole"), n(concept("agent-role", role)))


def relation(out: DocumentQuads, graph: str, node: NamedNode, said: Relation, waiting: bool) -> None:
    """What a relation node carries of its edge; ``waiting``: what it starts from is not known yet."""
    if waiting:
        out.add(graph, node, oam("subjectLabel"), text(said.subject))
    for name, value in said.coupling:
        out.add(graph, node, oam("coupling"), text(f"{name}={value!r}"))


def events(
    out: DocumentQuads, graph: str, minter: Minter, found: Sequence[ProvNode], relations: Sequence[Resolved]
) -> None:
    """That an event used what its relation leads to; an entity of a provenance graph is another face of it."""
    types = {item.id: item.type for item in found}
    for resolved in relations:
        name = resolved.relation.event
        if name in types:
            prov = n(PROV + ("used" if types[name] == "Activity" else "alternateOf"))
            for end in (resolved.source if resolved.relation.subject else "", resolved.target):
                if end:
                    out.add(graph, n(minter.part(out.id, name)), prov, n(end))


def scope(out: DocumentQuads, graph: str, minter: Minter, node: NamedNode, evidence: Evidence) -> None:
    """How far a piece of evidence reaches, where its source says."""
    if not evidence.quantification and evidence.universal is None:
        return
    part = n(minter.dependent(node.value, "scope"))
    out.add(graph, node, oam("claimScope"), part)
    out.add(graph, part, TYPE, oam("ClaimScope"))
    if evidence.quantification:
        out.add(graph, part, oam("quantification"), text(evidence.quantification))
    if evidence.universal is not None:
        out.add(graph, part, oam("universalProof"), boolean(evidence.universal))


def checks(out: DocumentQuads, graph: str, minter: Minter, agent: str, hashes: Sequence[HashClaim]) -> None:
    """The hashes that were computed here, each an attestation by ``agent`` about the document that states it."""
    for number, claim in enumerate((c for c in hashes if c.found), 1):
        node = n(minter.dependent(out.iri, f"check{number}"))
        outcome = "passed" if claim.found == claim.sha256 else "failed"
        what = f"{claim.name} {claim.target}" if claim.target and claim.kind != "own" else claim.name
        digest = claim.found if claim.kind == "events" else f"sha256:{claim.found}"
        out.add(graph, node, TYPE, oam("VerificationAttestation"))
        out.add(graph, node, oam("attests"), n(out.iri))
        out.add(graph, node, oam("checkedHash"), text(f"{what} {digest}"))
        out.add(graph, node, oam("outcome"), n(concept("outcome", outcome)))
        out.add(graph, node, ATTRIBUTED, n(agent))
        out.add(graph, node, GENERATED, n(out.run))
