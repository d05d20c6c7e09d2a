"""OAM JSON (paper §11) out of the graph: one object, a list, or JSON Lines. What is written is what the graph says."""

from __future__ import annotations

import json
from collections.abc import Iterator

from oam_rdf.model import Evidence, KnowledgeObject, OperatorTag, Relation
from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.store.facts import TITLE, Edge, Facts, forward
from oam_rdf.store.oam_object import Json, restored
from oam_rdf.store.selection import Selection

_REJECTED = SCHEMES["review-status"] + "REJECTED"


def document(selection: Selection) -> bytes:
    """One object by itself, several as a list; UTF-8, indented."""
    found = list(objects(selection))
    value = found[0] if len(found) == 1 else found
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def lines(selection: Selection) -> bytes:
    """JSON Lines, one object each."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in objects(selection)).encode()


def objects(selection: Selection) -> Iterator[Json]:
    """Every object selected, document by document, in the order of the source.

    A file of OAM JSON is a document only because it is a file: it is left out beside its objects.
    """
    ontology = Ontology.load()
    for iri, quads in selection.documents():
        facts = Facts(iri, quads, selection.store, ontology)
        chosen = selection.objects(iri)
        found = [name for name in facts.objects() if not chosen or chosen & set(facts.wholes(name))]
        parts = [name for name in found if name != iri]
        if parts and all("#" not in name and "/ko/" in name for name in parts):
            found = sorted(parts, key=lambda name: (int(facts.value(name, OAM + "order") or 0), name))
        for name in found:
            yield restored(*decode(facts, name, ontology))


def decode(facts: Facts, iri: str, ontology: Ontology) -> tuple[KnowledgeObject, list[Relation]]:
    """An object of a document as the model has it, with what it says of others. ``id`` is its full identifier."""
    extra: dict[str, str] = {}
    for written in facts.values(iri, OAM + "sourceField"):
        name, _, value = written.partition(": ")
        extra[name] = value
    for name, predicate in (
        ("representations.dense_embedding_ref", OAM + "denseEmbeddingRef"),
        ("provenance.tcf_version", OAM + "tcfVersion"),
        ("description", DCTERMS + "description"),
        ("formula", OAM + "formula"),
    ):
        if value := facts.value(iri, predicate):
            extra[name] = value
    for name, predicate in (
        ("representations.sparse_terms", OAM + "sparseTerm"),
        ("creators", DCTERMS + "creator"),
        ("subjects", DCTERMS + "subject"),
    ):
        if values := facts.values(iri, predicate):
            extra[name] = json.dumps(values, ensure_ascii=False)
    state, label = _state(facts, iri)
    item = KnowledgeObject(
        id=facts.name(iri),
        granularity=facts.granularity(iri).upper(),
        title=facts.value(iri, TITLE),
        content=facts.value(iri, OAM + "content"),
        language=facts.language(iri),
        kind=facts.notation(iri, "statementKind", "statement-kind"),
        roles=tuple(facts.notations(iri, "hasRole", "role")),
        state=state,
        state_label=label,
        verification=facts.notation(iri, "verification", "verification"),
        version=facts.value(iri, PAV + "version"),
        version_status=facts.notation(iri, "versionStatus", "version-status"),
        status_label=facts.value(iri, OAM + "sourceStatus"),
        valid_from=facts.value(iri, OAM + "validFrom"),
        deprecated_at=facts.value(iri, OAM + "deprecatedAt"),
        visibility=facts.visibility(iri),
        span_labels=(*facts.values(iri, OAM + "spanLabel"), *facts.own_spans(iri)),
        operators=tuple(_operators(facts, iri)),
        aliases=tuple(facts.values(iri, OAM + "alias")),
        evidence=tuple(
            Evidence(
                facts.notation(node, "evidenceKind", "evidence-kind"),
                facts.notation(node, "outcome", "outcome"),
                facts.value(node, DCTERMS + "bibliographicCitation"),
            )
            for node in facts.numbered(iri, OAM + "hasEvidence")
        ),
        extra=extra,
        remainder=facts.value(iri, OAM + "remainder"),
    )
    return item, _relations(facts, iri, ontology)


def _state(facts: Facts, iri: str) -> tuple[str, str]:
    """The present state, and the source's word for it."""
    state = facts.notation(iri, "epistemicState", "epistemic-state")
    labels = [
        facts.value(node, OAM + "sourceLabel")
        for node in facts.about(OAM + "assesses", iri)
        if facts.notation(node, "assessedAs", "epistemic-state") == state
    ]
    return state, next((label for label in labels if label), "")


def _operators(facts: Facts, iri: str) -> Iterator[OperatorTag]:
    """The source's tags first, in its order; then those of taggers. Rejected ones are left out."""
    nodes = [node for node in facts.about(OA + "hasTarget", iri) if OAM + "OperatorTag" in facts.types(node)]
    for node in sorted(nodes, key=lambda node: facts.graph(node) != "annotation/import"):
        if _REJECTED in facts.values(node, OAM + "reviewStatus"):
            continue
        confidence, order = facts.value(node, OAM + "confidence"), facts.value(node, OAM + "order")
        yield OperatorTag(
            notation=facts.value(node, OA + "hasBody").removeprefix(SCHEMES["operator"]),
            confidence=float(confidence) if confidence else None,
            annotator=facts.value(node, OAM + "annotator"),
            model_version=facts.value(node, OAM + "modelVersion"),
            review_status=facts.notation(node, "reviewStatus", "review-status"),
            source_label=facts.value(node, OAM + "sourceLabel"),
            order=int(order) if order else None,
            parameters=dict(p.partition("=")[::2] for p in facts.values(node, OAM + "parameter")),
        )


def _relations(facts: Facts, iri: str, ontology: Ontology) -> list[Relation]:
    """What the source says of the object's relations, in its order; others by type and target."""
    inverse: dict[str, str] = {}
    names = {name: relation for relation, name in forward(ontology).items()}
    for name, kind in ontology.relations.items():
        if kind.inverse:
            inverse.setdefault(kind.iri, name)
    found = [
        _relation(facts, iri, edge, inverse.get(names.get(edge.relation, ""), edge.relation))
        for edge in facts.said_by(iri)
        if edge.graph == "assertion"
    ]
    if facts.own_spans(iri):
        found.append(Relation("", "derived_from", facts.name(facts.iri), order=0))
    return sorted(found, key=lambda r: (r.order if r.order is not None else 1 << 30, r.type, r.target))


def _relation(facts: Facts, iri: str, edge: Edge, inverse: str) -> Relation:
    backwards = edge.inverted or (edge.target == iri and edge.source != iri)
    other = edge.source if backwards and edge.target else edge.target
    return Relation(
        source="",
        type=inverse if backwards else edge.relation,
        target=edge.written or edge.label or facts.name(other),
        confidence=edge.confidence,
        verdict=edge.verdict if edge.target else "",
        source_label=edge.source_label,
        order=edge.order,
        remainder=edge.remainder,
    )
