"""SGCD edges (formats.md, "In", 11): relations between things known elsewhere, each with a vector of nine couplings.

The importer does not know the nine names: they are those that most edges of the file have. An edge is a proposal until
somebody accepts it, so it is a node that nothing walks.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, word
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import notation, relation
from oam_rdf.model import ParsedDocument

COMPONENTS = 9
LEAST, MOST = -1.0, 1.0  # a coupling may be negative: what strengthens one weakens the other


def _edges(rows: Rows) -> list[tuple[Any, int]]:
    if len(rows) == 1 and isinstance(rows[0][0], dict) and "edge_id" not in rows[0][0]:
        return [(edge, rows[0][1]) for edge in rows_of(rows[0][0].get("edges"))]
    return list(rows)


def is_sgcd(rows: Rows) -> bool:
    """Whether the file has edges with a coupling: one, a list, JSON Lines, or under ``edges``."""
    return any(isinstance(edge, dict) and {"edge_id", "coupling"} <= edge.keys() for edge, _ in _edges(rows))


def read(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The edges as relation nodes of one document."""
    build = Builder(source, profile, [value for value, _ in rows], rows[0][1])
    edges = _edges(rows)
    names = Counter(name for edge, _ in edges for name in mapping(mapping(edge).get("coupling")))
    shared = [
        name for name, count in names.most_common() if count * 2 > sum(1 for e, _ in edges if isinstance(e, dict))
    ]
    if len(shared) != COMPONENTS:
        build.issue("coupling-names", f"most edges share {len(shared)} coupling names, not {COMPONENTS}: "
                    f"{', '.join(sorted(shared)) or 'none'}", hint="an edge has nine")  # fmt: skip
    seen: dict[str, int] = {}
    for number, (edge, line) in enumerate(edges):
        if not isinstance(edge, dict) or not word(edge.get("source")) or not word(edge.get("target")):
            build.issue(
                "bad-relation", f"edge {number + 1} names no source or no target", line=line, hint="kept as a field"
            )
            continue
        _edge(build, edge, line, frozenset(shared), seen)
    around = rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], dict) and "edge_id" not in rows[0][0] else {}
    extra = {f"edges.{number}.{name}" if name != "value" else f"edges.{number}": part
             for number, (edge, _) in enumerate(edges) for name, part in _left(edge).items()}  # fmt: skip
    kept = {key: part for key, part in around.items() if key != "edges"}
    return build.document(word(around.get("id")), word(around.get("title")) or source.stem,
                          lead="\n".join(f"{word(mapping(e).get('source'))} {word(mapping(e).get('target'))}"
                                         for e, _ in edges[:200]),
                          extra={**(leaves(kept) if kept else {}), **extra})  # fmt: skip


def _left(edge: Any) -> dict[str, str]:
    """What of an edge its relation node does not carry."""
    if not isinstance(edge, dict) or not word(edge.get("source")) or not word(edge.get("target")):
        return leaves(edge)
    read = {f"coupling.{name}" for name, value in mapping(edge.get("coupling")).items() if _number(value) is not None}
    whole = mapping(edge.get("coupling")) and len(read) == len(edge["coupling"])
    left = {k: v for k, v in edge.items() if k not in ("source", "target") and not (whole and k == "coupling")}
    return leaves(left, read) if left else {}


def _edge(build: Builder, edge: dict[str, Any], line: int, shared: frozenset[str], seen: dict[str, int]) -> None:
    identifier = word(edge.get("edge_id"))
    at = build.place(identifier) if identifier else line
    who = f"edge {identifier or '?'}"
    if identifier in seen:
        build.issue("duplicate-id", f"{who} stands on line {seen[identifier]} already", line=at, hint="both are kept")
    seen.setdefault(identifier, at)
    if not isinstance(edge.get("coupling"), dict):
        build.issue("bad-coupling", f"{who} has no object of couplings", line=at, hint="nine names with a number each")
    vector = mapping(edge.get("coupling"))
    if missing := sorted(shared - vector.keys()):
        build.issue("coupling-names", f"{who} lacks {', '.join(missing)}", line=at, hint="the other edges have them")
    if extra := sorted(vector.keys() - shared):
        build.issue(
            "coupling-names", f"{who} has {', '.join(extra)} besides", line=at, hint="the other edges lack them"
        )
    coupling = []
    for name, value in vector.items():
        number = _number(value)
        if number is None:
            build.issue(
                "bad-coupling", f"{name} of {who} is {value!r}, no finite number", line=at, hint="kept as a field"
            )
            continue
        if not LEAST <= number <= MOST:
            build.issue("bad-coupling", f"{name} of {who} is {number:g}, outside [{LEAST:g}, {MOST:g}]", line=at,
                        hint="kept as written")  # fmt: skip
        coupling.append((name, number))
    confidence = _number(edge.get("confidence"))
    if edge.get("confidence") is not None and (confidence is None or not 0 <= confidence <= 1):
        build.issue("bad-confidence", f"the confidence of {who} is no number in [0, 1]: left out", line=at)
        confidence = None
    verdict = notation("verdict", word(edge.get("verdict"))) or "pending"
    written = word(edge.get("relation") or edge.get("type"))
    kind = relation(written) if written else "related_to"
    build.relate(
        "", kind or "related_to", word(edge["target"]), line=at, subject=word(edge["source"]), confidence=confidence,
        coupling=tuple(coupling), verdict=verdict, source_label=written if kind != written else "",
    )  # fmt: skip


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
