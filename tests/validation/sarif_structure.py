"""The parts of SARIF 2.1.0 that we write, as rules of our own making after the standard's chapter 3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_URI = re.compile(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")
_TEXT = {"text!": str}
_BAG: dict[str, Any] = {"properties": dict}
_RULES: dict[str, Any] = {
    "$schema": str,
    "version!": {"2.1.0"},
    "runs!": [{
        "tool!": {"driver!": {
            "name!": str, "semanticVersion": re.compile(r"\d+\.\d+\.\d+.*"),
            "rules": [{"id!": str, "shortDescription": _TEXT, "fullDescription": _TEXT, "help": _TEXT,
                       "defaultConfiguration": {"level": {"none", "note", "warning", "error"}}, **_BAG}], **_BAG}},
        "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
        "invocations": [{"executionSuccessful!": bool, "exitCode": int, **_BAG,
                         "toolExecutionNotifications": [{"level": {"none", "note", "warning", "error"}, "message!": _TEXT}]}],
        "results": [{
            "ruleId": str, "ruleIndex": int, "level": {"none", "note", "warning", "error"}, "message!": _TEXT,
            "locations": [{"logicalLocations": [{"fullyQualifiedName": str, "kind": str}],
                           "physicalLocation": {"artifactLocation": {"uri": _URI, "uriBaseId": str},
                                                "region": {"startLine": 1}}}],
            "partialFingerprints": dict, "baselineState": {"new", "unchanged", "updated", "absent"},
            "suppressions": [{"kind!": {"inSource", "external"}, "justification": str}], **_BAG}],
    }],
}  # fmt: skip


def problems(log: Any) -> list[str]:
    """What is wrong with a SARIF log, by JSON path; [] when nothing is."""
    return list(_check(log, _RULES, "$"))


def _check(value: Any, rule: Any, where: str) -> Iterator[str]:
    if isinstance(rule, dict):
        if not isinstance(value, dict):
            yield f"{where} is no object"
            return
        known = {name.rstrip("!"): part for name, part in rule.items()}
        yield from (f"{where}.{name} is missing" for name in rule if name.endswith("!") and name[:-1] not in value)
        for name, item in value.items():
            if name not in known:
                yield f"{where}.{name} is unknown"
            else:
                yield from _check(item, known[name], f"{where}.{name}")
    elif isinstance(rule, list):
        if not isinstance(value, list):
            yield f"{where} is no array"
            return
        for number, item in enumerate(value):
            yield from _check(item, rule[0], f"{where}[{number}]")
    elif isinstance(rule, set):
        if value not in rule:
            yield f"{where} is {value!r}"
    elif isinstance(rule, re.Pattern):
        if not isinstance(value, str) or not rule.fullmatch(value):
            yield f"{where} is {value!r}"
    elif isinstance(rule, int) and not isinstance(rule, bool):
        if not isinstance(value, int) or value < rule:
            yield f"{where} is {value!r}, less than {rule}"
    elif not isinstance(value, rule) or (rule is int and isinstance(value, bool)):
        yield f"{where} is {value!r}"
