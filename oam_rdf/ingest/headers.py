"""Header fields outside YAML: bold lines under the title, RFC-822 headers, rST docinfo, plain ``name: value`` lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from oam_rdf.ingest import labels
from oam_rdf.ingest.blocks import HEADING, HTML, ITEM, RULE, TEXT, Block
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.yaml_front import Field

# **名稱：** value · **名稱**：value · **名稱：value** · colons full or half width
_BOLD = re.compile(
    r"\s*(?:>\s*)?\*\*\s*(?P<name>[^*：:\n]{1,24}?)\s*(?:[：:]\s*\*\*|\*\*\s*[：:](?!:))\s*(?P<value>.*?)\s*\\?\s*\Z"
)
_ALL_BOLD = re.compile(r"\s*(?:>\s*)?\*\*\s*(?P<name>[^*：:\n]{1,20}?)\s*[：:]\s*(?P<value>[^*\n]+?)\s*\*\*\s*\\?\s*\Z")
_PLAIN = re.compile(r"\s*(?P<name>[^\s：:][^：:\n]{0,20}?)\s*[：:](?![:/])\s*(?P<value>\S.*?)\s*\Z")
_RFC822 = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]*):(?:[ \t]+(?P<value>.*?))?[ \t]*\r?\Z")
_DOCINFO = re.compile(r":(?P<name>[A-Za-z][\w -]*):(?:[ \t]+(?P<value>.*?))?[ \t]*\r?\Z")
_ROLE = re.compile(r":[\w-]+:`([^`<]+?)(?:\s*<[^>]*>)?`")
_ZONE = 40  # blocks in which a header can stand
_LATE = frozenset({"subjects"})  # fields that also stand below the abstract


def bold(source: Source, structure: str, blocks: Sequence[Block], profile: Profile) -> list[Field]:
    """The bold header lines of a Markdown document; their blocks are marked as ``header``.

    ``structure`` is the shadow text: lines that the Original has lost are lines there.

    They stand before the first rule, sub-heading or paragraph that follows one of them; keywords may stand later.
    """
    fields: list[Field] = []
    open_zone = True
    index = 0
    while index < len(blocks):
        block = blocks[index]
        if open_zone and index >= _ZONE:
            open_zone = False
        found = _block_fields(source, structure, block, profile) if block.kind == TEXT else []
        if found and not open_zone:
            found = [f for f in found if profile.field(f.name) in _LATE]
        if found:
            block.header = True
            index += 1
            if not found[-1].values:  # the value is the list below
                items, index = _items(source, blocks, index)
                if items:
                    found[-1] = Field(found[-1].name, tuple(items), found[-1].line)
            fields += found
            continue
        if fields:
            open_zone = open_zone and block.kind not in (RULE, HEADING, TEXT, ITEM, HTML)
        elif block.kind == HEADING:
            open_zone = open_zone and block.level <= 2
        elif block.kind in (TEXT, ITEM):
            open_zone = open_zone and index <= 8
        index += 1
    return fields


def _block_fields(source: Source, structure: str, block: Block, profile: Profile) -> list[Field]:
    """The fields of a paragraph all of whose lines are header lines or continue one; [] otherwise."""
    fields: list[Field] = []
    at = block.start
    for line in structure[block.start : block.end].split("\n"):
        match = _BOLD.match(line)
        if not match:
            match = _ALL_BOLD.match(line)
            if match and not profile.field(match["name"]):
                match = None
        if match and not profile.field(match["name"]) and labels.read(line, profile):
            match = None  # **KINV-00042**: … right under the title is a statement, not a header field
        if match:
            value = match["value"].removesuffix("**") if match["value"].count("**") % 2 else match["value"]
            fields.append(Field(match["name"], (value.strip(),) if value.strip() else (), source.line(at)))
        elif line.strip():
            if not fields:
                return []
            last = fields[-1]
            joined = "\n".join([*last.values, line.strip()])
            fields[-1] = Field(last.name, (joined,), last.line)
        at += len(line) + 1
    return fields


def _items(source: Source, blocks: Sequence[Block], index: int) -> tuple[list[str], int]:
    items: list[str] = []
    while index < len(blocks) and blocks[index].kind == ITEM:
        blocks[index].header = True
        items.append(source.text[blocks[index].start : blocks[index].end])
        index += 1
    return items, index


def rfc822(source: Source) -> tuple[list[Field], int]:
    """The RFC-822 header of a PEP (or rST docinfo fields at the very top) and the offset where the text begins."""
    fields: list[Field] = []
    line = 1
    for pattern in (_RFC822, _DOCINFO):
        line = 1
        while line <= len(source.line_starts):
            start, end = source.line_span(line)
            written = source.text[start:end].lstrip("\ufeff")
            match = pattern.match(written)
            if match:
                value = match["value"] or ""
                fields.append(Field(match["name"], (value,) if value else (), line))
            elif fields and written[:1] in " \t" and written.strip():
                last = fields[-1]
                fields[-1] = Field(last.name, (" ".join([*last.values, written.strip()]),), last.line)
            else:
                break
            line += 1
        if fields:
            break
    if len(fields) < 2:  # one such line may be prose: "Note: ..."
        return [], 0
    plain = [Field(f.name, tuple(_ROLE.sub(r"\1", v) for v in f.values), f.line) for f in fields]
    return plain, source.line_span(line)[0]


def plain(source: Source, blocks: Sequence[Block], profile: Profile) -> list[Field]:
    """``名稱：value`` paragraphs near the top of a plain text, known field names only."""
    fields: list[Field] = []
    for block in blocks[:_ZONE]:
        if block.kind != TEXT:
            continue
        match = _PLAIN.match(source.text[block.start : block.end])
        if match and profile.field(match["name"]):
            block.header = True
            fields.append(Field(match["name"], (match["value"],), source.line(block.start)))
    return fields
