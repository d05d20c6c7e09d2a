"""What edits replaced, read from the history store: versions of documents and the objects that an old text held.

A copy is named by its content, so a text that came back after an edit has one copy with several intervals. An object is
copied only when it changed: what it was at a moment is its first copy that ended later, else what it is now.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.index.facets import micros
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, PROV, RDF, SCHEMES
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import ObjectThen

_VERSION_OF = NamedNode(OAM + "versionOf")
_KINDS = {"Document": "DOCUMENT", "Section": "SECTION", "Argument": "ARGUMENT", "Statement": "STATEMENT"}


@dataclass(frozen=True, slots=True)
class HistoricalVersion:
    """A document as it was between two commits. Times are microseconds since 1970 UTC."""

    iri: str
    document: int
    original: str
    since: int
    until: int

    @property
    def mark(self) -> str:
        """What tells it from the live document: ``DOC@mark``."""
        return self.iri.rpartition("@")[2]


@dataclass(frozen=True, slots=True)
class Copy:
    """An object as it was: ``iri`` of the copy, ``of`` the live object's; ``originals`` that it was read from."""

    iri: str
    of: str
    since: int
    until: int
    originals: tuple[str, ...]

    @property
    def mark(self) -> str:
        return self.iri.rpartition("@")[2]


def versions_of(snapshot: Snapshot, documents: Iterable[int] | None = None) -> list[HistoricalVersion]:
    """Kept versions of the visible documents (or of some), sorted by document and time."""
    store = snapshot.history
    if store is None:
        return []
    if documents is None:
        quads = list(store.quads_for_pattern(None, _VERSION_OF, None))
    else:
        iris = [NamedNode(snapshot.facets.iris[row]) for row in documents]
        quads = [quad for iri in iris for quad in store.quads_for_pattern(None, _VERSION_OF, iri)]
    found = []
    for quad in quads:
        row = snapshot.facets.row(_text(quad.object))
        if row >= 0 and int(snapshot.facets.document[row]) == row and open_to(snapshot, row):
            for copy in _copies(snapshot, store, quad):
                found.append(HistoricalVersion(copy.iri, row, copy.originals[0], copy.since, copy.until))
    return sorted(found, key=lambda version: (version.document, version.since, version.iri))


def open_to(snapshot: Snapshot, document: int) -> bool:
    """Whether the caller may see old texts of a document: they are whole, so only who may see all of it may see them."""
    parts = np.asarray(snapshot.facets.document) == document
    return bool(snapshot.visible[document]) and bool(snapshot.visible[parts].all())


def copies_of(snapshot: Snapshot, iri: str) -> list[Copy]:
    """Copies of one object that the caller may see, oldest first."""
    row, store = snapshot.facets.row(iri), snapshot.history
    if store is None or row < 0 or not open_to(snapshot, int(snapshot.facets.document[row])):
        return []
    quads = store.quads_for_pattern(None, _VERSION_OF, NamedNode(iri))
    return sorted((copy for quad in quads for copy in _copies(snapshot, store, quad)), key=lambda c: (c.since, c.iri))


def objects_then(snapshot: Snapshot, version: HistoricalVersion, text: str) -> list[ObjectThen]:
    """The objects of ``version`` with their places in its ``text``; the document first, then in order of the text."""
    store = snapshot.history
    if store is None:
        return []
    copies: dict[str, Copy] = {}
    own = NamedNode(version.iri)
    graph = next((quad.graph_name for quad in store.quads_for_pattern(own, _VERSION_OF, None)), None)
    for quad in store.quads_for_pattern(None, _VERSION_OF, None, graph):
        for copy in _copies(snapshot, store, quad):
            if version.since < copy.until and (copy.of not in copies or copy.until < copies[copy.of].until):
                copies[copy.of] = copy
    facets, document = snapshot.facets, version.document
    found = [_copied(snapshot, store, copy, version, text) for copy in copies.values()]
    changed = {facets.row(iri) for iri in copies}
    for row in np.flatnonzero(np.asarray(facets.document) == document).tolist():
        if row not in changed and row != document:
            found.append(_unchanged(snapshot, row, text))
    known = [item for item in found if item is not None]
    return sorted(known, key=lambda item: (item.granularity != "DOCUMENT", item.start, -item.end, item.identifier))


def _copied(
    snapshot: Snapshot, store: Store, copy: Copy, version: HistoricalVersion, text: str
) -> ObjectThen | None:
    node = NamedNode(copy.iri)

    def one(predicate: str) -> str:
        return value(store, node, predicate)

    kinds = {_text(quad.object) for quad in store.quads_for_pattern(node, NamedNode(RDF + "type"), None)}
    granularity = next((kind for name, kind in _KINDS.items() if OAM + name in kinds), "OTHER")
    content, title = one(OAM + "content"), one(DCTERMS + "title")
    where = (0, len(text)) if granularity == "DOCUMENT" else None
    if where is None and copy.originals == (version.original,):
        start, end = one(OA + "start"), one(OA + "end")
        where = (int(start), int(end)) if start and end else None
        if where is not None and content and not content.endswith(text[where[0] : where[1]]):
            where = None  # the first of several spans: what is said stands at the last
    where = where or _place(text, content, title if granularity == "SECTION" else "")
    if where is None:
        return None
    return ObjectThen(
        identifier=one(DCTERMS + "identifier"), iri=copy.of, row=snapshot.facets.row(copy.of),
        granularity=granularity, title=title, start=where[0], end=where[1],
        language=one(DCTERMS + "language") or snapshot.facets.column("language")[version.document],
        state=_notation(one(OAM + "epistemicState"), "epistemic-state"),
        verification=_notation(one(OAM + "verification"), "verification"),
        kind=_notation(one(OAM + "statementKind"), "statement-kind"),
        status=_notation(one(OAM + "versionStatus"), "version-status"),
        source_status=one(OAM + "sourceStatus"), version=one(PAV + "version"),
        visibility=_notation(one(OAM + "visibility"), "visibility") or VISIBILITIES[0],
        begins=one(OAM + "validFrom") or one(DCTERMS + "created"), ends=one(OAM + "deprecatedAt"),
    )  # fmt: skip


def _unchanged(snapshot: Snapshot, row: int, text: str) -> ObjectThen | None:
    """A live object that is the same as then, if its words stand in the old text; its offsets may have moved."""
    facets = snapshot.facets
    granularity = facets.column("granularity")[row]
    node = NamedNode(facets.iris[row])
    content = "" if granularity == "SECTION" else value(snapshot.store, node, OAM + "content")
    where = _place(text, content, facets.titles[row] if granularity == "SECTION" else "")
    if where is None:
        return None
    recorded = facets.column("recorded_status")[row]
    return ObjectThen(
        identifier=facets.identifiers[row], iri=facets.iris[row], row=row, granularity=granularity,
        title=facets.titles[row], start=where[0], end=where[1], language=facets.column("language")[row],
        state=facets.column("epistemic_state")[row], verification=facets.column("verification")[row],
        kind=facets.column("kind")[row], status="" if recorded == "ACTIVE" else recorded,
        source_status=facets.source_statuses[row], version=facets.versions[row],
        visibility=facets.column("visibility")[row],
    )  # fmt: skip


def _place(text: str, content: str, title: str) -> tuple[int, int] | None:
    """Where an object's words stand in a text: its content, or the heading line that is its title."""
    if title:
        at = text.find(title)
        while at >= 0:
            line = text[text.rfind("\n", 0, at) + 1 : (text.find("\n", at) + 1 or len(text) + 1) - 1]
            if line.strip(" #*\t\r") == title:
                return at, at + len(title)
            at = text.find(title, at + 1)
        return None
    while content:
        at = text.find(content)
        if at >= 0:
            return at, at + len(content)
        content = content.partition("\n")[2]  # several spans: what is said stands at the last
    return None


def _copies(snapshot: Snapshot, store: Store, quad: Quad) -> list[Copy]:
    """The intervals of one copy, none if the caller may not see it."""
    node = quad.subject
    if not isinstance(node, NamedNode) or _level(store, node) > VISIBILITIES.index(snapshot.clearance):
        return []
    since, until = (sorted({micros(v) for v in values(store, node, OAM + n)}) for n in ("committedFrom", "committedUntil"))
    sources = (name.rpartition("sha256-")[2] for name in values(store, node, PROV + "wasDerivedFrom"))
    originals = tuple(name for name in sources if name) or ("",)
    found = []
    for number, begin in enumerate(since):
        # A writer that was killed and ran again wrote a second end: the last one before the next beginning holds.
        following = since[number + 1] if number + 1 < len(since) else None
        ends = [end for end in until if end > begin and (following is None or end <= following)]
        if ends:
            found.append(Copy(node.value, _text(quad.object), begin, max(ends), originals))
    return found


def value(store: Store, subject: NamedNode, predicate: str) -> str:
    """The first value in order, or ""."""
    found = values(store, subject, predicate)
    return found[0] if found else ""


def values(store: Store, subject: NamedNode, predicate: str) -> list[str]:
    """All values as text, sorted."""
    return sorted(_text(quad.object) for quad in store.quads_for_pattern(subject, NamedNode(predicate), None))


def _text(term: object) -> str:
    return str(getattr(term, "value", ""))


def _notation(iri: str, scheme: str) -> str:
    return iri.removeprefix(SCHEMES[scheme])


def _level(store: Store, copy: NamedNode) -> int:
    name = _notation(value(store, copy, OAM + "visibility"), "visibility")
    return VISIBILITIES.index(name) if name in VISIBILITIES else 0
