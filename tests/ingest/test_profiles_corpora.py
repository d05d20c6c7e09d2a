"""Whole public corpora: nothing raised, every span exact, every header relation kept."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oam_rdf.errors import ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.naming import reference_name
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.passages_cut import CAP, tokens
from oam_rdf.model import ParsedDocument
from oam_rdf.text.normalise import id_key


def documents(folder: Path, profile: str) -> Iterator[ParsedDocument]:
    loaded = profiles.load(profile)
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".md", ".rst")):
        document = parse(path.read_bytes(), path.relative_to(folder).as_posix(), loaded)
        check(document, path.read_bytes().decode())
        yield document


def check(document: ParsedDocument, text: str) -> None:
    ids = [item.id for item in document.objects]
    assert len(ids) == len(set(ids)) and document.length == len(text)
    for item in document.objects:
        assert item.parent in ids and all(0 <= s.start < s.end <= len(text) for s in item.spans)
        if item.granularity == "STATEMENT":
            assert item.content == "\n".join(text[s.start : s.end] for s in item.spans) != ""
    for passage in document.passages:
        assert passage.text == text[passage.start : passage.end] and tokens(passage.text) <= CAP
    assert document.passages and all(r.source in ids for r in document.relations)


def stated(folder: Path, *kinds: str) -> set[tuple[str, str, str]]:
    with (folder / "relations.tsv").open(encoding="utf-8") as file:
        return {(id_key(row["source"]), row["relation"], id_key(row["target"])) for row in csv.DictReader(file, delimiter="\t")
                if row["relation"] in kinds}  # fmt: skip


def found(parsed: list[ParsedDocument], *kinds: str) -> set[tuple[str, str, str]]:
    return {(id_key(d.id), r.type, id_key(re.sub(r".*/|\.md.*", "", r.target)))
            for d in parsed for r in d.relations if r.type in kinds}  # fmt: skip


@pytest.mark.slow
def test_peps(shared: Path) -> None:
    folder = shared / "corpora" / "peps"
    parsed = list(documents(folder / "files", "peps"))
    assert len(parsed) == len({d.id for d in parsed}) == 736
    kinds = ("supersedes", "superseded_by", "depends_on")
    assert found(parsed, *kinds) == stated(folder, *kinds)
    cites = stated(folder, "cites")
    assert len(cites & found(parsed, "cites")) >= 0.98 * len(cites)


@pytest.mark.slow
def test_eips(shared: Path) -> None:
    folder = shared / "corpora" / "eips"
    parsed = list(documents(folder / "files", "eips"))
    assert len(parsed) == len({d.id for d in parsed}) == 949
    assert found(parsed, "depends_on") == stated(folder, "depends_on")
    cites = stated(folder, "cites")
    assert len(cites & found(parsed, "cites")) >= 0.98 * len(cites)


@pytest.mark.slow
def test_pldst(shared: Path) -> None:
    parsed = list(documents(shared / "corpora" / "pldst-zh-hant" / "vault", "pldst"))
    assert len(parsed) == len({d.id for d in parsed}) == 97
    assert all(d.language == "zh-Hant" for d in parsed)
    assert sum(d.id.startswith("PLDST-") for d in parsed) == 30
    assert sum(r.type == "depends_on" for d in parsed for r in d.relations) >= 50


@pytest.mark.slow
def test_taiwan_md(shared: Path) -> None:
    folder = shared / "corpora" / "taiwan-md-zh-hant"
    profile = profiles.load("wiki")
    broken, parsed = [], []
    for path in sorted(p for top in ("vault", "vault-en") for p in (folder / top).rglob("*.md")):
        try:
            document = parse(path.read_bytes(), path.relative_to(folder).as_posix(), profile)
        except ParseError as error:
            broken.append(str(error))
            continue
        check(document, path.read_bytes().decode())
        parsed.append(document)
    # Apostrophes inside single quotes and the like: YAML that nobody can read, each named with its line.
    assert len(parsed) == 738 and len(broken) == 7 and all(re.search(r"\.md:\d+: broken YAML", b) for b in broken)
    linked = {(d.path, reference_name(r.target)) for d in parsed for r in d.relations if r.type == "mentions"}
    unread = {re.split(r"\.md:", b)[0] + ".md" for b in broken}
    with (folder / "wikilinks.tsv").open(encoding="utf-8") as file:
        wanted = [(f"vault/{row['source']}", Path(row["target"]).stem) for row in csv.DictReader(file, delimiter="\t")]
    missing = [pair for pair in wanted if pair not in linked and pair[0] not in unread]
    assert len(wanted) == 595 and len(missing) <= 0.02 * len(wanted), missing[:20]
