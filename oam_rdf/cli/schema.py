"""``oam schema``: the JSON Schemas that ship with the program."""

from __future__ import annotations

import json

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.errors import NotFound
from oam_rdf.resources import schemas_dir

_ENDING = ".schema.json"


@click.command()
@click.argument("name", required=False)
@json_option
@click.pass_obj
def schema(obj: Context, name: str | None, as_json: bool) -> None:
    """Print the JSON Schema (draft 2020-12) called NAME, or list them all."""
    shipped = {path.name.removesuffix(_ENDING): path for path in sorted(schemas_dir().glob(f"*{_ENDING}"))}
    if name is not None:
        if name not in shipped:
            raise NotFound(f"no schema {name!r}", hint="one of " + ", ".join(shipped))
        click.echo(shipped[name].read_text("utf-8"), nl=False)
        return
    titles = {key: str(json.loads(path.read_text("utf-8")).get("title", "")) for key, path in shipped.items()}
    if as_json:
        print_json(titles)
    else:
        for key, title in titles.items():
            click.echo(f"{key}\t{title}")
