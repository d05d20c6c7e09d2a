"""Expansion: what the best candidates are joined to (retrieval.md, "Graph").

Seeds are the top three; their neighbours by relations, links and at least three shared tags are ranked by PageRank
(decision D23), and the first two come in, marked, below what was found on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from oam_rdf.index.graph_table import EXPANDS, SHARED_TAGS, Graph
from oam_rdf.query.graph import DECAY, best_passage, lexical_order, path
from oam_rdf.query.trace import Candidate, Reach, State

SEEDS = 3
INJECTED = 2
VERSIONS = "supersedes"
_FAN = 256  # edges of one seed that are looked at, nearest to it first


@dataclass(frozen=True, slots=True)
class _Neighbour:
    row: int
    seed: int
    relation: str
    confidence: float
    pagerank: float

    @property
    def key(self) -> tuple[float, float, int]:
        return -self.pagerank, -self.confidence, self.row


def expand(state: State) -> State:
    """Say of every candidate how the graph leads to it, and add the neighbours of the best ones."""
    graph = state.snapshot.graph
    if graph is None or state.plan.graph.hops < 1:
        return state
    state = replace(state, candidates=tuple(_with_reach(state, graph, c) for c in state.candidates))
    seeds = list(dict.fromkeys(c.row for c in state.candidates if c.row >= 0 and c.history is None))[:SEEDS]
    if not seeds:
        return state
    taken = {row for c in state.candidates if c.row >= 0 for row in graph.tree.upwards(c.row)}
    own = {c.row for c in state.candidates if c.row >= 0}
    best: dict[int, _Neighbour] = {}
    cut = 0
    for seed in seeds:
        found, left_out = _around(graph, seed)
        cut += left_out
        for item in found:
            if not (state.snapshot.visible[item.row] and state.allowed[item.row]):
                continue
            # Other versions are the business of substitution: an old one never comes in beside its survivor (hazard 72).
            if item.relation.lstrip("^") == VERSIONS or state.snapshot.version_status[item.row] != "ACTIVE":
                continue
            # Neither what is there already, nor a whole or a part of it.
            if item.row in taken or own.intersection(graph.tree.upwards(item.row)):
                continue
            if item.row not in best or item.confidence > best[item.row].confidence:
                best[item.row] = item
    ranked = sorted(best.values(), key=lambda item: item.key)
    chosen = list({int(graph.page[item.row]): item for item in reversed(ranked)}.values())  # one of a document
    chosen = sorted(chosen, key=lambda item: item.key)[:INJECTED]
    order = lexical_order(state)
    added = [_candidate(state, item, best_passage(state, item.row, order)) for item in chosen]
    return replace(state, candidates=(*state.candidates, *added)).note(
        "expand",
        seeds=[state.name(row) for row in seeds],
        considered=len(best),
        edges_cut=cut,
        expansions=[
            {
                "id": state.name(item.row),
                "from": state.name(item.seed),
                "path": path(state, made.reach) if made.reach else [],
                "relation": item.relation,
                "pagerank": round(item.pagerank, 8),
                "score": round(made.reach.score, 6) if made.reach else 0.0,
            }
            for item, made in zip(chosen, added, strict=True)
        ],
    )


def _with_reach(state: State, graph: Graph, candidate: Candidate) -> Candidate:
    """A candidate reached by recall, itself or as a part of what was reached."""
    if candidate.reach is not None or candidate.row < 0 or not state.reached:
        return candidate
    how = next((state.reached[row] for row in graph.tree.upwards(candidate.row) if row in state.reached), None)
    return candidate if how is None else replace(candidate, reach=how)


def _around(graph: Graph, seed: int) -> tuple[list[_Neighbour], int]:
    """Neighbours of a seed: by its own edges and those of its parts, then by those that its wholes have themselves, then
    by shared tags of its document."""
    found: list[_Neighbour] = []
    cut = 0
    for row in graph.tree.upwards(seed):
        edges, others, against = graph.around(row, alone=row != seed)
        room = max(0, _FAN - len(found))
        cut += max(0, len(edges) - room)
        for edge, other, backwards in zip(
            edges[:room].tolist(), others[:room].tolist(), against[:room].tolist(), strict=True
        ):
            name = graph.relations[int(graph.relation[edge])].name
            relation = f"^{name}" if backwards else name
            confidence, rank = float(graph.confidence[edge]), float(graph.pagerank[other])
            if not graph.tree.holds(other, seed):
                found.append(_Neighbour(int(other), seed, relation, confidence, rank))
    for page, count, share in zip(*(values.tolist() for values in graph.shared(seed)), strict=True):
        if count >= EXPANDS:
            found.append(_Neighbour(page, seed, SHARED_TAGS, float(share), float(graph.pagerank[page])))
    return found, cut


def _candidate(state: State, item: _Neighbour, passage: int) -> Candidate:
    """A candidate without a rank of its own: what brought it is the way to it."""
    snapshot = state.snapshot
    document = int(snapshot.facets.document[item.row])
    how = Reach((item.seed, item.row), (item.relation,), (item.confidence,), item.confidence * DECAY)
    language = snapshot.facets.column("language")[item.row].lower().partition("-")[0]
    return Candidate(
        document=document if document >= 0 else item.row,
        passage=passage,
        row=item.row,
        group=state.groups.index(language) if language in state.groups else max(0, len(state.groups) - 1),
        matched=state.matches([passage])[passage],
        injected=True,
        reach=how,
    )
