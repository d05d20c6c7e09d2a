"""A 3M provenance graph on PROV-O: nodes of a release and the edges between them (formats.md, "In", 8).

The names of the edges and what each becomes are rows of ``ontology/schemes/provenance-edges.ttl``.
"""

from __future__ import annotations

from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, word
from oam_rdf.ingest.shapes.hashed import check_own, digest_of
from oam_rdf.ingest.source import Source
from oam_rdf.model import ParsedDocument, ProvNode
from oam_rdf.ontology import Ontology

# What a node of a type is on PROV-O. A receipt node is no promotion: that is what the receipt itself says.
_TYPES = {
    "SCHEMA_MIGRATION": ("Activity", "migration"), "WORKFLOW_RUN": ("Activity", "execution"),
    "DATASET_REVIEW": ("Activity", "review"), "PROMOTION_RECEIPT": ("Activity", ""),
    "DATASET_VERIFICATION": ("Activity", "verification"), "REVIEWER": ("Agent", ""),
}  # fmt: skip


def is_graph(rows: Rows) -> bool:
    """Whether the file is ``{"nodes": [{"node_id", …}], "edges": [{"source", "target", "relation"}]}``."""
    value = rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], dict) else {}
    nodes, edges = value.get("nodes"), value.get("edges")
    if not isinstance(nodes, list) or not isinstance(edges, list):
        return False
    return any("node_id" in mapping(node) for node in nodes) or "graph_sha256" in value


def read(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The graph as a document with its nodes on PROV-O. :raises ParseError: if its own hash does not fit."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    # Whether it is acyclic was written into it after it was hashed.
    own = check_own(build, value, "graph_sha256", {"dag_valid"}) if "graph_sha256" in value else ""
    ids: dict[str, str] = {}
    nodes: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(value["nodes"]):
        identifier = word(mapping(entry).get("node_id"))
        if not identifier or identifier in ids:
            what = f"the node {identifier!r} occurs twice" if identifier else f"nodes.{number} has no node_id"
            build.issue("bad-node", what, hint="kept as a field; only the first is a node")
            continue
        ids[identifier] = build.names.take(f"node-{identifier}")
        nodes[identifier] = entry
    links, said = _links(build, value["edges"], ids)
    for identifier, entry in nodes.items():
        label, stated, at = (
            word(entry.get("node_type")),
            digest_of(entry.get("content_sha256")),
            build.place(identifier),
        )
        kind, activity = _TYPES.get(label, ("Entity", ""))
        build.nodes.append(
            ProvNode(
                ids[identifier], type=kind, kind=activity, label=label, author_id=identifier, sha256=stated,
                links=tuple(links.get(identifier, ())), line=at,
            )
        )  # fmt: skip
        if stated:  # the record that the node stands for, when it is here
            build.relate("", "mentions", stated, line=at, event=ids[identifier] if kind == "Entity" else "")
    if _cyclic(value["edges"]):
        build.issue("provenance-cycle", "the edges form a cycle: something would come before itself",
                    hint="correct the graph")  # fmt: skip
    elif value.get("dag_valid") is False:
        build.issue("provenance-cycle", "dag_valid is false, yet the edges form no cycle", severity="note")
    name = f"provenance graph {own[:16]}" if own else ""
    lead = "\n".join(said) or source.stem
    return build.document(name, source.stem, lead=lead, aliases=(own,) if own else (), extra=leaves(value))


def _links(build: Builder, edges: list[Any], ids: dict[str, str]) -> tuple[dict[str, list[tuple[str, str]]], list[str]]:
    known = Ontology.load().prov_edges
    links: dict[str, list[tuple[str, str]]] = {}
    said = []
    for number, edge in enumerate(edges):
        start, end, name = (word(mapping(edge).get(key)) for key in ("source", "target", "relation"))
        row = known.get(name.upper())
        if start not in ids or end not in ids:
            missing = start if start not in ids else end
            build.issue("dangling-edge", f"edges.{number} ({name}) leads to no node {missing!r}", line=build.place(missing),
                        hint="kept as a field")  # fmt: skip
            continue
        said.append(f"{start} {name} {end}")
        if row is None:
            build.issue("unknown-label", f"unknown provenance edge {name!r}", hint="kept as a field")
            continue
        prov, inverse = row
        owner, other = (end, start) if inverse else (start, end)
        links.setdefault(owner, []).append((prov, ids[other]))
    return links, said


def _cyclic(edges: list[Any]) -> bool:
    follows: dict[str, list[str]] = {}
    waiting: dict[str, int] = {}
    for edge in edges:
        start, end = (word(mapping(edge).get(key)) for key in ("source", "target"))
        follows.setdefault(start, []).append(end)
        waiting[end] = waiting.get(end, 0) + 1
        waiting.setdefault(start, 0)
    free = [node for node, count in waiting.items() if not count]
    for node in free:
        for other in follows.get(node, ()):
            waiting[other] -= 1
            if not waiting[other]:
                free.append(other)
    return len(free) < len(waiting)
