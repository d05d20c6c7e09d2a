"""A tiny generation built by hand: real codec, real Oxigraph, real passages, Whoosh, facets; no pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.index import facets, graph_build, lexical, tag_table
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.model import (
    DOCUMENT,
    SECTION,
    STATEMENT,
    VISIBILITIES,
    KnowledgeObject,
    ParsedDocument,
    Passage,
    Relation,
    Span,
)
from oam_rdf.namespaces import DEFAULT_BASE, OAM, XSD
from oam_rdf.ontology import Ontology
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store import projection
from oam_rdf.store.codec import Codec, Resolved
from oam_rdf.store.minter import Minter

BASE = DEFAULT_BASE
MINTER = Minter(BASE)


@dataclass
class Generation:
    """Stands where the published one would."""

    number: int
    path: Path
    manifest: dict[str, Any]

    @property
    def revision(self) -> int:
        return int(self.manifest["revision"])


@dataclass
class World:
    """Documents of one paragraph per statement; ``snapshot()`` publishes them and opens the result."""

    root: Path
    documents: dict[str, ParsedDocument] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    committed: dict[str, str] = field(default_factory=dict)
    number: int = 0
    opened: list[Snapshot] = field(default_factory=list)

    def add(
        self,
        name: str,
        *paragraphs: str | KnowledgeObject,
        title: str = "",
        language: str = "en",
        relations: tuple[tuple[str, ...], ...] = (),
        committed: str = "",
        inline: bool = False,
        **fields: Any,
    ) -> str:
        """Add a document; each paragraph is a plain text or a statement object whose content is that text.

        ``relations`` are (type, target) of the document or (source, type, target) of a statement.
        """
        title = title or name
        text = f"# {title}\n\n"
        objects = [
            KnowledgeObject("", DOCUMENT, title=title, language=language, **fields),
            KnowledgeObject("sec-1", SECTION, title=f"{title} text", language=language),
        ]
        passages = []
        for number, paragraph in enumerate(paragraphs, 1):
            content = paragraph if isinstance(paragraph, str) else paragraph.content
            start, end = len(text), len(text) + len(content)
            text += content + "\n\n"
            if isinstance(paragraph, KnowledgeObject):
                spans = () if inline else (Span(start, end),)
                item = replace(paragraph, granularity=STATEMENT, parent="sec-1", language=language, spans=spans)
                objects.append(replace(item, no_source="no offsets") if inline else item)
            local = paragraph.id if isinstance(paragraph, KnowledgeObject) else ""
            where = (-1, -1) if inline else (start, end)
            passages.append(
                Passage(
                    "sec-1",
                    *where,
                    f"{title} text",
                    content,
                    language,
                    lead=number == 1,
                    object=local if inline else "",
                )
            )
        objects[1] = replace(objects[1], spans=(Span(len(f"# {title}\n\n"), len(text)),) if paragraphs else ())
        sha = hashlib.sha256(text.encode()).hexdigest()
        folder = self.root / "originals" / sha[:2]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{sha}.md").write_bytes(text.encode())
        triples = [r if len(r) == 3 else ("", *r) for r in relations]
        self.texts[name] = text
        self.committed[name] = committed
        self.documents[name] = ParsedDocument(
            name, f"{name}.md", sha, len(text), "text/markdown", "default", language, tuple(objects),
            tuple(Relation(source, kind, target) for source, kind, target in triples), tuple(passages), (title,),
        )  # fmt: skip
        return sha

    def iri(self, name: str) -> str:
        document, _, local = name.partition("#")
        for item in (o for d in self.documents.values() for o in d.objects):
            if item.global_id and item.id == name:
                return MINTER.corpus_wide(name)
        return MINTER.part(document, local)

    def quads(self) -> list[Quad]:
        codec = Codec(MINTER, Ontology.load())
        quads: list[Quad] = []
        for name, document in self.documents.items():
            resolved = [Resolved(relation, self.iri(relation.target)) for relation in document.relations]
            quads += codec.encode(document, resolved, root="test").quads()
            if self.committed[name]:
                when = Literal(self.committed[name], datatype=NamedNode(XSD + "dateTime"))
                graph, prov = MINTER.graph(name, "assertion"), MINTER.graph(name, "provenance")
                quads.append(Quad(NamedNode(graph), NamedNode(OAM + "committedAt"), when, NamedNode(prov)))
        return quads

    def publish(self) -> Generation:
        self.number += 1
        path = self.root / "published" / f"{self.number:06d}"
        path.mkdir(parents=True)
        store = Store(str(path / "store"))
        store.bulk_extend(self.quads())
        store.flush()
        for clearance in projection.needed(store):
            projection.build(store, path / "projections" / clearance.lower(), clearance, MINTER)

        def select(query: str, opened: Store = store) -> Iterable[Any]:
            return opened.query(query, use_default_graph_as_union=True)  # type: ignore[return-value]

        rows = facets.build(select)
        rows.save(path / "facets")
        graph_build.build(select, rows).save(path / "graph")
        tag_table.build(select, rows).save(path / "tags")
        del store, select
        documents = [
            IndexedDocument(d.id, d.document.title, d.language, d.passages, d.terms) for d in self.documents.values()
        ]
        table = PassageTable.empty().splice([], documents)
        table.save(path / "passages")
        by_id = {d.id: d for d in documents}
        lexical.publish(None, path / "lexical", [], documents, by_id.__getitem__)
        return Generation(self.number, path, {"revision": self.number, "embedder": "none"})

    def snapshot(self, clearance: str = "RESTRICTED", generation: Generation | None = None) -> Snapshot:
        made = Snapshot(self.root, generation or self.publish(), clearance)
        self.opened.append(made)
        return made

    def each_clearance(self) -> dict[str, Snapshot]:
        generation = self.publish()
        return {clearance: self.snapshot(clearance, generation) for clearance in VISIBILITIES}


def said(local: str, content: str, **fields: Any) -> KnowledgeObject:
    """A statement object."""
    return KnowledgeObject(local, STATEMENT, content=content, **fields)
