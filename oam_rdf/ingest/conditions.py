"""Conditions and exceptions that are sentences of their own inside a labelled statement (segmentation.md).

The labelled statement keeps its whole text, so no claim loses its condition; the sentence becomes a statement too, and
the claim points to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from oam_rdf.ingest.blocks import PROSE, Block
from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.labelled import COLON
from oam_rdf.ingest.naming import Names, statement_id
from oam_rdf.ingest.outline import Statement
from oam_rdf.model import STATEMENT
from oam_rdf.text.statements import sentences

CONDITION, EXCEPTION = "condition", "exception"

_OPENING = r"[\s*_>「“\"(（]*"
_EXCEPTION = re.compile(
    rf"{_OPENING}(?:但(?:是)?|然而|除非|除了|例外(?:情形|情況|情况)?[：:是]|(?:but|however|unless|except)\b|exceptions?\s*[:：])",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    rf"{_OPENING}(?:若|如果|當|当|假設|假设|假如|假定|倘若|設(?![計備置定])|设(?![计备置定])|令|給定|给定|只要|"
    r"(?:前提|條件|条件)(?:是|為|为|[：:])|"
    r"(?:if|when|whenever|provided|suppose|assume|assuming|let|given)\b|(?:conditions?|assumptions?)\s*[:：])",
    re.IGNORECASE,
)
# "If A, then B" is a claim with its condition, no condition.
_CLAIMS = re.compile(
    r"[，,]\s*(?:則|则|那麼|那么|就|便|才|我們|我们)|[，,].*(?:則|则|那麼|那么)|\bthen\b|"
    r"^\W*(?:if|when|whenever|given|provided)\b[^,]*,\s*\w|^\W*(?:若|如果|當|当|假如|倘若|只要)[^，,]*[，,]",
    re.IGNORECASE | re.DOTALL,
)


def kind(sentence: str) -> str:
    """``condition``, ``exception`` or "" (a claim, or words that lead into what is displayed below) for a sentence."""
    if COLON.search(sentence):
        return ""
    if _EXCEPTION.match(sentence):
        return EXCEPTION
    return CONDITION if _CONDITION.match(sentence) and not _CLAIMS.search(sentence) else ""


def drafts(
    text: str, statements: Sequence[Statement], blocks: Sequence[Block], names: Names, line: Callable[[int], int]
) -> list[tuple[Draft, Draft]]:
    """New statements inside labelled ones, each with the claim that it belongs to; the claims point to them.

    Below a heading that is a label, the plain sentences right after the claim count as well: they are minted.
    """
    found: list[tuple[Draft, Draft]] = []
    starts = [block.start for block in blocks]
    for index, statement in enumerate(statements):
        claim = statement.draft
        if claim is None or statement.label < 0:
            continue
        first, last = bisect_left(starts, statement.start), bisect_left(starts, statement.end)
        own = blocks[max(first - 1, 0) : last]  # a label may begin within its block
        for what, start, end in _inside(text, statement, own):
            draft = Draft(STATEMENT, names.take(statement_id(text[start:end])), claim.parent, spans=((start, end),))
            draft.line, draft.visibility = line(start), claim.visibility
            _link(claim, what, draft.id)
            found.append((draft, claim))
        if statement.label:
            continue
        at = statement.end
        for following in statements[index + 1 :]:
            what = kind(text[following.start : following.end])
            apart = text[at : following.start].strip() or following.section != statement.section
            if apart or not what or following.label >= 0 or not following.prose:
                break
            draft = following.mint(line(following.start))
            draft.visibility = draft.visibility or claim.visibility
            _link(claim, what, following.id)
            at = following.end
    return found


def _link(claim: Draft, what: str, local: str) -> None:
    (claim.exceptions if what == EXCEPTION else claim.conditions).append(local)


def _inside(text: str, statement: Statement, blocks: Sequence[Block]) -> list[tuple[str, int, int]]:
    """Kind, start and end of such sentences in a labelled statement; none when no other one is left as the claim."""
    found: list[tuple[str, int, int]] = []
    claims = 0
    for block in blocks:
        begin, end = max(block.start, statement.start + statement.label), min(block.end, statement.end)
        if block.kind not in PROSE or end <= begin:
            continue
        for one in sentences(text, begin, end):
            what = kind(text[one.start : one.end])
            claims += not what
            if what:
                found.append((what, one.start, one.end))
    return found if claims else []
