"""``oam search`` for people: what is on the page, in three languages, at any width."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from oam_rdf.cli.labels import LABELS
from oam_rdf.cli.search import places
from oam_rdf.cli.show_answer import answer_lines, print_lines
from oam_rdf.errors import OamError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.phrases import LANGUAGES


def test_an_answer(oam: Any) -> None:
    text = oam("search", "燃素", "-k", "1", "--granularity", "document", "--route", "sparse_only").stdout
    first = text.splitlines()[0]
    assert "(VERSION_CONFLICT)" in first and re.search(r"certificate OAM-R-[0-9a-f]{16}", first)
    assert re.search(r"^1\. 燃燒理論之二：拉瓦節的氧化說 v2\.0  COMBUSTION-2", text, re.MULTILINE)
    assert (
        re.search(r"substituted for COMBUSTION-1(#\w+)? \(rank \d+ by words", text)
        and "path COMBUSTION-1 → COMBUSTION-2" in text
    )
    assert re.search(r"combustion-2\.md line \d+, characters \d+–\d+", text)
    assert "active" in text and "\x1b" not in text


def test_line_and_file_are_where_the_text_stands(oam: Any, sample: KnowledgeBase) -> None:
    (result,) = sample.search("Lander and Parkin counterexample", k=1).certificate["results"]
    file, line = places(sample)(result)
    text = Path("data/documents", file).read_text("utf-8") if Path("data/documents").exists() else ""
    assert file == "euler-powers.md"
    if text:
        assert text.count("\n", 0, result["span"]["start"]) + 1 == line
    assert f"{file} line {line}, " in oam("search", "Lander and Parkin counterexample", "-k", "1").stdout


def test_a_refusal_says_what_decided_it(oam: Any) -> None:
    done = oam("search", "DNA-1953 雙螺旋 qwertzuiop")
    assert done.exit_code == 0 and "UNANSWERABLE_FROM_CORPUS" in done.stdout and "because:" in done.stdout


@pytest.mark.parametrize("ui", LANGUAGES)
def test_everything_is_said_in_one_language(sample: KnowledgeBase, ui: str) -> None:
    answer = sample.search("燃素", k=2, granularity="DOCUMENT", route="SPARSE_ONLY")
    text = "\n".join(line.plain for _, line in answer_lines(answer, ui=ui, where=places(sample)))
    for result in answer.results:  # what the documents say stays in their language
        text = text.replace(" ".join(result.snippet.split()), "").replace(result.title, "")
    own = {"zh-Hant": ("版本", "現行", "代替", "憑證"), "zh-Hans": ("版本", "现行", "代替", "凭证"),
           "en": ("version", "active", "substituted for", "certificate")}  # fmt: skip
    for word in own[ui]:
        assert word in text, (word, text)
    for other in LANGUAGES:
        if other != ui and {ui, other} != {"zh-Hant", "zh-Hans"}:
            assert not [word for word in own[other] if word in re.sub(r"\([A-Z_]+\)", "", text) and word not in own[ui]]


def test_labels_have_three_languages_with_the_same_values() -> None:
    for key, texts in LABELS.items():
        assert len(texts) == 3 and all(texts), key
        values = [set(re.findall(r"{(\w+)}", text)) for text in texts]
        assert values[0] == values[1] == values[2], key


def test_a_terminal_is_wrapped_and_a_pipe_is_not(sample: KnowledgeBase) -> None:
    answer = sample.search("Euler conjecture", k=2)
    narrow = Console(file=io.StringIO(), width=50, force_terminal=True, color_system="standard", highlight=False)
    print_lines(narrow, answer_lines(answer, where=places(sample)))
    shown = narrow.file.getvalue()  # type: ignore[attr-defined]
    plain = Text.from_ansi(shown).plain
    assert "\x1b[" in shown and max(cell_len(line.rstrip()) for line in plain.splitlines()) <= 50
    wide = Console(file=io.StringIO(), width=50, force_terminal=False)
    print_lines(wide, answer_lines(answer, where=places(sample)))
    assert max(map(len, wide.file.getvalue().splitlines())) > 80  # type: ignore[attr-defined]


def test_data_formats(oam: Any) -> None:
    found = json.loads(oam("search", "planets", "--json", "--explain", "--ui", "zh-Hans").stdout)
    assert (
        found["certificate"]["retrieval_id"] == found["retrieval_id"] and "检索路径" in found["explanation"][0]["text"]
    )
    ids = oam("search", "planets", "--format", "ids").stdout.split()
    assert ids == [result["id"] for result in found["results"]]


def test_the_flags_arrive(oam: Any, tmp_path: Path) -> None:
    done = oam(
        "search", "conjecture", "--state", "REFUTED", "--granularity", "statement", "--route", "sparse_only", "--lang", "en",
        "--direction", "VERSION.LATEST", "--only-verified", "--no-conjectures", "--strict", "--as-of", "2030-01-01",
        "--condition", "domain=number theory", "--half-life", "30", "--json", "--explain",
    )  # fmt: skip
    plan = json.loads(done.stdout)["certificate"]["query_plan"]
    assert {entry["value"] for entry in plan["epistemic"]["require"]} >= {"REFUTED", "FORMALLY_PROVED"}
    assert {entry["value"] for entry in plan["epistemic"]["exclude"]} >= {"CONJECTURE"}
    assert plan["condition"]["domain"][0]["value"] == "number theory" and plan["version"]["as_of"] == "2030-01-01"
    assert (
        plan["rescue"]["strict"] and plan["scoring"]["half_life"] == 30 and plan["form"]["granularity"] == "STATEMENT"
    )
    assert plan["navigation"]["directions"][0]["value"] == "VERSION.LATEST" and plan["language"] == "en"
    plan_file = tmp_path / "plan.yaml"
    plan_file.write_text("text: planets\nlexical: {include: [planets]}\nform: {k: 1}\n", "utf-8")
    asked = json.loads(oam("search", "--plan", str(plan_file), "--json").stdout)
    assert asked["query"] == "planets" and len(asked["results"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [(), ("x", "--condition", "colour=red"), ("x", "--granularity", "WORD"), ("x", "--interactive", "--json")],
)
def test_what_cannot_be_used_is_refused(oam: Any, arguments: tuple[str, ...]) -> None:
    with pytest.raises(OamError):
        oam("search", *arguments)


def test_what_only_old_texts_say_is_laid_to_them(oam: Any) -> None:
    because = next(line for line in oam("search", "燃素").stdout.splitlines() if "only superseded texts" in line)
    assert because.rstrip().endswith("(燃素, COMBUSTION-1)")


def test_a_plan_in_another_encoding_is_refused(oam: Any, tmp_path: Path) -> None:
    plan_file = tmp_path / "plan.yaml"
    plan_file.write_bytes("text: 燃素\n".encode("utf-16"))
    with pytest.raises(OamError, match=r"plan\.yaml is not UTF-8"):
        oam("search", "--plan", str(plan_file))


@pytest.mark.parametrize(
    "query", ["[bold red]x[/]", "a\x1b[2Jb", "'; DROP TABLE x; --", "{id} %s \\", "*:* AND id:?", "-h x"[1:]]
)
def test_a_query_is_only_text(oam: Any, query: str) -> None:
    done = oam("search", query, "--explain")
    assert done.exit_code == 0 and "\x1b" not in done.stdout and done.stdout
    assert oam("search", "--interactive", input=f"s {query}\n{query}\nq\n").exit_code == 0


def test_text_of_documents_sends_nothing_to_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system=None)
    print_lines(console, iter([(0, Text("a\x1b]0;owned\x07b\x9b2J\u202ec"))]))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in shown and "\x9b" not in shown and "\u202e" not in shown and "owned" in shown


def test_shapes_are_laid_out(oam: Any) -> None:
    text = oam("search", "orbits of planets", "--shape", "timeline").stdout
    assert "Timeline" in text and re.search(r"^  \d{4}-\d\d-\d\d  \d+\. \S+ .*oam:validFrom", text, re.MULTILINE)
    text = oam("search", "ORBIT-1 ORBIT-4", "--shape", "comparison", "--ui", "zh-Hant").stdout
    assert "比較表" in text and re.search(r"1\. ORBIT-\d +2\. ORBIT-\d", text) and "≠ 版本" in text
    text = oam("search", "four colour theorem", "--shape", "evidence table").stdout
    assert "Evidence table" in text and "formal proof, outcome passed: " in text
    data = json.loads(oam("search", "four colour theorem", "--shape", "evidence table", "--json").stdout)
    assert data["layout"]["rows"][0]["evidence"][0]["kind"] == "formal_proof"
    with pytest.raises(Exception, match="pie"):
        oam("search", "x", "--shape", "pie")


def test_evidence_and_spans_are_shown(oam: Any) -> None:
    text = oam("search", "four colour theorem", "--granularity", "evidence_artifact", "-k", "1").stdout
    assert "external work" in text.lower() and "by the statement FOUR-COLOUR#T1" in text
    assert "no Original resolves" not in text
    data = json.loads(oam("search", "planets", "--granularity", "source_span", "-k", "1", "--json").stdout)
    assert data["results"][0]["spans"][0]["exact"]


def test_a_time_before_everything_is_said(oam: Any) -> None:
    for query, options in (("planets", ()), ("Goldbach", ("--active", "--state", "REFUTED"))):
        text = oam("search", query, "--as-of", "1000-01-01", *options).stdout
        assert "nothing was known here then" in text
    text = oam("search", "ORBIT-4", "--as-of", "1700-01-01", "-k", "1").stdout
    assert "superseded by ORBIT-5 since 1915-11-25" in text and "· superseded" not in text


def test_long_chains_are_cut_and_counted(oam: Any) -> None:
    text = oam("search", "planets", "-k", "3").stdout
    line = max(text.splitlines(), key=lambda line: line.count("substituted for"))
    assert line.count("path ") <= 3 and re.search(r"substituted for \d+ in all", line)


def test_unknown_values_of_a_plan_are_named(oam: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("text: planets\nepistemic: {prefer: [NOPE]}\n", "utf-8")
    assert "Unknown value, not used: epistemic state NOPE" in oam("search", "--plan", str(file)).stdout
