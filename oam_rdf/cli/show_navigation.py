"""Walks, paths, conflicts and evidence as text for people, in the three languages of the interface."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape

from oam_rdf.cli.labels import concept, label, listed
from oam_rdf.query.bearing import STANCES, Bearing, Item
from oam_rdf.query.conflicts import KINDS, Conflict, Conflicts
from oam_rdf.query.edges import NearMiss, RouteHop, Way
from oam_rdf.query.fallback import NONE
from oam_rdf.query.loops import Loop
from oam_rdf.query.navigate import Navigation
from oam_rdf.query.nodes import Node
from oam_rdf.query.paths import FoundPath, Paths

_QUOTE = 160
_KIND = {"version": "version conflict", "state": "state conflict"}


def navigation_text(found: Navigation, ui: str = "en") -> str:
    """The arrivals in order with their routes, then conflict, loops, dead ends, near misses, and what a trail warns of."""
    return "\n".join(_navigation(found, ui))


def _navigation(found: Navigation, ui: str) -> Iterator[str]:
    head = label("reached", ui, start=found.start, direction=found.direction, count=len(found.nodes))
    yield f"[bold]{escape(head)}[/]"
    composed = len(found.legs) > 1
    if found.route and not composed:
        yield label("path", ui, path=escape(" → ".join((found.start, *found.route))))
    for node in found.nodes:
        yield from _arrival(node, ui, composed)
    if composed:
        for leg in found.legs:
            told = label(
                "leg", ui, number=leg.number, direction=leg.direction, starts=leg.starts, arrivals=leg.arrivals
            )
            ends = label("dead ends", ui, ids=listed(leg.dead_ends, ui)) if leg.dead_ends else ""
            yield f"[dim]{escape('  '.join(part for part in (told, ends) if part))}[/]"
    if found.note:
        yield escape(found.note)
    if found.conflict:
        yield f"[red]{found.conflict}[/]: {label(found.reason, ui)}"
    for first, second in found.loops:
        yield f"[yellow]{escape(label('in a ring', ui, source=first, target=second))}[/]"
    if found.dead_ends and not composed:
        yield escape(label("dead ends", ui, ids=listed(found.dead_ends, ui)))
    if found.near_misses:
        yield f"[yellow]{label('near misses', ui)}[/]"
        yield from (_miss(miss, ui) for miss in found.near_misses)
    if found.more or found.truncated:
        yield f"[dim]{label('goes on', ui)}[/]"
    if found.loop is not None:
        yield from loop_lines(found.loop, ui)


def _arrival(node: Node, ui: str, composed: bool) -> Iterator[str]:
    status = " · ".join(
        part
        for part in (
            concept("granularity", node.granularity, ui),
            concept("version-status", node.version_status, ui),
            concept("epistemic-state", node.epistemic_state, ui),
        )
        if part
    )
    mark = f" ({label('branches', ui)})" if node.branch else ""
    yield f"  {node.depth}. [cyan]{escape(node.id)}[/] {escape(node.title)}{mark}  [dim]{escape(status)}[/]"
    if node.fallback != NONE:
        yield f"     [yellow]{label('fallback', ui, ground=label(node.fallback, ui))}[/]"
    for way in node.ways:
        if composed or len(way.hops) > 1 or any(hop.confidence is not None or hop.verdict for hop in way.hops):
            yield f"     [dim]{escape(_way(way, ui))}[/]"


def _way(way: Way, ui: str) -> str:
    parts = [way.hops[0].source if way.hops else way.route[0]]
    for hop in way.hops:
        parts += [f"—{hop.relation}{_said(hop, ui)}→", hop.target]
    return " ".join(parts)


def _said(hop: RouteHop, ui: str) -> str:
    said = []
    if hop.confidence is not None:
        said.append(f"{hop.confidence:.2f}")
    if hop.verdict:
        said.append(concept("verdict", hop.verdict, ui))
    return f" ({listed(said, ui)})" if said else ""


def _miss(miss: NearMiss, ui: str) -> str:
    verdict = concept("verdict", miss.verdict, ui)
    said = label("not audited", ui) if miss.verdict == "pending" else label("judged", ui, verdict=verdict)
    sure = " " + label("sure", ui, confidence=f"{miss.confidence:.2f}") if miss.confidence is not None else ""
    why = f": {miss.reason}" if miss.reason else ""
    text = f"{miss.source} —{miss.relation}⇢ {miss.target} {miss.title}  {said}{sure}{why}"
    return f"  [dim]{escape(text)}[/]"


def loop_lines(loop: Loop, ui: str) -> Iterator[str]:
    """What a trail warns of: the cycle, and ways out of it."""
    color = "red" if loop.flagged else "yellow"
    cycle = " → ".join(f"{name} {direction}" for name, direction in loop.cycle)
    yield f"[{color}]{label(loop.kind, ui)}[/]  " + escape(label("repeats", ui, count=loop.repeats, cycle=cycle))
    if loop.alternatives:
        yield label("ways out", ui)
        for item in loop.alternatives:
            name = concept("direction", item.direction, ui)
            yield f"  [green]{item.direction}[/] {escape(name)} ({item.count}): {escape(listed(item.nodes, ui))}"


def paths_text(found: Paths, ui: str = "en") -> str:
    """Paths shortest first, each hop with its relation."""
    ends = {"start": found.start, "goal": found.goal}
    lines = [label("paths", ui, count=len(found.paths), **ends) if found.paths else label("no path", ui, **ends)]
    lines = [f"[bold]{escape(lines[0])}[/]", *(_path(path, ui) for path in found.paths)]
    if found.more:
        lines.append(f"[dim]{label('more paths', ui)}[/]")
    if found.truncated:
        lines.append(f"[yellow]{label('not searched', ui)}[/]")
    return "\n".join(lines)


def _path(path: FoundPath, ui: str) -> str:
    parts = [path.nodes[0]]
    for hop in path.hops:
        sure = f" ({hop.confidence:.2f})" if hop.confidence < 1 else ""
        parts += [f"—{hop.relation}{sure}→", hop.target]
    return f"  {label('hops', ui, count=path.length)}  {escape(' '.join(parts))}"


def conflicts_text(found: Conflicts, ui: str = "en") -> str:
    """Conflicts by kind, then how much was looked at."""
    lines = [f"[bold]{label('conflicts', ui, count=len(found.conflicts) + found.left_out)}[/]"]
    for kind in KINDS:
        if count := found.count(kind):
            lines.append(f"{label(_KIND.get(kind, kind), ui)} ({count})")
            lines += [_conflict(item, ui) for item in found.conflicts if item.kind == kind]
    lines.append(f"[dim]{label('checked', ui, **found.checked)}[/]")
    return "\n".join(lines)


def _conflict(item: Conflict, ui: str) -> str:
    sides = [
        name + (f" ({concept('epistemic-state', state, ui)})" if state else "")
        for name, state in zip(item.objects, item.states, strict=True)
    ]
    detail = label(item.detail, ui) if item.detail in ("fork", "cycle") else item.detail
    text = escape(
        f" {item.relation or '↔'} ".join(sides[:2]) + ("" if len(sides) < 3 else f" … {listed(sides[2:], ui)}")
    )
    past = "" if item.in_force else f"  [dim]{label('history', ui)}[/]"
    return f"  {text}  [dim]{escape(detail)}[/]{past}"


def evidence_text(found: Bearing, ui: str = "en") -> str:
    """Evidence by stance, each with its kind, outcome and the passage that it stands in."""
    state = concept("epistemic-state", found.epistemic_state, ui)
    checked = concept("verification", found.verification, ui)
    standing = listed([word for word in (state, checked) if word], ui)
    lines = [f"[bold]{escape(found.id)}[/] {escape(found.title)}  [dim]{escape(standing)}[/]"]
    for stance in STANCES:
        if count := found.count(stance):
            lines.append(f"{label(stance, ui)} ({count})")
            for item in found.items:
                if item.stance == stance:
                    lines += _item(item, ui)
    if not found.items:
        lines.append(label("no evidence", ui))
    return "\n".join(lines)


def _item(item: Item, ui: str) -> Iterator[str]:
    marks = [
        concept("evidence-kind", item.kind, ui),
        concept("outcome", item.outcome, ui),
        concept("epistemic-state", item.epistemic_state, ui),
        label("sure", ui, confidence=f"{item.confidence:.2f}") if item.confidence is not None else "",
        label("audited", ui, verdict=concept("verdict", item.verdict, ui)) if item.verdict else "",
        label("via", ui, id=item.via) if item.via else "",
    ]
    said = " · ".join(mark for mark in marks if mark)
    name = item.title or (item.reference if item.reference != item.id else "")
    yield f"  [cyan]{escape(item.id)}[/] {escape(name)}  {item.relation}  [dim]{escape(said)}[/]"
    for quote in item.spans:
        text = " ".join(quote.exact.split())
        short = text if len(text) <= _QUOTE else text[:_QUOTE] + "…"
        where = f"{item.path}:{quote.line}" if item.path else item.original[:12]
        yield f"     [dim]{escape(where)}[/] {escape(short)}"
