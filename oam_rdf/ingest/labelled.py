"""How far a labelled statement reaches: a theorem is its paragraph with the formulas and lists that complete it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from oam_rdf.ingest.attributes import is_attribute
from oam_rdf.ingest.blocks import HEADING, ITEM, MATH, PROSE, RULE, TEXT, Block

COLON = re.compile(r"[：:][\s*_]*\Z")
_CONTINUED = re.compile(r"\s*(?:其中|則|则|這裡|这里|where\b|then\b|with\b|for\b|such that\b|[,，;；a-z])")


def describes(structure: str, block: Block) -> bool:
    """Whether a list item says something about the statement before it (``- key:: value``)."""
    return block.kind == ITEM and is_attribute(structure[block.start : block.end])


def last_block(structure: str, blocks: Sequence[Block], index: int) -> int:
    """Index of the last block of the statement that begins in block ``index``: its formulas, what goes on after them,
    and the list that its colon announces."""
    while index + 1 < len(blocks):
        block, following = blocks[index], blocks[index + 1]
        if following.header or following.kind in (HEADING, RULE):
            break
        goes_on = block.kind == MATH and following.kind == TEXT and _CONTINUED.match(structure, following.start)
        if following.kind == MATH or goes_on:
            index += 1
            continue
        colon = block.kind in PROSE and COLON.search(structure[block.start : block.end])
        if colon and following.kind == ITEM and not describes(structure, following):
            group = following.group
            while index + 1 < len(blocks) and blocks[index + 1].group == group and blocks[index + 1].kind == ITEM:
                index += 1
        break
    return index
