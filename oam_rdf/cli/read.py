"""Verbs that answer: search, navigate, trace, source, versions."""

from __future__ import annotations

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.show import answer_text, chain_text, diff_text, navigation_text, source_text
from oam_rdf.query.phrases import LANGUAGES


@click.command()
@click.argument("query")
@click.option("-n", "-k", "--k", "k", type=int, default=10, show_default=True, help="How many results.")
@click.option("--offset", type=int, default=0)
@click.option("--lang", default="", help="Language whose results come first.")
@click.option("--granularity", default="", help="DOCUMENT, SECTION, ARGUMENT or STATEMENT.")
@click.option("--route", default="", help="SPARSE_ONLY, DENSE_ONLY, HYBRID …")
@click.option("--state", "states", multiple=True, help="Only these epistemic states.")
@click.option("--only-verified", is_flag=True, help="Only what is proved, machine-checked or reproduced.")
@click.option("--active", is_flag=True, help="Only what is in force.")
@click.option("--as-of", default="", metavar="TIME", help="What the knowledge base held, and what was in force, then.")
@click.option("--include-history", is_flag=True, help="Show superseded objects instead of their successors.")
@click.option("--strict", is_flag=True, help="A channel that is off is an error.")
@click.option("--explain", is_flag=True, help="Say why each result is there, with the ranks of each channel.")
@click.option(
    "--ui", "interface", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of explanations."
)
@json_option
@click.pass_obj
def search(
    obj: Context,
    query: str,
    k: int,
    offset: int,
    lang: str,
    granularity: str,
    route: str,
    states: tuple[str, ...],
    only_verified: bool,
    active: bool,
    as_of: str,
    include_history: bool,
    strict: bool,
    explain: bool,
    interface: str,
    as_json: bool,
) -> None:
    """Answer QUERY with certified results, or say why the corpus cannot."""
    answer = obj.open().search(
        query,
        k=k,
        offset=offset,
        language=lang,
        granularity=granularity.upper(),
        route=route.upper(),
        states=states,
        only_verified=only_verified,
        version="active" if active else "",
        as_of=as_of,
        include_history=include_history,
        strict=strict,
    )
    if as_json:
        data = answer.to_json(certificate=explain)
        if explain:
            data["explanation"] = answer.explanation(interface)
        print_json(data)
    else:
        obj.console().print(answer_text(answer, explain=explain, language=interface))


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
@click.argument("retrieval_id")
@click.pass_obj
def trace(obj: Context, retrieval_id: str) -> None:
    """The certificate of an earlier answer, as JSON."""
    print_json(obj.open().trace(retrieval_id))


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
