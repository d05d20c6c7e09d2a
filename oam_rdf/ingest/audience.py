"""Who may see which part of a text: what its lines say of it, what follows for its parts, and where passages end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from oam_rdf.ingest import passages_cut, visibility
from oam_rdf.ingest.blocks import CODE, HEADING, MATH, Block
from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.outline import Section, Statement
from oam_rdf.ingest.passages_cut import Unit
from oam_rdf.ingest.source import Source
from oam_rdf.model import VISIBILITIES

_HEAD = 3000  # characters in which a header can stand where no heading ends it


def settle(
    source: Source,
    structure: str,
    blocks: Sequence[Block],
    body: int,
    document: Draft,
    statements: Sequence[Statement],
    described: Mapping[int, int],
) -> None:
    """Reads every line about visibility that no header or attribute reader knew, so that none is passed over.

    Such a line inside a labelled statement or its attributes is about the statement, any other about the document.
    ``described`` maps the start of a labelled statement to the end of its attributes; text before ``body`` is header.
    """
    labelled = [(s.start, described[s.start], s.draft) for s in statements if s.start in described and s.draft]
    starts = [block.start for block in blocks]
    headings = [block.start for block in blocks if block.kind == HEADING]
    head = max(body, headings[1] if len(headings) > 1 else body + _HEAD)
    for said in (*visibility.in_lines(source.text[:body]), *visibility.in_lines(structure)):
        at = bisect_right(starts, said.start) - 1
        if at >= 0 and said.start < blocks[at].end and blocks[at].kind in (CODE, MATH):
            continue
        line = source.line(said.start)
        own = next((draft for start, end, draft in labelled if start <= said.start < end), None)
        about = own or document
        if line in about.audience_lines and not said.level:
            continue  # read and reported where it stands
        if not said.sure and (own or said.start >= head):
            continue
        level = said.level or visibility.read(said.word, source, line)
        if visibility.narrowest((about.visibility or VISIBILITIES[0], level)) in (about.visibility, VISIBILITIES[0]):
            continue
        about.restrict((level,), line)
        if said.level:
            what = "the statement" if own else "the whole document"
            source.issue("visibility-line", f"{said.word!r} counts for {what}", line=line, severity="note",
                         hint="say it in the header, or as visibility:: below a labelled statement")  # fmt: skip


def inherit(sections: Sequence[Section], statements: Sequence[Statement]) -> None:
    """A section whose heading is a restricted statement shows that statement: it and all in it are restricted too."""
    levels: dict[str, str] = {}
    for statement in statements:
        if statement.label == 0 and statement.draft is not None:
            levels[statement.section] = visibility.narrowest(
                (levels.get(statement.section, ""), statement.draft.visibility)
            )
    for section in sections:
        draft = section.draft
        draft.visibility = levels[draft.id] = visibility.narrowest(
            (draft.visibility, levels.get(draft.id, ""), levels.get(draft.parent, "") if draft.parent else "")
        )
    for statement in statements:
        if statement.draft is not None and statement.section:
            own = (statement.draft.visibility, levels.get(statement.section, ""))
            statement.draft.visibility = visibility.narrowest(own)


def apart(
    source: Source,
    units: Sequence[Unit],
    holes: Sequence[tuple[int, int]],
    document: Draft,
    statements: Sequence[Statement],
    described: Mapping[int, int],
) -> list[Unit]:
    """The units in order of the text, each statement narrower than its document alone with what describes it."""
    narrow = list(_narrow(source, holes, document, statements, described))
    kept = [u for u in units if not any(start < u.end and u.start < end for start, end, _ in narrow)]
    kept += [unit for _, _, unit in narrow]
    return sorted(kept, key=lambda unit: (unit.start, unit.end))


def _narrow(
    source: Source,
    holes: Sequence[tuple[int, int]],
    document: Draft,
    statements: Sequence[Statement],
    described: Mapping[int, int],
) -> Iterator[tuple[int, int, Unit]]:
    whole = VISIBILITIES.index(document.visibility or VISIBILITIES[0])
    for one in statements:
        if one.draft is None or VISIBILITIES.index(one.draft.visibility or VISIBILITIES[0]) <= whole:
            continue
        end = described.get(one.start, one.end)
        # In several pieces, some would show the attributes only, which no span of the statement covers: left out.
        cut = passages_cut.tokens(source.text[one.start : end]) > passages_cut.CAP
        cut = cut or any(low < end and one.start < high for low, high in holes)
        yield one.start, end, Unit(one.start, one.end if cut else end, one.section, one.id, alone=True)
