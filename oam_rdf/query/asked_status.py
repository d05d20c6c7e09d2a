"""The status that a question asks for of a named object at a date, from the status histories."""

from __future__ import annotations

from oam_rdf.query.statuses import StatusThen, moments, of_row, then
from oam_rdf.query.trace import State


def status_asked(state: State, row: int) -> StatusThen | None:
    """What the histories say of the object, or of its document, at the date that the plan names.

    None where no status or no date is asked for, or no history tells of it.
    """
    date = state.plan.version.as_of
    if not date or not any(entry.value == "status" for entry in state.plan.form.asked):
        return None
    for owner in dict.fromkeys((row, int(state.snapshot.facets.document[row]))):
        history = of_row(state.snapshot, owner) if owner >= 0 else None
        if history is not None and history.events:
            return then(history, date, *moments(date))
    return None


def note_statuses(state: State) -> State:
    """The trace with what was asked: object, date, the source's word, since when and as which history says."""
    found = [answer for row in dict.fromkeys(state.ids.values()) if (answer := status_asked(state, row))]
    if not found:
        return state
    said = [
        {
            "object": answer.id,
            "date": answer.date,
            "status": answer.status,
            "version_status": answer.version_status,
            "since": answer.event.time if answer.event else "",
            "history": answer.event.source if answer.event else "",
            "line": answer.event.line if answer.event else 0,
            "reason": answer.reason,
        }
        for answer in found
    ]
    return state.note("as_of", statuses=said)
