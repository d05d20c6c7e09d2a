"""The service description of the SPARQL endpoint (SPARQL 1.1 Service Description)."""

from __future__ import annotations

import pyoxigraph as ox
from flask import Response, request

from oam_rdf.namespaces import RDF
from oam_rdf.store.sparql_formats import GRAPHS, RESULTS
from oam_server.negotiate import best, not_acceptable

SD = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_RESULT_FORMATS = {
    "json": "SPARQL_Results_JSON",
    "xml": "SPARQL_Results_XML",
    "csv": "SPARQL_Results_CSV",
    "tsv": "SPARQL_Results_TSV",
    "turtle": "Turtle",
    "ntriples": "N-Triples",
    "jsonld": "JSON-LD",
    "rdfxml": "RDF_XML",
}
_SERIALISERS = {
    "turtle": ox.RdfFormat.TURTLE,
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdfxml": ox.RdfFormat.RDF_XML,
}


def triples(endpoint: str) -> list[ox.Triple]:
    """What the endpoint at this IRI can do: SPARQL 1.1 queries; the default graph is the union of all graphs that the
    caller may see (decision D19), unless ``default-graph=strict`` is asked."""

    def node(name: str) -> ox.NamedNode:
        return ox.NamedNode(SD + name)

    kind = ox.NamedNode(RDF + "type")
    service, dataset, graph = (ox.NamedNode(endpoint + part) for part in ("#service", "#dataset", "#default-graph"))
    described = [
        ox.Triple(service, kind, node("Service")),
        ox.Triple(service, node("endpoint"), ox.NamedNode(endpoint)),
        ox.Triple(service, node("supportedLanguage"), node("SPARQL11Query")),
        ox.Triple(service, node("feature"), node("UnionDefaultGraph")),
        ox.Triple(service, node("defaultDataset"), dataset),
        ox.Triple(dataset, kind, node("Dataset")),
        ox.Triple(dataset, node("defaultGraph"), graph),
        ox.Triple(graph, kind, node("Graph")),
    ]
    for fmt in RESULTS + GRAPHS:
        described.append(ox.Triple(service, node("resultFormat"), ox.NamedNode(_FORMATS + _RESULT_FORMATS[fmt.name])))
    return described


def respond(endpoint: str) -> Response:
    """The description in the RDF format that the client prefers."""
    types = [fmt.media_types[0] for fmt in GRAPHS] + [other for fmt in GRAPHS for other in fmt.media_types[1:]]
    chosen = best(request.headers.get("Accept"), types)
    if chosen is None:
        raise not_acceptable(types)
    fmt = next(fmt for fmt in GRAPHS if chosen in fmt.media_types)
    body = ox.serialize(triples(endpoint), format=_SERIALISERS[fmt.name], prefixes={"sd": SD})
    return Response(body, content_type=fmt.content_type(chosen), headers={"Vary": "Accept"})
