"""NEEDS_REVIEW on what rests on a withdrawn object, and taking exactly that back (decision D9).

A flag is a node in the dependant's assessment graph that names the withdrawn object, the step by which the dependant was
reached, and the run. It changes no state. The path is read back from flag to flag, so that somebody who may not see an object
on it learns nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.analysis.invalidation import Impact
from oam_rdf.analysis.writing import Change, digest, named, now, one, values
from oam_rdf.errors import NotFound, Refused
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import PROV, concept
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.places import Place, narrowed, place
from oam_rdf.store.projection import graph_levels
from oam_rdf.store.review import AT, FLAG, NEEDS_REVIEW, REVIEWS, STATUS, decided, instant
from oam_rdf.store.terms import ATTRIBUTED, GENERATED, TYPE, moment, n, oam
from oam_rdf.store.walk import Edge

_CAUSE, _VIA, _BY, _OTHER = oam("becauseOf"), oam("via"), oam("viaRelation"), oam("alternativeSupport")
_INFORMED, _ASSOCIATED, _ENDED = n(PROV + "wasInformedBy"), n(PROV + "wasAssociatedWith"), n(PROV + "endedAtTime")
_USED = n(PROV + "used")


@dataclass(frozen=True, slots=True)
class Flag:
    """A standing flag as stored. ``path`` is the way from the cause, as far as it can be seen."""

    node: str
    object: str
    cause: str
    run: str
    agent: str
    time: str
    path: tuple[Edge, ...]
    alternatives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flagged:
    """What applying or undoing did. ``run`` is what undoes it; ``revision`` 0 = nothing was to do."""

    run: str
    objects: tuple[str, ...]
    revision: int = 0


def apply(live: LiveStore, minter: Minter, found: Impact, agent: str, reason: str = "", at: str = "") -> Flagged:
    """Flag the dependants that have no flag for this cause yet, in one revision.

    :raises Refused: if the cause still stands.
    """
    agent, at = named(agent, "a flag"), at or now()
    if not found.withdrawn:
        raise Refused(
            "it is neither superseded, deprecated nor refuted", place=found.cause,
            hint="what it would concern is shown without --apply; `oam epistemic set ID REFUTED` says that it fell",
        )  # fmt: skip
    store, cause = live.store, n(found.cause)
    standing = {quad.subject for quad in store.quads_for_pattern(None, _CAUSE, cause, None)}
    flagged = {iri for node in standing if isinstance(node, NamedNode) for iri in values(store, node, REVIEWS)}
    due = [dependant for dependant in found.dependants if dependant.iri not in flagged]
    mark = digest(found.cause, agent, at)
    if not due:
        return Flagged("", ())
    change, run = Change(store, minter), n(minter.run(mark))
    levels = graph_levels(store)
    narrowest = {iri: _level(levels, place(store, iri)) for iri in found.seeds}
    for dependant in found.dependants:
        where, last = place(store, dependant.iri), dependant.path[-1]
        own = _level(levels, where)
        narrowest[dependant.iri] = max(own, narrowest[last.source], _edge_level(store, levels, last) if levels else 0)
        if where is None or dependant.iri in flagged:
            continue
        if narrowest[dependant.iri] > own:  # who may not see the path may not see what came by it
            where = narrowed(where, VISIBILITIES[narrowest[dependant.iri]])
        graph, subject = n(where.assessment), n(dependant.iri)
        node = n(minter.dependent(dependant.iri, f"flag-{mark}"))
        quads = [
            Quad(node, TYPE, FLAG, graph),
            Quad(node, REVIEWS, subject, graph),
            Quad(node, _CAUSE, cause, graph),
            Quad(node, _VIA, n(last.source), graph),
            Quad(node, _BY, n(last.predicate), graph),
            Quad(node, GENERATED, run, graph),
            Quad(node, ATTRIBUTED, n(minter.agent(agent)), graph),
            Quad(node, AT, moment(at), graph),
            Quad(subject, STATUS, n(NEEDS_REVIEW), graph),
        ]
        for edge in dependant.alternatives:
            other = edge.subject if edge.object == dependant.iri else edge.target
            seen = max(_level(levels, place(store, other)), _edge_level(store, levels, edge)) if levels else 0
            if seen <= narrowest[dependant.iri]:
                quads.append(Quad(node, _OTHER, n(other), graph))
        change.take(where, (quad for quad in _statuses(store, subject, where) if quad not in quads))
        change.add(where, quads)
    home = _home(store, found.cause, due[0].iri)
    change.activity(home, run.value, "correction", agent, at, used=found.cause, reason=reason, label="invalidate")
    revision = change.commit(live, f"invalidate {found.cause} by {agent}, run {mark}, {len(due)} flagged")
    return Flagged(mark, tuple(dependant.iri for dependant in due), revision)


def undo(live: LiveStore, minter: Minter, mark: str, agent: str, at: str = "") -> Flagged:
    """Take back the flags of one run and nothing else. :raises NotFound: if no flag of that run stands."""
    agent, at = named(agent, "undoing flags"), at or now()
    store, run = live.store, n(minter.run(mark))
    nodes = [
        quad.subject
        for quad in store.quads_for_pattern(None, GENERATED, run, None)
        if isinstance(quad.subject, NamedNode) and next(store.quads_for_pattern(quad.subject, TYPE, FLAG, None), None)
    ]
    if not nodes:
        raise NotFound(f"no flags of a run {mark!r} stand", hint="`oam review --kind needs-review` names the runs")
    change, objects = Change(store, minter), []
    for node in nodes:
        change.gone |= set(store.quads_for_pattern(node, None, None, None))
    for node in nodes:
        iri = one(values(store, node, REVIEWS))
        where = place(store, iri)
        if where is None:
            continue
        objects.append(iri)
        subject = n(iri)
        status, had = status_of(store, subject, gone=change.gone), list(_statuses(store, subject, where))
        if any(quad.object.value != status for quad in had):  # type: ignore[union-attr]
            change.take(where, had)
            change.add(where, [Quad(subject, STATUS, n(status), n(where.assessment))] if status else [])
    home = _home(store, one(values(store, run, _USED)), objects[0] if objects else "")
    taken = n(minter.run(digest(mark, agent, at)))
    change.activity(home, taken.value, "correction", agent, at, label="undo")
    change.add(home, [Quad(taken, _INFORMED, run, n(home.provenance))])
    revision = change.commit(live, f"invalidate --undo {mark} by {agent}, {len(objects)} taken back")
    return Flagged(mark, tuple(sorted(objects)), revision)


def status_of(store: Store, subject: NamedNode, gone: set[Quad] | frozenset[Quad] = frozenset()) -> str:
    """The review status (IRI) that the decisions and flags on an object come to, without those in ``gone``.

    A flag that is later than the last decision asks for another one.
    """
    about = [q.subject for q in store.quads_for_pattern(None, REVIEWS, subject, None) if q not in gone]
    quads = [quad for node in about for quad in store.quads_for_pattern(node, None, None, None) if quad not in gone]
    made = [d for d in decided(quads) if not d.concept and not d.verdict and d.kind == "NEEDS_REVIEW"]
    flags = {quad.subject for quad in quads if quad.predicate == TYPE and quad.object == FLAG}
    times = [quad.object.value for quad in quads if quad.predicate == AT and quad.subject in flags]  # type: ignore[union-attr]
    if flags and not (made and instant(made[-1].time) > max(map(instant, times), default=instant(""))):
        return concept("review-status", "NEEDS_REVIEW")
    return made[-1].status if made else ""


def _statuses(store: Store, subject: NamedNode, where: Place) -> Iterator[Quad]:
    """The review status of an object in the assessment graphs of its document."""
    for quad in store.quads_for_pattern(subject, STATUS, None, None):
        if isinstance(quad.graph_name, NamedNode) and quad.graph_name.value.startswith(f"{where.head}/assessment"):
            yield quad


def _level(levels: Mapping[str, int], where: Place | None) -> int:
    """Index into VISIBILITIES of whom a place shows to."""
    return 0 if where is None else levels.get(f"{where.head}/assertion/{where.level}".removesuffix("/"), 0)


def _edge_level(store: Store, levels: Mapping[str, int], edge: Edge) -> int:
    """The same of who may see that an edge is stated."""
    stated = store.quads_for_pattern(n(edge.subject), n(edge.predicate), n(edge.object), None)
    return min((levels.get(str(getattr(quad.graph_name, "value", "")), 0) for quad in stated), default=0)


def flags(store: Store, iri: str) -> list[Flag]:
    """The flags on an object, oldest first."""
    found = []
    for quad in store.quads_for_pattern(None, REVIEWS, n(iri), None):
        node = quad.subject
        if isinstance(node, NamedNode) and Quad(node, TYPE, FLAG, quad.graph_name) in store:
            run = one(values(store, node, GENERATED))
            found.append(
                Flag(
                    node.value, iri, one(values(store, node, _CAUSE)), run.rpartition("/")[2],
                    one(values(store, node, ATTRIBUTED)).rpartition("/")[2], one(values(store, node, AT)),
                    tuple(_path(store, node.value, iri)), tuple(values(store, node, _OTHER)),
                )
            )  # fmt: skip
    return sorted(found, key=lambda flag: (instant(flag.time), flag.node))


def _path(store: Store, flag: str, iri: str) -> Iterator[Edge]:
    """The edges from the cause to a flagged object, from flag to flag of its run."""
    mark = flag.rpartition("flag-")[2]
    steps: list[Edge] = []
    seen: set[str] = set()
    while iri not in seen:
        seen.add(iri)
        node = n(f"{iri}{'.' if '#' in iri else '#'}flag-{mark}")
        via, by = one(values(store, node, _VIA)), one(values(store, node, _BY))
        if not via:
            break
        forward = Quad(n(via), n(by), n(iri)) if by else None
        against = forward is None or not any(store.quads_for_pattern(n(via), n(by), n(iri), None))
        steps.append(Edge(iri, by, via, True) if against else Edge(via, by, iri))
        iri = via
    yield from reversed(steps)


def _home(store: Store, cause: str, otherwise: str) -> Place:
    """Where the run is told of: with the cause, or with what it flagged if no document describes the cause any more."""
    found = (place(store, cause) if cause else None) or (place(store, otherwise) if otherwise else None)
    if found is None:
        raise NotFound("no document describes it", place=cause, hint="`oam search` finds ids")
    return found
