"""``oam annotate``: candidate tags by cue rules and, if named, by a language model."""

from __future__ import annotations

import os

import click

from oam_rdf.annotate.model import ModelOptions
from oam_rdf.annotate.quads import label
from oam_rdf.annotate.report import AnnotateReport
from oam_rdf.annotate.run import AnnotateOptions
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.write import wait_option
from oam_rdf.errors import UsageError


@click.command()
@click.argument("documents", nargs=-1, metavar="[DOC]…")
@click.option("--rules-only", is_flag=True, help="Ask no model, even if the environment names one.")
@click.option(
    "--model-endpoint", envvar="OAM_MODEL_ENDPOINT", metavar="URL", help="An OpenAI-compatible chat endpoint."
)
@click.option("--model", envvar="OAM_MODEL", metavar="NAME", help="The model to ask there; its key is OAM_MODEL_KEY.")
@click.option("--model-timeout", type=click.FloatRange(0, min_open=True), default=60.0, metavar="S", show_default=True)
@click.option("--again", is_flag=True, help="Tag documents too that this very run has tagged already.")
@click.option("--dry-run", is_flag=True, help="Say what would be tagged, write nothing.")
@click.option("--engine", type=click.Choice(["auto", "shacl", "pyshacl"]), default="auto", help="SHACL engine.")
@wait_option
@json_option
@click.pass_obj
def annotate(
    obj: Context,
    documents: tuple[str, ...],
    rules_only: bool,
    model_endpoint: str | None,
    model: str | None,
    model_timeout: float,
    again: bool,
    dry_run: bool,
    engine: str,
    wait: float,
    as_json: bool,
) -> int:
    """Propose operators, roles, kinds and states for DOC… (ids or paths; default: all documents).

    Every tag is a candidate in a graph of its own, with confidence and rule; nothing that a source or a person said is
    touched. Tagging again replaces the former tags of the same tagger.
    """
    asked = None
    if not rules_only and (model_endpoint or model):
        if not (model_endpoint and model):
            raise UsageError("a model needs both an endpoint and a name", hint="--model-endpoint URL --model NAME")
        asked = ModelOptions(model_endpoint, model, os.environ.get("OAM_MODEL_KEY", ""), model_timeout)
    options = AnnotateOptions(documents, asked, dry_run, again, engine, wait)
    with obj.progress() as progress:
        report = obj.open().annotate(options, progress)
    if as_json:
        print_json(report.to_json())
    else:
        click.echo(_text(report, obj.quiet))
    return report.exit_code


def _text(report: AnnotateReport, quiet: bool) -> str:
    lines = [f"{issue.severity}: {issue}" for issue in report.issues if not quiet or issue.severity != "note"]
    for name, count in sorted(report.tags.items(), key=lambda pair: (-pair[1], pair[0])):
        scheme, _, notation = name.partition(" ")
        lines.append(f"{count:>6}  {label(scheme, notation)}")
        if not quiet:
            lines += [
                f"          {e.object}  {e.confidence:g}  {e.rule}  {e.cue}".rstrip() for e in report.examples[name][:1]
            ]
    rules = sorted(report.rules.items(), key=lambda pair: (-pair[1], pair[0]))
    if rules:
        lines.append("rules: " + ", ".join(f"{name} {count}" for name, count in rules))
    if report.dropped:
        lines.append(
            "dropped from the model's answers: " + ", ".join(f"{k} {v}" for k, v in sorted(report.dropped.items()))
        )
    if report.hallucinated:
        lines.append(
            "labels that no scheme has: " + ", ".join(f"{k} {v}" for k, v in sorted(report.hallucinated.items()))
        )
    lines.append(
        f"{report.documents} documents: {report.tagged} tagged, {report.unchanged} unchanged, {report.failed} failed; "
        f"{report.reliable} reliable tags and {report.suggestions} suggestions on {report.objects} objects, "
        f"{report.minted} of them sentences made objects"
        + (f"; {report.relations} relations proposed" if report.relations else "")
        + (f"; {report.withheld} objects withheld from the model" if report.withheld else "")
    )
    what = "dry run, nothing written" if report.dry_run else f"revision {report.revision}"
    lines.append(f"{what}, {report.seconds:.1f} s")
    return "\n".join(lines)


COMMANDS = (annotate,)
