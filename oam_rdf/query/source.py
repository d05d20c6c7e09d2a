"""An object in its Original: the exact characters, what surrounds them, and whether the bytes are still the same.

The Original is one file for everybody, so text of objects that this clearance may not see is taken out of exact text
and context alike (decision D16).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.namespaces import OAM
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot

GAP = "…"
LIMIT = 20_000  # characters of exact text shown at once


@dataclass(frozen=True, slots=True)
class Quote:
    """A span with its surroundings (Web Annotation position and quote selector). Offsets are code points.

    ``redacted``: something inside is not for this clearance and was replaced by an ellipsis; ``cut``: the exact text is
    longer than what is shown.
    """

    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    line: int
    redacted: bool
    cut: bool

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SourceView:
    """Where an object stands. ``intact`` says that the Original's bytes have the hash in its name; ``matches`` that the
    spans' text is the object's content (None if it has no content of its own); ``no_source`` why there is no span."""

    id: str
    iri: str
    original: str
    path: str
    length: int
    intact: bool
    matches: bool | None
    quotes: tuple[Quote, ...]
    no_source: str
    labels: tuple[str, ...]

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
    original, spans = snapshot.original_of(row), snapshot.spans_of(row)
    document = int(snapshot.facets.document[row])
    values = {name: _literals(snapshot, iri, name) for name in ("content", "noSource", "spanLabel")}
    name = snapshot.facets.identifiers[row] or iri
    if not original or (not spans and document != row):
        reason = next(iter(values["noSource"]), "no span is recorded")
        return SourceView(name, iri, original, "", 0, False, None, (), reason, tuple(values["spanLabel"]))
    text = snapshot.original(original)
    spans = spans or [(0, len(text))]
    hidden = _hidden(snapshot, original)
    if any(not 0 <= start < end <= len(text) for start, end in spans) and text:
        raise Damaged(f"{name} has a span outside its Original", place=original[:12], hint="run `oam doctor`")
    quotes = tuple(_quote(text, start, end, context, hidden) for start, end in spans)
    exact = "\n".join(text[start:end] for start, end in spans)
    content = next(iter(values["content"]), None)
    return SourceView(
        id=name,
        iri=iri,
        original=original,
        path=_path(snapshot, document),
        length=len(text),
        intact=snapshot.originals.intact(original),
        matches=None if content is None else content == exact,
        quotes=quotes,
        no_source="",
        labels=tuple(values["spanLabel"]),
    )


def _bare(snapshot: Snapshot, identifier: str, iri: str, context: int) -> SourceView:
    """An Original by its own name: shown if a visible document is derived from it."""
    original = iri.rpartition("sha256-")[2]
    codes = [code for code, name in enumerate(snapshot.facets.originals) if name == original]
    if not codes or not ((snapshot.facets.original == codes[0]) & snapshot.visible).any():
        raise NotFound(f"no object is called {identifier!r}", hint="try `oam search`")
    text = snapshot.original(original)
    quotes = (_quote(text, 0, len(text), context, _hidden(snapshot, original)),) if text else ()
    intact = snapshot.originals.intact(original)
    return SourceView(f"sha256-{original}", iri, original, "", len(text), intact, None, quotes, "", ())


def _hidden(snapshot: Snapshot, original: str) -> list[tuple[int, int]]:
    """Spans of an Original that belong to objects this clearance may not see, in order."""
    facets = snapshot.facets
    out = ~snapshot.visible[facets.span_owner]
    if not out.any():
        return []
    codes = [code for code, name in enumerate(facets.originals) if name == original]
    out &= facets.span_source == (codes[0] if codes else -1)
    return sorted(zip(facets.span_start[out].tolist(), facets.span_end[out].tolist(), strict=True))


def _quote(text: str, start: int, end: int, context: int, hidden: list[tuple[int, int]]) -> Quote:
    shown = min(end, start + LIMIT)
    exact = shown_text(text, start, shown, hidden)
    return Quote(
        start=start,
        end=end,
        exact=exact,
        prefix=shown_text(text, max(0, start - context), start, hidden),
        suffix=shown_text(text, end, min(len(text), end + context), hidden),
        line=text.count("\n", 0, start) + 1,
        redacted=any(a < end and start < b for a, b in hidden),
        cut=shown < end,
    )


def shown_text(text: str, start: int, end: int, hidden: list[tuple[int, int]]) -> str:
    """``text[start:end]`` with an ellipsis for every hidden stretch."""
    parts, at = [], start
    for low, high in hidden:
        if high <= at or low >= end:
            continue
        parts += [text[at : max(at, low)], GAP]
        at = min(end, high)
    return "".join([*parts, text[at:end]])


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
