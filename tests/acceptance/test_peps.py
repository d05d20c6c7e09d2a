"""A corpus of 736 documents, counted from the raw files by code that shares nothing with the product."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.store.export import FORMATS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("peps")]


@pytest.fixture(scope="module")
def files(shared: Path) -> Path:
    return shared / "corpora" / "peps" / "files"


@pytest.fixture(scope="module")
def kb(files: Path, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    made = KnowledgeBase.init(tmp_path_factory.mktemp("peps") / "kb")
    report = made.ingest([files], IngestOptions(profile="peps"))
    raw = sum(1 for path in files.rglob("*") if path.is_file())
    assert (report.found, report.added) == (raw, 736)
    assert report.found == report.added + report.skipped + report.refused
    print(json.dumps({"seconds": report.seconds, "objects": dict(report.objects)}))
    return made


def rows(kb: KnowledgeBase, query: str) -> list[dict[str, str]]:
    body, _ = kb.sparql(query, format="json")
    return [{name: cell["value"] for name, cell in row.items()} for row in json.loads(body)["results"]["bindings"]]


def test_a_second_run_changes_nothing(kb: KnowledgeBase, files: Path) -> None:
    report = kb.ingest([files], IngestOptions(profile="peps"))
    assert (report.unchanged, report.revision, report.revision_before) == (736, report.revision_before, report.revision)


def test_the_47_supersession_pairs(kb: KnowledgeBase, shared: Path) -> None:
    stated: dict[tuple[str, str], set[str]] = {}
    for line in (shared / "corpora" / "peps" / "relations.tsv").read_text().splitlines()[1:]:
        source, relation, target = line.split("\t")
        if relation == "supersedes":
            stated.setdefault((source, target), set()).add(relation)
        elif relation == "superseded_by":
            stated.setdefault((target, source), set()).add(relation)
    assert (len(stated), sum(len(sides) == 1 for sides in stated.values())) == (47, 20)
    query = (
        "SELECT DISTINCT ?a ?b { ?x oam:supersedes ?y . ?y ^oam:supersedes/oam:supersedes* ?y . "
        "?x dcterms:identifier ?a . ?y dcterms:identifier ?b }"
    )
    assert {(row["a"], row["b"]) for row in rows(kb, query)} == set(stated)


def test_version_routes(kb: KnowledgeBase) -> None:
    assert kb.navigate("PEP-241", "VERSION.LATEST").route == ("PEP-0314", "PEP-0345", "PEP-0426", "PEP-0566")
    for start, heads in (("PEP-563", ("PEP-0649", "PEP-0749")), ("PEP-381", ("PEP-0449", "PEP-0464"))):
        found = kb.navigate(start, "VERSION.LATEST")
        assert (found.conflict, found.heads) == ("VERSION_CONFLICT", heads)
        assert kb.versions(start).conflict == "VERSION_CONFLICT"
    for written in ("PEP-241", "pep 241", "PEP-0241", "Pep241", "ＰＥＰ－241"):
        assert kb.navigate(written, "VERSION.LATEST").start == "PEP-0241"


def test_weight(kb: KnowledgeBase, files: Path) -> None:
    (count,) = rows(kb, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
    kilobytes = sum(path.stat().st_size for path in files.iterdir()) / 10_000
    per_source = int(count["n"]) / kilobytes
    (statements,) = rows(kb, "SELECT (COUNT(*) AS ?n) { ?t a oam:Statement }")
    (own,) = rows(kb, "SELECT (COUNT(*) AS ?n) { ?t a oam:Statement ; ?p ?o }")
    (spans,) = rows(kb, "SELECT (COUNT(*) AS ?n) { ?t a oam:Statement ; prov:wasQuotedFrom ?s . ?s ?p ?o }")
    per_statement = (int(own["n"]) + int(spans["n"])) / int(statements["n"])
    print(f"{per_source:.0f} quads per 10 kB, {per_statement:.1f} per statement with its span")
    assert per_source <= 800
    assert per_statement <= 12


def check_spans(kb: KnowledgeBase, folders: list[Path]) -> int:
    """Open every Original ourselves: the hash is the file's, the text at the offsets is the content."""
    by_hash = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.read_bytes().decode("utf-8")
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    query = (
        "SELECT ?o ?c ?src ?s ?e { ?o prov:wasQuotedFrom ?span . ?span oa:hasSource ?src ; oa:start ?s ; oa:end ?e "
        "OPTIONAL { ?o oam:content ?c } }"
    )
    pieces: dict[str, list[tuple[int, str]]] = {}
    contents: dict[str, str] = {}
    count = 0
    for row in rows(kb, query):
        text = by_hash[row["src"].rsplit("sha256-", 1)[-1]]
        start, end = int(row["s"]), int(row["e"])
        assert 0 <= start < end <= len(text)
        count += 1
        if "c" in row:
            pieces.setdefault(row["o"], []).append((start, text[start:end]))
            contents[row["o"]] = row["c"]
    for owner, content in contents.items():
        assert "\n".join(part for _, part in sorted(pieces[owner])) == content, owner
    return count


def test_every_span(kb: KnowledgeBase, files: Path) -> None:
    count = check_spans(kb, [files])
    print(f"{count} source spans checked")
    assert count > 15_000


def test_fifty_documents_come_back_isomorphic(kb: KnowledgeBase, tmp_path: Path) -> None:
    from pyoxigraph import parse

    ids = [row["i"] for row in rows(kb, "SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i } ORDER BY ?i")][::14][
        :50
    ]
    assert len(ids) == 50
    other = KnowledgeBase.init(tmp_path / "other")
    for identifier in ids:
        (tmp_path / "one.trig").write_bytes(kb.export(identifier, "trig", originals=tmp_path / "originals"))
        other.load(tmp_path / "one.trig", tmp_path / "originals")
    for identifier in ids:
        one, two = (
            {str(quad) for quad in parse(side.export(identifier, "trig"), format=FORMATS["trig"])}
            for side in (kb, other)
        )
        assert one == two, identifier


def test_the_whole_comes_back_isomorphic(kb: KnowledgeBase, tmp_path: Path) -> None:
    body = kb.export(None, "trig", originals=tmp_path / "originals")
    (tmp_path / "all.trig").write_bytes(body)
    other = KnowledgeBase.init(tmp_path / "other")
    assert other.load(tmp_path / "all.trig", tmp_path / "originals").documents == 736
    assert other.export(None, "trig") == body
    assert other.doctor().clean


def test_the_command_says_the_same(kb: KnowledgeBase) -> None:
    command = [
        sys.executable,
        "-m",
        "oam_rdf.cli",
        "--kb",
        str(kb.layout.root),
        "navigate",
        "pep 241",
        "VERSION.LATEST",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "PEP-0314 → PEP-0345 → PEP-0426 → PEP-0566" in done.stdout
