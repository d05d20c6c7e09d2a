"""What a backend of the lexical channel offers, whichever engine is behind it, and where each is found.

The contract (``tests/contract/test_lexical.py``): on equal documents every backend returns the same rows in the same
order with the same scores, matches and pins. Engines are imported on first use only, since one of them is an extra.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.lexical_schema import FIELDS, document_key
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.text.lexicon import PLAIN, Lexicon
from oam_rdf.text.wordlist import NO_WORDS, WordList

if TYPE_CHECKING:
    from oam_rdf.index.lexical_result import LexicalResult, Match
    from oam_rdf.index.scorers import QueryTerm

Bools = NDArray[np.bool_]


class LexicalChannel(Protocol):
    """An open lexical index over the rows of ``passages``: read-only, shared between threads, writes nothing."""

    passages: PassageTable

    def search(
        self,
        query: str,
        *,
        mask: Bools | None = None,
        visible: Bools | None = None,
        scorer: str = "auto",
        fields: Sequence[str] = FIELDS,
        k: int | None = None,
        translate: bool = False,
        idf_form: str = "smooth",
    ) -> LexicalResult:
        """Rows that hold at least one known term of ``query`` (plain text), best first, ties by row.

        ``mask`` (bool[n]) are the rows that may be returned, ``visible`` (bool[n]) those that N, df and lengths count;
        what is not visible moves no score (decision D16). ``translate`` asks with the query's words in the other
        language; ``idf_form`` is smooth or classic (decision D21). :raises UsageError: for an unknown scorer or field, or a
        mask of another length.
        """
        ...

    def matches(self, rows: Sequence[int], result: LexicalResult) -> list[tuple[Match, ...]]:
        """How each query term of ``result`` occurs in each of ``rows``: best way only, in query order."""
        ...

    def matched(self, row: int, result: LexicalResult) -> tuple[str, ...]:
        """:meth:`matches` of one row as texts."""
        ...

    def holding(self, result: LexicalResult) -> list[tuple[QueryTerm, NDArray[np.int32]]]:
        """Each original term of ``result`` with the rows that hold it, in whatever form of its own (no synonym)."""
        ...

    def close(self) -> None:
        """Release the files; the index cannot be searched afterwards."""
        ...


class Publish(Protocol):
    """Makes the index of the next generation in ``target`` (absent or empty) from that of the ``previous`` one.

    No file of ``previous`` is altered. ``added`` replace documents of the same id, unknown ids in ``removed`` are
    ignored, ``reread`` gives a document again whose text a new word cuts differently, ``words_in_force`` are known
    whatever the documents say. The index depends on the set of documents, never on their order.

    :raises UsageError: for a ``target`` in use.
    :raises Damaged: if ``previous`` cannot be read or was made with other folding tables or words; then publish from None.
    """

    def __call__(
        self,
        previous: Path | None,
        target: Path,
        removed: Collection[str],
        added: Iterable[IndexedDocument],
        reread: Callable[[str], IndexedDocument],
        words_in_force: WordList = NO_WORDS,
    ) -> None: ...


class Open(Protocol):
    """Opens an index folder for reading; ``lexicon`` is what queries are widened by.

    :raises Damaged: if a file is missing, was made otherwise, or disagrees with ``passages``.
    """

    def __call__(self, folder: Path, passages: PassageTable, lexicon: Lexicon = PLAIN) -> LexicalChannel: ...


class Backend(NamedTuple):
    """A backend: the name in ``oam.toml``, its folder in a generation, how it is opened and published."""

    name: str
    folder: str
    open: Open
    publish: Publish


def backend(name: str) -> Backend:
    """The backend ``whoosh`` or ``tantivy``.

    :raises UsageError: for any other name. :raises FeatureMissing: if its package is not installed.
    """
    if name == "whoosh":
        from oam_rdf.index import lexical

        return Backend(name, "lexical", lexical.LexicalIndex.open, lexical.publish)
    if name == "tantivy":
        from oam_rdf.index import lexical_tantivy

        return Backend(name, "tantivy", lexical_tantivy.TantivyIndex.open, lexical_tantivy.publish)
    raise UsageError(f"unknown lexical backend {name!r}", hint="whoosh or tantivy")


def place_rows(
    folder: Path, passages: PassageTable, document: NDArray[np.uint64], ordinal: NDArray[Any]
) -> NDArray[np.int64]:
    """Row in ``passages`` of each indexed entry, given its document key and ordinal.

    :raises Damaged: unless entries and passages are the same set (hazard 11).
    """
    keys = np.array([document_key(d) for d in passages.documents], "u8")
    order = np.argsort(keys)
    first = np.searchsorted(passages.document, np.arange(len(keys) + 1))
    at = np.searchsorted(keys[order], document)
    message, hint = "the lexical index and the passage table differ", "run `oam reindex`"
    if len(document) != len(passages) or (len(document) and int(at.max()) >= len(keys)):
        found = f"{len(document)} and {len(passages)} passages"
        raise Damaged(f"{message}: {found}", place=str(folder), hint=hint)
    if not len(document):
        return np.zeros(0, "i8")
    found_at = order[at]
    rows: NDArray[np.int64] = (first[found_at] + ordinal).astype("i8")
    same = bool(np.all(keys[found_at] == document) and np.all(rows < first[found_at + 1]))
    if not same or len(np.unique(rows)) != len(rows):
        raise Damaged(message, place=str(folder), hint=hint)
    return rows
