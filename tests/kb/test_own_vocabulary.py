"""Relations and directions that a knowledge base declares in its own Turtle are known wherever shipped ones are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from kb_world import World
from sample_answers import run_oam

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.ontology import Ontology

OWN = """@prefix oam: <https://w3id.org/oam/ns#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix my: <http://example.org/kitchen#> .

my:seasonedWith a owl:ObjectProperty ;
  rdfs:subPropertyOf oam:dependsOn ;
  skos:notation "seasoned_with" ;
  oam:inverseName "seasons" ;
  skos:prefLabel "seasoned with"@en , "以…調味"@zh-Hant , "以…调味"@zh-Hans .

<http://example.org/direction/pairing> a skos:Concept , oam:Direction ;
  skos:inScheme <https://w3id.org/oam/direction> ;
  skos:notation "KITCHEN.PANTRY" ;
  skos:prefLabel "from the pantry"@en , "食材來處"@zh-Hant , "食材来处"@zh-Hans ;
  skos:altLabel "which pantry goods"@en ;
  oam:order "near" ;
  oam:step my:seasonedWith .
"""
SOUP = """---
id: SOUP
title: Leek soup
seasoned_with: "[[SALT]]"
---
# Leek soup

**Claim S1.** Leek soup is boiled for an hour.

- seasoned_with:: [[PEPPER]]
"""
SALT = '---\nid: SALT\ntitle: Sea salt\nseasons: "[[STEW]]"\n---\n# Sea salt\n\nSalt is dried from the sea.\n'
PEPPER = "---\nid: PEPPER\ntitle: Black pepper\n---\n# Black pepper\n\nPepper is the berry of a vine.\n"
STEW = {
    "knowledge_object_id": "STEW", "granularity": "statement", "content": "Stew is simmered for hours.",
    "relations": [{"type": "seasoned_with", "target": "PEPPER", "confidence": 0.7}],
}  # fmt: skip


def stock(world: World, own: str = OWN) -> None:
    if own:
        folder = world.kb.layout.ontology
        folder.mkdir(exist_ok=True)
        (folder / "kitchen.ttl").write_text(own, "utf-8")
    for name, text in (("soup.md", SOUP), ("salt.md", SALT), ("pepper.md", PEPPER), ("dish.json", json.dumps(STEW))):
        world.write(name, text)


@pytest.fixture
def kitchen(world: World) -> World:
    stock(world)
    report = world.ingest()
    assert (report.refused, report.added) == (0, 4), [str(issue) for issue in report.issues]
    return world


def edges(world: World, relation: str) -> set[tuple[str, str]]:
    query = f"SELECT ?a ?b {{ ?x {relation} ?y . ?x dcterms:identifier ?a . ?y dcterms:identifier ?b }}"
    return {(a, b) for a, b in world.select(query)}


def test_relations_are_accepted_in_front_matter_attributes_and_json(kitchen: World) -> None:
    stated = {("SOUP", "SALT"), ("SOUP#S1", "PEPPER"), ("STEW", "PEPPER"), ("STEW", "SALT")}
    assert edges(kitchen, "<http://example.org/kitchen#seasonedWith>") == stated
    assert edges(kitchen, "oam:dependsOn") == stated  # what it implies is written beside it
    (node,) = kitchen.select(
        "SELECT ?c { ?n oam:relationType <http://example.org/kitchen#seasonedWith> ; oam:confidence ?c }"
    )
    assert node[0].startswith("0.7")
    assert kitchen.kb.doctor().clean and kitchen.kb.validate().report.conforms


def test_the_graph_and_the_exports_know_them(kitchen: World) -> None:
    found = kitchen.kb.paths("SOUP", "STEW", relations=["seasoned_with"])
    assert found.paths[0].nodes == ("SOUP", "SALT", "STEW"), found
    with kitchen.kb.snapshot() as snapshot:
        assert snapshot.graph is not None and "seasoned_with" in [each.name for each in snapshot.graph.relations]
    link = next(link for link in kitchen.kb.card("SOUP").relations if link.id == "SALT")
    assert link.relation == "seasoned_with"
    written = json.loads(kitchen.kb.export(["STEW"], "oam-json"))
    assert "seasoned_with" in json.dumps(written)
    assert kitchen.kb.navigate("SOUP", "DEPENDENCY.UPSTREAM").route == ("SALT",)
    assert "SOUP" in {d.iri.rpartition("/")[2] for d in kitchen.kb.curation.impact("SALT").dependants}


def test_a_direction_is_known_to_search_in_words_by_name_and_as_an_option(kitchen: World) -> None:
    for text in ("which pantry goods SOUP", "SOUP KITCHEN.PANTRY", "SOUP 食材來處"):
        plan = kitchen.kb.plan(text)
        assert [entry.value for entry in plan.navigation.directions] == ["KITCHEN.PANTRY"], text
        assert "seasoned_with" in [entry.value for entry in plan.graph.relations], text
        answer = kitchen.kb.search(text)
        (salt,) = [result for result in answer.results if result.id == "SALT"]
        assert salt.graph_path == ("SOUP", "seasoned_with", "SALT"), text
        assert answer.certificate["query_plan"]["navigation"]["directions"][0]["value"] == "KITCHEN.PANTRY"
    assert kitchen.kb.search("SOUP", directions=["kitchen.pantry"]).results
    assert [e.value for e in kitchen.kb.plan("what is SOUP seasoned with").graph.relations][:1] == ["seasoned_with"]
    assert "KITCHEN.PANTRY" in dict(kitchen.kb.card("SOUP").directions)
    assert kitchen.kb.navigate("SOUP", "KITCHEN.PANTRY").route == ("SALT",)


def test_the_command_line_says_its_labels(kitchen: World) -> None:
    asked = run_oam(
        kitchen.kb,
        "search",
        "SOUP",
        "--granularity",
        "document",
        "--interactive",
        "--ui",
        "zh-Hant",
        input="1\nkitchen.p\nq\n",
    )
    assert "食材來處" in asked.stdout and "1. SALT" in asked.stdout
    assert "SALT" in run_oam(kitchen.kb, "search", "SOUP", "--direction", "KITCHEN.PANTRY").stdout
    impact = run_oam(kitchen.kb, "invalidate", "SALT", "--dry-run").stdout
    assert "seasoned_with" in impact


def test_other_knowledge_bases_do_not_know_them(kitchen: World, worlds: Callable[[str], World]) -> None:
    other = worlds("other")
    stock(other, own="")
    assert other.ingest().added == 4
    assert edges(other, "oam:dependsOn") == set()
    assert [e.value for e in other.kb.plan("which pantry goods SOUP").navigation.directions] == []
    with pytest.raises(UsageError, match="unknown direction"):
        other.kb.search("SOUP", directions=["KITCHEN.PANTRY"])
    assert "KITCHEN.PANTRY" not in Ontology.load().directions
    assert [e.value for e in kitchen.kb.plan("which pantry goods SOUP").navigation.directions] == ["KITCHEN.PANTRY"]


def test_workers_know_them_too(world: World) -> None:
    stock(world)
    for number in range(20):
        world.write(
            f"more-{number}.md", f'---\nid: D{number}\nseasoned_with: "[[SALT]]"\n---\n# D{number}\n\nA dish.\n'
        )
    assert world.kb.ingest([world.sources], IngestOptions(workers=2)).refused == 0
    assert (
        len([pair for pair in edges(world, "<http://example.org/kitchen#seasonedWith>") if pair[1] == "SALT"]) == 22
    )  # STEW is one of them


def test_reindex_splice_backup_and_load_keep_them(
    kitchen: World, tmp_path: Path, worlds: Callable[[str], World]
) -> None:
    stated = edges(kitchen, "<http://example.org/kitchen#seasonedWith>")
    kitchen.kb.reindex()
    kitchen.write("pepper.md", PEPPER + "\nIt is ground.\n")
    assert kitchen.ingest().changed == 1
    kitchen.kb.backup(tmp_path / "saved")
    restored = type(kitchen.kb).restore(tmp_path / "saved", tmp_path / "again")
    try:
        assert restored.navigate("SOUP", "KITCHEN.PANTRY").route == ("SALT",)
        assert restored.doctor().clean
    finally:
        restored.close()
    assert edges(kitchen, "<http://example.org/kitchen#seasonedWith>") == stated


def test_damaged_turtle_is_named_and_nothing_lands(world: World) -> None:
    stock(world, OWN + "broken")
    with pytest.raises(ConfigError, match=r"kitchen\.ttl"):
        world.ingest()
    stock(world, OWN)
    assert world.ingest().added == 4


def test_files_are_read_again_when_the_turtle_changes(world: World) -> None:
    stock(world, own="")
    assert world.ingest().added == 4 and edges(world, "oam:dependsOn") == set()
    assert world.ingest().unchanged == 4
    stock(world)
    report = world.ingest()
    assert (report.unchanged, report.changed) == (0, 4)
    assert len(edges(world, "<http://example.org/kitchen#seasonedWith>")) == 4
    assert world.kb.navigate("SOUP", "KITCHEN.PANTRY").route == ("SALT",)
    assert world.ingest().unchanged == 4
    (world.kb.layout.ontology / "kitchen.ttl").unlink()
    assert world.ingest().changed == 4 and edges(world, "oam:dependsOn") == set()
    assert world.kb.doctor().clean
