"""A file whose kind is read here but which is none of ours: left out with its reason, never refused."""

from __future__ import annotations

from oam_rdf.errors import ParseError


class Skipped(ParseError):
    """The file holds nothing that is read here. ``code`` is the slug of the issue that says so."""

    def __init__(self, message: str, *, code: str, place: str = "", hint: str = "") -> None:
        super().__init__(message, place=place, hint=hint)
        self.code = f"skipped-{code}"
