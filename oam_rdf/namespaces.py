"""Every IRI and prefix the program knows, once.

The vocabulary itself lives in ``ontology/``; a test proves that each name below is declared there.
"""

from __future__ import annotations

from urllib.parse import quote

OAM = "https://w3id.org/oam/ns#"
SHAPES = "https://w3id.org/oam/shapes/"
ONTOLOGY = "https://w3id.org/oam/ontology/"

_ROOT = "https://w3id.org/oam/"

# One path segment per SKOS scheme; concepts are SCHEMES[name] + notation.
SCHEMES: dict[str, str] = {
    name: f"{_ROOT}{name}/"
    for name in (
        "operator",
        "role",
        "statement-kind",
        "epistemic-state",
        "verification",
        "version-status",
        "review-status",
        "visibility",
        "verdict",
        "evidence-kind",
        "outcome",
        "direction",
        "route",
        "gate",
        "agent-role",
        "granularity",
        "formality",
        "semantic-role",
        "rhetorical-role",
        "canonical-status",
        "retraction",
        "risk",
        "state-type",
        "page-kind",
        "memory-tier",
        "query-family",
        "query-type",
        "provenance-type",
        "distillation",
        "activity-kind",
        "primitive-kind",
        "artifact-family",
        "provenance-edge",
        "layer",
        "signal",
        "index-kind",
        "epistemic-filter",
        "service",
        "trace-element",
        "system",
        "hypothesis",
        "measure",
        "edge-source",
        "scorer",
        "anchoring",
        "review-kind",
    )
}

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
SH = "http://www.w3.org/ns/shacl#"
PROV = "http://www.w3.org/ns/prov#"
PAV = "http://purl.org/pav/"
DCTERMS = "http://purl.org/dc/terms/"
OA = "http://www.w3.org/ns/oa#"
CITO = "http://purl.org/spar/cito/"

PREFIXES: dict[str, str] = {
    "oam": OAM,
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "xsd": XSD,
    "skos": SKOS,
    "sh": SH,
    "prov": PROV,
    "pav": PAV,
    "dcterms": DCTERMS,
    "oa": OA,
    "cito": CITO,
    "op": SCHEMES["operator"],
    "role": SCHEMES["role"],
    "kind": SCHEMES["statement-kind"],
    "epi": SCHEMES["epistemic-state"],
    "ver": SCHEMES["verification"],
    "vs": SCHEMES["version-status"],
    "rev": SCHEMES["review-status"],
    "vis": SCHEMES["visibility"],
    "verdict": SCHEMES["verdict"],
    "ek": SCHEMES["evidence-kind"],
    "outcome": SCHEMES["outcome"],
    "dir": SCHEMES["direction"],
    "gran": SCHEMES["granularity"],
    "formality": SCHEMES["formality"],
    "canon": SCHEMES["canonical-status"],
    "retract": SCHEMES["retraction"],
    "risk": SCHEMES["risk"],
    "state": SCHEMES["state-type"],
    "act": SCHEMES["activity-kind"],
    "arole": SCHEMES["agent-role"],
    "qtype": SCHEMES["query-type"],
    "transition": _ROOT + "transition/",
}

DEFAULT_BASE = "http://oam.localhost/"


def concept(scheme: str, notation: str) -> str:
    """IRI of a concept: ``concept("epistemic-state", "CONJECTURE")``."""
    return SCHEMES[scheme] + notation


def encode_id(identifier: str) -> str:
    """An id as an IRI path segment: percent-encoded UTF-8, so that 資料庫, C++ and C# never collide.

    >>> encode_id("C#"), encode_id("KO-00042")
    ('C%23', 'KO-00042')
    """
    return quote(identifier, safe="-._~")
