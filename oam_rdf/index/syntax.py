"""Whoosh's query syntax over the lexical index: AND, OR, NOT, brackets and ``field:`` (retrieval.md, "Lexical").

Only what can be said of rows: phrases, prefixes and wildcards would need word positions or spellings that the index does
not keep, and are refused. A word is met by its own forms (stem, joined, in pairs), never by a synonym.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh.qparser.common import QueryParserError
from whoosh.qparser.default import QueryParser
from whoosh.query.compound import And, AndNot, Or
from whoosh.query.qcore import NullQuery
from whoosh.query.terms import Term
from whoosh.query.wrappers import Not

from oam_rdf.errors import UsageError
from oam_rdf.index.base import LexicalChannel
from oam_rdf.index.lexical_schema import FIELDS

Bools = NDArray[np.bool_]
_ANY = "any"
_HINT = "AND, OR, NOT, brackets and " + ", ".join(f"{field}:" for field in FIELDS) + " are understood"
_parser: Any = QueryParser(_ANY, schema=None)


def parse(text: str) -> Any:
    """The query tree. :raises UsageError: for what is no query, a field that is none, or a kind that is not kept here."""
    try:
        query = _parser.parse(text)
    except QueryParserError as error:
        raise UsageError(f"not a query: {error}", hint=_HINT) from error
    if query == NullQuery or not words(query):
        raise UsageError(f"{text!r} asks for no word", hint=_HINT)
    return query


def words(query: Any) -> str:
    """The words that are asked for, those under NOT left out, in order."""
    return " ".join(dict.fromkeys(leaf.text for leaf, wanted in _leaves(query) if wanted))


def holds(index: LexicalChannel, query: Any, visible: Bools) -> Bools:
    """``bool[n]``: rows that meet the query. Words are cut as ``visible`` rows know them, so nothing hidden decides."""
    if isinstance(query, Term):
        return _term(index, query, visible)
    if isinstance(query, Not):
        return ~holds(index, query.query, visible)
    if isinstance(query, AndNot):
        return holds(index, query.a, visible) & ~holds(index, query.b, visible)
    parts = [holds(index, part, visible) for part in query]
    combine = np.logical_and if isinstance(query, And) else np.logical_or
    return np.asarray(combine.reduce(parts))


def _term(index: LexicalChannel, term: Any, visible: Bools) -> Bools:
    fields = FIELDS if term.fieldname == _ANY else (term.fieldname,)
    size = len(visible)
    held = np.ones(size, dtype=bool)
    terms = index.holding(index.search(term.text, fields=fields, visible=visible))
    for _, rows in terms:
        met = np.zeros(size, dtype=bool)
        met[rows] = True
        held &= met
    return held if terms else np.zeros(size, dtype=bool)


def _leaves(query: Any, wanted: bool = True) -> Iterator[tuple[Any, bool]]:
    if isinstance(query, Term):
        if query.fieldname not in (_ANY, *FIELDS):
            raise UsageError(f"unknown field {query.fieldname!r}", hint="one of " + ", ".join(FIELDS))
        yield query, wanted
    elif isinstance(query, Not):
        yield from _leaves(query.query, not wanted)
    elif isinstance(query, AndNot):
        yield from _leaves(query.a, wanted)
        yield from _leaves(query.b, not wanted)
    elif isinstance(query, (And, Or)):
        for part in query:
            yield from _leaves(part, wanted)
    else:
        raise UsageError(f"{type(query).__name__} queries cannot be answered: {query}", hint=_HINT)
