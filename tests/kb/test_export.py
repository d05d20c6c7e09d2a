"""Everything out, and back again: readable by others, the same bytes twice, isomorphic after a round trip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kb_world import World
from pyoxigraph import parse
from rdflib import Dataset, Graph
from rdflib.compare import isomorphic

from oam_rdf.resources import sample_dir
from oam_rdf.store.rdf_formats import FORMATS, TRIPLES

RDFLIB = {
    "turtle": "turtle",
    "trig": "trig",
    "nquads": "nquads",
    "ntriples": "nt",
    "jsonld": "json-ld",
    "rdfxml": "xml",
}


def quads(body: bytes, fmt: str = "trig") -> set[str]:
    return {str(quad) for quad in parse(body, format=FORMATS[fmt])}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("sample"))
    report = world.kb.ingest([sample_dir() / "documents"])
    assert report.refused == 0
    return world


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_every_sample_document_is_read_by_others_and_the_same_twice(sample: World, fmt: str) -> None:
    ids = [row[0] for row in sample.select("SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }")]
    assert len(ids) == 18
    for identifier in ids:
        body = sample.kb.export(identifier, fmt)
        assert body == sample.kb.export(identifier, fmt)
        count = len({str(quad.triple) for quad in parse(body, format=FORMATS[fmt])})
        if fmt in TRIPLES:
            graph = Graph().parse(data=body, format=RDFLIB[fmt])
            assert len(graph) == count
            same = Graph().parse(data=sample.kb.export(identifier, "ntriples"), format="nt")
            assert isomorphic(graph, same)
        else:
            dataset = Dataset().parse(data=body.decode(), format=RDFLIB[fmt])
            assert sum(1 for _ in dataset.quads()) == len(quads(body, fmt))
    assert b"zh-Hant" in sample.kb.export("GOLDBACH-V2", fmt)


def test_the_whole_comes_back_isomorphic(sample: World, worlds: Callable[[str], World], tmp_path: Path) -> None:
    other = worlds("other")
    body = sample.kb.export(None, "trig", originals=tmp_path / "originals")
    (tmp_path / "all.trig").write_bytes(body)
    report = other.kb.load(tmp_path / "all.trig", tmp_path / "originals")
    assert (report.documents, report.originals) == (18, 18)
    assert quads(other.kb.export(None, "trig")) == quads(body)
    assert other.kb.doctor().clean
    one, two = (kb.search("燃素", k=3) for kb in (sample.kb, other.kb))
    assert [result.id for result in one.results] == [result.id for result in two.results]
    with sample.kb.snapshot() as first, other.kb.snapshot() as second:
        assert first.generation.manifest["content_hash"] == second.generation.manifest["content_hash"]


def test_a_single_document_comes_back(sample: World, worlds: Callable[[str], World], tmp_path: Path) -> None:
    other = worlds("other")
    body = sample.kb.export("ORBIT-1", "nquads", originals=tmp_path / "originals")
    (tmp_path / "one.nq").write_bytes(body)
    # ORBIT-1 is refuted by a statement of another document: it lands, and validation says what is missing.
    other.oam("load", str(tmp_path / "one.nq"), "--originals", str(tmp_path / "originals"))
    assert "ORBIT-1#H1" in other.oam("validate", check=1).stdout
    group = sample.kb.export("GROUP", "nquads", originals=tmp_path / "originals")
    (tmp_path / "group.nq").write_bytes(group)
    other.oam("load", str(tmp_path / "group.nq"), "--originals", str(tmp_path / "originals"))
    assert quads(other.kb.export("GROUP", "nquads"), "nquads") == quads(group, "nquads")


def test_edits_come_along_and_the_sources_are_known_again(worlds: Callable[[str], World], tmp_path: Path) -> None:
    one, two = worlds("one"), worlds("two")
    path = one.write("tides.md", "---\nid: TIDES\n---\n# Tides\n\nThe Moon pulls the sea.\n")
    one.ingest()
    path.write_text("---\nid: TIDES\n---\n# Tides\n\nThe Moon pulls the ocean.\n")
    one.ingest()
    (tmp_path / "all.trig").write_bytes(one.kb.export(None, "trig", originals=tmp_path / "originals"))
    report = two.kb.load(tmp_path / "all.trig", tmp_path / "originals")
    assert report.originals == 2
    assert two.kb.export(None, "trig") == one.kb.export(None, "trig")
    assert two.kb.diff("TIDES").to_json() == one.kb.diff("TIDES").to_json()
    again = two.kb.ingest([one.sources])
    assert (again.unchanged, again.revision) == (1, again.revision_before)
    # Who may not see everything gets no old text.
    assert b"HistoricalVersion" not in one.kb.export(None, "trig", clearance="PUBLIC")


def test_a_load_without_its_originals_changes_nothing(
    sample: World, worlds: Callable[[str], World], tmp_path: Path
) -> None:
    other = worlds("other")
    (tmp_path / "empty").mkdir()
    (tmp_path / "group.trig").write_bytes(sample.kb.export("GROUP", "trig"))
    done = other.oam("load", str(tmp_path / "group.trig"), "--originals", str(tmp_path / "empty"), check=1)
    assert "is not in" in done.stderr
    assert other.kb.status().documents == 0


def test_a_backup_is_restored_elsewhere(sample: World, tmp_path: Path) -> None:
    sample.kb.backup(tmp_path / "saved")
    restored = type(sample.kb).restore(tmp_path / "saved", tmp_path / "again")
    with restored:
        assert restored.export(None, "trig") == sample.kb.export(None, "trig")
        assert restored.doctor().clean
    damaged = next((tmp_path / "saved" / "originals").glob("??/*"))
    damaged.write_bytes(damaged.read_bytes() + b" ")
    done = sample.oam("restore", str(tmp_path / "saved"), str(tmp_path / "third"), check=2)
    assert damaged.name in done.stderr


def test_a_turtle_export_is_readable(sample: World) -> None:
    text = sample.kb.export("GOLDBACH-V2", "turtle").decode()
    head = [line for line in text.splitlines() if line.startswith("@prefix")]
    assert head == sorted(head)
    assert not any("skos" in line for line in head)  # a prefix that nothing uses
