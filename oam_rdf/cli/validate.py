"""``oam validate``: what CI runs. Reports in six formats, a baseline, and exit codes that never call nothing a pass."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from oam_rdf.cli.output import Context
from oam_rdf.errors import NothingChecked, UsageError
from oam_rdf.ingest.publication import Publication
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.store import baseline, publish
from oam_rdf.store.files import write_atomic
from oam_rdf.store.live import LiveStore
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.originals import Originals
from oam_rdf.store.report_junit import junit
from oam_rdf.store.report_outcome import SEVERITIES, Validation
from oam_rdf.store.report_places import FilePlaces, StorePlaces
from oam_rdf.store.report_rdf import report_rdf
from oam_rdf.store.report_record import record
from oam_rdf.store.report_sarif import sarif
from oam_rdf.store.validation import Request, examine_files, examine_store, rdf_files

_FORMATS = ("human", "json", "turtle", "jsonld", "sarif", "junit")


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE|FOLDER|KB]...")
@click.option("--engine", type=click.Choice(["auto", "shacl", "pyshacl"]), default="auto", show_default=True)
@click.option("--only", multiple=True, metavar="SHAPE", help="Only this shape or whole-graph check (repeatable).")
@click.option(
    "--shapes", multiple=True, metavar="PATH", help="Check your own shapes as well: a Turtle file or a folder."
)
@click.option(
    "--changed-since", type=click.IntRange(0), metavar="REV", help="Only documents committed after this revision."
)
@click.option("--format", "fmt", type=click.Choice(_FORMATS), default="human", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the report to a file instead of stdout.")
@click.option(
    "--fail-on", type=click.Choice([s.lower() for s in SEVERITIES]), default="violation", show_default=True,
    help="The mildest finding that fails.",
)  # fmt: skip
@click.option("--baseline", "accepted", type=click.Path(dir_okay=False), help="Findings listed here do not fail.")
@click.option("--write-baseline", type=click.Path(dir_okay=False), help="Accept all present findings: list them here.")
@click.option("--time", "timed", is_flag=True, help="Also measure every shape alone.")
@click.option("--record", "recorded", is_flag=True, help="Keep the run in the knowledge base as a prov:Activity.")
@click.option("--lang", default="en", show_default=True, help="Language of the messages: en or zh-Hant.")
@click.option(
    "--wait", type=float, default=30.0, show_default=True, help="Seconds to wait for the write lock (--record)."
)
@click.pass_obj
def validate(
    obj: Context, paths: tuple[str, ...], engine: str, only: tuple[str, ...], shapes: tuple[str, ...],
    changed_since: int | None, fmt: str, as_json: bool, output: str | None, fail_on: str, accepted: str | None,
    write_baseline: str | None, timed: bool, recorded: bool, lang: str, wait: float,
) -> int:  # fmt: skip
    """Validate the knowledge base, or RDF files and folders, against the shapes.

    A knowledge base is also checked as a whole: cycles, forks, dangling relations, leaks.

    Exit codes: 0 passes · 1 findings · 2 usage · 3 the engine is not installed · 4 nothing was checked.
    """
    request = Request(engine, only, tuple(map(Path, shapes)), changed_since, timed)
    started = datetime.now(UTC)
    kb = _knowledge_base(obj, paths)
    if kb is None and recorded:
        raise UsageError("--record needs a knowledge base", hint="leave the files out")
    revision = 0
    if kb is not None:
        found, revision = _examine(kb, request)
    else:
        given = [Path(path) for path in paths]
        found = examine_files(given, request, FilePlaces(rdf_files(given), Path.cwd()))
    known = frozenset(baseline.read(Path(accepted))) if accepted else frozenset[str]()
    if write_baseline and found.report.checked:
        count = baseline.write(Path(write_baseline), found.acceptable)
        known |= {finding.fingerprint for finding in found.acceptable}
        obj.note(f"{count} findings accepted in {write_baseline}")
    found = replace(found, fail_on=fail_on.capitalize(), accepted=known)
    _write(found, "json" if as_json else fmt, lang, output)
    if output:
        obj.note(found.to_text(lang).partition("\n")[0])
    if kb is not None and recorded and found.report.checked:
        obj.note(f"kept as <{_record(kb, found, started, revision, wait)}>")
    if found.exit_code == 4:
        found.require()
    return found.exit_code


def _knowledge_base(obj: Context, paths: tuple[str, ...]) -> KnowledgeBase | None:
    """The knowledge base meant: of ``--kb``, or a path that is one; None for files and folders of RDF."""
    if not paths:
        return obj.open()
    if not any((Path(path) / "oam.toml").is_file() for path in paths):
        return None
    if len(paths) > 1:
        raise UsageError("a knowledge base is validated by itself", hint="name it alone")
    kb = KnowledgeBase.open(paths[0])
    click.get_current_context().call_on_close(kb.close)
    return kb


def _examine(kb: KnowledgeBase, request: Request) -> tuple[Validation, int]:
    if publish.current_number(kb.layout) is None:
        raise NothingChecked(
            "the knowledge base is empty", place=str(kb.layout.root), hint="fill it with `oam ingest FOLDER`"
        )
    with kb.snapshot() as snapshot:
        places = StorePlaces(snapshot.store, kb.layout.originals, Path.cwd())
        return examine_store(snapshot.store, request, places), snapshot.generation.revision


def _record(kb: KnowledgeBase, found: Validation, started: datetime, revision: int, wait: float) -> str:
    with WriteLock(kb.layout.lock, verb="validate", wait=wait), LiveStore(kb.layout, kb.minter) as live:
        graph = record(live, found, started, datetime.now(UTC), revision)
        Publication(kb.layout, live, kb.minter, Originals(kb.layout.originals)).publish()
    return graph


def _write(found: Validation, fmt: str, lang: str, output: str | None) -> None:
    if fmt == "human":
        body = found.to_text(lang) + "\n"
    elif fmt == "json":
        body = json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
    elif fmt == "sarif":
        body = sarif(found, lang)
    elif fmt == "junit":
        body = junit(found, lang)
    else:
        body = report_rdf(found, fmt)
    if output:
        write_atomic(Path(output), body.encode())
    else:
        click.echo(body, nl=False)
