"""The Turtle of the ontology as triples, file by file: what the checks, the reasoner and the documentation read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from oam_rdf.errors import NothingChecked, ParseError
from oam_rdf.namespaces import OWL, RDF

OWN = "https://w3id.org/oam/"  # what this project declares begins with it


@dataclass(frozen=True, slots=True)
class Source:
    """All modules and schemes. ``files`` maps a path below the ontology's folder to its triples, in file order."""

    folder: Path
    files: Mapping[str, tuple[Triple, ...]]

    @property
    def triples(self) -> list[Triple]:
        return [triple for triples in self.files.values() for triple in triples]

    def own(self) -> list[Triple]:
        """The triples about what the project itself declares; blank nodes and terms of other vocabularies left out."""
        return [t for t in self.triples if isinstance(t.subject, NamedNode) and t.subject.value.startswith(OWN)]

    def module(self, name: str) -> str:
        """The IRI of the owl:Ontology that a file declares, "" if it declares none."""
        return next(
            (
                t.subject.value
                for t in self.files[name]
                if t.object == NamedNode(OWL + "Ontology") and isinstance(t.subject, NamedNode)
            ),
            "",
        )


def read(folder: Path) -> Source:
    """The ontology in ``folder`` (modules, and schemes one level down; no alignments, no examples).

    :raises ParseError: with file and line, if a file is no Turtle. :raises NothingChecked: if there is no file.
    """
    files = [*sorted(folder.glob("*.ttl")), *sorted((folder / "schemes").glob("*.ttl"))]
    if not files:
        raise NothingChecked("no Turtle files here", place=str(folder), hint="name the folder that holds oam.ttl")
    return Source(folder, {file.relative_to(folder).as_posix(): tuple(turtle(file)) for file in files})


def turtle(file: Path, format: RdfFormat = RdfFormat.TURTLE) -> list[Triple]:
    """The triples of a file, blank nodes renamed so that files can be merged. :raises ParseError: with the line."""
    try:
        return [quad.triple for quad in parse(path=str(file), format=format, rename_blank_nodes=True)]
    except SyntaxError as error:
        raise ParseError(str(error), place=f"{file.name}:{error.lineno}") from error


def index(triples: Iterable[Triple]) -> dict[object, dict[str, list[object]]]:
    """Subject → predicate IRI → objects."""
    facts: dict[object, dict[str, list[object]]] = {}
    for triple in triples:
        facts.setdefault(triple.subject, {}).setdefault(triple.predicate.value, []).append(triple.object)
    return facts


def of_type(triples: Iterable[Triple], *kinds: str) -> set[str]:
    """IRIs of the subjects that have one of these rdf:types."""
    wanted = {NamedNode(kind) for kind in kinds}
    return {
        triple.subject.value
        for triple in triples
        if triple.predicate.value == RDF + "type" and triple.object in wanted and isinstance(triple.subject, NamedNode)
    }


def plain(term: object) -> str:
    """The IRI, label or text of a term."""
    return str(term.value) if isinstance(term, (NamedNode, BlankNode, Literal)) else str(term)
