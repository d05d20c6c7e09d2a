"""``oam export``: everything out again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

import click

from oam_rdf.cli.output import Context
from oam_rdf.errors import UsageError
from oam_rdf.namespaces import encode_id
from oam_rdf.query.export import NAMES, identifiers_in

# Formats that are not named after a file of their own.
_ENDINGS = {
    "turtle": "ttl", "trig": "trig", "nquads": "nq", "ntriples": "nt", "jsonld": "jsonld", "rdfxml": "rdf",
    "oam-json": "json", "oam-jsonl": "jsonl", "tcf-lite": "json", "verdicts": "verdicts.json",
}  # fmt: skip


@click.command()
@click.argument("identifiers", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="The whole knowledge base.")
@click.option(
    "--from", "listed", type=click.File("r", encoding="utf-8"), metavar="FILE",
    help="Ids, one a line, or what `oam search --json` printed (- = stdin).",
)  # fmt: skip
@click.option("--tcf", is_flag=True, help="The merged graph, for reading: what is said, how it was judged, where from.")
@click.option(
    "--format", "fmt", type=click.Choice(NAMES), default="turtle", show_default=True, metavar="NAME",
    help="One of: " + ", ".join(NAMES) + ".",
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(), help="Write to a file, or into a folder, instead of stdout.")
@click.option("--originals", type=click.Path(file_okay=False), help="Also copy the Originals that the export names.")
@click.pass_obj
def export(
    obj: Context,
    identifiers: tuple[str, ...],
    everything: bool,
    listed: TextIO | None,
    tcf: bool,
    fmt: str,
    output: str | None,
    originals: str | None,
) -> None:
    """Write documents, single objects with the head of their document, or everything.

    Turtle, N-Triples and RDF/XML hold the assertion graphs; TriG, N-Quads and JSON-LD all graphs, and can be loaded again;
    with --tcf every format holds the same merged graph. The other formats are JSON, tables and Markdown (docs/export.md).
    """
    ids = list(identifiers)
    if listed is not None:
        try:
            ids += identifiers_in(listed.read())
        except UnicodeDecodeError as error:
            raise UsageError(f"{listed.name} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from error
    if bool(ids) == everything:
        raise UsageError("name what to export, or say --all", hint="oam export PEP-0241 --format turtle")
    body = obj.open().export(
        None if everything else ids, fmt, tcf=tcf, originals=Path(originals) if originals else None
    )
    if output is None:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.is_dir() or output.endswith("/"):
        path.mkdir(parents=True, exist_ok=True)
        path /= _file_name(ids, fmt)
    path.write_bytes(body)
    obj.note(f"{len(body):,} bytes written to {path}")


def _file_name(ids: list[str], fmt: str) -> str:
    """``graph.json`` as it is called; else the id (``all`` for everything, ``selection`` for several) and an ending."""
    if fmt not in _ENDINGS:
        return fmt
    stem = encode_id(ids[0]) if len(ids) == 1 else "selection" if ids else "all"
    return f"{stem}.{_ENDINGS[fmt]}"
