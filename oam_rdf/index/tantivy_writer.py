"""Publication of the Tantivy index: the next generation's folder is made from the previous one's.

Segments are immutable: those that the previous table of contents names are hard-linked and the change is committed
beside them, so no file of the previous generation is ever altered. Words, folding and the texts that a new word cuts
differently are treated exactly as in :mod:`~oam_rdf.index.lexical_writer`, whose entries these are.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.lexical_schema import FIELDS, MARKER, document_key, key_term
from oam_rdf.index.lexical_schema import FORMAT as LEXICAL_FORMAT
from oam_rdf.index.lexical_terms import needed
from oam_rdf.index.lexical_writer import _HEAD, _LIST, _WORDS, _entries, _link_file, _texts, load_dictionary
from oam_rdf.index.passages import IndexedDocument
from oam_rdf.index.tantivy_files import (
    DOCUMENTS,
    FORMAT,
    TantivyReader,
    check_head,
    engine,
    engine_files,
    field_text,
    must,
    reading,
    schema,
    should,
)
from oam_rdf.text.dictionary import Dictionary, accept
from oam_rdf.text.normalise import fold_fingerprint
from oam_rdf.text.segment import Segmenter
from oam_rdf.text.wordlist import NO_WORDS, WordList

_HEAP = 256_000_000  # bytes of postings held before a segment is written
_COPIED = ("meta.json", ".managed.json")  # small, and rewritten by every commit
Words = dict[str, tuple[str, ...]]


def publish(
    previous: Path | None,
    target: Path,
    removed: Collection[str],
    added: Iterable[IndexedDocument],
    reread: Callable[[str], IndexedDocument],
    words_in_force: WordList = NO_WORDS,
) -> None:
    """Make the index in ``target``: see :class:`oam_rdf.index.base.Publish`."""
    new = {d.id: d for d in added}
    documents = sorted(new.values(), key=lambda d: d.id)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise UsageError("a new lexical index needs an empty folder", place=str(target))
    before: Words = {}
    dictionary = Dictionary()
    if previous is None:
        (target / _LIST).write_bytes(words_in_force.dump())
    else:
        if check_head(previous)["words"] != words_in_force.fingerprint:
            message = "the lexical index was made with another word list"
            raise Damaged(message, place=str(previous / _LIST), hint="run `oam reindex`")
        dictionary, before = load_dictionary(previous), load_documents(previous)
        _link(previous, target)
    words = {d.id: accept(d.terms) for d in documents}
    gone = sorted(i for i in {*removed, *new} if i in before)
    after, changed = dictionary.change((before[i] for i in gone), words.values())
    changed -= words_in_force.words  # known before and after
    again: list[str] = []
    kept = {i: w for i, w in before.items() if i not in gone}
    if kept and changed:
        for identifier, reasons in sorted(_containing(target, changed, kept).items()):
            document = reread(identifier)
            if any(reason in text for text in _texts(document) for reason in reasons):
                documents.append(document)
                words[identifier] = before[identifier]  # as counted when it came
                again.append(identifier)
    with reading(target):
        segmenter = after.segmenter(words_in_force.segmenter())
        _commit(target, segmenter, [*gone, *again], documents, words, fresh=previous is None)
    after.save(target / _WORDS)
    listed = json.dumps(dict(sorted((kept | words).items())), indent=0)
    (target / DOCUMENTS).write_text(listed + "\n", "ascii")
    named = {*engine_files(target), _WORDS, _LIST, DOCUMENTS}
    for path in target.iterdir():  # locks, and what was merged away
        if path.name not in named:
            path.unlink()
    for name in _COPIED:  # Tantivy lets nobody but their owner read these
        (target / name).chmod((target / _WORDS).stat().st_mode)
    head = {
        "format": LEXICAL_FORMAT,
        "tantivy": FORMAT,
        "fold": fold_fingerprint(),
        "words": words_in_force.fingerprint,
        "sources": dict(words_in_force.sources),
        "files": {name: (target / name).stat().st_size for name in sorted(named)},
    }
    (target / _HEAD).write_text(json.dumps(head, sort_keys=True) + "\n", "ascii")


def load_documents(folder: Path) -> Words:
    """The documents of an index folder, each with the dictionary words that it contributed."""
    place = folder / DOCUMENTS
    try:
        return {str(i): tuple(words) for i, words in json.loads(place.read_text("ascii")).items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        message = f"the documents of the lexical index cannot be read: {error}"
        raise Damaged(message, place=str(place), hint="run `oam reindex`") from error


def _containing(folder: Path, words: Iterable[str], among: Collection[str]) -> dict[str, list[str]]:
    """Documents of ``among`` that may contain one of ``words`` verbatim, with those; judged by character pairs."""
    reader = TantivyReader(folder)
    documents = np.zeros(reader.size, "u8")
    documents[reader.numbers] = reader.column("document", "u8")
    by_key = {document_key(i): i for i in among}
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        fields = []
        for field in FIELDS:
            groups = [[(should, reader.term(field, term)) for term in group] for group in needed(word)]
            fields.append((should, engine.boolean_query([(must, engine.boolean_query(group)) for group in groups])))
        hits = reader.find(engine.const_score_query(engine.boolean_query(fields), 1.0))
        for key in set(documents[hits.numbers].tolist()):
            if key in by_key:
                found.setdefault(by_key[key], []).append(word)
    reader.close()
    return found


def _commit(
    target: Path, segmenter: Segmenter, deleted: list[str], documents: list[IndexedDocument], words: Words, fresh: bool
) -> None:
    index: Any = tantivy.Index(schema(), str(target)) if fresh else tantivy.Index.open(str(target))
    writer = index.writer(_HEAP, 1)
    for identifier in deleted:
        writer.delete_documents_by_term("key", key_term(identifier))
    for document in documents:
        name = key_term(document.id)
        for entry in _entries(segmenter, document, words[document.id]):
            if entry["ordinal"] == MARKER:  # what it tells is in documents.json
                continue
            made: Any = tantivy.Document()
            made.add_text("key", name)
            made.add_unsigned("document", entry["document"])
            made.add_unsigned("ordinal", entry["ordinal"])
            for field in FIELDS:
                made.add_text(field, field_text(entry[field]))
                made.add_unsigned(f"{field}_length", entry[f"{field}_length"])
            writer.add_document(made)
    writer.commit()
    writer.wait_merging_threads()


def _link(previous: Path, target: Path) -> None:
    """Hard-link the engine's files and the word list; copy what every commit rewrites."""
    for name in (*engine_files(previous), _LIST):
        if name in _COPIED:
            shutil.copy2(previous / name, target / name)
        else:
            _link_file(previous / name, target / name)
