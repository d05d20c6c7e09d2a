"""Competency questions: what the ontology is for, as SPARQL with the rows that it must give.

Each ``.rq`` file has a head of comments: ``Question:`` (English), ``問題：`` (Chinese), ``Covers:`` (query families of
the paper's §13 and query types of its §17.2), ``Needs:`` (one statement in Turtle: the edge or axiom without which the
rows are lost) and one ``Row:`` line for each expected row, its values separated by `` | `` (IRIs by their last part).
The data lie beside them in ``competency.trig``; the vocabulary is in the same store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions, RdfFormat, Store, Triple, parse

from oam_rdf.errors import ConfigError, ParseError
from oam_rdf.namespaces import ONTOLOGY, PREFIXES, SCHEMES
from oam_rdf.vocabulary.source import Source

_HEAD = re.compile(r"^# (Question|問題|Covers|Needs|Row)(?::|：)\s*(.*)$")
_DATA = {"doc": "http://oam.localhost/doc/", "ko": "http://oam.localhost/ko/", "run": "http://oam.localhost/run/"}

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One competency question. ``covers`` holds notations of query families and query types."""

    name: str
    english: str
    chinese: str
    covers: frozenset[str]
    needs: Triple
    rows: frozenset[Row]
    query: str


def questions(folder: Path) -> tuple[Question, ...]:
    """All questions of a folder, by name. :raises ConfigError: if a head is incomplete or names what is not known."""
    return tuple(_question(file) for file in sorted(folder.glob("*.rq")))


def store(source: Source, folder: Path) -> Store:
    """The vocabulary (one graph) and the data of ``competency.trig``. :raises ParseError: if the data are no TriG."""
    found = Store()
    graph = NamedNode(ONTOLOGY.rstrip("/"))
    found.bulk_extend(Quad(t.subject, t.predicate, t.object, graph) for t in source.triples)
    data = folder / "competency.trig"
    try:
        found.bulk_load(path=str(data), format=RdfFormat.TRIG)
    except SyntaxError as error:
        raise ParseError(str(error), place=f"{data.name}:{error.lineno}") from error
    return found


def ask(found: Store, question: Question) -> frozenset[Row]:
    """The rows that the store gives, over the union of all graphs. :raises ConfigError: if the query is broken."""
    try:
        solutions = found.query(question.query, use_default_graph_as_union=True, prefixes={**PREFIXES, **_DATA})
    except SyntaxError as error:
        raise ConfigError(f"broken query: {error}", place=question.name + ".rq") from error
    if not isinstance(solutions, QuerySolutions):
        raise ConfigError("not a SELECT query", place=question.name + ".rq")
    names = solutions.variables
    return frozenset(tuple(_shown(row[name]) for name in names) for row in solutions)


def without(found: Store, needed: Triple) -> int:
    """Removes a statement from every graph; how many graphs had it."""
    quads = list(found.quads_for_pattern(needed.subject, needed.predicate, needed.object))
    for quad in quads:
        found.remove(quad)
    return len(quads)


def _shown(term: object) -> str:
    if isinstance(term, NamedNode):
        space = next((space for space in SCHEMES.values() if term.value.startswith(space)), "")
        if space or "/doc/" not in term.value:
            return term.value.removeprefix(space) if space else re.split("[/#]", term.value)[-1]
        return term.value.rpartition("/doc/")[2]
    return term.value if isinstance(term, Literal) else str(term or "")


def _question(file: Path) -> Question:
    text = file.read_text(encoding="utf-8")
    head: dict[str, list[str]] = {}
    for line in text.splitlines():
        if match := _HEAD.match(line):
            head.setdefault(match[1], []).append(match[2].strip())
    missing = [name for name in ("Question", "問題", "Covers", "Needs", "Row") if not head.get(name)]
    if missing:
        raise ConfigError(f"its head lacks {', '.join(missing)}", place=file.name)
    needs = _statement(head["Needs"], file)
    rows = frozenset(tuple(cell.strip() for cell in row.split(" | ")) for row in head["Row"])
    covers = frozenset(re.split(r",\s*", ", ".join(head["Covers"])))
    return Question(file.stem, " ".join(head["Question"]), "".join(head["問題"]), covers, needs, rows, text)


def _statement(lines: Iterable[str], file: Path) -> Triple:
    names = {**PREFIXES, **_DATA}
    turtle = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in names.items()) + " ".join(lines)
    try:
        triples = [quad.triple for quad in parse(turtle, format=RdfFormat.TURTLE)]
    except SyntaxError as error:
        raise ConfigError(f"its Needs line is no Turtle: {error}", place=file.name) from error
    if len(triples) != 1:
        raise ConfigError(f"its Needs line holds {len(triples)} statements, not one", place=file.name)
    statement: Triple = triples[0]
    return statement
