"""The shapes graph as the program reads it: targets, messages and paths of each shape, and the vocabulary beside it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse, serialize

from oam_rdf.errors import ConfigError, NotFound, ParseError
from oam_rdf.namespaces import OAM, RDF, RDFS, SH
from oam_rdf.ontology import Ontology, language
from oam_rdf.resources import shapes_dir
from oam_rdf.store.shapes_path import path_text

_IRI = re.compile(r"<([^<>]+)>")
_BASE = "https://w3id.org/oam/shapes"  # of a relative IRI in a shapes file
_TARGETS = {
    "targetClass": "class",
    "targetSubjectsOf": "subjects",
    "targetObjectsOf": "objects",
    "targetNode": "node",
}
_TYPE, _SUB_CLASS, _SUB_PROPERTY = (
    NamedNode(iri) for iri in (RDF + "type", RDFS + "subClassOf", RDFS + "subPropertyOf")
)


@dataclass(frozen=True, slots=True)
class Met:
    """How many focus nodes each targeted shape met, and the property shapes whose path met no value anywhere."""

    focus_nodes: Mapping[str, int]
    idle: tuple[str, ...]


class Shapes:
    """Shapes of one or more Turtle texts. ``text`` is all of them in N-Triples, ``background`` the vocabulary that
    validation needs beside the data (N-Triples): subclasses, the classes of concepts, and which properties are relations.

    A property shape without a name gets one made of its owner and its path, so that a finding can name it.
    """

    def __init__(self, texts: Sequence[tuple[str, str]], ontology: Ontology | None) -> None:
        triples = [triple for name, text in texts for triple in _parse(name, text)]
        self.ontology = ontology
        self.background = _background(ontology) if ontology else ""
        self._use(_named(triples))

    def _use(self, triples: Sequence[Triple]) -> None:
        self._triples = triples
        self.text = (serialize(triples, format=RdfFormat.N_TRIPLES) or b"").decode()
        self.facts: dict[object, dict[str, list[object]]] = defaultdict(lambda: defaultdict(list))
        for triple in triples:
            self.facts[triple.subject][triple.predicate.value].append(triple.object)
        #: Shape -> what it targets: a list of (kind, IRI or literal); kind is class, subjects, objects, node, literal.
        self._targets: dict[str, list[tuple[str, str]]] = {}
        for node in self.facts:
            if isinstance(node, NamedNode) and (targets := self._targets_of(node)):
                self._targets[node.value] = targets

    def _targets_of(self, node: NamedNode) -> list[tuple[str, str]]:
        facts = self.facts[node]
        found = [
            (kind, target.value) if isinstance(target, NamedNode) else ("literal", str(target))
            for name, kind in _TARGETS.items()
            for target in facts.get(SH + name, ())
        ]
        kinds = {str(kind.value) for kind in facts.get(RDF + "type", ()) if isinstance(kind, NamedNode)}
        if RDFS + "Class" in kinds and kinds & {SH + "NodeShape", SH + "PropertyShape"}:
            found.append(("class", node.value))  # an implicit class target
        off = any(isinstance(value, Literal) and value.value == "true" for value in facts.get(SH + "deactivated", ()))
        return [] if off else found

    @classmethod
    def load(cls, folder: FilePath | None = None) -> Shapes:
        """The shapes in ``folder`` (default: those that ship), cached. :raises ConfigError: if they are damaged."""
        return _load(folder or shapes_dir(), Ontology.load())

    @classmethod
    def with_files(cls, paths: Iterable[FilePath]) -> Shapes:
        """The shapes that ship together with those of Turtle files, or of the ``*.ttl`` files of folders.

        :raises NotFound: if there is none. :raises ConfigError: with file and line, if one is no Turtle.
        """
        files = []
        for path in paths:
            found = sorted(path.rglob("*.ttl")) if path.is_dir() else [path]
            if not found or not found[0].is_file():
                raise NotFound("no shapes here", place=str(path), hint="name a Turtle file, or a folder of them")
            files += found
        return cls([(str(file), file.read_text("utf-8")) for file in [*_files(shapes_dir()), *files]], Ontology.load())

    @classmethod
    def from_text(cls, turtle: str, *, vocabulary: bool = False) -> Shapes:
        """A shapes graph given as Turtle; without ``vocabulary`` the data is all that the engines see."""
        return cls([("shapes", turtle)], Ontology.load() if vocabulary else None)

    @property
    def targeted(self) -> set[str]:
        """IRIs of the shapes that have a target."""
        return set(self._targets)

    def owners(self, shape: str) -> list[str]:
        """The targeted shapes that a shape reports for: itself, or the node shapes that name it as their property."""
        if shape in self._targets:
            return [shape]
        node = NamedNode(shape)
        return sorted(owner for owner in self._targets if node in self.lookup(NamedNode(owner), SH + "property"))

    def find(self, name: str) -> str | None:
        """The IRI of a shape named by its IRI, or by the last part of it."""
        nodes = [node.value for node in self.facts if isinstance(node, NamedNode)]
        named = [iri for iri in nodes if self.owners(iri)]
        exact = [iri for iri in named if iri == name]
        return next(iter(exact or [iri for iri in named if re.split("[/#]", iri)[-1] == name]), None)

    def selected(self, shapes: Collection[str]) -> Shapes:
        """These shapes alone: the targets of all others are left out, and so are the other properties of their owners."""
        whole = {shape for shape in shapes if shape in self._targets}
        kept = {owner for shape in shapes for owner in self.owners(shape)}
        aims = {SH + name for name in _TARGETS}

        def keep(triple: Triple) -> bool:
            subject = triple.subject.value if isinstance(triple.subject, NamedNode) else ""
            if triple.predicate.value in aims:
                return subject in kept
            if triple.predicate.value == SH + "property" and subject in kept - whole:
                return isinstance(triple.object, NamedNode) and triple.object.value in shapes
            return True

        part = self._part(keep)
        part._targets = {shape: targets for shape, targets in part._targets.items() if shape in kept}
        return part

    def without_queries(self, constraints: Collection[str]) -> Shapes:
        """All shapes, but not these SPARQL constraints (an IRI, or a blank node's label)."""
        if not constraints:
            return self

        def keep(triple: Triple) -> bool:
            return triple.predicate.value != SH + "sparql" or _name(triple.object) not in constraints

        return self._part(keep)

    def _part(self, keep: Callable[[Triple], bool]) -> Shapes:
        part = Shapes([], None)
        part.ontology, part.background = self.ontology, self.background
        part._use([triple for triple in self._triples if keep(triple)])
        return part

    def messages(self, shape: str) -> Mapping[str, str]:
        """The messages of a shape by language."""
        return {
            language(o.language or "en"): o.value
            for o in self.lookup(_node(shape), SH + "message")
            if isinstance(o, Literal)
        }

    def across_documents(self, shape: str) -> bool:
        """Whether what satisfies the shape may stand in another document, which may be ingested later."""
        return bool(self.lookup(NamedNode(shape), OAM + "acrossDocuments"))

    def path(self, shape: str) -> str:
        """The path of a property shape in SPARQL syntax, "" for a node shape."""
        paths = self.lookup(_node(shape), SH + "path")
        return path_text(paths[0], self.lookup) if paths else ""

    def lookup(self, node: object, predicate: str) -> list[object]:
        facts = self.facts.get(node)
        return facts.get(predicate, []) if facts is not None else []

    def meet(self, triples: str, focus: Collection[str] | None = None) -> Met:
        """What the shapes meet in ``triples`` (N-Triples), counting only ``focus`` if given.

        :raises ParseError: if the text is not N-Triples.
        """
        wanted = {target for targets in self._targets.values() for kind, target in targets if kind == "subjects"}
        aimed = {target for targets in self._targets.values() for kind, target in targets if kind == "objects"}
        instances: dict[str, set[object]] = defaultdict(set)
        subjects: dict[str, set[object]] = defaultdict(set)
        objects: dict[str, set[object]] = defaultdict(set)
        below: dict[str, set[str]] = defaultdict(set)
        predicates: set[str] = set()
        for triple in _parsed(triples):
            predicate = triple.predicate.value
            predicates.add(predicate)
            if predicate in wanted:
                subjects[predicate].add(triple.subject)
            if predicate in aimed:
                objects[predicate].add(triple.object)
            if isinstance(triple.object, NamedNode):
                if triple.predicate == _TYPE:
                    instances[triple.object.value].add(triple.subject)
                elif triple.predicate == _SUB_CLASS and isinstance(triple.subject, NamedNode):
                    below[triple.object.value].add(triple.subject.value)
        for iri, above in (self.ontology.superclasses if self.ontology else {}).items():
            for parent in above:
                below[parent].add(iri)
        counts = {}
        for shape, targets in self._targets.items():
            met: set[object] = set()
            for kind, target in targets:
                if kind == "class":
                    met.update(*(instances.get(iri, ()) for iri in _downwards(target, below)))
                elif kind in ("node", "literal"):
                    met.add(NamedNode(target) if kind == "node" else target)
                else:
                    met |= (subjects if kind == "subjects" else objects).get(target, set())
            counts[shape] = len(met) if focus is None else sum(plain(node) in focus for node in met)
        return Met(counts, self._idle(counts, predicates))

    def _idle(self, counts: Mapping[str, int], predicates: set[str]) -> tuple[str, ...]:
        """Property shapes of shapes that met something, whose path leads nowhere: none of its predicates occurs."""
        idle = set()
        for shape, count in counts.items():
            for part in self.lookup(NamedNode(shape), SH + "property") if count else ():
                if isinstance(part, NamedNode) and not predicates & set(_IRI.findall(self.path(part.value))):
                    idle.add(part.value)
        return tuple(sorted(idle))


def _name(term: object) -> str:
    return term.value if isinstance(term, NamedNode) else str(term)


def _node(shape: str) -> object:
    return BlankNode(shape[2:]) if shape.startswith("_:") else NamedNode(shape) if ":" in shape else shape


def _downwards(top: str, below: Mapping[str, set[str]]) -> set[str]:
    found, work = {top}, [top]
    while work:
        for child in below.get(work.pop(), ()):
            if child not in found:
                found.add(child)
                work.append(child)
    return found


def _parsed(triples: str) -> Iterator[Triple]:
    try:
        for quad in parse(triples, format=RdfFormat.N_TRIPLES):
            yield quad.triple
    except SyntaxError as error:
        raise ParseError(f"not N-Triples: {error}", place=f"line {error.lineno}") from error


def _parse(name: str, text: str) -> list[Triple]:
    try:
        quads = parse(text, format=RdfFormat.TURTLE, base_iri=_BASE, rename_blank_nodes=True)
        return [quad.triple for quad in quads]
    except SyntaxError as error:
        raise ConfigError(
            f"the shapes are no Turtle: {error}", place=f"{name}:{error.lineno}", hint="correct that line"
        ) from error


def _named(triples: Sequence[Triple]) -> list[Triple]:
    """Blank property shapes of named shapes get an IRI made of their owner's and their path."""
    facts: dict[object, dict[str, list[object]]] = defaultdict(lambda: defaultdict(list))
    for triple in triples:
        facts[triple.subject][triple.predicate.value].append(triple.object)

    def lookup(node: object, predicate: str) -> list[object]:
        return facts[node][predicate] if node in facts else []

    names: dict[object, NamedNode] = {}
    taken: set[str] = set()
    work = [node for node in list(facts) if isinstance(node, NamedNode)]
    while work:
        owner = work.pop(0)
        for part in lookup(names.get(owner, owner), SH + "property") + lookup(owner, SH + "property"):
            paths = lookup(part, SH + "path")
            if not isinstance(part, BlankNode) or part in names or not paths:
                continue
            steps = [re.split("[/#]", iri)[-1] for iri in _IRI.findall(path_text(paths[0], lookup))]
            name = f"{names.get(owner, owner).value}-{'-'.join(filter(None, steps)) or 'path'}"
            while name in taken:
                name += "-"
            taken.add(name)
            names[part] = NamedNode(name)
            work.append(part)  # type: ignore[arg-type]
    return [Triple(names.get(t.subject, t.subject), t.predicate, names.get(t.object, t.object)) for t in triples]


def _files(folder: FilePath) -> list[FilePath]:
    files = sorted(folder.glob("*.ttl"))
    if not files:
        raise ConfigError("the shapes are not there", place=str(folder), hint="reinstall the package")
    return files


def plain(term: object) -> str:
    """The IRI, blank node label or literal text of a term, without RDF syntax."""
    return str(term.value) if isinstance(term, (NamedNode, BlankNode, Literal)) else str(term)


def _background(ontology: Ontology) -> str:
    triples = [
        Triple(NamedNode(iri), _SUB_CLASS, NamedNode(parent))
        for iri, parents in ontology.superclasses.items()
        for parent in sorted(parents)
        if parent.startswith(OAM)
    ]
    triples += [
        Triple(NamedNode(concept.iri), _TYPE, NamedNode(kind))
        for concept in ontology.concepts.values()
        for kind in sorted(concept.classes)
    ]
    top = NamedNode(OAM + "relatesTo")
    triples += [
        Triple(NamedNode(iri), _SUB_PROPERTY, top)
        for iri in sorted({relation.iri for relation in ontology.relations.values()})
    ]
    triples += [Triple(NamedNode(s), NamedNode(p), NamedNode(o)) for s, p, o in ontology.state_machine()]
    return (serialize(triples, format=RdfFormat.N_TRIPLES) or b"").decode()


@lru_cache(maxsize=4)
def _load(folder: FilePath, ontology: Ontology) -> Shapes:
    return Shapes([(file.name, file.read_text("utf-8")) for file in _files(folder)], ontology)
