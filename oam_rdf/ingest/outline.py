"""Sections and statements of a document while it is being read."""

from __future__ import annotations

from dataclasses import dataclass

from oam_rdf.ingest.draft import Draft


@dataclass(slots=True)
class Statement:
    """A statement of the text, minted or not: ``spans`` (lead-in or header row first), own extent ``start:end``."""

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    section: str
    id: str = ""
    draft: Draft | None = None
    prose: bool = True


@dataclass(slots=True)
class Section:
    """An open or closed section: its object, heading level and heading path."""

    draft: Draft
    level: int
    path: str
