"""``oam profile``: what a profile would extract, and which one fits, without a knowledge base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from oam_rdf.cli.app import app
from oam_rdf.ingest.profile_trial import trial

PAPER = """# 測量論

**文件編號：** X-007
**版本：** v1.2
**狀態：** 現行
**取代關係：** 本文取代《舊測量論》
**經費：** 自籌

---

**猜想 C1**：誤差有下界。

見《尺度論》。
"""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    file = tmp_path / "paper.md"
    file.write_text(PAPER, encoding="utf-8")
    return file


def test_every_header_field_is_shown_with_what_it_becomes(paper: Path) -> None:
    data = json.loads(run("profile", "test", str(paper), "--profile", "pldst", "--json"))
    rows = {row["name"]: row for row in data["fields"]}
    assert (data["id"], data["title"], data["version"], data["language"]) == ("X-007", "測量論", "v1.2", "zh-Hant")
    assert rows["狀態"]["read"] == ["現行 → ACTIVE"] and rows["狀態"]["line"] == 5
    assert rows["取代關係"]["how"] == "relation" and rows["取代關係"]["read"] == ["supersedes 舊測量論"]
    assert rows["經費"]["how"] == "unknown" and data["unknown_fields"] == ["經費"]
    assert {(r["line"], r["relation"], r["target"]) for r in data["references"]} >= {
        (6, "supersedes", "舊測量論"),
        (13, "mentions", "尺度論"),
    }
    assert data["labelled"] == [{"line": 11, "author_id": "C1", "kind": "CONJECTURE", "state": ""}]


def test_the_table_names_what_nothing_names(paper: Path) -> None:
    text = run("profile", "test", str(paper))
    assert "kept verbatim, named by nothing: 經費" in text and "fits best:" in text and "C1" in text


def test_a_status_word_without_a_mapping_is_told_from_an_unknown_one(tmp_path: Path) -> None:
    for word, said in (("Rejected", "no version status"), ("Acepted", "unknown word")):
        file = tmp_path / "pep-0009.rst"
        file.write_text(f"PEP: 9\nTitle: T\nStatus: {word}\n\nText.\n", encoding="utf-8")
        found = trial(file, "peps")
        assert found.status == word and found.status_known == (word == "Rejected")
        assert next(row.read for row in found.fields if row.name == "Status") == (f"{word} → {said}",)


def test_files_that_give_nothing_say_why(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text("replicas: 3\n", encoding="utf-8")
    runner = CliRunner()
    result = runner.invoke(app, ["profile", "test", str(file)])
    assert result.exit_code and "no proposal's metadata" in str(result.exception)
    result = runner.invoke(app, ["profile", "test", str(tmp_path / "none.md")])
    assert result.exit_code and "no such file" in str(result.exception)


def test_profiles_are_listed_and_shown() -> None:
    names = [row["name"] for row in json.loads(run("profile", "list", "--json"))]
    assert names == ["default", "eips", "keps", "peps", "pldst", "wiki"]
    assert 'prefix = "KEP-"' in run("profile", "show", "keps")


@pytest.mark.parametrize(
    ("file", "best"),
    [
        ("eips/files/eip-1559.md", "eips"),
        ("peps/files/pep-0484.rst", "peps"),
        ("keps/files/keps/sig-node/2400-node-swap/kep.yaml", "keps"),
        ("pldst-zh-hant/vault/papers/ccp-04.md", "pldst"),
        ("taiwan-md-zh-hant/vault/Art/台灣散文.md", "wiki"),
    ],
)
def test_the_profile_that_fits_best_is_named(shared: Path, file: str, best: str) -> None:
    found = trial(shared / "corpora" / file)
    assert found.best == found.profile == best and found.fits[0].fields > found.fits[-1].fields
