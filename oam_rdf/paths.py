"""SHACL property paths as a small frozen tree (SHACL §2.3.1; ontology.md, "Directions as data").

A path is one hop of a navigation direction. The walker asks it for the predicates to follow, SPARQL for its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode

from oam_rdf.errors import ConfigError
from oam_rdf.namespaces import RDF, SH

Node: TypeAlias = NamedNode | BlankNode
# (subject, predicate IRI) -> objects: how a path's triples are looked up, whatever holds them.
Lookup: TypeAlias = Callable[[Node, str], Seq[object]]

_MAX_DEPTH = 32  # a path nested deeper is a cycle of blank nodes, not a path somebody wrote


@dataclass(frozen=True, slots=True)
class Predicate:
    """One edge, forwards."""

    iri: str

    def to_sparql(self) -> str:
        return str(NamedNode(self.iri))


@dataclass(frozen=True, slots=True)
class Inverse:
    """A path walked against its direction."""

    path: Path

    def to_sparql(self) -> str:
        return f"^{_grouped(self.path)}"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Any one of the paths."""

    paths: tuple[Path, ...]

    def to_sparql(self) -> str:
        return "|".join(_grouped(path) for path in self.paths)


@dataclass(frozen=True, slots=True)
class Sequence:
    """One path after the other: still a single hop for the walker."""

    paths: tuple[Path, ...]

    def to_sparql(self) -> str:
        return "/".join(_grouped(path) for path in self.paths)


Path: TypeAlias = Predicate | Inverse | Alternative | Sequence


def _grouped(path: Path) -> str:
    text = path.to_sparql()
    return text if isinstance(path, Predicate) else f"({text})"


def invert(path: Path) -> Path:
    """The same hop from the other end, with ``^`` pushed down to the predicates.

    >>> invert(Sequence((Predicate("http://e.x/a"), Predicate("http://e.x/b")))).to_sparql()
    '(^<http://e.x/b>)/(^<http://e.x/a>)'
    """
    match path:
        case Predicate():
            return Inverse(path)
        case Inverse(inner):
            return inner
        case Alternative(paths):
            return Alternative(tuple(invert(part) for part in paths))
        case Sequence(paths):
            return Sequence(tuple(invert(part) for part in reversed(paths)))


def spread(path: Path, meaning: Mapping[str, Path]) -> Path:
    """The path with predicates replaced by what they stand for.

    >>> spread(Inverse(Predicate("http://e.x/a")), {"http://e.x/a": Predicate("http://e.x/b")}).to_sparql()
    '^<http://e.x/b>'
    """
    match path:
        case Predicate(iri):
            return meaning.get(iri, path)
        case Inverse(inner):
            return Inverse(spread(inner, meaning))
        case Alternative(paths):
            return Alternative(tuple(spread(part, meaning) for part in paths))
        case Sequence(paths):
            return Sequence(tuple(spread(part, meaning) for part in paths))


def branches(path: Path) -> Iterator[tuple[tuple[str, bool], ...]]:
    """Every way through the hop, in written order: a run of ``(predicate IRI, against its direction?)``.

    >>> list(branches(Inverse(Predicate("http://e.x/a"))))
    [(('http://e.x/a', True),)]
    """
    match path:
        case Predicate(iri):
            yield ((iri, False),)
        case Inverse(inner):
            for branch in branches(inner):
                yield tuple((iri, not against) for iri, against in reversed(branch))
        case Alternative(paths):
            for part in paths:
                yield from branches(part)
        case Sequence(paths):
            yield from _sequence(paths)


def _sequence(paths: tuple[Path, ...]) -> Iterator[tuple[tuple[str, bool], ...]]:
    if not paths:
        yield ()
        return
    for head in branches(paths[0]):
        for tail in _sequence(paths[1:]):
            yield head + tail


def read_path(node: object, lookup: Lookup, depth: int = 0) -> Path:
    """A SHACL path from its RDF form. :raises ConfigError: for a repeated (``*``, ``+``, ``?``) or malformed path.

    A step is one hop, so the repeating operators have no meaning in it; the walker repeats.
    """
    if depth > _MAX_DEPTH:
        raise ConfigError("a property path contains itself", hint="write the path as a finite tree")
    if isinstance(node, NamedNode):
        return Predicate(node.value)
    if not isinstance(node, BlankNode):
        raise ConfigError(f"not a property path: {node}", hint="a path is an IRI or a SHACL path node")
    for inverse in lookup(node, SH + "inversePath"):
        return Inverse(read_path(inverse, lookup, depth + 1))
    for members in lookup(node, SH + "alternativePath"):
        return Alternative(tuple(read_path(member, lookup, depth + 1) for member in rdf_list(members, lookup)))
    if lookup(node, RDF + "first"):
        return Sequence(tuple(read_path(member, lookup, depth + 1) for member in rdf_list(node, lookup)))
    raise ConfigError(f"unknown kind of property path at {node}", hint="use a predicate, ^, | or /")


def rdf_list(node: object, lookup: Lookup) -> list[object]:
    """Members of an RDF list. :raises ConfigError: if it is broken or loops."""
    members: list[object] = []
    seen: set[object] = set()
    while node != NamedNode(RDF + "nil"):
        if isinstance(node, Literal) or not isinstance(node, (NamedNode, BlankNode)) or node in seen:
            raise ConfigError(f"broken RDF list at {node}", hint="write lists with ( … ) in Turtle")
        seen.add(node)
        first, rest = lookup(node, RDF + "first"), lookup(node, RDF + "rest")
        if len(first) != 1 or len(rest) != 1:
            raise ConfigError(f"broken RDF list at {node}", hint="write lists with ( … ) in Turtle")
        members.append(first[0])
        node = rest[0]
    return members
