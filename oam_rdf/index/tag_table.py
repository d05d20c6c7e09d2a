"""Tags of a generation: which object carries which operator, role or other concept, and how sure that is (paper §1.3).

A tag is *reliable* when its confidence is at least .6 or a person reviewed it (decision D11); one that a reviewer turned
down does not count. Like edges, tags hold by what a clearance may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.errors import Damaged
from oam_rdf.index.columns import Array, Column, load, save
from oam_rdf.index.facet_table import Facets
from oam_rdf.index.facets import Select
from oam_rdf.index.graph_build import SAYS, levels
from oam_rdf.index.splicing import Splice, joined
from oam_rdf.index.tree import Tree
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import OA, OAM, concept
from oam_rdf.ontology import Ontology

FORMAT = 1
RELIABLE = 0.6  # decision D11
_NEVER = 255
# Properties by which an object carries a concept without a node that says how sure that is.
_DIRECT = ("hasOperator", "hasRole", "hasRisk")
_REVIEWED, _REJECTED = (concept("review-status", name) for name in ("REVIEWED", "REJECTED"))


@dataclass(frozen=True, slots=True)
class Tag:
    """A concept that counts for an object: ``owner`` is the row it was said of, the object itself or its whole."""

    scheme: str
    notation: str
    confidence: float
    reliable: bool
    owner: int


class TagTable:
    """One entry per tag, sorted by owner: ``owner`` int32, ``concept`` (``scheme/notation``), ``confidence`` float64, and
    the least clearance (code) that sees it, its review and its rejection: uint8, 255 = none."""

    def __init__(self, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
        self._arrays, self._meta = arrays, meta
        self.rows = int(meta["rows"])
        self.owner, self.confidence = arrays["owner"], arrays["confidence"]
        self.concept = Column(arrays["concept"], meta["concepts"])
        self.seen, self.reviewed, self.rejected = arrays["seen"], arrays["reviewed"], arrays["rejected"]
        #: concept -> itself and all that is broader.
        self.broader: dict[str, frozenset[str]] = {name: frozenset(above) for name, above in meta["broader"].items()}

    def __len__(self) -> int:
        return len(self.owner)

    def save(self, folder: Path) -> None:
        save(folder, dict(self._arrays), dict(self._meta))

    @classmethod
    def open(cls, folder: Path, rows: int) -> TagTable:
        """Memory-map a saved table. :raises Damaged: if it is not whole, or not about ``rows`` objects."""
        arrays, meta = load(folder)
        hint = "run `oam reindex`"
        if meta.get("format") != FORMAT:
            raise Damaged(f"tags have format {meta.get('format')}, not {FORMAT}", place=str(folder), hint=hint)
        try:
            made = cls(arrays, meta)
        except KeyError as error:
            raise Damaged(f"tags lack {error}", place=str(folder), hint=hint) from error
        if made.rows != rows or len({len(array) for array in arrays.values()}) > 1:
            raise Damaged(
                f"the tags are about {made.rows} objects, the facets hold {rows}", place=str(folder), hint=hint
            )
        return made

    def view(self, facets: Facets, visible: Array, clearance: str) -> Tags:
        """What a clearance sees. ``visible``: ``bool[rows]``."""
        level = VISIBILITIES.index(clearance)
        kept = visible[self.owner] & (self.seen <= level) & (self.rejected > level)
        at = np.flatnonzero(kept)
        reliable = (self.confidence[at] >= RELIABLE) | (self.reviewed[at] <= level)
        column = Column(self.concept.codes[at], self.concept.values)
        return Tags(facets, self.owner[at], column, self.confidence[at], reliable, self.broader)


class Tags:
    """The tags that one clearance sees. A tag of a whole is a tag of its parts, where it is also called *inherited*.

    A wanted concept is met by itself and by all that is narrower: ``REP`` by ``REP.FORMALIZE``.
    """

    def __init__(
        self,
        facets: Facets,
        owner: Array,
        concept: Column,
        confidence: Array,
        reliable: Array,
        broader: Mapping[str, frozenset[str]],
    ) -> None:
        self._facets = facets
        self.owner, self.concept, self.confidence, self.sure = owner, concept, confidence, reliable
        self._broader = broader
        self.rows = len(facets)
        self._inherited: dict[tuple[str, bool], Array] = {}

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def _tree(self) -> Tree:
        return Tree(self._facets.parent)

    def own(self, row: int) -> list[Tag]:
        """Tags that were said of the object itself, in order of concept, the surest of each."""
        low, high = np.searchsorted(self.owner, np.array([row, row + 1], dtype=self.owner.dtype))
        best: dict[str, Tag] = {}
        for at in range(int(low), int(high)):
            name, sure = self.concept[at], float(self.confidence[at])
            scheme, _, notation = name.partition("/")
            known = best.get(name)
            reliable = bool(self.sure[at]) or bool(known and known.reliable)
            best[name] = Tag(scheme, notation, max(sure, known.confidence if known else 0.0), reliable, row)
        return [best[name] for name in sorted(best)]

    def effective(self, row: int) -> list[Tag]:
        """Own tags and those of everything the object is part of; what is nearer is said instead of what is farther."""
        found: dict[tuple[str, str], Tag] = {}
        for whole in self._tree.upwards(row):
            for tag in self.own(whole):
                found.setdefault((tag.scheme, tag.notation), tag)
        return [found[key] for key in sorted(found)]

    def strength(self, notation: str, scheme: str = "operator", *, reliable_only: bool = False) -> Array:
        """``float64[rows]``: how sure it is that each object has the concept, own or inherited; 0 = it has not."""
        name = f"{scheme}/{notation}"
        key = name, reliable_only
        if key not in self._inherited:
            meets = np.fromiter((name in self._broader.get(v, (v,)) for v in self.concept.values), dtype=bool)
            chosen = meets[self.concept.codes] if len(self.owner) else np.zeros(0, dtype=bool)
            self._inherited[key] = self._spread(chosen & self.sure if reliable_only else chosen)
        return self._inherited[key]

    def _spread(self, chosen: Array) -> Array:
        """The best confidence of the chosen tags of each object, handed down to its parts."""
        values = np.zeros(self.rows, dtype=np.float64)
        np.maximum.at(values, self.owner[chosen], self.confidence[chosen])
        above = self._tree.above
        inside = above >= 0
        while values.any():
            lower = np.where(inside, np.maximum(values, values[above]), values)
            if np.array_equal(lower, values):
                break
            values = lower
        return values

    def operator_scores(self, rows: Iterable[int], wanted: Mapping[str, float]) -> Array:
        """Confidence-weighted share of the wanted operators that each object has (paper §5, s_op).

        :param wanted: operator -> weight > 0.
        :returns: ``float64[len(rows)]`` in [0, 1]; zeros if nothing is wanted.
        """
        at = np.fromiter(rows, dtype=np.int64)
        total = sum(wanted.values())
        score = np.zeros(len(at))
        for notation in sorted(wanted):
            score += wanted[notation] * self.strength(notation)[at]
        return score / total if total > 0 else score

    def coverage(self, rows: Iterable[int]) -> float:
        """Share of the objects that have a reliable operator tag, own or inherited, in [0, 1]; 0 for no objects."""
        at = np.fromiter(rows, dtype=np.int64)
        return float(self.reliable[at].mean()) if len(at) else 0.0

    @cached_property
    def reliable(self) -> Array:
        """``bool[rows]``: objects that have a reliable operator tag, own or inherited."""
        operator = np.fromiter((v.startswith("operator/") for v in self.concept.values), dtype=bool)
        chosen = operator[self.concept.codes] if len(self.owner) else np.zeros(0, dtype=bool)
        found: Array = self._spread(chosen & self.sure) > 0
        return found

    def mask(self, wanted: Iterable[str], reliable_only: bool = False, scheme: str = "operator") -> Array:
        """``bool[rows]``: objects that have one of the concepts, own or inherited."""
        found = np.zeros(self.rows, dtype=bool)
        for notation in sorted(set(wanted)):
            found |= self.strength(notation, scheme, reliable_only=reliable_only) > 0
        return found


def build(
    select: Select,
    facets: Facets,
    ontology: Ontology | None = None,
    previous: TagTable | None = None,
    splice: Splice | None = None,
) -> TagTable:
    """The tags of everything that ``select`` can see; rows are those of ``facets``.

    With the ``previous`` table and the ``splice`` that made ``facets`` only the tags of its fresh rows are read anew: then
    ``select`` need show no more than their triples, those of tags of them, and those about the graphs that these stand in.
    """
    ontology = ontology or Ontology.load()
    splice = Splice.whole(list(facets.iris)) if splice is None else splice
    names = {iri: f"{item.scheme}/{item.notation}" for iri, item in ontology.concepts.items()}
    ordered = _read(select, splice, names)
    old = TagTable(_columns([]), {"rows": 0, "concepts": [], "broader": {}}) if previous is None else previous
    fresh = _columns(ordered)
    merge = splice.owned(old.owner, fresh["owner"])
    column = joined(merge, old.concept, [entry[1] for entry in ordered], ())
    arrays: dict[str, Array] = {
        "owner": merge.column(splice.moved[old.owner], fresh["owner"]),
        "concept": column.codes,
        "confidence": merge.column(old.confidence, fresh["confidence"]),
        "seen": merge.column(old.seen, fresh["seen"]),
        "reviewed": merge.column(old.reviewed, fresh["reviewed"]),
        "rejected": merge.column(old.rejected, fresh["rejected"]),
    }
    broader = {name: sorted(_upwards(name, ontology, names)) for name in column.values}
    return TagTable(
        arrays, {"format": FORMAT, "rows": len(facets), "concepts": list(column.values), "broader": broader}
    )


# owner, concept, confidence, seen, reviewed, rejected
_Entry = tuple[int, str, float, int, int, int]


def _columns(entries: Sequence[_Entry]) -> dict[str, Array]:
    return {
        "owner": np.array([entry[0] for entry in entries], dtype=np.int32),
        "concept": np.zeros(len(entries), dtype=np.uint16),
        "confidence": np.array([entry[2] for entry in entries], dtype=np.float64),
        **{
            name: np.array([entry[at] for entry in entries], dtype=np.uint8)
            for at, name in ((3, "seen"), (4, "reviewed"), (5, "rejected"))
        },
    }


def _read(select: Select, splice: Splice, names: Mapping[str, str]) -> list[_Entry]:
    """The tags of the fresh rows, in order."""
    known = levels(select)

    def quads(predicate: str) -> Iterable[tuple[str, str, int]]:
        for s, o, g in select(f"SELECT ?s ?o ?g {{ GRAPH ?g {{ ?s <{predicate}> ?o }} }}"):
            if SAYS.search(g.value):
                yield s.value, o.value, known.get(g.value, 0)

    # Of several targets or numbers the last one in order, whatever the order in which they are read.
    target = {node: value for node, value, _ in sorted(quads(OA + "hasTarget")) if splice.row(value) >= 0}
    confidence = {node: float(value) for node, value, _ in sorted(quads(OAM + "confidence"))}
    reviewed: dict[str, int] = {}
    rejected: dict[str, int] = {}
    for node, status, level in quads(OAM + "reviewStatus"):
        heard = {_REVIEWED: reviewed, _REJECTED: rejected}.get(status)
        if heard is not None:
            heard[node] = min(level, heard.get(node, _NEVER))
    # A source that gives no number states it outright.
    entries: set[_Entry] = {
        (
            splice.row(target[node]),
            names[body],
            confidence.get(node, 1.0),
            level,
            reviewed.get(node, _NEVER),
            rejected.get(node, _NEVER),
        )
        for node, body, level in quads(OA + "hasBody")
        if target.get(node) in splice.fresh and body in names
    }
    noded = {(row, name) for row, name, *_ in entries}
    for predicate in _DIRECT:
        for subject, body, level in quads(OAM + predicate):
            row, name = splice.row(subject) if subject in splice.fresh else -1, names.get(body, "")
            if row >= 0 and name and (row, name) not in noded:
                entries.add((row, name, 1.0, level, _NEVER, _NEVER))
    return sorted(entries)


def _upwards(name: str, ontology: Ontology, names: Mapping[str, str]) -> set[str]:
    iris = {value: iri for iri, value in names.items()}
    todo, seen = [iris[name]], {iris[name]}
    while todo:
        for above in ontology.broader.get(todo.pop(), frozenset()) - seen:
            seen.add(above)
            todo.append(above)
    return {names[iri] for iri in seen if iri in names}
