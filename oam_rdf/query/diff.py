"""What changed between two documents, or two texts of one, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from pyoxigraph import NamedNode

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.namespaces import OA, OAM
from oam_rdf.query.body import said
from oam_rdf.query.history import Copy, HistoricalVersion, copies_of, objects_then, value, versions_of
from oam_rdf.query.redact import touches
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import link_key

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
    """``id``: the local id of the stored statement that it is, "" if it is none."""

    start: int
    end: int
    text: str
    key: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    name: str
    original: str
    document: int
    pieces: tuple[_Piece, ...]


def diff(snapshot: Snapshot, old: str, new: str = "") -> Diff:
    """Compare two documents or two statements, or with ``ID@hash`` an earlier text of one.

    With ``new`` left out, ``old`` is compared with its last text before the present one.

    :raises NotFound: if either does not exist or may not be seen, or there is no earlier text.
    :raises UsageError: if one is neither document nor statement, or they are not of one kind.
    """
    if not new:
        old, new = _earlier(snapshot, old), old
    left, right = _side(snapshot, old), _side(snapshot, new)
    if (left.document < 0) != (right.document < 0):
        raise UsageError(f"{old!r} and {new!r} are not of one kind", hint="compare documents, or statements")
    changes, unchanged = compare(left.pieces, right.pieces, same=left.document == right.document)
    return Diff(left.name, right.name, left.original, right.original, tuple(changes), unchanged)


def _earlier(snapshot: Snapshot, name: str) -> str:
    row = resolve(snapshot, name)
    facets, document = snapshot.facets, int(snapshot.facets.document[row])
    if row == document:
        kept = versions_of(snapshot, [row])
        if not kept:
            raise NotFound(f"{name!r} has no earlier text", hint="name two documents")
        return f"{facets.identifiers[row]}@{kept[-1].mark}"
    copies = copies_of(snapshot, facets.iris[row])
    if not copies:
        edits = len(versions_of(snapshot, [document])) if document >= 0 else 0
        home = facets.identifiers[document] if document >= 0 else ""
        why = f"{home!r} was edited {edits} times, this did not change" if edits else "no edit of its document is kept"
        raise NotFound(f"{name!r} has no earlier text: {why}", hint="name two objects")
    return f"{facets.identifiers[row]}@{max(copies, key=lambda copy: copy.until).mark}"


def _side(snapshot: Snapshot, name: str) -> _Side:
    base, at, mark = name.rpartition("@")
    if at and mark:
        try:
            row = resolve(snapshot, base)
        except NotFound:
            row = -1
        facets = snapshot.facets
        if row >= 0 and int(facets.document[row]) == row:
            for version in versions_of(snapshot, [row]):
                if version.mark.startswith(mark):
                    return _old(snapshot, version, row)
        elif row >= 0:
            for copy in copies_of(snapshot, facets.iris[row]):
                if copy.mark.startswith(mark):
                    return _old_statement(snapshot, copy, row)
    row = resolve(snapshot, name)
    return _live(snapshot, row)


def _old(snapshot: Snapshot, version: HistoricalVersion, row: int) -> _Side:
    text = snapshot.original(version.original)
    stored = [
        (item.start, item.end, _local(item.iri))
        for item in objects_then(snapshot, version, text)
        if item.granularity == "STATEMENT"
    ]
    name = f"{snapshot.facets.identifiers[row]}@{version.mark}"
    return _Side(name, version.original, row, tuple(_pieces(text, stored, [])))


def _old_statement(snapshot: Snapshot, copy: Copy, row: int) -> _Side:
    store = snapshot.history
    node, text = NamedNode(copy.iri), ""
    start = end = -1
    if store is not None:
        text, places = value(store, node, OAM + "content"), [value(store, node, OA + name) for name in ("start", "end")]
        start, end = (int(place) if place and len(copy.originals) == 1 else -1 for place in places)
    name = f"{snapshot.facets.identifiers[row]}@{copy.mark}"
    return _Side(name, copy.originals[-1], -1, (_Piece(start, end, text, link_key(text), _local(copy.of)),))


def _live(snapshot: Snapshot, row: int) -> _Side:
    facets = snapshot.facets
    name, original = facets.identifiers[row], snapshot.original_of(row)
    granularity = facets.column("granularity")[row]
    if granularity in ("STATEMENT", "ARGUMENT"):
        text = value(snapshot.store, NamedNode(facets.iris[row]), OAM + "content")
        start, end = next(iter(reversed(snapshot.spans_of(row))), (-1, -1))
        return _Side(name, original, -1, (_Piece(start, end, text, link_key(text), _local(facets.iris[row])),))
    if int(facets.document[row]) != row:
        raise UsageError(f"{name!r} is no document and no statement", hint="compare documents, or statements")
    text = snapshot.original(original)
    rows = np.flatnonzero(
        (np.asarray(facets.document) == row) & facets.mask("granularity", "STATEMENT") & snapshot.visible
    )
    stored = [(*spans[-1], _local(facets.iris[at])) for at in rows.tolist() if (spans := snapshot.spans_of(at))]
    return _Side(name, original, row, tuple(_pieces(text, stored, snapshot.hidden(original))))


def _local(iri: str) -> str:
    """What names a statement in its document, or in the corpus."""
    return iri.rpartition("#")[2] if "#" in iri else iri.rpartition("/")[2]


def _pieces(text: str, stored: Sequence[tuple[int, int, str]], hidden: Sequence[tuple[int, int]]) -> Iterator[_Piece]:
    """Stored statements whole, the sentences between them, in order; no header and nothing that is hidden."""
    taken = 0
    whole: list[tuple[int, int, str]] = []
    for start, end, local in sorted(stored, key=lambda item: (item[0], -item[1], item[2])):
        if start >= taken:  # one inside another is said with it
            whole.append((start, end, local))
            taken = end
    loose = [
        (span.start, span.end, "")
        for span in said(text)
        if not any(start < span.end and span.start < end for start, end, _ in whole)
    ]
    for start, end, local in sorted(whole + loose):
        if not touches(start, end, hidden):
            yield _Piece(start, end, text[start:end], link_key(text[start:end]), local)


def compare(left: Sequence[_Piece], right: Sequence[_Piece], *, same: bool) -> tuple[list[Change], int]:
    """Pair statements of one id first, then equal ones in order, then what was replaced by similarity.

    :param same: both are texts of one document, where an id means one statement whatever it says.
    """
    pairs = _by_id(left, right, same)
    a = [i for i in range(len(left)) if i not in {old for old, _ in pairs.values()}]
    b = [j for j in range(len(right)) if j not in pairs]
    matcher = SequenceMatcher(None, [left[i].key for i in a], [right[j].key for j in b], autojunk=False)
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            pairs |= {j: (i, 1.0) for i, j in zip(a[a0:a1], b[b0:b1], strict=True)}
        else:
            pairs |= _similar(left, right, a[a0:a1], b[b0:b1])
    kept = {i: j for j, (i, _) in pairs.items()}
    placed: list[tuple[int, int, Change]] = []  # (place in the new text, order there, change)
    after = -1
    for i, old in enumerate(left):
        after = max(after, kept.get(i, -1))
        if i not in kept:
            placed.append((after, i + 1, Change("removed", old.text, "", old.start, old.end, -1, -1, 0.0)))
    for j, piece in enumerate(right):
        if j not in pairs:
            placed.append((j, 0, Change("added", "", piece.text, -1, -1, piece.start, piece.end, 0.0)))
        elif left[pairs[j][0]].key != piece.key:
            old, ratio = left[pairs[j][0]], round(pairs[j][1], 3)
            change = Change("changed", old.text, piece.text, old.start, old.end, piece.start, piece.end, ratio)
            placed.append((j, 0, change))
    placed.sort(key=lambda item: item[:2])
    return [change for _, _, change in placed], len(right) - sum(1 for _, _, c in placed if c.kind != "removed")


def _by_id(left: Sequence[_Piece], right: Sequence[_Piece], same: bool) -> dict[int, tuple[int, float]]:
    """New index -> (old index, similarity) of the statements that have one id on both sides."""
    ids = {piece.id: i for i, piece in enumerate(left) if piece.id}
    found: dict[int, tuple[int, float]] = {}
    for j, piece in enumerate(right):
        i = ids.get(piece.id, -1) if piece.id else -1
        if i >= 0:
            ratio = SequenceMatcher(None, left[i].key, piece.key, autojunk=False).ratio()
            if same or ratio >= _IN_PLACE:  # "Theorem 1" of two documents need not be one statement
                found[j] = (i, ratio)
    return found


def _similar(
    left: Sequence[_Piece], right: Sequence[_Piece], a: list[int], b: list[int]
) -> dict[int, tuple[int, float]]:
    """Pairs within one replaced block, most similar first."""
    scored: list[tuple[float, int, int]] = []
    if len(a) * len(b) <= _PAIRS:
        for j in b:
            matcher = SequenceMatcher(None, "", right[j].key, autojunk=False)
            for i in a:
                matcher.set_seq1(left[i].key)
                if matcher.real_quick_ratio() >= SIMILAR and matcher.quick_ratio() >= SIMILAR:
                    ratio = matcher.ratio()
                    if ratio >= SIMILAR:
                        scored.append((-ratio, j, i))
    found: dict[int, tuple[int, float]] = {}
    used: set[int] = set()
    for negative, j, i in sorted(scored):
        if j not in found and i not in used:
            found[j] = (i, -negative)
            used.add(i)
    rest = [i for i in a if i not in used], [j for j in b if j not in found]
    if len(rest[0]) == len(rest[1]) == 1:
        (i,), (j,) = rest
        ratio = SequenceMatcher(None, left[i].key, right[j].key, autojunk=False).ratio()
        if ratio >= _IN_PLACE:
            found[j] = (i, ratio)
    return found
