"""Walks over one direction or several, one after the other, with everything that is said of their edges.

A leg is the plain walk from every arrival of the leg before it, so its arrivals are the union of those walks. Of a
direction to the ends of a chain only these go on, and where nothing leads on an object is its own end. Work is bounded by
:data:`SOURCES` walks a leg and :data:`HOPS` edges in all, whatever the graph; what is left out is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from oam_rdf.errors import UsageError
from oam_rdf.query.edges import Edges, NearMiss, RouteHop, Way
from oam_rdf.query.expression import Leg, parse
from oam_rdf.query.fallback import FALLBACKS, NONE, Found, fall_back
from oam_rdf.query.generated import barred
from oam_rdf.query.navigate import BROAD_NODES, LegReport, Navigation, Report, plain
from oam_rdf.query.nodes import Node, called, node_of, relation_of
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.walk import Hop, Walk, walk

SOURCES = 1_000  # walks of one leg
HOPS = 100_000  # edges walked by all legs
NODES = 10_000  # arrivals of one leg
WAYS = 3  # routes kept of one arrival
MISSES = 20  # near misses shown of one leg
_LOOKED_AT = 200  # objects whose candidate edges are looked at, of one leg
_LISTED = 100  # dead ends, objects passed and hops in cycles that a leg's report names


@dataclass(frozen=True, slots=True)
class Trip:
    """A route by IRIs: hops with the number of their leg; ``fallbacks`` the hops that are no edge, in their place."""

    hops: tuple[tuple[int, Hop | Found], ...] = ()

    def then(self, number: int, hops: Iterable[Hop | Found]) -> Trip:
        return Trip(self.hops + tuple((number, hop) for hop in hops))


def compose(
    snapshot: Snapshot, start: str, expression: str, steps: int | None = None, *, fallback: str = NONE
) -> Navigation:
    """Walk ``expression`` (see :mod:`oam_rdf.query.expression`) from the object called ``start``.

    :param steps: hops at most, for one direction that names none itself.
    :param fallback: ``none``, ``operator tags`` or ``similarity``: what may stand in where typed edges lead nowhere, the
        earlier ones first.
    :raises NotFound: if the start does not exist or may not be seen. :raises UsageError: for a wrong expression.
    """
    if fallback not in FALLBACKS:
        raise UsageError(f"unknown fallback {fallback!r}", hint="one of " + ", ".join(FALLBACKS))
    if steps is not None and steps < 1:
        raise UsageError(f"steps = {steps}", hint="1 or more")
    legs = parse(expression, snapshot.ontology)
    if steps is not None:
        if len(legs) > 1 or legs[0].hops is not None:
            raise UsageError(
                "hops are given twice, or for several directions", hint="write DIRECTION*N in the expression"
            )
        legs = (replace(legs[0], hops=steps),)
    origin = node(snapshot, start)
    return _Journey(snapshot, origin, legs, fallback).result(steps)


class _Journey:
    def __init__(self, snapshot: Snapshot, origin: str, legs: tuple[Leg, ...], fallback: str) -> None:
        self.snapshot, self.origin, self.legs, self.fallback = snapshot, origin, legs, fallback
        self.edges = Edges(snapshot)
        self.room = HOPS
        self.reports: list[LegReport] = []
        self.misses: list[NearMiss] = []
        self.reasons: list[str] = []

    def result(self, steps: int | None) -> Navigation:
        if len(self.legs) == 1:
            return self.single(steps)
        trips: dict[str, list[Trip]] = {self.origin: [Trip()]}
        for number, leg in enumerate(self.legs, 1):
            trips = self.leg(number, leg, trips)
        nodes = tuple(self.node(iri, ways) for iri, ways in self.ordered(trips))
        last = self.reports[-1]
        return Navigation(
            start=self.id(self.origin),
            direction=" / ".join(map(str, self.legs)),
            steps=None,
            nodes=nodes,
            heads=(),
            dead_ends=tuple(dict.fromkeys(name for report in self.reports for name in report.dead_ends)),
            loops=tuple(dict.fromkeys(loop for report in self.reports for loop in report.loops)),
            branches=(),
            passed=last.passed,
            conflict="VERSION_CONFLICT" if self.reasons else "",
            reason=self.reasons[0] if self.reasons else "",
            more=any(report.more for report in self.reports),
            truncated=any(report.truncated for report in self.reports),
            legs=tuple(self.reports),
            near_misses=tuple(self.misses),
            fallback=_weakest(item.fallback for item in nodes),
        )

    def single(self, steps: int | None) -> Navigation:
        """A plain direction: what :func:`navigate` says, with the ways in full."""
        leg = self.legs[0]
        found, told = plain(self.snapshot, self.origin, leg.direction, leg.hops)
        iris = {item.iri: item for item in told.nodes}
        nodes = tuple(
            replace(item, ways=(self.way(Trip().then(1, found.route(item.iri))),)) if item.iri in found.depth else item
            for item in told.nodes
        )
        stand_ins = () if iris else self.stand_ins(leg, self.origin)
        nodes += tuple(self.node(item.target, [Trip().then(1, (item,))]) for item in stand_ins)
        self.near(1, leg, [self.origin, *found.depth])
        return replace(
            told,
            direction=told.direction if steps == leg.hops else str(leg),
            nodes=nodes,
            legs=(self.report(1, leg, 1, len(nodes), told, nodes),),
            near_misses=tuple(self.misses),
            fallback=_weakest(item.fallback for item in nodes),
        )

    def leg(self, number: int, leg: Leg, trips: Mapping[str, list[Trip]]) -> dict[str, list[Trip]]:
        """Where a leg leads from the arrivals of the one before: IRI -> its shortest trips."""
        found: dict[str, list[Trip]] = {}
        dead, loops, passed, seen = [], [], [], [*trips]
        more = truncated = False
        sources = self.ordered(trips)
        for source, ways in sources[:SOURCES]:
            if self.room <= 0 or len(found) >= NODES:
                truncated = True
                break
            went, report = self.walked(leg, source)
            self.room -= max(1, len(went.hops))
            more |= bool(went.unexpanded) and not went.truncated
            truncated |= went.truncated
            arrived: dict[str, tuple[Hop | Found, ...]] = {iri: went.route(iri) for iri in self.arrivals(leg, report)}
            if not arrived:
                arrived = {item.target: (item,) for item in self.stand_ins(leg, source)}
            if not arrived:
                dead.append(self.id(source))
            for iri, hops in arrived.items():
                found.setdefault(iri, []).extend(trip.then(number, hops) for trip in ways)
            self.reasons += [reason] if (reason := report.reason(report.ends())) else []
            loops += [(self.id(hop.source), self.id(hop.target)) for hop in went.loops[:_LISTED]]
            passed += [self.id(iri) for iri in went.depth if iri not in arrived][:_LISTED]
            seen += list(went.depth)[:_LOOKED_AT]
        truncated |= len(sources) > SOURCES or len(found) > NODES
        kept = {iri: sorted(ways, key=lambda t: (len(t.hops), self.ids(t)))[:WAYS] for iri, ways in found.items()}
        kept = dict(list(kept.items())[:NODES])
        self.near(number, leg, dict.fromkeys(seen))
        grounds = _weakest(_ground(trip) for ways in kept.values() for trip in ways)
        self.reports.append(
            LegReport(
                number, leg.direction.notation, leg.hops, len(sources), len(kept), tuple(dict.fromkeys(dead))[:_LISTED],
                tuple(sorted(set(loops)))[:_LISTED], tuple(dict.fromkeys(passed))[:_LISTED], more, truncated, grounds,
            )
        )  # fmt: skip
        return kept

    def walked(self, leg: Leg, source: str) -> tuple[Walk, Report]:
        snapshot, way = self.snapshot, leg.direction
        went = walk(
            snapshot.store, source, way.hop, max_depth=leg.hops, max_nodes=BROAD_NODES if way.broad else NODES,
            max_hops=self.room, admits=snapshot.admits,
        )  # fmt: skip
        return went, Report(snapshot, snapshot.ontology, way, went, leg.hops)

    @staticmethod
    def arrivals(leg: Leg, report: Report) -> list[str]:
        if leg.direction.order != "head":
            return report.arrivals()
        ends = [*report.ends(), *(report.found.unexpanded if leg.hops is not None else ())]
        # An object that nothing supersedes is the end of its own chain.
        return ends or ([report.found.start] if not report.found.depth and not report.found.loops else [])

    def stand_ins(self, leg: Leg, source: str) -> tuple[Found, ...]:
        if self.fallback == NONE:
            return ()
        return fall_back(self.snapshot, source, leg.direction, self.fallback)

    def near(self, number: int, leg: Leg, nodes: Iterable[str]) -> None:
        looked_at = list(nodes)[:_LOOKED_AT]
        for miss in self.edges.near_misses(looked_at, leg.direction.hop, number, MISSES):
            if barred(self.snapshot, miss.target, leg.direction):
                continue
            row = self.snapshot.facets.row(miss.target)
            self.misses.append(
                NearMiss(
                    self.id(miss.source), self.id(miss.target), self.snapshot.facets.titles[row] if row >= 0 else "",
                    miss.relation, miss.verdict, miss.confidence, miss.reason, number,
                )
            )  # fmt: skip

    def report(
        self, number: int, leg: Leg, starts: int, arrivals: int, told: Navigation, nodes: tuple[Node, ...]
    ) -> LegReport:
        grounds = _weakest(item.fallback for item in nodes)
        return LegReport(
            number, leg.direction.notation, leg.hops, starts, arrivals, told.dead_ends if not nodes else (),
            told.loops[:_LISTED], told.passed[:_LISTED], told.more, told.truncated, grounds,
        )  # fmt: skip

    # -- what is shown ---------------------------------------------------------------------------------------------

    def ordered(self, trips: Mapping[str, list[Trip]]) -> list[tuple[str, list[Trip]]]:
        """By the length of the shortest trip, then by id."""
        return sorted(trips.items(), key=lambda item: (len(item[1][0].hops), self.id(item[0])))

    def node(self, iri: str, trips: list[Trip]) -> Node:
        ways = tuple(self.way(trip) for trip in trips)
        return node_of(
            self.snapshot, iri, depth=len(trips[0].hops), route=ways[0].route,
            relations=tuple(self.relation(hop) for _, hop in trips[0].hops), ways=ways, fallback=_ground(trips[0]),
        )  # fmt: skip

    def way(self, trip: Trip) -> Way:
        hops: list[RouteHop] = []
        for number, hop in trip.hops:
            if isinstance(hop, Found):
                hops.append(
                    RouteHop(self.id(hop.source), self.id(hop.target), hop.mark, hop.strength, "", number, hop.ground)
                )
                continue
            for edge in hop.edges:
                confidence, verdict = self.edges.judged(edge)
                ends = self.id(edge.source), self.id(edge.target)
                hops.append(RouteHop(*ends, relation_of(edge), confidence, verdict, number))
        return Way((self.id(self.origin), *self.ids(trip)), tuple(hops))

    def ids(self, trip: Trip) -> tuple[str, ...]:
        return tuple(self.id(hop.target) for _, hop in trip.hops)

    @staticmethod
    def relation(hop: Hop | Found) -> str:
        return hop.mark if isinstance(hop, Found) else "/".join(relation_of(edge) for edge in hop.edges)

    def id(self, iri: str) -> str:
        return called(self.snapshot, iri)


def _ground(trip: Trip) -> str:
    return _weakest(hop.ground for _, hop in trip.hops if isinstance(hop, Found))


def _weakest(grounds: Iterable[str]) -> str:
    return max(grounds, key=FALLBACKS.index, default=NONE)
