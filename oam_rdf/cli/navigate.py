"""Verbs of somebody who stands on one object: navigate, paths, conflicts, evidence."""

from __future__ import annotations

from typing import Any

import click

from oam_rdf.cli import evidence_run
from oam_rdf.cli.output import Context, F, json_option, print_json
from oam_rdf.cli.show_navigation import conflicts_text, evidence_text, navigation_text, paths_text
from oam_rdf.query.bearing import STANCES
from oam_rdf.query.conflicts import KINDS
from oam_rdf.query.fallback import FALLBACKS, NONE
from oam_rdf.query.paths import LEVELS, MAX_K
from oam_rdf.query.phrases import LANGUAGES
from oam_rdf.query.trail import is_file


def _ui_option(function: F) -> F:
    return click.option(
        "--ui", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of what is said."
    )(function)


@click.command()
@click.argument("start")
@click.argument("direction")
@click.option(
    "--steps", type=int, default=None, help="How many hops of a plain direction (default: as far as it goes)."
)
@click.option(
    "--fallback",
    type=click.Choice(FALLBACKS),
    default=NONE,
    show_default=True,
    help="What may stand in where typed edges lead nowhere; similarity tries operator tags first.",
)
@click.option(
    "--trail", default="", metavar="NAME|FILE", help="Keep this step, and say whether the trail goes in circles."
)
@_ui_option
@json_option
@click.pass_obj
def navigate(
    obj: Context, start: str, direction: str, steps: int | None, fallback: str, trail: str, ui: str, as_json: bool
) -> int:
    """Walk from START along DIRECTION, such as VERSION.LATEST, or along several: 'ABSTRACT.UP*2 / EVIDENCE.STRONGER'.

    *N are at most N hops; * or nothing is as far as it leads. With --trail, 1 if the trail goes in circles.
    """
    kept = {"trail_file" if is_file(trail) else "trail_id": trail} if trail else {}
    found = obj.open().navigate(start, direction, steps=steps, fallback=fallback, **kept)
    _print(obj, found.to_json() if as_json else navigation_text(found, ui), as_json)
    return int(found.loop is not None and found.loop.flagged)


@click.command()
@click.argument("start")
@click.argument("goal")
@click.option("-k", "--k", type=click.IntRange(1, MAX_K), default=1, show_default=True, help="How many paths.")
@click.option(
    "--relation", "relations", multiple=True, metavar="NAME", help="Only over this relation; may be repeated."
)
@click.option("--directed", is_flag=True, help="Along the arrows of the relations only.")
@click.option("--level", type=click.Choice(LEVELS), default=LEVELS[0], show_default=True, help="What the nodes are.")
@_ui_option
@json_option
@click.pass_obj
def paths(
    obj: Context,
    start: str,
    goal: str,
    k: int,
    relations: tuple[str, ...],
    directed: bool,
    level: str,
    ui: str,
    as_json: bool,
) -> int:
    """The shortest paths between START and GOAL over typed relations; 1 if there is none."""
    found = obj.open().paths(start, goal, k=k, relations=relations, directed=directed, level=level)
    _print(obj, found.to_json() if as_json else paths_text(found, ui), as_json)
    return int(not found.paths)


@click.command()
@click.argument("identifier", required=False, default="")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only of this kind; may be repeated.")
@_ui_option
@json_option
@click.pass_obj
def conflicts(obj: Context, identifier: str, kinds: tuple[str, ...], ui: str, as_json: bool) -> int:
    """What cannot stand together: contradictions, refutations, counterexamples, versions and states that disagree.

    Of IDENTIFIER and its parts, or of everything; 4 if there was nothing to check.
    """
    found = obj.open().conflicts(identifier, kinds=kinds or KINDS)
    _print(obj, found.to_json() if as_json else conflicts_text(found, ui), as_json)
    return 0 if any(found.checked.values()) else 4


class _WithDefault(click.Group):
    """A group whose first word may be left out: what is no command of it belongs to ``list``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        helped = any(word in ("-h", "--help") for word in args[:1])
        if args and args[0] not in self.commands and not helped:
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_WithDefault)
def evidence() -> None:
    """What speaks for a claim and against it: `oam evidence ID`; a check made again: `oam evidence run ID`."""


@evidence.command("list")
@click.argument("identifier")
@click.option("--stance", type=click.Choice(STANCES), default=None, help="Only what bears on it so.")
@click.option("--kind", default="", help="Only this kind of evidence, such as formal_proof.")
@click.option("--outcome", default="", help="Only with this outcome: passed, failed, inconclusive, pending.")
@_ui_option
@json_option
@click.pass_obj
def list_(obj: Context, identifier: str, stance: str | None, kind: str, outcome: str, ui: str, as_json: bool) -> None:
    """What speaks for IDENTIFIER and against it, by kind and outcome, with the passages."""
    found = obj.open().evidence(identifier, stance=stance or "", kind=kind, outcome=outcome)
    _print(obj, found.to_json() if as_json else evidence_text(found, ui), as_json)


evidence.add_command(evidence_run.run)


def _print(obj: Context, value: Any, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        obj.console().print(value)


COMMANDS = (navigate, paths, conflicts, evidence)
