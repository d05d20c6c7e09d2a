"""The command group: global options, errors as one line, honest exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from typing import Any

import click

from oam_rdf import __version__
from oam_rdf.cli.output import Context
from oam_rdf.errors import OamError

#: Module of this package -> the verbs that it has. A verb's module is read when it is called: reading all takes a second.
VERBS = {
    "write": ("init", "ingest", "load", "embed"),
    "annotate": ("annotate",),
    "read": ("search", "trace", "source", "versions"),
    "navigate": ("navigate", "paths", "conflicts", "evidence"),
    "provenance": ("provenance",),
    "epistemic": ("epistemic",),
    "invalidate": ("invalidate",),
    "review": ("review",),
    "rdf": ("sparql", "validate", "export", "schema"),
    "ontology": ("ontology",),
    "maintain": ("demo", "status", "doctor", "reindex", "backup", "restore", "serve"),
    "profile": ("profile",),
}
_MODULES = {verb: module for module, verbs in VERBS.items() for verb in verbs}


class _Verbs(click.Group):
    """The commands of :data:`VERBS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = import_module(f"oam_rdf.cli.{_MODULES[cmd_name]}")
        found: click.Command = next(command for command in module.COMMANDS if command.name == cmd_name)
        return found


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--kb", metavar="DIR", help="The knowledge base (default: OAM_KB, else the nearest oam.toml upwards).")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no hints.")
@click.option("--no-color", is_flag=True, help="Plain text.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.version_option(__version__, prog_name="oam")
@click.pass_context
def app(context: click.Context, kb: str | None, quiet: bool, no_color: bool, debug: bool) -> None:
    """Operator-Assisted Memory on RDF: documents in, certified answers out.

    Exit codes: 0 ok · 1 something was found or refused · 2 usage or run-time error · 3 a feature is absent ·
    4 nothing was checked.
    """
    context.obj = Context(kb=kb, quiet=quiet, color=not no_color and "NO_COLOR" not in os.environ, debug=debug)


def _global_first(arguments: list[str]) -> list[str]:
    """Global options may stand after the verb too: ``oam ingest docs -q`` means ``oam -q ingest docs``."""
    first: list[str] = []
    rest: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            rest += [argument, *waiting]
        elif argument in ("-q", "--quiet", "--no-color", "--debug") or argument.startswith("--kb="):
            first.append(argument)
        elif argument == "--kb":
            first += [argument, *([value] if (value := next(waiting, None)) is not None else [])]
        else:
            rest.append(argument)
    return first + rest


def main(arguments: list[str] | None = None) -> None:
    """Run ``oam`` and leave with its exit code."""
    arguments = _global_first(arguments if arguments is not None else sys.argv[1:])
    debug = "--debug" in arguments
    try:
        result: Any = app(arguments, prog_name="oam", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.Abort:
        click.echo("oam: interrupted; what was committed stays, run the same command to go on", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except OamError as error:
        if debug:
            traceback.print_exc()
        click.echo(f"oam: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if debug:
            traceback.print_exc()
        place = f"{error.filename}: " if error.filename else ""
        click.echo(
            f"oam: {place}{error.strerror or error} (nothing half-written is used; correct it and try again)", err=True
        )
        sys.exit(2)
