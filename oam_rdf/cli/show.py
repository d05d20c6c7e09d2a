"""Results as text for people, with rich markup; nothing is computed here."""

from __future__ import annotations

from rich.markup import escape

from oam_rdf.query.answer import Answer, Result
from oam_rdf.query.diff import Diff
from oam_rdf.query.navigate import Navigation
from oam_rdf.query.source import SourceView
from oam_rdf.query.versions import Chain


def answer_text(answer: Answer, *, explain: bool = False, language: str = "en") -> str:
    """The gate's verdict, then one paragraph a result; with ``explain`` the sentences of the certificate."""
    color = "green" if answer.verdict == "ANSWERABLE" else "yellow"
    lines = [f"[bold {color}]{answer.verdict}[/]  {answer.total} candidates  certificate {answer.retrieval_id}"]
    lines += [
        f"  [dim]{escape(str(verdict.get('reason', '')))}[/]" for verdict in answer.verdicts if verdict.get("reason")
    ]
    for channel, reason in answer.degraded.items():
        lines.append(f"  [yellow]degraded {channel}[/]: {escape(reason)}")
    if answer.results and answer.verdict not in ("ANSWERABLE", "PARTIALLY_ANSWERABLE"):
        lines.append("  nearest, not an answer:")
    for result in answer.results:
        lines += ["", *_result(result, explain)]
    if explain:
        lines += ["", "[bold]Why[/]"]
        for sentence in answer.explanation(language):
            pointer = sentence.get("pointer", "")
            lines.append(f"  {escape(sentence.get('text', ''))} [dim]{escape(pointer)}[/]")
    return "\n".join(lines)


def _result(result: Result, explain: bool) -> list[str]:
    badges = [result.granularity.lower(), result.version_status]
    badges += [part for part in (result.epistemic_state, result.verification, result.kind) if part]
    version = f" {result.version}" if result.version else ""
    name = escape(result.title or result.heading or result.id)
    lines = [
        f"[bold]{result.position}. {name}[/]{escape(version)}  [cyan]{escape(result.id)}[/]",
        f"   {' · '.join(badges)}",
    ]
    # Parts of one superseded document are replaced along one path: it is shown once.
    paths = {" → ".join(map(str, replaced["path"])): str(replaced["id"]) for replaced in reversed(result.substituted_for)}
    for path, replaced in paths.items():
        lines.append(f"   [magenta]substituted for {escape(replaced)}[/]  path {escape(path)}")
    if result.conflict:
        lines.append(f"   [red]{result.conflict}[/]: heads {escape(', '.join(result.heads))}")
    elif result.successors:
        lines.append(f"   [magenta]superseded by {escape(', '.join(result.successors))}[/]")
    if result.snippet:
        lines.append(f"   {escape(' '.join(result.snippet.split())[:280])}")
    if result.span:
        lines.append(f"   [dim]characters {result.span.start}–{result.span.end} of {result.span.original[:12]}…[/]")
    elif not result.source_available:
        lines.append("   [dim]no Original resolves[/]")
    if explain:
        ranks = ", ".join(f"{channel} rank {rank}" for channel, rank in result.ranks.items()) or "no channel rank"
        scores = ", ".join(f"{name} {value:.2f}" for name, value in result.scores.items())
        raw = ", ".join(f"{name} {value:.4g}" for name, value in result.raw_scores.items())
        lines.append(f"   [dim]{ranks}; normalised {scores}; raw {raw}[/]")
    return lines


def navigation_text(found: Navigation) -> str:
    """The arrivals in order with their routes, then conflict, loops and dead ends."""
    lines = [f"[bold]{escape(found.start)}[/] {found.direction}: {len(found.nodes)} reached"]
    if found.route:
        lines.append("route " + escape(" → ".join((found.start, *found.route))))
    for node in found.nodes:
        status = " · ".join(
            part for part in (node.granularity.lower(), node.version_status, node.epistemic_state) if part
        )
        mark = " (branches)" if node.branch else ""
        lines.append(f"  {node.depth}. [cyan]{escape(node.id)}[/] {escape(node.title)}{mark}  [dim]{status}[/]")
        if len(node.route) > 2:
            steps = " → ".join(node.route)
            lines.append(f"     [dim]{escape(steps)}[/]")
    if found.note:
        lines.append(escape(found.note))
    if found.conflict:
        lines.append(f"[red]{found.conflict}[/]: {escape(found.reason)}")
    for first, second in found.loops:
        lines.append(f"[yellow]loop[/]: {escape(first)} → {escape(second)}")
    if found.dead_ends:
        lines.append("dead ends: " + escape(", ".join(found.dead_ends)))
    if found.more or found.truncated:
        lines.append("[dim]the walk goes on: give more --steps[/]")
    return "\n".join(lines)


def chain_text(chain: Chain) -> str:
    """Versions oldest first, heads, conflicts, edits."""
    lines = []
    for version in chain.versions:
        here = "→" if version.id == chain.start else " "
        status = version.source_status and f" ({version.source_status})"
        lines.append(
            f"{here} {version.level}. [cyan]{escape(version.id)}[/] {escape(version.title)} {escape(version.version)}  "
            f"{version.version_status}{escape(status or '')}"
        )
    lines.append("heads: " + escape(", ".join(chain.heads)))
    if chain.conflict:
        lines.append(f"[red]{chain.conflict}[/]: {escape(chain.reason)}")
    for edit in chain.edits:
        lines.append(
            f"earlier text {edit.version}: {edit.committed_from} to {edit.committed_until}, Original {edit.original[:12]}…"
        )
    return "\n".join(lines)


def diff_text(diff: Diff) -> str:
    """Changes in order of the new text."""
    lines = [
        f"{escape(diff.old)} → {escape(diff.new)}: {diff.count('added')} added, {diff.count('removed')} removed, "
        f"{diff.count('changed')} changed, {diff.unchanged} unchanged"
    ]
    for change in diff.changes:
        if change.old:
            lines.append(f"[red]- {escape(change.old)}[/]")
        if change.new:
            lines.append(f"[green]+ {escape(change.new)}[/]")
    return "\n".join(lines)


def source_text(view: SourceView) -> str:
    """The quotes in their surroundings."""
    state = "intact" if view.intact else "[red]altered[/]"
    lines = [f"[bold]{escape(view.id)}[/]  {escape(view.path)}  Original {view.original[:12]}… {state}"]
    for quote in view.quotes:
        if quote.start is not None:
            lines.append(f"characters {quote.start}–{quote.end}, line {quote.line}")
        lines.append(f"[dim]…{escape(quote.prefix)}[/][reverse]{escape(quote.exact)}[/][dim]{escape(quote.suffix)}…[/]")
    if view.no_source:
        labels = ", ".join(view.labels)
        lines.append(f"no span: {escape(view.no_source)} {escape(labels)}")
    return "\n".join(lines)
