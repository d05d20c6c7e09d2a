"""The vocabulary as the program reads it: schemes, directions, relations and their labels, from ``ontology/``.

The Turtle files are the configuration (ontology.md): a new operator, relation or direction is a row there, not code
here. Alignments and examples are not read; the core stands without them.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path as FilePath
from types import MappingProxyType

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from oam_rdf.concepts import Concept, Cue, Direction, RelationType, Transition, language
from oam_rdf.errors import ConfigError
from oam_rdf.namespaces import OAM, OWL, RDF, RDFS, SCHEMES, SKOS
from oam_rdf.paths import Alternative, Predicate, read_path, spread
from oam_rdf.resources import ontology_dir

__all__ = ["Concept", "Cue", "Direction", "Ontology", "RelationType", "Transition", "in_force", "language"]

_STATE = SCHEMES["epistemic-state"]
_PROPERTIES = {OWL + "ObjectProperty", OWL + "DatatypeProperty", OWL + "AnnotationProperty"}


class Ontology:
    """All that ``ontology/`` says, read once per process, and what the Turtle of a folder of the user's adds.

    Use :meth:`load`.
    """

    def __init__(self, folder: FilePath, extra: tuple[FilePath, ...] = ()) -> None:
        self._facts: dict[object, dict[str, list[object]]] = defaultdict(lambda: defaultdict(list))
        files = [*sorted(folder.glob("*.ttl")), *sorted((folder / "schemes").glob("*.ttl"))]
        if not files:
            raise ConfigError("the ontology is not there", place=str(folder), hint="reinstall the package")
        self._read(files)
        shipped = set(self._facts)
        self._read(extra)
        #: Hash of the Turtle that was added, "" without any: what was made of other Turtle may be out of date.
        self.own = hashlib.sha256(b"\0".join(file.read_bytes() for file in extra)).hexdigest() if extra else ""
        named = [(node, facts) for node, facts in self._facts.items() if isinstance(node, NamedNode)]
        types = {
            node.value: {str(kind.value) for kind in facts[RDF + "type"] if isinstance(kind, NamedNode)}
            for node, facts in named
        }
        #: Every term of ``oam:`` that is declared as a class or property.
        self.terms: frozenset[str] = frozenset(
            iri for iri, kinds in types.items() if iri.startswith(OAM) and kinds & (_PROPERTIES | {OWL + "Class"})
        )
        #: Class IRI -> all its superclasses, itself excluded.
        self.superclasses: Mapping[str, frozenset[str]] = MappingProxyType(
            {iri: self._closure(iri, RDFS + "subClassOf") for iri, kinds in types.items() if OWL + "Class" in kinds}
        )
        self.concepts: Mapping[str, Concept] = MappingProxyType(
            {
                iri: self._concept(iri)
                for iri, kinds in types.items()
                # A scheme of the user's own may be walked over; nothing here asks for its concepts.
                if SKOS + "Concept" in kinds and (NamedNode(iri) in shipped or self._scheme(iri))
            }
        )
        self._by_notation = {(c.scheme, key): c for c in self.concepts.values() for key in (*c.aliases, c.notation)}
        self._folded = {(scheme, key.casefold()): c for (scheme, key), c in self._by_notation.items()}
        #: Concept IRI -> its direct broader concepts.
        self.broader: Mapping[str, frozenset[str]] = MappingProxyType(
            {iri: concept.broader for iri, concept in self.concepts.items()}
        )
        tops = (OAM + "relatesTo",)  # decision D18: its edges are not materialised
        self._written_out = {
            top: Alternative(tuple(Predicate(iri) for iri in (*self._below(types, top), top))) for top in tops
        }
        self.directions: Mapping[str, Direction] = MappingProxyType(
            {c.notation: self._direction(c) for c in self.concepts.values() if c.scheme == "direction"}
        )
        self.relations: Mapping[str, RelationType] = MappingProxyType(dict(self._relations(types)))
        self._stronger = self._strength()
        #: (from, to) -> the row of the state machine, by the notations that the table names.
        self.transitions: Mapping[tuple[str, str], Transition] = MappingProxyType(
            {(row.source, row.target): row for row in self._transitions(types)}
        )

    @classmethod
    def load(cls, folder: FilePath | None = None, extra: FilePath | None = None) -> Ontology:
        """The vocabulary in ``folder`` (default: the one that ships) with the ``*.ttl`` of ``extra``, cached.

        Without arguments the vocabulary in force (see :func:`in_force`), which is the one that ships where none is set.

        :raises ConfigError: if it is damaged.
        """
        if folder is None and extra is None and (set_ := _IN_FORCE.get()) is not None:
            return set_
        more = sorted(extra.glob("*.ttl")) if extra is not None and extra.is_dir() else []
        stamps = tuple((file, (at := file.stat()).st_mtime_ns, at.st_size) for file in more)
        return _load(folder or ontology_dir(), stamps)

    def concept(self, scheme: str, notation: str) -> Concept | None:
        """The concept by notation or alias, letter case ignored if nothing matches exactly; None if unknown (D3)."""
        if scheme == "operator":  # decision D4: IOP:FAMILY:MODE, family:mode
            notation = notation.upper().removeprefix("IOP:").replace(":", ".")
        found = self._by_notation.get((scheme, notation))
        return found or self._folded.get((scheme, notation.casefold()))

    def direction(self, name: str) -> Direction | None:
        """A direction by notation, alias (``IMPLEMENTATION.DOWN``) or either in lower case."""
        concept = self.concept("direction", name)
        return self.directions[concept.notation] if concept else None

    def notations(self, scheme: str) -> frozenset[str]:
        """All notations of a scheme of ``namespaces.SCHEMES``."""
        return frozenset(c.notation for c in self.concepts.values() if c.scheme == scheme)

    def ordered(self, scheme: str) -> tuple[str, ...]:
        """Notations of an ordered scheme, first = lowest rank (visibility: widest audience first)."""
        return tuple(
            c.notation
            for c in sorted(
                (c for c in self.concepts.values() if c.scheme == scheme), key=lambda c: (c.rank, c.notation)
            )
        )

    def label(self, iri_or_scheme: str, notation: str = "", lang: str = "en") -> str:
        """The label of a term or concept in ``lang``, else in English, else its notation or local name."""
        concept = self.concept(iri_or_scheme, notation) if notation else self.concepts.get(iri_or_scheme)
        labels = concept.labels if concept else self._texts(iri_or_scheme, SKOS + "prefLabel")
        fallback = notation or iri_or_scheme.rpartition("#")[2].rpartition("/")[2]
        return labels.get(language(lang)) or labels.get("en") or fallback

    @property
    def prov_edges(self) -> Mapping[str, tuple[str, bool]]:
        """Name of a 3M provenance edge -> its PROV property, and whether that runs from target to source."""
        return {
            c.notation: (min(self._iris(c.iri, OAM + "provProperty")), self._text(c.iri, OAM + "provInverse") == "true")
            for c in self.concepts.values()
            if c.scheme == "provenance-edge" and self._iris(c.iri, OAM + "provProperty")
        }

    def weaker_than(self, a: str, b: str) -> bool:
        """Whether ``a`` is strictly weaker than ``b`` (decision D5). Notations or IRIs of states, verification values
        and evidence kinds; values that share a notation (REPRODUCED) are one. False for incomparable ones."""
        return self._joint(b) in self._stronger.get(self._joint(a), frozenset())

    def incompatible(self, a: str, b: str) -> bool:
        """Whether one claim cannot be in both states (notations), by ``oam:incompatibleWith`` of them or of broader ones."""
        sides = [[_STATE + state for state in self.lineage(each)] for each in (a, b)]
        return any(
            other in self._iris(one, OAM + "incompatibleWith") or one in self._iris(other, OAM + "incompatibleWith")
            for one in sides[0]
            for other in sides[1]
        )

    def admits(self, iri: str) -> frozenset[str]:
        """States (IRIs) that an epistemic filter names; their narrower ones are meant as well."""
        return self._iris(iri, OAM + "admits")

    def transition(self, source: str, target: str) -> Transition | None:
        """The row that allows a state to change from ``source`` to ``target`` (notations), None if no row does.

        A row for a state holds for its narrower states. A change within one state, its narrower and broader ones is
        always allowed and needs nothing.
        """
        before, after = self.lineage(source), self.lineage(target)
        if set(before) & set(after):
            return Transition(source, target, frozenset(), "", 0, frozenset(), "")
        rows = (self.transitions.get((one, other)) for one in before for other in after)
        return next((row for row in rows if row), None)

    def state_machine(self) -> Iterator[tuple[str, str, str]]:
        """The table as plain edges between states (IRIs), for validation: may become, may become on review, broader."""
        for row in self.transitions.values():
            name = "mayBecomeOnReview" if row.agent else "mayBecome"
            yield _STATE + row.source, OAM + name, _STATE + row.target
        for iri, above in self.broader.items():
            if iri.startswith(_STATE):
                for parent in sorted(above):
                    yield iri, SKOS + "broader", parent

    def cues(self) -> tuple[Cue, ...]:
        """Every cue phrase, longest first, so that the first match of a scan is the most specific."""
        return tuple(
            sorted(
                (cue for c in self.concepts.values() for cue in c.cues),
                key=lambda cue: (-len(cue.phrase), cue.phrase, cue.notation),
            )
        )

    def relation_labels(self) -> Iterator[tuple[str, str, str]]:
        """``(name, kind of label, label)`` of every relation; the kind is prefLabel, altLabel or hiddenLabel."""
        names = {item.iri: name for name, item in self.relations.items() if not item.inverse}
        for iri in names:
            # Of several names the last is the relation's own: aliases come before it.
            name = [o.value for o in self._objects(NamedNode(iri), SKOS + "notation") if isinstance(o, Literal)][-1:]
            for kind in ("prefLabel", "altLabel", "hiddenLabel"):
                for label in self._objects(NamedNode(iri), SKOS + kind):
                    if name and isinstance(label, Literal):
                        yield name[0], kind, label.value

    # -- reading -------------------------------------------------------------------------------------------------

    def _read(self, files: Iterable[FilePath]) -> None:
        for file in files:
            try:
                for quad in parse(path=str(file), format=RdfFormat.TURTLE):
                    if quad.object not in (known := self._facts[quad.subject][quad.predicate.value]):
                        known.append(quad.object)
            except SyntaxError as error:
                raise ConfigError(str(error), place=f"{file.name}:{error.lineno}") from error

    def _scheme(self, iri: str) -> str:
        """Name of the scheme that a concept is of by its IRI, or by ``skos:inScheme`` where it has another one."""
        said = self._iris(iri, SKOS + "inScheme")
        named = (name for name, space in SCHEMES.items() if iri.startswith(space) or space.rstrip("/") in said)
        return next(named, "")

    def _objects(self, node: object, predicate: str) -> list[object]:
        facts = self._facts.get(node)
        return facts.get(predicate, []) if facts is not None else []

    def _iris(self, iri: str, predicate: str) -> frozenset[str]:
        return frozenset(o.value for o in self._objects(NamedNode(iri), predicate) if isinstance(o, NamedNode))

    def _text(self, iri: str, predicate: str, default: str = "") -> str:
        return next((o.value for o in self._objects(NamedNode(iri), predicate) if isinstance(o, Literal)), default)

    def _texts(self, iri: str, predicate: str) -> Mapping[str, str]:
        return MappingProxyType(
            {
                language(o.language or ""): o.value
                for o in self._objects(NamedNode(iri), predicate)
                if isinstance(o, Literal)
            }
        )

    def _closure(self, iri: str, predicate: str) -> frozenset[str]:
        seen: set[str] = set()
        todo = [iri]
        while todo:
            for parent in self._iris(todo.pop(), predicate) - seen:
                seen.add(parent)
                todo.append(parent)
        return frozenset(seen - {iri})

    def _concept(self, iri: str) -> Concept:
        scheme = self._scheme(iri)
        notation = self._text(iri, SKOS + "notation")
        if not scheme or not notation:
            raise ConfigError(
                f"a concept outside the known schemes or without notation: {iri}",
                hint="name its scheme in namespaces.SCHEMES and give it a skos:notation",
            )
        node = NamedNode(iri)
        cues = tuple(
            Cue(o.value, language(o.language or ""), scheme, notation, predicate == "hiddenLabel")
            for predicate in ("prefLabel", "altLabel", "hiddenLabel")
            for o in self._objects(node, SKOS + predicate)
            if isinstance(o, Literal)
        )
        return Concept(
            iri,
            scheme,
            notation,
            self._texts(iri, SKOS + "prefLabel"),
            self._texts(iri, SKOS + "definition"),
            self._iris(iri, SKOS + "broader"),
            self._iris(iri, SKOS + "related") | self._iris(iri, SKOS + "closeMatch"),
            tuple(o.value for o in self._objects(node, OAM + "alias") if isinstance(o, Literal)),
            cues,
            int(self._text(iri, OAM + "rank", "0")),
            frozenset(kind for kind in self._iris(iri, RDF + "type") if kind.startswith(OAM)),
        )

    def _direction(self, concept: Concept) -> Direction:
        node = NamedNode(concept.iri)
        steps = self._objects(node, OAM + "step")
        if len(steps) != 1:
            raise ConfigError(f"direction {concept.notation} needs one oam:step, has {len(steps)}")
        last = [read_path(o, self._objects) for o in self._objects(node, OAM + "lastStep")]
        return Direction(
            concept.notation,
            concept.iri,
            read_path(steps[0], self._objects),
            self._text(concept.iri, OAM + "order", "near"),
            self._iris(concept.iri, OAM + "target"),
            last[0] if last else None,
            concept.labels,
            concept.cues,
            self._text(concept.iri, OAM + "canonical") == "true",
            self._iris(concept.iri, OAM + "opposite"),
            concept.related,
            spread(read_path(steps[0], self._objects), self._written_out),
            self._iris(concept.iri, OAM + "neverEndsOn"),
        )

    def _below(self, types: Mapping[str, set[str]], top: str) -> list[str]:
        kinds = sorted(iri for iri, kinds in types.items() if OWL + "ObjectProperty" in kinds)
        return [iri for iri in kinds if top in self._closure(iri, RDFS + "subPropertyOf")]

    def _relations(self, types: Mapping[str, set[str]]) -> list[tuple[str, RelationType]]:
        found: list[tuple[str, RelationType]] = []
        top = OAM + "relatesTo"
        for iri, kinds in types.items():
            closure = self._closure(iri, RDFS + "subPropertyOf")
            if OWL + "ObjectProperty" not in kinds or (top not in closure and iri != top):
                continue
            own = frozenset(parent for parent in closure if parent.startswith(OAM))
            for predicate, inverse in ((SKOS + "notation", False), (OAM + "alias", False), (OAM + "inverseName", True)):
                for name in self._objects(NamedNode(iri), predicate):
                    if isinstance(name, Literal):
                        found.append(
                            (
                                name.value,
                                RelationType(
                                    name.value,
                                    iri,
                                    inverse,
                                    OWL + "SymmetricProperty" in kinds,
                                    self._text(iri, OAM + "propagates"),
                                    own,
                                    closure - own,
                                    self._texts(iri, SKOS + "prefLabel"),
                                ),
                            )
                        )
        return found

    def lineage(self, state: str) -> list[str]:
        """A state and all that is broader, nearest first."""
        found = [state]
        for name in found:
            found += [self.concepts[up].notation for up in sorted(self.broader.get(_STATE + name, ()))]
        return found

    def _transitions(self, types: Mapping[str, set[str]]) -> Iterator[Transition]:
        def names(iri: str, predicate: str) -> frozenset[str]:
            return frozenset(re.split("[#/]", value)[-1] for value in self._iris(iri, OAM + predicate))

        for iri, kinds in types.items():
            if OAM + "Transition" in kinds:
                (source,), (target,) = names(iri, "fromState"), names(iri, "toState")
                yield Transition(
                    source,
                    target,
                    names(iri, "needsEvidence"),
                    "".join(names(iri, "needsOutcome")),
                    int(self._text(iri, OAM + "needsRuns", "0")),
                    names(iri, "needsRelation"),
                    "".join(names(iri, "needsAgent")),
                )

    def _joint(self, value: str) -> str:
        concept = self.concepts.get(value)
        return (concept.notation if concept else value).upper()

    def _strength(self) -> dict[str, frozenset[str]]:
        above: dict[str, set[str]] = defaultdict(set)
        for iri, concept in self.concepts.items():
            for stronger in self._iris(iri, OAM + "weakerThan"):
                above[concept.notation.upper()].add(self._joint(stronger))
        closed: dict[str, frozenset[str]] = {}
        for start in above:
            seen: set[str] = set()
            todo = [start]
            while todo:
                for stronger in above.get(todo.pop(), set()) - seen:
                    seen.add(stronger)
                    todo.append(stronger)
            if start in seen:
                raise ConfigError(f"oam:weakerThan has a cycle through {start}", hint="it is a strict partial order")
            closed[start] = frozenset(seen)
        return closed


_IN_FORCE: ContextVar[Ontology | None] = ContextVar("vocabulary in force", default=None)


@contextmanager
def in_force(extra: FilePath | None) -> Iterator[Ontology]:
    """Until the end of the block, and in this thread alone, the vocabulary is what ships with the ``*.ttl`` of ``extra``.

    Whatever reads or writes a knowledge base runs inside one, so that terms of its own are known wherever shipped ones are.
    """
    before, ontology = _IN_FORCE.get(), Ontology.load(ontology_dir(), extra)
    _IN_FORCE.set(ontology)
    try:
        yield ontology
    finally:
        _IN_FORCE.set(before)


@lru_cache(maxsize=8)
def _load(folder: FilePath, extra: tuple[tuple[FilePath, int, int], ...] = ()) -> Ontology:
    return Ontology(folder, tuple(file for file, _, _ in extra))
