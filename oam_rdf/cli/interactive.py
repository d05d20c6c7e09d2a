"""Going on from an answer: open a result, follow a direction, go back. Reads lines, so a pipe can drive it too."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from rich.console import Console
from rich.text import Text

from oam_rdf.cli.labels import concept, label, listed
from oam_rdf.cli.show_answer import Line, Where, answer_lines, badges, print_lines
from oam_rdf.cli.show_navigation import loop_lines
from oam_rdf.errors import Damaged, NotFound, OamError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology
from oam_rdf.query.card import Card
from oam_rdf.query.navigate import Navigation
from oam_rdf.query.trail import is_file

_CONTEXT = 200  # characters before and after the passage
_EXACT = 600  # characters of the passage itself
_SHOWN = 12  # relations named
_ECHO = 60  # characters of what is not understood that are repeated


@dataclass(frozen=True, slots=True)
class View:
    """What stands before the user: lines to show, ids that a number opens, directions that lead on."""

    name: str
    lines: tuple[Line, ...]
    opens: tuple[str, ...] = ()
    id: str = ""
    directions: tuple[str, ...] = ()
    came_by: str = ""


class Session:
    """One conversation.

    :param options: of :meth:`KnowledgeBase.search`, kept for every query. ``read``: gives the next line, None at the end.
    :param trail: name or file of the trail on which every walk is kept, over all questions; a new one where none is given.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        console: Console,
        ui: str,
        options: Mapping[str, Any],
        where: Where,
        read: Callable[[], str | None] | None = None,
        trail: str = "",
    ) -> None:
        self.kb, self.console, self.ui, self.options, self.where = kb, console, ui, options, where
        self._read = read or _from_stdin
        self._kept = {"trail_file" if is_file(trail) else "trail_id": trail or f"interactive-{uuid4().hex[:12]}"}
        self._trail: list[View] = []

    def run(self, query: str = "") -> None:
        """Answer ``query``, then whatever is typed, until ``q`` or the end of the input."""
        if query.strip():
            self._try(lambda: self.search(query))
        self._say(label("help", self.ui))
        while (line := self._read()) is not None:
            text = line.strip()
            if text.casefold() in ("q", "quit", "exit"):
                return
            if text:
                self._try(lambda text=text: self.command(text))  # type: ignore[misc]

    def command(self, text: str) -> None:
        """One line of input."""
        if text == "b":
            self.back()
        elif text.casefold() in ("?", "h", "help"):
            self._say(label("help", self.ui))
            if self.here and self.here.directions:
                print_lines(self.console, self._ways(self.here.directions))
        elif text.startswith("s ") and text[2:].strip():
            self.search(text[2:].strip())
        elif text.isdecimal():
            self.open(int(text))
        elif (match := re.fullmatch(r"[dD]\s?(\d+)", text)) and self.here:
            number = int(match[1])
            if not 1 <= number <= len(self.here.directions):
                self._say(label("no number", self.ui, number=f"d{number}"))
            else:
                self.walk(self.here.directions[number - 1])
        else:
            self._named(text)

    def _named(self, text: str) -> None:
        """A direction by its name or the beginning of it; those that lead on from here are meant before others."""
        leads = self.here.directions if self.here else ()
        ways = meant(text, leads)
        if not ways:
            self._say(label("unknown", self.ui, text=text[:_ECHO]) + " " + label("help", self.ui))
        elif not (self.here and self.here.id):
            self._say(label("nothing open", self.ui, direction=listed(ways, self.ui)))
        elif len(ways) > 1:
            self._say(label("several", self.ui, text=text, directions=listed(ways, self.ui)))
        else:
            self.walk(ways[0])

    @property
    def here(self) -> View | None:
        return self._trail[-1] if self._trail else None

    def search(self, query: str) -> None:
        """A new question begins a new trail."""
        answer = self.kb.search(query, **self.options)
        lines = tuple(answer_lines(answer, ui=self.ui, where=self.where))
        self._trail.clear()
        name = query if len(query) <= _ECHO else query[:_ECHO] + "…"
        self._enter(View(f"“{name}”", lines, tuple(result.iri or result.id for result in answer.results)))

    def open(self, number: int) -> None:
        """Open what a number of the view names."""
        opens = self.here.opens if self.here else ()
        first = int(self.options.get("offset") or 0) if len(self._trail) == 1 else 0
        if not first < number <= first + len(opens):
            self._say(label("no number", self.ui, number=number))
            return
        name = opens[number - first - 1]
        try:
            card = self.kb.card(name)
        except NotFound:  # an old text that is no object any more
            self._say(label("no source", self.ui))
            return
        passage = tuple(self._passage(card.iri))
        lines = (*self._head(card), *passage, *self._relations(card), *self._directions(card))
        ways = tuple(way for way, _ in card.directions)
        self._enter(View(card.id, lines, id=card.iri, directions=ways))

    def walk(self, direction: str) -> None:
        """One step along a direction; the arrivals can be opened."""
        assert self.here is not None
        found = self._navigate(self.here.id, direction)
        warned = [(2, Text.from_markup(line)) for line in loop_lines(found.loop, self.ui)] if found.loop else []
        if not found.nodes:
            self._say(label("nowhere", self.ui, direction=found.direction))
            print_lines(self.console, iter(warned))
            return
        lines = [(0, Text(f"{found.start} → {self._direction(found.direction)}", style="bold"))]
        for number, node in enumerate(found.nodes, 1):
            text = Text(f"{number}. ").append(node.id, style="cyan").append(f" {node.title}")
            status = concept("version-status", node.version_status, self.ui)
            lines.append((2, text.append(f"  {status}", style="dim")))
        if found.conflict:
            lines.append((2, Text(label(found.reason, self.ui), style="red")))
        lines += warned
        here = replace(self.here, name=found.direction, lines=tuple(lines), came_by=found.direction)
        self._enter(replace(here, opens=tuple(node.iri for node in found.nodes)))

    def _navigate(self, start: str, direction: str) -> Navigation:
        """A step that the trail keeps; where it cannot be kept (a folder nobody may write) that is said once."""
        try:
            return self.kb.navigate(start, direction, steps=1, **self._kept)
        except (Damaged, OSError) as error:
            found = self.kb.navigate(start, direction, steps=1)
            if self._kept:
                self._say(str(error))
            self._kept = {}
            return found

    def back(self) -> None:
        """To the view before."""
        if len(self._trail) < 2:
            self._say(label("start", self.ui))
            return
        self._trail.pop()
        self._show()

    # -- what is shown -----------------------------------------------------------------------------------------------

    def _head(self, card: Card) -> Iterator[Line]:
        title = Text().append(card.title, "bold").append(f" {card.version}" if card.version else "")
        yield 0, title.append(f"  {card.id}" if card.title else card.id, "cyan")
        if marks := badges(card.to_json(), self.ui):
            yield 2, marks
        if card.successors:
            yield 2, Text(label("superseded", self.ui, new=listed(card.successors, self.ui)), style="magenta")

    def _passage(self, iri: str) -> Iterator[Line]:
        try:
            view = self.kb.source(iri, context=_CONTEXT)
        except OamError as error:
            yield 2, Text(str(error), style="yellow")
            return
        for quote in view.quotes[:3]:
            if quote.start is not None:
                place = label("span", self.ui, file=f"{view.path} " if view.path else "", line=quote.line,
                              start=quote.start, end=quote.end)  # fmt: skip
                yield 2, Text(place, style="dim")
            whole = len(quote.exact) <= _EXACT
            text = Text().append(quote.prefix, "dim").append(quote.exact[:_EXACT], "reverse")
            yield 4, Text(" ").join(text.append(quote.suffix if whole else " …", "dim").split())
        if not view.quotes:
            yield 2, Text(label("no source", self.ui), style="dim")

    def _relations(self, card: Card) -> Iterator[Line]:
        if card.relations:
            yield 2, Text(label("relations", self.ui))
        for link in card.relations[:_SHOWN]:
            yield 4, Text(f"{link.relation} → ").append(link.id, style="cyan").append(f" {link.title}")
        if len(card.relations) > _SHOWN:
            yield 4, Text(f"+{len(card.relations) - _SHOWN}", style="dim")

    def _directions(self, card: Card) -> Iterator[Line]:
        yield 2, Text(label("leads" if card.directions else "dead end", self.ui))
        for number, (way, count) in enumerate(card.directions, 1):
            yield 4, Text(f"d{number} ").append(self._direction(way), style="green").append(f" ({count})")

    def _ways(self, directions: Sequence[str]) -> Iterator[Line]:
        for number, way in enumerate(directions, 1):
            yield 4, Text(f"d{number} ").append(self._direction(way), style="green")

    def _direction(self, name: str) -> str:
        return f"{name} {concept('direction', name, self.ui)}"

    def _enter(self, view: View) -> None:
        seen = view.id and any(old.id == view.id and not old.came_by for old in self._trail)
        loop = bool(seen) and not view.came_by
        self._trail.append(view)
        self._show(loop=loop)

    def _show(self, *, loop: bool = False) -> None:
        if self.here is None:
            return
        trail = f"{label('trail', self.ui)}: " + " › ".join(view.name for view in self._trail)
        warned = f"  ({label('been', self.ui)})" if loop else ""
        print_lines(
            self.console, iter([(0, Text(trail, style="dim").append(warned, style="yellow")), *self.here.lines])
        )

    def _say(self, text: str) -> None:
        print_lines(self.console, iter([(0, Text(text, style="dim"))]))

    def _try(self, action: Callable[[], None]) -> None:
        """An error is said and the conversation goes on."""
        try:
            action()
        except OamError as error:
            print_lines(self.console, iter([(0, Text(str(error), style="red"))]))


def meant(text: str, leads: Sequence[str] = ()) -> list[str]:
    """Directions that a text may mean: the one of that name, else those whose name begins so, of those that lead on if any
    of them does.

    >>> meant("version.latest"), meant("version.e"), meant("x")
    (['VERSION.LATEST'], ['VERSION.EARLIER'], [])
    """
    way = Ontology.load().direction(text)
    if way is not None:
        return [way.notation]
    known = {*Ontology.load().directions, *leads}  # a knowledge base may lead on by directions of its own
    begins = [name for name in sorted(known) if name.startswith(text.upper())]
    return [name for name in begins if name in leads] or begins


def _from_stdin() -> str | None:
    try:
        if sys.stdin.isatty():
            return input("> ")
        line = sys.stdin.readline()
    except (EOFError, KeyboardInterrupt):
        return None
    return line or None
