"""Markdown: markdown-it's block tokens mapped to code points, YAML front matter, bold header lines.

Only the block structure is taken from the parser; inline text is read from the Original itself, where offsets are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from oam_rdf.ingest import headers, yaml_front
from oam_rdf.ingest.assemble import Assembly
from oam_rdf.ingest.blocks import CODE, HEADING, HTML, ITEM, MATH, ROW, RULE, TEXT, Block, trimmed
from oam_rdf.ingest.links import DEFINITION
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shadow import blank, shadow
from oam_rdf.ingest.source import Source
from oam_rdf.model import ParsedDocument

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKERS = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)*")


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """A Markdown file as a document. ``statements="all"`` mints every statement as an object.

    :raises ParseError: for front matter that cannot be read.
    """
    front = yaml_front.read(source)
    structure = blank(shadow(source.text), 0, front.end)
    found = blocks(structure)
    fields = [*front.fields, *headers.bold(source, structure, found, profile)]
    return Assembly(
        source, profile, "text/markdown", structure, found, fields, body=front.end, mint_all=statements == "all"
    ).result()


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.disable("reference")  # a reference definition is text like any other
    return parser


def blocks(text: str) -> list[Block]:
    """The blocks of a shadow text (see :mod:`shadow`), in order."""
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    out: list[Block] = []
    lists: list[tuple[int, int]] = []  # (group, lead) of the open lists
    group = 0
    item = table = heading = False
    head = -1
    in_head = False

    def extent(token: Token) -> tuple[int, int]:
        first, after = token.map or [0, 0]
        end = starts[after] if after < len(starts) else len(text)
        return trimmed(text, starts[first], end)

    for token in _parser().parse(text):
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            group += 1
            lists.append((group, len(out) - 1 if out and out[-1].kind in (TEXT, ITEM) else -1))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif kind == "list_item_open":
            item = True
        elif kind == "heading_open":
            start, end = extent(token)
            out.append(Block(HEADING, start, end, level=int(token.tag[1])))
            heading = True
        elif kind == "table_open":
            group += 1
            table, head = True, -1
        elif kind == "table_close":
            table = False
        elif kind in ("thead_open", "thead_close"):
            in_head = kind == "thead_open"
        elif kind == "tr_open":
            start, end = extent(token)
            if in_head:
                head = len(out)
            out.append(Block(ROW, start, end, level=int(in_head), group=group, lead=-1 if in_head else head))
        elif kind == "inline" and not table:
            if heading:
                out[-1].title = token.content.replace("\n", " ").strip()
                heading = False
                continue
            block = _paragraph(text, starts, token)
            if block.end > block.start:
                if text[block.start] == "[":
                    lines = text[block.start : block.end].split("\n")
                    block.header = all(DEFINITION.match(line) for line in lines)  # link definitions state nothing
                if lists and item:
                    block.kind, (block.group, block.lead) = ITEM, lists[-1]
                elif lists:
                    block.group = lists[-1][0]
                out.append(block)
            item = False
        elif kind in ("fence", "code_block"):
            out.append(Block(CODE, *extent(token)))
        elif kind.startswith("math_block"):
            out.append(Block(MATH, *extent(token)))
        elif kind == "html_block":
            start, end = extent(token)
            if not _COMMENT.fullmatch(text, start, end):
                out.append(Block(HTML, start, end))
        elif kind == "hr":
            out.append(Block(RULE, *extent(token)))
    return [block for block in out if block.end > block.start]


def _paragraph(text: str, starts: list[int], token: Token) -> Block:
    """A paragraph's characters: its first line is the tail of the raw line, whatever markers stand before it."""
    first, after = token.map or [0, 0]
    end = starts[after] if after < len(starts) else len(text)
    line_end = starts[first + 1] if first + 1 < len(starts) else len(text)
    raw = text[starts[first] : line_end].rstrip()
    content = token.content.split("\n", 1)[0].strip()
    if content and raw.endswith(content):
        start = starts[first] + len(raw) - len(content)
    else:
        markers = _MARKERS.match(text, starts[first], line_end)
        start = markers.end() if markers else starts[first]
    return Block(TEXT, *trimmed(text, start, end))
