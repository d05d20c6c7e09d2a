"""Quotes are looked for in the Original of the work that they are taken from (formats.md, "In" 3).

Letter for letter; else without white space and the marks of Markdown; else, where a quote is elided, its parts in order.
What is not found stays a quote, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from oam_rdf.ingest.candidate import Candidate
from oam_rdf.ingest.catalogue import StoredFile
from oam_rdf.ingest.references import References
from oam_rdf.ingest.visibility import narrowest
from oam_rdf.model import VISIBILITIES, Anchoring, ParsedDocument, Quote, Span
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals, digest

EXACT, NORMALISED, UNANCHORED = "exact", "normalised", "unanchored"
#: What an unanchored quote waits for.
ABSENT = "the quoted work is not here"

_DROPPED = re.compile(r"[\s\ufeff*_`~#>|\\$]+")
_ELISION = re.compile(r"\s*[\[(（［]?\s*(?:…+|⋯+|\.{3,})\s*[\])）］]?\s*")
_KEPT_TEXTS = 16


class Work:
    """The text of a quoted work, searched exactly and without marks."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        """The text without marks, and where each character of it stands in the text."""
        places = [at for at, character in enumerate(self.text) if not _DROPPED.match(character)]
        return "".join(self.text[at] for at in places), places

    def find(self, quote: str, after: int = 0) -> tuple[str, Span] | None:
        """How and where a quote first stands at ``after`` or later, whole."""
        wanted = _DROPPED.sub("", quote)
        if not wanted:
            return None  # marks alone say nothing
        at = self.text.find(quote, after)
        if at >= 0:
            return EXACT, Span(at, at + len(quote))
        folded, places = self._folded
        low = next(iter(_first_at_least(places, after)), len(places))
        at = folded.find(wanted, low)
        return (NORMALISED, Span(places[at], places[at + len(wanted) - 1] + 1)) if at >= 0 else None

    def parts(self, quote: str) -> list[tuple[str, Span]]:
        """The parts of an elided quote in order; empty if it is not elided or one of them is missing."""
        wanted = [part for part in _ELISION.split(quote) if _DROPPED.sub("", part)]
        if not _ELISION.search(quote):
            return []
        found: list[tuple[str, Span]] = []
        after = 0
        for part in wanted:
            place = self.find(part, after)
            if place is None:
                return []
            found.append(place)
            after = place[1].end
        return found


def _first_at_least(places: list[int], least: int) -> Iterator[int]:
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if places[middle] < least else (low, middle)
    if low < len(places):
        yield low


def anchor(quote: str, work: Work, sha256: str, *, name: str, visibility: str = "") -> Anchoring:
    """Where ``quote`` stands in ``work``, which ``name`` calls in the reason why it does not."""
    whole = work.find(quote)
    found = [whole] if whole else work.parts(quote)
    if not found:
        return Anchoring(UNANCHORED, reason=f"the quote does not stand in {name}")
    how = EXACT if all(part == EXACT for part, _ in found) else NORMALISED
    spans = tuple(span for _, span in found)
    return Anchoring(how, sha256, spans, tuple(work.text[s.start : s.end] for s in spans), visibility=visibility)


@dataclass(slots=True)
class Anchorer:
    """Anchors the quotes of the documents of one run: in its candidates first, then in what is stored."""

    minter: Minter
    originals: Originals
    references: References
    candidates: Mapping[str, Candidate]  # document IRI -> candidate
    stored: Mapping[str, StoredFile]  # document IRI -> stored file
    levels: Mapping[str, int]  # stored graph -> index into VISIBILITIES, for those that are not PUBLIC
    _texts: dict[str, Work] = field(default_factory=dict)

    def anchors(self, document: ParsedDocument) -> dict[Quote, Anchoring]:
        """An anchoring for every quote of a document."""
        own = self.minter.document(document.id)
        return {quote: self._anchoring(quote, own) for quote in quotes(document)}

    def _anchoring(self, quote: Quote, own: str) -> Anchoring:
        iri = self.references.resolve(quote.work) if quote.work else self.references.work(own)
        # An object of a work stands in the work's Original.
        document = (iri or "").partition("#")[0]
        if document in self.candidates:
            candidate = self.candidates[document]
            work, sha256, name = self._new(candidate), candidate.sha256, candidate.id
            level = narrowest(item.visibility for item in candidate.document().objects)
        elif document in self.stored:
            file = self.stored[document]
            work, sha256, name = self._old(file.sha256), file.sha256, file.id
            level = self._level(file.id)
        else:
            return Anchoring(UNANCHORED, reason=ABSENT)
        if work is None:
            return Anchoring(UNANCHORED, reason=f"the Original of {name} cannot be read")
        return anchor(quote.text, work, sha256, name=name, visibility=level)

    def _level(self, document_id: str) -> str:
        """The narrowest visibility of a stored document and its parts."""
        prefix = self.minter.graph(document_id, "assertion")
        return VISIBILITIES[max((n for graph, n in self.levels.items() if graph.startswith(prefix)), default=0)]

    def _new(self, candidate: Candidate) -> Work | None:
        if candidate.sha256 in self._texts or self.originals.find(candidate.sha256):
            return self._old(candidate.sha256)
        try:
            data = candidate.file.absolute.read_bytes()
        except OSError:
            return None
        return self._keep(candidate.sha256, data) if digest(data) == candidate.sha256 else None

    def _old(self, sha256: str) -> Work | None:
        if sha256 in self._texts:
            return self._texts[sha256]
        path = self.originals.find(sha256)
        return self._keep(sha256, path.read_bytes()) if path else None

    def _keep(self, sha256: str, data: bytes) -> Work | None:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        while len(self._texts) >= _KEPT_TEXTS:
            del self._texts[next(iter(self._texts))]
        self._texts[sha256] = Work(text)
        return self._texts[sha256]


def quotes(document: ParsedDocument) -> Iterable[Quote]:
    """Every quote of a document, as often as it occurs."""
    return (quote for quote, _ in placed(document))


def placed(document: ParsedDocument) -> Iterator[tuple[Quote, int]]:
    """Every quote of a document with the line of what quotes it."""
    for item in document.objects:
        yield from ((quote, item.line) for quote in item.quotes)
    for relation in document.relations:
        if relation.quote:
            yield relation.quote, relation.line
