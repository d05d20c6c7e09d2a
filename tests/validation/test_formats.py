"""SARIF, JUnit, Turtle and JSON-LD: each read by something that is not ours."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from conftest import Bench
from pyoxigraph import NamedNode, RdfFormat, parse
from rdflib import BNode, Graph, Namespace
from sarif_structure import problems

from oam_rdf.namespaces import SH
from oam_rdf.store.report_junit import junit
from oam_rdf.store.report_outcome import Validation
from oam_rdf.store.report_sarif import sarif
from oam_rdf.store.shapes_report import ShapeResult, ValidationReport

NASTY = 'a <b> & "c" \x00\x0b 知識 🌟 ]]>'


def nothing() -> Validation:
    return Validation(ValidationReport((), {"https://w3id.org/oam/shapes/Document": 0}, "shacl"), ("x.ttl",), 0)


def nasty() -> Validation:
    result = ShapeResult("http://e.x/資料", "", f'"{NASTY}"', "http://e.x/#Shape", "PatternConstraintComponent", "Violation",
                         {"en": NASTY}, "docs/資料 庫#1.md", 0)  # fmt: skip
    return Validation(ValidationReport((result,), {"http://e.x/#Shape": 1}, "shacl"), ("x.ttl",), 1)


@pytest.fixture(scope="module")
def log(standing: Bench) -> dict[str, Any]:
    standing.validate("--format", "sarif", "-o", "oam.sarif", "--fail-on", "warning", code=1)
    return json.loads((standing.root / "oam.sarif").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_sarif_has_the_structure_of_the_standard(log: dict[str, Any]) -> None:
    for text in (json.dumps(log), sarif(nothing()), sarif(nasty())):
        assert problems(json.loads(text)) == []


def test_sarif_against_the_official_schema(log: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    file = os.environ.get("OAM_SARIF_SCHEMA")
    if not file:
        pytest.skip("name the file of the SARIF 2.1.0 JSON Schema in OAM_SARIF_SCHEMA; it is not ours to ship")
    schema = json.loads(Path(file).read_text(encoding="utf-8"))
    for text in (json.dumps(log), sarif(nothing()), sarif(nasty())):
        jsonschema.validate(json.loads(text), schema)


def test_sarif_points_at_the_markdown(log: dict[str, Any]) -> None:
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    seen = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        seen.add((place["artifactLocation"]["uri"], place["region"]["startLine"], result["level"]))
    assert seen == {("docs/alpha.md", 1, "warning"), ("docs/beta.md", 1, "warning"), ("docs/beta.md", 1, "note")}
    prints = [result["partialFingerprints"]["oamFinding/v1"] for result in run["results"]]
    assert len(set(prints)) == 3 and all(re.fullmatch("[0-9a-f]{64}", value) for value in prints)


def test_sarif_of_odd_names_and_of_nothing() -> None:
    run = json.loads(sarif(nasty()))["runs"][0]
    uri = run["results"][0]["locations"][0]["physicalLocation"]
    assert (
        uri["artifactLocation"]["uri"] == "docs/%E8%B3%87%E6%96%99%20%E5%BA%AB%231.md"
        and uri["region"]["startLine"] == 1
    )
    assert json.loads(sarif(nothing()))["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_junit_as_a_build_server_reads_it(standing: Bench) -> None:
    text = standing.validate("--format", "junit", "--fail-on", "warning", code=1).stdout
    suite = ET.fromstring(text).find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["queries/supersession-cycle"]
    assert (suite.get("tests"), suite.get("failures")) == (str(len(cases)), "1")
    assert "docs/alpha.md:1" in str(failed[0].find("failure").text)  # type: ignore[union-attr]
    assert any(case.find("skipped") is not None for case in cases)
    assert next(c for c in cases if c.get("name") == "queries/unresolved-relation").find("system-out") is not None


def test_junit_by_an_independent_reader() -> None:
    junitparser = pytest.importorskip("junitparser")
    suites = list(junitparser.JUnitXml.fromstring(junit(nasty()).encode()))
    assert [(suite.tests, suite.failures, suite.errors) for suite in suites] == [(1, 1, 0)]


def test_junit_of_odd_text_and_of_nothing() -> None:
    failure = ET.fromstring(junit(nasty())).find(".//failure")
    assert failure is not None and "知識 🌟 ]]>" in str(failure.get("message"))
    suite = ET.fromstring(junit(nothing())).find("testsuite")
    assert suite is not None and suite.get("failures") == "1" and suite.find("testcase/failure") is not None


def test_turtle_is_a_shacl_report_to_rdflib(standing: Bench) -> None:
    sh = Namespace(SH)
    report = Graph().parse(data=standing.validate("--format", "turtle").stdout, format="turtle")
    results = list(report.objects(None, sh.result))
    assert len(results) == 3 and not any(isinstance(node, BNode) for triple in report for node in triple)
    for result in results:
        assert {report.value(result, sh[name]) for name in ("focusNode", "sourceShape", "resultSeverity")} - {None}
        assert sorted(str(message.language) for message in report.objects(result, sh.resultMessage)) == [
            "en",
            "zh-Hant",
        ]


def test_json_ld_says_the_same(standing: Bench) -> None:
    formats = {"turtle": RdfFormat.TURTLE, "jsonld": RdfFormat.JSON_LD}
    triples = [
        {quad.triple for quad in parse(standing.validate("--format", name).stdout, format=fmt)}
        for name, fmt in formats.items()
    ]
    assert triples[0] == triples[1] and any(t.object == NamedNode(SH + "ValidationReport") for t in triples[0])


def test_the_report_goes_to_a_file_and_a_line_to_stderr(standing: Bench) -> None:
    done = standing.validate("-o", "report.txt")
    assert done.stdout == "" and done.stderr.startswith("passes: ")
    assert "whole-graph checks" in (standing.root / "report.txt").read_text(encoding="utf-8")


def test_messages_in_chinese(standing: Bench) -> None:
    assert "該物件直接或間接取代自身" in standing.validate("--lang", "zh-Hant").stdout


def test_a_report_is_written_even_when_nothing_was_checked(tmp_path: Path, standing: Bench) -> None:
    (tmp_path / "x.ttl").write_text("<urn:a:b> <urn:a:p> 1 .", encoding="utf-8")
    standing.oam("validate", str(tmp_path), "--format", "junit", "-o", str(tmp_path / "out.xml"), code=4)
    assert ET.parse(tmp_path / "out.xml").getroot().get("failures") == "1"
