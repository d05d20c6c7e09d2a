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
    """ "" where the report is the expected one, else what differs. Paths of SPARQL results and names that we gave to blank
    shapes are not compared where the suite has none."""
    assert case.expected is not None
    found = [
        (
            r.focus if r.focus.startswith('"') else "_:" if r.focus.startswith("_:") else r.focus,
            r.path,
            "_:" if r.value.startswith("_:") else r.value,
            f"<{r.shape}>",
            SH + r.component if ":" not in r.component else r.component,
            SH + r.severity if ":" not in r.severity else r.severity,
        )
        for r in report.results
    ]
    wanted = list(case.expected.elements())
    for row in found:
        match = next((w for w in wanted if _same(w, row)), None)
        if match is None:
            return f"unexpected {row}"
        wanted.remove(match)
    return f"missing {wanted[0]}" if wanted else ""


def _same(wanted: tuple[str, ...], found: tuple[str, ...]) -> bool:
    focus, path, value, shape, component, severity = wanted
    plain = focus[1:-1] if focus.startswith("<") else focus
    return (
        (found[0] == plain or (focus.startswith('"') and focus[1:].startswith(found[0].strip('"'))))
        and (not path or path == found[1])
        and value == found[2]
        and (not shape or shape == found[3])
        and component.rpartition("#")[2] == found[4].rpartition("#")[2]
        and severity.rpartition("#")[2] == found[5].rpartition("#")[2]
    )
