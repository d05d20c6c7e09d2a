"""``docs/ontology.md`` is what the Turtle says, all of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from oam_rdf.cli.ontology import ontology as command
from oam_rdf.cli.output import Context
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir
from oam_rdf.vocabulary.axioms import axioms
from oam_rdf.vocabulary.document import document
from oam_rdf.vocabulary.source import read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ontology.md"


@pytest.fixture(scope="module")
def page() -> str:
    return document()


def test_the_page_is_current(page: str) -> None:
    assert PAGE.read_text(encoding="utf-8") == page, "run: oam ontology doc -o docs/ontology.md"


def test_every_term_concept_relation_and_direction_is_on_it(page: str) -> None:
    ontology = Ontology.load()
    cells = set(re.findall(r"^\| `([^`]+)`", page, re.MULTILINE))
    assert {iri.replace("https://w3id.org/oam/ns#", "oam:") for iri in ontology.terms} <= cells
    assert {concept.notation for concept in ontology.concepts.values()} <= cells
    assert page.count("\n| SOURCE_CLAIM | ") + page.count("| SOURCE_CLAIM |  |") > 5
    for relation in ontology.relations.values():
        assert relation.labels["zh-Hant"] in page


def test_every_row_of_a_table_has_the_cells_of_its_head(page: str) -> None:
    width = 0
    for line in page.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        width = width or cells
        assert cells == width, line


def test_at_least_forty_axioms_beyond_the_taxonomy_in_words(page: str) -> None:
    found = axioms(read(ontology_dir()).triples)
    assert sum(not axiom.is_taxonomy for axiom in found) >= 40
    assert "- `oam:contradicts` and `oam:supports` never join the same two things." in page
    assert "- Every `oam:SourceSpan` has exactly 1 `oa:hasSource`." in page
    assert "unnamed class" not in page and "_:" not in page


def test_the_diagram_names_classes_that_exist(page: str) -> None:
    diagram = page.partition("```mermaid\n")[2].partition("```")[0]
    named = set(re.findall(r"\b[A-Z]\w+", re.sub(r" : .*", "", diagram)))
    assert {"Statement", "Proof", "Original"} <= named
    assert {"https://w3id.org/oam/ns#" + name for name in named} <= Ontology.load().superclasses.keys()


def test_the_command_writes_the_page(page: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["doc"], obj=Context(), standalone_mode=False)
    assert result.output == page
    CliRunner().invoke(command, ["doc", "-o", str(tmp_path / "o.md")], obj=Context(quiet=True), standalone_mode=False)
    assert (tmp_path / "o.md").read_text(encoding="utf-8") == page
