"""Sections and statements of a document while it is being read."""

from __future__ import annotations

from dataclasses import dataclass

from oam_rdf.ingest.draft import Draft
from oam_rdf.model import STATEMENT


@dataclass(slots=True)
class Statement:
    """A statement of the text, minted or not: ``spans`` (lead-in or header row first), own extent ``start:end``.

    ``group`` is the number of the list it stands in (0 = none), ``introduced`` the start of the sentence that leads
    into that list (-1 = none); ``joins`` is False for what is no part of an argument, a table row.
    """

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    section: str
    id: str = ""
    draft: Draft | None = None
    prose: bool = True
    group: int = 0
    introduced: int = -1
    joins: bool = True
    label: int = -1  # characters of the author's label it begins with; 0 = a heading is the label, -1 = none

    def mint(self, line: int) -> Draft:
        """Its object, made if there is none yet; ``line`` is where it begins."""
        if self.draft is None:
            self.draft = Draft(STATEMENT, self.id, self.section, spans=self.spans, line=line)
        return self.draft


@dataclass(slots=True)
class Section:
    """An open or closed section: its object, heading level and heading path."""

    draft: Draft
    level: int
    path: str
