"""reStructuredText: docutils' block structure mapped to code points, RFC-822 header, roles left in the text.

docutils reads blocks only (inline parsing costs ten times as much and knows no offsets); it gives lines, the Original
gives the characters. Nothing is included, fetched or executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser, states

from oam_rdf.errors import ParseError
from oam_rdf.ingest import headers
from oam_rdf.ingest.assemble import Assembly
from oam_rdf.ingest.blocks import CODE, HEADING, HTML, ITEM, MATH, TEXT, Block, trimmed
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shadow import blank, shadow
from oam_rdf.ingest.source import Source
from oam_rdf.model import ParsedDocument

_ADORNMENT = re.compile(r"\s*([!-/:-@\[-`{-~])\1*\s*\Z")
# Directives of other tools whose content is no prose.
_CODE_DIRECTIVE = re.compile(
    r"\s*\.\.\s+(?:graphviz|digraph|mermaid|plantuml|literalinclude|raw|include|highlight|productionlist|only)::"
)


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """A reStructuredText file as a document. ``statements="all"`` mints every statement as an object."""
    fields, body = headers.rfc822(source)
    structure = blank(shadow(source.text), 0, body)
    try:
        found = blocks(structure)
    except RecursionError as error:
        raise ParseError("nested too deeply", place=source.place(), hint="flatten the lists or quotes") from error
    return Assembly(
        source, profile, "text/x-rst", structure, found, fields, body=body, rst=True, mint_all=statements == "all"
    ).result()


class _NoInline(states.Inliner):  # type: ignore[misc]
    """Leaves inline markup as text."""

    def init_customizations(self, settings: Any) -> None:
        """Nothing to set up."""

    def adjust_uri(self, uri: str) -> str:
        return uri

    def parse(self, text: str, lineno: int, memo: Any, parent: Any) -> tuple[list[Any], list[Any]]:
        return [nodes.Text(text)], []


@lru_cache(maxsize=1)
def _settings() -> Any:
    settings = frontend.get_default_settings(Parser)
    settings.report_level, settings.halt_level = 5, 6
    settings.warning_stream = False
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.syntax_highlight = "none"
    settings.line_length_limit = 10**9
    return settings


def blocks(text: str) -> list[Block]:
    """The blocks of a shadow text (see :mod:`shadow`), in order."""
    document = utils.new_document("text", _settings())
    Parser(inliner=_NoInline()).parse(text, document)
    return _Walk(text).of(document)


class _Walk:
    """Visits the doctree in order and finds each node's lines in the text, never before the node visited last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.lines = text.split("\n")
        self.next = 0  # first line (0-based) that is not yet taken
        self.out: list[Block] = []
        self.groups = 0

    def of(self, document: Any) -> list[Block]:
        for child in document.children:
            self.visit(child, 1, 0, -1)
        return self.out

    def visit(self, node: Any, level: int, group: int, lead: int) -> None:
        name = type(node).__name__
        if name == "section":
            for child in node.children:
                if isinstance(child, nodes.title):
                    self._heading(child, level)
                else:
                    self.visit(child, level + 1, 0, -1)
        elif name in ("bullet_list", "enumerated_list"):
            self.groups += 1
            own, above = self.groups, len(self.out) - 1 if self.out and self.out[-1].kind in (TEXT, ITEM) else -1
            for item in node.children:
                self._item(item, level, own, above)
        elif name in ("paragraph", "term", "attribution", "line", "rubric", "title", "caption"):
            self._text(node, TEXT, group, lead)
        elif name in ("literal_block", "doctest_block"):
            self._text(node, CODE, 0, -1)
        elif name == "math_block":
            self._text(node, MATH, 0, -1)
        elif name == "table":
            self._table(node)
        elif name == "system_message":
            for child in node.children:  # an unknown directive's text
                if isinstance(child, nodes.literal_block):
                    self._text(child, CODE if _CODE_DIRECTIVE.match(child.astext()) else HTML, 0, -1)
        elif name in ("comment", "target", "substitution_definition", "image", "pending", "Text", "transition"):
            return
        else:
            for child in node.children:
                self.visit(child, level, group, lead)

    def _item(self, item: Any, level: int, group: int, lead: int) -> None:
        first = True
        for child in item.children:
            if first and isinstance(child, nodes.paragraph):
                self._text(child, ITEM, group, lead)
            else:
                self.visit(child, level, group, -1)
            first = False

    def _heading(self, title: Any, level: int) -> None:
        written = title.astext()
        at = self._find([written], (title.line or 1) - 1)
        if at < 0:
            return
        first, last = at, at
        if at and _ADORNMENT.match(self.lines[at - 1]) and self.lines[at - 1].strip() and at - 1 >= self.next:
            first = at - 1
        if at + 1 < len(self.lines) and _ADORNMENT.match(self.lines[at + 1]) and self.lines[at + 1].strip():
            last = at + 1
        start, end = self._extent(first, last)
        self.out.append(Block(HEADING, start, end, level=level, title=" ".join(written.split())))
        self.next = last + 1

    def _text(self, node: Any, kind: str, group: int, lead: int) -> None:
        raw = node.rawsource or node.astext()
        wanted = [line.strip() for line in raw.split("\n")]
        while wanted and not wanted[0]:
            wanted.pop(0)
        while wanted and not wanted[-1]:
            wanted.pop()
        if not wanted:
            return
        guess = (node.line or self.next + 1) - 1
        at = self._find(wanted, guess if kind != CODE else self.next)
        if at < 0:
            return
        last = at + len(wanted) - 1
        line = self.lines[at]
        column = line.find(wanted[0].rstrip(":")[:40])
        start = self.starts[at] + max(column, 0)
        _, end = self._extent(at, last)
        start, end = trimmed(self.text, start, end)
        if end > start:
            self.out.append(Block(kind, start, end, group=group, lead=lead))
        # A paragraph before "::" keeps its line: the literal block begins below it.
        self.next = max(self.next, last + 1) if column <= 0 or kind != TEXT else max(self.next, last)

    def _table(self, node: Any) -> None:
        """A table stays whole: the run of lines around the paragraphs of its cells, for those know their lines."""
        cells = [p for p in node.findall(nodes.paragraph) if p.line]
        if not cells:
            return
        first = max(min(p.line for p in cells) - 1, self.next)
        last = max(p.line - 1 + (p.rawsource or p.astext()).count("\n") for p in cells)
        while first > self.next and self.lines[first - 1].strip():
            first -= 1
        last = min(max(first, last), len(self.lines) - 1)
        while last + 1 < len(self.lines) and self.lines[last + 1].strip():
            last += 1
        low, high = self._extent(first, last)
        if high > low:
            self.out.append(Block(CODE, low, high))
        self.next = last + 1

    def _find(self, wanted: list[str], guess: int) -> int:
        """Line at which the stripped lines ``wanted`` stand: nearest to the guess, not before what is taken already."""
        low = max(self.next, 0)
        for at in _near(guess, low, len(self.lines), 60):
            if self._matches(at, wanted):
                return at
        for at in range(low, len(self.lines)):
            if self._matches(at, wanted):
                return at
        return -1

    def _matches(self, at: int, wanted: list[str]) -> bool:
        if at + len(wanted) > len(self.lines):
            return False
        head = _squeezed(wanted[0])
        if not _squeezed(self.lines[at]).rstrip(":").endswith(head.rstrip(":")):
            return False
        return all(_squeezed(self.lines[at + i]) == _squeezed(wanted[i]) for i in range(1, len(wanted) - 1)) and (
            len(wanted) == 1
            or _squeezed(self.lines[at + len(wanted) - 1]).startswith(_squeezed(wanted[-1]).rstrip(":"))
        )

    def _extent(self, first: int, last: int) -> tuple[int, int]:
        end = self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text)
        return trimmed(self.text, self.starts[first], end)


def _squeezed(line: str) -> str:
    return " ".join(line.split())


def _near(guess: int, low: int, high: int, reach: int) -> Iterator[int]:
    """Line numbers around ``guess`` within ``low:high``, nearest first."""
    guess = min(max(guess, low), high - 1)
    for step in range(reach):
        for at in (guess,) if step == 0 else (guess - step, guess + step):
            if low <= at < high:
                yield at
