"""Whether what objects say can be followed back to characters of an Original: P_trace (paper §16.4).

P_trace is the share of the objects looked at that trace. An object traces if

- it is quoted from spans (or is itself a document, which is its whole Original), or words of another work that it quotes were
  found there,
- the Original of these spans is here, and its bytes have the hash that names it,
- the characters stand there: what the object says is those characters, letter for letter; of a quote from another work, the
  text that was found when it was anchored (letter for letter, or but for white space and marks) still stands in its place,
- and the object is no generated text, whatever it names as its source.

Of several spans each must hold; of several quotes one. What does not trace has exactly one of :data:`REASONS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.namespaces import OAM
from oam_rdf.query.generated import generated, is_generated
from oam_rdf.query.selection import Selection
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.spans import Stretch, own_spans, quoted_spans

GENERATED, NO_SPAN, UNANCHORED = "generated text", "no span", "unanchored quote"
MISSING, ALTERED, OUTSIDE, DIFFERS = "Original missing", "hash differs", "span outside the Original", "text differs"
#: Why an object does not trace, in the order in which it is looked at.
REASONS = (GENERATED, NO_SPAN, UNANCHORED, MISSING, ALTERED, OUTSIDE, DIFFERS)
WHOLE, WORDS, QUOTE = "whole document", "own words", "quote"


@dataclass(frozen=True, slots=True)
class Traced:
    """One object and whether it traces: ``reason`` is "" if it does. ``how`` its source is given: :data:`WHOLE`,
    :data:`WORDS` or :data:`QUOTE`, "" where none is; ``detail``: what a graph says of why there is none."""

    row: int
    id: str
    title: str
    granularity: str
    how: str
    reason: str
    detail: str
    places: tuple[Stretch, ...]

    @property
    def traces(self) -> bool:
        return not self.reason

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id, "title": self.title, "granularity": self.granularity, "traces": self.traces, "how": self.how,
            "reason": self.reason, "detail": self.detail, "originals": sorted({p.original for p in self.places}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Traceability:
    """``checked`` objects, how many ``traced``, and the others by reason. ``objects``: those that do not trace first."""

    checked: int
    traced: int
    reasons: dict[str, int]
    objects: tuple[Traced, ...]

    @property
    def p_trace(self) -> float | None:
        """``traced`` ÷ ``checked``; None where nothing was checked."""
        return self.traced / self.checked if self.checked else None

    def to_json(self) -> dict[str, Any]:
        share = self.p_trace
        return {
            "checked": self.checked, "traced": self.traced, "p_trace": None if share is None else round(share, 6),
            "reasons": self.reasons, "shown": len(self.objects), "objects": [item.to_json() for item in self.objects],
        }  # fmt: skip


def traceability(snapshot: Snapshot, chosen: Selection, *, limit: int = 50) -> Traceability:
    """P_trace of what was selected, each object counted once; ``limit`` of them are listed."""
    facets, tracer = snapshot.facets, Tracer(snapshot)
    # One Original after the other: each is read and hashed once.
    ordered = sorted(set(chosen.rows), key=lambda row: (int(facets.document[row]), row))
    found = [tracer.of(row) for row in ordered]
    found += [Traced(-1, name, "", "", "", NO_SPAN, "", ()) for name in dict.fromkeys(chosen.others)]
    counts = Counter(item.reason for item in found if not item.traces)
    reasons = {reason: counts[reason] for reason in REASONS if counts[reason]}
    listed = sorted(found, key=lambda item: (item.traces, REASONS.index(item.reason) if item.reason else 0, item.id))
    return Traceability(len(found), len(found) - sum(counts.values()), reasons, tuple(listed[:limit]))


@dataclass(slots=True)
class Tracer:
    """Follows objects of one snapshot to their Originals, whose state it looks up once.

    It compares with the whole Original, hidden stretches included, and says nothing of what stands there.
    """

    snapshot: Snapshot
    _states: dict[str, str] = field(default_factory=dict)

    def of(self, row: int) -> Traced:
        """What becomes of the object at a row."""
        how, reason, places = self._followed(row)
        facets, detail = self.snapshot.facets, ""
        if reason in (NO_SPAN, UNANCHORED):
            detail = next(iter(_literals(self.snapshot, row, OAM + "noSource")), "")
        return Traced(
            row, facets.identifiers[row] or facets.iris[row], facets.titles[row], facets.column("granularity")[row],
            how, reason, detail, tuple(places),
        )  # fmt: skip

    def _followed(self, row: int) -> tuple[str, str, Sequence[Stretch]]:
        snapshot, facets = self.snapshot, self.snapshot.facets
        made = bool(generated(snapshot)[row])
        places = own_spans(snapshot, row)
        if places:
            return WORDS, GENERATED if made else self._words(row, places), places
        if int(facets.document[row]) == row and (sha256 := snapshot.original_of(row)):
            return WHOLE, GENERATED if made else self.state(sha256), [Stretch(sha256, 0, -1)]
        quotes = quoted_spans(snapshot, row)
        if quotes:
            reasons = [self._quote(row, place, exact) for place, exact in quotes]
            reason = "" if "" in reasons else reasons[0]
            return QUOTE, GENERATED if made else reason, [place for place, _ in quotes]
        unanchored = UNANCHORED if _literals(snapshot, row, OAM + "quote") else NO_SPAN
        return "", GENERATED if made else unanchored, []

    def _words(self, row: int, places: Sequence[Stretch]) -> str:
        said = [self._text(place) for place in places]
        if wrong := next((reason for _, reason in said if reason), ""):
            return wrong
        contents = _literals(self.snapshot, row, OAM + "content")
        return DIFFERS if contents and "\n".join(text for text, _ in said) not in contents else ""

    def _quote(self, row: int, place: Stretch, exact: str) -> str:
        text, reason = self._text(place)
        if reason:
            return reason
        wanted = [exact] if exact else _literals(self.snapshot, row, OAM + "quote")
        return "" if text in wanted else DIFFERS

    def _text(self, place: Stretch) -> tuple[str, str]:
        """The characters of a place, or why there are none."""
        if reason := self.state(place.original):
            return "", reason
        whole = self.snapshot.original(place.original)
        inside = 0 <= place.start < place.end <= len(whole)
        return (whole[place.start : place.end], "") if inside else ("", OUTSIDE)

    def state(self, sha256: str) -> str:
        """Why an Original bears nothing out, "" if it does."""
        if sha256 not in self._states:
            self._states[sha256] = self._state(sha256)
        return self._states[sha256]

    def _state(self, sha256: str) -> str:
        if is_generated(self.snapshot, f"/original/sha256-{sha256}"):
            return GENERATED
        try:
            self.snapshot.original(sha256)
        except NotFound:
            return MISSING
        except Damaged:
            return ALTERED
        return ""


def _literals(snapshot: Snapshot, row: int, predicate: str) -> list[str]:
    quads = snapshot.store.quads_for_pattern(NamedNode(snapshot.facets.iris[row]), NamedNode(predicate), None)
    return sorted({quad.object.value for quad in quads if isinstance(quad.object, Literal)})
