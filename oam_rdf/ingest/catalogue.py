"""Which source file became which stored document, as the provenance graphs say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.ingest.publication import StoredDocument
from oam_rdf.ingest.references import References
from oam_rdf.namespaces import DCTERMS, OAM, PAV, PROV, RDF, XSD, concept
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.minter import Minter

_FILES = f"""
SELECT * WHERE {{
  GRAPH ?provenance {{
    ?assertion <{OAM}sourcePath> ?path ; <{OAM}profile> ?profile ; <{PROV}wasDerivedFrom> ?original .
    OPTIONAL {{ ?assertion <{OAM}ingestRoot> ?root }}
    OPTIONAL {{ ?assertion <{OAM}committedAt> ?committed }}
    OPTIONAL {{ ?assertion <{OAM}segmentation> ?segmentation }}
    OPTIONAL {{ ?assertion <{OAM}sourceRemoved> ?removed }}
  }}
  GRAPH ?assertion {{ ?document a <{OAM}Document> ; <{DCTERMS}identifier> ?id ; <{PROV}wasDerivedFrom> ?original }}
  OPTIONAL {{ GRAPH ?provenance {{ ?document <{PAV}previousVersion> ?previous }} }}
}}"""

_UNRESOLVED = f"""
SELECT ?graph ?label WHERE {{
  GRAPH ?graph {{ ?node <{OAM}targetLabel> ?label }}
}}"""

_CORPUS_WIDE = (
    f"SELECT ?graph ?object ?id WHERE {{ GRAPH ?graph {{ ?object <{OAM}authorId> ?a ; <{DCTERMS}identifier> ?id }} }}"
)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One source file and the document it became. ``graph`` is the assertion graph."""

    id: str
    root: str
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


@dataclass(slots=True)
class Catalogue:
    """All stored files, by place and by document id."""

    files: list[StoredFile]
    by_id: dict[str, StoredFile]
    by_place: dict[tuple[str, str], StoredFile]
    corpus_wide: dict[str, tuple[str, str]]  # corpus-wide id -> (assertion graph, path)
    minter: Minter

    @staticmethod
    def load(live: LiveStore, minter: Minter) -> Catalogue:
        """Read the provenance graphs."""
        files = []
        for row in live.select(_FILES):
            files.append(
                StoredFile(
                    id=row["id"].value,
                    root=row["root"].value if row["root"] else "",  # a loaded export has no root here
                    path=row["path"].value,
                    profile=row["profile"].value,
                    segmentation=row["segmentation"].value if row["segmentation"] else "said",
                    sha256=row["original"].value.rsplit("sha256-", 1)[-1],
                    graph=row["assertion"].value,
                    provenance=row["provenance"].value,
                    document=row["document"].value,
                    committed=row["committed"].value if row["committed"] else "",
                    previous=row["previous"].value if row["previous"] else "",
                    removed=row["removed"] is not None,
                )
            )
        files.sort(key=lambda file: (file.root, file.path))
        paths = {file.graph: file.path for file in files}
        prefix = f"{minter.base}ko/"
        corpus_wide = {}
        for row in live.select(_CORPUS_WIDE):
            if row["object"].value.startswith(prefix):
                graph = row["graph"].value
                corpus_wide[row["id"].value] = (graph, paths.get(graph, graph))
        return Catalogue(
            files,
            {file.id: file for file in files},
            {(file.root, file.path): file for file in files},
            corpus_wide,
            minter,
        )

    @property
    def roots(self) -> list[str]:
        return sorted({file.root for file in self.files if file.root})

    def at(self, root: str, path: str) -> StoredFile | None:
        """The file stored from that place; one that came with an export has no root here and is known by its path."""
        return self.by_place.get((root, path)) or self.by_place.get(("", path))

    def vanished(self, inputs: Sequence[Path], present: set[tuple[str, str]]) -> list[StoredFile]:
        """Stored files below the ingested folders that are there no more."""
        folders = [path for path in inputs if path.is_dir()]
        return [
            file
            for file in self.files
            if (file.root, file.path) not in present
            and any(Path(file.root, file.path).is_relative_to(folder) for folder in folders)
            and not Path(file.root, file.path).exists()
        ]

    def claimed(self, key: str, document_id: str, replaced: Iterable[str]) -> str:
        """Where a corpus-wide id is defined already, if not by this very document or one that is being replaced."""
        graph, path = self.corpus_wide.get(key, ("", ""))
        own = self.minter.graph(document_id, "assertion")
        return path if graph and not graph.startswith(own) and graph not in set(replaced) else ""

    def mentioning(self, document_ids: Iterable[str]) -> list[str]:
        """Ids of stored documents that define, as corpus-wide, an id that is a document's own now."""
        graphs = {self.corpus_wide[key][0] for key in document_ids if key in self.corpus_wide}
        return [file.id for file in self.files if any(graph.startswith(file.graph) for graph in graphs)]

    def resolvable(self, live: LiveStore, references: References) -> list[str]:
        """Ids of documents with an unresolved reference that has exactly one meaning now."""
        ids = {file.graph: file.id for file in self.files}
        found = set()
        for row in live.select(_UNRESOLVED):
            graph = row["graph"].value
            document_id = ids.get(graph) or next((ids[g] for g in ids if graph.startswith(g + "/")), None)
            if document_id and document_id not in found and references.resolve(row["label"].value):
                found.add(document_id)
        return sorted(found)

    def deprecate(self, live: LiveStore, stored: StoredFile, moment: str) -> Replacement:
        """The document's graphs with every object DEPRECATED, because its source was removed."""
        prefix = self.minter.graph(stored.id, "")
        status, kind = NamedNode(OAM + "versionStatus"), NamedNode(RDF + "type")
        classes = {OAM + name for name in ("Document", "Section", "Argument", "Statement")}
        quads: list[Quad] = []
        for graph in live.store.named_graphs():
            if not isinstance(graph, NamedNode) or not graph.value.startswith(prefix):
                continue
            for quad in live.store.quads_for_pattern(None, None, None, graph):
                if quad.predicate == status and "/assertion" in graph.value:
                    continue
                if quad.predicate.value == OAM + "atRevision":
                    continue
                quads.append(quad)
                if quad.predicate == kind and quad.object.value in classes:  # type: ignore[union-attr]
                    quads.append(Quad(quad.subject, status, NamedNode(concept("version-status", "DEPRECATED")), graph))
        provenance = NamedNode(stored.provenance)
        when = Literal(moment, datatype=NamedNode(XSD + "dateTime"))
        quads.append(Quad(NamedNode(stored.graph), NamedNode(OAM + "sourceRemoved"), when, provenance))
        drop = tuple(sorted({quad.graph_name.value for quad in quads}))  # type: ignore[union-attr]
        return Replacement(drop, quads, stored.graph, stored.provenance)
