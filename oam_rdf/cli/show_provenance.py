"""Provenance as text for people, in the three languages of the interface."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape

from oam_rdf.cli.labels import concept
from oam_rdf.cli.labels_provenance import reason_said, say
from oam_rdf.query.provenance import Activity, File, Provenance
from oam_rdf.query.source import SourceView
from oam_rdf.query.tracing import Traceability, Traced

_TEXT = 200  # characters of a statement or passage


def provenance_text(found: Provenance, ui: str = "en") -> str:
    """The chain, link by link, from the statement down to who looked at it."""
    return "\n".join(_chain(found, ui))


def traceability_text(found: Traceability, ui: str = "en") -> str:
    """The objects, those that do not trace first, then P_trace with the counts by reason."""
    return "\n".join(_table(found, ui))


def _chain(found: Provenance, ui: str) -> Iterator[str]:
    kind = concept("granularity", found.granularity, ui)
    yield f"[bold cyan]{escape(found.id)}[/] {escape(found.title)}  [dim]{escape(kind)}[/]"
    yield f"  {_verdict(found.traced, ui)}"
    if found.text:
        yield f"  {say('statement', ui)}: {escape(_short(found.text))}"
    if found.epistemic_state:
        yield f"  {say('state', ui, state=escape(concept('epistemic-state', found.epistemic_state, ui)))}"
    yield from _spans(found.source, ui)
    for file in found.files:
        yield from _file(file, ui)
    for activity in found.activities:
        yield from _activity(activity, ui)
    yield from _reviews(found, ui)
    for item in found.evidence:
        outcome = concept("outcome", item.outcome, ui)
        told = say(
            "evidence",
            ui,
            kind=concept("evidence-kind", item.kind, ui),
            outcome=outcome,
            reference=item.reference or item.id,
        )
        yield f"  {escape(told)}"
    if not found.evidence:
        yield f"  [dim]{say('no evidence', ui)}[/]"


def _verdict(traced: Traced, ui: str) -> str:
    if traced.traces:
        return f"[green]{say('traces', ui)}[/] [dim]({say(traced.how, ui)})[/]"
    detail = f" ({escape(traced.detail)})" if traced.detail else ""
    return f"[red]{say('does not', ui, reason=reason_said(traced.reason, ui))}[/]{detail}"


def _spans(view: SourceView | None, ui: str) -> Iterator[str]:
    if view is None:
        return
    for quote in view.quotes:
        if quote.start is None:
            yield f"  {say('passage', ui)}"
        else:
            yield "  " + say("span", ui, line=quote.line, start=quote.start, end=quote.end)
        text = f"[dim]{escape(quote.prefix)}[/][reverse]{escape(_short(quote.exact))}[/][dim]{escape(quote.suffix)}[/]"
        yield "    " + " ".join(text.split())
    if view.generated and view.quotes:
        yield f"  [yellow]{say('made from', ui)}[/]"
    if view.no_source and not view.generated:
        yield f"  {say('no span', ui, reason=escape(view.no_source))}"


def _file(file: File, ui: str) -> Iterator[str]:
    state = f"[red]{reason_said(file.state, ui)}[/]" if file.state else f"[green]{say('verified', ui)}[/]"
    yield "  " + say("original", ui, sha256=file.original, state=state)
    if file.path:
        told = say(
            "file", ui, path=file.path, media=file.media_type, profile=file.profile, document=file.document,
            time=file.committed or say("undated", ui),
        )  # fmt: skip
        yield f"  {escape(told)}"


def _activity(activity: Activity, ui: str) -> Iterator[str]:
    key = "activity told" if activity.recorded == "source" else "activity"
    kind = concept("activity-kind", activity.kind, ui)
    told = say(key, ui, kind=kind, time=activity.time or say("undated", ui))
    yield "  " + escape(" ".join(told.split()))  # the source may give no kind
    for agent in activity.agents:
        parts = [say("software" if agent.software else "agent", ui, name=agent.name)]
        parts += [say("version", ui, version=agent.version)] if agent.version else []
        parts += [say("model", ui, model=agent.model)] if agent.model else []
        yield "    " + escape(", ".join(parts) if ui == "en" else "，".join(parts))


def _reviews(found: Provenance, ui: str) -> Iterator[str]:
    for one in found.assessments:
        state, agent = concept("epistemic-state", one.state, ui), one.agent or say("its source", ui)
        told = say("assessed", ui, state=state, agent=agent, time=one.time or say("undated", ui))
        yield f"  {escape(told)}" + (f"  [dim]{escape(one.reason)}[/]" if one.reason else "")
    for decision in found.decisions:
        status = decision.status.rpartition("/")[2]
        told = say(
            "decided", ui, what=decision.concept.rpartition("/")[2] or concept("review-kind", decision.kind, ui),
            status=concept("review-status", status, ui) or decision.verdict, agent=decision.agent, time=decision.time,
        )  # fmt: skip
        yield f"  {escape(told)}" + (f"  [dim]{escape(decision.reason)}[/]" if decision.reason else "")
    if not found.decisions and not any(one.agent for one in found.assessments):
        yield f"  [dim]{say('not reviewed', ui)}[/]"


def _table(found: Traceability, ui: str) -> Iterator[str]:
    for item in found.objects:
        kind = concept("granularity", item.granularity, ui)
        yield f"[cyan]{escape(item.id)}[/]  [dim]{escape(kind)}[/]  {_verdict(item, ui)}"
    if found.checked > len(found.objects):
        yield f"[dim]{say('more', ui, count=found.checked - len(found.objects))}[/]"
    if found.p_trace is None:
        yield f"[red]{say('none', ui)}[/]"
        return
    yield f"[bold]{say('share', ui, share=f'{found.p_trace:.4f}', checked=found.checked, traced=found.traced)}[/]"
    for reason, count in found.reasons.items():
        yield f"  {count:>7}  {reason_said(reason, ui)}"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _TEXT else plain[:_TEXT] + "…"
