"""What is damaged is found, said with its place, and rebuilt from RDF and Originals where it can be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kb_world import World
from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.errors import OamError
from oam_rdf.store.live import open_store


@pytest.fixture
def filled(world: World) -> World:
    world.write("a.md", "---\nid: A\n---\n# Lanterns\n\n## Fuel\n\nThe lantern burns oil.\n")
    world.ingest()
    world.write("b.md", "---\nid: B\n---\n# Wicks\n\nThe wick draws oil.\n")
    world.ingest()
    return world


def generation(world: World) -> Path:
    with world.kb.snapshot() as snapshot:
        return Path(snapshot.generation.path)


def test_a_healthy_one_is_clean_and_says_what_was_checked(filled: World) -> None:
    found = filled.kb.doctor()
    assert found.clean
    assert all(found.checked[name] > 0 for name in ("originals", "source spans", "quads", "objects", "passages"))


def test_a_store_that_was_changed_behind_the_program_is_named(filled: World) -> None:
    quad = Quad(NamedNode("http://x.test/s"), NamedNode("http://x.test/p"), Literal("o"), NamedNode("http://x.test/g"))
    open_store(filled.kb.layout.live).add(quad)
    problems = filled.kb.doctor().problems
    assert [problem for problem in problems if problem.startswith("quads: live ")]


@pytest.mark.parametrize("part", ["lexical", "passages", "facets"])
def test_a_lost_side_index_is_rebuilt(filled: World, part: str) -> None:
    for path in (generation(filled) / part).iterdir():
        path.unlink()
    assert not filled.kb.doctor().clean
    assert filled.kb.doctor(repair=True).clean
    assert filled.kb.search("lantern").results[0].document == "A"


def test_current_that_names_nothing_is_repaired(filled: World) -> None:
    filled.kb.layout.current.write_text("zz\n")
    filled.kb.close()
    done = filled.oam("search", "lantern", check=2)
    assert "CURRENT" in done.stderr
    assert "doctor --repair" in done.stderr
    filled.oam("doctor", check=1)
    assert "repaired" in filled.oam("doctor", "--repair").stdout
    filled.oam("search", "lantern")


def test_an_altered_original_is_named_and_not_repaired(filled: World) -> None:
    (path,) = [p for p in filled.kb.layout.originals.glob("??/*") if "lantern" in p.read_text().lower()]
    path.write_text(path.read_text().replace("burns", "drinks"))
    found = filled.kb.doctor(repair=True)
    assert any(path.name in problem for problem in found.problems)


def test_a_damaged_index_does_not_stop_the_next_ingest(filled: World) -> None:
    for path in (generation(filled) / "lexical").iterdir():
        path.unlink()
    filled.write("c.md", "---\nid: C\n---\n# Mantles\n\nThe mantle glows.\n")
    assert filled.ingest().added == 1
    assert filled.kb.search("mantle").results[0].document == "C"
    assert filled.kb.doctor().clean


def test_a_place_that_cannot_be_written_to_is_said_plainly(filled: World) -> None:
    if os.geteuid() == 0:
        # Root writes through permissions: a folder in the lock's place cannot be opened for writing by anybody.
        filled.kb.layout.lock.unlink()
        filled.kb.layout.lock.mkdir()
    else:
        filled.kb.layout.lock.chmod(0o444)
    filled.write("c.md", "# C\n\nText.\n")
    with pytest.raises(OamError, match="cannot be written to") as caught:
        filled.ingest()
    assert "reading verbs work" in str(caught.value)
    assert filled.kb.search("lantern").results


def test_init_makes_nothing_that_cannot_be_opened(tmp_path: Path, world: World) -> None:
    for arguments in (["--lang", 'a"b'], ["--profile", "nonexist"], ["--base", "nowhere"]):
        world.oam("init", str(tmp_path / "new"), *arguments, check=2)
        assert not (tmp_path / "new" / "oam.toml").exists()
    world.oam("init", str(tmp_path / "new"), "--lang", "zh-Hant", "--base", "https://data.example.org/x/")
    world.oam("status", "--kb", str(tmp_path / "new"), "-q")


def test_a_wider_document_that_names_a_narrower_one_is_told(world: World) -> None:
    world.write("open.md", "---\nid: OPEN\n---\n# Open\n\nSee [[CLOSED]].\n")
    world.write("closed.md", "---\nid: CLOSED\nvisibility: INTERNAL\n---\n# Closed\n\nFor few.\n")
    report = world.ingest()
    assert report.exit_code == 1
    (issue,) = [issue for issue in report.issues if issue.code == "visibility-leak"]
    assert issue.file == "open.md"


def test_queries_may_use_the_prefixes_of_exports(filled: World) -> None:
    assert b"true" in filled.kb.sparql("ASK { doc:A ?p ?o }", format="json")[0]


@pytest.mark.parametrize("part", ["lexical", "passages", "facets", "graph", "tags"])
def test_a_flipped_byte_is_found_named_and_rebuilt(filled: World, part: str) -> None:
    filled.kb.search("lantern")  # searching changes no file
    found = filled.kb.doctor()
    assert found.clean and found.checked["derived files"] > 10
    path = max((generation(filled) / part).iterdir(), key=lambda file: file.stat().st_size)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    filled.kb.close()
    path.write_bytes(bytes(data))
    problems = filled.kb.doctor().problems
    assert any(f"{part}/{path.name}: its bytes are not those that were published" in problem for problem in problems)
    repaired = filled.kb.doctor(repair=True)
    assert repaired.clean and any(path.name in problem for problem in repaired.repaired)
    assert filled.kb.search("lantern").results[0].document == "A" and filled.kb.doctor().clean
