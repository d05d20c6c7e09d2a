"""Publication of the lexical index: the next generation's folder is made from the previous one's.

The files that the previous table of contents names are hard-linked, and the change is committed beside them: Whoosh
writes new segments and a new table of contents, and unlinks what it no longer needs in the new folder only. No file of
the previous generation is ever altered.

A word that enters or leaves the dictionary changes how every text that contains it is cut, so those documents are read
again and written anew in the same publication: the index depends on the set of documents, never on their order.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from whoosh.index import TOC
from whoosh.reading import SegmentReader

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.lexical_schema import (
    FIELDS,
    FORMAT,
    INDEX_NAME,
    MARKER,
    document_key,
    forget_terms,
    key_term,
    read_column,
    schema,
)
from oam_rdf.index.lexical_terms import field_length, field_terms, needed
from oam_rdf.index.passages import IndexedDocument
from oam_rdf.index.postings import PostingReader, all_of, any_of, open_reader, open_whoosh
from oam_rdf.text.dictionary import Dictionary, accept
from oam_rdf.text.normalise import fold_fingerprint, index_key
from oam_rdf.text.segment import Segmenter
from oam_rdf.text.wordlist import NO_WORDS, WordList

LIMIT_MB = 2048  # Whoosh's estimate of postings held before it spills to disk (about half of it in truth)
_HEAD, _WORDS, _LIST = "lexical.json", "dictionary.tsv", "words.txt"
_toc: Any = TOC


def publish(
    previous: Path | None,
    target: Path,
    removed: Collection[str],
    added: Iterable[IndexedDocument],
    reread: Callable[[str], IndexedDocument],
    words_in_force: WordList = NO_WORDS,
) -> None:
    """Make the index in ``target`` (absent or empty) from ``previous`` without ``removed`` and with ``added``.

    Added documents replace those of the same id; removed ids that are not here are ignored. ``reread`` gives a
    document of the previous generation again when its text must be cut anew. One writer at a time: the caller holds
    the write lock. ``words_in_force`` are known whatever the documents say. Raises :class:`UsageError` for a duplicate
    id among ``added`` or a ``target`` in use, :class:`Damaged` if ``previous`` cannot be read or was made with other
    folding tables or words (then publish from None).
    """
    new = {d.id: d for d in added}
    documents = sorted(new.values(), key=lambda d: d.id)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise UsageError("a new lexical index needs an empty folder", place=str(target))
    if previous is None:
        old, dictionary = None, Dictionary()
        _toc.create(_storage(target), schema(), INDEX_NAME)
    else:
        if other_words(previous, words_in_force):
            message = "the lexical index was made with another word list"
            raise Damaged(message, place=str(previous / _LIST), hint="run `oam reindex`")
        dictionary = Dictionary.load(previous / _WORDS)
        _link(previous, target)
        old = _Previous(target)
    words = {d.id: accept(d.terms) for d in documents}
    gone = [i for i in {*removed, *new} if old is not None and i in old]
    after, changed = dictionary.change((old.words(i) for i in gone) if old else (), words.values())
    changed -= words_in_force.words  # known before and after
    again: list[str] = []
    if old is not None:
        nominated = old.containing(changed, frozenset(gone))
        for identifier, reasons in sorted(nominated.items()):
            document = reread(identifier)
            if any(reason in text for text in _texts(document) for reason in reasons):
                documents.append(document)
                words[identifier] = old.words(identifier)  # as counted when it came
                again.append(identifier)
        old.close()
    _commit(target, after.segmenter(words_in_force.segmenter()), [*gone, *again], documents, words)
    after.save(target / _WORDS)
    if previous is None:
        (target / _LIST).write_bytes(words_in_force.dump())
    else:
        _link_file(previous / _LIST, target / _LIST)
    head = {
        "format": FORMAT,
        "fold": fold_fingerprint(),
        "words": words_in_force.fingerprint,
        "sources": dict(words_in_force.sources),
    }
    (target / _HEAD).write_text(json.dumps(head, sort_keys=True) + "\n", "ascii")


def check_head(folder: Path) -> dict[str, Any]:
    """The head of ``folder``; :class:`Damaged` unless it is an index of this format and folding table.

    ``words`` is the fingerprint of the word list that it was made with, ``sources`` what that list came from.
    """
    place, hint = folder / _HEAD, "run `oam reindex`"
    try:
        head: dict[str, Any] = json.loads(place.read_text("ascii"))
        made = (head["format"], head["fold"], str(head["words"]))[:2]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Damaged(f"not a lexical index: {error}", place=str(place), hint=hint) from error
    if made != (FORMAT, fold_fingerprint()):
        raise Damaged("the lexical index was made with other folding tables", place=str(place), hint=hint)
    return head


def load_dictionary(folder: Path) -> Dictionary:
    """The dictionary in force of an index folder."""
    return Dictionary.load(folder / _WORDS)


def other_words(folder: Path, words_in_force: WordList) -> bool:
    """Whether the index in ``folder`` was made with another word list; :class:`Damaged` if there is none."""
    return bool(check_head(folder)["words"] != words_in_force.fingerprint)


def load_words(folder: Path) -> WordList:
    """The word list that an index folder was made with; :class:`Damaged` if it is not what the head says."""
    place = folder / _LIST
    try:
        words = WordList.read(place.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(f"the word list cannot be read: {error}", place=str(place), hint="run `oam reindex`") from error
    if other_words(folder, words):
        message = "the word list is not the one that the index was made with"
        raise Damaged(message, place=str(place), hint="run `oam reindex`")
    return words


class _Previous:
    """Documents of the previous generation, seen through its links in the new folder before anything is committed."""

    def __init__(self, folder: Path) -> None:
        self._reader: Any = open_reader(folder)
        parts = [(leaf, leaf.doc_count_all()) for leaf, _ in self._reader.leaf_readers()]
        parts = [(leaf, size) for leaf, size in parts if size]
        none = [np.zeros(0, "u8")]
        self._document = np.concatenate([read_column(leaf, "document", n) for leaf, n in parts] or none)
        ordinal = np.concatenate([read_column(leaf, "ordinal", n) for leaf, n in parts] or none)
        markers = np.flatnonzero(ordinal == MARKER).tolist()
        # Entry of each document's marker by its key. What it says is read of a few documents only.
        self._markers = {int(self._document[n]): n for n in markers if not self._reader.is_deleted(n)}
        self._postings = PostingReader(self._reader)

    def __contains__(self, identifier: str) -> bool:
        return document_key(identifier) in self._markers

    def words(self, identifier: str) -> tuple[str, ...]:
        """Accepted dictionary words that the document contributed."""
        return self._marker(document_key(identifier))[1]

    def _marker(self, key: int) -> tuple[str, tuple[str, ...]]:
        identifier, words = self._reader.stored_fields(self._markers[key])["marker"]
        return identifier, tuple(words)

    def containing(self, words: Iterable[str], skip: Collection[str]) -> dict[str, list[str]]:
        """Documents that may contain one of ``words`` verbatim, with those words; judged by character pairs."""
        found: dict[str, list[str]] = {}
        for word in sorted(words):
            groups = needed(word)
            hits = [
                all_of([any_of([self._postings.get(field, term) for term in group]) for group in groups]).rows
                for field in FIELDS
            ]
            for key in set(self._document[np.concatenate(hits)].tolist()) & self._markers.keys():
                if (identifier := self._marker(key)[0]) not in skip:
                    found.setdefault(identifier, []).append(word)
        return found

    def close(self) -> None:
        """Release the files."""
        self._postings.close()
        self._reader.close()


def _texts(document: IndexedDocument) -> Iterator[str]:
    """The folded texts that are indexed for a document."""
    yield index_key(document.title)
    for passage in document.passages:
        yield index_key(f"{document.id} {passage.object}")
        yield index_key(passage.heading)
        yield index_key(passage.text)


def _commit(
    target: Path,
    segmenter: Segmenter,
    deleted: Iterable[str],
    documents: list[IndexedDocument],
    words: dict[str, tuple[str, ...]],
) -> None:
    index = open_whoosh(target)
    index.storage.readonly = False
    writer = index.writer(limitmb=LIMIT_MB)
    try:
        postings = PostingReader(reader := writer.reader())
        numbers = [n for i in deleted for n in postings.get("key", key_term(i)).rows.tolist()]
        postings.close()
        reader.close()
        for number in numbers:
            if not writer.is_deleted(number):
                writer.delete_document(number)
        for document in documents:
            for entry in _entries(segmenter, document, words[document.id]):
                writer.add_document(**entry)
    except BaseException:
        writer.cancel()
        raise
    writer.commit(mergetype=_merge)
    forget_terms()
    (target / f"{INDEX_NAME}_WRITELOCK").unlink(missing_ok=True)


def _entries(segmenter: Segmenter, document: IndexedDocument, words: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Whoosh entries of a document: its marker, then its passages."""
    number, name = document_key(document.id), key_term(document.id)
    yield {"key": {name: 1}, "document": number, "ordinal": MARKER, "marker": (document.id, words)}
    counted: dict[str, tuple[dict[str, int], int]] = {}

    def terms(text: str) -> tuple[dict[str, int], int]:
        """Title, id and heading recur from passage to passage."""
        if text not in counted:
            folded = index_key(text)
            counted[text] = field_terms(segmenter, folded), field_length(folded)
        return counted[text]

    for ordinal, passage in enumerate(document.passages):
        entry: dict[str, Any] = {"key": {name: 1}, "document": number, "ordinal": ordinal}
        identifiers = f"{document.id} {passage.object}"
        body = index_key(passage.text)
        values = (terms(identifiers), terms(document.title), terms(passage.heading))
        for field, (counts, length) in zip(
            FIELDS, (*values, (field_terms(segmenter, body), field_length(body))), strict=True
        ):
            entry[field], entry[f"{field}_length"] = counts, length
        yield entry


def _merge(writer: Any, segments: list[Any]) -> list[Any]:
    """Merge policy: a segment joins the one being written if it is at most twice as large, or mostly deleted.

    Small publications therefore cost little and leave a number of segments that is logarithmic in the index.
    """
    size, keep = writer.doc_count(), set()
    for segment in sorted(segments, key=lambda s: (s.doc_count(), s.segment_id())):
        live = segment.doc_count()
        if live and live > 2 * size and 2 * live > segment.doc_count_all():
            keep.add(segment.segment_id())
        elif live:
            reader = SegmentReader(writer.storage, writer.schema, segment)
            writer.add_reader(reader)
            reader.close()
            size += live
    return [s for s in segments if s.segment_id() in keep]


def _storage(folder: Path) -> Any:
    from whoosh.filedb import filestore

    make: Any = filestore.FileStorage
    return make(str(folder))


def _link(previous: Path, target: Path) -> None:
    """Hard-link what the newest table of contents of ``previous`` names; copy where the file system cannot link."""
    storage = open_whoosh(previous).storage
    generation = _toc._latest_generation(storage, INDEX_NAME)
    names = [_toc._filename(INDEX_NAME, generation)]
    for segment in _toc.read(storage, INDEX_NAME, gen=generation, schema=schema()).segments:
        files = sorted(segment.list_files(storage))
        if not files:
            raise Damaged(f"segment {segment.segment_id()} is missing", place=str(previous), hint="run `oam reindex`")
        names += files
    for name in names:
        _link_file(previous / name, target / name)


def _link_file(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
