"""Fills the graph table of a generation from a store: one query per relation of the ontology.

Only what documents, taggers and reviewers say is read, never provenance, history, validation or foreign graphs (hazard
77), nor what the program inferred: a super-property would double its edge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oam_rdf.index.columns import Array, Strings
from oam_rdf.index.facet_table import Facets
from oam_rdf.index.facets import Select
from oam_rdf.index.graph_table import ACCEPTED, FORMAT, LINK, PLAIN, REFUSED, TYPED, GraphTable
from oam_rdf.index.splicing import Splice, pooled
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import DCTERMS, OAM, SCHEMES, concept
from oam_rdf.ontology import Ontology
from oam_rdf.text.normalise import index_key

#: Graphs of a document that say something about knowledge.
SAYS = re.compile(r"/graph/[^/]+/(?:assertion|annotation|assessment)(?:/|$)")
# What running text gives: a name, a link, a reference. Everything else somebody stated as what it is.
_LINKS = ("mentions", "cites", "see_also", "related_to", "relates_to")
_OK, _REVIEWED = concept("verdict", "ok"), concept("review-status", "REVIEWED")
_TURNED_DOWN = {concept("verdict", "wrong"), concept("verdict", "weak"), concept("review-status", "REJECTED")}


def levels(select: Select) -> dict[str, int]:
    """Graph -> index into VISIBILITIES, for all that are not PUBLIC; an unknown class counts as the narrowest."""
    found: dict[str, int] = {}
    for graph, value in select(f"SELECT ?g ?v {{ ?g <{OAM}visibility> ?v }}"):
        name = value.value.removeprefix(SCHEMES["visibility"])
        level = VISIBILITIES.index(name) if name in VISIBILITIES else len(VISIBILITIES) - 1
        found[graph.value] = max(level, found.get(graph.value, 0))
    return found


def build(
    select: Select,
    facets: Facets,
    ontology: Ontology | None = None,
    previous: GraphTable | None = None,
    splice: Splice | None = None,
) -> GraphTable:
    """The graph of everything that ``select`` can see, with PageRank and communities; rows are those of ``facets``.

    With the ``previous`` table and the ``splice`` that made ``facets`` only what is said of its fresh rows is read anew: then
    ``select`` need show no more than their triples, those of relation nodes that start from them, and those about the
    graphs that any of these stand in.
    """
    splice = Splice.whole(list(facets.iris)) if splice is None else splice
    return _Builder(select, facets, ontology or Ontology.load(), previous, splice).result()


def empty(relations: Sequence[Mapping[str, Any]] = ()) -> GraphTable:
    """A table that says nothing about no rows."""
    none, kinds = Strings.of(()), dict.fromkeys(("source", "target", "tag_page", "tag"), np.int32)
    numbers: dict[str, Any] = {**kinds, **dict.fromkeys(("visibility", "stance", "tag_visibility"), np.uint8)}
    numbers |= {"relation": np.uint16, "confidence": np.float64}
    arrays: dict[str, Array] = {name: np.zeros(0, dtype=kind) for name, kind in numbers.items()}
    arrays |= {"tags_bytes": none.data, "tags_offsets": none.offsets}
    return GraphTable(arrays, {"format": FORMAT, "rows": 0, "relations": list(relations)})


class _Builder:
    def __init__(
        self, select: Select, facets: Facets, ontology: Ontology, previous: GraphTable | None, splice: Splice
    ) -> None:
        self.select, self.facets, self.splice = select, facets, splice
        self.previous = empty() if previous is None else previous
        self.levels = levels(select)
        forward: dict[str, str] = {}  # IRI -> notation, the first of its names
        for name, item in ontology.relations.items():
            if not item.inverse:
                forward.setdefault(item.iri, name)
        self.iris = sorted(forward)
        self.names = [forward[iri] for iri in self.iris]
        code = {iri: number for number, iri in enumerate(self.iris)}
        self.above = [
            sorted(code[iri] for iri in ontology.relations[name].super_properties if iri in code) for name in self.names
        ]
        #: (source, target, relation, visibility, stance) -> confidence
        self.said: dict[tuple[int, int, int, int, int], float] = {}

    def say(self, source: str, target: str, code: int, level: int, stance: int, confidence: float) -> None:
        one, other = self.own(source), self.splice.row(target)
        if one >= 0 and other >= 0 and one != other:
            key = one, other, code, level, stance
            self.said[key] = max(confidence, self.said.get(key, 0.0))

    def own(self, iri: str) -> int:
        """Row of an object that is read, -1 if it is not."""
        return self.splice.row(iri) if iri in self.splice.fresh else -1

    def plain(self) -> Array:
        """``int64[n, 5]``: what triples say, each combination once. In bulk: there may be millions."""
        known: dict[str, int] = {}  # graph -> visibility, -1 = not read
        blocks = [np.zeros((0, 5), dtype=np.int64)]
        own, find = self.own, self.splice.row
        for code, iri in enumerate(self.iris):
            ends: list[int] = []
            for source, target, graph in self.select(f"SELECT ?s ?o ?g {{ GRAPH ?g {{ ?s <{iri}> ?o }} }}"):
                one = own(source.value)
                other = find(target.value) if one >= 0 else -1
                if other < 0 or one == other:
                    continue
                name = graph.value
                level = known.get(name)
                if level is None:
                    level = known[name] = self.levels.get(name, 0) if SAYS.search(name) else -1
                if level >= 0:
                    ends += (one, other, level)
            block = np.array(ends, dtype=np.int64).reshape(-1, 3)
            same = np.full(len(block), code), np.full(len(block), PLAIN)
            blocks.append(np.column_stack((block[:, 0], block[:, 1], same[0], block[:, 2], same[1])))
        return np.concatenate(blocks)

    def result(self) -> GraphTable:
        self.nodes()
        judged = np.array(list(self.said), dtype=np.int64).reshape(len(self.said), 5)
        table = np.concatenate((self.plain(), judged))
        confidence = np.ones(len(table))
        confidence[len(table) - len(judged) :] = list(self.said.values())
        order = np.lexsort(table.T[::-1])
        table, confidence = table[order], confidence[order]
        once = np.ones(len(table), dtype=bool)
        once[1:] = (table[1:] != table[:-1]).any(axis=1)
        table, confidence = table[once], confidence[once]
        old, moved = self.previous, self.splice.moved
        merge = self.splice.owned(old.source, table[:, 0])
        arrays: dict[str, Array] = {
            "source": merge.column(moved[old.source], table[:, 0].astype(np.int32)),
            "target": merge.column(moved[old.target], table[:, 1].astype(np.int32)),
            "relation": merge.column(old.relation, table[:, 2].astype(np.uint16)),
            "visibility": merge.column(old.visibility, table[:, 3].astype(np.uint8)),
            "stance": merge.column(old.stance, table[:, 4].astype(np.uint8)),
            "confidence": merge.column(old.confidence, confidence),
        }
        pages, levels, keys = self.tags()
        page = np.array(pages, dtype=np.int32)
        merge = self.splice.owned(old.tag_page, page)
        (tag,), strings = pooled([(merge, old.tag, keys)], old.tags)
        arrays |= {
            "tag_page": merge.column(moved[old.tag_page], page),
            "tag": tag,
            "tag_visibility": merge.column(old.tag_visibility, np.array(levels, dtype=np.uint8)),
            "tags_bytes": strings.data,
            "tags_offsets": strings.offsets,
        }
        relations = [
            {"name": name, "kind": LINK if name in _LINKS else TYPED, "above": above}
            for name, above in zip(self.names, self.above, strict=True)
        ]
        meta = {"format": FORMAT, "rows": len(self.facets), "relations": relations}
        return GraphTable(arrays, meta).ranked(self.facets)

    def nodes(self) -> None:
        """What relation nodes say of edges: a node accepts, turns down, or is a candidate and says nothing yet."""
        code = {iri: number for number, iri in enumerate(self.iris)}
        kinds: dict[tuple[str, str], int] = {}
        for node, kind, graph in self.select(f"SELECT ?n ?p ?g {{ GRAPH ?g {{ ?n <{OAM}relationType> ?p }} }}"):
            if kind.value in code and SAYS.search(graph.value):
                place = node.value, graph.value
                kinds[place] = min(code[kind.value], kinds.get(place, code[kind.value]))
        if not kinds:
            return
        source, target = self.of_nodes("relationSource"), self.of_nodes("relationTarget")
        confidence = {node: float(value) for node, value in self.of_nodes("confidence").items()}
        verdicts: dict[str, list[tuple[str, int]]] = {}
        for predicate in ("verdict", "reviewStatus"):
            query = f"SELECT ?n ?v ?g {{ ?n <{OAM}relationType> ?p . GRAPH ?g {{ ?n <{OAM}{predicate}> ?v }} }}"
            for node, value, graph in self.select(query):
                if SAYS.search(graph.value):
                    verdicts.setdefault(node.value, []).append((value.value, self.levels.get(graph.value, 0)))
        for (node, graph), relation in kinds.items():
            if node not in source or node not in target:
                continue
            own, ends = self.levels.get(graph, 0), (source[node], target[node], relation)
            heard = verdicts.get(node, [])
            for value, level in heard:
                if value in _TURNED_DOWN:
                    self.say(*ends, max(own, level), REFUSED, 0.0)
                elif value in (_OK, _REVIEWED):
                    self.say(*ends, max(own, level), ACCEPTED, confidence.get(node, 1.0))
            # A node beside a triple that nobody judged only says how sure its author was.
            if not heard and node in confidence:
                self.say(*ends, own, ACCEPTED, confidence[node])

    def of_nodes(self, predicate: str) -> dict[str, str]:
        query = f"SELECT ?n ?v {{ ?n <{OAM}relationType> ?p . ?n <{OAM}{predicate}> ?v }}"
        return {node.value: value.value for node, value in sorted(self.select(query), key=lambda s: s[1].value)}

    def tags(self) -> tuple[list[int], list[int], list[str]]:
        """The tags that documents carry (``dcterms:subject``), written alike whatever their script or case: which page, the
        widest level that says so, and the tag, in order."""
        document = self.facets.mask("granularity", "DOCUMENT")
        widest: dict[tuple[int, str], int] = {}
        for subject, value, graph in self.select(f"SELECT ?s ?o ?g {{ GRAPH ?g {{ ?s <{DCTERMS}subject> ?o }} }}"):
            row, key = self.own(subject.value), index_key(value.value).strip()
            if row >= 0 and document[row] and key and SAYS.search(graph.value):
                level = self.levels.get(graph.value, 0)
                widest[row, key] = min(level, widest.get((row, key), level))
        ordered = sorted(widest)
        return [row for row, _ in ordered], [widest[entry] for entry in ordered], [key for _, key in ordered]
