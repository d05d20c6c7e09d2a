"""The validator around the engines: counts, focus, messages, and what it refuses to pass over."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from oam_rdf.errors import FeatureMissing, ParseError, UsageError
from oam_rdf.namespaces import SHAPES
from oam_rdf.store import shacl as module
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes_lint import lint

NS = "https://w3id.org/oam/ns#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
BAD = f"<http://e.x/a> {TYPE} <{NS}Statement> .\n<http://e.x/b> {TYPE} <{NS}SourceSpan> .\n"
ENGINES = pytest.mark.parametrize("engine", ["shacl", "pyshacl"])


@ENGINES
def test_a_finding_names_shape_focus_path_and_both_messages(engine: str) -> None:
    report = Validator(engine).validate(BAD)
    found = next(r for r in report.results if r.shape == SHAPES + "Statement-state")
    assert (found.focus, found.component, found.severity) == (
        "http://e.x/a",
        "MinCountConstraintComponent",
        "Violation",
    )
    assert found.path == f"<{NS}epistemicState>" and found.value == "" and found.blocks
    assert found.messages == {
        "en": "a statement has exactly one epistemic state",
        "zh-Hant": "陳述須有且僅有一個認識狀態",
    }
    assert engine in report.engine and not report.conforms
    assert "http://e.x/a" in report.to_text() and "陳述須有且僅有一個認識狀態" in report.to_text("zh-Hant")


def test_focus_nodes_are_counted_for_every_shape_with_a_target() -> None:
    report = Validator().validate(BAD)
    assert report.focus_nodes[SHAPES + "Statement"] == report.focus_nodes[SHAPES + "SourceSpan"] == 1
    assert report.focus_nodes[SHAPES + "KnowledgeObject"] == 1  # by subclass
    assert SHAPES + "Document" in report.unmatched and SHAPES + "Statement" not in report.unmatched
    assert report.to_json()["checked"] == report.checked == sum(report.focus_nodes.values())


@pytest.mark.parametrize("triples", ["", "<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n",
                                     f"<http://e.x/a> {TYPE} <{NS}Statment> .\n"])  # fmt: skip
def test_nothing_met_is_told_apart_from_a_pass(triples: str) -> None:
    report = Validator().validate(triples)
    assert report.checked == 0 and report.conforms
    assert report.to_text().startswith("nothing was checked")


@ENGINES
def test_only_the_focus_nodes_asked_for(engine: str) -> None:
    report = Validator(engine).validate(BAD, focus={"http://e.x/b"})
    assert {r.focus for r in report.results} == {"http://e.x/b"}
    assert report.focus_nodes[SHAPES + "Statement"] == 0 and report.focus_nodes[SHAPES + "SourceSpan"] == 1


@ENGINES
def test_a_warning_does_not_block(engine: str) -> None:
    report = Validator(engine).validate(f"<http://e.x/a> <{NS}supersedes> <http://e.x/a> .\n")
    assert report.conforms and [r.severity for r in report.results] == ["Warning"]


@ENGINES
def test_a_blank_line_a_comment_and_text_of_any_kind(engine: str) -> None:
    text = r'<http://e.x/a> <https://w3id.org/oam/ns#content> "He said \"hi\"\nC:\\temp\\ 🌟 知識"@zh-hant .'
    assert not Validator(engine).validate(f"# a comment\n\n{text}\n").results


@ENGINES
def test_text_that_is_not_n_triples(engine: str) -> None:
    with pytest.raises(ParseError):
        Validator(engine).validate("this is no triple")


def test_an_unknown_engine() -> None:
    with pytest.raises(UsageError):
        Validator("jena")


def test_pyshacl_where_the_rust_engine_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shacl", None)
    module._engine.cache_clear()
    try:
        assert Validator("auto").validate(BAD).engine.startswith("pyshacl")
        with pytest.raises(FeatureMissing):
            Validator("shacl").validate(BAD)
    finally:
        module._engine.cache_clear()


@ENGINES
def test_nothing_is_fetched(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Validator(engine).validate(BAD)  # compiled

    def refuse(*_: object) -> None:
        raise AssertionError("an engine opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    owl = "http://www.w3.org/2002/07/owl#"
    triples = f"<http://e.x/> {TYPE} <{owl}Ontology> .\n<http://e.x/> <{owl}imports> <http://127.0.0.1:9/x.ttl> .\n"
    Validator(engine).validate(triples + BAD)


def test_both_engines_agree_in_full_on_several_findings_at_once() -> None:
    reports = [Validator(engine).validate(BAD) for engine in ("shacl", "pyshacl")]
    pairs = [sorted((r.focus, r.component, r.shape, r.path, r.severity) for r in report.results) for report in reports]
    assert pairs[0] == pairs[1] and len(pairs[0]) > 5


def test_the_lint_has_nothing_to_say_about_the_shapes_that_ship() -> None:
    assert lint() == ()


HEAD = """@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix s: <https://w3id.org/oam/shapes/> .
@prefix oam: <https://w3id.org/oam/ns#> .
@prefix epi: <https://w3id.org/oam/epistemic-state/> .
"""
ASKS = "sh:sparql s:Q . s:Q sh:select"
TARGET = "s:A sh:targetClass oam:Statement"
SAYS = 'sh:severity sh:Violation ; sh:message "x"@en , "x"@zh-Hant '


@pytest.mark.parametrize(("turtle", "code"), [
    (f"{TARGET} ; sh:property s:P . s:P sh:path oam:content ; sh:mincount 1 ; {SAYS}.", "unknown-term"),
    (f"{TARGET} ; sh:property s:P . s:P sh:path oam:contents ; {SAYS}.", "unknown-term"),
    (f"{TARGET} ; sh:pattern \"x\" ; {SAYS}; sh:in ( epi:CONJECTRUE ) .", "unknown-term"),
    (f"s:A a sh:NodeShap ; sh:targetClass oam:Statement ; sh:pattern \"x\" ; {SAYS}.", "unknown-term"),
    (f"s:A sh:targetClass oam:KnowlegdeObject ; sh:pattern \"x\" ; {SAYS}.", "unknown-class"),
    (f"{TARGET} ; {SAYS}; sh:class oam:dependsOn .", "unknown-class"),
    (f"s:A sh:targetClass <http://typo.example/Thing> ; {SAYS}.", "unknown-class"),
    (TARGET + " ; sh:property [ sh:path oam:content ; sh:minCount 1 ] .", "unlabelled"),
    (TARGET + ' ; sh:pattern "x" ; sh:severity sh:Violation ; sh:message "English"@en .', "unlabelled"),
    (f'{TARGET} ; {SAYS}; {ASKS} "SELECT $this {{ $this oam:content ?x }}" .', "broken-sparql"),
    (f'{TARGET} ; {SAYS}; {ASKS} "SELECT $this {{ $this ?p ?o minus {{ ?o ?p $this }} }}" .', "forbidden-sparql"),
    (f'{TARGET} ; {SAYS}; {ASKS} "SELECT $this {{ sErViCe <http://x/> {{ $this ?p ?o }} }}" .', "forbidden-sparql"),
])  # fmt: skip
def test_what_a_validator_passes_over_in_silence(tmp_path: Path, turtle: str, code: str) -> None:
    (tmp_path / "x.ttl").write_text(HEAD + turtle, encoding="utf-8")
    assert code in {finding.code for finding in lint(tmp_path)}


def test_a_forbidden_word_in_a_string_or_iri_is_just_text(tmp_path: Path) -> None:
    select = r"SELECT $this { $this <http://e.x/minus> \"SERVICE\" }"
    (tmp_path / "x.ttl").write_text(
        HEAD + f'{TARGET} ; {SAYS}; {ASKS} "{select}" .',
        encoding="utf-8",
    )
    assert lint(tmp_path) == ()
