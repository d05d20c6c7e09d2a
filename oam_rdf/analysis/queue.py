"""What waits for a person (paper §6.3, §6.4; decisions D3, D9, D28): read from a store, one entry for each thing to decide.

An entry is named by what it is about, never by a node or a run, so that it has the same key after every re-ingest and every
other run of a tagger, and an exported list can be filled in and brought back at any time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.analysis import proposals
from oam_rdf.analysis.flagging import flags
from oam_rdf.analysis.writing import one, values
from oam_rdf.index.tag_table import RELIABLE
from oam_rdf.namespaces import concept
from oam_rdf.ontology import Ontology
from oam_rdf.store import review
from oam_rdf.store.quote_codec import ELSEWHERE
from oam_rdf.store.review import Decided, Decisions
from oam_rdf.store.terms import DERIVED, IDENTIFIER, TITLE, TYPE, n, oam

_CONFIDENCE, _ANNOTATOR, _CUE, _CONTENT = oam("confidence"), oam("annotator"), oam("cue"), oam("content")
_PENDING = n(concept("verdict", "pending"))
_SOURCE, _KIND, _TARGET = oam("relationSource"), oam("relationType"), oam("relationTarget")
_NO_SOURCE, _QUOTE, _SPAN_LABEL = oam("noSource"), oam("quote"), oam("spanLabel")
_PATH, _ROOT, _REMOVED = oam("sourcePath"), oam("ingestRoot"), oam("sourceRemoved")
_EXCERPT = 160  # characters
KINDS = (
    "UNKNOWN_OPERATOR",
    "UNAUDITED_EDGE",
    "LOW_CONFIDENCE",
    "NEEDS_REVIEW",
    "STALE",
    "UNANCHORED",
    "PROPOSED_STATE",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. ``iri`` is the thing itself, ``id`` what people call it; ``concept`` and ``target`` are IRIs.

    ``relation`` holds the IRIs of all relations that are proposed for a pair. ``label`` is the source's word, the reason why
    nothing is anchored, the hash of a changed file, or the mark of a run; ``detail`` says more.
    """

    kind: str
    iri: str
    id: str
    text: str
    concept: str = ""
    label: str = ""
    confidence: float | None = None
    annotator: str = ""
    relation: str = ""
    target: str = ""
    target_id: str = ""
    detail: str = ""
    nodes: tuple[str, ...] = field(default=(), compare=False)  # of the present run

    @property
    def key(self) -> str:
        """Twelve hex digits of what it is about."""
        parts = (self.kind, self.iri, self.concept, self.label, self.target)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def to_json(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in self.__slots__ if name != "nodes"}
        return {"key": self.key, **data}


def queue(store: Store, kinds: Sequence[str] = KINDS, *, everything: bool = False) -> list[Entry]:
    """The entries that nobody has decided yet, by kind in the order of :data:`KINDS`, then by id and key.

    ``everything``: those that somebody has decided as well, so that a decision can be taken anew.
    """
    found = _Reader(store, everything)
    makers: dict[str, Callable[[], Iterable[Entry]]] = {
        "UNKNOWN_OPERATOR": found.unknown, "UNAUDITED_EDGE": found.edges, "LOW_CONFIDENCE": found.unsure,
        "NEEDS_REVIEW": found.flagged, "STALE": found.stale, "UNANCHORED": found.unanchored,
        "PROPOSED_STATE": found.proposals,
    }  # fmt: skip
    entries: dict[str, Entry] = {}
    for kind in KINDS:
        if kind in kinds:
            for entry in makers[kind]():
                entries.setdefault(entry.key, entry)
    return sorted(entries.values(), key=lambda e: (KINDS.index(e.kind), e.id, e.key))


def decisions(store: Store) -> list[Decided]:
    """All decisions of people, oldest first."""
    nodes = {quad.subject for quad in store.quads_for_pattern(None, TYPE, review.DECISION, None)}
    return review.decided(
        quad
        for node in nodes
        if isinstance(node, NamedNode)
        for quad in store.quads_for_pattern(node, None, None, None)
    )


class _Reader:
    def __init__(self, store: Store, everything: bool = False) -> None:
        self.store, self.everything = store, everything
        self.decided = Decisions([] if everything else decisions(store))

    def unknown(self) -> Iterator[Entry]:
        for name in review.OPEN_SET:
            body = n(concept("operator", name))
            for quad in self.store.quads_for_pattern(None, review.BODY, body, None):
                yield from self._tag(quad, "UNKNOWN_OPERATOR")

    def unsure(self) -> Iterator[Entry]:
        opened = {concept("operator", name) for name in review.OPEN_SET}
        for quad in self.store.quads_for_pattern(None, _CONFIDENCE, None, None):
            if float(quad.object.value) >= RELIABLE or not isinstance(quad.subject, NamedNode):  # type: ignore[union-attr]
                continue
            for tag in self.store.quads_for_pattern(quad.subject, review.BODY, None, None):
                if tag.object.value not in opened:  # type: ignore[union-attr]
                    yield from self._tag(tag, "LOW_CONFIDENCE")

    def _tag(self, quad: Quad, kind: str) -> Iterator[Entry]:
        node, body = quad.subject, str(getattr(quad.object, "value", ""))
        if not isinstance(node, NamedNode):
            return
        status = one(values(self.store, node, review.STATUS))
        wanted = ("", review.NEEDS_REVIEW) if kind != "NEEDS_REVIEW" else (review.NEEDS_REVIEW,)
        target, label = one(values(self.store, node, review.TARGET)), one(values(self.store, node, review.LABEL))
        if (
            not target
            or (status not in wanted and not self.everything)
            or review.tag_key(target, body, label) in self.decided.tags
        ):
            return
        sure = one(values(self.store, node, _CONFIDENCE))
        yield Entry(
            kind, target, self.id(target), self.text(target), concept=body,
            label=review.tag_key(target, body, label)[2], confidence=float(sure) if sure else None,
            annotator=one(values(self.store, node, _ANNOTATOR)), detail=one(values(self.store, node, _CUE)),
            nodes=(node.value,),
        )  # fmt: skip

    def edges(self) -> Iterator[Entry]:
        """Proposed edges, by their two ends: a verdict is one on the pair, whatever relations are proposed for it."""
        pairs: dict[tuple[str, str], list[str]] = {}
        for quad in self.store.quads_for_pattern(None, oam("verdict"), None if self.everything else _PENDING, None):
            node = quad.subject
            if not isinstance(node, NamedNode) or not (quad.object == _PENDING or self._ruled(node)):
                continue
            source, target = one(values(self.store, node, _SOURCE)), one(values(self.store, node, _TARGET))
            if not target:
                continue  # what is not resolved cannot be judged yet
            owner = node.value.rpartition("." if "." in node.value.rpartition("#")[2] else "#")[0]
            pair = (target, source) if owner == target else (source, target)
            if pair not in self.decided.edges:
                pairs.setdefault(pair, []).append(node.value)
        for (start, end), nodes in pairs.items():
            said = [
                (n(name), sure) for name in sorted(nodes) for sure in values(self.store, n(name), _CONFIDENCE) or [""]
            ]
            numbers = [float(sure) for _, sure in said if sure]
            words = [
                word
                for node, _ in said
                for word in (*values(self.store, node, _CUE), *values(self.store, node, _QUOTE))
            ]
            relations = sorted({one(values(self.store, node, _KIND)) for node, _ in said})
            yield Entry(
                "UNAUDITED_EDGE", start, self.id(start), self.text(start), confidence=max(numbers, default=None),
                relation=" ".join(relations), target=end, target_id=self.id(end),
                detail=" · ".join(dict.fromkeys(words))[:_EXCERPT], nodes=tuple(sorted(nodes)),
            )  # fmt: skip

    def _ruled(self, node: NamedNode) -> bool:
        """Whether a reviewer gave the verdict of a relation node."""
        by = values(self.store, node, review.DECIDED_BY)
        return any(list(self.store.quads_for_pattern(n(iri), TYPE, review.DECISION, None)) for iri in by)

    def flagged(self) -> Iterator[Entry]:
        status = None if self.everything else n(review.NEEDS_REVIEW)
        for quad in self.store.quads_for_pattern(None, review.STATUS, status, None):
            node = quad.subject
            if not isinstance(node, NamedNode):
                continue
            tags = list(self.store.quads_for_pattern(node, review.BODY, None, None))
            for tag in tags:
                yield from self._tag(tag, "NEEDS_REVIEW")
            if tags or list(self.store.quads_for_pattern(node, TYPE, review.DECISION, None)):
                continue
            standing = flags(self.store, node.value)
            yield Entry(
                "NEEDS_REVIEW", node.value, self.id(node.value), self.text(node.value),
                detail="; ".join(dict.fromkeys(self._told(flag.path, flag.alternatives, flag.run) for flag in standing)),
            )  # fmt: skip

    def _told(self, path: Sequence[Any], alternatives: Sequence[str], run: str) -> str:
        steps = [f"{self.id(e.subject)} {e.predicate.rpartition('#')[2]} {self.id(e.object)}" for e in path]
        other = f"; also upheld by {', '.join(map(self.id, alternatives))}" if alternatives else ""
        return f"{' ← '.join(reversed(steps))}{other} [run {run}]"

    def stale(self) -> Iterator[Entry]:
        """Documents whose file is gone or has other bytes now; each file is read."""
        for quad in self.store.quads_for_pattern(None, _PATH, None, None):
            graph = quad.subject
            if not isinstance(graph, NamedNode):
                continue
            root = one(values(self.store, graph, _ROOT))
            if not root or values(self.store, graph, _REMOVED):
                continue
            original = next(iter(values(self.store, graph, DERIVED)), "").rpartition("sha256-")[2]
            path = Path(root, quad.object.value)  # type: ignore[union-attr]
            try:
                now = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError:
                now = "gone"
            if now == original:
                continue
            base, _, rest = graph.value.partition("graph/")
            iri = f"{base}doc/{rest.partition('/')[0]}"
            made = self.decided.things.get(("STALE", iri))
            if made is None or made.label != now:
                detail = "the file is gone" if now == "gone" else "the file was edited since it was ingested"
                yield Entry("STALE", iri, self.id(iri), self.text(iri), label=now, detail=f"{path}: {detail}")

    def unanchored(self) -> Iterator[Entry]:
        for quad in self.store.quads_for_pattern(None, _NO_SOURCE, None, None):
            node, reason = quad.subject, str(getattr(quad.object, "value", ""))
            if (
                not isinstance(node, NamedNode)
                or reason == ELSEWHERE
                or ("UNANCHORED", node.value) in self.decided.things
            ):
                continue
            words = (*values(self.store, node, _QUOTE), *values(self.store, node, _SPAN_LABEL))
            yield Entry(
                "UNANCHORED", node.value, self.id(node.value), self.text(node.value), label=reason,
                detail=" · ".join(words)[:_EXCERPT],
            )  # fmt: skip

    def proposals(self) -> Iterator[Entry]:
        """What runs that passed propose; a later run asks again."""
        for found in proposals.waiting(self.store, Ontology.load()):
            made, mark = self.decided.things.get(("PROPOSED_STATE", found.about)), found.node.rpartition("-")[2]
            if made is None or made.label != mark:
                missing = f"; needs {found.missing}" if found.missing else ""
                yield Entry(
                    "PROPOSED_STATE", found.about, self.id(found.about), self.text(found.about), label=mark,
                    concept=concept("epistemic-state", found.state), detail=f"{self.id(found.evidence)} passed{missing}",
                    nodes=(found.node,),
                )  # fmt: skip

    def id(self, iri: str) -> str:
        """What people call a node: its identifier, else that of what it is a part of and its own mark, else its IRI."""
        found = one(values(self.store, NamedNode(iri), IDENTIFIER))
        if found:
            return found
        owner, _, mark = iri.rpartition("." if "." in iri.rpartition("#")[2] else "#")
        above = one(values(self.store, NamedNode(owner), IDENTIFIER)) if owner else ""
        return f"{above}.{mark}" if above else iri

    def text(self, iri: str) -> str:
        """The beginning of its words."""
        node = NamedNode(iri)
        return one([*values(self.store, node, _CONTENT), *values(self.store, node, TITLE)])[:_EXCERPT]


__all__ = ["KINDS", "Entry", "decisions", "queue"]
