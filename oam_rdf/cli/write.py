"""Verbs that bring something in: init, ingest, load, embed."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import click

from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.errors import UsageError
from oam_rdf.ingest.git_history import kept_history
from oam_rdf.ingest.profiles import load as load_profile
from oam_rdf.ingest.report import ANCHORINGS, IngestReport
from oam_rdf.ingest.report_files import render
from oam_rdf.ingest.run import IngestOptions, Progress
from oam_rdf.store.layout import find_root
from oam_rdf.writing import Writer

if TYPE_CHECKING:
    from oam_rdf.ingest.embedding import EmbedReport

wait_option = click.option("--wait", type=float, default=30.0, metavar="S", help="Seconds to wait for another writer.")


@click.command()
@click.argument("folder", required=False)
@click.option("--base", default="", metavar="IRI", help="Base of all data IRIs (default http://oam.localhost/).")
@click.option("--lang", "languages", multiple=True, help="Languages of the corpus, most used first.")
@click.option("--profile", default="", help="Profile that `oam ingest` uses when none is named.")
@click.pass_obj
def init(obj: Context, folder: str | None, base: str, languages: tuple[str, ...], profile: str) -> None:
    """Make a new, empty knowledge base in FOLDER (default: --kb or OAM_KB)."""
    kb = Writer.init(folder or find_root(obj.kb), base=base, languages=languages, profile=profile)
    obj.note(f"made {kb.layout.root}; now: oam --kb {kb.layout.root} ingest FOLDER")


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="FILE_OR_FOLDER…")
@click.option("--profile", default="", help="default, eips, keps, peps, pldst, wiki, or a TOML file of your own.")
@click.option("--strict", is_flag=True, help="If one document is refused, nothing lands.")
@click.option("--prune", is_flag=True, help="Mark documents whose source is gone as DEPRECATED.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, write nothing.")
@click.option("--statements", type=click.Choice(["said", "all"]), default=None, help="Which sentences become objects.")
@click.option("--engine", type=click.Choice(["auto", "shacl", "pyshacl"]), default="auto", help="SHACL engine.")
@click.option("--workers", type=int, default=None, help="Parser processes (default: one per core).")
@click.option(
    "--base",
    default="",
    metavar="IRI",
    help="Base of relative IRIs in RDF files that state none (no @base, xml:base). Kept with them: name it again next time.",
)
@click.option(
    "--git-history", is_flag=True, help="Read the statuses of the folder's files over time from its git log, too."
)
@click.option(
    "--report", "report_file", default="", metavar="FILE", help="Write the whole conversion report: .json, .md or .txt."
)
@click.option("--embed", "then_embed", is_flag=True, help="Then make the vectors, as `oam embed` does.")
@wait_option
@json_option
@click.pass_obj
def ingest(
    obj: Context,
    inputs: tuple[str, ...],
    profile: str,
    strict: bool,
    prune: bool,
    dry_run: bool,
    statements: str | None,
    engine: str,
    workers: int | None,
    base: str,
    git_history: bool,
    report_file: str,
    then_embed: bool,
    wait: float,
    as_json: bool,
) -> int:
    """Read files and folders into the knowledge base; unchanged ones change nothing."""
    options = IngestOptions(profile, strict, prune, dry_run, statements or "", engine, workers, wait, base)
    if report_file:
        render(IngestReport(), report_file)  # a name that cannot be written as is an error before anything is read
    kb = obj.writer()
    with obj.progress() as progress:
        if git_history:
            inputs = (*inputs, *_git_histories(kb, inputs, options, progress))
        report = kb.ingest(inputs, options, progress)
        # A refused ingest may have published nothing there is to embed.
        made = obj.open().embed(progress, wait=wait) if then_embed and not dry_run and report.revision else None
    if report_file:
        Path(report_file).write_text(render(report, report_file), encoding="utf-8")
        obj.note(f"the conversion report is in {report_file}")
    if as_json:
        print_json(report.to_json() | ({"embed": made.to_json()} if made else {}))
    else:
        click.echo(_text(report, obj.quiet))
        if made:
            click.echo(_embedded(made))
    return report.exit_code


def _git_histories(kb: Writer, inputs: tuple[str, ...], options: IngestOptions, progress: Progress) -> list[str]:
    """Status histories of the folders, written below the knowledge base's own folder and ingested like any other."""
    folders = [Path(given) for given in inputs if Path(given).is_dir()]
    if not folders:
        raise UsageError("--git-history needs a folder", hint="name the folder of the repository that holds the files")
    profile = load_profile(options.profile or kb.config.profile)
    target = kb.layout.root / "status-histories"
    if options.dry_run:
        target = Path(mkdtemp(prefix="oam-"))
        click.get_current_context().call_on_close(lambda: rmtree(target, ignore_errors=True))
    return [str(kept_history(target, folder, profile, progress)) for folder in folders]


def _text(report: IngestReport, quiet: bool) -> str:
    lines = []
    shown = [issue for issue in report.issues if not quiet or issue.severity != "note"]
    notes: dict[str, int] = {}
    for issue in shown:
        notes[issue.code] = notes.get(issue.code, 0) + 1
        if issue.severity != "note" or notes[issue.code] <= 5:
            lines.append(f"{issue.severity}: {issue}")
    lines += [
        f"note: … and {count - 5} more of kind {code}"
        for code, count in notes.items()
        if count > 5 and _is_note(report, code)
    ]
    objects = ", ".join(f"{count} {name.lower()}s" for name, count in sorted(report.objects.items()))
    lines.append(
        f"{report.found} files: {report.added} added, {report.changed} changed, {report.renamed} renamed, "
        f"{report.unchanged} unchanged, {report.skipped} skipped, {report.refused} refused"
        + (f"; {report.pruned} pruned" if report.pruned else "")
        + (f"; {report.relinked} relinked" if report.relinked else "")
    )
    if objects:
        lines.append(f"{objects}; {report.relations} relations, {report.unresolved} unresolved")
    if found := report.quotes.total():
        lines.append(f"{found} quotes: " + ", ".join(f"{report.quotes[how]} {how}" for how in ANCHORINGS))
    if report.unknown_labels:
        lines.append(f"{report.unknown_labels} unknown labels, kept as written")
    if report.status_events:
        waiting = f", {report.status_waiting} ids wait for their documents" if report.status_waiting else ""
        lines.append(f"{report.status_events} status events{waiting}")
    what = "dry run, nothing written" if report.dry_run else f"revision {report.revision_before} → {report.revision}"
    lines.append(f"{what}, {report.seconds:.1f} s")
    return "\n".join(lines)


def _is_note(report: IngestReport, code: str) -> bool:
    return all(issue.severity == "note" for issue in report.issues if issue.code == code)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--originals", required=True, type=click.Path(exists=True, file_okay=False), help="Folder of Originals.")
@wait_option
@click.pass_obj
def load(obj: Context, file: str, originals: str, wait: float) -> None:
    """Bring back FILE, a TriG or N-Quads export made under the same base."""
    report = obj.writer().load(file, originals, wait=wait)
    click.echo(f"{report.documents} documents, {report.quads} quads, {report.originals} Originals")


def _embedded(report: EmbedReport) -> str:
    return f"{report.embedded} of {report.passages} passages have a vector, {report.made} new, {report.seconds:.1f} s"


@click.command()
@click.option("--limit", type=int, default=None, help="At most so many passages in this call.")
@click.option(
    "--embedder",
    default="",
    metavar="NAME",
    help="e5, e5:nano, st:NAME_OR_PATH (sentence-transformers) or openai:URL#MODEL (an endpoint, its key in "
    "OAM_EMBED_KEY). Default: OAM_EMBEDDER, else oam.toml. Search with it by OAM_EMBEDDER.",
)
@wait_option
@json_option
@click.pass_obj
def embed(obj: Context, limit: int | None, embedder: str, wait: float, as_json: bool) -> None:
    """Make the vectors that dense search needs, what matters first; stop and go on at any time."""
    with obj.progress() as progress:
        report = obj.open().embed(progress, wait=wait, limit=limit, embedder=embedder)
    if as_json:
        print_json(report.to_json())
    else:
        click.echo(_embedded(report))


COMMANDS = (init, ingest, load, embed)
