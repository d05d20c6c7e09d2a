"""How much of what a query names stands together in one candidate: a fact about words, for the gate (paper §4.7).

Each content term of the query counts by its idf, one that occurs nowhere as much as the rarest known one. A term stands in
a candidate in whatever form the index knows of it, a synonym or translation too. No vector takes part: what is near in
meaning may still be about something else (hazard 74).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whoosh.lang.stopwords import stoplists

from oam_rdf.index.lexical import Match
from oam_rdf.query.trace import Candidate, State
from oam_rdf.query.unknown import is_function

LITTLE, HALF = 1 / 3, 1 / 2
_FEWEST = 3  # content terms below which a share says nothing
_READ = 10


@dataclass(frozen=True, slots=True)
class Together:
    """``share`` in [0, 1] of what the query names in the candidate that holds most of it; ``missing`` are the other terms."""

    share: float
    missing: tuple[str, ...]


def together(state: State) -> Together | None:
    """None where it cannot be said: words were not searched, or the query names too few things."""
    found = state.lexical
    if found is None or any(candidate.history for candidate in state.candidates):
        return None
    content = [term for term in found.terms if not (term.key in stoplists["en"] or is_function(term.key))]
    if len(content) < _FEWEST or not any(term.known for term in content):
        return None
    rarest = max(term.idf for term in content)
    weight = {term.key: term.idf if term.known else rarest for term in content}
    whole = sum(weight.values())
    best, held = 0.0, frozenset[str]()
    read = state.candidates[:_READ]
    hits = state.matches([candidate.passage for candidate in read])
    for candidate in read:
        has = _terms(candidate, hits[candidate.passage]) & weight.keys()
        share = sum(weight[term] for term in has) / whole
        if share > best:
            best, held = share, has
    return Together(round(best, 4), tuple(term for term in weight if term not in held))


def _terms(candidate: Candidate, hits: Sequence[Match]) -> frozenset[str]:
    old = (match for substitution in candidate.substitutions for match in substitution.matched)
    return frozenset(match.term for match in (*hits, *old))
