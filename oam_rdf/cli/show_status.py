"""Statuses over time as text for people."""

from __future__ import annotations

from rich.markup import escape

from oam_rdf.query.statuses import Event, StatusHistory, StatusThen


def status_text(told: StatusHistory, then: StatusThen | None, *, history: bool) -> str:
    """The status at a date, if one is asked for, and with ``history`` every recorded one, oldest first."""
    lines = [] if then is None else _then(then)
    if not history:
        return "\n".join(lines)
    where = "" if told.here else " [yellow](no such document here yet)[/]"
    lines.append(f"[bold]{escape(told.id)}[/]{where}: {len(told.events)} recorded statuses")
    lines += [f"  {_event(event)}" for event in told.events]
    if told.current:
        lines.append(f"its own header says now: {escape(told.current)}")
    return "\n".join(lines)


def _then(then: StatusThen) -> list[str]:
    if not then.known:
        lines = [f"[bold]{escape(then.id)}[/] on {then.date}: [yellow]unknown[/] ({then.reason})"]
    else:
        mapped = f" ({then.version_status})" if then.version_status else ""
        lines = [f"[bold]{escape(then.id)}[/] on {then.date}: [cyan]{escape(then.status)}[/]{mapped}"]
    if then.event is not None:
        lines.append(f"  since {_event(then.event)}")
    if then.following is not None:
        lines.append(f"  until {_event(then.following)}")
    if then.changed:
        lines.append(f"  it changed on that day: {escape(', '.join(e.status or '(none)' for e in then.changed))}")
    return lines


def _event(event: Event) -> str:
    commit = f" commit {event.commit[:12]}" if event.commit else ""
    line = f":{event.line}" if event.line else ""
    return f"{event.time} {escape(event.status or '(none stated)')}  [dim]{escape(event.source)}{line}{commit}[/]"
