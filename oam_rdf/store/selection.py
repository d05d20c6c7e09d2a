"""What an export takes: all documents, some of them, or single objects with the head of their document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.errors import NotFound
from oam_rdf.namespaces import DCTERMS, OAM, encode_id
from oam_rdf.store.belonging import line, owners
from oam_rdf.store.minter import Minter, document_segment

# Which commit of this knowledge base something landed in, and from which folder, says nothing to anybody else.
LOCAL = frozenset({OAM + "atRevision", OAM + "revision", OAM + "ingestRoot"})
#: When it was committed here: an export that comes back keeps it, a reader of the document's own graph has no use for it.
COMMITTED = OAM + "committedAt"
_PART_OF = NamedNode(DCTERMS + "isPartOf")
_TARGET, _RELATION_TYPE = NamedNode(OAM + "relationTarget"), NamedNode(OAM + "relationType")

# The graphs of a document that each kind of export reads.
ASSERTED: tuple[str, ...] = ("assertion",)
TCF: tuple[str, ...] = ("assertion", "annotation", "assessment", "provenance")


@dataclass(frozen=True, slots=True)
class Selection:
    """Documents of a store, all of them unless :meth:`of` or :meth:`only` names some.

    ``chosen``: encoded document id -> IRIs of the objects wanted of it, empty = the whole document; None = everything.
    """

    store: Store
    history: Store | None
    minter: Minter
    chosen: Mapping[str, frozenset[str]] | None = None

    def of(self, document_id: str) -> Selection:
        """One whole document. :raises NotFound: when there is none of that id."""
        return self.only({document_id: ()})

    def only(self, wanted: Mapping[str, Iterable[str]]) -> Selection:
        """Document id -> IRIs of objects in it, none = the whole. :raises NotFound: for a document that is not here."""
        chosen = {encode_id(name): frozenset(objects) for name, objects in wanted.items()}
        here = {document_segment(name) for name in self._graphs(self.store)}
        for name in wanted:
            if encode_id(name) not in here:
                raise NotFound(f"no document {name!r} here", hint="`oam search` finds ids")
        return replace(self, chosen=chosen)

    def quads(self, kinds: tuple[str, ...] | None = None) -> Iterator[Quad]:
        """The quads of the graphs whose ``kinds`` are named; None: of all but the inferred ones, which are made anew, and
        of the old texts where there is a history."""
        for _, found in self.documents(kinds):
            yield from found
        if kinds is None and self.history is not None:
            for segment, found in self._documents(self.history, kinds):
                if not self._wanted(segment):  # what an object was is in the history of the whole document
                    yield from found

    def documents(self, kinds: tuple[str, ...] | None = TCF) -> Iterator[tuple[str, list[Quad]]]:
        """``(IRI of the document, its selected quads)``, by IRI, without the old texts."""
        for segment, found in self._documents(self.store, kinds):
            objects = self._wanted(segment)
            yield f"{self.minter.base}doc/{segment}", list(self._part(found, objects)) if objects else found

    def _documents(self, store: Store, kinds: tuple[str, ...] | None) -> Iterator[tuple[str, list[Quad]]]:
        groups: dict[str, list[str]] = {}
        for name in self._graphs(store):
            kind = name[len(self.minter.base) :].split("/")[2]
            if kind != "inferred" if kinds is None else kind in kinds:
                groups.setdefault(document_segment(name) or "", []).append(name)
        for segment, names in groups.items():
            quads = (quad for name in names for quad in store.quads_for_pattern(None, None, None, NamedNode(name)))
            yield segment, [quad for quad in quads if quad.predicate.value not in LOCAL]

    def objects(self, document_iri: str) -> frozenset[str]:
        """IRIs of the objects wanted of a document; none = all of it."""
        return self._wanted(document_iri.removeprefix(f"{self.minter.base}doc/"))

    def takes(self, document_iri: str) -> bool:
        """Whether anything of a document is selected."""
        return self.chosen is None or document_iri.removeprefix(f"{self.minter.base}doc/") in self.chosen

    def _wanted(self, segment: str) -> frozenset[str]:
        return frozenset() if self.chosen is None else self.chosen[segment]

    def copy_originals(self, source: Path, target: Path, hides: Iterable[str] = ()) -> int:
        """Copy the Originals that the selection names from one folder to another, but none of ``hides`` (hashes of those
        that hold something hidden); returns how many."""
        prefix = self.minter.original("")
        wanted = {
            quad.object.value.removeprefix(prefix)
            for quad in self.quads()
            if isinstance(quad.object, NamedNode) and quad.object.value.startswith(prefix)
        } - set(hides)
        for sha256 in sorted(wanted):
            for path in (source / sha256[:2]).glob(f"{sha256}*"):
                destination = target / sha256[:2] / path.name
                destination.parent.mkdir(parents=True, exist_ok=True)
                destination.write_bytes(path.read_bytes())
        return len(wanted)

    def _graphs(self, store: Store) -> list[str]:
        names = sorted(graph.value for graph in store.named_graphs() if isinstance(graph, NamedNode))
        # Graphs of documents alone: the system's and stored validation runs belong to this knowledge base.
        here = self.minter.base + "graph/"
        return [
            name
            for name in names
            if name.startswith(here)
            and (segment := document_segment(name)) is not None
            and (self.chosen is None or segment in self.chosen)
        ]

    def _part(self, quads: list[Quad], wanted: frozenset[str]) -> Iterator[Quad]:
        """Of a document's quads those of the objects, their parts and dependent nodes, with what they are part of."""
        parents = {
            q.subject.value: q.object.value
            for q in quads
            if q.predicate == _PART_OF and isinstance(q.object, NamedNode) and isinstance(q.subject, NamedNode)
        }
        owner = owners(quads)
        subjects = {q.subject.value for q in quads if isinstance(q.subject, NamedNode)}
        relations = {
            q.subject.value for q in quads if q.predicate == _RELATION_TYPE and isinstance(q.subject, NamedNode)
        }
        above = {name for start in wanted for name in line(start, parents)} - wanted
        kept = wanted | {name for name in subjects if not wanted.isdisjoint(line(name, parents))} - above
        # A relation node that leads to one of them belongs to its story, whoever wrote it.
        kept |= {q.subject.value for q in quads if q.predicate == _TARGET and q.object.value in kept}  # type: ignore[union-attr]
        free = tuple(self.minter.base + name for name in ("original/", "run/", "agent/", "graph/"))
        for quad in quads:
            chain = list(line(quad.subject.value, owner))  # type: ignore[union-attr]
            # Of what it is part of: what that is and where it stands, not how it relates to others.
            head = chain[-1] in above and relations.isdisjoint(chain)
            into = isinstance(quad.object, NamedNode) and quad.object.value in kept and quad.predicate != _PART_OF
            if head or into or chain[0].startswith(free) or not kept.isdisjoint(chain):
                yield quad
