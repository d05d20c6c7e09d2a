"""The block structure that every text format is brought to: headings, paragraphs, items, rows, code, math, in order."""

from __future__ import annotations

from dataclasses import dataclass

HEADING, TEXT, ITEM, ROW, CODE, MATH, HTML, RULE = "heading", "text", "item", "row", "code", "math", "html", "rule"

#: Kinds whose characters are prose and are cut into statements.
PROSE = frozenset({TEXT, ITEM, HTML})


@dataclass(slots=True)
class Block:
    """Characters ``start:end`` of the Original, without the markers before them (headings keep theirs)."""

    kind: str
    start: int
    end: int
    level: int = 0  # of a heading, 1 = top; 1 for the header row of a table
    title: str = ""  # of a heading, its text
    group: int = 0  # number of the list or table it belongs to, 0 = none
    lead: int = -1  # index of the block that introduces it: the paragraph before a list, the header row of a table
    header: bool = False  # header or attribute lines: they describe and state nothing themselves


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """``start:end`` without surrounding white space; never empty-reversed."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(left, len(piece.rstrip()))
