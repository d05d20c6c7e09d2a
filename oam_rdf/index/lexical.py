"""The lexical channel: Whoosh postings scored in numpy, over the rows of a passage table.

Read-only and safe to share between threads; opening writes nothing. :func:`publish` makes the next generation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.impacts import Views
from oam_rdf.index.lexical_expand import translatable, with_synonyms
from oam_rdf.index.lexical_result import LexicalResult, Match
from oam_rdf.index.lexical_schema import FIELDS, MARKER, document_key, read_column
from oam_rdf.index.lexical_terms import OTHER, WEIGHTS, Term, runs
from oam_rdf.index.lexical_writer import check_head, load_dictionary, load_words, publish
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.postings import NONE, PostingReader, Postings, all_of, any_of, open_reader, reading
from oam_rdf.index.scorers import Evidence, QueryTerm, bm25, idf_coverage
from oam_rdf.text.lexicon import PLAIN, Lexicon
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import HAN

__all__ = ["FIELDS", "LexicalIndex", "LexicalResult", "Match", "QueryTerm", "publish"]

SCORERS = ("auto", "bm25", "idf_coverage")
# Decision D22: a pin needs a term in at most 5 % of the passages, and no more than 20 rows are pinned.
_RARE, _PINNED = 0.05, 20
_TERMS = 2048  # whose postings are kept put together: those of the last hundred queries or so

Bools = NDArray[np.bool_]


class LexicalIndex:
    """An open lexical index. Use :meth:`open`."""

    def __init__(self, folder: Path, reader: Any, passages: PassageTable, lexicon: Lexicon = PLAIN) -> None:
        self.folder, self.passages, self._reader, self.lexicon = folder, passages, reader, lexicon
        self.dictionary, self.words = load_dictionary(folder), load_words(folder)
        self.segmenter = self.dictionary.segmenter(self.words.segmenter())
        rows, lengths = _map_rows(folder, reader, passages)
        self._postings = PostingReader(reader, rows)
        self._views = Views(lengths, len(passages))
        self._evidence: OrderedDict[tuple[Term, tuple[str, ...]], list[Evidence]] = OrderedDict()

    @classmethod
    def open(cls, folder: Path, passages: PassageTable, lexicon: Lexicon = PLAIN) -> LexicalIndex:
        """Open for reading; :class:`Damaged` if a file is missing, made otherwise, or disagrees with ``passages``.

        ``lexicon`` is what queries are widened by. The word list in force is the one that the index was made with.
        """
        check_head(folder)
        reader = open_reader(folder)
        with reading(folder):
            return cls(folder, reader, passages, lexicon)

    def close(self) -> None:
        """Release the files; the index cannot be searched afterwards."""
        self._postings.close()
        self._reader.close()

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
        """Rows that hold at least one known term of ``query`` (plain text), best first.

        ``mask`` (bool[n]) are the rows that may be returned; ``visible`` (bool[n]) those the caller may know of: N,
        df and lengths count these alone, and none else is returned. ``scorer`` auto | bm25 | idf_coverage; ``k`` cuts
        the list. ``translate`` asks with the words that the query has in the other language, and with letters and
        numbers as written: it is for passages whose language is not the query's. ``idf_form`` smooth | classic is that of
        IDF+Coverage; BM25 has its own. A query with no known term has no rows
        (decision D21). :class:`UsageError` for an unknown scorer or field or a mask of the wrong length.
        """
        size = len(self.passages)
        for given in (mask, visible):
            if given is not None and given.shape != (size,):
                raise UsageError(f"a mask has shape {given.shape}, the index {size} rows")
        if scorer not in SCORERS:
            raise UsageError(f"unknown scorer {scorer!r}", hint="one of " + ", ".join(SCORERS))
        if unknown := set(fields) - set(FIELDS):
            raise UsageError(f"unknown field {min(unknown)!r}", hint="one of " + ", ".join(FIELDS))
        searched = tuple(f for f in FIELDS if f in fields)
        view = self._views.of(visible)
        plan, whole = (self._translations(query), ()) if translate else self._plan(query, visible)
        evidence = [self._of(term, searched) for term in plan]
        terms = tuple(view.term(t, searched, e, idf_form) for t, e in zip(plan, evidence, strict=True))
        scorer = view.scorer if scorer == "auto" else scorer
        if scorer == "bm25":
            scored = [(t, self._of(t, searched)) for t in (*plan, *whole)]
            known = [view.term(t, searched, e) for t, e in scored]
            scores = bm25(size, view.n, known, [view.impact(t, searched, e) for t, e in scored])
        else:
            scores = idf_coverage(size, terms, evidence)
        rounded = scores.astype("f4")
        held = rounded > 0
        for given in (mask, visible):
            if given is not None:
                held &= given
        hits = np.flatnonzero(held).astype("i4")
        pins = _pins(terms, evidence, view.n, [given for given in (mask, visible) if given is not None])
        result = LexicalResult(hits, rounded[hits], terms, scorer, len(hits), pins, searched, (*plan, *whole))
        return result if k is None else result.cut(k)

    def matches(self, rows: Sequence[int], result: LexicalResult) -> list[tuple[Match, ...]]:
        """How each query term of ``result`` occurs in each of ``rows``, best way only, in query order, unbroken runs last.

        A posting list is searched once for all rows: one call for many rows costs little more than one for a single row.
        """
        wanted = np.asarray(rows, "i4")
        found: list[dict[Match, None]] = [{} for _ in rows]  # a term may be asked for as itself and by its translations
        for term in result.plan:
            without = np.ones(len(wanted), bool)
            for way in self._of(term, result.fields):
                held = {f: _holds(postings, wanted) for f, postings in way.fields.items()}
                here = without & np.logical_or.reduce(list(held.values())) if held else without & False
                for at in np.flatnonzero(here).tolist():
                    where = tuple(f for f, there in held.items() if there[at])
                    found[at][Match(term.key, way.how, where, way.text)] = None
                without &= ~here
                if not without.any():
                    break
        return [tuple(matches) for matches in found]

    def matched(self, row: int, result: LexicalResult) -> tuple[str, ...]:
        """:meth:`matches` of one row as texts: ``呼吸律 (literal: title, body)``."""
        return tuple(str(m) for m in self.matches([row], result)[0])

    def holding(self, result: LexicalResult) -> list[tuple[QueryTerm, NDArray[np.int32]]]:
        """Each original term of ``result`` with the rows that hold it, in whatever form of its own (no synonym)."""
        forms = {term.key: term for term in result.plan}
        found = []
        for term in result.terms:
            ways = self._of(forms[term.key], result.fields) if term.key in forms else []
            rows = [p.rows for way in ways if way.how not in OTHER for p in way.fields.values()]
            found.append((term, np.unique(np.concatenate(rows)).astype("i4") if rows else np.zeros(0, "i4")))
        return found

    def _plan(self, query: str, visible: Bools | None) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """Original query terms, and the unbroken runs that they make.

        A dictionary word that no visible row holds as such is cut again without it.
        So a word that only a hidden document brought into the dictionary leaves no trace, and a word that the texts
        never show whole does not stand in the way of the words inside it.
        """
        folded = index_key(query)
        absent: set[str] = set()
        while True:
            tokens = self.segmenter.segment(folded, absent)
            plan = with_synonyms(tokens, self.lexicon)
            more = {t.key for t in plan if t.kind == HAN and len(t.key) > 1 and not self._stands(t, visible)}
            if not more:
                return plan, runs(tokens)
            absent |= more

    def _stands(self, term: Term, visible: Bools | None) -> bool:
        """Whether a visible row holds the dictionary word as such, or a synonym of it."""
        ways = [way for way in self._of(term, FIELDS) if way.how in ("literal", "synonym")]
        return any(_any(postings, visible) for way in ways for postings in way.fields.values())

    def _translations(self, query: str) -> tuple[Term, ...]:
        return translatable(query, self.words.segmenter(), self.lexicon)

    def _of(self, term: Term, fields: tuple[str, ...]) -> list[Evidence]:
        """Evidence for a term, best weight first; kept for the last terms."""
        place = (term, fields)
        known = self._evidence.get(place)
        if known is not None:
            return known
        out: list[Evidence] = []
        for form in term.forms:
            by_field = {f: self._form(f, form.groups) for f in fields}
            found = {f: p for f, p in by_field.items() if len(p.rows)}
            if found or not out:
                out.append(Evidence(form.how, WEIGHTS[form.how] * form.share, found, form.text))
        out[1:] = sorted(out[1:], key=lambda e: -e.weight)
        self._evidence[place] = out
        while len(self._evidence) > _TERMS:
            self._evidence.popitem(last=False)
        return out

    def _form(self, field: str, groups: Collection[tuple[str, ...]]) -> Postings:
        lists = []
        for group in groups:
            found = any_of([self._postings.get(field, term) for term in group])
            if not len(found.rows):
                return NONE
            lists.append(found)
        return all_of(lists)


def _any(postings: Postings, visible: Bools | None) -> bool:
    return len(postings.rows) > 0 if visible is None else bool(visible[postings.rows].any())


def _holds(postings: Postings, rows: NDArray[np.int32]) -> Bools:
    """Which of ``rows`` a posting list holds."""
    if not len(postings.rows):
        return np.zeros(len(rows), bool)
    at = postings.rows.searchsorted(rows)
    at[at == len(postings.rows)] = 0
    return np.equal(postings.rows[at], rows)


def _pins(
    terms: tuple[QueryTerm, ...], evidence: list[list[Evidence]], n: int, masks: Sequence[Bools]
) -> NDArray[np.int32]:
    """Rows that decision D22 pins."""
    none = np.zeros(0, "i4")
    if not terms or not all(t.known for t in terms) or min(t.df for t in terms) > max(1, _RARE * n):
        return none
    rows: NDArray[np.int32] | None = None
    for _, ways in sorted(zip(terms, evidence, strict=True), key=lambda pair: pair[0].df):  # the rarest has fewest rows
        verbatim = [p for way in ways if way.how in ("literal", "bigram") for p in way.fields.values()]
        if rows is None:
            rows = np.unique(np.concatenate([p.rows for p in verbatim])) if verbatim else none
        else:
            rows = rows[np.logical_or.reduce([_holds(p, rows) for p in verbatim])] if verbatim else none
    for mask in masks:
        rows = none if rows is None else rows[mask[rows]]
    return rows if rows is not None and len(rows) <= _PINNED else none


def _map_rows(
    folder: Path, reader: Any, passages: PassageTable
) -> tuple[NDArray[np.int32], dict[str, NDArray[np.float64]]]:
    """Row of every Whoosh entry (-1 = deleted or marker) and field lengths by row; proves that all rows are here."""
    leaves = [(leaf, leaf.doc_count_all()) for leaf, _ in reader.leaf_readers()] if reader.doc_count_all() else []

    def column(name: str) -> NDArray[Any]:
        parts = [read_column(leaf, name, n) for leaf, n in leaves]
        return np.concatenate(parts) if parts else np.zeros(0, "u4")

    document, ordinal = column("document"), column("ordinal")
    alive = ordinal != MARKER
    base = 0
    for leaf, n in leaves:
        alive[[base + d for d in leaf._perdoc.deleted_docs()]] = False
        base += n
    keys = np.array([document_key(d) for d in passages.documents], "u8")
    order = np.argsort(keys)
    first = np.searchsorted(passages.document, np.arange(len(keys) + 1))
    numbers = np.flatnonzero(alive)
    at = np.searchsorted(keys[order], document[numbers])
    wrong = "the lexical index and the passage table differ"
    if len(numbers) != len(passages) or (len(numbers) and int(at.max()) >= len(keys)):
        raise Damaged(
            f"{wrong}: {len(numbers)} and {len(passages)} passages", place=str(folder), hint="run `oam reindex`"
        )
    found = order[at] if len(keys) else at
    rows = (first[found] + ordinal[numbers]).astype("i8")
    if len(numbers) and (
        np.any(keys[found] != document[numbers])
        or np.any(rows >= first[found + 1])
        or len(np.unique(rows)) != len(rows)
    ):
        raise Damaged(wrong, place=str(folder), hint="run `oam reindex`")
    mapped = np.full(len(alive), -1, "i4")
    mapped[numbers] = rows
    lengths = {}
    for field in FIELDS:
        lengths[field] = np.zeros(len(passages))
        lengths[field][rows] = column(f"{field}_length")[numbers]
    return mapped, lengths
