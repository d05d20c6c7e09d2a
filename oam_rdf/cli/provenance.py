"""``oam provenance``: where an object comes from, and how much of a selection can be traced."""

from __future__ import annotations

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.show_provenance import provenance_text, traceability_text
from oam_rdf.errors import UsageError
from oam_rdf.query.phrases import LANGUAGES
from oam_rdf.query.provenance import CONTEXT
from oam_rdf.query.selection import FOUND, Wanted


@click.command()
@click.argument("identifiers", nargs=-1, metavar="[ID]...")
@click.option("--query", default="", metavar="TEXT", help="What a search for TEXT finds.")
@click.option("-k", "k", type=click.IntRange(1), default=FOUND, show_default=True, help="Results of the search.")
@click.option("--all", "everything", is_flag=True, help="Everything that says something of its own.")
@click.option("--parts", is_flag=True, help="With ID: all that is part of it, too.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only this kind of statement; may be repeated.")
@click.option("--state", "states", multiple=True, metavar="STATE", help="Only what counts as this; may be repeated.")
@click.option(
    "--granularity", "granularities", multiple=True, help="Only DOCUMENT, SECTION, STATEMENT …; may be repeated."
)
@click.option("--context", type=int, default=CONTEXT, show_default=True, help="Characters before and after a span.")
@click.option("--limit", type=click.IntRange(0), default=50, show_default=True, help="Objects listed.")
@click.option("--ui", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of what is said.")
@json_option
@click.pass_obj
def provenance(
    obj: Context,
    identifiers: tuple[str, ...],
    query: str,
    k: int,
    everything: bool,
    parts: bool,
    kinds: tuple[str, ...],
    states: tuple[str, ...],
    granularities: tuple[str, ...],
    context: int,
    limit: int,
    ui: str,
    as_json: bool,
) -> int:
    """The chain of one ID: its characters in the Original, the file, what made it, who looked at it, its evidence.

    Of several IDs, a --query, --all or a filter: which objects trace to an Original whose bytes have their hash and whose
    characters are there, the others by reason, and P_trace, the share of those that do. 4 if nothing was checked.
    """
    filters = kinds or states or granularities
    if sum(map(bool, (identifiers, query, everything))) > 1:
        raise UsageError("ids, --query and --all exclude each other", hint="choose one of them")
    if not (identifiers or query or everything or filters):
        raise UsageError(
            "nothing is selected", hint="oam provenance ID, or --query TEXT, --all, --kind KIND, --state STATE"
        )
    if parts and not identifiers:
        raise UsageError("--parts are those of an ID", hint="oam provenance ID --parts")
    kb = obj.open()
    if len(identifiers) == 1 and not parts and not filters:
        one = kb.provenance(identifiers[0], context=context)
        _print(obj, one.to_json() if as_json else provenance_text(one, ui), as_json)
        return 0
    wanted = Wanted(identifiers, query, parts, kinds, states, granularities, k)
    found = kb.traceability(wanted, limit=limit)
    _print(obj, found.to_json() if as_json else traceability_text(found, ui), as_json)
    return 0 if found.checked else 4


def _print(obj: Context, value: object, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        obj.console().print(value)


COMMANDS = (provenance,)
