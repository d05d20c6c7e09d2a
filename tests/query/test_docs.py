"""The documents for users say what the code does: stages, weights, defaults, constants, settings, scripts, variables."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.plan import Entry, Lexical, Plan
from oam_rdf.query.route import base_weights
from oam_rdf.query.stages import STAGES
from oam_rdf.store.layout import Config
from oam_rdf.text.synonyms import read_synonyms
from oam_rdf.text.wordlist import read_words

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "retrieval.md").read_text("utf-8")


def table(head: str, text: str = PAGE) -> list[list[str]]:
    """Cells of the table whose head line begins so, without its head."""
    lines = text[text.index(head) :].splitlines()
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    assert rows, head
    return rows


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


STAGE_ROWS = table("| stage |")


def test_the_stages_are_those_that_run_in_their_order() -> None:
    assert [row[0] for row in STAGE_ROWS] == [name for name, _ in STAGES]
    for row in STAGE_ROWS:
        assert (ROOT / "oam_rdf" / "query" / names(row[1])[0]).is_file(), row[1]


def test_notes_and_certificate_keys_exist() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "oam_rdf" / "query").glob("*.py"))
    noted = set(re.findall(r"(?:state|\))\.note\(\s*\"([\w ]+)\"", source))
    assert {name for row in STAGE_ROWS for name in names(row[3])} == noted
    schema = json.loads((ROOT / "data" / "schemas" / "certificate.schema.json").read_text("utf-8"))
    assert {name for row in STAGE_ROWS for name in names(row[4])} <= set(schema["properties"])


def test_every_stage_that_is_not_needed_can_be_left_out(sample: KnowledgeBase) -> None:
    for row in STAGE_ROWS:
        stages = [stage for stage in STAGES if stage[0] != row[0]]
        if "*needed*" not in row[5]:
            assert sample.search("哥德巴赫猜想", k=3, stages=stages).results, row[0]


def test_the_routers_weights() -> None:
    plans = {
        "an id or exact text is named, or the type is EXACT": [
            Plan("PEP-241", "en", "EXACT"),
            Plan("what of KO-1?", "en", lexical=Lexical(ids=(Entry("KO-1"),))),
            Plan('"a b"', "zh", lexical=Lexical(exact_terms=(Entry("a b"),))),
        ],
        "Chinese or Japanese, a few terms": [Plan("四色定理", "zh"), Plan("呼吸 節律", "ja", "GLOBAL")],
        "Chinese or Japanese, a question, or one of relations": [
            Plan("誰證明了四色定理？", "zh"),
            Plan("四色定理 反例", "zh-Hant", "NEGATIVE"),
        ],
        "other languages, a phrase or claim": [Plan("breathing", "en"), Plan("rhythm of breath", "fr", "RELATIONAL")],
        "other languages, a question": [Plan("who breathes?", "en"), Plan("What refutes it?", "en", "NEGATIVE")],
    }
    rows = table("| query |")
    assert [row[0] for row in rows] == list(plans)
    for name, words, vectors in rows:
        for plan in plans[name]:
            given = base_weights(plan)
            assert (given.lexical, given.dense) == pytest.approx((float(words), float(vectors))), plan.text


def test_the_defaults_of_a_plan() -> None:
    for key, value, *_ in table("| key | default | meaning |"):
        held: Any = Plan()
        for name in names(key)[0].split("."):
            held = getattr(held, name)
        assert (held if isinstance(held, str) else float(held)) == (value if isinstance(held, str) else float(value)), (
            key
        )


def test_the_constants() -> None:
    for name, value, *_ in table("| name | value |"):
        module, _, constant = names(name)[0].rpartition(".")
        assert getattr(importlib.import_module(f"oam_rdf.{module}"), constant) == pytest.approx(float(value)), name


def test_the_settings_and_files_of_a_knowledge_base(tmp_path: Path) -> None:
    rows = {names(row[0])[0]: names(row[1]) or [row[1]] for row in table("| key | default | values |")}
    given = Config()
    assert list(rows) == [field.name for field in fields(Config) if field.name != "extra"]
    for name, shown in rows.items():
        held = getattr(given, name)
        assert shown == ([str(held)] if not isinstance(held, tuple) else list(held)), name
    toml = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    words = re.findall(r"```\n(# Words.*?)```", PAGE, re.DOTALL)
    assert len(toml) == len(words) == 1
    for name, text in (("synonyms.toml", toml[0]), ("words.txt", words[0])):
        (tmp_path / name).write_text(text, "utf-8")
    assert read_synonyms(tmp_path / "synonyms.toml").groups and read_words(tmp_path / "words.txt")


def test_the_python_runs(sample: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = KnowledgeBase(sample.layout, sample.config)
    fresh._embedder = sample._embedder
    monkeypatch.setattr(KnowledgeBase, "open", lambda _: fresh)
    here: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, here)
        assert here["answer"].results
    fresh.close()


def test_every_variable_that_is_read_is_in_the_readme() -> None:
    code = [*(ROOT / "oam_rdf").rglob("*.py"), *(ROOT / "server").rglob("*.py")]
    read = set(
        re.findall(r"(?:environ(?:\.get\(|\[)|envvar=)\"(OAM_\w+)\"", "\n".join(p.read_text("utf-8") for p in code))
    )
    listed = [name for row in table("| variable |", (ROOT / "README.md").read_text("utf-8")) for name in names(row[0])]
    assert sorted(listed) == sorted(read)


def test_every_script_has_a_row() -> None:
    folder = ROOT / "benchmarks"
    scripts = {p.name for p in folder.glob("*.py") if "argparse.ArgumentParser(" in p.read_text("utf-8")}
    page = (folder / "README.md").read_text("utf-8")
    rows = [names(row[0])[0].split()[0] for row in table("| script |", page)]
    assert set(rows) == scripts


@pytest.mark.parametrize(
    "page", ["README.md", "benchmarks/README.md", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))]
)
def test_links_lead_somewhere_and_no_place_is_of_one_machine(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
        assert ((ROOT / page).parent / link).exists(), link
    assert not re.search(r"(?<![\w.])/(?:work|home|tmp|root|Users)/", text)
