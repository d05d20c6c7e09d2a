"""``oam review``: what waits for a person, decided one by one or by file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from oam_rdf.analysis.decide import Ruling
from oam_rdf.analysis.queue import KINDS, Entry
from oam_rdf.cli import review_files
from oam_rdf.cli.invalidate import by_option, ui_option
from oam_rdf.cli.labels_review import say
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.write import wait_option
from oam_rdf.errors import UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology

_KINDS = [kind.lower().replace("_", "-") for kind in KINDS]


@click.command()
@click.option("--kind", "kinds", type=click.Choice(_KINDS), multiple=True, help="Only these kinds.")
@click.option("-i", "--interactive", is_flag=True, help="Decide one after the other.")
@click.option(
    "--export", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write the queue: .csv or .json."
)
@click.option(
    "--import", "filled", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Bring a filled file back."
)
@click.option("--decided", is_flag=True, help="What is decided already, to be decided anew.")
@by_option
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Entries shown.")
@ui_option
@wait_option
@json_option
@click.pass_obj
def review(
    obj: Context,
    kinds: tuple[str, ...],
    interactive: bool,
    target: Path | None,
    filled: Path | None,
    decided: bool,
    by: str,
    limit: int,
    ui: str,
    wait: float,
    as_json: bool,
) -> int:
    """What waits for a person: unknown operators, unaudited edges, low-confidence tags, needs-review, stale, unanchored.

    Decisions carry reviewer and time and hold after every re-ingest, other run of a tagger, export and restore.
    """
    if sum((interactive, target is not None, filled is not None)) > 1:
        raise UsageError("--interactive, --export and --import exclude each other", hint="leave all but one out")
    kb = obj.open()
    if filled is not None:
        done = kb.curation.decide(review_files.read(filled, by), revise=decided, wait=wait)
        if as_json:
            print_json({"made": done.made, "revision": done.revision})
        else:
            click.echo(say("made", ui, count=done.made))
        return 0
    chosen = [kind.upper().replace("-", "_") for kind in kinds] or list(KINDS)
    found = kb.curation.queue(chosen, decided=decided)
    if target is not None:
        review_files.write(target, found)
        obj.note(say("exported", ui, count=len(found), file=target))
        return 0
    if interactive:
        if as_json:
            raise UsageError("--interactive speaks to people", hint="leave out --json")
        return decide_each(kb, found, by, ui, wait, revise=decided)
    if as_json:
        counts = Counter(entry.kind for entry in found)
        print_json({"counts": {k: counts[k] for k in chosen}, "entries": [entry.to_json() for entry in found]})
    else:
        for line in _lines(found, limit, ui):
            click.echo(line)
    return 0


def decide_each(
    kb: KnowledgeBase,
    entries: Sequence[Entry],
    by: str,
    ui: str,
    wait: float,
    read: Callable[[], str] | None = None,
    *,
    revise: bool = False,
) -> int:
    """Ask for one entry after the other; what was decided is written at the end, also after ``q`` or the end of input."""
    if not by.strip():
        raise UsageError("a decision needs its reviewer", hint="--by NAME, or OAM_AGENT")
    line, rulings = read or (lambda: sys.stdin.readline()), list[Ruling]()
    for number, entry in enumerate(entries, 1):
        click.echo(f"— {number}/{len(entries)} {_kind(entry.kind, ui)}")
        for text in _entry(entry, ui):
            click.echo(text)
        ruling = _asked(entry, by, ui, line)
        if ruling is None:
            break
        if ruling.action:
            rulings.append(ruling)
    made = kb.curation.decide(rulings, revise=revise, wait=wait).made
    click.echo(say("made", ui, count=made))
    return 0


def _asked(entry: Entry, by: str, ui: str, line: Callable[[], str]) -> Ruling | None:
    """What the reviewer says of an entry; None to stop, an empty action to skip."""
    while True:
        click.echo(say("asked", ui))
        text = line()
        word = text.strip()
        if not text or word.casefold() in ("q", "quit"):
            return None
        letter, _, rest = word.partition(" ")
        action = {"a": "accept", "r": "reject", "s": "", "c": "change"}.get(letter.casefold()[:1], "?") if word else "?"
        if action == "?" or (action == "change") != bool(rest.strip()):
            click.echo(say("not understood", ui, text=word[:60]))
            continue
        if not action:
            return Ruling(entry.key, "", by)
        click.echo(say("because", ui))
        return Ruling(entry.key, action, by, rest.strip(), line().strip())


def _lines(found: Sequence[Entry], limit: int, ui: str) -> Iterator[str]:
    if not found:
        yield say("empty", ui)
        return
    yield say("waiting", ui)
    counts = Counter(entry.kind for entry in found)
    for kind in KINDS:
        if counts[kind]:
            yield f"{counts[kind]:>7}  {_kind(kind, ui)}"
    for entry in found[:limit]:
        yield f"{entry.key}  {_kind(entry.kind, ui)}"
        yield from _entry(entry, ui)
    if len(found) > limit:
        yield say("more", ui, count=len(found) - limit)


def _entry(entry: Entry, ui: str) -> Iterator[str]:
    ontology = Ontology.load()
    about = entry.id
    if entry.target_id:
        relations = " / ".join(ontology.label(iri, lang=ui) for iri in entry.relation.split())
        about += f" —{relations}→ {entry.target_id}"
    if entry.concept:
        about += f"  {review_files.notation(ontology, entry.concept)} ({ontology.label(entry.concept, lang=ui)})"
    yield f"    {about}" + (f" “{entry.label}”" if entry.label else "")
    if entry.confidence is not None:
        yield "    " + say("confidence", ui, number=f"{entry.confidence:.2f}", who=entry.annotator or "?")
    yield from (f"    {' '.join(words.split())}" for words in (entry.text, entry.detail) if words)


def _kind(kind: str, ui: str) -> str:
    return Ontology.load().label("review-kind", kind, ui)


COMMANDS = (review,)
