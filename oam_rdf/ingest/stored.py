"""Which source files the live store holds, read by index look-ups: a join of their provenance takes many times as long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from oam_rdf.namespaces import DCTERMS, OAM, PAV, PROV, RDF

_PATH, _PROFILE, _ROOT = (NamedNode(OAM + name) for name in ("sourcePath", "profile", "ingestRoot"))
_COMMITTED, _SEGMENTATION = NamedNode(OAM + "committedAt"), NamedNode(OAM + "segmentation")
_REMOVED, _REVISION = NamedNode(OAM + "sourceRemoved"), NamedNode(OAM + "atRevision")
_TYPE, _DOCUMENT = NamedNode(RDF + "type"), NamedNode(OAM + "Document")
_ID, _DERIVED = NamedNode(DCTERMS + "identifier"), NamedNode(PROV + "wasDerivedFrom")
_PREVIOUS = NamedNode(PAV + "previousVersion")


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the live store names it: enough to parse its Original again."""

    id: str
    path: str
    profile: str
    sha256: str
    segmentation: str


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

    def as_document(self) -> StoredDocument:
        return StoredDocument(self.id, self.path, self.profile, self.sha256, self.segmentation)


def stored_files(store: Store, since: int = -1) -> list[StoredFile]:
    """All files, in order of root and path; with ``since`` those of documents committed after that revision."""
    stamped = {
        (quad.subject.value, quad.graph_name.value)  # type: ignore[union-attr]
        for quad in (store.quads_for_pattern(None, _REVISION, None, None) if since >= 0 else ())
        if int(quad.object.value) > since  # type: ignore[union-attr]
    }
    paths, profiles, roots = _Column(store, _PATH), _Column(store, _PROFILE), _Column(store, _ROOT)
    segmentations, removed, committed = (_Column(store, name) for name in (_SEGMENTATION, _REMOVED, _COMMITTED))
    found = []
    for (graph, provenance), path in paths.values.items():
        place = graph, provenance
        if place not in profiles.values or (since >= 0 and place not in stamped):
            continue
        for document, identifier, original in _documents(store, graph, provenance):
            found.append(
                StoredFile(
                    id=identifier,
                    root=roots.get(*place),
                    path=path,
                    profile=profiles.get(*place),
                    segmentation=segmentations.get(*place, default="said"),
                    sha256=original.rsplit("sha256-", 1)[-1],
                    graph=graph,
                    provenance=provenance,
                    document=document,
                    committed=committed.get(*place),
                    previous=_one(store, document, _PREVIOUS, provenance),
                    removed=place in removed.values,
                )
            )
    return sorted(found, key=lambda file: (file.root, file.path, file.id))


class _Column:
    """A predicate's values by subject and graph."""

    def __init__(self, store: Store, predicate: NamedNode) -> None:
        self.values: dict[tuple[str, str], str] = {
            (quad.subject.value, quad.graph_name.value): quad.object.value  # type: ignore[union-attr]
            for quad in store.quads_for_pattern(None, predicate, None, None)
            if isinstance(quad.subject, NamedNode) and isinstance(quad.graph_name, NamedNode)
        }

    def get(self, subject: str, graph: str, default: str = "") -> str:
        return self.values.get((subject, graph), default)


def _documents(store: Store, graph: str, provenance: str) -> Iterator[tuple[str, str, str]]:
    """``(IRI, id, Original)`` of the documents that an assertion graph describes as derived from what its provenance says."""
    name = NamedNode(graph)
    derived = {quad.object for quad in store.quads_for_pattern(name, _DERIVED, None, NamedNode(provenance))}
    for typed in store.quads_for_pattern(None, _TYPE, _DOCUMENT, name):
        originals = {q.object for q in store.quads_for_pattern(typed.subject, _DERIVED, None, name)} & derived
        for quad in store.quads_for_pattern(typed.subject, _ID, None, name):
            for original in originals:
                yield typed.subject.value, quad.object.value, original.value  # type: ignore[union-attr]


def _one(store: Store, subject: str, predicate: NamedNode, graph: str) -> str:
    found = store.quads_for_pattern(NamedNode(subject), predicate, None, NamedNode(graph))
    return min((quad.object.value for quad in found), default="")  # type: ignore[union-attr]
