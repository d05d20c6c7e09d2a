"""The knowledge graph of a generation, and what one clearance sees of it (retrieval.md, "Graph").

Nodes are rows of the facets. The table says who states an edge at which visibility; :meth:`GraphTable.view` decides from
what may be seen, and from nothing else, which edges hold, with which confidence, and which object ranks where: what
access removes moves no score (decision D16).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import Damaged
from oam_rdf.index.centrality import pagerank
from oam_rdf.index.columns import Array, Strings, load, save
from oam_rdf.index.communities import communities
from oam_rdf.index.facet_table import Facets
from oam_rdf.index.tree import Tree
from oam_rdf.model import VISIBILITIES

FORMAT = 1
PLAIN, ACCEPTED, REFUSED = 0, 1, 2  # a triple; a relation node that accepts it; one that turns it down
TYPED, LINK, SHARED_TAGS = "typed", "link", "shared_tags"
MAKES_EDGE, EXPANDS = 2, 3  # decision D26: so many shared tags make an edge, so many are used to expand
_FEW = 20  # decision D26: a tag of fewer pages always counts
_SHARE = 0.1
WALK_DAMPING = 0.5  # as Gutiérrez et al. (HippoRAG, 2024) walk; .85 finds no more, and takes longer to settle
_PAIRS = 2_000_000  # pairs of pages that shared tags may make in all


@dataclass(frozen=True, slots=True)
class RelationName:
    """``name``: notation. ``above``: codes of the relations that it implies. ``kind``: ``typed`` or ``link``."""

    name: str
    kind: str
    above: frozenset[int]


class GraphTable:
    """Everything that is said about edges. Columns, one entry per (source, target, relation, visibility, stance), sorted:

    - ``source, target``: int32 rows; ``relation``: uint16 into ``relations``; ``visibility``: uint8, code of the widest
      graph that says so; ``stance``: uint8, :data:`PLAIN`, :data:`ACCEPTED` or :data:`REFUSED`; ``confidence``: float64;
    - ``tag_page, tag``: int32, which document carries which tag (a key into ``tags``), ``tag_visibility``: uint8;
    - ``pagerank``: float64 and ``community``: int32 of every row, for those who see everything.
    """

    def __init__(self, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
        self._arrays, self._meta = arrays, meta
        self.rows = int(meta["rows"])
        self.relations = tuple(
            RelationName(item["name"], item["kind"], frozenset(item["above"])) for item in meta["relations"]
        )
        self.source, self.target, self.relation = arrays["source"], arrays["target"], arrays["relation"]
        self.confidence, self.visibility, self.stance = arrays["confidence"], arrays["visibility"], arrays["stance"]
        self.tag_page, self.tag, self.tag_visibility = arrays["tag_page"], arrays["tag"], arrays["tag_visibility"]
        self.tags = Strings(arrays["tags_bytes"], arrays["tags_offsets"])
        self.pagerank, self.community = arrays.get("pagerank"), arrays.get("community")

    def __len__(self) -> int:
        return len(self.source)

    def ranked(self, facets: Facets) -> GraphTable:
        """The table with PageRank and communities of the whole graph."""
        whole = self.view(facets, np.ones(self.rows, dtype=bool), VISIBILITIES[-1])
        return GraphTable({**self._arrays, "pagerank": whole.pagerank, "community": whole.community}, self._meta)

    def save(self, folder: Path) -> None:
        save(folder, dict(self._arrays), dict(self._meta))

    @classmethod
    def open(cls, folder: Path, rows: int) -> GraphTable:
        """Memory-map a saved table. :raises Damaged: if it is not whole, or not about ``rows`` objects."""
        arrays, meta = load(folder)
        hint = "run `oam reindex`"
        if meta.get("format") != FORMAT:
            raise Damaged(f"the graph has format {meta.get('format')}, not {FORMAT}", place=str(folder), hint=hint)
        try:
            made = cls(arrays, meta)
        except KeyError as error:
            raise Damaged(f"the graph lacks {error}", place=str(folder), hint=hint) from error
        lengths = {len(made.target), len(made.relation), len(made.confidence), len(made.visibility), len(made.stance)}
        if made.rows != rows or lengths != {len(made)}:
            raise Damaged(
                f"the graph is about {made.rows} objects, the facets hold {rows}", place=str(folder), hint=hint
            )
        return made

    def view(self, facets: Facets, visible: Array, clearance: str) -> Graph:
        """What a clearance sees. ``visible``: ``bool[rows]``."""
        level = VISIBILITIES.index(clearance)
        seen = visible[self.source] & visible[self.target] & (self.visibility <= level)
        tagged = visible[self.tag_page] & (self.tag_visibility <= level)
        whole = bool(visible.all() and seen.all() and tagged.all())
        edges = _in_force(self, np.flatnonzero(seen))
        ranks = (self.pagerank, self.community) if whole else (None, None)
        return Graph(self.relations, facets, visible, edges, (self.tag_page[tagged], self.tag[tagged]), ranks)


def _in_force(table: GraphTable, seen: Array) -> tuple[Array, Array, Array, Array]:
    """``(source, target, relation, confidence)`` of the edges that hold by what is seen, sorted.

    A triple holds unless a node turns it down that no other node outweighs by accepting it; its confidence is that of the
    nodes that accept it, 1 without one. A relation that another one between the same two implies is left out.
    """
    source, target, relation = table.source[seen], table.target[seen], table.relation[seen]
    stance, confidence = table.stance[seen], table.confidence[seen]
    if not len(seen):
        return source, target, relation, confidence
    first = np.ones(len(seen), dtype=bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1]) | (relation[1:] != relation[:-1])
    at = np.flatnonzero(first)
    plain, accepted, refused = (np.logical_or.reduceat(stance == code, at) for code in (PLAIN, ACCEPTED, REFUSED))
    best = np.maximum.reduceat(np.where(stance == ACCEPTED, confidence, 0.0), at)
    holds = plain & (accepted | ~refused)
    confidence = np.where(accepted, best, 1.0)
    holds &= confidence > 0
    source, target, relation, confidence = source[at][holds], target[at][holds], relation[at][holds], confidence[holds]
    pair = source.astype(np.int64) * table.rows + target
    implied = np.zeros(len(pair), dtype=bool)
    present = frozenset(np.unique(relation).tolist())
    for code in sorted(present):
        for above in sorted(table.relations[code].above & present):
            implied |= (relation == above) & np.isin(pair, pair[relation == code])
    return source[~implied], target[~implied], relation[~implied], confidence[~implied]


class Graph:
    """The edges that one clearance sees: ``source, target, relation, confidence``, sorted; ``tree``: what is part of what.

    An edge of a part is an edge of its whole too: a document leads where its statements lead. Part-of itself is no edge.
    PageRank, communities and personalised ranks are of whole documents (of what is in none: its own); parts have theirs.
    """

    def __init__(
        self,
        relations: tuple[RelationName, ...],
        facets: Facets,
        visible: Array,
        edges: tuple[Array, Array, Array, Array],
        tags: tuple[Array, Array],
        ranks: tuple[Array | None, Array | None] = (None, None),
    ) -> None:
        self.relations, self.visible = relations, visible
        self.source, self.target, self.relation, self.confidence = edges
        self.rows = len(visible)
        self._facets, self._tags, self._ranks = facets, tags, ranks

    def __len__(self) -> int:
        return len(self.source)

    def codes(self, names: Iterable[str]) -> frozenset[int]:
        """Codes of the relations called so and of all that imply them: ``refines`` finds ``extends``."""
        wanted = {code for code, item in enumerate(self.relations) if item.name in set(names)}
        return frozenset(code for code, item in enumerate(self.relations) if code in wanted or item.above & wanted)

    @cached_property
    def tree(self) -> Tree:
        return Tree(self._facets.parent)

    @cached_property
    def page(self) -> Array:
        """``int32[rows]``: the document of each row, or the row itself where it has none that may be seen."""
        document, own = self._facets.document, np.arange(self.rows, dtype=np.int32)
        known = (document >= 0) & self.visible[np.maximum(document, 0)] if self.rows else own >= 0
        return np.where(known, document, own).astype(np.int32)

    @cached_property
    def _sorted(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """For edges by source and by target: ``(places, edge numbers)`` in order of place."""
        found = []
        for ends in (self.source, self.target):
            places = self.tree.place[ends].astype(np.int64)  # as what is looked up: else each look-up converts all
            order = np.argsort(places, kind="stable")
            found.append((places[order], order))
        return found[0], found[1]

    def around(self, row: int, *, alone: bool = False) -> tuple[Array, Array, Array]:
        """``(edge, neighbour, against)`` of all edges between a row or its parts and anything outside of it.

        ``alone``: of the row itself, without its parts.
        """
        low, high = int(self.tree.place[row]), int(self.tree.end[row])
        if alone:
            high = low + 1
        edges, others, against = [], [], []
        for ends, (places, order), inward in (
            (self.target, self._sorted[0], False),
            (self.source, self._sorted[1], True),
        ):
            chosen = order[np.searchsorted(places, low) : np.searchsorted(places, high)]
            other = ends[chosen]
            outside = (self.tree.place[other] < low) | (self.tree.place[other] >= high)
            edges.append(chosen[outside])
            others.append(other[outside])
            against.append(np.full(int(outside.sum()), inward))
        return np.concatenate(edges), np.concatenate(others), np.concatenate(against)

    # -- pages -----------------------------------------------------------------------------------------------------

    @cached_property
    def links(self) -> tuple[Array, Array, Array]:
        """``(source, target, confidence)`` between pages: the best edge of each ordered pair, sorted."""
        source, target = self.page[self.source].astype(np.int64), self.page[self.target].astype(np.int64)
        between = source != target
        pairs, place = np.unique(source[between] * self.rows + target[between], return_inverse=True)
        best = np.zeros(len(pairs), dtype=np.float64)
        np.maximum.at(best, place, self.confidence[between])
        return (pairs // max(self.rows, 1)).astype(np.int64), (pairs % max(self.rows, 1)).astype(np.int64), best

    @cached_property
    def pagerank(self) -> Array:
        """``float64[rows]``: PageRank of each row's page (decision D23), over visible pages only; 0 for hidden rows."""
        stored = self._ranks[0]
        if stored is not None:
            return stored
        pages, number = self._pages
        source, target, weight = self.links
        ranks = pagerank(len(pages), number[source], number[target], weight)
        return self._of_pages(ranks, 0.0)

    @cached_property
    def community(self) -> Array:
        """``int32[rows]``: community of each row's page by links and shared tags, 0 the largest; -1 = none."""
        stored = self._ranks[1]
        if stored is not None:
            return stored
        pages, number = self._pages
        source, target, weight = self.links
        one, other, shared, _ = self.shared_edges
        # A shared tag says less than a link: two tags half as much, and never more than one link.
        weights = np.concatenate([weight, shared / (shared + MAKES_EDGE)])
        found = communities(
            len(pages), number[np.concatenate([source, one])], number[np.concatenate([target, other])], weights
        )
        return self._of_pages(found, -1)

    def personalised(self, seeds: Iterable[int], weights: Iterable[float], damping: float = WALK_DAMPING) -> Array:
        """Personalised PageRank from rows, links walked both ways. :returns: ``float64[rows]``, per page."""
        pages, number = self._pages
        start = np.zeros(len(pages))
        for row, weight in zip(seeds, weights, strict=True):
            if self.visible[row]:
                start[number[self.page[row]]] += weight
        source, target, confidence = self._both_ways
        # Nobody sees a difference of 1e-4, and a large graph is walked in a third of the time.
        ranks = pagerank(len(pages), source, target, confidence, start, damping, 1e-4)
        return self._of_pages(ranks, 0.0)

    @cached_property
    def _both_ways(self) -> tuple[Array, Array, Array]:
        """The links and their inverses, between places in ``_pages``."""
        number = self._pages[1]
        source, target, confidence = self.links
        one, other = number[source], number[target]
        return np.concatenate([one, other]), np.concatenate([other, one]), np.tile(confidence, 2)

    @cached_property
    def _pages(self) -> tuple[Array, Array]:
        """Visible pages in order, and ``int64[rows]``: the place of each among them, -1 = none."""
        pages = np.unique(self.page[self.visible])
        pages = pages[self.visible[pages]]
        number = np.full(self.rows, -1, dtype=np.int64)
        number[pages] = np.arange(len(pages))
        return pages, number

    def _of_pages(self, values: Array, missing: float) -> Array:
        _, number = self._pages
        place = number[self.page]
        found = np.full(self.rows, missing, dtype=values.dtype)
        known = self.visible & (place >= 0)
        found[known] = values[place[known]]
        return found

    # -- shared tags -----------------------------------------------------------------------------------------------

    @cached_property
    def _tagged(self) -> tuple[Array, Array, Array, Array]:
        """``(pages, tags)`` of the tags that are not too common, by page, and the same by tag (decision D26)."""
        pages, tags = self._tags
        counts = np.bincount(tags, minlength=int(tags.max()) + 1 if len(tags) else 0)
        common = (counts >= _FEW) & (counts > _SHARE * len(self._pages[0]))
        kept = ~common[tags] if len(tags) else np.zeros(0, dtype=bool)
        pages, tags = pages[kept].astype(np.int64), tags[kept].astype(np.int64)
        by_page, by_tag = np.lexsort((tags, pages)), np.lexsort((pages, tags))
        return pages[by_page], tags[by_page], pages[by_tag], tags[by_tag]

    def shared(self, row: int) -> tuple[Array, Array, Array]:
        """Documents with which the document of ``row`` shares at least two tags: ``(pages, count, share)``, the share of
        the tags of the one that has fewer, in (0, 1]."""
        own = self.page[row]
        pages, tags, by_tag, keys = self._tagged
        low, high = np.searchsorted(pages, [own, own + 1])
        wanted = tags[low:high]
        starts, ends = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
        lists = [by_tag[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        every = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
        others, counts = np.unique(every, return_counts=True)
        edge = (counts >= MAKES_EDGE) & (others != own)
        others, counts = others[edge].astype(np.int64), counts[edge]
        theirs = np.searchsorted(pages, others, "right") - np.searchsorted(pages, others, "left")
        return others, counts, counts / np.minimum(theirs, max(len(wanted), 1))

    @cached_property
    def shared_edges(self) -> tuple[Array, Array, Array, int]:
        """``(page, page, count)`` of every two documents with at least two shared tags, first < second, sorted; and how
        many tags were left out because the pairs that they make are too many (rarest tags first)."""
        _, _, pages, keys = self._tagged
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, dtype=np.int64)
        sizes = np.diff(np.r_[starts, len(keys)])
        order = np.argsort(sizes, kind="stable")
        room = np.cumsum(sizes[order] * (sizes[order] - 1) // 2) <= _PAIRS
        at, sizes = starts[order][room], sizes[order][room]
        blocks = []
        for size in np.unique(sizes[sizes > 1]).tolist():  # tags on equally many pages at once
            members = pages[at[sizes == size][:, None] + np.arange(size)].astype(np.int64)
            one, other = np.triu_indices(size, 1)
            blocks.append((members[:, one] * self.rows + members[:, other]).ravel())
        every = np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)
        pairs, counts = np.unique(every, return_counts=True)
        kept = counts >= MAKES_EDGE
        width = max(self.rows, 1)
        return pairs[kept] // width, pairs[kept] % width, counts[kept], int((~room).sum())
