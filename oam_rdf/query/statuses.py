"""What the status of an object was at a time, from the status histories that the knowledge base holds.

An event gives the source's own word from its time on. Before the first event the status is unknown and is never guessed;
of equal times the later entry of the file counts. A date without a time means the end of that day, UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.index.facets import micros
from oam_rdf.namespaces import OAM, SCHEMES
from oam_rdf.query.history import value
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.times import iso_micros
from oam_rdf.text.normalise import id_key

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STATUS_OF, _LABEL = NamedNode(OAM + "statusOf"), NamedNode(OAM + "targetLabel")


@dataclass(frozen=True, slots=True)
class Event:
    """From ``time`` on (as written; ``moment``: microseconds since 1970 UTC) the status was ``status``, the source's word.

    ``version_status`` is "" where the word stands for none. ``source`` is the id of the history, ``line`` its line.
    """

    time: str
    moment: int
    status: str
    version_status: str
    commit: str
    source: str
    line: int
    order: int

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__ if name not in ("moment", "order")}


@dataclass(frozen=True, slots=True)
class StatusHistory:
    """Events of one object, oldest first. ``here`` is False while only histories know the id; ``current`` is the word
    that the object's own header says now."""

    id: str
    here: bool
    current: str
    events: tuple[Event, ...]

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "here": self.here, "current": self.current, "events": [e.to_json() for e in self.events]}


@dataclass(frozen=True, slots=True)
class StatusThen:
    """``status`` is the source's word in force at ``until`` (the moment that ``date`` means), "" if ``known`` is False.

    ``event`` gave it and ``following`` ended it; ``changed`` are the events of that day where ``date`` is a day.
    """

    id: str
    date: str
    until: str
    known: bool
    status: str
    version_status: str
    reason: str
    event: Event | None
    following: Event | None
    changed: tuple[Event, ...]

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("event", "following"):
            data[name] = data[name].to_json() if data[name] else None
        return {**data, "changed": [event.to_json() for event in self.changed]}


def status_history(snapshot: Snapshot, identifier: str) -> StatusHistory:
    """Every recorded status of an object, or of an id that only histories know.

    :raises NotFound: if neither an object nor a history knows the id.
    """
    try:
        row = resolve(snapshot, identifier)
    except NotFound:
        events = _labelled(snapshot, identifier)
        if not events:
            raise
        return StatusHistory(identifier, False, "", events)
    return of_row(snapshot, row)


def of_row(snapshot: Snapshot, row: int) -> StatusHistory:
    """The history of the object at a facet row."""
    facets = snapshot.facets
    nodes = [q.subject for q in snapshot.store.quads_for_pattern(None, _STATUS_OF, NamedNode(facets.iris[row]))]
    name = facets.identifiers[row] or facets.iris[row]
    return StatusHistory(name, True, facets.source_statuses[row], _events(snapshot, nodes))


def status_at(snapshot: Snapshot, identifier: str, date: str) -> StatusThen:
    """The status of an object at ``date``: ``2021-07-01``, or a date-time, which without a zone is UTC.

    :raises NotFound: if neither an object nor a history knows the id.
    :raises UsageError: if ``date`` is none.
    """
    begin, until = moments(date)
    return then(status_history(snapshot, identifier), date, begin, until)


def then(history: StatusHistory, date: str, begin: int, until: int) -> StatusThen:
    """What ``history`` says of the moment ``until``; ``begin``: when the day that is meant began."""
    before = [event for event in history.events if event.moment <= until]
    after = next((event for event in history.events if event.moment > until), None)
    event = before[-1] if before else None
    reason = ""
    if not history.events:
        reason = "no status history of it is recorded"
    elif event is None:
        reason = "the date lies before the first recorded status"
    elif not event.status:
        reason = "the source stated no status then"
    return StatusThen(
        id=history.id,
        date=date,
        until=iso_micros(until),
        known=bool(event and event.status),
        status=event.status if event else "",
        version_status=event.version_status if event else "",
        reason=reason,
        event=event,
        following=after,
        changed=tuple(event for event in before if event.moment >= begin) if begin < until else (),
    )


def moments(date: str) -> tuple[int, int]:
    """``(begin, until)`` in microseconds: the first and last of a day, or one moment twice.

    :raises UsageError: if ``date`` is none.
    """
    written = date.strip()
    try:
        when = datetime.fromisoformat(written)
    except ValueError as error:
        hint = "write 2026-07-31 or 2026-07-31T12:00:00+08:00"
        raise UsageError(f"{date!r} is not a date", hint=hint) from error
    moment = ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)
    return (moment, moment + 86_400_000_000 - 1) if _DAY.match(written) else (moment, moment)


def _labelled(snapshot: Snapshot, identifier: str) -> tuple[Event, ...]:
    wanted = id_key(identifier)
    nodes = [
        quad.subject
        for quad in snapshot.store.quads_for_pattern(None, _LABEL, None)
        if id_key(str(getattr(quad.object, "value", ""))) == wanted
    ]
    return _events(snapshot, nodes)


def _events(snapshot: Snapshot, nodes: list[Any]) -> tuple[Event, ...]:
    events = [event for node in nodes if isinstance(node, NamedNode) and (event := _event(snapshot, node))]
    teller: dict[tuple[int, str, str], str] = {}  # two histories may tell of the same change: the first one counts
    for event in events:
        change = (event.moment, event.status, event.commit)
        teller[change] = min(teller.get(change, event.source), event.source)
    told = (event for event in events if teller[event.moment, event.status, event.commit] == event.source)
    return tuple(sorted(told, key=lambda event: (event.moment, event.source, event.order)))


def _event(snapshot: Snapshot, node: NamedNode) -> Event | None:
    store, facets = snapshot.store, snapshot.facets
    time = value(store, node, OAM + "statusFrom")
    if not time:
        return None  # a relation that waits for its target
    row = facets.row(node.value.partition("#")[0])
    return Event(
        time=time,
        moment=micros(time),
        status=value(store, node, OAM + "sourceLabel"),
        version_status=value(store, node, OAM + "statusGiven").removeprefix(SCHEMES["version-status"]),
        commit=value(store, node, OAM + "commit"),
        source=facets.identifiers[row] if row >= 0 else "",
        line=int(value(store, node, OAM + "sourceLine") or 0),
        order=int(value(store, node, OAM + "order") or 0),
    )
