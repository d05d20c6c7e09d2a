"""``oam ontology check``: passes on what ships, and each check finds the fault that it is for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyoxigraph import RdfFormat, parse

from oam_rdf.cli.ontology import ontology as command
from oam_rdf.cli.output import Context
from oam_rdf.resources import ontology_dir
from oam_rdf.vocabulary import reason as module
from oam_rdf.vocabulary.check import Check, OntologyReport, check
from oam_rdf.vocabulary.profile import profile
from oam_rdf.vocabulary.reason import reason
from oam_rdf.vocabulary.source import Source, read

PREFIXES = """@prefix : <http://e.x/> .
@prefix oam: <https://w3id.org/oam/ns#> .
@prefix vs: <https://w3id.org/oam/version-status/> .
@prefix epi: <https://w3id.org/oam/epistemic-state/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix oa: <http://www.w3.org/ns/oa#> .
"""
DOG = 'skos:prefLabel "dog"@en , "狗"@zh-Hant , "狗"@zh-Hans ; skos:definition "A dog."@en , "狗。"@zh-Hant'


@pytest.fixture(scope="module")
def source() -> Source:
    return read(ontology_dir())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ontology_dir(), tmp_path / "ontology"))


def named(report: OntologyReport, start: str) -> Check:
    return next(found for found in report.checks if found.name.startswith(start))


def test_what_ships_passes_and_says_how_much_was_looked_at() -> None:
    report = check(reasoning=False)
    assert [c.name for c in report.checks if not c.passed] == ["HermiT: consistent, every class can have a member"]
    assert report.exit_code == 3 and len(report.checks) == 10
    assert all(c.looked_at > 0 for c in report.checks if c.ran)
    assert named(report, "house style").looked_at > 2000 and named(report, "competency").looked_at >= 30
    text = report.to_text()
    assert "not run  HermiT" in text and "switched off" in text and "OWL 2 DL (not EL because of" in text


@pytest.mark.parametrize(("file", "turtle", "name", "problem"), [
    ("core.ttl", "oam:Dog a owl:Class .", "house style", "needs a label in English"),
    ("schemes/verdicts.ttl", f'<https://w3id.org/oam/verdict/fine> a skos:Concept , oam:Verdict ; {DOG} ;'
     ' skos:notation "ok" ; skos:inScheme <https://w3id.org/oam/verdict> ; skos:topConceptOf <https://w3id.org/oam/verdict> .',
     "house style", "used once within its scheme"),
    ("core.ttl", f"<https://w3id.org/oam/mood> a skos:ConceptScheme ; {DOG} .", "schemes", "missing from namespaces.SCHEMES"),
    ("core.ttl", "@prefix epi: <http://elsewhere.example/> .", "prefixes", "binds epi: to http://elsewhere.example/"),
    ("core.ttl", ":x oam:likes :y .", "terms in use", "oam:likes is used in the ontology itself"),
    ("core.ttl", "epi:DERIVED oam:weakerThan epi:PROVED .", "concepts referred to", "which is no concept"),
    ("transitions.ttl", "oam:t a oam:Transition ; oam:fromState epi:GUESS ; oam:toState epi:DERIVED .",
     "the Python model", "no epistemic-state GUESS"),
    ("core.ttl", f"oam:content a owl:ObjectProperty ; {DOG} .", "OWL 2 profile", "declared as two kinds of property"),
])  # fmt: skip
def test_each_check_finds_its_fault(copy: Path, file: str, turtle: str, name: str, problem: str) -> None:
    path = copy / file
    path.write_text(path.read_text(encoding="utf-8") + "\n" + PREFIXES + turtle + "\n", encoding="utf-8")
    report = check(copy, reasoning=False)
    assert report.exit_code == 1
    assert any(problem in each for each in named(report, name).problems), report.to_text()


def test_a_scheme_that_only_python_has(copy: Path) -> None:
    (copy / "schemes" / "layers.ttl").unlink()
    problems = named(check(copy, reasoning=False), "schemes").problems
    assert any("oam/layer is in namespaces.SCHEMES and not declared" in each for each in problems)
    assert "the scheme layer has no concept" in problems


def test_a_lost_axiom_is_found_by_the_question_that_needs_it(copy: Path) -> None:
    path = copy / "relations.ttl"
    path.write_text(path.read_text(encoding="utf-8").replace("rdfs:subPropertyOf oam:contradicts , cito:refutes",
                    "rdfs:subPropertyOf oam:relatesTo , cito:refutes"), encoding="utf-8")  # fmt: skip
    assert "negative-contradiction: missing row HEAT#cannon" in named(check(copy, reasoning=False), "competency").problems


def test_looking_at_nothing_is_a_failure(copy: Path) -> None:
    shutil.rmtree(copy / "competency")
    report = check(copy, reasoning=False)
    assert report.exit_code == 1 and not named(report, "competency").passed
    assert "nothing was looked at" in report.to_text()


def test_a_damaged_file_is_named_with_its_line(copy: Path) -> None:
    (copy / "access.ttl").write_text("@prefix oam: <https://w3id.org/oam/ns#> .\noam:x a .\n", encoding="utf-8")
    report = check(copy)
    assert report.exit_code == 1 and "access.ttl:2" in report.to_text()


def test_an_empty_folder(tmp_path: Path) -> None:
    report = check(tmp_path)
    assert report.exit_code == 1 and "no Turtle files here" in report.to_text()


# -- the reasoner ------------------------------------------------------------------------------------------------------


def reasoned(source: Source, turtle: str = "") -> module.Reasoning:
    planted = [quad.triple for quad in parse(PREFIXES + turtle, format=RdfFormat.TURTLE)]
    found = reason([*source.triples, *planted])
    if not found.ran:
        pytest.skip(found.reason)
    return found


def test_hermit_finds_the_ontology_consistent(source: Source) -> None:
    found = reasoned(source)
    assert found.consistent and found.unsatisfiable == ()
    assert found.classes > 70 and found.properties > 100 and found.individuals > 400


@pytest.mark.parametrize("turtle", [
    ":a a oam:Document , oam:Section .",  # two granularities
    ":a oam:contradicts :b ; oam:supports :b .",  # disjoint relations
    ":a oam:epistemicState vs:ACTIVE .",  # a value of the wrong axis
], ids=["granularities", "relations", "axes"])  # fmt: skip
def test_a_planted_contradiction_is_found(source: Source, turtle: str) -> None:
    assert not reasoned(source, turtle).consistent


def test_a_class_that_can_have_no_member_is_named(source: Source) -> None:
    found = reasoned(source, "oam:Impossible a owl:Class ; rdfs:subClassOf oam:Statement , oam:Original .")
    assert found.consistent and found.unsatisfiable == ("https://w3id.org/oam/ns#Impossible",)


def test_no_java_is_said_plainly(monkeypatch: pytest.MonkeyPatch, source: Source) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda _: None)
    found = reason(source.triples)
    assert not found.ran and "no Java runtime was found" in found.reason


# -- profile and command -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turtle", "name"), [
    (":A a owl:Class ; rdfs:subClassOf :B .", "EL QL RL"),
    (":p a owl:ObjectProperty , owl:TransitiveProperty .", "EL RL"),
    (":p a owl:ObjectProperty , owl:SymmetricProperty .", "QL RL"),
    (":p a owl:ObjectProperty , owl:FunctionalProperty .", "RL"),
    (":A a owl:Class ; owl:unionOf ( :B :C ) .", "DL"),
    (":p a owl:ObjectProperty , owl:DatatypeProperty .", "Full"),
    (":p a owl:ObjectProperty , owl:TransitiveProperty , owl:IrreflexiveProperty .", "Full"),
])  # fmt: skip
def test_the_profile_by_its_constructs(turtle: str, name: str) -> None:
    assert profile(quad.triple for quad in parse(PREFIXES + turtle, format=RdfFormat.TURTLE)).name == name


def test_the_command_prints_and_exits(copy: Path) -> None:
    result = CliRunner().invoke(command, ["check", "--no-reasoner", "--json", str(copy)], obj=Context(), standalone_mode=False)
    told = json.loads(result.output)
    assert result.return_value == 3 == told["exit_code"]
    assert {"name", "unit", "looked_at", "problems", "passed", "ran", "note"} <= told["checks"][0].keys()
    result = CliRunner().invoke(command, ["check", "--no-reasoner", str(copy)], obj=Context(), standalone_mode=False)
    assert result.output.splitlines()[0].startswith("     ok  Turtle parses: ")
