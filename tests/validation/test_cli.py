"""``oam validate`` as CI meets it: what is found, where, and which exit code says so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import ALPHA, Bench
from pyoxigraph import Literal, NamedNode

from oam_rdf.namespaces import OAM, RDF, XSD, concept
from oam_rdf.store.hashing import is_content
from oam_rdf.store.shapes_extract import asserted

GAMMA = "---\nid: GAMMA\ntitle: Gamma\ncites: ALPHA\n---\n\n# Gamma\n\nText.\n"
DOC = "http://oam.localhost/doc/"
GRAPH = "http://oam.localhost/graph/"


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def findings(bench: Bench, *arguments: str, code: int = 0) -> list[dict[str, object]]:
    return json.loads(bench.validate("--json", *arguments, code=code).stdout)["results"]  # type: ignore[no-any-return]


def test_a_pass_says_what_was_looked_at(standing: Bench) -> None:
    done = standing.validate()
    assert done.stdout.startswith("passes: 0 violations, 2 warnings, 1 notes")
    assert re.search(r"^Statement +2$", done.stdout, re.MULTILINE)
    assert "shapes that met nothing: " in done.stdout and "constraints whose path led nowhere: " in done.stdout
    assert "supersession-cycle 2" in done.stdout and "visibility-leak 0" in done.stdout


def test_what_fails_is_a_matter_of_severity(standing: Bench) -> None:
    standing.validate("--fail-on", "violation", code=0)
    standing.validate("--fail-on", "warning", code=1)
    standing.validate("--fail-on", "info", code=1)
    standing.validate("--only", "visibility-leak", "--only", "Document", "--fail-on", "info", code=0)


@pytest.mark.parametrize("engine", ["shacl", "pyshacl"])
def test_a_violation_that_sits_only_in_a_named_graph(bench: Bench, engine: str) -> None:
    bench.validate("--engine", engine, code=0)
    claim = DOC + "ALPHA#H1"
    bench.plant(GRAPH + "ALPHA/assessment", (claim, OAM + "epistemicState", concept("epistemic-state", "CONJECTURE")))
    bench.plant("urn:elsewhere", ("urn:elsewhere:s", RDF + "type", OAM + "Statement"))
    found = findings(bench, "--engine", engine, code=1)
    twice = next(f for f in found if f["focus"] == claim)
    assert twice["shape"] == "https://w3id.org/oam/shapes/Statement-state"
    assert (twice["file"], twice["line"]) == ("docs/alpha.md", line_of(ALPHA, "ten tonnes"))
    assert {f["shape"] for f in found if f["focus"] == "urn:elsewhere:s"} >= {
        "https://w3id.org/oam/shapes/Statement-content"}  # fmt: skip


def test_a_whole_graph_violation_in_one_graph(bench: Bench) -> None:
    secret = GRAPH + "SECRET/assertion"
    bench.plant(secret, (DOC + "S", RDF + "type", OAM + "Concept"),
                (secret, OAM + "visibility", concept("visibility", "CONFIDENTIAL")),
                (DOC + "S", "http://purl.org/dc/terms/identifier", Literal("S")))  # fmt: skip
    bench.plant(GRAPH + "ALPHA/assertion", (DOC + "ALPHA#H2", OAM + "dependsOn", DOC + "S"))
    found = [f for f in findings(bench, code=1) if f["shape"].endswith("visibility-leak")]  # type: ignore[union-attr,attr-defined]
    assert [(f["focus"], f["file"], f["line"]) for f in found] == [
        (DOC + "ALPHA#H2", "docs/alpha.md", line_of(ALPHA, "twelve tonnes"))
    ]
    bench.validate("--only", "visibility-leak", code=1)
    bench.validate("--only", "supersession-fork", code=0)


def test_places(standing: Bench) -> None:
    found = {(f["focus"], f["component"]): (f["file"], f["line"]) for f in findings(standing)}
    assert found[DOC + "BETA", "SPARQLConstraintComponent"] == ("docs/beta.md", 1)
    assert found[DOC + "ALPHA", "SPARQLConstraintComponent"] == ("docs/alpha.md", 1)
    elsewhere = standing.oam("--kb", str(standing.root / "kb"), "validate", "--json", cwd=standing.root / "kb")
    assert {f["file"] for f in json.loads(elsewhere.stdout)["results"]} == {"alpha.md", "beta.md"}


def test_a_baseline_accepts_what_was_there_and_nothing_new(bench: Bench) -> None:
    bench.validate("--fail-on", "info", "--write-baseline", "accepted.json", code=0)
    accepted = (bench.root / "accepted.json").read_text(encoding="utf-8")
    assert len(json.loads(accepted)["accepted"]) == 3
    done = bench.validate("--fail-on", "info", "--baseline", "accepted.json", "--engine", "pyshacl", code=0)
    assert "(3 accepted by the baseline)" in done.stdout
    bench.plant(GRAPH + "ALPHA/assertion", (DOC + "ALPHA", OAM + "versionStatus", concept("version-status", "LIVELY")))
    bench.validate("--baseline", "accepted.json", code=1)
    bench.validate("--fail-on", "info", "--write-baseline", "again.json", code=0)
    assert accepted.splitlines()[1:-1] != (bench.root / "again.json").read_text(encoding="utf-8").splitlines()[1:-1]
    gone = bench.validate("--baseline", "again.json", "--only", "Document", code=0)
    assert "findings of the baseline are gone" in gone.stdout


def test_a_baseline_that_is_none(standing: Bench) -> None:
    (standing.root / "bad.json").write_text("[]", encoding="utf-8")
    assert "not a baseline" in standing.validate("--baseline", "bad.json", code=2).stderr
    assert "no such baseline" in standing.validate("--baseline", "absent.json", code=2).stderr


def test_changed_since(bench: Bench) -> None:
    revision = int(json.loads(bench.oam("--kb", "kb", "status", "--json").stdout)["revision"])
    done = bench.validate("--changed-since", str(revision), code=4)
    assert "nothing was checked" in done.stdout
    bench.validate("--changed-since", "999", code=2)
    (bench.sources / "gamma.md").write_text(GAMMA, encoding="utf-8")
    bench.oam("--kb", "kb", "ingest", "docs")
    report = json.loads(bench.validate("--changed-since", str(revision), "--json").stdout)
    assert report["focus_nodes"]["https://w3id.org/oam/shapes/Document"] == 1
    whole = json.loads(bench.validate("--changed-since", "0", "--json").stdout)
    assert whole["focus_nodes"]["https://w3id.org/oam/shapes/Document"] == 3 and len(whole["results"]) == 3


def test_only_one_shape_and_its_time(standing: Bench) -> None:
    report = json.loads(standing.validate("--only", "Statement-content", "--time", "--json").stdout)
    assert list(report["focus_nodes"]) == ["https://w3id.org/oam/shapes/Statement"] == list(report["shape_seconds"])
    assert not report["graph_checks"]
    assert "no such shape: Statment" in standing.validate("--only", "Statment", code=2).stderr


def test_a_run_is_kept_and_retrieval_does_not_see_it(bench: Bench) -> None:
    status = json.loads(bench.oam("--kb", "kb", "status", "--json").stdout)
    bench.plant(
        GRAPH + "ALPHA/provenance", (GRAPH + "ALPHA/assertion", OAM + "visibility", concept("visibility", "INTERNAL"))
    )
    before = json.loads(bench.validate("--json", code=None).stdout)
    done = bench.validate("--record", code=None)
    name = done.stderr.partition("kept as <")[2].partition(">")[0]
    assert name.startswith(GRAPH + "validation:")
    after = json.loads(bench.validate("--json", code=None).stdout)
    assert (after["triples"], after["checked"], len(after["results"])) == (
        before["triples"], before["checked"], len(before["results"]))  # fmt: skip
    assert not is_content(name)
    rows = bench.oam("--kb", "kb", "sparql", "--format", "csv", f"""
        PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX sh: <http://www.w3.org/ns/shacl#>
        SELECT (COUNT(?result) AS ?n) {{ GRAPH <{name}> {{ ?run a prov:Activity ; prov:startedAtTime ?from .
          ?report prov:wasGeneratedBy ?run ; sh:result ?result }} }}""").stdout.split()  # fmt: skip
    assert rows[1] == str(len(before["results"]))
    with bench.kb.snapshot() as snapshot:
        assert all("validation:" not in str(graph) for graph in asserted(snapshot.store))
    with bench.kb.snapshot("PUBLIC") as snapshot:  # a finding names what it found
        assert not [graph for graph in snapshot.store.named_graphs() if "validation:" in str(graph)]
    now = json.loads(bench.oam("--kb", "kb", "status", "--json").stdout)
    assert now["documents"] == status["documents"] and now["content_hash"] == status["content_hash"]
    assert "nothing" not in bench.oam("--kb", "kb", "doctor", code=None).stderr


OWN = """@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix my: <https://example.org/shapes#> .
@prefix oam: <https://w3id.org/oam/ns#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
"""


@pytest.mark.parametrize(("turtle", "code", "says"), [
    ("my:A sh:targetClass oam:Document ; sh:property [ sh:path dcterms:title ; sh:mincount 1 ] .", 1, "mincount is not a term"),
    ("my:A sh:targetClass oam:KnowlegdeObject ; sh:property [ sh:path dcterms:title ; sh:minCount 1 ] .", 1,
     "KnowlegdeObject is no class"),
    ("my:A sh:targetClass <http://typo.example/Doc> ; sh:nodeKind sh:IRI .", 1, "unknown namespace"),
    ("my:A sh:targetClass oam:Document ; sh:property [ sh:path dct:title ; sh:minCount 1 ] .", 2, "own.ttl:5"),
    ('my:A sh:targetClass oam:Document ; sh:sparql [ sh:select "SELECT $this { $this dct:title ?x }" ] .', 1,
     "the prefix dct: is not declared"),
    ("my:A sh:targetClass oam:Document ; sh:property [ sh:path dcterms:creator ; sh:minCount 1 ] .", 1, "my creator"),
    ("my:A sh:targetClass oam:Document ; sh:property [ sh:path dcterms:title ; sh:minCount 1 ] .", 0, "A   "),
])  # fmt: skip
def test_shapes_of_ones_own_and_their_slips(standing: Bench, turtle: str, code: int, says: str) -> None:
    if says == "my creator":
        turtle, says = turtle.replace("sh:minCount 1", 'sh:minCount 1 ; sh:message "my creator"'), "my creator"
    (standing.root / "own.ttl").write_text(OWN + turtle + "\n", encoding="utf-8")
    done = standing.validate("--shapes", "own.ttl", code=code)
    assert says in done.stdout + done.stderr


def test_a_slip_in_the_shapes_is_in_no_baseline(standing: Bench) -> None:
    (standing.root / "own.ttl").write_text(
        OWN + "my:A sh:targetClass oam:Docment ; sh:nodeKind sh:IRI .", encoding="utf-8"
    )
    standing.validate("--shapes", "own.ttl", "--write-baseline", "own.json", code=1)
    standing.validate("--shapes", "own.ttl", "--baseline", "own.json", code=1)


def test_files_and_folders(standing: Bench) -> None:
    folder = standing.root / "rdf"
    folder.mkdir(exist_ok=True)
    (folder / "a.ttl").write_text(
        f"@prefix oam: <{OAM}> .\n@prefix : <http://e.x/> .\n\n:fine a oam:ExternalWork .\n", encoding="utf-8")  # fmt: skip
    (folder / "b.nq").write_text(f"<http://e.x/s> <{RDF}type> <{OAM}Statement> <http://e.x/g1> .\n", encoding="utf-8")
    report = json.loads(standing.oam("validate", "rdf", "--json", code=1).stdout)
    places = {(f["focus"], f["file"], f["line"]) for f in report["results"]}
    assert places == {("http://e.x/fine", "rdf/a.ttl", 4), ("http://e.x/s", "rdf/b.nq", 1)}


@pytest.mark.parametrize(("name", "text", "code", "says"), [
    ("", "", 4, "no RDF files here"),
    ("x.ttl", "", 4, "no shape met a node"),
    ("x.ttl", "@prefix oam: <https://w3id.org/oam/ns#> . <urn:a:b> a oam:Statment .", 4, "no shape met a node"),
    ("x.ttl", "<urn:a:b> a oam:Statement .", 2, "x.ttl:1"),
    ("x.txt", "hello", 4, "no RDF files here"),
])  # fmt: skip
def test_nothing_checked_is_never_a_pass(
    tmp_path: Path, standing: Bench, name: str, text: str, code: int, says: str
) -> None:
    if name:
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert says in standing.oam("validate", str(tmp_path), code=code).stderr


def test_an_empty_knowledge_base_and_wrong_use(tmp_path: Path, standing: Bench) -> None:
    standing.oam("init", str(tmp_path / "empty"))
    assert "is empty" in standing.oam("validate", str(tmp_path / "empty"), code=4).stderr
    assert "is empty" in standing.oam("--kb", str(tmp_path / "empty"), "validate", code=4).stderr
    standing.oam("validate", "kb", code=0)
    standing.oam("validate", "kb", "docs", code=2)
    standing.oam("validate", "docs", "--record", code=2)
    standing.oam("validate", "absent.ttl", code=2)


def test_a_time_without_a_zone_is_found(bench: Bench) -> None:
    naive = Literal("2026-07-31T00:00:00", datatype=NamedNode(XSD + "dateTime"))
    bench.plant(GRAPH + "ALPHA/assertion", (DOC + "ALPHA", OAM + "validFrom", naive))
    assert {f["component"] for f in findings(bench, code=1)} >= {"PatternConstraintComponent"}
