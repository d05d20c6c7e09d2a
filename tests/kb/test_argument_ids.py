"""Statements inside an argument keep their ids through edits, as stored: their section is the one above the argument."""

from __future__ import annotations

from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.namespaces import DCTERMS, OAM

TEXT = "# T\n\n## One\n\nWater expands on freezing. Therefore ice floats on [[Lake]] all winter.\n"
PARTS = (
    f"SELECT ?part ?type ?above {{ ?part <{DCTERMS}isPartOf> ?above ; a ?type "
    f"FILTER(?type != <{OAM}Section>) }} ORDER BY ?part"
)


@pytest.fixture()
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_ids_of_an_argument_and_of_its_statements_survive_an_edit(world: World) -> None:
    world.write("t.md", TEXT)
    world.ingest(statements="all")
    before = world.select(PARTS)
    assert sorted(kind.rpartition("#")[2] for _, kind, _ in before) == ["Argument", "Statement", "Statement"]
    world.write("t.md", TEXT.replace("floats on", "always floats on"))
    world.ingest(statements="all")
    assert world.select(PARTS) == before
    world.oam("doctor")


def test_statements_keep_their_ids_when_their_argument_dissolves_and_comes_back(world: World) -> None:
    world.write("t.md", TEXT)
    world.ingest(statements="all")
    before = world.select(PARTS)
    world.write("t.md", TEXT.replace("Therefore ice", "And ice"))
    world.ingest(statements="all")
    apart = world.select(PARTS)
    assert {part for part, kind, _ in apart} == {part for part, kind, _ in before if kind.endswith("Statement")}
    world.write("t.md", TEXT)
    world.ingest(statements="all")
    assert world.select(PARTS) == before


def test_conditions_and_works_are_in_the_graph_and_valid(world: World) -> None:
    world.write(
        "t.md",
        "# T\n\n**C1.** Let G be finite. It has finite order. However, Z has not.\n\n## References\n\n- doi:10.1000/A\n",
    )
    report = world.ingest()
    assert not report.refused
    said = world.select(f"SELECT ?c ?e {{ ?claim <{OAM}authorId> 'C1' ; <{OAM}hasCondition>/<{OAM}content> ?c ; "
                        f"<{OAM}hasException>/<{OAM}content> ?e }}")  # fmt: skip
    assert [tuple(cell.partition('"@')[0] for cell in row) for row in said] == [
        ("Let G be finite.", "However, Z has not.")
    ]
    assert world.select(f"SELECT ?d {{ ?doc a <{OAM}Document> ; <{OAM}cites>/<{OAM}doi> ?d }}") == [("10.1000/a",)]
    world.oam("doctor")
    world.oam("validate")
