"""An answer for people: verdict and what decided it, then a paragraph a result with the reasons beneath."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from oam_rdf.cli.labels import channel, concept, label, listed
from oam_rdf.cli.show_layout import evidence_text, layout_lines
from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.answer import Answer
from oam_rdf.query.explain import explain as sentences_of
from oam_rdf.query.explain import render
from oam_rdf.query.phrases import say, word

ANSWERS = ("ANSWERABLE", "PARTIALLY_ANSWERABLE")
_SNIPPET = 280
_TERMS = 6  # matched terms named in the line of reasons
_SUBSTITUTED, _PATH = 3, 6  # superseded objects and members of a way that are named there

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

Line = tuple[int, Text]
#: Result of the certificate -> (file, line of its span); ("", 0) where it cannot be told.
Where = Callable[[Mapping[str, Any]], tuple[str, int]]


def nowhere(_: Mapping[str, Any]) -> tuple[str, int]:
    """For callers that have no Originals at hand."""
    return "", 0


def answer_lines(answer: Answer, *, explain: bool = False, ui: str = "en", where: Where = nowhere) -> Iterator[Line]:
    """``(indent, text)`` of each line, in the interface language ``ui``."""
    data = answer.certificate
    good = answer.verdict in ANSWERS
    color = "green" if answer.verdict == "ANSWERABLE" else "yellow"
    head = Text().append(concept("gate", answer.verdict, ui), f"bold {color}").append(f" ({answer.verdict})  ", "dim")
    head.append(label("of", ui, shown=len(answer.results), total=answer.total))
    head.append("  " + label("certificate", ui, id=answer.retrieval_id), "dim")
    yield 0, head
    for verdict in answer.verdicts:
        if verdict.get("reason"):
            yield 2, Text(label("decided", ui, reason=_reason(verdict, ui)))
    for note in data.get("query_plan", {}).get("notes", ()):
        yield 2, Text(note, style="yellow")
    for number, value in enumerate(data.get("uncertainty", {}).get("unknown_values", ())):
        if not value["origin"].startswith("rule:"):  # what rules add is for the certificate
            yield 2, Text(render(data, f"/uncertainty/unknown_values/{number}", ui), style="yellow")
    if data.get("as_of", {}).get("reason"):
        yield 2, Text(render(data, "/as_of/reason", ui), style="yellow")
    if data.get("echo"):
        yield 2, Text(render(data, "/echo", ui), style="yellow")
    for number in range(len(data.get("relaxations", ()))):
        yield 2, Text(render(data, f"/relaxations/{number}", ui), style="yellow")
    for name, reason in answer.degraded.items():
        yield 2, Text(label("degraded", ui, channel=channel(name, ui), reason=reason), style="yellow")
    if not answer.results:
        yield 2, Text(label("nothing", ui))
    elif not good:
        yield 2, Text(label("nearest", ui))
    if answer.layout:
        yield 0, Text("")
        yield from layout_lines(answer.layout, ui)
    for result in data.get("results", ()):
        yield 0, Text("")
        yield from _result(result, explain, ui, where)
    if explain:
        yield 0, Text("")
        yield 0, Text(label("why", ui), style="bold")
        for sentence in sentences_of(data, ui):
            yield 2, Text(sentence["text"] + " ").append(sentence["pointer"], style="dim")


def _reason(verdict: Mapping[str, Any], ui: str) -> str:
    said = say("", [str(verdict["reason"])], ui)
    facts = verdict.get("facts", {})
    whose = "said by" if "said by" in facts else "heads"  # the heads do not say what only old texts say
    named = [str(name) for key in ("ids", "terms", whose) for name in facts.get(key, ())]
    pairs = [" ↔ ".join(map(str, pair)) for pair in facts.get("pairs", ())]
    shown = listed([*named, *pairs][:8], ui)
    return f"{said} ({shown})" if shown and ui == "en" else f"{said}（{shown}）" if shown else said


def _result(result: Mapping[str, Any], explain: bool, ui: str, where: Where) -> Iterator[Line]:
    title = Text(f"{result['position']}. {result['title'] or result['heading'] or result['id']}", style="bold")
    if result["version"]:
        title.append(f" {result['version']}", style="not bold")
    title.append(f"  {result['id']}", style="not bold cyan")
    yield 0, title
    yield 3, badges(result, ui)
    if result["snippet"]:
        text = Text(" ".join(result["snippet"].split())[:_SNIPPET])
        words = [match.get("text") or match["term"] for match in result["matched"]]
        text.highlight_words(words, style="bold", case_sensitive=False)
        yield 3, text
    if result.get("evidence"):
        yield 3, Text(evidence_text(result["evidence"], ui), style="green")
    if len(result.get("spans", ())) > 1:
        yield from _spans(result["spans"], ui)
    if where_from := place(result, ui, where):
        yield 3, Text(where_from, style="dim")
    why = reasons(result, ui)
    if why:
        yield 3, Text(why, style="magenta" if result["substituted_for"] else "blue")
    if explain:
        scores = listed([f"{word(name, ui)} {value:.2f}" for name, value in result["scores"].items()], ui)
        raw = listed([f"{word(name, ui)} {value:.4g}" for name, value in result["raw_scores"].items()], ui)
        yield 3, Text(label("scores", ui, scores=scores, raw=raw), style="dim")


def badges(result: Mapping[str, Any], ui: str) -> Text:
    """Granularity, version status, epistemic state, verification and kind, in words."""
    status = str(result["version_status"])
    named = (
        ("granularity", result["granularity"], ""),
        ("version-status", status, "" if status == "ACTIVE" else "red"),
        ("epistemic-state", result["epistemic_state"], "green"),
        ("verification", result["verification"] if result["epistemic_state"] else "", ""),
        ("statement-kind", result.get("kind", ""), ""),
    )
    text = Text()
    for scheme, notation, style in named:
        if notation:
            text.append(" · " if text else "")
            text.append(_named(scheme, str(notation), ui), style=style)
    return text


def _named(scheme: str, notation: str, ui: str) -> str:
    """A badge; a work that is cited is no object here, so no granularity is called so."""
    if notation == "EXTERNAL_WORK":
        return Ontology.load().label(OAM + "ExternalWork", lang=ui)
    return concept(scheme, notation, ui)


def place(result: Mapping[str, Any], ui: str, where: Where = nowhere) -> str:
    """File, line and characters of what is shown."""
    span = result["span"]
    if not span:
        return "" if result["source_available"] or result.get("evidence") else label("no source", ui)
    file, line = where(result)
    values = {"file": f"{file} " if file else "", "line": line, "start": span["start"], "end": span["end"]}
    shown = label("span" if line else "characters", ui, **values)
    return f"{shown}  {span['original'][:12]}…"


def reasons(result: Mapping[str, Any], ui: str) -> str:
    """Why the result is there, on one line."""
    said = []
    if result["named"]:
        said.append(label("named", ui))
    if result["matched"]:
        said.append(label("matched", ui, terms=_terms(result["matched"], ui)))
    said += _ranks(result["ranks"], ui)
    for holder in result.get("evidence_of", ())[:_SUBSTITUTED]:
        how = listed(_ranks(holder["ranks"], ui), ui)
        said.append(label("evidence of", ui, id=holder["id"]) + (f" ({how})" if how else ""))
    if len(result.get("evidence_of", ())) > _SUBSTITUTED:
        said.append(f"+{len(result['evidence_of']) - _SUBSTITUTED}")
    if result["injected"]:
        said.append(label("injected", ui))
    said += _substitutions(result["substituted_for"], ui)
    if result["graph_path"] and not result["substituted_for"]:
        said.append(label("graph", ui, path=" → ".join(result["graph_path"])))
    if result.get("historical"):
        said.append(label("old text", ui, **{name: result["historical"][name] for name in ("version", "until")}))
    if result["conflict"]:
        kind = label(result["conflict"], ui)
        said.append(label("conflict", ui, kind=kind, heads=listed(result["heads"], ui)))
    elif result.get("status_then"):
        then = result["status_then"]
        since = then["since"].removesuffix("T00:00:00Z")
        said.append(label("superseded since" if since else "superseded once", ui, by=then["by"], since=since))
    elif result["successors"]:
        said.append(label("superseded", ui, new=listed(result["successors"], ui)))
    if result["duplicates"]:
        said.append(label("same", ui, ids=listed(result["duplicates"], ui)))
    return ("; " if ui == "en" else "；").join(said)


def _spans(spans: Sequence[Mapping[str, Any]], ui: str) -> Iterator[Line]:
    """Every span with the text that stands there."""
    for span in spans:
        if span["start"] is None:
            yield 5, Text(" ".join(span["exact"].split())[:_SNIPPET])
            continue
        place = label("characters", ui, file="", start=span["start"], end=span["end"])
        yield 5, Text(f"{place}  ", style="dim").append(" ".join(span["exact"].split())[:_SNIPPET], "not dim")


def _terms(matches: Sequence[Mapping[str, Any]], ui: str) -> str:
    shown = []
    for match in matches[:_TERMS]:
        fields = listed([word(name, ui) for name in match["fields"]], ui)
        term, text = match["term"], match.get("text", "")
        if text and text.casefold() != term.casefold():
            term = f"{term} → {text}"
        shown.append(f"{term} " + label("in", ui, how=word(match["how"], ui), where=fields))
    more = len(matches) - len(shown)
    return listed(shown, ui) + (f" +{more}" if more else "")


def _ranks(ranks: Mapping[str, int], ui: str) -> list[str]:
    return [label("rank", ui, rank=rank, channel=channel(name, ui)) for name, rank in ranks.items()]


def _substitutions(items: Sequence[Mapping[str, Any]], ui: str) -> Iterator[str]:
    # Parts of one superseded document are replaced along one path: it is shown once.
    paths = {_path(item["path"]): item for item in reversed(items)}
    for path, item in list(paths.items())[:_SUBSTITUTED]:
        text = label("substituted", ui, old=item["id"])
        how = listed(_ranks(item.get("ranks", {}), ui), ui)
        text += f" ({how})" if how else ""
        yield f"{text}, {label('path', ui, path=path)}" if ui == "en" else f"{text}，{label('path', ui, path=path)}"
    if len(items) > min(len(paths), _SUBSTITUTED):
        yield label("substituted in all", ui, count=len(items))


def _path(names: Sequence[str]) -> str:
    """A way; of a long one the ends, and how many lie between them."""
    if len(names) > _PATH:
        head, tail = _PATH // 2, _PATH - _PATH // 2
        names = [*names[:head], f"… {len(names) - head - tail} …", *names[-tail:]]
    return " → ".join(names)


def answer_text(answer: Answer, *, explain: bool = False, language: str = "en") -> Text:
    """The lines as one text, unwrapped."""
    lines = answer_lines(answer, explain=explain, ui=language)
    return Text("\n").join(Text(" " * indent).append_text(text) for indent, text in lines)


def print_lines(console: Console, lines: Iterator[Line]) -> None:
    """Wrapped to the width of a terminal with their indent; one line each anywhere else, for other programs."""
    for indent, text in lines:
        # Documents are strangers: what their text says to a terminal is not passed on. One for one, so styles stay put.
        text.plain = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.plain)
        if console.is_terminal and text.plain:
            console.print(Padding(text, (0, 0, 0, indent), expand=False), soft_wrap=False)
        else:
            console.print(Text(" " * indent).append_text(text), soft_wrap=True)
