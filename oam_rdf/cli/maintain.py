"""Verbs that look after a knowledge base: status, doctor, reindex, backup, restore, serve, demo."""

from __future__ import annotations

import click
from rich.table import Table

from oam_rdf.cli.demo import demo
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.write import wait_option
from oam_rdf.errors import FeatureMissing
from oam_rdf.knowledge_base import KnowledgeBase


@click.command()
@json_option
@click.pass_obj
def status(obj: Context, as_json: bool) -> None:
    """What is here: counts, revision, what is embedded, what is not in order."""
    found = obj.open().status()
    if as_json:
        print_json(found.to_json())
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in found.to_json().items():
        shown = ", ".join(f"{key} {count}" for key, count in value.items()) if isinstance(value, dict) else value
        table.add_row(name.replace("_", " "), str(shown) if shown not in ("", None) else "–")
    obj.console().print(table)


@click.command()
@click.option("--repair", is_flag=True, help="Rebuild what can be rebuilt from RDF and Originals.")
@wait_option
@json_option
@click.pass_obj
def doctor(obj: Context, repair: bool, wait: float, as_json: bool) -> int:
    """Check everything on disk against everything else."""
    found = obj.open().doctor(repair=repair, wait=wait)
    if as_json:
        print_json(found.to_json())
    else:
        for name, count in found.checked.items():
            click.echo(f"checked {count} {name}")
        for line in found.repaired:
            click.echo(f"repaired: {line}")
        for line in found.problems:
            click.echo(f"problem: {line}")
        click.echo(
            "clean"
            if found.clean
            else f"{len(found.problems)} problems" + ("" if repair else "; try oam doctor --repair")
        )
    return 0 if found.clean else 1


@click.command()
@wait_option
@click.pass_obj
def reindex(obj: Context, wait: float) -> None:
    """Rebuild every side index from RDF and Originals."""
    click.echo(f"published generation {obj.open().reindex(wait=wait)}")


@click.command()
@click.argument("target")
@wait_option
@click.pass_obj
def backup(obj: Context, target: str, wait: float) -> None:
    """Copy what cannot be rebuilt to the new folder TARGET."""
    click.echo(f"{obj.open().backup(target, wait=wait)} Originals and the stores copied to {target}")


@click.command()
@click.argument("source")
@click.argument("target")
def restore(source: str, target: str) -> None:
    """Make the knowledge base TARGET from the backup SOURCE."""
    kb = KnowledgeBase.restore(source, target)
    click.echo(f"restored {kb.status().documents} documents to {target}")
    kb.close()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8765, show_default=True, type=int)
@click.option("--threads", default=8, show_default=True, type=int)
@click.option("--embed/--no-embed", default=True, help="Make missing vectors in the background.")
@click.pass_obj
def serve(obj: Context, host: str, port: int, threads: int, embed: bool) -> None:
    """Answer HTTP requests; ingest goes on working beside it."""
    try:
        from oam_server.serve import serve as run
    except ImportError as error:
        raise FeatureMissing(f"the server is not installed: {error}", hint="pip install oam-rdf") from error
    run(obj.open().layout.root, host=host, port=port, threads=threads, embed_in_background=embed)


COMMANDS = (demo, status, doctor, reindex, backup, restore, serve)
