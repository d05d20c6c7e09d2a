"""The graph as JSON: ``graph.json`` with evidence and verdicts, ``graph_index.json`` of pages as the wiki report has it.

Both are lists in a fixed order, one entry a line, so that two versions can be compared line by line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.index.graph_table import Graph
from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.facts import PART_OF, TITLE, Edge, Facts
from oam_rdf.store.selection import Selection

_CONCEPTS = frozenset({"concept", "term", "symbol", "model", "primitive"})
_HUBS = 20
_DIGITS = 6

Json = dict[str, Any]


def full(snapshot: Snapshot, selection: Selection) -> bytes:
    """``graph.json``: see :func:`graph`."""
    return _dumped(graph(snapshot, selection))


def index(snapshot: Snapshot, selection: Selection) -> bytes:
    """``graph_index.json``: see :func:`pages`."""
    return _dumped(pages(snapshot, selection))


def graph(snapshot: Snapshot, selection: Selection) -> Json:
    """``nodes`` (documents, concepts, and whatever an edge touches), ``edges`` with evidence and verdict, refused and
    unresolved ones too, and ``concepts``: who defines, uses, extends each, and which documents bear a keyword."""
    nodes: dict[str, Json] = {}
    edges: list[Json] = []
    concepts: dict[str, Json] = {}
    touched: set[str] = set()
    ontology = Ontology.load()
    for iri, quads in selection.documents():
        facts = Facts(iri, quads, selection.store, ontology)
        said = facts.edges()
        ends = {end for edge in said for end in (edge.source, edge.target) if end}
        touched |= ends
        for name in facts.objects():
            kind = facts.granularity(name)
            if name == iri or kind in _CONCEPTS or name in ends:
                nodes[name] = _node(snapshot, facts, name, kind)
            if kind in _CONCEPTS:
                concepts[name] = {"id": facts.name(name), "name": facts.value(name, TITLE), "kind": kind}
        for keyword in facts.values(iri, DCTERMS + "subject"):
            entry = concepts.setdefault(f"subject {keyword}", {"id": None, "name": keyword, "kind": "subject"})
            entry.setdefault("documents", {}).setdefault("subject", []).append(facts.name(iri))
        edges += [_edge(snapshot, facts, edge) for edge in said]
    for iri in sorted(touched - nodes.keys()):
        row = snapshot.facets.row(iri)
        if row >= 0 and snapshot.visible[row]:  # an object of a document that is not selected
            nodes[iri] = {"id": snapshot.facets.identifiers[row], "iri": iri, "title": snapshot.facets.titles[row]}
    by_id = {entry["id"]: entry for entry in concepts.values() if entry["id"]}
    for edge in edges:
        known = by_id.get(edge["target"])
        if known is not None and edge["verdict"] == "ok":
            sources = known.setdefault("documents", {}).setdefault(edge["relation"], [])
            if edge["document"] not in sources:
                sources.append(edge["document"])
    return {
        "nodes": [nodes[iri] for iri in sorted(nodes)],
        "edges": sorted(edges, key=lambda edge: json.dumps(edge, ensure_ascii=False)),
        "concepts": sorted(concepts.values(), key=lambda entry: (entry["name"], entry["kind"], entry["id"] or "")),
    }


def pages(snapshot: Snapshot, selection: Selection) -> Json:
    """``nodes`` (pages with community, PageRank, in-degree and tags), ``edges`` (links and typed edges by relation,
    ``shared_tag`` and ``shared_source``), ``communities``, ``hubs`` (most linked to first) and ``stats``.

    :raises UsageError: where this generation has no graph that can be read.
    """
    table = snapshot.graph
    if table is None:
        raise UsageError(f"the graph is off: {snapshot.degraded.get('graph', '')}", hint="run `oam reindex`")
    facets = snapshot.facets
    documents = np.flatnonzero(snapshot.visible & facets.mask("granularity", "DOCUMENT")).tolist()
    chosen = {row for row in documents if selection.takes(facets.iris[row])}
    edges = [edge for edge in _page_edges(table, snapshot) if edge[0] in chosen and edge[1] in chosen]
    incoming: Counter[int] = Counter(target for _, target, kind, _ in edges if not kind.startswith("shared_"))
    tags = _tags(snapshot, selection)
    rows = sorted(chosen, key=lambda row: facets.iris[row])
    members: dict[int, list[str]] = {}
    for row in rows:
        members.setdefault(int(table.community[row]), []).append(facets.identifiers[row])
    kinds = Counter(kind for _, _, kind, _ in edges)
    return {
        "nodes": [
            {
                "id": facets.identifiers[row],
                "title": facets.titles[row],
                "community": int(table.community[row]) if table.community[row] >= 0 else None,
                "pagerank": round(float(table.pagerank[row]), _DIGITS),
                "in_degree": incoming[row],
                "tags": tags.get(facets.iris[row], []),
            }
            for row in rows
        ],
        "edges": [
            {"source": facets.identifiers[a], "target": facets.identifiers[b], "type": kind, "weight": weight}
            for a, b, kind, weight in sorted(edges)
        ],
        "communities": [
            {"community": n, "size": len(ids), "pages": ids} for n, ids in sorted(members.items()) if n >= 0
        ],
        "hubs": [facets.identifiers[row] for row, _ in sorted(incoming.items(), key=lambda p: (-p[1], p[0]))[:_HUBS]],
        "stats": {"nodes": len(rows), "edges": len(edges), **{kind: kinds[kind] for kind in sorted(kinds)}},
    }


def _page_edges(table: Graph, snapshot: Snapshot) -> Iterator[tuple[int, int, str, float]]:
    """``(page, page, type, weight)``, each pair and type once."""
    best: dict[tuple[int, int, str], float] = {}
    sources: dict[int, set[int]] = {}
    for one, other, code, confidence in zip(
        table.page[table.source].tolist(), table.page[table.target].tolist(), table.relation.tolist(),
        table.confidence.tolist(), strict=True,
    ):  # fmt: skip
        name = table.relations[code].name
        if one != other:
            key = one, other, name
            best[key] = max(best.get(key, 0.0), round(float(confidence), 2))
        if name == "derived_from":
            sources.setdefault(other, set()).add(one)
    yield from ((*key, weight) for key, weight in best.items())
    one_page, other_page, counts, _ = table.shared_edges
    for one, other, count in zip(one_page.tolist(), other_page.tolist(), counts.tolist(), strict=True):
        yield one, other, "shared_tag", count
    shared: Counter[tuple[int, int]] = Counter()
    for together in sources.values():
        ordered = sorted(together)
        shared.update((a, b) for at, a in enumerate(ordered) for b in ordered[at + 1 :])
    for (one, other), count in shared.items():
        yield one, other, "shared_source", count


def _tags(snapshot: Snapshot, selection: Selection) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for iri, quads in selection.documents(("assertion",)):
        for quad in quads:
            if quad.predicate.value == DCTERMS + "subject" and quad.subject.value == iri:  # type: ignore[union-attr]
                found.setdefault(iri, set()).add(quad.object.value)  # type: ignore[union-attr]
    return {iri: sorted(values) for iri, values in found.items()}


def _node(snapshot: Snapshot, facts: Facts, iri: str, kind: str) -> Json:
    row = snapshot.facets.row(iri)
    part = facts.value(iri, PART_OF)
    return {
        "id": facts.name(iri),
        "iri": iri,
        "title": facts.value(iri, TITLE),
        "granularity": kind,
        "document": facts.name(facts.iri),
        "part_of": facts.name(part) if part else None,
        "language": facts.language(iri),
        "state": facts.notation(iri, "epistemicState", "epistemic-state") or None,
        "version_status": snapshot.version_status[row] if row >= 0 else None,
        "visibility": facts.visibility(iri),
    }


def _edge(snapshot: Snapshot, facts: Facts, edge: Edge) -> Json:
    found: Json = {
        "source": facts.name(edge.source) if edge.source else None,
        "target": facts.name(edge.target) if edge.target else None,
        "relation": edge.relation,
        "verdict": edge.verdict,
        "confidence": edge.confidence,
        "evidence": [_evidence(snapshot, *span) for span in edge.spans],
        "document": facts.name(facts.iri),
        "stated_by": edge.graph,
    }
    quotes = facts.values(edge.node, OAM + "quote") if edge.node else []
    extra = {"target_label": edge.label, "source_label": edge.source_label, "quotes": quotes}
    return found | {name: value for name, value in extra.items() if value}


def _evidence(snapshot: Snapshot, sha256: str, start: int, end: int) -> Json:
    """The span with its words, unless they may not be seen or their Original is gone."""
    place: Json = {"original": f"sha256-{sha256}", "start": start, "end": end}
    try:
        if all(high <= start or low >= end for low, high in snapshot.hidden(sha256)):
            return {**place, "quote": snapshot.original(sha256)[start:end]}
    except (NotFound, Damaged):
        pass
    return place


def _dumped(value: Json) -> bytes:
    parts = []
    for name, entry in value.items():
        if isinstance(entry, list):
            lines = ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in entry)
            parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]" if entry else f"  {json.dumps(name)}: []")
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()
