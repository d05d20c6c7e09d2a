"""``oam trace``: the certificate of an earlier answer, why it was so, and whether it still is."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.text import Text

from oam_rdf.cli.labels import label, listed
from oam_rdf.cli.output import Context, json_option, print_json
from oam_rdf.cli.show_answer import Line, print_lines
from oam_rdf.errors import UsageError
from oam_rdf.query.certificate_rdf import FORMATS
from oam_rdf.query.explain import explain as sentences_of
from oam_rdf.query.phrases import LANGUAGES
from oam_rdf.query.replay import Replay


@click.command()
@click.argument("retrieval_id")
@click.option("--explain", is_flag=True, help="The sentences, each with the field that it was made from.")
@click.option("--replay", is_flag=True, help="Run it again on its generation; 1 if the ranking differs or it is gone.")
@click.option("--latest", is_flag=True, help="Run it again on the present generation and show the difference.")
@click.option("--pin", is_flag=True, help="Keep its generation.")
@click.option("--unpin", is_flag=True, help="Leave its generation to the next clean-up.")
@click.option("--format", "fmt", type=click.Choice(("json", *FORMATS)), default="json", show_default=True)
@click.option("--ui", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of what is said.")
@json_option
@click.pass_obj
def trace(
    obj: Context,
    retrieval_id: str,
    explain: bool,
    replay: bool,
    latest: bool,
    pin: bool,
    unpin: bool,
    fmt: str,
    ui: str,
    as_json: bool,
) -> int:
    """The certificate of an earlier answer: as JSON, as PROV-O, explained, or run again."""
    if (replay or latest) + explain + pin + unpin + (fmt != "json") > 1:
        raise UsageError(
            "these options exclude each other", hint="one of --explain, --replay, --pin, --unpin, --format"
        )
    kb = obj.open()
    if pin or unpin:
        number = kb.pin(retrieval_id, keep=pin)
        obj.note(f"generation {number} is {'kept' if pin else 'left to the next clean-up'}")
    elif replay or latest:
        found = kb.replay(retrieval_id, latest=latest)
        if as_json:
            print_json(found.to_json())
        else:
            print_lines(obj.console(), replay_lines(found, ui))
        return 0 if found.same or (latest and found.on) else 1
    elif fmt != "json":
        click.echo(kb.trace_rdf(retrieval_id, fmt).decode(), nl=False)
    elif explain:
        sentences = sentences_of(kb.trace(retrieval_id), ui)
        if as_json:
            print_json(sentences)
        else:
            lines = ((0, Text(s["text"] + " ").append(s["pointer"], style="dim")) for s in sentences)
            print_lines(obj.console(), lines)
    else:
        print_json(kb.trace(retrieval_id))
    return 0


def replay_lines(found: Replay, ui: str) -> Iterator[Line]:
    """What is the same and what is not."""
    if not found.on:
        kept = listed(found.kept, ui) or "-"
        yield 0, Text(label("replay gone", ui, generation=found.generation, kept=kept), style="yellow")
        return
    if found.same:
        yield 0, Text(label("replay same", ui, on=found.on, count=len(found.after)), style="green")
    else:
        yield 0, Text(label("replay other", ui, on=found.on, generation=found.generation), style="yellow")
    for move in found.moved:
        yield 2, Text(label("moved", ui, id=move.id, before=move.before, after=move.after))
    for key in ("new", "gone"):
        for name in getattr(found, key):
            yield 2, Text(label(key, ui, id=name), style="green" if key == "new" else "red")
    before, after = found.verdicts
    if before != after:
        yield 2, Text(label("verdict", ui, before=before, after=after))
    if found.degraded:
        yield 2, Text(label("channels", ui, names=listed(found.degraded, ui)))
