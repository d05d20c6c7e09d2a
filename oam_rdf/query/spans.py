"""The characters that an object is quoted from, or that it quotes, in whichever Original they stand."""

from __future__ import annotations

from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode

from oam_rdf.namespaces import OA, OAM
from oam_rdf.query.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters ``start:end`` of the Original with this hash."""

    original: str
    start: int
    end: int


def own_spans(snapshot: Snapshot, row: int) -> list[Stretch]:
    """The spans of an object in order, each with the Original that it says it is of."""
    facets = snapshot.facets
    low, high = facets.span_owner.searchsorted((row, row + 1)).tolist()
    codes = facets.span_source[low:high].tolist()
    places = zip(codes, facets.span_start[low:high].tolist(), facets.span_end[low:high].tolist(), strict=True)
    return [Stretch(facets.originals[code] if code >= 0 else "", start, end) for code, start, end in places]


def quoted_spans(snapshot: Snapshot, row: int) -> list[tuple[Stretch, str]]:
    """The spans of other works that an object quotes, each with the text that was found there ("" = the quote itself)."""
    store = snapshot.store
    quads = store.quads_for_pattern(NamedNode(snapshot.facets.iris[row]), NamedNode(OAM + "evidenceSpan"), None)
    found = []
    for node in sorted({quad.object.value for quad in quads if isinstance(quad.object, NamedNode)}):
        said = {q.predicate.value: q.object for q in store.quads_for_pattern(NamedNode(node), None, None)}
        start, end, source = (said.get(OA + name) for name in ("start", "end", "hasSource"))
        numbers = [mark.value for mark in (start, end) if isinstance(mark, Literal) and mark.value.isdecimal()]
        if len(numbers) == 2 and isinstance(source, NamedNode):
            exact = said.get(OA + "exact")
            place = Stretch(source.value.rpartition("sha256-")[2], *map(int, numbers))
            found.append((place, exact.value if isinstance(exact, Literal) else ""))
    return found
