"""Which documents have an id of their author's, and what becomes of an RDF document under another id."""

from __future__ import annotations

import json

import pytest
from pyoxigraph import RdfFormat
from pyoxigraph import parse as parse_rdf

from oam_rdf.ingest import profiles
from oam_rdf.ingest.identity import with_id
from oam_rdf.ingest.parse import parse
from oam_rdf.namespaces import DEFAULT_BASE
from oam_rdf.store.minter import Minter

OBJECT = {"knowledge_object_id": "KO-1", "content": "Limpets cling.", "role": "CLAIM"}
LEDGER = [{"gap_id": "G1", "status": "open", "blocking": False, "description": "Nobody counted."}]
SHELL = """@prefix dcterms: <http://purl.org/dc/terms/> .
<#whelk> dcterms:title "whelk"@en ; dcterms:relation [ dcterms:title "in <http://oam.localhost/doc/shells>" ] .
"""
DESCRIBED = '<#d> a <https://w3id.org/oam/ns#Document> ; <http://purl.org/dc/terms/identifier> "SHELLS" .\n'


@pytest.mark.parametrize(
    ("path", "text", "name", "own"),
    [
        ("n/a.md", "# Tides\n\nText.\n", "Tides", False),
        ("n/a.md", "Text without a heading.\n", "a", False),
        ("n/a.md", "---\nid: T-1\n---\n# Tides\n\nText.\n", "T-1", True),
        ("n/a.md", "# T-2026-01 Tides v0.1\n\nText.\n", "T-2026-01", True),
        ("n/a.rst", "Tides\n=====\n\nText.\n", "Tides", False),
        ("n/a.json", json.dumps(OBJECT), "a", False),
        ("n/a.json", json.dumps({"audited": {"A->B": {"verdict": "ok"}}}), "a", False),
        ("n/a.json", json.dumps(LEDGER), "n/a", False),
        ("n/a.ttl", SHELL, "a", False),
        ("n/a.ttl", DESCRIBED, "SHELLS", True),
    ],
)
def test_an_id_is_the_authors_only_where_the_file_gives_one(path: str, text: str, name: str, own: bool) -> None:
    document = parse(text.encode(), path, profiles.load("default"))
    assert (document.id, document.own_id) == (name, own)


def test_an_id_that_a_rule_of_the_profile_makes_of_the_path_is_no_title() -> None:
    document = parse(b"# Ships\n\nText.\n", "keps/sig-node/2400-node-swap/README.md", profiles.load("keps"))
    assert document.own_id and document.id != "Ships"


def test_an_rdf_document_under_another_id_says_the_same_of_itself() -> None:
    minter = Minter(DEFAULT_BASE)
    document = parse(SHELL.encode(), "shells.ttl", profiles.load("default"))
    other = with_id(document, "one/shells.ttl", minter)
    before, after = ({str(quad) for quad in parse_rdf(one.rdf, format=RdfFormat.N_QUADS)} for one in (document, other))
    old, new = f"<{DEFAULT_BASE}doc/shells#", f"<{DEFAULT_BASE}doc/one%2Fshells.ttl#"
    assert after == {quad.replace(old, new) for quad in before} and before != after
    assert any("in <http://oam.localhost/doc/shells>" in quad for quad in after)  # a text is nobody's IRI
    comments = [line for line in document.rdf.split("\n") if line.startswith("#")]
    assert comments and [c.replace(old, new) for c in comments] == [c for c in other.rdf.split("\n") if c[:1] == "#"]
    assert with_id(other, "shells", minter).rdf == document.rdf
