"""What cannot stand together: five kinds of conflict, all from what somebody stated, none from likeness (hazard 68).

- ``contradiction``: one object contradicts another;
- ``refutation``: an object is refuted, with what refutes it, or a check of it failed;
- ``counterexample``: one object is a counterexample to another;
- ``version``: versions that do not end in one head, as a fork or a cycle (decision D10);
- ``state``: the same claim in two states that no claim can be in at once (``oam:incompatibleWith``).

A pair is told once, of the most specific kind: a counterexample is more than a contradiction. What is superseded is told
too, marked as no longer in force. Nothing is decided or changed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyoxigraph import NamedNode

from oam_rdf.namespaces import OAM
from oam_rdf.query.evidence import evidence_of, has_evidence, notation
from oam_rdf.query.pairs import NOWHERE, pairs
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.versions import order

KINDS = ("contradiction", "refutation", "counterexample", "version", "state")
_LISTED = 1_000
_OUT = ("SUPERSEDED", "HISTORICAL", "DEPRECATED")
_REFUTED, _FAILED = "REFUTED", "failed"


@dataclass(frozen=True, slots=True)
class Conflict:
    """``objects`` are ids: the two that disagree, the refuted one first, or all versions concerned. ``states`` and
    ``statuses`` are theirs, in the same order. ``relation`` is the edge that says so, read from the first object (``^`` =
    the other one states it). ``detail``: what is to be known beside it. ``in_force``: none of them is superseded."""

    kind: str
    objects: tuple[str, ...]
    titles: tuple[str, ...]
    states: tuple[str, ...]
    statuses: tuple[str, ...]
    relation: str
    detail: str
    in_force: bool

    def to_json(self) -> dict[str, Any]:
        return {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Conflicts:
    """``checked`` counts what was looked at: ``objects``, ``edges`` that contradict, ``evidence`` of objects, ``version_edges``
    and ``claim_pairs``. ``left_out`` counts the conflicts beyond those listed."""

    about: str
    conflicts: tuple[Conflict, ...]
    checked: Mapping[str, int]
    left_out: int

    def count(self, kind: str) -> int:
        return sum(conflict.kind == kind for conflict in self.conflicts)

    def to_json(self) -> dict[str, Any]:
        return {
            "about": self.about,
            "counts": {kind: self.count(kind) for kind in KINDS},
            "conflicts": [conflict.to_json() for conflict in self.conflicts],
            "checked": dict(self.checked),
            "left_out": self.left_out,
        }


def conflicts(snapshot: Snapshot, identifier: str = "", *, kinds: tuple[str, ...] = KINDS) -> Conflicts:
    """The conflicts of one object and its parts, or of everything that the clearance sees.

    :raises NotFound: if there is no such object, or it may not be seen.
    """
    about = resolve(snapshot, identifier) if identifier else None
    search = _Search(snapshot, about)
    found = [conflict for conflict in search.all() if conflict.kind in kinds]
    found.sort(key=lambda item: (not item.in_force, KINDS.index(item.kind), item.objects))
    name = "" if about is None else search.name(about)
    return Conflicts(name, tuple(found[:_LISTED]), search.checked, max(0, len(found) - _LISTED))


class _Search:
    def __init__(self, snapshot: Snapshot, about: int | None) -> None:
        self.snapshot, self.facets, self.about = snapshot, snapshot.facets, about
        self.state, self.status = self.facets.column("epistemic_state"), snapshot.version_status
        rows = snapshot.visible.copy()
        if about is not None and snapshot.graph is not None:
            tree = snapshot.graph.tree
            rows &= (tree.place >= tree.place[about]) & (tree.place < tree.end[about])
        elif about is not None:
            rows[:] = np.arange(len(rows)) == about
        self.concerned: set[int] = set(np.flatnonzero(rows).tolist())
        self.checked = dict.fromkeys(("objects", "edges", "evidence", "version_edges", "claim_pairs"), 0)
        self.checked["objects"] = len(self.concerned)

    def all(self) -> Iterator[Conflict]:
        yield from self.stated()
        yield from self.failed()
        yield from self.versions()
        yield from self.claims()

    def stated(self) -> Iterator[Conflict]:
        """Counterexamples and contradictions; what contradicts a refuted object refutes it."""
        counter = self.edges("counterexampleTo")
        contradicts = self.edges("contradicts")
        self.checked["edges"] = len(counter | contradicts)
        refuted: set[int] = set()
        for source, target in sorted(counter):
            refuted |= {target} & self.refuted(target)
            yield self.conflict("counterexample", (target, source), "^counterexample_to")
        told = {frozenset(pair) for pair in counter}
        for source, target in sorted(contradicts):
            if frozenset((source, target)) in told:
                continue
            told.add(frozenset((source, target)))
            first = target if self.refuted(target) or not self.refuted(source) else source
            relation = "^contradicts" if first == target else "contradicts"
            if self.refuted(first):
                refuted.add(first)
                yield self.conflict("refutation", (first, source if first == target else target), relation)
            else:
                yield self.conflict("contradiction", (source, target), "contradicts")
        alone = set(np.flatnonzero(self.facets.mask("epistemic_state", _REFUTED)).tolist()) & self.concerned - refuted
        for row in sorted(alone):
            if not self.failures(row):
                yield self.conflict("refutation", (row,), "", "nothing that refutes it is recorded")

    def failed(self) -> Iterator[Conflict]:
        """Objects with a check whose recorded outcome is a failure."""
        holders = set(np.flatnonzero(has_evidence(self.snapshot)).tolist()) & self.concerned
        self.checked["evidence"] = sum(len(evidence_of(self.snapshot, row)) for row in holders)
        for row in sorted(holders):
            for item in self.failures(row):
                yield self.conflict("refutation", (row,), "has_evidence", f"{item}: {_FAILED}")
        verified = {*self.edges("tests"), *self.edges("verifies")}
        self.checked["edges"] += len(verified)
        for source, target in sorted(verified):
            if self.outcome(source) == _FAILED:
                yield self.conflict("refutation", (target, source), "^tests", _FAILED)

    def versions(self) -> Iterator[Conflict]:
        """Forks, told by where they part, and cycles."""
        following = self.snapshot.successors
        edges = [(old, new) for old, later in following.items() for new in later]
        for part in _components(edges):
            if self.about is not None and not part & self.concerned:
                continue
            inner = [(old, new) for old, new in edges if old in part]
            self.checked["version_edges"] += len(inner)
            _, rings = order(sorted(part), inner)
            for ring in rings:
                yield self.conflict("version", tuple(ring), "supersedes", "cycle")
            heads = {row for row in part if not following.get(row)}
            ends = {row: self.heads(row, heads) for row in sorted(part) if len(set(following.get(row, ()))) > 1}
            for row, reached in ends.items():
                # A line that parts and comes together again ends in one head.
                if len(reached) > 1:
                    yield self.conflict("version", (row, *sorted(reached)), "^supersedes", "fork")

    def claims(self) -> Iterator[Conflict]:
        """The same claim in incompatible states."""
        ontology = self.snapshot.ontology
        same = {(min(pair), max(pair)) for pair in self.edges("sameClaimAs")}
        self.checked["claim_pairs"] = len(same)
        for one, other in sorted(same):
            if self.state[one] and self.state[other] and ontology.incompatible(self.state[one], self.state[other]):
                first, second = (one, other) if self.refuted(one) or not self.refuted(other) else (other, one)
                yield self.conflict("state", (first, second), "same_claim_as", "")

    # -- look-ups --------------------------------------------------------------------------------------------------

    def edges(self, name: str) -> set[tuple[int, int]]:
        """Edges of a property and of those that imply it, between visible objects, one of them concerned."""
        found = set()
        for property_ in sorted({OAM + name, *self.below(OAM + name)}):
            for source, targets in pairs(self.snapshot, property_).items():
                for target in targets:
                    if target not in (NOWHERE, source) and (source in self.concerned or target in self.concerned):
                        found.add((source, target))
        return found

    def below(self, iri: str) -> set[str]:
        relations = self.snapshot.ontology.relations.values()
        return {item.iri for item in relations if iri in item.super_properties}

    def refuted(self, row: int) -> set[int]:
        """The row itself if it is refuted, else nothing."""
        return {row} if self.state[row] == _REFUTED else set()

    def failures(self, row: int) -> list[str]:
        return [item.id for item in evidence_of(self.snapshot, row) if item.outcome == _FAILED]

    def outcome(self, row: int) -> str:
        return notation(self.snapshot, NamedNode(self.facets.iris[row]), "outcome", "outcome")

    def heads(self, row: int, heads: set[int]) -> set[int]:
        seen, queue = {row}, [row]
        for here in queue:
            fresh = [later for later in self.snapshot.successors.get(here, ()) if later not in seen]
            seen.update(fresh)
            queue += fresh
        return seen & heads

    def name(self, row: int) -> str:
        return self.facets.identifiers[row] or self.facets.iris[row]

    def conflict(self, kind: str, rows: tuple[int, ...], relation: str, detail: str = "") -> Conflict:
        return Conflict(
            kind,
            tuple(self.name(row) for row in rows),
            tuple(self.facets.titles[row] for row in rows),
            tuple(self.state[row] for row in rows),
            tuple(self.status[row] for row in rows),
            relation,
            detail,
            kind == "version" or not any(self.status[row] in _OUT for row in rows),
        )


def _components(edges: list[tuple[int, int]]) -> list[set[int]]:
    """Rows that supersession joins, whichever way, in order of their least."""
    joined: dict[int, list[int]] = {}
    for one, other in edges:
        joined.setdefault(one, []).append(other)
        joined.setdefault(other, []).append(one)
    parts, seen = [], set[int]()
    for row in sorted(joined):
        if row in seen:
            continue
        part, queue = {row}, [row]
        for here in queue:
            fresh = [other for other in joined[here] if other not in part]
            part.update(fresh)
            queue += dict.fromkeys(fresh)
        seen |= part
        parts.append(part)
    return parts
