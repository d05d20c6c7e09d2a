"""``oam epistemic``: which claims count as what, how they came to, and changing it (paper §12.7, §21.6)."""

from __future__ import annotations

from collections.abc import Iterator

import click

from oam_rdf.cli.invalidate import by_option, ui_option
from oam_rdf.cli.labels_review import say
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.write import wait_option
from oam_rdf.ontology import Ontology
from oam_rdf.query.epistemic import ADDING, ONLY, Claims, StateHistory


class _Listing(click.Group):
    """A group whose first word need not be a verb: then the claims about it are listed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Listing)
def epistemic() -> None:
    """Claims by state; `set` changes a state, `history` tells how it came about.

    `oam epistemic [QUERY]` is `oam epistemic list [QUERY]`: QUERY is an id (it and its parts) or a text to search for.
    """


@epistemic.command("list")
@click.argument("query", required=False, default="")
@click.option("--only-verified", is_flag=True, help="Only what is proved, machine-checked or reproduced.")
@click.option("--include-conjectures", is_flag=True, help="Conjectures and hypotheses as well.")
@click.option("--show-refuted", is_flag=True, help="Refuted claims as well.")
@click.option("--show-unresolved", is_flag=True, help="Open questions as well.")
@click.option("-n", "--limit", type=click.IntRange(1), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0)
@ui_option
@json_option
@click.pass_obj
def listing(
    obj: Context,
    query: str,
    only_verified: bool,
    include_conjectures: bool,
    show_refuted: bool,
    show_unresolved: bool,
    limit: int,
    offset: int,
    ui: str,
    as_json: bool,
) -> int:
    """Claims by state, with the count of every state."""
    given = dict(zip((ONLY, *ADDING), (only_verified, include_conjectures, show_refuted, show_unresolved), strict=True))
    filters = [name for name, wanted in given.items() if wanted]
    found = obj.open().curation.claims(query, filters, limit=limit, offset=offset)
    if as_json:
        print_json(found.to_json())
    else:
        for line in _claims(found, ui):
            click.echo(line)
    return 0


@epistemic.command("set")
@click.argument("identifier", metavar="ID")
@click.argument("state")
@by_option
@click.option("--reason", default="", help="Why.")
@click.option(
    "--evidence", multiple=True, metavar="ID_OR_RECORD",
    help='An id here, or "KIND | OUTCOME | REFERENCE", such as "formal_proof | passed | doi:10.…".',
)  # fmt: skip
@ui_option
@wait_option
@json_option
@click.pass_obj
def change(
    obj: Context,
    identifier: str,
    state: str,
    by: str,
    reason: str,
    evidence: tuple[str, ...],
    ui: str,
    wait: float,
    as_json: bool,
) -> int:
    """Change what ID counts as to STATE, as an assessment by a named person.

    Only changes of the table of transitions are made; one that lacks its evidence is refused with what is missing (exit 1).
    """
    done = obj.open().curation.set_state(identifier, state, by=by, reason=reason, evidence=evidence, wait=wait)
    if as_json:
        print_json({name: getattr(done, name) for name in done.__slots__})
    else:
        before = _state(done.before, ui) if done.before else say("no state", ui)
        click.echo(say("set", ui, id=identifier, before=before, after=_state(done.after, ui), time=done.time))
    return 0


@epistemic.command("history")
@click.argument("identifier", metavar="ID")
@ui_option
@json_option
@click.pass_obj
def told(obj: Context, identifier: str, ui: str, as_json: bool) -> int:
    """The assessments of ID, oldest first."""
    found = obj.open().curation.history(identifier)
    if as_json:
        print_json(found.to_json())
    else:
        for line in _history(found, ui):
            click.echo(line)
    return 0


def _claims(found: Claims, ui: str) -> Iterator[str]:
    if not found.counts:
        yield say("no claims", ui)
        return
    yield say("counts", ui)
    for state, count in found.counts.items():
        name = f"{_state(state, ui)} ({state})"
        yield f"{count:>7}  {name if state in found.listed else f'[{name}]'}"
    for claim in found.claims:
        marks = [_state(claim.state, ui)]
        if claim.verification != "NOT_TESTED":
            marks.append(Ontology.load().label("verification", claim.verification, ui))
        if claim.evidence:
            marks.append(say("evidence", ui, count=claim.evidence))
        if claim.successors:
            marks.append(say("superseded", ui, new=", ".join(claim.successors)))
        yield f"{claim.id}  {' · '.join(marks)}"
        if claim.text:
            yield f"    {' '.join(claim.text.split())}"
    yield say("listed", ui, shown=len(found.claims), total=found.total)


def _history(found: StateHistory, ui: str) -> Iterator[str]:
    if not found.assessments:
        yield say("no history", ui, id=found.id, state=_state(found.state, ui) if found.state else say("no state", ui))
        return
    yield f"{found.id}: {_state(found.state, ui)}"
    for one in found.assessments:
        change = f"{_state(one.before, ui)} → " if one.before else ""
        who = say("by", ui, agent=one.agent or say("source", ui))
        yield f"  {one.time or say('undated', ui)}  {change}{_state(one.state, ui)}  {who}" + (
            f" “{one.source_label}”" if one.source_label else ""
        )
        yield from (f"      {words}" for words in (one.reason, *one.evidence) if words)


def _state(notation: str, ui: str) -> str:
    return Ontology.load().label("epistemic-state", notation, ui) if notation else ""


COMMANDS = (epistemic,)
