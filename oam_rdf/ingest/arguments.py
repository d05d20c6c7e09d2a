"""Arguments: runs of statements joined by explicit connectives, and lists with their lead-in (segmentation.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.naming import Names, argument_id
from oam_rdf.ingest.outline import Statement
from oam_rdf.model import ARGUMENT

_OPENING = r"[\s*_>「“\"(（]*(?:(?:而|也|and|but|so)[,，]?\s*)?"
# What a statement concludes from the one before it. 故 also begins words that have nothing to do with reasons.
_CONCLUDES = re.compile(
    rf"{_OPENING}(?:因此|所以(?!然)|由此(?![處处地])|因而|從而|从而|是故|"
    r"故(?![事意障宮宫鄉乡居國国土人友知舊旧典址步態态伎弄])|"
    r"(?:therefore|hence|thus|consequently)\b|"
    r"(?:it|this|that)\s+(?:therefore\s+|thus\s+)?follows\b|"
    r"(?:we|it|this|one)\s+(?:therefore|hence|thus)\b)",
    re.IGNORECASE,
)
# What gives a reason. With a main clause of its own it is complete, else it is the reason for the statement before.
_REASON = re.compile(rf"{_OPENING}(?:(?P<zh>因為|因为)|because\b(?!\s+of\b))", re.IGNORECASE)
_OWN_CONCLUSION = re.compile(r"所以|因此|因而|故(?=[此而])|[，,]\s*(?:則|则|就|便)")
_MARKERS = re.compile(r"[\s>*+•·‧_-]*(?:(?:\d{1,9}[.)、]|[（(]\d{1,2}[)）])\s*)?\Z")


def concludes(text: str) -> bool:
    """Whether a statement's text begins with a connective that joins it to the statement before."""
    if _CONCLUDES.match(text):
        return True
    reason = _REASON.match(text)
    if not reason:
        return False
    return not _OWN_CONCLUSION.search(text) if reason["zh"] else "," not in text


def runs(text: str, statements: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """Index ranges (first, last) of the statements that belong together, in order, none inside another.

    ``statements`` are in order of the text; a range has at least two and stays within one section.
    """
    joined = [False] * len(statements)  # to the statement before
    starts = {statement.start: index for index, statement in enumerate(statements)}
    for index in range(1, len(statements)):
        before, here = statements[index - 1], statements[index]
        if before.section != here.section or not (before.joins and here.joins):
            continue
        completes = not before.prose and here.spans[0] == (before.start, before.end)  # a formula and its lead-in
        adjacent = _MARKERS.match(text[before.end : here.start]) is not None
        joined[index] = completes or (adjacent and concludes(text[here.start : min(here.end, here.start + 2000)]))
    for index, statement in enumerate(statements):
        first = starts.get(statement.introduced, -1) if statement.introduced >= 0 else -1
        if 0 <= first < index and all(
            s.section == statement.section and s.joins for s in statements[first : index + 1]
        ):
            last = index  # with what the list goes on to: paragraphs of its items, lists inside it
            while last + 1 < len(statements) and _same_list(statement, statements[last + 1]):
                last += 1
            joined[first + 1 : last + 1] = [True] * (last - first)
    index = 0
    while index < len(statements):
        last = index
        while last + 1 < len(statements) and joined[last + 1]:
            last += 1
        if last > index and sum(s.prose for s in statements[index : last + 1]) > 1:
            yield index, last
        index = last + 1


def _same_list(item: Statement, following: Statement) -> bool:
    return following.joins and following.section == item.section and 0 < item.group <= following.group


def drafts(
    text: str, statements: Sequence[Statement], names: Names, line: Callable[[int], int], *, mint_all: bool
) -> list[Draft]:
    """The arguments that become objects, as parents of those of their statements that are objects.

    An argument is an object when one of its statements is; none is made that would show the text of a statement whose
    visibility is narrower than the document's.
    """
    found = []
    for first, last in runs(text, statements):
        members = statements[first : last + 1]
        own = [member.draft for member in members if member.draft is not None]
        if not (own or mint_all) or any(draft.visibility for draft in own):
            continue
        start, end = min(member.spans[0][0] for member in members), max(member.end for member in members)
        argument = Draft(ARGUMENT, parent=members[0].section, spans=((start, end),), line=line(start))
        argument.id = names.take(argument_id(text[start:end]))
        for draft in own:
            draft.parent = argument.id
        found.append(argument)
    return found
