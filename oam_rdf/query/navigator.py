"""The questions of somebody who stands on one object: where it leads, by which paths, what speaks for it and against it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from oam_rdf.model import VISIBILITIES
from oam_rdf.query.bearing import Bearing, bearing
from oam_rdf.query.compose import compose
from oam_rdf.query.conflicts import KINDS, Conflicts, conflicts
from oam_rdf.query.fallback import NONE
from oam_rdf.query.navigate import Navigation
from oam_rdf.query.paths import Paths, paths
from oam_rdf.query.provenance import CONTEXT, Provenance, provenance
from oam_rdf.query.resolve import node
from oam_rdf.query.selection import Wanted, select
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.tracing import Traceability, traceability
from oam_rdf.query.trail import on_trail

_ALL = VISIBILITIES[-1]


class Navigator(ABC):
    """Navigation for whatever opens snapshots; every method takes a ``clearance``."""

    @abstractmethod
    def snapshot(self, clearance: str = _ALL) -> AbstractContextManager[Snapshot]:
        """The current generation at a clearance."""

    def navigate(
        self,
        start: str,
        direction: str,
        *,
        steps: int | None = None,
        fallback: str = NONE,
        trail_id: str = "",
        trail_file: str = "",
        clearance: str = _ALL,
    ) -> Navigation:
        """Walk from an object along a direction, or along several: ``ABSTRACT.UP*2 / EVIDENCE.STRONGER``.

        Options as :func:`oam_rdf.query.compose.compose`. With ``trail_id`` the step is kept under that name and the answer
        says whether the trail goes in circles; ``trail_file`` is the same in a file of the caller's.
        """
        with self.snapshot(clearance) as snapshot:
            found = compose(snapshot, start, direction, steps, fallback=fallback)
            if trail_id or trail_file:
                found = on_trail(snapshot, found, node(snapshot, start), trail_file or trail_id, files=bool(trail_file))
            return found

    def paths(
        self,
        start: str,
        goal: str,
        *,
        k: int = 1,
        relations: Sequence[str] = (),
        directed: bool = False,
        level: str = "auto",
        clearance: str = _ALL,
    ) -> Paths:
        """The ``k`` shortest paths between two objects, as :func:`oam_rdf.query.paths.paths`."""
        with self.snapshot(clearance) as snapshot:
            return paths(snapshot, start, goal, k=k, relations=relations, directed=directed, level=level)

    def conflicts(self, identifier: str = "", *, kinds: Sequence[str] = KINDS, clearance: str = _ALL) -> Conflicts:
        """What cannot stand together, around one object or everywhere (see :mod:`oam_rdf.query.conflicts`)."""
        with self.snapshot(clearance) as snapshot:
            return conflicts(snapshot, identifier, kinds=tuple(kinds))

    def evidence(
        self, identifier: str, *, stance: str = "", kind: str = "", outcome: str = "", clearance: str = _ALL
    ) -> Bearing:
        """What speaks for a claim and against it (see :mod:`oam_rdf.query.bearing`)."""
        with self.snapshot(clearance) as snapshot:
            return bearing(snapshot, identifier, stance=stance, kind=kind, outcome=outcome)

    def provenance(self, identifier: str, *, context: int = CONTEXT, clearance: str = _ALL) -> Provenance:
        """The chain from an object to its characters, file, activities, agents and reviewers."""
        with self.snapshot(clearance) as snapshot:
            return provenance(snapshot, identifier, context=context)

    def traceability(self, wanted: Wanted, *, limit: int = 50, clearance: str = _ALL) -> Traceability:
        """How many of the objects wanted trace to their Originals: P_trace (see :mod:`oam_rdf.query.tracing`)."""
        with self.snapshot(clearance) as snapshot:
            return traceability(snapshot, select(snapshot, wanted), limit=limit)
