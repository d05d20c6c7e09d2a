"""Results as text for people, with rich markup; nothing is computed here."""

from __future__ import annotations

from rich.markup import escape

from oam_rdf.cli.show_answer import answer_text
from oam_rdf.query.diff import Diff
from oam_rdf.query.source import SourceView
from oam_rdf.query.versions import Chain

__all__ = ["answer_text", "chain_text", "diff_text", "source_text"]


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
