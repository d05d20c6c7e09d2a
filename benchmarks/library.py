"""A benchmark's corpus as a knowledge base: files like a user's, the real ingest, the real vectors.

Every document becomes a Markdown file with front matter, its text as it is. Its id is made of letters alone, so that no
number or name in a query can name a document by accident.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from beir import Dataset, Document

import oam_rdf
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.resources import ontology_dir, profiles_dir

NO_TITLE = "—"  # a set without titles gets none; a file's name in their place would be noise to both channels
_INGESTING = ("ingest", "store", "namespaces.py", "model.py", "ontology.py", "text/statements.py")
_INDEXING = ("index", "text", "ingest/publication.py")
_VECTORS = "embeddings.sqlite"


@dataclass(frozen=True, slots=True)
class Library:
    """``documents`` maps ids in the knowledge base to those of the set; ``facts`` says what it was made of."""

    kb: KnowledgeBase
    documents: Mapping[str, str]
    facts: dict[str, object]


def identifier(corpus_id: str) -> str:
    """A document id of 13 letters."""
    return "d" + hashlib.sha256(corpus_id.encode()).hexdigest()[:12].translate(_LETTERS)


_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")


def markdown(document: Document) -> str:
    """The file that stands for a document. JSON strings are YAML strings."""
    fields = {"id": identifier(document.id), "title": document.title.strip() or NO_TITLE, "language": document.language}
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items() if value)
    return f"---\n{front}---\n\n{document.text}\n"


def code_digest(*parts: str) -> str:
    """Hash of the program's source, or of these parts of it, with its ontology."""
    package = Path(oam_rdf.__file__).parent
    roots = [package / part for part in parts] if parts else [package]
    files = [
        p for root in (*roots, ontology_dir(), profiles_dir()) for p in ([root] if root.is_file() else root.rglob("*"))
    ]
    state = hashlib.sha256()
    for file in sorted(f for f in set(files) if f.is_file() and f.suffix in (".py", ".toml", ".ttl", ".trig", ".txt")):
        state.update(file.name.encode() + b"\0" + file.read_bytes())
    return state.hexdigest()[:16]


def open_library(
    dataset: Dataset, work: Path, *, fresh: bool = False, keep: bool = False, words: bool = False
) -> Library:
    """The knowledge base of a corpus, made or made anew where corpus or code changed. Vectors outlive a rebuild.

    :param keep: take what was ingested whatever code did it; side indexes are rebuilt where their code changed.
    :param words: make no vectors.
    :raises RuntimeError: if a document did not arrive, or arrived without text to search.
    """
    home = work / "kb" / dataset.name
    made = home / "made.json"
    wanted = {"corpus": dataset.digest(), "ingest": code_digest(*_INGESTING), "index": code_digest(*_INDEXING)}
    have: dict[str, str] = json.loads(made.read_text()) if made.is_file() else {}
    seconds = 0.0
    if fresh or have.get("corpus") != wanted["corpus"] or (have.get("ingest") != wanted["ingest"] and not keep):
        made.unlink(missing_ok=True)
        seconds, have = _build(dataset, home), wanted
    kb = KnowledgeBase.open(home / "kb")
    if have.get("index") != wanted["index"]:
        began = time.monotonic()
        kb.reindex()
        have["index"] = wanted["index"]
        Speaker(f"{dataset.name}: reindex").line(f"{time.monotonic() - began:.0f} s")
    made.write_text(json.dumps(have))
    if not words:
        say = Speaker(f"{dataset.name}: embed")
        report = kb.embed(say)
        if report.made:
            say.line(
                f"{report.made} vectors in {report.seconds:.0f} s, {report.embedded} of {report.passages} passages"
            )
    return Library(
        kb, _check(dataset, kb), _facts(kb) | {"corpus": wanted["corpus"], "ingest seconds": round(seconds, 1)}
    )


def _build(dataset: Dataset, home: Path) -> float:
    old = home / "kb" / _VECTORS
    vectors = home / _VECTORS
    if old.is_file():
        old.replace(vectors)
    for folder in (home / "kb", home / "sources"):
        shutil.rmtree(folder, ignore_errors=True)
    (home / "sources").mkdir(parents=True)
    for document in dataset.documents:
        (home / "sources" / f"{identifier(document.id)}.md").write_text(markdown(document), "utf-8")
    kb = KnowledgeBase.init(home / "kb")
    if vectors.is_file():
        vectors.replace(home / "kb" / _VECTORS)
    say = Speaker(f"{dataset.name}: ingest")
    report = kb.ingest([home / "sources"], IngestOptions(), say)
    say.line(f"{report.landed} of {report.found} documents in {report.seconds:.0f} s, {report.refused} refused")
    for issue in [issue for issue in report.issues if issue.severity == "error"][:10]:
        say.line(f"{issue.file}:{issue.line} {issue.message}")
    kb.close()
    return report.seconds


def _check(dataset: Dataset, kb: KnowledgeBase) -> dict[str, str]:
    """In = out: every document is there, under its id, with at least one passage."""
    expected = {identifier(d.id): d.id for d in dataset.documents}
    with kb.snapshot() as snapshot:
        rows = np.flatnonzero(snapshot.facets.mask("granularity", "DOCUMENT"))
        stored = {snapshot.facets.identifiers[int(row)] for row in rows}
        searchable = set(np.array(snapshot.passages.documents)[np.unique(snapshot.passages.document)].tolist())
    if len(expected) != len(dataset.documents) or stored != set(expected) or not set(expected) <= searchable:
        raise RuntimeError(
            f"{dataset.name}: {len(dataset.documents)} documents, {len(stored & set(expected))} of them stored, "
            f"{len(stored - set(expected))} that are none of them, {len(searchable & set(expected))} with passages"
        )
    return expected


def _facts(kb: KnowledgeBase) -> dict[str, object]:
    with kb.snapshot() as snapshot:
        dense = snapshot.dense
        return {
            "documents": len(snapshot.passages.documents),
            "passages": len(snapshot.passages),
            "languages": list(snapshot.passages.languages),
            "model": dense.fingerprint if dense else "",
            "coverage": round(dense.coverage, 4) if dense else 0.0,
        }


class Speaker:
    """Progress on standard error, at most a line every ten seconds."""

    def __init__(self, what: str) -> None:
        self.what, self.began, self._last = what, time.monotonic(), time.monotonic()

    def __call__(self, step: str, done: int, total: int) -> None:
        if time.monotonic() - self._last >= 10:
            self._last = time.monotonic()
            rate = done / (self._last - self.began)
            self.line(f"{step} {done:,} of {total:,}, {rate:.1f} a second")

    def line(self, text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {self.what}: {text}", file=sys.stderr, flush=True)
