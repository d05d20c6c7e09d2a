"""The verbs invalidate, epistemic and review: three languages, JSON, exit codes, files, and a reviewer at the keyboard."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oam_rdf.analysis.queue import Entry
from oam_rdf.cli import app as cli
from oam_rdf.cli import review_files
from oam_rdf.cli.labels_review import LABELS
from oam_rdf.cli.review import decide_each
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

TEXT = """---
id: A
title: Caloric
---
# Caloric

**Hypothesis H1.** Heat is a fluid.

**Claim C1.** The fluid is conserved.

- depends_on:: [[A#H1]]

**Claim X1.** Boring makes heat without end.

- counterexample_to:: [[A#H1]]
"""
OBJECT = {
    "knowledge_object_id": "KO-7", "granularity": "statement", "content": "Dreams can be steered.",
    "operators": [{"family": "DREAM", "mode": "LUCID"}, {"family": "REP", "mode": "FORMALIZE", "confidence": 0.3}],
    "provenance": {"source_spans": ["SPAN-1"]},
}  # fmt: skip


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "a.md").write_text(TEXT, encoding="utf-8")
    (sources / "ko.json").write_text(json.dumps(OBJECT), encoding="utf-8")
    with KnowledgeBase.init(tmp_path / "kb") as made:
        made.ingest([sources], IngestOptions(workers=1))
        yield made


def run(kb: KnowledgeBase, *arguments: str, given: str = "") -> tuple[int, str]:
    """Exit code and output, as the shell sees them."""
    done = CliRunner().invoke(cli.app, ["--kb", str(kb.layout.root), *arguments], input=given)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return getattr(done.exception, "exit_code", 99), done.output + str(done.exception)
    value = done.return_value
    return (value if isinstance(value, int) else done.exit_code), done.output


def data(kb: KnowledgeBase, *arguments: str) -> Any:
    return json.loads(run(kb, "-q", *arguments, "--json")[1])


def test_from_a_refutation_to_flags_and_back(kb: KnowledgeBase) -> None:
    code, text = run(kb, "invalidate", "A#H1")
    assert code == 0 and "still stands" in text and "A#H1 ←depends_on A#C1" in text and "preview" in text
    code, text = run(kb, "invalidate", "A#H1", "--apply", "--by", "ann")
    assert code == 1 and "neither superseded" in text
    code, text = run(kb, "epistemic", "set", "A#H1", "REFUTED", "--by", "ann", "--reason", "r")
    assert code == 0 and "REFUTED" not in text and "refuted" in text, "a counterexample is on record"
    code, text = run(kb, "epistemic", "set", "A#C1", "FORMALLY_PROVED", "--by", "ann", "--reason", "r")
    assert code == 1 and "formal_proof" in text
    assert run(kb, "invalidate", "A#H1", "--apply")[0] == 2, "nobody is named"
    done = data(kb, "invalidate", "A#H1", "--apply", "--by", "ann")
    assert done["flagged"] == 1 and done["dependants"][0]["path"] == [
        {"source": "A#C1", "relation": "depends_on", "target": "A#H1"}
    ]
    listed = data(kb, "review", "--kind", "needs-review")
    assert listed["counts"] == {"NEEDS_REVIEW": 1} and done["run"] in listed["entries"][0]["detail"]
    assert data(kb, "invalidate", "--undo", done["run"], "--by", "ann")["undone"] == done["run"]
    assert run(kb, "invalidate", "--undo", done["run"], "--by", "ann")[0] == 2
    assert run(kb, "invalidate", "A#H1", "--undo", "x", "--by", "a")[0] == 2 and run(kb, "invalidate")[0] == 2
    assert run(kb, "invalidate", "nowhere")[0] == 2


def test_claims_and_their_history(kb: KnowledgeBase) -> None:
    run(kb, "epistemic", "set", "A#C1", "CONJECTURE", "--by", "ann", "--reason", "a guess")
    code, text = run(kb, "epistemic")
    assert code == 0 and "[conjecture (CONJECTURE)]" in text and "A#X1" in text and "A#C1" not in text
    assert "A#C1" in run(kb, "epistemic", "--include-conjectures")[1]
    assert data(kb, "epistemic", "A")["counts"] == {"SOURCE_CLAIM": 2, "CONJECTURE": 1}
    for ui, words in (("en", "by ann"), ("zh-Hant", "來源主張 → 猜想  由 ann"), ("zh-Hans", "来源主张 → 猜想  由 ann")):
        code, text = run(kb, "epistemic", "history", "A#C1", "--ui", ui)
        assert code == 0 and words in text and "a guess" in text
    assert data(kb, "epistemic", "history", "A#C1")["assessments"][0]["agent"] == "ann"
    assert "沒有記錄" in run(kb, "epistemic", "history", "A#X1", "--ui", "zh-Hant")[1]
    assert "conjectures-with-experiment" in run(kb, "sparql", "--named", "list")[1]
    assert "doc/A#C1,https://w3id.org/oam/epistemic-state/SOURCE_CLAIM" in run(
        kb, "sparql", "--named", "state-changes", "--format", "csv"
    )[1]
    assert run(kb, "sparql", "--named", "nothing")[0] == 2 and run(kb, "sparql")[0] == 2


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_file_goes_out_is_filled_in_and_comes_back(kb: KnowledgeBase, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"queue.{suffix}"
    assert run(kb, "review", "--export", str(file))[0] == 0
    if suffix == "csv":
        rows = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    else:
        rows = json.loads(file.read_text("utf-8"))
    assert {row["kind"] for row in rows} == {"UNKNOWN_OPERATOR", "LOW_CONFIDENCE", "UNANCHORED"}
    filled = {
        "UNKNOWN_OPERATOR": ("change", "META.CONTROL"),
        "LOW_CONFIDENCE": ("accept", ""),
        "UNANCHORED": ("skip", ""),
    }
    for row in rows:
        row["decision"], row["change_to"] = filled[row["kind"]]
        row["time"] = "2026-01-31T12:00:00+08:00"

    def write() -> None:
        if suffix == "csv":
            with file.open("w", encoding="utf-8", newline="") as out:
                sheet = csv.DictWriter(out, list(rows[0]))
                sheet.writeheader()
                sheet.writerows(rows)
        else:
            file.write_text(json.dumps(rows), encoding="utf-8")

    write()
    code, text = run(kb, "review", "--import", str(file))
    assert code == 2 and "without its reviewer" in text and "row " in text
    assert data(kb, "review", "--import", str(file), "--by", "ann")["made"] == 2
    assert data(kb, "review")["counts"]["LOW_CONFIDENCE"] == 0 and data(kb, "review")["counts"]["UNANCHORED"] == 1
    code, text = run(kb, "review", "--import", str(file), "--by", "ann")
    assert code == 2 and "waits for a decision" in text
    rows[0]["time"] = "yesterday"
    write()
    assert "no time with a zone" in run(kb, "review", "--import", str(file), "--by", "ann")[1]
    assert run(kb, "review", "--export", str(tmp_path / "queue.xls"))[0] == 2


def test_a_cell_is_never_a_formula(kb: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    review_files.write(file, [Entry("UNANCHORED", "http://x/", "=cmd()", "+1")])
    (row,) = csv.DictReader(file.read_text("utf-8-sig").splitlines())
    assert row["id"] == "'=cmd()" and row["text"] == "'+1"


def test_a_reviewer_at_the_keyboard(kb: KnowledgeBase, capsys: pytest.CaptureFixture[str]) -> None:
    entries = kb.curation.queue()
    lines = iter(["nonsense\n", "c META.CONTROL\n", "\n", "s\n", "a\n", "has its place\n"])
    order = {"UNKNOWN_OPERATOR": 0, "LOW_CONFIDENCE": 1, "UNANCHORED": 2}
    assert [order[entry.kind] for entry in entries] == [0, 1, 2]
    assert decide_each(kb, entries, "ann", "en", 5.0, lambda: next(lines, "")) == 0
    out = capsys.readouterr().out
    assert "“nonsense” is none of these" in out and "2 decisions written" in out
    assert [entry.kind for entry in kb.curation.queue()] == ["LOW_CONFIDENCE"]
    code, text = run(kb, "review", "--interactive", "--by", "ann", "--ui", "zh-Hans", given="q\n")
    assert code == 0 and "已写入 0 项决定" in text
    assert run(kb, "review", "--interactive")[0] == 2


def test_every_label_stands_in_three_languages_with_the_same_places() -> None:
    for key, words in LABELS.items():
        assert len(words) == 3 and all(words), key
        assert len({frozenset(re.findall(r"\{(\w+)\}", word)) for word in words}) == 1, key
