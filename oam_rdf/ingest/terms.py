"""Terms of a document for the dictionary: what its author set apart as a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from oam_rdf.ingest.links import Link
from oam_rdf.ingest.naming import collapsed

_BOLD = re.compile(r"\*\*([^*\n]{2,40}?)[：:，。.]?\*\*")
_NUMBER = re.compile(r"^[\d.、]+\s*")
_MOST = 400


def mined(names: Iterable[str], headings: Iterable[str], links: Sequence[Link], clean: str) -> tuple[str, ...]:
    """``names`` (title, aliases, keywords), headings, link texts and targets, bold words of the text ``clean``."""
    terms: dict[str, None] = {}
    for name in names:
        terms[collapsed(name)] = None
    for heading in headings:
        terms[_NUMBER.sub("", heading)] = None
    for link in links:
        for term in (link.label, link.target.split("#")[0]):
            if term and "/" not in term:
                terms[collapsed(term)] = None
    for match in _BOLD.finditer(clean):
        terms[collapsed(match[1])] = None
        if len(terms) > _MOST:
            break
    return tuple(term for term in terms if 2 <= len(term) <= 60)
