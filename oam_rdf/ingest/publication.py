"""Bringing every side index to the revision of the live store, and publishing the generation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Quad

from oam_rdf import __version__
from oam_rdf.errors import Damaged, FeatureMissing
from oam_rdf.index import dense, name_table
from oam_rdf.index.base import backend
from oam_rdf.index.lexical_writer import other_words
from oam_rdf.index.name_table import NameTable
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.index.vectors import VectorCache
from oam_rdf.ingest import profiles, tables
from oam_rdf.ingest.identity import Known, keep_ids, with_id
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.stored import StoredDocument, StoredFile, committed_since, of_graphs, stored_files
from oam_rdf.ingest.touched import graph_names
from oam_rdf.model import ParsedDocument
from oam_rdf.namespaces import DCTERMS, OAM, RDF, encode_id
from oam_rdf.store import projection, publish
from oam_rdf.store.hashing import content_hash, graph_hashes
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.live import LiveStore, open_store
from oam_rdf.store.minter import Minter, document_segment
from oam_rdf.store.originals import Originals
from oam_rdf.text.wordlist import words_in_force


@dataclass(slots=True)
class Publication:
    """Makes generations. ``parsed`` spares parsing again what this process has just parsed."""

    layout: Layout
    live: LiveStore
    minter: Minter
    originals: Originals
    parsed: Mapping[str, Callable[[], ParsedDocument]] = field(default_factory=dict)
    _read: tuple[int, tuple[NameTable, list[StoredFile]]] | None = None
    _named: tuple[int, Set[str]] | None = None

    def publish(self, *, fingerprint: str = "", dimension: int = 0, embedder: str = "", rebuild: bool = False) -> int:
        """Publish what the live store holds now; returns the generation's number.

        ``fingerprint`` and ``dimension`` name the embedding model whose cached vectors the dense index takes, ``embedder``
        what loads it; by default the one of the previous generation. ``rebuild`` ignores the side indexes of the previous
        generation.
        """
        model = {"name": embedder, "fingerprint": fingerprint, "dimension": dimension} if fingerprint else {}
        return publish.publish(self.layout, lambda new, previous: self._fill(new, previous, model, rebuild))

    def finish(self) -> int | None:
        """Publish what was committed but is not published yet, whoever committed it; None when there is nothing."""
        number = publish.current_number(self.layout)
        published = 0
        if number is not None:
            with publish.open_generation(self.layout, number) as generation:
                published = generation.revision
        if self.live.revision <= published:
            return None
        try:
            return self.publish()
        except Damaged:
            # A side index that cannot be read can be made anew from RDF and Originals; what is committed must come out.
            return self.publish(rebuild=True)

    def names(self) -> NameTable:
        """By which names references may call what the live store holds now."""
        return self._known()[0]

    def files(self) -> list[StoredFile]:
        """The source files of what the live store holds now, in order of root and path."""
        return self._known()[1]

    def graphs(self) -> Set[str]:
        """Names of all graphs of the live store, read once for each revision: there may be tens of thousands."""
        revision = self.live.revision
        if self._named is None or self._named[0] != revision:
            self._named = revision, graph_names(self.live.store)
        return self._named[1]

    def _known(self) -> tuple[NameTable, list[StoredFile]]:
        revision = self.live.revision
        if self._read is None or self._read[0] != revision:
            known = tables.known(self.layout, revision)
            if known is None:
                known = name_table.build(self.live.select), stored_files(self.live.store)
            self._read = revision, known
        return self._read[1]

    def _fill(self, new: Path, previous: Path | None, model: dict[str, Any], rebuild: bool) -> dict[str, Any]:
        before: dict[str, Any] = json.loads((previous / "manifest.json").read_bytes()) if previous else {}
        base = None if rebuild else previous
        since = int(before.get("revision", 0)) if base else 0
        changed = self.documents(since)
        self.live.store.flush()
        self.live.store.backup(str(new / "store"))
        same = before.get("tables") == tables.fingerprint()
        named = self._named[1] if self._named and self._named[0] == since else None
        graphs = self.graphs()
        tables.build(self.live.store, new, base if same else None, since, graphs, named)
        for clearance in projection.needed(self.live.store):
            target = new / "projections" / clearance.lower()
            projection.build(self.live.store, target, clearance, self.minter)
        if (self.layout.history / "CURRENT").exists():
            # A reader must never look at a store that a writer is changing, not even this one.
            open_store(self.layout.history).backup(str(new / "history"))
        ids = {document.id for document in changed}
        added = [self.indexed(document) for document in changed]
        old = PassageTable.open(base / "passages") if base else PassageTable.empty()
        hashes = self._hashes(base, changed, graphs)
        ids |= self._gone(old.documents, graphs)
        passages = old.splice(ids, added)
        passages.save(new / "passages")
        configured = self._lexical(new, base, ids, added)
        model = model or before.get("model", {})
        if model.get("fingerprint"):
            with closing(VectorCache(self.layout.embeddings)) as cache:
                earlier = base / "dense" if base else None
                dense.build(new / "dense", passages, model["fingerprint"], model["dimension"], cache, earlier)
        (new / "hashes.json").write_text(json.dumps(hashes, indent=0, sort_keys=True))
        return {
            "version": __version__,
            "base": self.minter.base,
            "revision": self.live.revision,
            "content_hash": content_hash(hashes),
            "documents": len(passages.documents),
            "passages": len(passages),
            "tables": tables.fingerprint(),
            "lexical": configured,
            "model": model,
        }

    def _lexical(
        self,
        new: Path,
        base: Path | None,
        removed: set[str],
        added: list[IndexedDocument],
    ) -> str:
        """Publish the lexical index by the backend that ``oam.toml`` names; returns that name."""
        configured = Config.load(self.layout.config).lexical if self.layout.config.is_file() else "whoosh"
        try:
            chosen = backend(configured)
        except FeatureMissing:
            chosen = backend("whoosh")  # what is committed must come out; readers say that it is the other one
        earlier = base / chosen.folder if base else None
        words = words_in_force(self.layout.words)
        # The generation before was made by the other backend, or with other words: then all is cut anew.
        if earlier is not None and (not earlier.is_dir() or other_words(earlier, words)):
            earlier, added = None, [self.indexed(document) for document in self.documents(0)]
        chosen.publish(
            earlier, new / chosen.folder, removed, added, lambda key: self.indexed(self._document(key)), words
        )
        return configured

    def _hashes(self, base: Path | None, changed: list[StoredDocument], names: Set[str]) -> dict[str, str]:
        hashes: dict[str, str] = json.loads((base / "hashes.json").read_bytes()) if base else {}
        segments = {encode_id(document.id) for document in changed}
        mine = [name for name in names if document_segment(name) in segments]
        kept = {
            name: digest for name, digest in hashes.items() if name in names and document_segment(name) not in segments
        }
        return kept | graph_hashes(self.live.store, mine)

    def documents(self, since: int) -> list[StoredDocument]:
        """Documents committed after revision ``since``, sorted by id."""
        found = {file.id: file.as_document() for file in committed_since(self.live.store, since)}
        return [found[key] for key in sorted(found)]

    def _document(self, document_id: str) -> StoredDocument:
        found = of_graphs(self.live.store, [self.minter.graph(document_id, "assertion")])
        return next(file.as_document() for file in found if file.id == document_id)

    def _gone(self, known: Iterable[str], graphs: Set[str]) -> set[str]:
        """Documents that are here under another id now."""
        return {name for name in known if self.minter.graph(name, "assertion") not in graphs}

    def indexed(self, document: StoredDocument) -> IndexedDocument:
        """What the indexes need of a document, from memory or by parsing its Original again."""
        parsed = self.parsed[document.id]() if document.id in self.parsed else self.reparse(document)
        return IndexedDocument(parsed.id, parsed.document.title, parsed.language, parsed.passages, parsed.terms)

    def reparse(self, document: StoredDocument) -> ParsedDocument:
        """Parse the stored Original as it was parsed when it landed, with the ids it has in the store."""
        data = self.originals.read(document.sha256)
        profile = profiles.load(document.profile, document.rdf_base)
        parsed = parse(data, document.path, profile, statements=document.segmentation, base=self.minter.base)
        return keep_ids(with_id(parsed, document.id, self.minter), self.known(document.id))

    def known(self, document_id: str) -> list[Known]:
        """Statements and arguments of a document as stored."""
        prefix = self.minter.document(document_id) + "#"
        graph = NamedNode(self.minter.graph(document_id, "assertion"))
        found = []
        store, content, part = self.live.store, NamedNode(OAM + "content"), NamedNode(DCTERMS + "isPartOf")
        kind, argument = NamedNode(RDF + "type"), NamedNode(OAM + "Argument")
        for quad in store.quads_for_pattern(None, content, None, graph):
            iri = quad.subject.value  # type: ignore[union-attr]
            if not iri.startswith(prefix):
                continue
            above, seen = quad.subject, {quad.subject}
            while True:  # past the argument to the section; an imported loop ends where it began
                above = next((q.object for q in store.quads_for_pattern(above, part, None, graph)), None)  # type: ignore[assignment]
                if above is None or above in seen or Quad(above, kind, argument, graph) not in store:
                    break
                seen.add(above)
            section = above.value if isinstance(above, NamedNode) else ""
            local = section[len(prefix) :] if section.startswith(prefix) else ""
            found.append(Known(iri[len(prefix) :], local, quad.object.value))  # type: ignore[union-attr]
        return sorted(found, key=lambda known: known.id)
