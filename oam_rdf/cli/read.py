"""Verbs that answer: search, navigate, trace, source, versions."""

from __future__ import annotations

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.search import search
from oam_rdf.cli.show import chain_text, diff_text, navigation_text, source_text
from oam_rdf.cli.trace import trace


@click.command()
@click.argument("start")
@click.argument("direction")
@click.option("--steps", type=int, default=None, help="How many hops (default: as far as it goes).")
@json_option
@click.pass_obj
def navigate(obj: Context, start: str, direction: str, steps: int | None, as_json: bool) -> int:
    """Walk from START along DIRECTION, such as VERSION.LATEST or DEPENDENCY.UPSTREAM."""
    found = obj.open().navigate(start, direction, steps=steps)
    if as_json:
        print_json(found.to_json())
    else:
        obj.console().print(navigation_text(found))
    return 0


@click.command()
@click.argument("identifier")
@click.option("--context", type=int, default=120, show_default=True, help="Characters before and after.")
@json_option
@click.pass_obj
def source(obj: Context, identifier: str, context: int, as_json: bool) -> None:
    """The passage of the Original that an object was quoted from."""
    found = obj.open().source(identifier, context=context)
    if as_json:
        print_json(found.to_json())
    else:
        obj.console().print(source_text(found))


@click.command()
@click.argument("identifier")
@click.argument("other", required=False, default="")
@click.option("--diff", is_flag=True, help="What changed: between two documents, or since the last edit of one.")
@json_option
@click.pass_obj
def versions(obj: Context, identifier: str, other: str, diff: bool, as_json: bool) -> None:
    """The evolution chain of an object, or with --diff what changed."""
    kb = obj.open()
    if diff or other:
        changes = kb.diff(identifier, other)
        if as_json:
            print_json(changes.to_json())
        else:
            obj.console().print(diff_text(changes))
        return
    chain = kb.versions(identifier)
    if as_json:
        print_json(chain.to_json())
    else:
        obj.console().print(chain_text(chain))


COMMANDS = (search, navigate, trace, source, versions)
