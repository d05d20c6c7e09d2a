"""An object in its Original: the exact characters, what surrounds them, and whether the bytes are still the same.

The Original is one file for everybody, so text of objects that this clearance may not see is taken out of exact text
and context alike, and nothing tells that it was there: no mark, and no offset to count it by (decision D16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.namespaces import OAM
from oam_rdf.query.evidence_spans import evidence_spans
from oam_rdf.query.generated import documents_of, generated, is_original
from oam_rdf.query.redact import shown_text, touches
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.spans import own_spans

LIMIT = 20_000  # characters of exact text shown at once
MADE = "generated text stands in no Original"


@dataclass(frozen=True, slots=True)
class Quote:
    """A span with its surroundings (Web Annotation position and quote selector). Offsets are code points.

    ``start`` and ``end`` are None where ``exact`` is not those characters of the Original, letter for letter. ``cut``: the
    exact text is longer than what is shown.
    """

    start: int | None
    end: int | None
    exact: str
    prefix: str
    suffix: str
    line: int
    cut: bool

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SourceView:
    """Where an object stands. ``intact`` says that the Original's bytes have the hash in its name; ``matches`` that the
    spans' text is the object's content (None if it has no content of its own, or quotes another work to bear it out);
    ``no_source`` why there is no span; ``length`` counts the Original's characters (None where this clearance cannot count
    them). ``generated``: the object is generated text, which stands in no Original; the quotes are what it was made from."""

    id: str
    iri: str
    original: str
    path: str
    length: int | None
    intact: bool
    matches: bool | None
    quotes: tuple[Quote, ...]
    no_source: str
    labels: tuple[str, ...]
    generated: bool = False

    def to_json(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in self.__slots__ if name not in ("quotes", "labels")}
        return {**data, "quotes": [quote.to_json() for quote in self.quotes], "labels": list(self.labels)}


def source(snapshot: Snapshot, identifier: str, context: int = 80) -> SourceView:
    """The spans of the object called ``identifier`` in its Original.

    :param context: characters before and after each span, 0 to 10,000.
    :raises NotFound: if the object or its Original does not exist or may not be seen.
    """
    if not 0 <= context <= 10_000:
        raise UsageError(f"context = {context}", hint="0 to 10000 characters")
    iri = node(snapshot, identifier)
    row = snapshot.facets.row(iri)
    if row < 0:
        return _bare(snapshot, identifier, iri, context)
    made = quoted = bool(generated(snapshot)[row])
    original, document, spans = _stretches(snapshot, row, made)
    values = {name: _literals(snapshot, iri, name) for name in ("content", "noSource", "spanLabel")}
    name = snapshot.facets.identifiers[row] or iri
    if made and not spans:
        return SourceView(name, iri, "", "", 0, False, None, (), MADE, tuple(values["spanLabel"]), True)
    if not spans and document != row:
        # What an extract says is worded by its maker; its place is the passage of the work that it quotes.
        cited, work, passages = evidence_spans(snapshot, iri)
        if passages:
            original, document, spans, quoted = cited, work, passages, True
    if not original or (not spans and document != row):
        reason = next(iter(values["noSource"]), "no span is recorded")
        return SourceView(name, iri, original, "", 0, False, None, (), reason, tuple(values["spanLabel"]))
    text, intact = _read(snapshot, original)
    spans = spans or [(0, len(text))]
    hidden = snapshot.hidden(original)
    if any(not 0 <= start < end <= len(text) for start, end in spans) and text:
        raise Damaged(f"{name} has a span outside its Original", place=original[:12], hint="run `oam doctor`")
    content = next(iter(values["content"]), None)
    whole = not quoted and not any(touches(start, end, hidden) for start, end in spans)
    exact = "\n".join(text[start:end] for start, end in spans)
    return SourceView(
        id=name,
        iri=iri,
        original=original,
        path=_path(snapshot, document),
        length=None if hidden else len(text),
        intact=intact,
        matches=content == exact if whole and content is not None else None,
        quotes=tuple(_quote(text, start, end, context, hidden) for start, end in spans),
        no_source="",
        labels=tuple(values["spanLabel"]),
        generated=made,
    )


def _stretches(snapshot: Snapshot, row: int, made: bool) -> tuple[str, int, list[tuple[int, int]]]:
    """The Original that an object's spans are of, the row of a document that was read from it, and the spans in order.

    Spans of its own document's Original come first; of several others the first counts that is no generated text.
    """
    own, document = snapshot.original_of(row), int(snapshot.facets.document[row])
    places = own_spans(snapshot, row)
    for original in dict.fromkeys([own, *(place.original for place in places)]):
        spans = [(place.start, place.end) for place in places if place.original == original]
        if spans and original == own and not made:
            return own, document, spans
        if spans and is_original(snapshot, f"/original/sha256-{original}"):
            return original, documents_of(snapshot, original)[0], spans
    return own, document, []


def _read(snapshot: Snapshot, original: str) -> tuple[str, bool]:
    """An Original's text and whether it is intact. :raises Damaged: if it is not, and what is hidden cannot be found."""
    try:
        return snapshot.original(original), snapshot.originals.intact(original)
    except Damaged:
        if snapshot.hides(original):
            raise
        return snapshot.originals.text(original, checked=False), False


def _bare(snapshot: Snapshot, identifier: str, iri: str, context: int) -> SourceView:
    """An Original by its own name: shown if a visible document is derived from it."""
    original = iri.rpartition("sha256-")[2]
    if not is_original(snapshot, f"/original/sha256-{original}"):
        if documents_of(snapshot, original):
            raise NotFound(
                f"{identifier} is generated text, which is no Original", hint="ask for what it was made from"
            )
        raise NotFound(f"no object is called {identifier!r}", hint="try `oam search`")
    text, intact = _read(snapshot, original)
    hidden = snapshot.hidden(original)
    quotes = (_quote(text, 0, len(text), context, hidden),) if text else ()
    length = None if hidden else len(text)
    return SourceView(f"sha256-{original}", iri, original, "", length, intact, None, quotes, "", ())


def _quote(text: str, start: int, end: int, context: int, hidden: Sequence[tuple[int, int]]) -> Quote:
    exact = shown_text(text, start, end, hidden)
    whole = not touches(start, end, hidden)
    before = shown_text(text, 0, start, hidden) if hidden else text[max(0, start - context) : start]
    after = shown_text(text, end, len(text), hidden) if hidden else text[end : end + context]
    return Quote(
        start=start if whole else None,
        end=end if whole else None,
        exact=exact[:LIMIT],
        prefix=before[-context:] if context else "",
        suffix=after[:context],
        line=text.count("\n", 0, start) + 1,
        cut=len(exact) > LIMIT,
    )


def _literals(snapshot: Snapshot, iri: str, name: str) -> list[str]:
    quads = snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(OAM + name), None)
    return sorted({quad.object.value for quad in quads if isinstance(quad.object, Literal)})


def _path(snapshot: Snapshot, document: int) -> str:
    """Where the document's file lay when it was ingested, relative to its root."""
    iri = snapshot.facets.iris[document]
    if "/doc/" not in iri:
        return ""
    base, _, segment = iri.rpartition("/doc/")
    return next(iter(_literals(snapshot, f"{base}/graph/{segment}/assertion", "sourcePath")), "")
