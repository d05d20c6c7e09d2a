"""RDF files: bases, relative IRIs, and prefixes that are used without being declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from oam_rdf.errors import ConfigError, ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.model import ParsedDocument

TITLE = '<http://purl.org/dc/terms/title> "t"'
XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"{}>\n'
    '<rdf:Description rdf:about="{}">\n{}</rdf:Description></rdf:RDF>'
)


def read(text: str, path: str, profile: str = "default") -> ParsedDocument:
    return parse(text.encode(), path, profiles.load(profile))


def subjects(document: ParsedDocument) -> set[str]:
    return {line.split()[0] for line in document.rdf.splitlines() if not line.startswith("# ")}


BASED = [
    ("f.ttl", f"@base <http://e.x/y/> .\n<a> {TITLE} .\n"),
    ("f.ttl", f"BASE <http://e.x/>\n<y/a> {TITLE} .\n"),
    ("f.trig", f"@base <http://e.x/y/> .\nGRAPH <g> {{ <a> {TITLE} }}\n"),
    ("f.jsonld", '{"@context": {"@base": "http://e.x/y/"}, "@id": "a", "http://purl.org/dc/terms/title": "t"}'),
    ("f.rdf", XML.format(' xml:base="http://e.x/y/" xmlns:t="http://purl.org/dc/terms/"', "a", "<t:title>t</t:title>")),
    ("f.owl", XML.format(' xml:base="http://e.x/y/" xmlns:t="http://purl.org/dc/terms/"', "a", "<t:title>t</t:title>")),
    ("f.xml", XML.format(' xml:base="http://e.x/y/" xmlns:t="http://purl.org/dc/terms/"', "a", "<t:title>t</t:title>")),
]


@pytest.mark.parametrize(("path", "text"), BASED)
def test_a_base_in_the_file_resolves_its_relative_iris(path: str, text: str, tmp_path: Path) -> None:
    assert subjects(read(text, path)) == {"<http://e.x/y/a>"}
    own = tmp_path / "own.toml"
    own.write_text('base = "https://other.example/"\n', encoding="utf-8")
    assert subjects(read(text, path, str(own))) == {"<http://e.x/y/a>"}  # the file's own comes first


def test_without_one_the_profiles_base_counts_else_the_files_own_iri(tmp_path: Path) -> None:
    text = f"<a> {TITLE} .\n"
    assert subjects(read(text, "f.ttl")) == {"<http://oam.localhost/doc/a>"}
    own = tmp_path / "own.toml"
    own.write_text('base = "https://data.example/x/"\n', encoding="utf-8")
    assert subjects(read(text, "f.ttl", str(own))) == {"<https://data.example/x/a>"}
    with pytest.raises(ParseError, match="absolute"):
        read(text, "f.nt", str(own))  # a line format has no base
    own2 = tmp_path / "bad.toml"
    own2.write_text('base = "not an iri"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="no absolute IRI"):
        profiles.load(str(own2))


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("f.ttl", "\n\n<http://e.x/a> a oam:Statement .\n", 3),
        ("f.trig", "\nGRAPH <http://e.x/g> { <http://e.x/a> a oam:Statement }\n", 2),
        ("f.jsonld", '{"@id": "http://e.x/a",\n "@type": "oam:Statement"}', 2),
        (
            "f.rdf",
            XML.format("", "http://e.x/a", '<rdf:type rdf:resource="http://e.x/T"/><oam:content>t</oam:content>'),
            3,
        ),
    ],
)
def test_our_own_prefix_needs_no_declaration_and_is_reported(path: str, text: str, line: int) -> None:
    document = read(text, path)
    assert "<https://w3id.org/oam/ns#" in document.rdf and "<oam:" not in document.rdf
    (issue,) = [issue for issue in document.issues if issue.code == "undeclared-prefix"]
    assert issue.line == line and "oam:" in issue.message


def test_a_declared_prefix_means_what_the_file_says() -> None:
    document = read("@prefix oam: <http://e.x/other#> .\n<http://e.x/a> a oam:Statement .\n", "f.ttl")
    assert "<http://e.x/other#Statement>" in document.rdf and not document.issues
    document = read('{"@context": {"oam": "http://e.x/other#"}, "@id": "http://e.x/a", "oam:alias": "b"}', "f.jsonld")
    assert "<http://e.x/other#alias>" in document.rdf and not document.issues


@pytest.mark.parametrize(
    ("path", "text"),
    [("f.ttl", "\n\n<http://e.x/a> a foo:Bar .\n"), ("f.rdf", XML.format("", "http://e.x/a", "<foo:bar>t</foo:bar>"))],
)
def test_a_foreign_prefix_is_an_error_with_its_line(path: str, text: str) -> None:
    with pytest.raises(ParseError, match="foo") as caught:
        read(text, path)
    assert caught.value.place.startswith(f"{path}:3") and "declare it" in caught.value.hint


def test_other_xml_is_skipped() -> None:
    with pytest.raises(Skipped, match="no RDF/XML"):
        read('<?xml version="1.0"?><feed><entry/></feed>', "f.xml")
