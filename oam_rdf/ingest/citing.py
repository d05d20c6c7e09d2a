"""Whose reference it is: each link of the text becomes a relation of the statement in which it stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from oam_rdf.ingest.blocks import Block
from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.links import Link
from oam_rdf.ingest.outline import Section, Statement
from oam_rdf.ingest.source import Source


def attribute(
    source: Source,
    links: Sequence[Link],
    blocks: Sequence[Block],
    statements: Sequence[Statement],
    sections: Sequence[Section],
    document: Draft,
) -> None:
    """Each reference becomes a relation of the statement in which it stands, else of the section or document.

    What stands in a header was read with it and counts no second time.
    """
    starts = [statement.start for statement in statements]
    section_starts = [section.draft.spans[0][0] for section in sections]
    covered = [(block.start, block.end) for block in blocks if block.header]
    covered_starts = [start for start, _ in covered]
    for link in links:
        at = bisect_right(covered_starts, link.start) - 1
        if at >= 0 and link.start < covered[at][1]:
            continue
        line = source.line(link.start)
        index = bisect_right(starts, link.start) - 1
        if index >= 0 and link.start < statements[index].end:
            statements[index].mint(source.line(statements[index].start)).relate(link.relation, link.target, line)
            continue
        index = bisect_right(section_starts, link.start) - 1
        (sections[index].draft if index >= 0 else document).relate(link.relation, link.target, line)
