"""``oam search``: an answer for people, or as data; ``--interactive`` goes on from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from oam_rdf.cli.interactive import Session
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.show_answer import Where, answer_lines, print_lines
from oam_rdf.errors import OamError, UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.answer import Answer
from oam_rdf.query.originals import Texts
from oam_rdf.query.phrases import LANGUAGES
from oam_rdf.query.plan import Plan

_CONDITIONS = ("domain", "safety", "population", "version", "rights", "preconditions")


@click.command()
@click.argument("query", required=False)
@click.option("-n", "-k", "--k", "k", type=int, default=None, help="How many results (default 10).")
@click.option("--offset", type=int, default=None, help="How many to pass over first.")
@click.option("--plan", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A plan as JSON or YAML.")
@click.option("--lang", "language", default="", help="Language whose results come first.")
@click.option("--only-lang", "only_language", default="", help="Language that alone is shown.")
@click.option("--granularity", default="", help="DOCUMENT, SECTION, ARGUMENT, STATEMENT or SOURCE_SPAN.")
@click.option("--route", default="", help="SPARSE_ONLY, DENSE_ONLY, HYBRID …")
@click.option("--direction", "directions", multiple=True, help="A direction to follow, such as VERSION.LATEST.")
@click.option("--state", "states", multiple=True, help="Only these epistemic states.")
@click.option("--only-verified", is_flag=True, help="Only what is proved, machine-checked or reproduced.")
@click.option(
    "--include-conjectures/--no-conjectures", default=True, help="Conjectures and hypotheses (default: with)."
)
@click.option("--kind", default="", help="Only this kind of statement.")
@click.option("--operator", "operators", multiple=True, help="Only what carries this tag; may be relaxed, and is said.")
@click.option("--exclude-operator", "exclude_operators", multiple=True, help="Nothing that carries this tag.")
@click.option("--condition", "conditions", multiple=True, metavar="NAME=VALUE", help="domain, population, rights …")
@click.option("--require-original", is_flag=True, help="Only what has an Original.")
@click.option("--active", is_flag=True, help="Only what is in force.")
@click.option("--as-of", default="", metavar="TIME", help="What the knowledge base held, and what was in force, then.")
@click.option("--include-history", is_flag=True, help="Show superseded objects instead of their successors.")
@click.option("--diversity", type=click.FloatRange(0, 1), default=None, help="0 ranks by score alone, 1 by variety.")
@click.option("--half-life", type=int, default=None, metavar="DAYS", help="Of freshness; 0 switches it off.")
@click.option("--rerank", default="", metavar="MODEL", help="A cross-encoder, st:NAME_OR_PATH.")
@click.option("--strict", is_flag=True, help="A channel that is off is an error; no condition is relaxed.")
@click.option("--explain", is_flag=True, help="Say why each result is there, with the field of the certificate.")
@click.option("--interactive", is_flag=True, help="Go on from the results: open, follow directions, search again.")
@click.option("--format", "fmt", type=click.Choice(("text", "json", "ids")), default="text", show_default=True)
@click.option("--ui", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of what is said.")
@json_option
@click.pass_obj
def search(
    obj: Context,
    /,
    query: str | None,
    plan: Path | None,
    conditions: tuple[str, ...],
    granularity: str,
    route: str,
    kind: str,
    active: bool,
    explain: bool,
    interactive: bool,
    fmt: str,
    ui: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Answer QUERY with certified results, or say why the corpus cannot."""
    if (query is None) == (plan is None) and not (interactive and plan is None):
        raise UsageError("give a query or --plan, one of them")
    options |= {
        "granularity": granularity.upper(),
        "route": route.upper(),
        "kind": kind.upper(),
        "version": "active" if active else "",
        "conditions": _conditions(conditions),
    }
    kb = obj.open()
    fmt = "json" if as_json else fmt
    if interactive:
        if plan is not None or fmt != "text":
            raise UsageError("--interactive speaks to people", hint="leave out --json, --format and --plan")
        Session(kb, obj.console(), ui, options, places(kb)).run(query or "")
        return
    asked = Plan.from_yaml(plan.read_text("utf-8")) if plan is not None else str(query)
    answer = kb.search(asked, **options)
    if fmt == "json":
        print_json(_json(answer, explain, ui))
    elif fmt == "ids":
        for result in answer.results:
            click.echo(result.id)
    else:
        print_lines(obj.console(), answer_lines(answer, explain=explain, ui=ui, where=places(kb)))


def _json(answer: Answer, explain: bool, ui: str) -> dict[str, Any]:
    data = answer.to_json(certificate=explain)
    if explain:
        data["explanation"] = answer.explanation(ui)
    return data


def _conditions(given: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in given:
        name, _, value = text.partition("=")
        if name not in _CONDITIONS or not value:
            raise UsageError(f"--condition {text!r}", hint="NAME=VALUE, NAME one of " + ", ".join(_CONDITIONS))
        found.setdefault(name, []).append(value)
    return found


def places(kb: KnowledgeBase) -> Where:
    """Finds the file and the line of what a result shows."""
    texts = Texts(kb.layout.originals)

    def where(result: Mapping[str, Any]) -> tuple[str, int]:
        span = result["span"]
        try:
            line = texts.text(span["original"]).count("\n", 0, span["start"]) + 1
            return ("" if result.get("historical") else kb.source(result["iri"], context=0).path), line
        except OamError:  # an Original that was lost: the answer says so elsewhere
            return "", 0

    return where
