"""SARIF 2.1.0, for code hosts and editors (OASIS standard, "Static Analysis Results Interchange Format")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from oam_rdf import __version__
from oam_rdf.namespaces import SHAPES
from oam_rdf.store.graph_checks import checks
from oam_rdf.store.report_outcome import Validation
from oam_rdf.store.shapes_report import ShapeResult

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "oamFinding/v1"
_LEVEL = {"Violation": "error", "Warning": "warning", "Info": "note"}


def sarif(found: Validation, lang: str = "en") -> str:
    """The report as SARIF: a rule for each shape that reported, a result for each finding.

    A file is named relative to ``%SRCROOT%``; a finding without one has only its focus node as logical location. What the
    baseline accepts is suppressed. A run that checked nothing says ``executionSuccessful: false``.
    """
    shapes = sorted({result.shape for result in found.report.results})
    index = {shape: number for number, shape in enumerate(shapes)}
    example = {result.shape: result for result in found.report.results}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "oam validate",
                "semanticVersion": __version__,
                "rules": [_rule(example[shape], lang) for shape in shapes],
                "properties": {"engine": found.report.engine},
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(found)],
        "results": [_result(result, index, found, lang) for result in found.report.results],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(result: ShapeResult, lang: str) -> dict[str, Any]:
    message = result.message(lang)
    rule: dict[str, Any] = {
        "id": result.rule,
        "shortDescription": {"text": message},
        "defaultConfiguration": {"level": _LEVEL.get(result.severity, "warning")},
        "properties": {"shape": result.shape},
    }
    check = checks().get(result.rule.removeprefix("queries/"))
    if check is not None and result.shape.startswith(f"{SHAPES}queries/"):
        rule["fullDescription"] = {"text": check.problem}
        rule["help"] = {"text": check.solution}
    return rule


def _result(result: ShapeResult, index: Mapping[str, int], found: Validation, lang: str) -> dict[str, Any]:
    value = f", value {result.value}" if result.value else ""
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": result.focus, "kind": "resource"}]}
    if result.file:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": quote(result.file, safe="/-._~"), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(result.line, 1)},
        }
    row: dict[str, Any] = {
        "ruleId": result.rule,
        "ruleIndex": index[result.shape],
        "level": _LEVEL.get(result.severity, "warning"),
        "message": {"text": f"{result.message(lang)}: <{result.focus}>{value}"},
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: result.fingerprint},
        "properties": {"component": result.component, "path": result.path, "focus": result.focus},
    }
    if found.accepted:
        row["baselineState"] = "unchanged" if found.known(result) else "new"
    if found.known(result):
        row["suppressions"] = [{"kind": "external", "justification": "accepted by the baseline"}]
    return row


def _invocation(found: Validation) -> dict[str, Any]:
    checked = found.report.checked
    row: dict[str, Any] = {
        "executionSuccessful": bool(checked),
        "exitCode": found.exit_code,
        "properties": {"focusNodes": checked, "unmatchedShapes": list(found.report.unmatched)},
    }
    if not checked:
        message = "nothing was checked: no shape met a node"
        row["toolExecutionNotifications"] = [{"level": "error", "message": {"text": message}}]
    return row
