"""``oam ingest --base``: relative IRIs of RDF files that state no base of their own, and what another base changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.errors import UsageError

GIVEN, OTHER, OWN = "https://shells.example/museum/", "https://shells.example/attic/", "https://own.example/x/"
DC = "http://purl.org/dc/terms/"
TURTLE = f'<whelk> <{DC}title> "whelk" ; <{DC}relation> <../sea#salt> .\n'
XML = f"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dct="{DC}"%s>
  <rdf:Description rdf:about="whelk"><dct:title>whelk</dct:title><dct:relation rdf:resource="../sea#salt"/></rdf:Description>
</rdf:RDF>
"""
CONTEXT = {"title": DC + "title", "relation": {"@id": DC + "relation", "@type": "@id"}}
NODE = {"@id": "whelk", "title": "whelk", "relation": "../sea#salt"}


def written(kind: str, base: str) -> str:
    if kind == "ttl":
        return (f"@base <{base}> .\n" if base else "") + TURTLE
    if kind == "rdf":
        return XML % (f' xml:base="{base}"' if base else "")
    return json.dumps({"@context": {**CONTEXT, **({"@base": base} if base else {})}, **NODE}, indent=1)


def links(world: World) -> set[tuple[str, ...]]:
    return set(world.select(f"SELECT ?s ?o {{ ?s <{DC}relation> ?o }}"))


@pytest.mark.parametrize("kind", ["ttl", "rdf", "jsonld", "json"])
def test_the_base_of_the_file_is_the_stronger_one(world: World, kind: str) -> None:
    path = world.write(f"a/shells.{kind}", written(kind, ""))
    assert world.ingest(base=GIVEN).added == 1
    assert links(world) == {(f"{GIVEN}whelk", "https://shells.example/sea#salt")}
    path.write_text(written(kind, OWN))
    assert world.ingest(base=GIVEN).changed == 1
    assert links(world) == {(f"{OWN}whelk", "https://own.example/sea#salt")}
    assert world.kb.doctor().clean


@pytest.mark.parametrize("kind", ["ttl", "rdf", "jsonld", "json"])
def test_another_base_is_a_change_and_the_same_is_none(world: World, kind: str) -> None:
    world.write(f"shells.{kind}", written(kind, ""))
    world.write("note.md", "# Shells\n\nA note that knows no base.\n")
    first = world.ingest(base=GIVEN)
    again = world.ingest(base=GIVEN)
    assert (again.unchanged, again.revision, again.generation) == (2, first.revision, None)
    for base, subject in ((OTHER, f"{OTHER}whelk"), ("", "http://oam.localhost/doc/whelk"), (GIVEN, f"{GIVEN}whelk")):
        report = world.ingest(base=base)
        assert (report.changed, report.unchanged, report.refused) == (1, 1, 0)
        assert {s for s, _ in links(world)} == {subject}
        assert world.ingest(base=base).unchanged == 2
    assert world.ingest(base=GIVEN).content_hash == first.content_hash


def test_what_is_read_again_is_read_by_the_base_that_it_was_read_by(world: World) -> None:
    head = f'<> a <https://w3id.org/oam/ns#Document> ; <{DC}identifier> "SHELLS" ; <{DC}title> "Shells"@en .\n'
    world.write("shells.ttl", head + TURTLE)
    report = world.ingest(base=GIVEN)
    assert report.added == 1, report.issues
    before = links(world)
    with world.kb._publication("test", 30.0) as publication:  # as indexes and relinking do
        (stored,) = publication.files()
        assert f"<{GIVEN}whelk>" in publication.reparse(stored.as_document()).rdf
    world.write("note.md", "# Note\n\nSee [[SHELLS]].\n")
    report = world.kb.ingest([world.sources / "note.md"])
    assert report.added == 1 and links(world) == before
    assert world.ingest(base=GIVEN).unchanged == 2
    rows = world.select("SELECT ?p ?b { ?g oam:givenBase ?b ; oam:sourcePath ?p }")
    assert rows == [("shells.ttl", GIVEN)]


def test_a_profile_that_names_a_base_gives_way(world: World, tmp_path: Path) -> None:
    profile = tmp_path / "museum.toml"
    profile.write_text(f'extends = "default"\nbase = "{OTHER}"\n')
    world.write("shells.ttl", TURTLE)
    world.ingest(profile=str(profile))
    assert {s for s, _ in links(world)} == {f"{OTHER}whelk"}
    world.ingest(profile=str(profile), base=GIVEN)
    assert {s for s, _ in links(world)} == {f"{GIVEN}whelk"}


@pytest.mark.parametrize("base", ["museum/", "//shells.example/", "https://shells example/", "http://["])
def test_a_base_that_is_no_absolute_iri_is_named(world: World, base: str) -> None:
    world.write("shells.ttl", TURTLE)
    with pytest.raises(UsageError, match="no absolute IRI") as caught:
        world.ingest(base=base)
    assert repr(base) in str(caught.value) and world.kb.status().revision == 0


def test_the_option_on_the_command_line(world: World) -> None:
    world.write("shells.ttl", TURTLE)
    failed = world.oam("ingest", str(world.sources), "--base", "museum/", check=None)
    assert failed.returncode == 2 and "'museum/'" in failed.stderr
    world.oam("ingest", str(world.sources), "--base", GIVEN)
    assert {s for s, _ in links(world)} == {f"{GIVEN}whelk"}
    assert "--base IRI" in world.oam("ingest", "--help").stdout
