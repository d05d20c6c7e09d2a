"""Verbs for those who speak RDF: sparql, validate, export, schema."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from oam_rdf.cli.export import export
from oam_rdf.cli.output import Context
from oam_rdf.cli.schema import schema
from oam_rdf.cli.validate import validate
from oam_rdf.errors import UsageError
from oam_rdf.store.sparql import Limits
from oam_rdf.vocabulary.named import named_queries, named_query


@click.command()
@click.argument("query", required=False)
@click.option("-f", "--file", "file", type=click.Path(exists=True, dir_okay=False), help="Read the query from a file.")
@click.option("--named", default="", metavar="NAME", help="Ask a question that ships; `--named list` shows them.")
@click.option("--format", "fmt", default=None, help="json, xml, csv, tsv; for graphs turtle, ntriples, jsonld, rdfxml.")
@click.option("--default-graph", type=click.Choice(["union", "strict"]), default="union", show_default=True)
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds.")
@click.pass_obj
def sparql(
    obj: Context,
    query: str | None,
    file: str | None,
    named: str,
    fmt: str | None,
    default_graph: str,
    timeout: float,
) -> None:
    """Answer a SPARQL 1.1 query; the project's prefixes need no declaration."""
    if sum((query is not None, file is not None, bool(named))) != 1:
        hint = "oam sparql 'SELECT * WHERE { ?s ?p ?o } LIMIT 5'"
        raise UsageError("give either a query, --file or --named", hint=hint)
    if named == "list":
        for name, one in named_queries().items():
            click.echo(f"{name}\n    " + "\n    ".join(one.questions.values()))
        return
    asked = named_query(named).text if named else query
    text = asked if asked is not None else Path(str(file)).read_text("utf-8")
    kb = obj.open()
    kb.configure_queries(Limits(timeout=timeout), workers=1)
    body, _ = kb.sparql(text, format=fmt, strict=default_graph == "strict", timeout=timeout)
    sys.stdout.buffer.write(body)
    if not body.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


COMMANDS = (sparql, validate, export, schema)
