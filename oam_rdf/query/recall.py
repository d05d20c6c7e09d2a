"""First stage: what the text channels find, one search per language (retrieval.md, "Channels").

The language asked for is group 0, every other language a group of its own after it: an embedder ranks every passage of
the query's language before any other, and interleaving by rank costs what it was meant to gain. Lexical hits in another
language count only where an id or an exact ASCII term hit them (decision D25).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from oam_rdf.errors import Damaged
from oam_rdf.index.columns import Array
from oam_rdf.index.lexical_result import LexicalResult
from oam_rdf.index.syntax import holds, parse
from oam_rdf.query.compile import language_of
from oam_rdf.query.trace import Ranking, State
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import has_han

DEPTH = 200  # candidates a channel hands on per language group
_BEHIND = 60  # and in a language that comes after one with that many: nobody reads past two hundred to see more of it
_LISTED = 10  # excluded candidates that are named
_RARE = 0.05  # a term in more of the passages says too little to cross languages
_VERBATIM = 50  # best lexical hits whose text is compared with an unbroken query
_FOREIGN = 40  # lexical hits in another language that are looked at for an exact ASCII term


def recall(state: State) -> State:
    """Fill ``groups``, ``lexical`` and ``rankings``; note the best of what the constraints excluded."""
    groups, members = _languages(state)
    depths = _depths(state, members)
    state = replace(state, groups=tuple(groups))
    words, vectors = "DENSE_ONLY" not in state.plan.routes, "SPARSE_ONLY" not in state.plan.routes
    # Embedder and neighbour graphs compute outside of Python: vectors are compared while the words are looked up.
    with ThreadPoolExecutor(2) as beside:
        near = beside.submit(_dense, state, members, depths, beside) if vectors else None
        if words:
            state = _lexical(state, members, depths)
        if near is not None:
            state = replace(state, rankings=(*state.rankings, *near.result()))
    found = [
        {"channel": r.channel, "language": groups[r.group], "found": len(r.rows), "best": round(float(r.scores[0]), 4)}
        for r in state.rankings
        if len(r.rows)
    ]
    return state.note("recall", groups=list(groups), rankings=found, degraded=dict(state.snapshot.degraded))


def _intent(state: State) -> str:
    """What the dense channel looks for."""
    return state.plan.semantic.value if state.plan.semantic else state.plan.text


def _languages(state: State) -> tuple[list[str], list[Array]]:
    """Primary language subtags, the one asked for first, and ``bool[passages]`` of each."""
    members = state.snapshot.languages
    first = state.plan.language.lower().partition("-")[0]
    order = sorted(members, key=lambda tag: (tag != first, tag))
    return order, [members[tag] for tag in order]


def _depths(state: State, members: Sequence[Array]) -> list[int]:
    """How many candidates a channel hands on of each language."""
    window = 2 * (state.plan.form.offset + state.plan.form.k)
    depths, ahead = [], 0
    for rows in members:
        depths.append(max(DEPTH if ahead < DEPTH else _BEHIND, window))
        ahead = max(ahead, int(np.count_nonzero(rows & state.passages)))
    return depths


def _query(state: State) -> str:
    """What the lexical channel looks for: the text, or the plan's own terms where it has no text."""
    lexical = state.plan.lexical
    asked = [entry.value for part in (lexical.include, lexical.exact_terms, lexical.ids) for entry in part]
    if state.plan.text and not any(entry.origin == "caller" for entry in lexical.include):
        return state.plan.text
    return " ".join(dict.fromkeys(asked)) or state.plan.text


def _lexical(state: State, members: list[Array], depths: Sequence[int]) -> State:
    index, visible = state.snapshot.lexical, state.snapshot.visible_passages
    query = _query(state)
    if index is None or not query.strip() or not visible.any():
        return state
    syntax = state.plan.whoosh
    other = [group for group, tag in enumerate(state.groups) if not syntax and _crosses(query, tag)]
    try:
        # One search over all that may be seen: N and df count that and nothing else, the languages are split afterwards.
        scorer, form = state.plan.scorer, state.plan.idf
        result = index.search(query, visible=visible, scorer=scorer, idf_form=form)
        if syntax:
            result = result.where(holds(index, parse(syntax), visible))
        foreign = result
        if other:
            foreign = index.search(query, visible=visible, scorer=scorer, idf_form=form, translate=True)
    except Damaged as error:  # postings are read when a word is first asked for
        state.snapshot.lose("lexical", error)
        return state
    state = replace(state, lexical=replace(result, plan=tuple(dict.fromkeys((*result.plan, *foreign.plan)))))
    barred = ~state.passages
    rankings = list(state.rankings)
    verbatim: list[int] = []
    rare = max(3, _RARE * int(visible.sum()))
    ascii_terms = {term.key for term in result.terms if term.known and term.key.isascii() and term.df <= rare}
    for group, wanted in enumerate(members):
        if group in other:
            kept = foreign.best(depths[group], state.passages & wanted)
            rows, scores, promoted = _as_written_first(state, foreign, kept, foreign.scores_of(kept))
            verbatim += promoted
            rankings.append(Ranking("lexical", group, rows, scores))
            continue
        chosen = result.best(depths[group], state.passages & wanted)
        if group and state.plan.language and len(chosen) and not syntax:
            names = chosen[:_FOREIGN] if ascii_terms else chosen[:0]
            chosen = names[_exactly(state, names.tolist(), ascii_terms)]
        rows, scores, promoted = _verbatim_first(state, query, chosen, result.scores_of(chosen))
        verbatim += promoted
        rankings.append(Ranking("lexical", group, rows, scores))
    named = _excluded(state, result.best(_LISTED, barred))
    return replace(state, rankings=tuple(rankings), excluded=(*state.excluded, *named)).note(
        "lexical",
        query=query,
        scorer=result.scorer,
        idf=state.plan.idf if result.scorer == "idf_coverage" else "",
        terms=[{"term": t.key, "df": t.df, "idf": round(t.idf, 3), "known": t.known} for t in result.terms],
        hits=result.total,
        excluded=int(np.count_nonzero(barred[result.hits])),
        verbatim=verbatim,
        pins=[int(row) for row in result.pins if state.passages[row] and not syntax],
        translated=[state.groups[group] for group in other],
    )


def _crosses(query: str, tag: str) -> bool:
    """Whether passages of language ``tag`` are asked with translations: Chinese of English texts, or the other way."""
    return tag == ("en" if has_han(query) else "zh")


def _as_written_first(state: State, found: LexicalResult, rows: Array, scores: Array) -> tuple[Array, Array, list[int]]:
    """Passages in the other language that hold every word of the query as written come before translations of it.

    So ``Confluence`` or ``user_profile.py`` finds where a Chinese text says just that. Raised as in `_verbatim_first`.
    """
    index, held = state.snapshot.lexical, np.zeros(len(rows), dtype=bool)
    if index is not None:
        for place, matches in enumerate(index.matches(rows[:_VERBATIM].tolist(), found)):
            ways = [match.how for match in matches]
            held[place] = len(ways) == len(found.terms) and set(ways) <= {"literal", "joined"}
    if not held.any() or held[: int(held.sum())].all():
        return rows, scores, []
    raised = scores + held * scores.max()
    order = np.argsort(-raised, kind="stable")
    return rows[order], raised[order], [int(row) for row in rows[held]]


def _verbatim_first(state: State, query: str, rows: Array, scores: Array) -> tuple[Array, Array, list[int]]:
    """Passages that hold an unbroken query as written come before those that hold its parts.

    ``Conway定律`` is cut into a word and a term, and ``user_profile.py`` is also found by its parts: either may occur more
    often elsewhere. Such a passage's score is raised by the best one, which the trace lists under ``verbatim``.
    """
    wanted = index_key(query.strip())
    if not 2 <= len(wanted) <= 40 or any(character.isspace() for character in wanted) or not len(rows):
        return rows, scores, []
    passages, snapshot = state.snapshot.passages, state.snapshot
    held = np.zeros(len(rows), dtype=bool)
    for place, row in enumerate(rows[:_VERBATIM]):
        held[place] = wanted in index_key(f"{passages.heading(int(row))}\n{snapshot.text(int(row))}")
    if not held.any() or held[: int(held.sum())].all():
        return rows, scores, []
    raised = scores + held * scores.max()
    order = np.argsort(-raised, kind="stable")
    return rows[order], raised[order], [int(row) for row in rows[held]]


def _exactly(state: State, rows: Sequence[int], terms: set[str]) -> Array:
    """``bool[rows]``: whether one of the terms stands in the passage as written."""
    found = state.matches(rows)
    exact = [any(m.term in terms and m.how in ("literal", "joined") for m in found[row]) for row in rows]
    return np.array(exact, dtype=bool)


def _dense(state: State, members: list[Array], depths: Sequence[int], beside: Executor) -> list[Ranking]:
    """The passages nearest in meaning, a ranking for each language that has any.

    Runs in a thread of ``beside`` and needs a second one: the languages are searched side by side.
    """
    index = state.snapshot.dense
    masks = {group: mask for group, rows in enumerate(members) if (mask := rows & state.passages).any()}
    if index is None or not masks:
        return []
    vector = state.snapshot.query_vector(_intent(state))
    if vector is None:
        return []

    own = language_of(_intent(state), state.snapshot.languages)
    away = index.across(vector, own)

    def nearest(group: int) -> Ranking:
        query = vector if state.groups[group] == own else away
        return Ranking("dense", group, *index.search(query, mask=masks[group], k=depths[group]))

    first, *rest = masks
    others = [beside.submit(nearest, group) for group in rest]
    return [nearest(first), *(other.result() for other in others)]


def _excluded(state: State, rows: Array) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for row in rows:
        document = int(state.snapshot.passage_document[row])
        reasons = [name for name, mask in state.blocked.items() if mask[document]] or sorted(state.blocked)
        found.append({"id": state.name(document), "passage": int(row), "reason": ", ".join(reasons)})
    return found
