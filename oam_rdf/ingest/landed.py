"""What only the whole store shows once documents have landed: they stay, and people are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import NamedNode

from oam_rdf.ingest.landing import Landing
from oam_rdf.model import Issue
from oam_rdf.namespaces import OAM
from oam_rdf.store.graph_checks import check_graph
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.projection import graph_levels

_SUPERSEDES, _DECIDED = NamedNode(OAM + "supersedes"), NamedNode(OAM + "decidedBy")


def findings(live: LiveStore, minter: Minter, landing: Sequence[Landing]) -> Iterator[Issue]:
    """Issues of the documents that landed."""
    yield from _versions(live, landing)
    yield from _visibility(live, landing)
    yield from _audits(live, minter, landing)


def _versions(live: LiveStore, landing: Sequence[Landing]) -> Iterator[Issue]:
    """Cycles and forks of supersession land, with a warning (ontology.md)."""
    places: dict[str, tuple[str, int]] = {}
    for item in landing:
        path = item.candidate.file.path
        for quad in item.quads.quads():
            if quad.predicate == _SUPERSEDES:
                line = next((r.relation.line for r in item.resolved if r.target == _iri(quad.object)), 0)
                for end in (quad.subject, quad.object):
                    places.setdefault(_iri(end), (path, line))
    if not places:
        return
    for finding in check_graph(live.store, ("supersession-cycle", "supersession-fork")):
        if finding.focus in places:
            path, line = places[finding.focus]
            message = f"{finding.message()}: {finding.focus} {finding.value}"
            hint = "it landed; questions about it answer VERSION_CONFLICT until a source is corrected"
            yield Issue("warning", "version-conflict", message, file=path, line=line, hint=hint)


def _visibility(live: LiveStore, landing: Sequence[Landing]) -> Iterator[Issue]:
    """Whoever names a narrower object in a wider graph is told: its own words cannot be taken back."""
    if not landing or not graph_levels(live.store):
        return
    paths = {iri: (item.candidate.file.path, line) for item in landing for iri, line in item.quads.places.items()}
    for finding in check_graph(live.store, ("visibility-leak",)):
        if finding.focus in paths:
            path, line = paths[finding.focus]
            message = f"{finding.message()}: {finding.focus} names {finding.value}"
            hint = "make the naming document as narrow, or the named one as wide; the public view leaves the link out"
            yield Issue("warning", "visibility-leak", message, file=path, line=line, hint=hint)


def _audits(live: LiveStore, minter: Minter, landing: Sequence[Landing]) -> Iterator[Issue]:
    """An audit that decides nothing is told: nobody proposed what it judges, or another one holds."""
    for item in landing:
        if item.candidate.kind == "relinked":
            continue
        for audit in item.candidate.document().audits:
            node = NamedNode(minter.part(item.candidate.id, audit.id))
            if next(live.store.quads_for_pattern(None, _DECIDED, node, None), None) is None:
                message = f"the verdict on {audit.source!r} -> {audit.target!r} decides nothing"
                hint = "nobody proposed that edge (yet), its author states it plainly, or a later round holds"
                yield Issue("note", "verdict-unused", message, item.candidate.file.path, audit.line, hint)


def _iri(term: object) -> str:
    return term.value if isinstance(term, NamedNode) else ""
