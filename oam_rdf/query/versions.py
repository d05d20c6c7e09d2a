"""The evolution of an object: every version connected to it by ``supersedes``, in order (decision D10).

Order is topological by longest distance from the oldest, ties by id; a fork has two heads, a cycle has none. Both are
conflicts that the answer shows; neither is an endless loop (hazard 54).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oam_rdf.index.facet_table import BEGINNING, END
from oam_rdf.query.generated import sourced
from oam_rdf.query.history import copies_of
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.times import iso_micros, iso_seconds
from oam_rdf.store.walk import components

LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Version:
    """One object of a chain. ``level`` is the longest distance from an oldest version, in steps."""

    id: str
    iri: str
    title: str
    version: str
    version_status: str
    source_status: str
    epistemic_state: str
    valid_from: str
    deprecated_at: str
    created: str
    level: int
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    source_available: bool

    def to_json(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in self.__slots__}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


@dataclass(frozen=True, slots=True)
class Edit:
    """A text that an object had before its document was edited in place."""

    version: str
    original: str
    committed_from: str
    committed_until: str

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Chain:
    """Versions in order, oldest first.

    ``heads`` have no successor; ``current`` is the one head reachable from the start, "" if there is not exactly one.
    ``branches`` have several successors, ``merges`` several predecessors, ``cycles`` are sets that supersede each other
    in a ring. ``conflict`` is "" or VERSION_CONFLICT, with ``reason``. ``edits`` are the start's own earlier texts.
    """

    start: str
    versions: tuple[Version, ...]
    heads: tuple[str, ...]
    current: str
    branches: tuple[str, ...]
    merges: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    conflict: str
    reason: str
    edits: tuple[Edit, ...]
    truncated: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "versions": [version.to_json() for version in self.versions],
            "heads": list(self.heads),
            "current": self.current,
            "branches": list(self.branches),
            "merges": list(self.merges),
            "cycles": [list(cycle) for cycle in self.cycles],
            "conflict": self.conflict,
            "reason": self.reason,
            "edits": [edit.to_json() for edit in self.edits],
            "truncated": self.truncated,
        }


def chain(snapshot: Snapshot, identifier: str) -> Chain:
    """The chain of the object called ``identifier``. :raises NotFound: if there is none that may be seen."""
    start = resolve(snapshot, identifier)
    following = snapshot.successors
    preceding: dict[int, list[int]] = {}
    for earlier, later in following.items():
        for row in later:
            preceding.setdefault(row, []).append(earlier)
    rows, truncated = _connected(start, following, preceding)
    name = {row: snapshot.facets.identifiers[row] or snapshot.facets.iris[row] for row in rows}
    edges = [(row, later) for row in rows for later in sorted(following.get(row, ())) if later in rows]
    levels, rings = order(sorted(rows), edges)
    ordered = sorted(rows, key=lambda row: (levels[row], name[row]))
    ahead, _ = _connected(start, following, {})
    heads = [row for row in ordered if row in ahead and not any(a == row for a, _ in edges)]
    cycles = tuple(tuple(sorted(name[row] for row in ring)) for ring in rings)
    cyclic = any(row in ahead for ring in rings for row in ring)
    reason = "cycle" if cyclic else "fork" if len(heads) > 1 else ""
    return Chain(
        start=name[start],
        versions=tuple(_version(snapshot, row, levels[row], name, edges) for row in ordered),
        heads=tuple(name[row] for row in ordered if not any(a == row for a, _ in edges)),
        current=name[heads[0]] if len(heads) == 1 and not reason else "",
        branches=tuple(name[row] for row in ordered if sum(a == row for a, _ in edges) > 1),
        merges=tuple(name[row] for row in ordered if sum(b == row for _, b in edges) > 1),
        cycles=cycles,
        conflict="VERSION_CONFLICT" if reason else "",
        reason=reason,
        edits=tuple(_edits(snapshot, start, name[start])),
        truncated=truncated,
    )


def _edits(snapshot: Snapshot, row: int, name: str) -> Iterator[Edit]:
    """Earlier texts of an object, oldest first."""
    for copy in copies_of(snapshot, snapshot.facets.iris[row]):
        yield Edit(f"{name}@{copy.mark}", copy.originals[-1], iso_micros(copy.since), iso_micros(copy.until))


def order(nodes: list[int], edges: list[tuple[int, int]]) -> tuple[dict[int, int], list[list[int]]]:
    """Longest distance of every node from a source, cycles counted as one node, and the cycles themselves."""
    label = {node: str(node) for node in nodes}
    component = components({label[n]: [] for n in nodes}, [(label[a], label[b]) for a, b in edges])
    members: dict[int, list[int]] = {}
    for node in nodes:
        members.setdefault(component[label[node]], []).append(node)
    following: dict[int, set[int]] = {number: set() for number in members}
    degree = dict.fromkeys(members, 0)
    for a, b in edges:
        left, right = component[label[a]], component[label[b]]
        if left != right and right not in following[left]:
            following[left].add(right)
            degree[right] += 1
    level = dict.fromkeys(members, 0)
    ready = [number for number, count in degree.items() if not count]
    while ready:
        number = ready.pop()
        for later in following[number]:
            level[later] = max(level[later], level[number] + 1)
            degree[later] -= 1
            if not degree[later]:
                ready.append(later)
    loops = {a for a, b in edges if a == b}
    rings = [ring for ring in members.values() if len(ring) > 1 or ring[0] in loops]
    return {node: level[component[label[node]]] for node in nodes}, sorted(rings)


def _connected(
    start: int, following: Mapping[int, list[int]], preceding: Mapping[int, list[int]]
) -> tuple[set[int], bool]:
    found, queue = {start}, [start]
    for row in queue:
        for other in sorted({*following.get(row, ()), *preceding.get(row, ())} - found):
            if len(found) >= LIMIT:
                return found, True
            found.add(other)
            queue.append(other)
    return found, False


def _version(
    snapshot: Snapshot, row: int, level: int, name: Mapping[int, str], edges: list[tuple[int, int]]
) -> Version:
    facets = snapshot.facets

    def when(value: int, missing: int) -> str:
        return "" if value == missing else iso_seconds(value)

    return Version(
        id=name[row],
        iri=facets.iris[row],
        title=facets.titles[row],
        version=facets.versions[row],
        version_status=snapshot.version_status[row],
        source_status=facets.source_statuses[row],
        epistemic_state=facets.column("epistemic_state")[row],
        valid_from=when(int(facets.valid_from[row]), BEGINNING),
        deprecated_at=when(int(facets.deprecated_at[row]), END),
        created=when(int(facets.created[row]), BEGINNING),
        level=level,
        supersedes=tuple(sorted(name[a] for a, b in edges if b == row)),
        superseded_by=tuple(sorted(name[b] for a, b in edges if a == row)),
        source_available=bool(sourced(snapshot)[row]),
    )
