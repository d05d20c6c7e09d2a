"""``oam evidence run``: a registered check made again, in isolation, and recorded (decision D7)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from oam_rdf.analysis.execution import Registered
from oam_rdf.analysis.recording import Executed
from oam_rdf.cli.invalidate import by_option, ui_option
from oam_rdf.cli.labels import concept
from oam_rdf.cli.labels_review import say
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.write import wait_option
from oam_rdf.errors import UsageError
from oam_rdf.knowledge_base import KnowledgeBase


@click.command()
@click.argument("identifier", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Show what would be run, run nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@by_option
@ui_option
@wait_option
@json_option
@click.pass_obj
def run(obj: Context, identifier: str, dry_run: bool, yes: bool, by: str, ui: str, wait: float, as_json: bool) -> int:
    """Run the check that ID declares again, and record how it ended; 1 unless it passed.

    Its files must have the declared hashes. The program has no network, sees no other files, and is stopped at its limits;
    where that cannot be had nothing is run (exit 3). States do not change: what a pass proposes waits in `oam review`.
    """
    kb = obj.open()
    found = kb.curation.check(identifier)
    if dry_run:
        files = kb.curation.check_files(found)
        if as_json:
            print_json(_plan(kb, found))
        else:
            for line in (*_shown(kb, found, ui), say("files fit", ui, count=len(files))):
                click.echo(line)
        return 0
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise UsageError("it runs a program: say that you want it", hint="--yes, or --dry-run to see it first")
        for line in _shown(kb, found, ui):
            click.echo(line, err=True)
        click.confirm(say("run it", ui), abort=True, err=True)
    else:
        for line in _shown(kb, found, ui):
            obj.note(line)
    done = kb.curation.run_check(identifier, by=by, wait=wait)
    if as_json:
        print_json(done.to_json())
    else:
        for line in _told(kb, done, ui):
            click.echo(line)
    return int(done.outcome.outcome != "passed")


def _names(kb: KnowledgeBase, iris: tuple[str, ...]) -> list[str]:
    with kb.snapshot() as snapshot:
        rows = [(iri, snapshot.facets.row(iri)) for iri in iris]
        return [(snapshot.facets.identifiers[row] or iri) if row >= 0 else iri for iri, row in rows]


def _plan(kb: KnowledgeBase, found: Registered) -> dict[str, Any]:
    procedure = found.procedure
    return {
        "id": found.id, "tests": _names(kb, found.claims), "kind": procedure.kind, "command": list(procedure.command),
        "inputs": [{"path": path, "sha256": sha256} for path, sha256 in procedure.inputs],
        "output_sha256": procedure.output, "seconds": procedure.seconds, "memory_mb": procedure.memory,
    }  # fmt: skip


def _shown(kb: KnowledgeBase, found: Registered, ui: str) -> Iterator[str]:
    procedure = found.procedure
    tested = ", ".join(_names(kb, found.claims)) or "-"
    yield say("check", ui, id=found.id, kind=concept("evidence-kind", procedure.kind, ui), claims=tested)
    yield "  " + say("command", ui, command=" ".join(map(_quoted, procedure.command)))
    for path, sha256 in procedure.inputs:
        yield "  " + say("input", ui, path=path, sha256=sha256)
    yield "  " + say("expected", ui, sha256=procedure.output)
    yield "  " + say("limits", ui, seconds=procedure.seconds, memory=procedure.memory)


def _quoted(word: str) -> str:
    """A word as one sees where it begins and ends, and without control characters: it came with a corpus."""
    return word if word and word.isprintable() and not set(word) & set(" \"'\\") else repr(word)


def _told(kb: KnowledgeBase, done: Executed, ui: str) -> Iterator[str]:
    outcome = done.outcome
    yield say("ended", ui, id=done.check.id, outcome=concept("outcome", outcome.outcome, ui), reason=outcome.reason)
    yield "  " + say("printed", ui, sha256=outcome.sha256)
    yield "  " + say("recorded", ui, id=_names(kb, (done.evidence,))[0], revision=done.revision)
    for claim, one in done.proposals.items():
        state = concept("epistemic-state", one.state, ui)
        yield "  " + say("proposes", ui, id=_names(kb, (claim,))[0], state=state)
        if one.missing:
            yield "    " + say("still needs", ui, missing=one.missing)
