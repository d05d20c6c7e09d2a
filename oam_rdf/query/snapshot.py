"""One generation as one clearance sees it: store, passages, text indexes, facets and Originals.

Everything opens on first use. A part that is missing or damaged switches its channel off and is recorded in
``degraded``; it never fails silently and never takes the other channels with it (architecture.md, "When something is
missing").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from pyoxigraph import NamedNode, Store

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.index.base import LexicalChannel, backend
from oam_rdf.index.columns import Array, Column
from oam_rdf.index.dense import DenseIndex
from oam_rdf.index.embed import Embedder
from oam_rdf.index.facet_table import BEGINNING, Facets
from oam_rdf.index.graph_table import Graph, GraphTable
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.tag_table import Tags, TagTable
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import encode_id
from oam_rdf.ontology import Ontology
from oam_rdf.query.degraded import UNREADABLE, Parts, uncovered
from oam_rdf.query.originals import Texts
from oam_rdf.query.query_vectors import QueryVectors
from oam_rdf.query.redact import widened
from oam_rdf.query.seen import visible_passages
from oam_rdf.store.layout import Layout
from oam_rdf.text.lexicon import Lexicon, load_lexicon

_NUMBERED = re.compile(r"([A-Za-z]+)[-_ ]?\d+\Z")


class GenerationLike(Protocol):
    """What is needed of :class:`oam_rdf.store.publish.Generation`."""

    number: int
    path: Path
    manifest: dict[str, Any]

    @property
    def revision(self) -> int: ...


class Snapshot(Parts):
    """A generation of the knowledge base ``kb`` at a clearance. Opens nothing by itself; call :meth:`close` at the end.

    :param embedder: a loaded embedder to share between snapshots; otherwise the one that the manifest names is loaded
        when a query first needs it.
    :param strict: a part that cannot be read is an error instead of a degraded channel.
    """

    def __init__(
        self,
        kb: Path,
        generation: GenerationLike,
        clearance: str = "RESTRICTED",
        *,
        embedder: Embedder | None = None,
        strict: bool = False,
    ) -> None:
        if clearance not in VISIBILITIES:
            raise UsageError(f"unknown clearance {clearance!r}", hint="one of " + ", ".join(VISIBILITIES))
        super().__init__(Path(kb), Path(generation.path), clearance, strict)
        self.generation = generation
        self.originals = Texts(self.kb / "originals")
        #: What others computed from this snapshot and keep with it, by name.
        self.notes: dict[str, Any] = {}
        name = str(generation.manifest.get("model", {}).get("name") or "e5")
        self._query_vectors = QueryVectors(name, embedder)

    # -- parts -----------------------------------------------------------------------------------------------------

    @cached_property
    def store_path(self) -> Path:
        """Oxigraph store of what this clearance may see; projections exist only where they differ from the whole."""
        projection = Path(self.generation.path) / "projections" / self.clearance.lower()
        if self.clearance != VISIBILITIES[-1] and projection.is_dir():
            return projection
        return Path(self.generation.path) / "store"

    @cached_property
    def store(self) -> Store:
        """Read-only. Query it with ``use_default_graph_as_union=True``."""
        return self._needed("store", lambda: Store.read_only(str(self.store_path)))

    @cached_property
    def facets(self) -> Facets:
        return self._needed("facets", lambda: Facets.open(Path(self.generation.path) / "facets"))

    @cached_property
    def passages(self) -> PassageTable:
        found = self._optional("passages", lambda: PassageTable.open(Path(self.generation.path) / "passages"))
        return PassageTable.empty() if found is None else found

    @cached_property
    def lexical(self) -> LexicalChannel | None:
        """None when it is off: see ``degraded``. Without the configured backend, the default one where it has an index."""
        folder, configured = Path(self.generation.path), str(self.generation.manifest.get("lexical", "whoosh"))

        def opened(name: str) -> LexicalChannel:
            made = backend(name)
            return made.open(folder / made.folder, self.passages, self.lexicon)

        found = self._optional("lexical", lambda: opened(configured))
        if found is None and configured != "whoosh" and (folder / "lexical").is_dir():
            found = self._optional("lexical", lambda: opened("whoosh"))
        return found

    @cached_property
    def lexicon(self) -> Lexicon:
        """What words are widened by; what is missing of it is in ``degraded`` as synonyms or translations."""
        found = load_lexicon(Layout(self.kb).synonyms)
        for name, reason in found.problems.items():
            self.note(name, reason)
        return found

    @cached_property
    def dense(self) -> DenseIndex | None:
        """None when it is off: see ``degraded``, which also tells of passages that have no vector yet."""
        folder = Path(self.generation.path) / "dense"
        if not folder.is_dir():
            self.note("dense", "no vectors are published yet: run `oam embed`")
            return None
        found = self._optional("dense", lambda: DenseIndex.open(folder, self.passages))
        if found is not None and (reason := uncovered(found.embedded, self.visible_passages)):
            self.note("dense", reason)
        return found

    @cached_property
    def graph(self) -> Graph | None:
        """The edges that this clearance sees; None when the channel is off: see ``degraded``."""
        folder, facets, visible = Path(self.generation.path) / "graph", self.facets, self.visible
        table = self._optional("graph", lambda: GraphTable.open(folder, len(facets)))
        return None if table is None else table.view(facets, visible, self.clearance)

    @cached_property
    def tags(self) -> Tags | None:
        """The operators, roles and other concepts of objects; None when the channel is off: see ``degraded``."""
        folder, facets, visible = Path(self.generation.path) / "tags", self.facets, self.visible
        table = self._optional("tags", lambda: TagTable.open(folder, len(facets)))
        return None if table is None else table.view(facets, visible, self.clearance)

    @property
    def ontology(self) -> Ontology:
        """The vocabulary with what the knowledge base's own Turtle adds. :raises ConfigError: if that is damaged."""
        return Ontology.load(extra=Layout(self.kb).ontology)

    @cached_property
    def history(self) -> Store | None:
        """Copies of changed and removed objects, or None where nothing was ever changed."""
        # A generation that carries its own snapshot is preferred: the writer may be at work on the other.
        folders = (Path(self.generation.path) / "history", self.kb / "history")
        folder = next((folder for folder in folders if (folder / "CURRENT").exists()), None)
        if folder is None:
            return None
        return self._optional("history", lambda: Store.read_only(str(folder)))

    def query_vector(self, text: str) -> Array | None:
        """The query's embedding, or None with the reason in ``degraded``. :returns: float32[dim], normalised."""
        dense = self.dense
        if dense is None or not text.strip() or "\0" in text:
            return None
        try:
            vector = self._query_vectors.of(text, dense.fingerprint)
            reason = uncovered(dense.embedded, self.visible_passages)  # an embedder that was away is back
        except UNREADABLE as error:
            vector, reason = None, str(error)
        if self.degraded.get("dense", "") != self.told(reason):
            self.degraded.pop("dense", None)
        if reason:
            self.note("dense", reason)
        return vector

    def close(self) -> None:
        """Drop what was opened. The generation's lock is its owner's to release."""
        for name in ("store", "facets", "passages", "lexical", "dense", "graph", "tags", "history"):
            self.__dict__.pop(name, None)

    # -- what may be seen ------------------------------------------------------------------------------------------

    @cached_property
    def visible(self) -> Array:
        """``bool[objects]``: rows this clearance may see (decision D16)."""
        return self.facets.visible(self.clearance)

    @cached_property
    def edges(self) -> tuple[Array, Array]:
        """``(new, old)``: rows of the visible supersession edges."""
        return self.facets.edges(self.visible, self.clearance)

    @cached_property
    def successors(self) -> Mapping[int, list[int]]:
        """Old row -> rows that supersede it, as far as this clearance may know."""
        found: dict[int, list[int]] = {}
        for later, earlier in zip(*(rows.tolist() for rows in self.edges), strict=True):
            found.setdefault(earlier, []).append(later)
        return MappingProxyType(found)

    @cached_property
    def version_status(self) -> Column:
        """Effective version status as far as this clearance may know: a hidden successor supersedes nothing here."""
        return self.facets.effective_status(self.edges[1])

    @cached_property
    def begins(self) -> Array:
        """``int64[objects]``: seconds from which each object holds: its own date, else its document's, else always."""
        facets = self.facets
        start = np.where(facets.valid_from > BEGINNING, facets.valid_from, facets.created)
        inherits = (start == BEGINNING) & (facets.document >= 0)
        found: Array = np.where(inherits, start[np.maximum(facets.document, 0)], start)
        return found

    @cached_property
    def document_rows(self) -> Array:
        """``int32[documents of the passage table]``: facet row of each, -1 if it has none."""
        rows = {
            self.facets.identifiers[int(r)]: int(r) for r in np.flatnonzero(self.facets.mask("granularity", "DOCUMENT"))
        }
        return np.array([rows.get(name, -1) for name in self.passages.documents], dtype=np.int32)

    @cached_property
    def passage_document(self) -> Array:
        """``int32[passages]``: facet row of each passage's document."""
        found: Array = self.document_rows[self.passages.document] if len(self.document_rows) else np.zeros(0, np.int32)
        return found

    @cached_property
    def statements(self) -> tuple[Array, Array]:
        """``(passage, object row)`` pairs, sorted by passage: statements whose first span begins inside a passage."""
        facets, passages = self.facets, self.passages
        first = np.ones(len(facets.span_owner), dtype=bool)
        first[1:] = facets.span_owner[1:] != facets.span_owner[:-1]
        fine = facets.mask("granularity", ("STATEMENT", "ARGUMENT", "EVIDENCE_ARTIFACT", "OTHER"))[facets.span_owner]
        chosen = np.flatnonzero(first & fine)
        return self._containing(facets.span_owner[chosen], facets.span_start[chosen], passages)

    def _containing(self, owners: Array, starts: Array, passages: PassageTable) -> tuple[Array, Array]:
        known = np.flatnonzero((self.passage_document >= 0) & (passages.start >= 0))
        keys = (self.passage_document[known].astype(np.int64) << 32) + passages.start[known]
        order = np.argsort(keys, kind="stable")
        known, keys = known[order], keys[order]
        wanted = (self.facets.document[owners].astype(np.int64) << 32) + starts
        at = np.searchsorted(keys, wanted, side="right") - 1
        inside = at >= 0
        passage = known[np.maximum(at, 0)] if len(known) else np.zeros(len(at), dtype=np.int64)
        if len(known):
            inside &= self.passage_document[passage] == self.facets.document[owners]
            inside &= starts < passages.end[passage]
        else:
            inside[:] = False
        passage, owners = passage[inside], owners[inside]
        order = np.lexsort((owners, passage))
        return passage[order], owners[order]

    @cached_property
    def visible_passages(self) -> Array:
        """``bool[passages]``: passages of visible documents that no hidden object's span touches."""
        return visible_passages(self)

    @cached_property
    def languages(self) -> dict[str, Array]:
        """Primary language subtag -> ``bool[passages]``: what may be seen in it. Languages of hidden texts alone are none."""
        found = {tag: rows & self.visible_passages for tag, rows in self.passages.by_language.items()}
        return {tag: rows for tag, rows in found.items() if rows.any()}

    @cached_property
    def inline_owner(self) -> Array:
        """``int32[passages]``: the object that a passage without span stands for, -1 for all others."""
        passages = self.passages
        owners = np.full(len(passages), -1, dtype=np.int32)
        for row in np.flatnonzero((passages.start < 0) & (self.passage_document >= 0)):
            local = passages.object(int(row)) or passages.section(int(row))
            owners[row] = self.object_row(int(self.passage_document[row]), local)
        return owners

    def passages_of(self, document: int) -> Array:
        """Passage rows of the document at a facet row."""
        name = self.facets.identifiers[document]
        if name not in self._document_names:
            return np.zeros(0, dtype=np.int64)
        rows = self.passages.rows_of(name)
        return np.arange(rows.start, rows.stop)

    def passages_in(self, row: int) -> list[int]:
        """Visible passage rows that belong to an object: all of a document, those that a part's spans touch."""
        facets, passages = self.facets, self.passages
        document = int(facets.document[row])
        if document < 0:
            return []
        rows = self.passages_of(document)
        rows = rows[self.visible_passages[rows]]
        if document != row:
            touched = np.zeros(len(rows), dtype=bool)
            for start, end in self.spans_of(row):
                touched |= (passages.start[rows] < end) & (passages.end[rows] > start)
            rows = rows[touched | (self.inline_owner[rows] == row)]
        return [int(passage) for passage in rows]

    def spans_of(self, row: int) -> list[tuple[int, int]]:
        """``(start, end)`` of an object's spans in its Original, in order."""
        low, high = self.facets.span_owner.searchsorted((row, row + 1)).tolist()
        starts, ends = self.facets.span_start[low:high], self.facets.span_end[low:high]
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    @cached_property
    def _document_names(self) -> frozenset[str]:
        return frozenset(self.passages.documents)

    @cached_property
    def id_prefixes(self) -> frozenset[str]:
        """Letters before the number in the visible documents' ids (``pep`` of PEP-0241): what an id here looks like."""
        rows = np.flatnonzero(self.visible & self.facets.mask("granularity", "DOCUMENT"))
        matches = (_NUMBERED.match(self.facets.identifiers[int(row)]) for row in rows)
        return frozenset(match.group(1).casefold() for match in matches if match)

    def object_row(self, document: int, local: str) -> int:
        """Facet row of a part of a document by its local id, or of a corpus-wide id; -1 if there is none."""
        iri = self.facets.iris[document]
        if not local:
            return document
        row = self.facets.row(f"{iri}#{encode_id(local)}")
        if row < 0 and "doc/" in iri:
            row = self.facets.row(f"{iri.rpartition('doc/')[0]}ko/{encode_id(local)}")
        return row

    def admits(self, iri: str) -> bool:
        """Whether a walk may arrive at ``iri``: anything but an object that this clearance may not see."""
        row = self.facets.row(iri)
        # A span, tag or relation node is as visible as what it is about (``doc/D#H1.span``, ``ko/X#span``).
        for mark in (".", "#"):
            if row < 0 and "#" in iri:
                row = self.facets.row(iri.rpartition(mark)[0])
        return row < 0 or bool(self.visible[row])

    def exists(self, iri: str) -> bool:
        """Whether the visible store says anything of ``iri``."""
        node = NamedNode(iri)
        found = next(self.store.quads_for_pattern(node, None, None), None)
        return found is not None or next(self.store.quads_for_pattern(None, None, node), None) is not None

    # -- text ------------------------------------------------------------------------------------------------------

    def original(self, sha256: str) -> str:
        """Text of an Original. :raises NotFound: if it is not kept here."""
        return self.originals.text(sha256)

    def hides(self, sha256: str) -> list[tuple[int, int]]:
        """Spans of an Original that belong to objects this clearance may not see, in order."""
        facets = self.facets
        out = ~self.visible[facets.span_owner]
        if not out.any():
            return []
        codes = [code for code, name in enumerate(facets.originals) if name == sha256]
        out &= facets.span_source == (codes[0] if codes else -1)
        return sorted(zip(facets.span_start[out].tolist(), facets.span_end[out].tolist(), strict=True))

    def hidden(self, sha256: str) -> list[tuple[int, int]]:
        """Ranges of an Original that must not be shown: hidden spans and what would tell of them. Sorted."""
        spans = self.hides(sha256)
        return widened(self.original(sha256), spans) if spans else []

    def original_of(self, row: int) -> str:
        """Hash of the Original that a document, or the document of a part, is derived from; "" if none."""
        document = int(self.facets.document[row])
        code = int(self.facets.original[document]) if document >= 0 else -1
        return self.facets.originals[code] if code >= 0 else ""

    def text(self, row: int) -> str:
        """Text of passage ``row``, or "" (and ``originals`` in ``degraded``) if its Original cannot be read."""
        passages = self.passages
        start, end = int(passages.start[row]), int(passages.end[row])
        if start < 0:
            return passages.inline_text(row)
        document = int(self.passage_document[row])
        try:
            return self.original(self.original_of(document))[start:end]
        except (NotFound, Damaged) as error:
            self.note("originals", str(error))
            return ""
