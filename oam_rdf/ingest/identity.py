"""Ids that survive edits: a statement keeps its id while its text stays the same or similar (segmentation.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from oam_rdf.ingest.rdf_document import moved
from oam_rdf.model import ARGUMENT, STATEMENT, KnowledgeObject, ParsedDocument
from oam_rdf.store.minter import Minter

SIMILAR = 0.8
# What the ids begin with that are hashes of a text.
_HASHED = {STATEMENT: "st", ARGUMENT: "arg"}
_WORD = re.compile(r"[㐀-鿿]|[^\W㐀-鿿]+")


@dataclass(frozen=True, slots=True)
class Known:
    """A statement or argument as stored: its local id, the local id of its section (not of its argument), its text."""

    id: str
    section: str
    content: str


def keep_ids(document: ParsedDocument, stored: Iterable[Known]) -> ParsedDocument:
    """The document with the ids of stored statements of the same section that are the same or similar (ratio ≥ 0.8).

    A statement's section is the nearest one above it, whatever argument it is part of. Arguments keep theirs likewise.

    Only ids that were hashes of a text are carried over: an author's own id is the author's to change.
    """
    present = {item.id for item in document.objects}
    free: dict[tuple[str, str], list[Known]] = {}
    for known in stored:
        prefix = known.id.partition("-")[0]
        if known.id not in present and prefix in _HASHED.values():
            free.setdefault((prefix, known.section), []).append(known)
    renamed: dict[str, str] = {}
    old_ids = {known.id for group in free.values() for known in group}
    if not old_ids:
        return document
    by_id = {item.id: item for item in document.objects}
    for item in document.objects:
        prefix = _HASHED.get(item.granularity, "")
        if not prefix or item.author_id or item.global_id:
            continue
        group = free.get((prefix, _section(item, by_id)), [])
        best = _closest(item, group)
        if best is not None:
            group.remove(best)
            renamed[item.id] = best.id
    return rename(document, renamed) if renamed else document


def _section(item: KnowledgeObject, by_id: Mapping[str, KnowledgeObject]) -> str:
    """The local id of the nearest section above an object ("" = the document)."""
    parent = item.parent
    while parent in by_id and by_id[parent].granularity == ARGUMENT:
        parent = by_id[parent].parent
    return parent


def _closest(item: KnowledgeObject, group: Iterable[Known]) -> Known | None:
    best, best_ratio = None, SIMILAR
    for known in group:
        matcher = _matcher(item.granularity, known.content, item.content)
        if matcher.real_quick_ratio() < best_ratio or matcher.quick_ratio() < best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio >= best_ratio and (best is None or ratio > best_ratio):
            best, best_ratio = known, ratio
    return best


def _matcher(granularity: str, one: str, other: str) -> SequenceMatcher[str]:
    if granularity == ARGUMENT:  # long: compared by words, as characters would take a minute
        return SequenceMatcher(None, _WORD.findall(one), _WORD.findall(other), autojunk=False)
    return SequenceMatcher(None, one, other, autojunk=False)


def rename(document: ParsedDocument, renamed: Mapping[str, str]) -> ParsedDocument:
    """The document with local ids replaced everywhere they occur."""

    def new(local: str) -> str:
        return renamed.get(local, local)

    return replace(
        document,
        objects=tuple(
            replace(
                item,
                id=new(item.id),
                parent=new(item.parent),
                conditions=tuple(map(new, item.conditions)),
                exceptions=tuple(map(new, item.exceptions)),
            )
            for item in document.objects
        ),
        relations=tuple(replace(relation, source=new(relation.source)) for relation in document.relations),
        passages=tuple(
            replace(passage, section=new(passage.section), object=new(passage.object)) for passage in document.passages
        ),
    )


def local_ids(document: ParsedDocument, ids: Set[str]) -> ParsedDocument:
    """The document with these corpus-wide ids made local: it mentions them, another document is them."""
    return replace(
        document,
        objects=tuple(replace(item, global_id=False) if item.id in ids else item for item in document.objects),
    )


def with_id(document: ParsedDocument, document_id: str, minter: Minter) -> ParsedDocument:
    """The document under the id that it has in the store: a renamed file keeps the id of its first path.

    What an RDF file says of itself, and its parts, have IRIs of that id.
    """
    if document.id == document_id:
        return document
    rdf = moved(document.rdf, minter.document(document.id), minter.document(document_id)) if document.rdf else ""
    return replace(document, id=document_id, rdf=rdf)
