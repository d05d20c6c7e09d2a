"""Public corpora: what goes in comes out, is skipped or is refused, by a count over the raw files; links as their lists say."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.report_files import entries
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.namespaces import DCTERMS, OAM

pytestmark = pytest.mark.slow

HUB = "People/_People Hub.md"
# Looked at one by one. Every other link of the lists must be in the graph as they say.
NOT_THERE = {
    ("People/張雨生.md", "People/張雨生.md"): "a document that names itself states no relation",
    (
        "Culture/_Culture Hub.md",
        "Culture/台灣茶文化.md",
    ): "台灣茶文化 is the title of another document: a title is stronger than a file name",
}
INSTEAD = {("Culture/_Culture Hub.md", "Food/茶文化.md"): "the document whose title is 台灣茶文化"}
# Written only in the file whose front matter is no YAML (its line 13 has an apostrophe inside single quotes): refused.
BROKEN_IN_HUB = {"安成宰", "崔鉉碩", "愛德華李", "李美英", "李駿", "白種元", "鄭智善", "金太星", "金度潤", "雲門舞集"}
# The list has it once; no file of the vault holds it.
NOT_IN_VAULT = {"人名"}
# Unresolved here, and no [[wikilinks]]: Markdown links [text](file.md) to files that the vault does not hold.
FILE_LINKS = {
    "八炯.md",
    "張志祺.md",
    "蔡英文.md",
    "阿滴.md",
    "陳子見.md",
    "../../reports/research/2026-05/災難志工文化-evolve.md",
}


def select(kb: KnowledgeBase, query: str) -> list[tuple[str, ...]]:
    body, _ = kb.sparql(query, format="tsv")
    return [tuple(cell.strip('"<>') for cell in line.split("\t")) for line in body.decode().splitlines()[1:]]


def ingested(folder: Path, profile: str, root: Path) -> tuple[KnowledgeBase, IngestReport]:
    kb = KnowledgeBase.init(root / "kb")
    return kb, kb.ingest([folder], IngestOptions(profile=profile, workers=2))


@pytest.mark.parametrize(
    ("corpus", "profile", "landed", "refused"),
    [
        # Two folders claim the number 2133: the second is refused with both named; relations.tsv is another table.
        ("keps", "keps", {".yaml": 653, ".md": 16, ".txt": 1}, {"id-collision": 1}),
        ("eips", "eips", {".md": 951, ".tsv": 1}, {}),
    ],
)
def test_in_is_out_and_skipped_and_refused(
    shared: Path, tmp_path: Path, corpus: str, profile: str, landed: dict[str, int], refused: dict[str, int]
) -> None:
    folder = shared / "corpora" / corpus
    files = [path for path in folder.rglob("*") if path.is_file()]  # the independent count
    kb, report = ingested(folder, profile, tmp_path)
    listed = entries(report)
    assert len(files) == report.found == len(listed) and report.balanced
    assert {entry.path for entry in listed} == {path.relative_to(folder).as_posix() for path in files}
    outcomes = Counter(entry.outcome for entry in listed)
    assert (outcomes["added"], outcomes["skipped"], outcomes["refused"]) == (
        report.added,
        report.skipped,
        report.refused,
    )
    stored = select(kb, f"SELECT ?p {{ GRAPH ?g {{ ?d a <{OAM}Document> }} ?g <{OAM}sourcePath> ?p }}")
    suffixes = Counter(Path(path).suffix for (path,) in stored)
    assert {suffix: suffixes[suffix] for suffix in landed} == landed
    errors = Counter(issue.code for issue in report.issues if issue.severity == "error")
    assert {code: errors[code] for code in refused} == refused
    reasons = {issue.file for issue in report.issues if issue.code.startswith("skipped-") or issue.severity == "error"}
    assert all(entry.path in reasons for entry in listed if entry.outcome in ("skipped", "refused"))
    kb.close()


@pytest.fixture(scope="module")
def vault(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, KnowledgeBase, IngestReport]:
    folder = shared / "corpora" / "taiwan-md-zh-hant"
    kb, report = ingested(folder / "vault", "wiki", tmp_path_factory.mktemp("vault"))
    return folder, kb, report


def test_every_note_is_in_but_one_that_is_named(vault: tuple[Path, KnowledgeBase, IngestReport]) -> None:
    folder, kb, report = vault
    assert report.found == len(list((folder / "vault").rglob("*.md"))) == 379 and report.balanced
    refused = [(issue.file, issue.line, issue.code) for issue in report.issues if issue.severity == "error"]
    assert refused == [(HUB, 13, "unparsable")] and report.added == 378
    assert len(select(kb, f"SELECT DISTINCT ?d {{ ?d a <{OAM}Document> ; <{DCTERMS}identifier> ?i }}")) == 378


def test_wikilinks_are_in_the_graph_as_the_lists_say(vault: tuple[Path, KnowledgeBase, IngestReport]) -> None:
    folder, kb, _ = vault
    with (folder / "wikilinks.tsv").open(encoding="utf-8") as file:
        listed = {(row["source"], row["target"]) for row in csv.DictReader(file, delimiter="\t")}
    with (folder / "unresolved_wikilinks.tsv").open(encoding="utf-8") as file:
        broken = {row["target"]: int(row["count"]) for row in csv.DictReader(file, delimiter="\t")}
    # An independent count of occurrences over the raw files, links resolved by file name.
    notes = {
        unicodedata.normalize("NFC", p.stem): p.relative_to(folder / "vault").as_posix()
        for p in folder.glob("vault/**/*.md")
    }
    there: Counter[tuple[str, str]] = Counter()
    gone: Counter[str] = Counter()
    for path in notes.values():
        for written in re.findall(r"\[\[([^\[\]]+)\]\]", (folder / "vault" / path).read_text("utf-8")):
            name = unicodedata.normalize("NFC", re.split(r"[|#]", written)[0].strip())
            target = notes.get(name.rpartition("/")[2])
            if target:
                there[path, target] += 1
            else:
                gone[name] += 1
    assert sum(there.values()) == 787 and set(there) == listed
    assert sum(broken.values()) == 103 and len(broken) == 86
    assert {name: count for name, count in broken.items() if gone[name] != count} == dict.fromkeys(NOT_IN_VAULT, 1)

    edges = {(one, other) for one, other in select(kb, f"""
        SELECT DISTINCT ?p ?q {{ VALUES ?r {{ <{OAM}mentions> <{OAM}relatedTo> }}
        GRAPH ?g {{ ?s ?r ?t }} ?g <{OAM}sourcePath> ?p .
        GRAPH ?h {{ ?t a <{OAM}Document> }} ?h <{OAM}sourcePath> ?q }}""")}  # fmt: skip
    missing = {pair for pair in listed - edges if pair[0] != HUB}
    assert missing == NOT_THERE.keys()
    assert not any(pair[0] == HUB for pair in edges)  # the refused file states nothing
    assert edges - listed == INSTEAD.keys()

    labels = {label for (label,) in select(kb, f"SELECT DISTINCT ?l {{ ?n <{OAM}targetLabel> ?l }}")}
    hub = (folder / "vault" / HUB).read_text("utf-8")
    assert broken.keys() - labels == BROKEN_IN_HUB | NOT_IN_VAULT
    assert all(f"[[{name}]]" in hub for name in BROKEN_IN_HUB)
    assert labels - broken.keys() == FILE_LINKS
