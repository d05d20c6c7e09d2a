"""``oam invalidate``: what rests on a withdrawn object, flagged for review and taken back again (decision D9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from oam_rdf.analysis.invalidation import Dependant, Impact
from oam_rdf.cli.labels_review import say
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.write import wait_option
from oam_rdf.errors import UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.templates import LANGUAGES
from oam_rdf.store.walk import Edge

by_option = click.option("--by", default="", envvar="OAM_AGENT", metavar="NAME", help="Who answers for it (OAM_AGENT).")
ui_option = click.option(
    "--ui", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of what is said."
)


@click.command()
@click.argument("identifier", required=False, metavar="[ID]")
@click.option("--dry-run", is_flag=True, help="Show what would be flagged, write nothing (the default).")
@click.option("--apply", "then_apply", is_flag=True, help="Flag them NEEDS_REVIEW.")
@click.option("--undo", default="", metavar="RUN", help="Take back exactly the flags of a run.")
@by_option
@click.option("--reason", default="", help="Why.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Dependants shown.")
@ui_option
@wait_option
@json_option
@click.pass_obj
def invalidate(
    obj: Context,
    identifier: str | None,
    dry_run: bool,
    then_apply: bool,
    undo: str,
    by: str,
    reason: str,
    limit: int,
    ui: str,
    wait: float,
    as_json: bool,
) -> int:
    """What has to be looked at again because ID was superseded, deprecated or refuted.

    Follows stated relations alone: backwards over depends_on, derived_from, translates and implements, forwards over
    supports. Shows every dependant with its path, and what else upholds it. States never change by this.
    """
    kb = obj.open()
    if undo:
        if identifier or then_apply or dry_run:
            raise UsageError("--undo needs nothing but the run", hint="oam invalidate --undo RUN --by NAME")
        taken = kb.curation.undo(undo, by=by, wait=wait)
        with kb.snapshot() as snapshot:
            names = [_name(snapshot, iri) for iri in taken.objects]
        if as_json:
            print_json({"undone": taken.run, "objects": names, "revision": taken.revision})
        else:
            click.echo(say("undone", ui, count=len(names)))
        return 0
    if not identifier:
        raise UsageError("say which object fell", hint="oam invalidate ID, or --undo RUN")
    if dry_run and then_apply:
        raise UsageError("--dry-run and --apply exclude each other", hint="leave one out")
    found = kb.curation.impact(identifier)
    done = kb.curation.invalidate(identifier, by=by, reason=reason, wait=wait) if then_apply else None
    if as_json:
        print_json(_json(kb, found) | ({"run": done.run, "flagged": len(done.objects)} if done else {}))
    else:
        for line in _lines(kb, found, limit, ui):
            click.echo(line)
        if done is None:
            obj.note(say("preview", ui) if found.dependants else "")
        elif done.objects:
            click.echo(say("flagged", ui, count=len(done.objects), run=done.run))
        else:
            click.echo(say("flagged none", ui))
    return 0


def _lines(kb: KnowledgeBase, found: Impact, limit: int, ui: str) -> Iterator[str]:
    with kb.snapshot() as snapshot:
        name = _name(snapshot, found.cause)
        if not found.dependants:
            yield say("nothing rests", ui, id=name)
            return
        status = found.withdrawn and _status(found.withdrawn, ui)
        yield say("fell", ui, id=name, status=status) if status else say("stands", ui, id=name)
        for dependant in found.dependants[:limit]:
            yield f"  {dependant.depth}. {_name(snapshot, dependant.iri)}"
            yield "     " + say("path", ui, path=_path(snapshot, dependant.path))
            for edge in dependant.alternatives:
                yield "     " + say("also", ui, path=_path(snapshot, (edge,)))
        if len(found.dependants) > limit:
            yield say("more", ui, count=len(found.dependants) - limit)
        yield "; ".join(say("hops", ui, hops=hops, count=count) for hops, count in found.counts.items())


def _status(notation: str, ui: str) -> str:
    ontology = Ontology.load()
    scheme = "epistemic-state" if ontology.concept("epistemic-state", notation) else "version-status"
    return ontology.label(scheme, notation, ui)


def _json(kb: KnowledgeBase, found: Impact) -> dict[str, Any]:
    with kb.snapshot() as snapshot:

        def edges(path: tuple[Edge, ...]) -> list[dict[str, str]]:
            return [
                {"source": _name(snapshot, e.subject), "relation": _relation(e), "target": _name(snapshot, e.object)}
                for e in path
            ]

        def one(dependant: Dependant) -> dict[str, Any]:
            return {
                "id": _name(snapshot, dependant.iri), "depth": dependant.depth, "path": edges(dependant.path),
                "alternatives": edges(dependant.alternatives),
            }  # fmt: skip

        return {
            "id": _name(snapshot, found.cause), "withdrawn": found.withdrawn,
            "counts": {str(hops): count for hops, count in found.counts.items()},
            "dependants": [one(dependant) for dependant in found.dependants],
        }  # fmt: skip


def _path(snapshot: Snapshot, path: tuple[Edge, ...]) -> str:
    """``A ←depends_on B ←derived_from C``: from what fell to what rests on it."""
    text = _name(snapshot, path[0].source)
    for edge in path:
        arrow = f"←{_relation(edge)}" if edge.against else f"{_relation(edge)}→"
        text += f" {arrow} {_name(snapshot, edge.target)}"
    return text


def _relation(edge: Edge) -> str:
    names = Ontology.load().relations.items()
    return next((name for name, kind in names if kind.iri == edge.predicate and not kind.inverse), edge.predicate)


def _name(snapshot: Snapshot, iri: str) -> str:
    row = snapshot.facets.row(iri)
    return (snapshot.facets.identifiers[row] or iri) if row >= 0 else iri


COMMANDS = (invalidate,)
