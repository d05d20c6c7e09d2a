"""The verbs of profiles: which ship, what one says, and what it would extract from a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.ingest import profiles
from oam_rdf.ingest.profile_trial import Trial, trial
from oam_rdf.resources import profiles_dir

_SHOWN = 40  # rows of a table; --json has them all


@click.group()
def profile() -> None:
    """Profiles: how a corpus writes its headers, statuses and references."""


@profile.command("list")
@json_option
@click.pass_obj
def list_profiles(obj: Context, as_json: bool) -> None:
    """The profiles that ship, each with its first line."""
    rows = [(name, _about(name)) for name in profiles.names()]
    if as_json:
        print_json([{"name": name, "about": about} for name, about in rows])
        return
    for name, about in rows:
        obj.console().print(f"[cyan]{escape(name):<8}[/] {escape(about)}")


@profile.command()
@click.argument("name")
def show(name: str) -> None:
    """The TOML of a shipped profile, or of your own file, after checking that it is one."""
    profiles.load(name)
    path = Path(name) if name.endswith(".toml") else profiles_dir() / f"{name}.toml"
    click.echo(path.read_text(encoding="utf-8"), nl=False)


@profile.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--profile", "name", default="", help="A shipped profile or a TOML file (default: the one that fits best)."
)
@json_option
@click.pass_obj
def test(obj: Context, file: Path, name: str, as_json: bool) -> None:
    """What a profile would extract from FILE; no knowledge base is touched."""
    found = trial(file, name)
    if as_json:
        print_json(found.to_json())
    else:
        _print(obj.console(), found)


def _about(name: str) -> str:
    first = (profiles_dir() / f"{name}.toml").read_text(encoding="utf-8").split("\n", 1)[0]
    return first.lstrip("# ")


def _print(console: Console, found: Trial) -> None:
    console.print(f"[bold]{escape(found.file)}[/] by the profile [cyan]{escape(found.profile)}[/], {found.media_type}")
    status = (
        f"{found.status} → {found.version_status or ('no version status' if found.status_known else 'unknown word')}"
    )
    about = [
        ("id", found.id), ("title", found.title), ("version", found.version), ("language", found.language),
        ("aliases", "; ".join(found.aliases)), ("status", status if found.status else ""),
        ("visibility", found.visibility),
        ("objects", ", ".join(f"{count} {name.lower()}" for name, count in found.objects.items())),
        ("status events", str(found.status_events or "")),
    ]  # fmt: skip
    for name, value in about:
        if value:
            console.print(f"  {name}: {escape(value)}")
    fields = [(str(f.line), f.name, f.how, f.target, " · ".join(f.values), " · ".join(f.read)) for f in found.fields]
    _table(console, "header fields", ("line", "field", "how", "is", "value", "read as"), fields)
    if found.unknown:
        console.print(f"[yellow]kept verbatim, named by nothing[/]: {escape(', '.join(found.unknown))}")
    references = [(str(r.line), r.relation, r.target, r.source) for r in found.references]
    _table(console, "references", ("line", "relation", "target", "from"), references)
    labelled = [(str(r.line), r.author_id, r.kind, r.state) for r in found.labelled]
    _table(console, "labelled statements", ("line", "id", "kind", "state"), labelled)
    for issue in found.issues:
        console.print(f"{issue.severity}: {escape(str(issue))}")
    fits = ", ".join(f"{fit.profile} {fit.fields}" for fit in found.fits)
    console.print(
        f"fits best: [cyan]{escape(found.best)}[/] (of {len(found.fields)} fields each names: {escape(fits)})"
    )


def _table(console: Console, title: str, columns: Iterable[str], rows: Sequence[tuple[str, ...]]) -> None:
    if not rows:
        console.print(f"no {title}")
        return
    table = Table(title=f"{title} ({len(rows)})", title_justify="left", box=None, header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows[:_SHOWN]:
        table.add_row(*(escape(cell) for cell in row))
    console.print(table, soft_wrap=False)
    if len(rows) > _SHOWN:
        console.print(f"… and {len(rows) - _SHOWN} more: --json has all of them")


COMMANDS = (profile,)
