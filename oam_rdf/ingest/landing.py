"""One document that passed the gate, and the change that puts it into the live store."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.ingest.candidate import Candidate
from oam_rdf.ingest.history import History
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import OAM, PAV, PROV, RDF, XSD, concept
from oam_rdf.store.codec import DocumentQuads, Resolved
from oam_rdf.store.document_quads import Anchors
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals, digest
from oam_rdf.store.review import HAS_OPERATOR, STATUS, Decisions

_STATE, _ASSESSES = NamedNode(OAM + "epistemicState"), NamedNode(OAM + "assesses")
_VISIBILITY = NamedNode(OAM + "visibility")
_ACTIVITY_KIND, _TYPE = NamedNode(OAM + "activityKind"), NamedNode(RDF + "type")
# What people add to an object beside its state, each in its assessment graph.
_ADDED = {STATUS, HAS_OPERATOR, NamedNode(OAM + "hasEvidence"), NamedNode(OAM + "verification")}
_ATTRIBUTED, _PREVIOUS = NamedNode(PROV + "wasAttributedTo"), NamedNode(PAV + "previousVersion")


@dataclass(slots=True)
class Landing:
    """A candidate with its quads and its resolved relations."""

    candidate: Candidate
    quads: DocumentQuads
    resolved: Sequence[Resolved]
    events: Sequence[str | None] = ()  # what the ids of its status events resolved to
    anchors: Anchors = field(default_factory=dict)  # where its quotes stand

    @property
    def targets(self) -> list[str | None]:
        """What each relation of the document leads to: the first of several."""
        found: list[str | None] = []
        last = None
        for resolved in self.resolved:
            if resolved.relation is not last:
                found.append(resolved.target)
            last = resolved.relation
        return found

    def replaced_graphs(self, minter: Minter, graphs: Sequence[str]) -> list[str]:
        """Stored graphs of the document that this one replaces, out of ``graphs`` (all names in the store, sorted)."""
        prefixes = {minter.graph(self.candidate.id, "")}
        if self.candidate.previous:
            prefixes.add(minter.graph(self.candidate.previous.id, ""))
        return sorted(name for prefix in prefixes for name in _below(prefix, graphs))

    def original(self, originals: Originals) -> bytes | None:
        """The bytes to keep; None when the file changed between parsing and landing."""
        found = originals.find(self.candidate.sha256)
        if found:
            return found.read_bytes()
        data = self.candidate.file.absolute.read_bytes()
        return data if digest(data) == self.candidate.sha256 else None

    def suffix(self) -> str:
        return Path(self.candidate.file.path).suffix

    def replacement(
        self,
        live: LiveStore,
        history: History,
        minter: Minter,
        graphs: Sequence[str],
        *,
        moment: str,
        segmentation: str,
        vocabulary: str = "",
    ) -> Replacement:
        """The change for the live store; copies what it replaces into the history first."""
        drop = replaced = self.replaced_graphs(minter, graphs)
        if self.candidate.previous and self.candidate.previous.sha256 == self.candidate.sha256:
            # The text is the same: what taggers said of it still holds (another run of the same tagger replaces it).
            drop = [name for name in drop if "/annotation/" not in name or "/annotation/import" in name]
        quads = list(self.quads.quads())
        old = [quad for name in drop for quad in live.store.quads_for_pattern(None, None, None, NamedNode(name))]
        standing = [name for name in replaced if name not in drop]
        quads = _with_kept_assessments(old, quads, lambda: _described(live, standing))
        assertion = NamedNode(minter.graph(self.candidate.id, "assertion"))
        provenance = NamedNode(minter.graph(self.candidate.id, "provenance"))
        previous = self.candidate.previous
        committed = moment
        if previous and previous.sha256 != self.candidate.sha256:
            _, living = history.keep(
                previous.id,
                [quad for quad in old if _is_content(quad)],
                [quad for quad in quads if _is_content(quad)],
                original=previous.sha256,
                committed_from=previous.committed or moment,
                committed_until=moment,
                previous=previous.previous,
                visibility=_strictest(old),
            )
            quads += [Quad(NamedNode(live_iri), _PREVIOUS, NamedNode(copy), provenance) for live_iri, copy in living]
        elif previous:
            # The text is the same (renamed, relinked, another profile): it holds since it was first committed.
            committed = previous.committed or moment
            quads += [quad for quad in old if quad.predicate == _PREVIOUS and "/provenance" in _graph(quad)]
        quads.append(
            Quad(
                assertion,
                NamedNode(OAM + "committedAt"),
                Literal(committed, datatype=NamedNode(XSD + "dateTime")),
                provenance,
            )
        )
        if segmentation != "said":
            quads.append(Quad(assertion, NamedNode(OAM + "segmentation"), Literal(segmentation), provenance))
        if self.candidate.rdf_base:
            quads.append(Quad(assertion, NamedNode(OAM + "givenBase"), Literal(self.candidate.rdf_base), provenance))
        if vocabulary:
            quads.append(Quad(assertion, NamedNode(OAM + "ownVocabulary"), Literal(vocabulary), provenance))
        return Replacement(tuple(drop), quads, assertion.value, provenance.value)


def _below(prefix: str, names: Sequence[str]) -> Iterator[str]:
    """Those of sorted names that begin so."""
    at = bisect_left(names, prefix)
    return takewhile(lambda name: name.startswith(prefix), (names[n] for n in range(at, len(names))))


def _graph(quad: Quad) -> str:
    return quad.graph_name.value  # type: ignore[union-attr]


def _strictest(quads: Sequence[Quad]) -> str:
    """The narrowest visibility that any graph of the document had."""
    rank = {concept("visibility", level): number for number, level in enumerate(VISIBILITIES)}
    found = (
        rank.get(quad.object.value, 3)
        for quad in quads
        if quad.predicate == _VISIBILITY and isinstance(quad.object, NamedNode)
    )
    return VISIBILITIES[max(found, default=0)]


def _is_content(quad: Quad) -> bool:
    return "/assertion" in _graph(quad) or "/assessment" in _graph(quad)


def _described(live: LiveStore, graphs: Sequence[str]) -> set[object]:
    """What some stored graphs say what it is."""
    return {
        quad.subject for name in graphs for quad in live.store.quads_for_pattern(None, _TYPE, None, NamedNode(name))
    }


def _with_kept_assessments(
    old: Sequence[Quad], new: list[Quad], standing: Callable[[], set[object]] = set
) -> list[Quad]:
    """What people said survives re-import: their nodes stay, and their state stays the current one (ontology.md).

    Their decisions on tags hold for those of the importer, too. ``standing``: what graphs that are not replaced describe.
    """
    said = [quad for quad in old if "/assessment" in _graph(quad)]
    judged = {quad.subject for quad in said if quad.predicate == _ATTRIBUTED}
    if not judged and not any(quad.predicate in _ADDED for quad in said):
        return new
    about = {quad.object for quad in said if quad.predicate == _ASSESSES and quad.subject in judged}
    living = {quad.subject for quad in new} | standing()
    kept = [
        quad
        for quad in said
        if quad.subject in judged
        or (quad.predicate == _STATE and quad.subject in about & living)
        or (quad.predicate in _ADDED and quad.subject in living)
    ]
    named = {quad.object for quad in kept} - judged - living  # the evidence that they name
    kept += [quad for quad in said if quad.subject in named]
    # The runs that flags speak of, which are told of in the provenance graphs.
    runs = {quad.subject for quad in old if quad.predicate == _ACTIVITY_KIND and "/provenance" in _graph(quad)}
    kept += [quad for quad in old if quad.subject in runs and "/provenance" in _graph(quad)]
    new = [quad for quad in new if not (quad.predicate == _STATE and quad.subject in about)]
    return _veiled(Decisions.of(kept).applied([*new, *kept]))


def _veiled(quads: list[Quad]) -> list[Quad]:
    """With the visibility of assessment graphs that only hold what was kept: as narrow as the assertion graph beside them."""
    levels = {quad.subject: quad.object for quad in quads if quad.predicate == _VISIBILITY}
    added = []
    for name in sorted({_graph(quad) for quad in quads if "/assessment" in _graph(quad)}):
        own = NamedNode(name.replace("/assessment", "/provenance", 1))
        suffix = name.partition("/assessment")[2].lstrip("/").upper()
        level = levels.get(NamedNode(name.replace("/assessment", "/assertion", 1)))
        if suffix in VISIBILITIES:
            level = NamedNode(concept("visibility", suffix))
        if level is not None:
            added += [Quad(node, _VISIBILITY, level, own) for node in (NamedNode(name), own) if node not in levels]
    return [*quads, *added]
