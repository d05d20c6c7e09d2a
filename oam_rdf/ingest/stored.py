"""Which source files the live store holds, read by index look-ups: a join of their provenance takes many times as long."""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path

from pyoxigraph import NamedNode, Store

from oam_rdf.errors import Damaged
from oam_rdf.namespaces import DCTERMS, OAM, PAV, PROV, RDF
from oam_rdf.store.live import committed_after

_PATH, _PROFILE, _ROOT = (NamedNode(OAM + name) for name in ("sourcePath", "profile", "ingestRoot"))
_COMMITTED, _SEGMENTATION = NamedNode(OAM + "committedAt"), NamedNode(OAM + "segmentation")
_REMOVED = NamedNode(OAM + "sourceRemoved")
_VOCABULARY, _BASE = NamedNode(OAM + "ownVocabulary"), NamedNode(OAM + "givenBase")
_TYPE, _DOCUMENT = NamedNode(RDF + "type"), NamedNode(OAM + "Document")
_ID, _DERIVED = NamedNode(DCTERMS + "identifier"), NamedNode(PROV + "wasDerivedFrom")
_PREVIOUS = NamedNode(PAV + "previousVersion")
_FEW = 200  # documents beyond which reading all takes less than looking each up


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the live store names it: enough to parse its Original again."""

    id: str
    path: str
    profile: str
    sha256: str
    segmentation: str
    rdf_base: str = ""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One source file and the document it became. ``graph`` is the assertion graph."""

    id: str
    root: str  # "" where it came with an export
    path: str
    profile: str
    segmentation: str
    sha256: str
    graph: str
    provenance: str
    document: str
    committed: str
    previous: str  # the copy of the version before, in the history store
    removed: bool
    vocabulary: str = ""  # hash of the knowledge base's own Turtle by which it was read, "" without any
    rdf_base: str = ""  # the base that was named for relative IRIs of an RDF file, "" if none was

    @property
    def there(self) -> bool:
        """Whether its source still exists."""
        return bool(self.root) and Path(self.root, self.path).exists()

    def as_document(self) -> StoredDocument:
        return StoredDocument(self.id, self.path, self.profile, self.sha256, self.segmentation, self.rdf_base)


_ROW = attrgetter(*(field.name for field in fields(StoredFile)))


def stored_files(store: Store) -> list[StoredFile]:
    """All files, in order of root and path."""
    paths, profiles, roots = _Column(store, _PATH), _Column(store, _PROFILE), _Column(store, _ROOT)
    segmentations, removed, committed = (_Column(store, name) for name in (_SEGMENTATION, _REMOVED, _COMMITTED))
    vocabularies, bases = _Column(store, _VOCABULARY), _Column(store, _BASE)
    derived, previous = _Column(store, _DERIVED), _Column(store, _PREVIOUS)
    described: dict[str, list[str]] = {}
    for quad in store.quads_for_pattern(None, _TYPE, _DOCUMENT, None):
        if isinstance(quad.subject, NamedNode) and isinstance(quad.graph_name, NamedNode):
            described.setdefault(quad.graph_name.value, []).append(quad.subject.value)
    found = []
    for graph, provenance in paths.values:
        for document in described.get(graph, ()):
            originals = derived.all(graph, provenance) & derived.all(document, graph)
            if not originals or (graph, provenance) not in profiles.values:
                continue
            for quad in store.quads_for_pattern(NamedNode(document), _ID, None, NamedNode(graph)):
                found.append(
                    StoredFile(
                        id=quad.object.value,  # type: ignore[union-attr]
                        root=roots.get(graph, provenance),
                        path=paths.get(graph, provenance),
                        profile=profiles.get(graph, provenance),
                        segmentation=segmentations.get(graph, provenance) or "said",
                        sha256=min(originals).rsplit("sha256-", 1)[-1],
                        graph=graph,
                        provenance=provenance,
                        document=document,
                        committed=committed.get(graph, provenance),
                        previous=previous.get(document, provenance),
                        removed=(graph, provenance) in removed.values,
                        vocabulary=vocabularies.get(graph, provenance),
                        rdf_base=bases.get(graph, provenance),
                    )
                )
    return sorted(found, key=lambda file: (file.root, file.path, file.id))


def committed_since(store: Store, revision: int) -> list[StoredFile]:
    """The files of documents that were committed after a revision."""
    graphs = committed_after(store, revision)
    if len(graphs) > _FEW:
        return [file for file in stored_files(store) if file.graph in graphs]
    return of_graphs(store, graphs)


def of_graphs(store: Store, graphs: Iterable[str]) -> list[StoredFile]:
    """The files of documents that these assertion graphs describe."""
    part = Store()
    for graph in graphs:
        name = NamedNode(graph)
        said = list(store.quads_for_pattern(name, None, None, None))
        documents = {quad.subject for quad in store.quads_for_pattern(None, _TYPE, _DOCUMENT, name)}
        for document in documents:
            said += [quad for p in (_TYPE, _ID, _DERIVED) for quad in store.quads_for_pattern(document, p, None, name)]
            said += store.quads_for_pattern(document, _PREVIOUS, None, None)
        part.extend(said)
    return stored_files(part)


def write(path: Path, files: Iterable[StoredFile]) -> None:
    """Keep them beside the tables that were made of the same revision."""
    path.write_text(json.dumps([_ROW(file) for file in files], ensure_ascii=False, separators=(",", ":")), "utf-8")


def read(path: Path) -> list[StoredFile]:
    """What :func:`write` wrote. :raises Damaged: if it is not that."""
    try:
        return [StoredFile(*row) for row in json.loads(path.read_bytes())]
    except (OSError, ValueError, TypeError) as error:
        raise Damaged(
            f"the list of files cannot be read: {error}", place=str(path), hint="run `oam reindex`"
        ) from error


def changed(before: Iterable[StoredFile], store: Store, since: int, graphs: Set[str]) -> list[StoredFile]:
    """The files of ``store``, whose graphs are ``graphs``, given those of revision ``since``."""
    new = committed_since(store, since)
    again = {file.graph for file in new}
    kept = (file for file in before if file.graph in graphs and file.graph not in again)
    return sorted([*kept, *new], key=lambda file: (file.root, file.path, file.id))


class _Column:
    """A predicate's values by subject and graph."""

    def __init__(self, store: Store, predicate: NamedNode) -> None:
        self.values: dict[tuple[str, str], str | set[str]] = {}
        for quad in store.quads_for_pattern(None, predicate, None, None):
            place = quad.subject.value, quad.graph_name.value  # type: ignore[union-attr]
            value = quad.object.value  # type: ignore[union-attr]
            known = self.values.setdefault(place, value)
            if known != value:  # rare: a set for each would take many times as long
                self.values[place] = {value} | (known if isinstance(known, set) else {known})

    def all(self, subject: str, graph: str) -> set[str]:
        known = self.values.get((subject, graph))
        return known if isinstance(known, set) else set() if known is None else {known}

    def get(self, subject: str, graph: str) -> str:
        """The first in order, "" if there is none."""
        return min(self.all(subject, graph), default="")
