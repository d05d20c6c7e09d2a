"""Which source file became which stored document, as the provenance graphs say."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.ingest.naming import collapsed
from oam_rdf.ingest.references import References
from oam_rdf.ingest.stored import StoredFile, stored_files
from oam_rdf.namespaces import DCTERMS, OAM, RDF, XSD, concept
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.minter import Minter

_UNRESOLVED = f"""
SELECT ?graph ?label WHERE {{
  GRAPH ?graph {{ ?node <{OAM}targetLabel>|<{OAM}subjectLabel> ?label }}
}}"""

__all__ = ["Catalogue", "StoredFile"]

_AUTHOR_ID, _IDENTIFIER = NamedNode(OAM + "authorId"), NamedNode(DCTERMS + "identifier")
_TITLE, _FORMAT = NamedNode(DCTERMS + "title"), NamedNode(DCTERMS + "format")


@dataclass(slots=True)
class Catalogue:
    """All stored files, by place, by document id and by document."""

    files: list[StoredFile]
    by_id: dict[str, StoredFile]
    by_place: dict[tuple[str, str], StoredFile]
    by_document: dict[str, StoredFile]  # by its IRI
    live: LiveStore
    minter: Minter

    @staticmethod
    def load(live: LiveStore, minter: Minter, files: list[StoredFile] | None = None) -> Catalogue:
        """Read the provenance graphs, unless the ``files`` that they name are known."""
        files = stored_files(live.store) if files is None else files
        by_place = {(file.root, file.path): file for file in files}
        by_document = {file.document: file for file in files}
        return Catalogue(files, {file.id: file for file in files}, by_place, by_document, live, minter)

    @property
    def roots(self) -> list[str]:
        return sorted({file.root for file in self.files if file.root})

    def at(self, root: str, path: str) -> StoredFile | None:
        """The file stored from that place; one that came with an export has no root here and is known by its path."""
        return self.by_place.get((root, path)) or self.by_place.get(("", path))

    def title(self, file: StoredFile) -> str:
        """The title of a stored document as an id would be made of it, "" if it has none."""
        return self._said(file, _TITLE)

    def kept_id(self, file: StoredFile) -> str:
        """The id of a stored document that is neither its author's nor its title, and stays whatever the title becomes."""
        return "" if self._said(file, _AUTHOR_ID) or self.title(file) == file.id else file.id

    def unnamed(self, file: StoredFile, media_types: Container[str]) -> bool:
        """Whether a stored document goes by its path, or is of one of these types and its author gave it no id."""
        if file.id == file.path or file.id.endswith("/" + file.path):
            return True
        return self._said(file, _FORMAT) in media_types and not self._said(file, _AUTHOR_ID)

    def _said(self, file: StoredFile, predicate: NamedNode) -> str:
        quads = self.live.store.quads_for_pattern(NamedNode(file.document), predicate, None, NamedNode(file.graph))
        return min((collapsed(quad.object.value) for quad in quads), default="")  # type: ignore[union-attr]

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
        graph = self._defining(key)
        path = next((file.path for file in self.files if file.graph == graph), graph) if graph else ""
        own = self.minter.graph(document_id, "assertion")
        return path if graph and not graph.startswith(own) and graph not in set(replaced) else ""

    def _defining(self, key: str) -> str:
        """The graph that defines a corpus-wide id, "" if none does."""
        store, iri = self.live.store, NamedNode(self.minter.corpus_wide(key))
        graphs = (quad.graph_name for quad in store.quads_for_pattern(iri, _AUTHOR_ID, None, None))
        named = {graph.value for graph in graphs if isinstance(graph, NamedNode)}
        return min((g for g in named if Quad(iri, _IDENTIFIER, Literal(key), NamedNode(g)) in store), default="")

    def mentioning(self, document_ids: Iterable[str]) -> list[str]:
        """Ids of stored documents that define, as corpus-wide, an id that is a document's own now."""
        graphs = {graph for key in document_ids if (graph := self._defining(key))}
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
