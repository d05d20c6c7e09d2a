"""What changed between two documents, or two texts of one, statement by statement."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.query.asof import versions_of
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.source import _hidden
from oam_rdf.text.normalise import link_key
from oam_rdf.text.statements import statements

SIMILAR = 0.8  # as for stable ids (segmentation.md)
_IN_PLACE = 0.5  # enough where one statement stands exactly where one other stood
_PAIRS = 250_000  # comparisons of one replaced block at most


@dataclass(frozen=True, slots=True)
class Change:
    """``kind`` added | removed | changed; offsets are code points in the old and new Original, -1 = not there."""

    kind: str
    old: str
    new: str
    old_start: int
    old_end: int
    new_start: int
    new_end: int
    similarity: float

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Diff:
    """Changes in order of the new text (removals where they stood); ``unchanged`` counts the statements kept."""

    old: str
    new: str
    old_original: str
    new_original: str
    changes: tuple[Change, ...]
    unchanged: int

    def count(self, kind: str) -> int:
        return sum(1 for change in self.changes if change.kind == kind)

    def to_json(self) -> dict[str, Any]:
        return {
            "old": self.old,
            "new": self.new,
            "old_original": self.old_original,
            "new_original": self.new_original,
            "unchanged": self.unchanged,
            "added": self.count("added"),
            "removed": self.count("removed"),
            "changed": self.count("changed"),
            "changes": [change.to_json() for change in self.changes],
        }


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str
    key: str


def diff(snapshot: Snapshot, old: str, new: str = "") -> Diff:
    """Compare two documents, or with ``DOC@hash`` an earlier text of one.

    With ``new`` left out, ``old`` is compared with its last text before the present one.

    :raises NotFound: if either does not exist or may not be seen, or there is no earlier text.
    :raises UsageError: if one is no document.
    """
    if not new:
        document = resolve(snapshot, old)
        kept = versions_of(snapshot, [document])
        if not kept:
            raise NotFound(f"{old!r} has no earlier text", hint="name two documents")
        old, new = f"{snapshot.facets.identifiers[document]}@{kept[-1].mark}", old
    (old_name, old_hash), (new_name, new_hash) = _original(snapshot, old), _original(snapshot, new)
    left, right = _pieces(snapshot, old_hash), _pieces(snapshot, new_hash)
    changes, unchanged = compare(left, right)
    return Diff(old_name, new_name, old_hash, new_hash, tuple(changes), unchanged)


def _original(snapshot: Snapshot, name: str) -> tuple[str, str]:
    base, at, mark = name.rpartition("@")
    if at and mark:
        try:
            document = resolve(snapshot, base)
        except NotFound:
            document = -1
        for version in versions_of(snapshot, [document]) if document >= 0 else []:
            if version.mark.startswith(mark):
                return f"{snapshot.facets.identifiers[document]}@{version.mark}", version.original
    row = resolve(snapshot, name)
    if int(snapshot.facets.document[row]) != row:
        raise UsageError(f"{name!r} is no document", hint="compare documents")
    return snapshot.facets.identifiers[row], snapshot.original_of(row)


def _pieces(snapshot: Snapshot, original: str) -> list[_Piece]:
    text = snapshot.original(original)
    hidden = _hidden(snapshot, original)
    found = []
    for span in statements(text, 0, len(text)):
        if any(low < span.end and span.start < high for low, high in hidden):
            continue
        exact = text[span.start : span.end]
        found.append(_Piece(span.start, span.end, exact, link_key(exact)))
    return found


def compare(left: list[_Piece], right: list[_Piece]) -> tuple[list[Change], int]:
    """Align by equal statements first, then pair what was replaced by similarity."""
    matcher = SequenceMatcher(None, [p.key for p in left], [p.key for p in right], autojunk=False)
    changes: list[Change] = []
    unchanged = 0
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            unchanged += b - a
            continue
        changes += _replaced(left[a:b], right[c:d])
    return changes, unchanged


def _replaced(left: list[_Piece], right: list[_Piece]) -> list[Change]:
    scored: list[tuple[float, int, int]] = []
    if len(left) * len(right) <= _PAIRS:
        for j, new in enumerate(right):
            matcher = SequenceMatcher(None, "", new.key, autojunk=False)
            for i, old in enumerate(left):
                matcher.set_seq1(old.key)
                if matcher.real_quick_ratio() >= SIMILAR and matcher.quick_ratio() >= SIMILAR:
                    ratio = matcher.ratio()
                    if ratio >= SIMILAR:
                        scored.append((-ratio, j, i))
    partner: dict[int, tuple[int, float]] = {}
    used: set[int] = set()
    for negative, j, i in sorted(scored):
        if j not in partner and i not in used:
            partner[j] = (i, -negative)
            used.add(i)
    rest = [i for i in range(len(left)) if i not in used], [j for j in range(len(right)) if j not in partner]
    if len(rest[0]) == len(rest[1]) == 1:
        (i,), (j,) = rest
        ratio = SequenceMatcher(None, left[i].key, right[j].key, autojunk=False).ratio()
        if ratio >= _IN_PLACE:
            partner[j] = (i, ratio)
            used.add(i)
    changes = [Change("removed", p.text, "", p.start, p.end, -1, -1, 0.0) for i, p in enumerate(left) if i not in used]
    for j, new in enumerate(right):
        if j in partner:
            old, ratio = left[partner[j][0]], partner[j][1]
            changes.append(
                Change("changed", old.text, new.text, old.start, old.end, new.start, new.end, round(ratio, 3))
            )
        else:
            changes.append(Change("added", "", new.text, -1, -1, new.start, new.end, 0.0))
    return changes
