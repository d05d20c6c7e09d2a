"""JUnit XML, as build servers read it: a test case for each shape, failed by each finding that counts."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree as ET

from oam_rdf.namespaces import SHAPES
from oam_rdf.store.report_outcome import Validation
from oam_rdf.store.shapes_report import ShapeResult

# XML 1.0 has no way to write these, not even escaped.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(found: Validation, lang: str = "en") -> str:
    """The report as JUnit XML. A shape that met nothing is skipped; what does not count is listed in ``system-out``.

    A run that checked nothing has one test case, and it failed.
    """
    by_shape: dict[str, list[ShapeResult]] = defaultdict(list)
    for result in found.report.results:
        by_shape[result.shape].append(result)
    failing = set(found.failing)
    suite = ET.Element("testsuite", name="oam validate")
    owners = dict(found.report.focus_nodes)
    names = sorted({*by_shape, *owners, *(f"{SHAPES}queries/{name}" for name in found.checks)})
    failures = skipped = 0
    for shape in names:
        case = _case(suite, shape, found)
        told = [result for result in by_shape.get(shape, []) if result not in failing]
        for result in by_shape.get(shape, []):
            if result in failing:
                failures += 1
                _case_failure(case, result, lang)
        if owners.get(shape) == 0 and shape not in by_shape:
            skipped += 1
            ET.SubElement(case, "skipped", message="the shape met no focus node")
        if told:
            ET.SubElement(case, "system-out").text = _clean("\n".join(_line(result, lang) for result in told))
    if not found.report.checked:
        failures += 1
        case = ET.SubElement(suite, "testcase", name="something was checked", classname="oam.validate", time="0")
        ET.SubElement(case, "failure", type="NothingChecked", message="no shape met a node: that is not a pass")
    for node in (root := ET.Element("testsuites", name="oam validate"), suite):
        node.set("tests", str(len(suite)))
        node.set("failures", str(len(suite.findall("testcase/failure/..")) if failures else 0))
        node.set("errors", "0")
        node.set("time", f"{found.report.seconds:.3f}")
    suite.set("skipped", str(skipped))
    root.append(suite)
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body.decode() + "\n"


def _case(suite: ET.Element, shape: str, found: Validation) -> ET.Element:
    cost = found.report.shape_seconds.get(shape, 0.0)
    return ET.SubElement(
        suite, "testcase", name=_clean(shape.removeprefix(SHAPES)), classname="oam.shapes", time=f"{cost:.3f}"
    )


def _case_failure(case: ET.Element, result: ShapeResult, lang: str) -> None:
    # One failure element a case is all that readers agree on: further findings go into its text.
    failure = case.find("failure")
    if failure is None:
        failure = ET.SubElement(case, "failure", type=result.severity, message=_clean(result.message(lang)))
        if result.file:
            case.set("file", _clean(result.file))
            case.set("line", str(max(result.line, 1)))
    failure.text = _clean(f"{failure.text or ''}\n{_line(result, lang)}".strip())


def _line(result: ShapeResult, lang: str) -> str:
    place = f"{result.place}: " if result.place else ""
    value = f" value {result.value}" if result.value else ""
    return f"{place}{result.severity}: {result.message(lang)}: <{result.focus}>{value} [{result.fingerprint[:16]}]"


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
