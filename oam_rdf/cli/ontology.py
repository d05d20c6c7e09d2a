"""Verbs about the ontology itself: check it, print its documentation."""

from __future__ import annotations

from pathlib import Path

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.vocabulary.check import check as run_check
from oam_rdf.vocabulary.document import document


@click.group()
def ontology() -> None:
    """The vocabulary: check it, print its documentation."""


@ontology.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--no-reasoner", is_flag=True, help="Do not start HermiT; the report says that it did not run (exit 3).")
@click.option("--engine", type=click.Choice(["auto", "shacl", "pyshacl"]), default="auto", show_default=True)
@json_option
@click.pass_obj
def check(obj: Context, folder: Path | None, no_reasoner: bool, engine: str, as_json: bool) -> int:
    """Check the ontology in FOLDER (default: the one that ships).

    Turtle, house style, agreement with the program both ways, OWL 2 profile, consistency and classes that can have no
    member (HermiT, needs Java and the extra `owl`), competency questions. Each check says how much it looked at.

    Exit codes: 0 all passed · 1 something is wrong, or a check met nothing · 3 all that ran passed, but something did
    not run.
    """
    found = run_check(folder, reasoning=not no_reasoner, engine=engine)
    if as_json:
        print_json(found.to_json())
    else:
        click.echo(found.to_text())
    return found.exit_code


@ontology.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write here instead of stdout.")
@click.pass_obj
def doc(obj: Context, folder: Path | None, output: Path | None) -> None:
    """Print the ontology in FOLDER (default: the one that ships) as Markdown."""
    text = document(folder)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        obj.note(f"{len(text.splitlines())} lines written to {output}")


COMMANDS = (ontology,)
