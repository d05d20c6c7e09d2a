"""Exports that are no RDF: OAM JSON of a knowledge base, the graph as JSON, the wiki's files, series, tables."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from kb_world import World

from oam_rdf.query.export import VIEWS, identifiers_in
from oam_rdf.resources import sample_dir, schemas_dir
from oam_rdf.store.tables import TABLES, cell

PAPER = """---
id: P-{n}
title: 論文{n}
tags: [群論, 圖]
系列: 「測試叢書」第 一 冊
---
# 論文{n}

**Claim K1.** =1+1 is what {n} says.
"""
PROGRAMME = {
    "id": "PROG", "title": "A programme", "type": "study", "status": "running",
    "iterations": [{"sequence": 2, "id": "P-10", "iteration_type": "main"},
                   {"sequence": 1, "id": "P-9", "iteration_type": "main", "is_checkpoint": True}],
}  # fmt: skip
VALIDATOR = Draft202012Validator(json.loads((schemas_dir() / "oam-object.schema.json").read_text("utf-8")))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("views"))
    assert made.kb.ingest([sample_dir() / "documents"]).refused == 0
    for n in (2, 9, 10):
        made.write(f"p{n}.md", PAPER.format(n=n))
    made.write("programme.json", json.dumps(PROGRAMME))
    made.write("formula.md", "---\nid: F\ntitle: '=HYPERLINK(1)'\n---\n# x\n\n- depends_on [[@nobody]]\n")
    made.ingest()
    return made


def load(world: World, name: str, identifiers: object = None) -> object:
    return json.loads(world.kb.export(identifiers, name))  # type: ignore[arg-type]


def test_every_view_is_the_same_twice_and_after_a_fresh_ingest(world: World, worlds: Callable[[str], World]) -> None:
    other = worlds("other")
    other.kb.ingest([sample_dir() / "documents"])
    for path in world.sources.iterdir():
        other.write(path.name, path.read_bytes())
    other.ingest()
    for name in VIEWS.keys() - {"tcf-lite", "verdicts"}:  # which are those of one document
        body = world.kb.export(None, name)
        assert body.strip() and body == world.kb.export(None, name)
        if name != "log.md":  # which tells when
            assert other.kb.export(None, name) == body, name


@pytest.mark.slow
def test_hash_seeds_change_nothing(world: World) -> None:
    code = (
        "import sys; from oam_rdf.knowledge_base import KnowledgeBase as K; k = K.open(sys.argv[1]); "
        "sys.stdout.buffer.write(b''.join(k.export(None, n) for n in ('graph.json', 'graph_index.json', 'oam-json')))"
    )
    said = {
        subprocess.run([sys.executable, "-c", code, str(world.kb.layout.root)], check=True, capture_output=True,
                       env={**os.environ, "PYTHONHASHSEED": str(seed)}).stdout
        for seed in (0, 1, 2)
    }  # fmt: skip
    assert len(said) == 1 and len(said.pop()) > 10_000


def test_oam_json_of_the_papers_example_and_of_the_sample(shared: Path, worlds: Callable[[str], World]) -> None:
    paper = (shared / "spec" / "seeds" / "operator-assisted-memory.txt").read_text("utf-8")
    example = paper[paper.index('{ "knowledge_object_id"') :].split("```")[0]
    world = worlds("paper")
    world.write("ko.json", example)
    world.write("s3.json", (sample_dir() / "documents" / "s3.json").read_bytes())
    world.ingest()
    assert load(world, "oam-json", "KO-00042") == json.loads(example) == load(world, "oam-json", "ko")
    assert load(world, "oam-json", "s3") == json.loads((world.sources / "s3.json").read_text("utf-8"))
    # What came out goes in again and comes out the same.
    other = worlds("again")
    other.write("all.json", world.kb.export(["ko", "s3"], "oam-json"))
    other.ingest()
    assert load(other, "oam-json", "all") == load(world, "oam-json", ["ko", "s3"])
    lines = world.kb.export(["ko", "s3"], "oam-jsonl").decode().splitlines()
    assert [json.loads(line) for line in lines] == load(world, "oam-json", ["ko", "s3"])


def test_oam_json_of_any_document_fits_its_schema(world: World) -> None:
    found = load(world, "oam-json")
    assert isinstance(found, list) and len(found) > 80
    assert not list(VALIDATOR.iter_errors(found))
    by_id = {item["knowledge_object_id"]: item for item in found}
    refuted = by_id["COMBUSTION-2#H1"]
    assert refuted["epistemic_status"] == {"state": "REFUTED", "verification": "NOT_TESTED"}
    assert refuted["provenance"] == {"original_document": "COMBUSTION-2", "source_spans": ["H1.span"]}
    assert {"type": "depends_on", "target": "COMBUSTION-2#A1"} in by_id["COMBUSTION-2#K2"]["relations"]
    assert by_id["COMBUSTION-2#K1"]["operators"] == [{"family": "SCOPE", "mode": "SHIFT", "confidence": 0.7}]


def test_graph_json(world: World) -> None:
    graph = load(world, "graph.json")
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert nodes["ORBIT-1"]["version_status"] == "SUPERSEDED" and nodes["COMBUSTION-2#H1"]["state"] == "REFUTED"
    assert {end for edge in graph["edges"] for end in (edge["source"], edge["target"]) if end} <= nodes.keys()
    edges = {(e["source"], e["relation"], e["target"]): e for e in graph["edges"]}
    assert edges["COMBUSTION-2", "supersedes", "COMBUSTION-1"]["verdict"] == "ok"
    unresolved = [e for e in graph["edges"] if e["target"] is None]
    assert unresolved and all(e["verdict"] == "unresolved" and e["target_label"] for e in unresolved)
    keyword = next(entry for entry in graph["concepts"] if entry["name"] == "群論")
    assert {"P-2", "P-9", "P-10"} <= set(keyword["documents"]["subject"])
    part = load(world, "graph.json", ["COMBUSTION-2"])
    assert {e["document"] for e in part["edges"]} == {"COMBUSTION-2"}


def test_graph_index_json(world: World) -> None:
    index = load(world, "graph_index.json")
    assert index["stats"]["nodes"] == len(index["nodes"]) == world.kb.status().documents
    assert index["stats"]["edges"] == len(index["edges"])
    tags = {(e["source"], e["target"]): e["weight"] for e in index["edges"] if e["type"] == "shared_tag"}
    assert tags.keys() >= {("P-10", "P-2"), ("P-10", "P-9"), ("P-2", "P-9")} and tags["P-2", "P-9"] == 2
    assert sum(entry["size"] for entry in index["communities"]) == sum(
        n["community"] is not None for n in index["nodes"]
    )
    degree = {node["id"]: node["in_degree"] for node in index["nodes"]}
    assert degree["SYM-GROUP"] > 0
    assert [degree[hub] for hub in index["hubs"]] == sorted((degree[hub] for hub in index["hubs"]), reverse=True)


def test_the_wikis_files(world: World) -> None:
    index = world.kb.export(None, "index.md").decode()
    assert sum(line.startswith("- [") for line in index.splitlines()) == world.kb.status().documents
    assert "`ORBIT-1` (SUPERSEDED)" in index and "\n## 圖\n" in index
    log = world.kb.export(None, "log.md").decode()
    assert sum(line.startswith("- 2") for line in log.splitlines()) == world.kb.status().documents
    assert "`P-2` from p2.md" in log
    times = [line[2:29] for line in log.splitlines() if line.startswith("- 2")]
    assert times == sorted(times, reverse=True)


def test_series_are_reading_order_and_replace_nothing(world: World) -> None:
    found = {(entry["kind"], entry["name"]): entry["documents"] for entry in load(world, "series.json")["series"]}
    (name,) = (name for kind, name in found if kind == "series")
    assert "測試叢書" in name
    assert [(d["place"], d["id"], d["previous"], d["next"]) for d in found["series", name]] == [
        (1, "P-2", None, "P-9"), (2, "P-9", "P-2", "P-10"), (3, "P-10", "P-9", None),
    ]  # fmt: skip
    assert [d["id"] for d in found["programme", "A programme"]] == ["P-9", "P-10"]
    assert b"supersedes" not in world.kb.export(["P-2", "P-9", "P-10", "PROG"], "nquads")


@pytest.mark.parametrize("table", TABLES)
def test_tables_say_the_same_as_csv_and_as_json_lines(world: World, table: str) -> None:
    columns = TABLES[table][0]
    rows = list(csv.reader(io.StringIO(world.kb.export(None, f"{table}.csv").decode(), newline="")))
    lines = [json.loads(line) for line in world.kb.export(None, f"{table}.jsonl").decode().splitlines()]
    assert rows[0] == list(columns) and len(rows) == len(lines) + 1 > 20
    for row, line in zip(rows[1:], lines, strict=True):
        assert row == [cell(line[name]) for name in columns]


def test_tables_hold_what_the_graph_holds(world: World) -> None:
    lines = [json.loads(line) for line in world.kb.export(None, "statements.jsonl").decode().splitlines()]
    states = {row[0]: row[1] for row in world.select(
        "SELECT ?i (REPLACE(STR(?e), '.*/', '') AS ?s) { ?x oam:epistemicState ?e ; dcterms:identifier ?i }")}  # fmt: skip
    assert {line["id"]: line["state"] for line in lines} == states
    (x1,) = (line for line in lines if line["id"] == "COMBUSTION-2#X1")
    assert x1["evidence"] == ["measurement | passed | A. L. Lavoisier, Traité élémentaire de chimie, Paris 1789"]
    assert x1["verification"] == "NOT_TESTED"


def test_no_cell_is_a_formula(world: World) -> None:
    for name in TABLES:
        for row in csv.reader(io.StringIO(world.kb.export(None, f"{name}.csv").decode(), newline="")):
            assert not [
                value for value in row if value.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＠"))
            ]
    objects = world.kb.export(None, "objects.csv").decode()
    assert "'=HYPERLINK(1)" in objects and '"=HYPERLINK(1)"' in world.kb.export(None, "objects.jsonl").decode()
    assert "'@nobody" in world.kb.export(None, "relations.csv").decode()
    for value in ("=1", " =1", "+1", "-1", "@x", "\t=1", "\r=1", "＝1"):
        assert cell(value) == "'" + value
    assert (cell("a=1"), cell(None), cell(["=a", "b"]), cell(0.5)) == ("a=1", "", "'=a\nb", "0.5")


def test_ids_from_a_file() -> None:
    assert identifiers_in("A\n\n B \nA\n") == ["A", "B"]
    assert (
        identifiers_in('{"results": [{"id": "A"}, {"id": "B"}]}') == ["A", "B"] == identifiers_in('["A", {"id": "B"}]')
    )
    for nothing in ("", "\n", "{}", "[", '{"results": 3}'):
        with pytest.raises(Exception, match=r"no id in there|is none"):
            identifiers_in(nothing)


def test_files_are_called_what_they_are(world: World, tmp_path: Path) -> None:
    for name in ("graph.json", "index.md", "relations.csv"):
        world.oam("export", "--all", "--format", name, "-o", str(tmp_path))
        assert (tmp_path / name).read_bytes() == world.kb.export(None, name)
    world.oam("export", "GROUP", "P-2", "--format", "oam-jsonl", "-o", str(tmp_path))
    assert (tmp_path / "selection.jsonl").read_bytes() == world.kb.export(["GROUP", "P-2"], "oam-jsonl")
