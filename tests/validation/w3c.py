"""Reads the manifests of the W3C SHACL test suite and compares reports with what they expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse, serialize

from oam_rdf.namespaces import RDF, SH
from oam_rdf.store.shapes_path import path_text
from oam_rdf.store.shapes_report import ValidationReport

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
SHT = "http://www.w3.org/ns/shacl-test#"


@dataclass
class Case:
    """One sht:Validate entry; ``expected`` is None where the suite wants a failure instead of a report."""

    name: str
    data: str
    shapes: str
    expected: Counter[tuple[str, ...]] | None
    conforms: bool


class Facts:
    def __init__(self, file: Path) -> None:
        self.triples = [q.triple for q in parse(path=str(file), format=RdfFormat.TURTLE, base_iri=file.as_uri())]

    def of(self, node: object, predicate: str) -> list[object]:
        return [t.object for t in self.triples if t.subject == node and t.predicate.value == predicate]

    def one(self, node: object, predicate: str) -> object | None:
        return next(iter(self.of(node, predicate)), None)


def cases(folder: Path) -> Iterator[Case]:
    for file in sorted(folder.rglob("*.ttl")):
        facts = Facts(file)
        for triple in facts.triples:
            if triple.predicate.value == RDF + "type" and triple.object == NamedNode(SHT + "Validate"):
                name = f"{file.parent.relative_to(folder)}/{str(triple.subject.value).rpartition('/')[2]}"
                yield _case(name, facts, triple.subject)


def _case(name: str, facts: Facts, entry: object) -> Case:
    action, result = facts.one(entry, MF + "action"), facts.one(entry, MF + "result")
    data, shapes = (_triples(facts.one(action, SHT + part)) for part in ("dataGraph", "shapesGraph"))
    if result == NamedNode(SHT + "Failure"):
        return Case(name, data, shapes, None, False)
    expected: Counter[tuple[str, ...]] = Counter()
    for row in facts.of(result, SH + "result"):
        focus, value, shape = (facts.one(row, SH + part) for part in ("focusNode", "value", "sourceShape"))
        paths = facts.of(row, SH + "resultPath")
        expected[
            (
                _term(focus),
                path_text(paths[0], facts.of) if paths else "",
                "" if value is None or value == focus else _term(value),
                _term(shape) if isinstance(shape, NamedNode) else "",
                str(facts.one(row, SH + "sourceConstraintComponent").value),  # type: ignore[union-attr]
                str(facts.one(row, SH + "resultSeverity").value),  # type: ignore[union-attr]
            )
        ] += 1
    return Case(name, data, shapes, expected, str(getattr(facts.one(result, SH + "conforms"), "value", "")) == "true")


def _triples(iri: object) -> str:
    file = Path(str(getattr(iri, "value", "")).removeprefix("file://"))
    triples = Facts(file).triples
    return (serialize(triples, format=RdfFormat.N_TRIPLES) or b"").decode()


def _term(term: object) -> str:
    return "_:" if isinstance(term, BlankNode) else str(term)


def agrees(case: Case, report: ValidationReport) -> str:
    """ "" where the report is the expected one, else what differs.

    Compared as sets, because our reports say nothing twice. A blank shape counts as any shape, and a result path that is
    no single predicate as any path (it is a structure of blank nodes).
    """
    assert case.expected is not None
    wanted = {_generic(row) for row in case.expected}
    found = {
        _generic(
            (
                r.focus if r.focus.startswith(('"', "_:")) else f"<{r.focus}>",
                r.path,
                r.value,
                f"<{r.shape}>",
                SH + r.component,
                SH + r.severity,
            )
        )
        for r in report.results
    }
    for row in found:
        if not any(_same(w, row) for w in wanted):
            return f"unexpected {row}"
    for row in wanted:
        if not any(_same(row, f) for f in found):
            return f"missing {row}"
    return ""


def _generic(row: tuple[str, ...]) -> tuple[str, ...]:
    focus, path, value, shape, component, severity = row
    blank = ["_:" if term.startswith("_:") else term for term in (focus, value)]
    simple = path if path.count("<") == 1 and path.startswith("<") and path.endswith(">") else "?" if path else ""
    return (blank[0], simple, blank[1], shape, component.rpartition("#")[2], severity.rpartition("#")[2])


def _same(wanted: tuple[str, ...], found: tuple[str, ...]) -> bool:
    rest = (0, 1, 2, 4, 5)
    return (wanted[3] in ("", found[3])) and all(wanted[n] == found[n] for n in rest)
