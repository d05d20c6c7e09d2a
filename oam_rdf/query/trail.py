"""A step on a trail: kept, compared with those before it, and where it goes in circles, told with ways out."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from oam_rdf.query.loops import Alternative, Step, loop_of
from oam_rdf.query.navigate import Navigation, Report
from oam_rdf.query.nodes import called
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.layout import Layout
from oam_rdf.store.trails import Trails, add_to_file
from oam_rdf.store.walk import walk

_ARRIVALS, _HOPS = 64, 256  # of each direction that is tried as a way out
_NAMED = 3


def is_file(trail: str) -> bool:
    """Whether ``--trail`` means a file: it names a folder, ends in .json or .jsonl, or is there."""
    return os.sep in trail or trail.endswith((".json", ".jsonl")) or Path(trail).is_file()


def on_trail(snapshot: Snapshot, found: Navigation, origin: str, trail: str, *, files: bool = False) -> Navigation:
    """The walk with what its trail warns of; the step from the IRI ``origin`` is kept.

    :param trail: a name in the knowledge base, or with ``files`` a file where it looks like one.
    """
    taken = (origin, found.start, found.direction)
    if files and is_file(trail):
        rows = add_to_file(Path(trail), taken)
    else:
        rows = Trails(Layout(snapshot.kb).trails).add(snapshot.clearance, trail, taken)
    steps = [Step(*row) for row in rows]
    loop = loop_of(steps, snapshot.ontology)
    if loop is None:
        return found
    if loop.flagged:
        asked = {step.direction for step in steps if step.node == origin}
        loop = loop.with_alternatives(ways_out(snapshot, origin, {step.node for step in steps}, asked))
    return replace(found, loop=loop)


def ways_out(
    snapshot: Snapshot, origin: str, visited: Collection[str], asked: Collection[str]
) -> tuple[Alternative, ...]:
    """Directions not asked here yet whose first hop leads to something that the trail has not asked from."""
    ontology, found = snapshot.ontology, []
    for name, way in sorted(ontology.directions.items()):
        if name in asked:
            continue
        went = walk(
            snapshot.store, origin, way.hop, max_depth=1, max_nodes=_ARRIVALS, max_hops=_HOPS, admits=snapshot.admits
        )
        fresh = [iri for iri in Report(snapshot, ontology, way, went, 1).arrivals() if iri not in visited]
        if fresh:
            found.append(Alternative(name, len(fresh), tuple(sorted(called(snapshot, iri) for iri in fresh)[:_NAMED])))
    return tuple(found)
