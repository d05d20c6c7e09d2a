"""Quotes as quads: the words, and the spans of the quoted work's Original where they stand.

A quote bears its owner out (``oam:evidenceSpan``); it is not the owner's own wording, which would be
``prov:wasQuotedFrom``, so the content of an extracted entry need not stand in any Original.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyoxigraph import NamedNode

from oam_rdf.model import Quote
from oam_rdf.namespaces import OA, concept
from oam_rdf.store.document_quads import Anchors, DocumentQuads
from oam_rdf.store.minter import Minter
from oam_rdf.store.terms import TYPE, integer, n, oam, text

#: What is said of a quote whose place may be seen by fewer than the quote.
ELSEWHERE = "no place is given for the quote"
UNREAD = "the quoted work was not looked up"


class QuoteCodec:
    """Writes the quotes of one document. ``narrow`` names the graph for what only some of its readers may see."""

    def __init__(self, minter: Minter, anchors: Anchors, out: DocumentQuads, narrow: Callable[[str, str], str]) -> None:
        self.minter, self.anchors, self.out, self.narrow = minter, anchors, out, narrow

    def write(self, graph: str, owner: NamedNode, quotes: Sequence[Quote]) -> None:
        """The quotes of ``owner`` in order; each that has no place says why (``oam:noSource``)."""
        for number, quote in enumerate(quotes, 1):
            self.out.add(graph, owner, oam("quote"), text(quote.text))
            anchoring = self.anchors.get(quote)
            if anchoring is None or not anchoring.spans:
                reason = anchoring.reason if anchoring else UNREAD
                self.out.add(graph, owner, oam("noSource"), text(reason))
                continue
            place = self.narrow(graph, anchoring.visibility)
            if place != graph:
                self.out.add(graph, owner, oam("noSource"), text(ELSEWHERE))
            for part, (span, exact) in enumerate(zip(anchoring.spans, anchoring.exact, strict=True), 1):
                name = f"quote{number}" if part == 1 else f"quote{number}-{part}"
                node = n(self.minter.dependent(owner.value, name))
                add = self.out.add
                add(place, owner, oam("evidenceSpan"), node)
                add(place, node, TYPE, oam("SourceSpan"))
                add(place, node, n(OA + "hasSource"), n(self.minter.original(anchoring.sha256)))
                add(place, node, n(OA + "start"), integer(span.start))
                add(place, node, n(OA + "end"), integer(span.end))
                add(place, node, oam("anchoring"), n(concept("anchoring", anchoring.how)))
                if exact != quote.text:
                    add(place, node, n(OA + "exact"), text(exact))
