"""Folders in BEIR layout: ``corpus.jsonl``, ``queries.jsonl`` and judgements in ``qrels/*.tsv``.

A judgement file ``zh-en.tsv`` between two languages of the corpus makes two tasks: queries of the first, candidates of the
second alone, and the same with all candidates. Any other file is one task over the whole corpus.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TUNING = ("train", "dev")  # judgement files that may be looked at before a choice is made

Qrels = Mapping[str, Mapping[str, int]]  # query -> document -> grade


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    title: str
    text: str
    language: str  # as the set says it, "" if it does not


@dataclass(frozen=True, slots=True)
class Search:
    """Queries put to one pool of candidates; ``pool`` is the language left in it, "" = every document."""

    name: str
    pool: str
    queries: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Task:
    """Judgements for what a search found. Several tasks may share one search."""

    name: str
    search: Search
    qrels: Qrels


@dataclass(frozen=True, slots=True)
class Dataset:
    """One folder. ``judged`` maps the stem of each judgement file to its judgements, grades above 0 only."""

    name: str
    documents: Sequence[Document]
    queries: Mapping[str, str]
    judged: Mapping[str, Qrels]

    @property
    def languages(self) -> set[str]:
        return {document.language for document in self.documents} - {""}

    def in_pool(self, pool: str) -> list[Document]:
        """The documents of one language, all for ""."""
        return [d for d in self.documents if not pool or d.language == pool]

    def tasks(self, stems: Sequence[str] = (), limit: int = 0) -> list[Task]:
        """Tasks of these judgement files, of all for (). ``limit`` > 0 keeps that many queries of each, always the same."""
        found: list[Task] = []
        for stem in stems or sorted(self.judged):
            qrels = self.judged[stem]
            kept = sorted(qrels, key=_shuffled)[:limit] if limit else list(qrels)
            qrels = {query: qrels[query] for query in sorted(kept)}
            asked = {query: self.queries[query] for query in qrels}
            source, dash, target = stem.partition("-")
            if dash and {source, target} <= self.languages:
                found.append(Task(stem, Search(f"{source}@{target}", target, asked), qrels))
                found.append(Task(f"{stem} mixed", Search(f"{source}@all", "", asked), qrels))
            else:
                found.append(Task(stem, Search(stem, "", asked), qrels))
        return found

    def digest(self) -> str:
        """Hash of the documents, in order."""
        state = hashlib.sha256()
        for d in self.documents:
            state.update(json.dumps([d.id, d.title, d.text, d.language]).encode())
        return state.hexdigest()[:16]


def read(folder: Path) -> Dataset:
    """Read a folder. :raises ValueError: naming file and line, for a repeated id or a judgement of what is not there."""
    documents: dict[str, Document] = {}
    for place, row in _lines(folder / "corpus.jsonl"):
        identifier = str(row["_id"])
        if identifier in documents:
            raise ValueError(f"{place}: the document {identifier!r} is there twice")
        language = str((row.get("metadata") or {}).get("lang", ""))
        documents[identifier] = Document(identifier, str(row.get("title") or ""), str(row["text"]), language)
    queries: dict[str, str] = {}
    for place, row in _lines(folder / "queries.jsonl"):
        if str(row["_id"]) in queries:
            raise ValueError(f"{place}: the query {row['_id']!r} is there twice")
        queries[str(row["_id"])] = str(row["text"])
    judged = {path.stem: _qrels(path, documents, queries) for path in sorted((folder / "qrels").glob("*.tsv"))}
    if not judged:
        raise ValueError(f"{folder / 'qrels'}: there is no judgement file")
    return Dataset(folder.resolve().name, tuple(documents.values()), queries, judged)


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield f"{path}:{number}", json.loads(line)


def _qrels(path: Path, documents: Mapping[str, Document], queries: Mapping[str, str]) -> Qrels:
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        fields = line.split("\t")
        if not line.strip() or (number == 1 and fields[0] == "query-id"):
            continue
        query, document, grade = fields[0], fields[1], int(fields[2])
        if query not in queries or document not in documents:
            missing = f"query {query!r}" if query not in queries else f"document {document!r}"
            raise ValueError(f"{path}:{number}: there is no {missing}")
        if grade > 0:
            found.setdefault(query, {})[document] = grade
    return found


def _shuffled(query: str) -> str:
    return hashlib.sha256(query.encode()).hexdigest()
