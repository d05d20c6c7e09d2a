"""Small documents for the tests of the index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from oam_rdf.index.lexical import LexicalIndex, publish
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.model import Passage


def document(
    identifier: str,
    *texts: str,
    title: str = "",
    heading: str = "",
    terms: tuple[str, ...] = (),
    language: str = "zh-Hant",
) -> IndexedDocument:
    """A document of one passage for each text."""
    passages, at = [], 0
    for text in texts:
        passages.append(Passage("s1", at, at + len(text), heading, text, language, lead=at == 0))
        at += len(text) + 1
    return IndexedDocument(identifier, title or identifier, language, tuple(passages), terms)


class Corpus:
    """A set of documents that is published generation by generation into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.documents: dict[str, IndexedDocument] = {}
        self.table = PassageTable.empty()
        self.generation = 0
        self.reread: list[str] = []

    def path(self, generation: int | None = None) -> Path:
        return self.folder / f"{self.generation if generation is None else generation:03}"

    def commit(self, added: Iterable[IndexedDocument] = (), removed: Iterable[str] = ()) -> LexicalIndex:
        added, removed = list(added), list(removed)
        previous = self.path() if self.generation else None
        self.generation += 1
        publish(previous, self.path(), removed, added, self._again)
        self.table = self.table.splice(removed, added)
        for gone in removed:
            self.documents.pop(gone, None)
        self.documents.update((d.id, d) for d in added)
        return LexicalIndex.open(self.path(), self.table)

    def _again(self, identifier: str) -> IndexedDocument:
        self.reread.append(identifier)
        return self.documents[identifier]


def found(index: LexicalIndex, query: str, **options: object) -> list[str]:
    """Document ids of the rows found, best first."""
    result = index.search(query, **options)  # type: ignore[arg-type]
    return [index.passages.document_id(int(row)) for row in result.rows]
