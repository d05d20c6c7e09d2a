"""The shapes graph as the program reads it: targets, messages and paths of each shape, and the vocabulary beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path as FilePath

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse, serialize

from oam_rdf.errors import ConfigError, ParseError
from oam_rdf.namespaces import OAM, RDF, RDFS, SH
from oam_rdf.ontology import Ontology, language
from oam_rdf.paths import read_path
from oam_rdf.resources import shapes_dir

_TYPE, _SUB_CLASS, _SUB_PROPERTY = (
    NamedNode(iri) for iri in (RDF + "type", RDFS + "subClassOf", RDFS + "subPropertyOf")
)


class Shapes:
    """All shapes of a folder. ``turtle`` is their text, ``background`` the vocabulary that validation needs beside the
    data (N-Triples): subclasses, the classes of concepts, and which properties are relations."""

    def __init__(self, folder: FilePath, ontology: Ontology) -> None:
        files = sorted(folder.glob("*.ttl"))
        if not files:
            raise ConfigError("the shapes are not there", place=str(folder), hint="reinstall the package")
        self.facts: dict[object, dict[str, list[object]]] = defaultdict(lambda: defaultdict(list))
        for file in files:
            try:
                for quad in parse(path=str(file), format=RdfFormat.TURTLE):
                    self.facts[quad.subject][quad.predicate.value].append(quad.object)
            except SyntaxError as error:
                raise ConfigError(str(error), place=f"{file.name}:{error.lineno}") from error
        self.turtle = "\n".join(file.read_text(encoding="utf-8") for file in files)
        self.ontology = ontology
        self.background = _background(ontology)
        self._class: dict[str, list[str]] = defaultdict(list)  # target class, subclasses included -> shapes
        self._subjects: dict[str, list[str]] = defaultdict(list)
        self._objects: dict[str, list[str]] = defaultdict(list)
        self._nodes: dict[str, list[str]] = defaultdict(list)
        below: dict[str, set[str]] = defaultdict(set)
        for iri, above in ontology.superclasses.items():
            for parent in above:
                below[parent].add(iri)
        #: IRIs of the shapes that have a target.
        self.targeted: set[str] = set()
        for node in self.facts:
            if not isinstance(node, NamedNode):
                continue
            for target in self._values(node, "targetClass"):
                for iri in {target, *below[target]}:
                    self._class[iri].append(node.value)
            for name, table in (
                ("targetSubjectsOf", self._subjects),
                ("targetObjectsOf", self._objects),
                ("targetNode", self._nodes),
            ):
                for target in self._values(node, name):
                    table[target].append(node.value)
            if any(
                SH + name in self.facts[node]
                for name in ("targetClass", "targetSubjectsOf", "targetObjectsOf", "targetNode")
            ):
                self.targeted.add(node.value)

    @classmethod
    def load(cls, folder: FilePath | None = None) -> Shapes:
        """The shapes in ``folder`` (default: those that ship), cached. :raises ConfigError: if they are damaged."""
        return _load(folder or shapes_dir())

    def messages(self, shape: str) -> Mapping[str, str]:
        """The messages of a shape by language."""
        return {
            language(o.language or "en"): o.value
            for o in self.lookup(NamedNode(shape), SH + "message")
            if isinstance(o, Literal)
        }

    def path(self, shape: str) -> str:
        """The path of a property shape in SPARQL syntax, "" for a node shape."""
        paths = self.lookup(NamedNode(shape), SH + "path")
        return read_path(paths[0], self.lookup).to_sparql() if paths else ""

    def lookup(self, node: object, predicate: str) -> list[object]:
        facts = self.facts.get(node)
        return facts.get(predicate, []) if facts is not None else []

    def focus_nodes(self, triples: str, focus: Collection[str] | None = None) -> dict[str, int]:
        """How many nodes each targeted shape meets in ``triples`` (N-Triples), counting only ``focus`` if given.

        :raises ParseError: if the text is not N-Triples.
        """
        met: dict[str, set[object]] = {shape: set() for shape in self.targeted}
        for target, shapes in self._nodes.items():
            for shape in shapes:
                met[shape].add(NamedNode(target))
        try:
            for quad in parse(triples, format=RdfFormat.N_TRIPLES):
                predicate = quad.predicate.value
                found = self._subjects.get(predicate, ())
                if quad.predicate == _TYPE and isinstance(quad.object, NamedNode):
                    found = [*found, *self._class.get(quad.object.value, ())]
                for shape in found:
                    met[shape].add(quad.subject)
                for shape in self._objects.get(predicate, ()):
                    met[shape].add(quad.object)
        except SyntaxError as error:
            raise ParseError(f"not N-Triples: {error}", place=f"line {error.lineno}") from error
        return {shape: sum(focus is None or plain(node) in focus for node in nodes) for shape, nodes in met.items()}

    def _values(self, node: NamedNode, name: str) -> list[str]:
        return [o.value for o in self.facts[node].get(SH + name, ()) if isinstance(o, NamedNode)]


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
    return (serialize(triples, format=RdfFormat.N_TRIPLES) or b"").decode()


@lru_cache(maxsize=4)
def _load(folder: FilePath) -> Shapes:
    return Shapes(folder, Ontology.load())
