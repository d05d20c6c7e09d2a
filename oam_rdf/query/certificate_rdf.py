"""A certificate as PROV-O: the retrieval is an activity that used a plan and a generation and generated the answer.

The answer is a collection and a sequence (``rdf:_1`` is the first) of places; a place specialises the object that stands
there and carries its scores as measurements (W3C Data Quality Vocabulary) of the paper's seven signals (§5).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, serialize

from oam_rdf.errors import UsageError
from oam_rdf.namespaces import DCTERMS, OAM, PAV, PREFIXES, PROV, RDF, RDFS, SCHEMES, XSD, concept, encode_id
from oam_rdf.ontology import Ontology
from oam_rdf.store.minter import Minter

DQV = "http://www.w3.org/ns/dqv#"
FORMATS = {
    "turtle": ("text/turtle", RdfFormat.TURTLE),
    "trig": ("application/trig", RdfFormat.TRIG),
    "jsonld": ("application/ld+json", RdfFormat.JSON_LD),
    "ntriples": ("application/n-triples", RdfFormat.N_TRIPLES),
}
_QUADS = ("trig", "jsonld")

Node = NamedNode | BlankNode
Triple = tuple[Node, str, Node | Literal]


def serialize_certificate(certificate: Mapping[str, Any], minter: Minter, fmt: str) -> bytes:
    """The certificate in one of :data:`FORMATS`; TriG and JSON-LD keep it in a graph of its own.

    :raises UsageError: for another format.
    """
    if fmt not in FORMATS:
        raise UsageError(f"unknown format {fmt!r}", hint="json, " + ", ".join(FORMATS))
    retrieval = _iri(minter, certificate)
    graph = NamedNode(retrieval + "/graph")
    triples = [(s, NamedNode(p), o) for s, p, o in _Certificate(certificate, minter).triples()]
    quads = [Quad(s, p, o, graph) for s, p, o in triples]
    known = PREFIXES | minter.prefixes() | {"dqv": DQV, "gate": SCHEMES["gate"], "route": SCHEMES["route"]}
    known |= {"signal": SCHEMES["signal"], "r": f"{minter.base}retrieval/"}
    nodes = {
        node.value
        for quad in quads
        for node in (quad.predicate, quad.subject, quad.object)
        if isinstance(node, NamedNode)
    } | {XSD}
    used = {name: iri for name, iri in known.items() if any(node.startswith(iri) for node in nodes)}
    data = quads if fmt in _QUADS else [quad.triple for quad in quads]
    lines = (serialize(data, format=FORMATS[fmt][1], prefixes=used) or b"").split(b"\n")
    head = [line for line in lines if line.startswith(b"@prefix ")]  # the serialiser writes them in no order
    return b"\n".join([*sorted(head), *lines[len(head) :]])


def _iri(minter: Minter, certificate: Mapping[str, Any]) -> str:
    return f"{minter.base}retrieval/{encode_id(str(certificate['retrieval_id']))}"


class _Certificate:
    def __init__(self, certificate: Mapping[str, Any], minter: Minter) -> None:
        self.data, self.minter = certificate, minter
        self.iri = _iri(minter, certificate)

    def node(self, name: str = "") -> NamedNode:
        return NamedNode(f"{self.iri}#{name}" if name else self.iri)

    def triples(self) -> Iterator[Triple]:
        yield from self.activity()
        yield from self.used()
        answer = self.node("answer")
        yield answer, RDF + "type", NamedNode(PROV + "Collection")
        yield answer, RDF + "type", NamedNode(RDF + "Seq")
        yield answer, PROV + "wasGeneratedBy", self.node()
        yield answer, PROV + "generatedAtTime", _time(self.ended)
        if verdict := self.data.get("gate", {}).get("verdict"):
            known = Ontology.load().concept("gate", verdict)
            yield answer, DCTERMS + "type", NamedNode(known.iri) if known else Literal(verdict)
        for result in self.data.get("results", ()):
            yield from self.place(result, answer)

    @property
    def ended(self) -> datetime:
        return datetime.fromisoformat(str(self.data["time"]))

    def activity(self) -> Iterator[Triple]:
        retrieval, plan = self.node(), self.node("plan")
        took = float(self.data.get("milliseconds", {}).get("total", 0.0))
        name, _, version = str(self.data.get("software", "oam-rdf")).partition(" ")
        agent = NamedNode(self.minter.agent(f"{name}-{version}" if version else name))
        association = self.node("association")
        yield retrieval, RDF + "type", NamedNode(PROV + "Activity")
        yield retrieval, OAM + "activityKind", NamedNode(concept("activity-kind", "retrieval"))
        yield retrieval, DCTERMS + "identifier", Literal(str(self.data["retrieval_id"]))
        yield retrieval, PROV + "startedAtTime", _time(self.ended - timedelta(milliseconds=took))
        yield retrieval, PROV + "endedAtTime", _time(self.ended)
        yield retrieval, PROV + "used", plan
        yield retrieval, PROV + "used", self.generation
        yield retrieval, PROV + "wasAssociatedWith", agent
        yield retrieval, PROV + "qualifiedAssociation", association
        yield association, RDF + "type", NamedNode(PROV + "Association")
        yield association, PROV + "agent", agent
        yield association, PROV + "hadPlan", plan
        yield agent, RDF + "type", NamedNode(PROV + "SoftwareAgent")
        yield agent, RDFS + "label", Literal(name)
        if version:
            yield agent, PAV + "version", Literal(version)

    @property
    def generation(self) -> NamedNode:
        return NamedNode(f"{self.minter.knowledge_base()}#generation-{self.data['generation']}")

    def used(self) -> Iterator[Triple]:
        plan, generation = self.node("plan"), self.generation
        yield plan, RDF + "type", NamedNode(PROV + "Plan")
        yield plan, DCTERMS + "title", Literal(str(self.data["query"]))
        for route in self.data.get("route", ()):
            yield plan, DCTERMS + "type", NamedNode(concept("route", route))
        as_json = json.dumps(self.data["query_plan"], ensure_ascii=False, sort_keys=True)
        yield plan, PROV + "value", Literal(as_json, datatype=NamedNode(RDF + "JSON"))
        yield generation, RDF + "type", NamedNode(PROV + "Entity")
        yield generation, DCTERMS + "identifier", Literal(str(self.data["generation"]))
        yield generation, OAM + "revision", _number(int(self.data.get("revision", 0)))
        yield generation, PROV + "specializationOf", NamedNode(self.minter.knowledge_base())
        if model := self.data.get("model"):
            node = NamedNode(f"{self.minter.base}model/{encode_id(model)}")
            yield self.node(), PROV + "used", node
            yield node, RDF + "type", NamedNode(PROV + "Entity")
            yield node, DCTERMS + "identifier", Literal(model)

    def place(self, result: Mapping[str, Any], answer: NamedNode) -> Iterator[Triple]:
        position = int(result["position"])
        node = self.node(f"place-{position}")
        yield answer, PROV + "hadMember", node
        yield answer, f"{RDF}_{position - self.data['query_plan'].get('form', {}).get('offset', 0)}", node
        yield node, RDF + "type", NamedNode(PROV + "Entity")
        yield node, PROV + "specializationOf", NamedNode(str(result["iri"]))
        yield node, RDFS + "label", Literal(f"{position}. {result['id']}")
        for item in result.get("substituted_for", ()):
            yield node, RDFS + "comment", Literal(f"substituted for {item['id']}")
        signals = Ontology.load().notations("signal")
        for name, value in result.get("scores", {}).items():
            if name in signals:
                score = self.node(f"place-{position}.{name}")
                yield node, DQV + "hasQualityMeasurement", score
                yield score, RDF + "type", NamedNode(DQV + "QualityMeasurement")
                yield score, DQV + "isMeasurementOf", NamedNode(concept("signal", name))
                yield score, DQV + "value", _number(value)


def _number(value: float) -> Literal:
    if isinstance(value, int):
        return Literal(str(value), datatype=NamedNode(XSD + "integer"))
    return Literal(f"{value:.4f}", datatype=NamedNode(XSD + "decimal"))


def _time(when: datetime) -> Literal:
    return Literal(when.isoformat(timespec="milliseconds"), datatype=NamedNode(XSD + "dateTime"))
