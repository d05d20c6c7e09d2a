"""``oam search``: an answer for people, or as data; ``--interactive`` goes on from it."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from oam_rdf.annotate.chat import Chat
from oam_rdf.cli.interactive import Session
from oam_rdf.cli.output import Context, json_option
from oam_rdf.cli.show_answer import Line, Where, answer_lines, print_lines
from oam_rdf.errors import OamError, UsageError
from oam_rdf.index.lexical import SCORERS
from oam_rdf.index.scorers import IDF_FORMS
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.answer import Answer
from oam_rdf.query.explain import render
from oam_rdf.query.layout import SHAPES
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
@click.option(
    "--granularity", default="", help="DOCUMENT, SECTION, ARGUMENT, STATEMENT, SOURCE_SPAN or EVIDENCE_ARTIFACT."
)
@click.option("--shape", type=click.Choice(SHAPES), default=None, help="How the answer is laid out; order stays.")
@click.option("--scorer", type=click.Choice(SCORERS), default=None, help="How words are scored (default auto).")
@click.option("--idf", type=click.Choice(IDF_FORMS), default=None, help="Of the score idf_coverage (default smooth).")
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
@click.option(
    "--model", metavar="NAME", help="A language model that may add to the plan (default OAM_MODEL); key: OAM_MODEL_KEY."
)
@click.option(
    "--model-endpoint", metavar="URL", help="Where to ask it, OpenAI-compatible (default OAM_MODEL_ENDPOINT)."
)
@click.option("--model-timeout", type=click.FloatRange(0, min_open=True), default=20.0, metavar="S", show_default=True)
@click.option("--syntax", type=click.Choice(("plain", "whoosh")), default="plain", show_default=True)
@click.option("--strict", is_flag=True, help="A channel that is off is an error; no condition is relaxed.")
@click.option("--explain", is_flag=True, help="Say why each result is there, with the field of the certificate.")
@click.option("--interactive", is_flag=True, help="Go on from the results: open, follow directions, search again.")
@click.option(
    "--trail", default="", metavar="NAME|FILE", help="With --interactive: keep the walks, and notice circles."
)
@click.option("--format", "fmt", type=click.Choice(("text", "json", "ids")), default="text", show_default=True)
@click.option("--ui", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of what is said.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write here instead of stdout.")
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
    model: str | None,
    model_endpoint: str | None,
    model_timeout: float,
    explain: bool,
    interactive: bool,
    trail: str,
    fmt: str,
    ui: str,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Answer QUERY with certified results, or say why the corpus cannot."""
    if (query is None) == (plan is None) and not (interactive and plan is None):
        raise UsageError("give a query or --plan, one of them")
    options |= {
        "granularity": granularity.upper(),
        **{name: options.get(name) or "" for name in ("shape", "scorer", "idf")},
        "route": route.upper(),
        "kind": kind.upper(),
        "version": "active" if active else "",
        "conditions": _conditions(conditions),
    }
    chat = _chat(model, model_endpoint, model_timeout)
    if chat is not None and (plan is not None or interactive):
        raise UsageError("a model proposes a plan for one QUERY", hint="leave out --plan and --interactive")
    kb = obj.open()
    fmt = "json" if as_json else fmt
    if interactive:
        if plan is not None or fmt != "text" or output is not None:
            raise UsageError("--interactive speaks to people", hint="leave out --json, --format, --plan and -o")
        Session(kb, obj.console(), ui, options, places(kb), trail=trail).run(query or "")
        return
    if trail:
        raise UsageError("only walks are kept on a trail", hint="add --interactive, or use `oam navigate --trail`")
    asked: str | Plan = str(query)
    if plan is not None:
        asked = _plan(plan)
    elif chat is not None:
        asked = kb.plan(str(query), language=options["language"], chat=chat, name=chat.model)
    answer = kb.search(asked, **options)
    console = obj.console() if output is None else Console(file=io.StringIO(), force_terminal=False, highlight=False)
    said = list(_of_the_model(answer, ui)) if chat is not None else []
    if fmt == "text":
        print_lines(console, chain(said, answer_lines(answer, explain=explain, ui=ui, where=places(kb))))
    else:
        lines = [result.id for result in answer.results] if fmt == "ids" else [_json(answer, explain, ui)]
        for line in lines:
            click.echo(line, file=console.file)
        print_lines(obj.console(stderr=True), iter(said))
    if output is not None:
        output.write_text(console.file.getvalue(), "utf-8")  # type: ignore[attr-defined]
        obj.note(f"{len(answer.results)} results written to {output}")


def _plan(path: Path) -> Plan:
    try:
        return Plan.from_yaml(path.read_text("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"the plan {path.name} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from error


def _chat(model: str | None, endpoint: str | None, timeout: float) -> Chat | None:
    """The model that the command line names; the environment alone sends no query anywhere."""
    if not (model or endpoint):
        return None
    model, endpoint = model or os.environ.get("OAM_MODEL"), endpoint or os.environ.get("OAM_MODEL_ENDPOINT")
    if not (model and endpoint):
        raise UsageError("a model needs both an endpoint and a name", hint="--model-endpoint URL --model NAME")
    # One attempt: rules have a plan already, and a search does not wait for a second one.
    return Chat(endpoint, model, os.environ.get("OAM_MODEL_KEY", ""), timeout, 1)


def _of_the_model(answer: Answer, ui: str) -> Iterator[Line]:
    """Why the model added nothing, or what of its proposal was refused."""
    for number, entry in enumerate(answer.certificate["query_plan"].get("answerability_risk", ())):
        if entry["origin"].startswith("model:"):
            yield 0, Text(render(answer.certificate, f"/uncertainty/answerability_risk/{number}", ui), style="yellow")


def _json(answer: Answer, explain: bool, ui: str) -> str:
    data = answer.to_json(certificate=explain)
    if explain:
        data["explanation"] = answer.explanation(ui)
    return json.dumps(data, ensure_ascii=False, indent=2)


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
