"""Verbs that answer: search, trace, source, versions."""

from __future__ import annotations

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.search import search
from oam_rdf.cli.show import chain_text, diff_text, source_text
from oam_rdf.cli.show_status import status_text
from oam_rdf.cli.trace import trace
from oam_rdf.errors import UsageError
from oam_rdf.query.statuses import status_at, status_history


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
@click.option("--history", is_flag=True, help="The statuses it had, from the status histories that were ingested.")
@click.option(
    "--on", default="", metavar="DATE", help="Its status at DATE: 2021-07-01 (the end of that day, UTC) or a time."
)
@json_option
@click.pass_obj
def versions(
    obj: Context, identifier: str, other: str, diff: bool, history: bool, on: str, as_json: bool
) -> int | None:
    """The evolution chain of an object, with --diff what changed, with --history or --on DATE its statuses over time."""
    kb = obj.open()
    if history or on:
        if other or diff:
            raise UsageError("--history and --on are about one object", hint="leave out --diff and the second id")
        with kb.snapshot() as snapshot:
            told, then = status_history(snapshot, identifier), status_at(snapshot, identifier, on) if on else None
        if as_json:
            print_json({**told.to_json(), **({"then": then.to_json()} if then else {})} if history or not then
                       else then.to_json())  # fmt: skip
        else:
            obj.console().print(status_text(told, then, history=history))
        return 0 if then is None or then.known else 1
    if diff or other:
        changes = kb.diff(identifier, other)
        if as_json:
            print_json(changes.to_json())
        else:
            obj.console().print(diff_text(changes))
        return None
    chain = kb.versions(identifier)
    if as_json:
        print_json(chain.to_json())
    else:
        obj.console().print(chain_text(chain))
    return None


COMMANDS = (search, trace, source, versions)
