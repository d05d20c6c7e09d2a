"""The lexical channel on Tantivy (extra ``tantivy``): IDF+Coverage is a sum of constants, which the engine adds itself.

The query is a boolean of one dis-max per term, whose clauses are the ways in which the term may occur, each with a
constant score. Two sets of constants are used. *Weights* are the shares of the score itself: the engine ranks by them
and returns the best ``k``. *Digits* make the sum a number that names the best way of every term, and the score is
computed from it by :func:`~oam_rdf.index.scorers.idf_coverage`; so it is the score of the other backend to the last
bit, and ties are ties. Tantivy's scores are float32; digits stay in the whole numbers that it holds exactly.

Decision D16: where everything is visible, N and df are the engine's own counts (of entries, never of its statistics,
which include deleted ones). Otherwise they are counted over postings under the bitmap of visible rows, and what the
query found is filtered by it afterwards: a constant score depends on no other entry, so nothing hidden can move it.

BM25 needs frequencies of several fields at once: it is computed as in :mod:`~oam_rdf.index.lexical`, from postings.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oam_rdf.index.base import place_rows
from oam_rdf.index.impacts import View, Views
from oam_rdf.index.lexical import _PINNED, _RARE, LexicalIndex
from oam_rdf.index.lexical_result import LexicalResult
from oam_rdf.index.lexical_schema import FIELDS, key_term
from oam_rdf.index.lexical_terms import OTHER, SAME, WEIGHTS, Form, Term
from oam_rdf.index.lexical_writer import load_dictionary, load_words
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.postings import Postings
from oam_rdf.index.scorers import COVERAGE_SHARE, IDF_SHARE, Evidence, QueryTerm, idf, idf_coverage
from oam_rdf.index.tantivy_files import (
    EXACT,
    TantivyPostings,
    TantivyReader,
    check_head,
    engine,
    must,
    should,
)
from oam_rdf.index.tantivy_writer import publish
from oam_rdf.text.lexicon import PLAIN, Lexicon

__all__ = ["TantivyIndex", "publish"]

Bools = NDArray[np.bool_]
Rows = NDArray[np.int32]
_VERBATIM = ("literal", "bigram")  # the ways that pin (decision D22): the term as written
_MORE = 32  # hits beyond k that are looked at, so that the engine's rounding decides nothing
_FEW = 500  # documents that are worth a filter of their own
_SLACK = 1e-5  # far above float32's error in a sum of shares


class Way(NamedTuple):
    """How a term may occur, with its weight and the engine's queries for it, one for each form and field."""

    how: str
    weight: float
    clauses: tuple[Any, ...]


class _Found(Mapping[str, Postings]):
    """Postings by field, read when they are looked at."""

    def __init__(self, read: Callable[[], dict[str, Postings]]) -> None:
        self._read = read

    @cached_property
    def _fields(self) -> dict[str, Postings]:
        return self._read()

    def __getitem__(self, field: str) -> Postings:
        return self._fields[field]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


class TantivyIndex(LexicalIndex):
    """An open Tantivy index. Use :meth:`open`; a :class:`~oam_rdf.index.base.LexicalChannel`."""

    def __init__(self, folder: Path, reader: TantivyReader, passages: PassageTable, lexicon: Lexicon = PLAIN) -> None:
        self.folder, self.passages, self._reader, self.lexicon = folder, passages, reader, lexicon
        self.dictionary, self.words = load_dictionary(folder), load_words(folder)
        self.segmenter = self.dictionary.segmenter(self.words.segmenter())
        rows = place_rows(folder, passages, reader.column("document", "u8"), reader.column("ordinal", "u4"))
        lengths = {}
        for field in FIELDS:
            lengths[field] = np.zeros(len(passages))
            lengths[field][rows] = reader.column(f"{field}_length", "f8")
        self._views = Views(lengths, len(passages))
        self._rows: Rows = np.full(reader.size, -1, "i4")
        self._rows[reader.numbers] = rows
        reader.forget()
        self._postings: Any = TantivyPostings(reader, self._rows)
        self._evidence = OrderedDict()
        self._counts: OrderedDict[tuple[Term, tuple[str, ...]], int] = OrderedDict()

    @classmethod
    def open(cls, folder: Path, passages: PassageTable, lexicon: Lexicon = PLAIN) -> TantivyIndex:
        """As :meth:`LexicalIndex.open`."""
        check_head(folder)
        return cls(folder, TantivyReader(folder), passages, lexicon)

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
        """As :meth:`LexicalIndex.search`."""
        size = len(self.passages)
        fitting = all(given is None or given.shape == (size,) for given in (mask, visible))
        if scorer == "auto" and fitting:
            scorer = self._views.of(visible).scorer
        if scorer != "idf_coverage" or not fitting or set(fields) - set(FIELDS):
            return super().search(
                query, mask=mask, visible=visible, scorer=scorer, fields=fields, k=k, translate=translate,
                idf_form=idf_form,
            )  # fmt: skip
        searched = tuple(f for f in FIELDS if f in fields)
        view = self._views.of(visible)
        if view.n == size:
            visible = None
        allowed = mask if visible is None else visible if mask is None else mask & visible
        plan, whole = (self._translations(query), ()) if translate else self._plan(query, visible)
        terms = tuple(self._term(t, searched, view, idf_form) for t in plan)
        known = [(q, self._ways(t, searched)) for t, q in zip(plan, terms, strict=True) if q.known]
        total, among = 0, None
        if k and allowed is None and known:
            total, among = self._leading(known, k)
        rows, scores = self._scored(known, among)
        if allowed is not None:
            rows, scores = rows[allowed[rows]], scores[allowed[rows]]
        pins = self._pinned(plan, terms, searched, view.n, allowed)
        found = len(rows) if among is None else total
        result = LexicalResult(rows, scores, terms, scorer, found, pins, searched, (*plan, *whole))
        return result if k is None else result.cut(k)

    def _term(self, term: Term, fields: tuple[str, ...], view: View, form: str) -> QueryTerm:
        """df of the term itself, or of all its variants together if it occurs through variants only (D21)."""
        if view.n < len(self.passages):
            return view.term(term, fields, self._of(term, fields), form)
        df = self._counts.get((term, fields))
        if df is None:
            ways = self._ways(term, fields)
            own = [w for w in ways if w.how not in OTHER]
            df = 0
            for chosen in ([w for w in own if w.how in SAME], own, ways):
                df = df or self._reader.count(_any(c for w in chosen for c in w.clauses))
            self._counts[term, fields] = df
            while len(self._counts) > 512:
                self._counts.popitem(last=False)
        return QueryTerm(term.key, term.kind, df, idf(view.n, df, form), df > 0)

    def _leading(self, known: Sequence[tuple[QueryTerm, list[Way]]], k: int) -> tuple[int, Rows]:
        """How many rows are hit, and those that may be among the best ``k``, ranked by the engine itself."""
        whole = sum(term.idf for term, _ in known) or 1.0  # classic: terms that are everywhere weigh nothing
        parts = [
            _best([IDF_SHARE * term.idf * way.weight / whole + COVERAGE_SHARE / len(known) for way in ways], ways)
            for term, ways in known
        ]
        asked, limit = engine.boolean_query(parts), k + _MORE
        while True:
            hits = self._reader.find(asked, limit)
            scores = -np.sort(-hits.scores)
            last = scores[min(k, len(scores)) - 1]  # a known term has at least one hit
            if limit >= hits.total or last - scores[-1] > _SLACK:
                return hits.total, self._rows[hits.numbers[hits.scores >= last - _SLACK]]
            limit *= 8

    def _scored(
        self, known: Sequence[tuple[QueryTerm, list[Way]]], among: Rows | None
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Rows (ascending) with a known term and their scores; only rows of ``among`` if given."""
        batches: list[list[int]] = []
        room = 0
        for number, (_, ways) in enumerate(known):
            base = len(ways) + 1
            if room < base:
                batches.append([])
                room = EXACT
            batches[-1].append(number)
            room //= base
        sums = [self._digits([known[i][1] for i in batch], among) for batch in batches]
        rows = np.flatnonzero(np.logical_or.reduce(sums)).astype("i4") if sums else np.zeros(0, "i4")
        if among is not None:
            rows = rows[np.isin(rows, among)]
        evidence: list[list[Evidence]] = [[] for _ in known]
        for batch, codes in zip(batches, sums, strict=True):
            rest = codes[rows]
            for number in batch:
                ways = known[number][1]
                rest, digits = np.divmod(rest, np.int32(len(ways) + 1))
                for digit, way in enumerate(ways, 1):
                    held = np.flatnonzero(digits == digit).astype("i4")
                    if len(held):
                        postings = {"": Postings(held, np.ones(len(held), "f4"))}
                        evidence[number].append(Evidence(way.how, way.weight, postings))
        scores = idf_coverage(len(rows), [term for term, _ in known], evidence).astype("f4")
        return rows[scores > 0], scores[scores > 0]

    def _digits(self, terms: list[list[Way]], among: Rows | None) -> Rows:
        """For every row a number whose digits, the first term's first, are the best way of each term, 0 for none.

        A term's digits run from 0 to the number of its ways. Other rows than those ``among``, if given, may be left at 0.
        """
        parts, scale = [], 1
        for ways in terms:
            parts.append(_best([float(scale * digit) for digit in range(1, len(ways) + 1)], ways))
            scale *= len(ways) + 1
        asked = engine.boolean_query(parts)
        documents = [] if among is None else np.unique(self.passages.document[among]).tolist()
        if among is not None and len(documents) <= _FEW:
            names = sorted(key_term(self.passages.documents[document]) for document in documents)
            inside = engine.const_score_query(self._reader.terms("key", names), 0.0)
            asked = engine.boolean_query([(must, inside), (must, asked)])
        hits = self._reader.find(asked)
        codes: Rows = np.zeros(len(self.passages), "i4")
        codes[self._rows[hits.numbers]] = hits.scores
        return codes

    def _pinned(
        self, plan: Sequence[Term], terms: Sequence[QueryTerm], fields: tuple[str, ...], n: int, allowed: Bools | None
    ) -> Rows:
        """Rows that decision D22 pins."""
        none: Rows = np.zeros(0, "i4")
        if not terms or not all(t.known for t in terms) or min(t.df for t in terms) > max(1, _RARE * n):
            return none
        parts = []
        for term in plan:
            ways = self._ways(term, fields)
            parts.append((must, _any(c for way in ways if way.how in _VERBATIM for c in way.clauses)))
        hits = self._reader.find(engine.const_score_query(engine.boolean_query(parts), 1.0))
        rows: Rows = np.sort(self._rows[hits.numbers])
        if allowed is not None:
            rows = rows[allowed[rows]]
        return rows if len(rows) <= _PINNED else none

    def _ways(self, term: Term, fields: tuple[str, ...]) -> list[Way]:
        """Ways in which the term may occur, worst first, forms of one way together."""
        ways: dict[tuple[float, str], list[Any]] = {}
        for form in term.forms:
            clauses = ways.setdefault((_weight(form), form.how), [])
            clauses += [self._clause(field, form.groups) for field in fields]
        return [Way(how, weight, tuple(ways[weight, how])) for weight, how in sorted(ways)]

    def _clause(self, field: str, groups: Collection[tuple[str, ...]]) -> Any:
        """Query for a form in a field: of every group at least one term."""
        parts = [_any(self._reader.term(field, term) for term in group) for group in groups]
        return parts[0] if len(parts) == 1 else engine.boolean_query([(must, part) for part in parts])

    def _of(self, term: Term, fields: tuple[str, ...]) -> list[Evidence]:
        """As in the parent, but postings are read only if they are looked at."""
        place = (term, fields)
        known = self._evidence.get(place)
        if known is None:
            known = [Evidence(f.how, _weight(f), _Found(self._fields(f.groups, fields)), f.text) for f in term.forms]
            known[1:] = sorted(known[1:], key=lambda e: -e.weight)
            self._evidence[place] = known
            while len(self._evidence) > 512:
                self._evidence.popitem(last=False)
        return known

    def _fields(
        self, groups: Collection[tuple[str, ...]], fields: tuple[str, ...]
    ) -> Callable[[], dict[str, Postings]]:
        def read() -> dict[str, Postings]:
            by_field = {f: self._form(f, groups) for f in fields}
            return {f: p for f, p in by_field.items() if len(p.rows)}

        return read


def _weight(form: Form) -> float:
    return WEIGHTS[form.how] * form.share


def _any(clauses: Any) -> Any:
    """At least one of the queries."""
    parts = list(clauses)
    return parts[0] if len(parts) == 1 else engine.boolean_query([(should, part) for part in parts])


def _best(constants: Sequence[float], ways: Sequence[Way]) -> tuple[Any, Any]:
    """The clause of one term: the largest constant among the ways that hold."""
    clauses = [
        engine.const_score_query(c, value) for value, way in zip(constants, ways, strict=True) for c in way.clauses
    ]
    return should, engine.disjunction_max_query(clauses)
