"""The graph channel: from what the query names, some hops along its relations (retrieval.md, "Graph").

The graph answers even where both text channels miss. A path scores the product of its edges' confidences × 0.8 per hop;
an edge of a part counts for its whole. Only edges in force are walked: no candidates, nothing turned down, no provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from oam_rdf.index.columns import Array
from oam_rdf.index.graph_table import Graph
from oam_rdf.query.generated import barred_rows
from oam_rdf.query.trace import Ranking, Reach, State
from oam_rdf.query.ways import Ways, starts, ways

DECAY = 0.8
FAN = 64  # neighbours of one object that are looked at; of a hub the surest, then the highest PageRank
NODES = 2_000  # objects that one walk reaches
EXPANDED = 256  # objects whose neighbours one walk looks at, the surest of each hop first
DEPTH = 200  # objects that the channel hands on
_FAINT = 1e-6  # below this score nothing is followed: 61 hops at full confidence
_LISTED = 10
_SEEDS = 5  # documents that a walk starts from
_WALKED = 50  # documents that a walk hands on


@dataclass(frozen=True, slots=True)
class Walked:
    """Best way to each object reached, in order of discovery. ``cut``: neighbours of hubs that were not looked at,
    ``truncated``: :data:`NODES` or :data:`EXPANDED` ended the walk."""

    reached: dict[int, Reach]
    cut: int
    truncated: bool


@dataclass(slots=True)
class _Place:
    """How the walk came to a row: the best way of at most ``hops`` edges."""

    score: float
    hops: int
    before: _Place | None
    row: int
    relation: str = ""
    confidence: float = 1.0

    def passes(self, graph: Graph, row: int) -> bool:
        """Whether the way to here has been at ``row`` or at a whole of it."""
        place: _Place | None = self
        while place is not None:
            if graph.tree.holds(place.row, row):
                return True
            place = place.before
        return False

    def reach(self) -> Reach:
        rows, relations, confidences = [self.row], [], []
        place = self
        while place.before is not None:
            relations.append(place.relation)
            confidences.append(place.confidence)
            place = place.before
            rows.append(place.row)
        return Reach(tuple(reversed(rows)), tuple(reversed(relations)), tuple(reversed(confidences)), self.score)


def reach(graph: Graph, start: Iterable[int], way: Ways, hops: int) -> Walked:
    """Everything within ``hops`` edges of the start rows, which are not reached themselves.

    Layer by layer, so that a surer way of more hops never hides a shorter one that leads on.
    """
    best: dict[int, _Place] = {}
    frontier = [_Place(1.0, 0, None, row) for row in dict.fromkeys(start)]
    origins = [place.row for place in frontier]
    cut, truncated, room = 0, False, EXPANDED
    for hop in range(1, hops + 1):
        layer: dict[int, _Place] = {}
        truncated |= len(frontier) > room
        frontier = frontier[:room]
        room -= len(frontier)
        for place in frontier:
            found, left_out = _neighbours(graph, place.row, way)
            cut += left_out
            for other, relation, confidence in found:
                score = place.score * confidence * DECAY
                known = max((p.score for p in (best.get(other), layer.get(other)) if p is not None), default=_FAINT)
                if score <= known or other in origins or place.passes(graph, other):
                    continue
                if other not in best and other not in layer and len(best) + len(layer) >= NODES:
                    truncated = True
                    continue
                layer[other] = _Place(score, hop, place, other, relation, confidence)
        best.update(layer)
        frontier = sorted(layer.values(), key=lambda place: (-place.score, place.row))
        if not frontier:
            break
    return Walked({row: place.reach() for row, place in best.items()}, cut, truncated)


def _neighbours(graph: Graph, row: int, way: Ways) -> tuple[list[tuple[int, str, float]], int]:
    """``(row, relation, confidence)`` of each neighbour by its surest edge, and how many were left out."""
    edges, others, against = graph.around(row)
    relation = graph.relation[edges]
    open_ = np.where(against, way.against[relation], way.along[relation])
    edges, others, against = edges[open_], others[open_], against[open_]
    order = np.lexsort((edges, -graph.confidence[edges], others))
    edges, others, against = edges[order], others[order], against[order]
    first = np.ones(len(others), dtype=bool)
    first[1:] = others[1:] != others[:-1]
    edges, others, against = edges[first], others[first], against[first]
    confidence = graph.confidence[edges]
    order = np.lexsort((others, -graph.pagerank[others], -confidence))
    if len(order) > FAN:
        turn = _in_turn(graph, others[order].tolist())
        order = np.array(sorted(order.tolist(), key=lambda at: turn(int(others[at])))[:FAN])
    names = [item.name for item in graph.relations]
    found = [
        (other, f"^{names[code]}" if backwards else names[code], sure)
        for other, code, backwards, sure in zip(
            others[order].tolist(),
            graph.relation[edges[order]].tolist(),
            against[order].tolist(),
            confidence[order].tolist(),
            strict=True,
        )
    ]
    return found, len(others) - len(found)


def _in_turn(graph: Graph, rows: Iterable[int]) -> Callable[[int], int]:
    """A key that puts the first of every document before the second of any: one that cites twenty times says it once."""
    seen: dict[int, int] = {}
    turn: dict[int, int] = {}
    for row in rows:
        page = int(graph.page[row])
        turn[row] = seen[page] = seen.get(page, -1) + 1
    return turn.__getitem__


def recall_graph(state: State) -> State:
    """Fill ``reached`` and add one ranking ``graph`` per language group, each object by its best passage."""
    snapshot, plan = state.snapshot, state.plan
    graph = snapshot.graph
    if graph is None or plan.graph.hops < 1:
        return state
    origins = starts(state)
    way = ways(plan, graph)
    walked = reach(graph, origins, way, plan.graph.hops) if origins else Walked({}, 0, False)
    scored = _ordered(graph, walked.reached)
    reached: dict[int, Reach] = {}
    found: list[tuple[int, float]] = []
    places: dict[int, int] = {}
    order = lexical_order(state)
    never = barred_rows(snapshot, (entry.value for entry in plan.navigation.directions))
    for row, how in scored:
        if len(reached) >= DEPTH:
            break
        if never[row]:
            continue
        passage = best_passage(state, row, order)
        if passage >= 0:
            found.append((passage, how.score))
            places[row] = passage
        if passage >= 0 or _allowed(state, row):
            reached[row] = how
    rankings = (*state.rankings, *_rankings(state, "graph", found))
    state = replace(state, reached=reached, reached_at=places, rankings=rankings)
    return state.note(
        "graph",
        starts=[state.name(row) for row in origins],
        relations=list(way.names),
        unknown_relations=list(way.unknown),
        hops=plan.graph.hops,
        reached=len(reached),
        hub_neighbours_cut=walked.cut,
        truncated=walked.truncated,
        best=[
            {"id": state.name(row), "path": path(state, how), "score": round(how.score, 6)}
            for row, how in list(reached.items())[:_LISTED]
        ],
    )


def _ordered(graph: Graph, reached: Mapping[int, Reach]) -> list[tuple[int, Reach]]:
    """By score, then the first of every document before the second of any, then by PageRank, then by row."""
    rows = sorted(reached, key=lambda row: (-reached[row].score, -float(graph.pagerank[row]), row))
    turn = _in_turn(graph, rows)
    rows.sort(key=lambda row: (-reached[row].score, turn(row)))
    return [(row, reached[row]) for row in rows]


def rank_by_walk(state: State) -> State:
    """Personalised PageRank from what the text channels found first, as a ranking ``walk`` of its own.

    For multi-hop questions, where the answer stands in a document that shares no word with the question: runs where the
    route says GRAPH_LOCAL.
    """
    graph = state.snapshot.graph
    if graph is None or not len(graph) or "GRAPH_LOCAL" not in state.plan.routes or state.plan.graph.hops < 1:
        return state
    return walk_from(state, graph, seeds(state))


def seeds(state: State) -> dict[int, float]:
    """Documents to walk from: those that the query names, and the best of the rankings by reciprocal rank."""
    weight: dict[int, float] = {}
    plan = state.plan.weights
    for ranking in state.rankings:
        share = {"lexical": plan.lexical, "dense": plan.dense}.get(ranking.channel, 0.0)
        if ranking.group or not share:
            continue
        pages = dict.fromkeys(int(row) for row in state.snapshot.passage_document[ranking.rows[: 4 * _SEEDS]])
        for rank, page in enumerate(pages, 1):
            weight[page] = weight.get(page, 0.0) + share / rank
    kept = dict(sorted(weight.items(), key=lambda item: (-item[1], item[0]))[:_SEEDS])
    named = max(kept.values(), default=1.0)
    graph = state.snapshot.graph
    for row in starts(state):
        page = int(graph.page[row]) if graph is not None else row
        kept[page] = max(named, kept.get(page, 0.0))
    return kept


def walk_from(state: State, graph: Graph, start: dict[int, float]) -> State:
    """Add the ranking ``walk`` from the given rows and weights."""
    ranks = personalised(graph, list(start), list(start.values()))
    pages = np.flatnonzero((graph.page == np.arange(graph.rows)) & (ranks > 0))
    pages = pages[np.argsort(-ranks[pages], kind="stable")][:_WALKED]
    order = lexical_order(state)
    found = []
    for page in pages.tolist():
        passage = best_passage(state, page, order)
        if passage >= 0:
            found.append((passage, float(ranks[page])))
    state = replace(state, rankings=(*state.rankings, *_rankings(state, "walk", found)))
    return state.note(
        "walk",
        seeds=[{"id": state.name(row), "weight": round(value, 4)} for row, value in start.items()],
        found=len(found),
    )


def personalised(graph: Graph, start: Sequence[int], weights: Sequence[float]) -> Array:
    """Personalised PageRank from rows with weights. :returns: ``float64[rows]``: each row has its document's."""
    return graph.personalised(start, weights)


def path(state: State, how: Reach) -> list[str]:
    """Ids and relations in turn, as the trace shows a way."""
    shown = [state.name(how.rows[0])]
    for relation, row in zip(how.relations, how.rows[1:], strict=True):
        shown += [relation, state.name(row)]
    return shown


def best_passage(state: State, row: int, order: Array) -> int:
    """The admitted passage of an object that the lexical result ranks highest, else its first; -1 = it has none.

    ``order`` is that of :func:`lexical_order`.
    """
    inside = [passage for passage in state.snapshot.passages_in(row) if state.passages[passage]]
    return min(inside, key=lambda passage: (order[passage], passage), default=-1)


def lexical_order(state: State) -> Array:
    """``float32[passages]``: smaller for what the lexical result ranks higher, 0 for what is not in it."""
    order = np.zeros(len(state.snapshot.passages), dtype=np.float32)
    if state.lexical is not None:
        order[state.lexical.hits] = -state.lexical.weights
    return order


def _allowed(state: State, row: int) -> bool:
    return bool(state.allowed[row]) if len(state.allowed) else bool(state.snapshot.visible[row])


def _rankings(state: State, channel: str, found: Sequence[tuple[int, float]]) -> list[Ranking]:
    """The passages found, best first, split into the language groups; each passage once."""
    table = state.snapshot.passages
    primary = [tag.lower().partition("-")[0] for tag in table.languages]
    first = state.plan.language.lower().partition("-")[0]
    groups = state.groups or tuple(sorted(set(primary), key=lambda tag: (tag != first, tag)))
    best: dict[int, float] = {}
    for passage, score in found:
        best.setdefault(passage, score)
    rankings = []
    for number, language in enumerate(groups):
        rows = [passage for passage in best if primary[int(table.language[passage])] == language]
        if rows:
            scores = np.array([best[row] for row in rows], dtype=np.float64)
            rankings.append(Ranking(channel, number, np.array(rows, dtype=np.int64), scores))
    return rankings
