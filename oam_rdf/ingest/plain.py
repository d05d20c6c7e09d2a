"""Plain text: numbered headings, paragraphs, lists and tab-separated tables, told by their shape."""

from __future__ import annotations

import re

from oam_rdf.ingest import headers
from oam_rdf.ingest.assemble import Assembly
from oam_rdf.ingest.blocks import HEADING, ITEM, ROW, TEXT, Block, trimmed
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shadow import shadow
from oam_rdf.ingest.source import Source
from oam_rdf.model import ParsedDocument
from oam_rdf.text.statements import HAN

_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})[.、．]?\s+\S|第\s*[一二三四五六七八九十\d]+\s*[章節节]|(?:附錄|附录|Appendix)\s*\w|"
    r"(?:參考文獻|参考文献|References|Abstract|摘要|結論|结论)\s*\Z"
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•‧·]|\d{1,3}[.)、]|[（(]\d{1,2}[)）])[ \t]+(?=\S)")
_SENTENCE_END = re.compile(r"[。！？；.!?;,，、：:]\s*\Z")
_MARKDOWN = re.compile(
    r"(?:#{1,6} \S|\*\*[^*\n]{1,24}[：:]\*\*|\*\*[^*\n]{1,24}\*\*[：:]|\s*[-*] \[\[)", re.MULTILINE
)
_LONG = 120  # a line longer than this was not broken by hand


def looks_like_markdown(text: str) -> bool:
    """Whether a text without a telling extension carries Markdown marks (line breaks lost or not)."""
    lines = [line for line in shadow(text)[:200_000].split("\n") if line.strip()]
    # A comment in a code sample looks like a heading, but no text begins with one.
    return any(map(_MARKDOWN.match, lines[:12])) and sum(map(bool, map(_MARKDOWN.match, lines))) >= 3


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """A plain text as a document. Its first line is the title if it is short and stands alone."""
    structure = shadow(source.text)
    found = blocks(structure)
    fields = headers.plain(source, found, profile)
    return Assembly(source, profile, "text/plain", structure, found, fields, mint_all=statements == "all").result()


def blocks(text: str) -> list[Block]:
    """The blocks of a shadow text (see :mod:`shadow`), in order."""
    lines: list[tuple[int, int]] = []
    at = 0
    for line in text.split("\n"):
        lines.append((at, at + len(line)))
        at += len(line) + 1
    filled = [end - start for start, end in lines if text[start:end].strip()]
    unwrapped = sum(n > _LONG for n in filled) * 20 > len(filled) or bool(re.search(f"[{HAN}]", text))
    out: list[Block] = []
    group = 0
    index = 0

    def is_blank(i: int) -> bool:
        return not (0 <= i < len(lines)) or not text[slice(*lines[i])].strip()

    while index < len(lines):
        start, end = trimmed(text, *lines[index])
        line = text[start:end]
        alone = is_blank(index - 1) and is_blank(index + 1)
        if not line:
            index += 1
        elif not out and alone and len(line) <= 100 and not re.search(r"[。；;]\Z", line):
            out.append(Block(HEADING, start, end, level=1, title=line))
            index += 1
        elif alone and len(line) <= 80 and (mark := _NUMBERED.match(line)) and not _SENTENCE_END.search(line):
            depth = 2 + (mark["number"] or "").count(".")
            out.append(Block(HEADING, start, end, level=depth, title=line))
            index += 1
        elif "\t" in line:
            group += 1
            head = len(out)
            while not is_blank(index) and "\t" in text[slice(*lines[index])].strip():
                first = len(out) == head
                row = trimmed(text, *lines[index])
                out.append(Block(ROW, *row, level=int(first), group=group, lead=-1 if first else head))
                index += 1
        elif marker := _ITEM.match(text, lines[index][0], lines[index][1]):
            if not (out and out[-1].kind == ITEM and not is_blank(index - 1)):
                group += 1
            lead = next((i for i in range(len(out) - 1, -1, -1) if out[i].kind != ITEM), -1)
            last = _continued(text, lines, index, unwrapped)
            out.append(Block(ITEM, *trimmed(text, marker.end(), lines[last][1]), group=group, lead=lead))
            index = last + 1
        else:
            last = _continued(text, lines, index, unwrapped)
            out.append(Block(TEXT, start, trimmed(text, start, lines[last][1])[1]))
            index = last + 1
    return out


def _continued(text: str, lines: list[tuple[int, int]], index: int, unwrapped: bool) -> int:
    """Last line of the paragraph that begins at ``index``: itself where a line is a paragraph, else to the blank."""
    if unwrapped:
        return index
    while index + 1 < len(lines):
        line = text[slice(*lines[index + 1])]
        if not line.strip() or _ITEM.match(line) or "\t" in line.strip():
            break
        index += 1
    return index
