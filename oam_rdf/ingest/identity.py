"""Ids that survive edits: a statement keeps its id while its text stays the same or similar (segmentation.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from oam_rdf.model import ParsedDocument

SIMILAR = 0.8


@dataclass(frozen=True, slots=True)
class Known:
    """A statement as stored: its local id, the local id of its section, its text."""

    id: str
    section: str
    content: str


def keep_ids(document: ParsedDocument, stored: Iterable[Known]) -> ParsedDocument:
    """The document with the ids of stored statements of the same section that are the same or similar (ratio ≥ 0.8).

    Only ids that were hashes of a text are carried over: an author's own id is the author's to change.
    """
    present = {item.id for item in document.objects}
    free: dict[str, list[Known]] = {}
    for known in stored:
        if known.id not in present and known.id.startswith("st-"):
            free.setdefault(known.section, []).append(known)
    renamed: dict[str, str] = {}
    old_ids = {known.id for group in free.values() for known in group}
    if not old_ids:
        return document
    for item in document.objects:
        if item.granularity != "STATEMENT" or item.author_id or item.global_id:
            continue
        best, best_ratio = None, SIMILAR
        for known in free.get(item.parent, ()):
            matcher = SequenceMatcher(None, known.content, item.content, autojunk=False)
            if matcher.real_quick_ratio() < best_ratio or matcher.quick_ratio() < best_ratio:
                continue
            ratio = matcher.ratio()
            if ratio >= best_ratio and (best is None or ratio > best_ratio):
                best, best_ratio = known, ratio
        if best is not None:
            free[item.parent].remove(best)
            renamed[item.id] = best.id
    return rename(document, renamed) if renamed else document


def rename(document: ParsedDocument, renamed: Mapping[str, str]) -> ParsedDocument:
    """The document with local ids replaced everywhere they occur."""

    def new(local: str) -> str:
        return renamed.get(local, local)

    return replace(
        document,
        objects=tuple(replace(item, id=new(item.id), parent=new(item.parent)) for item in document.objects),
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
