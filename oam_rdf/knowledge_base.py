"""The one facade: what the command line, the server, MCP and programs use."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from oam_rdf.annotate.report import AnnotateReport
from oam_rdf.annotate.run import AnnotateOptions, Annotator
from oam_rdf.curation import Curation
from oam_rdf.errors import UsageError
from oam_rdf.index.embed import Embedder, load_embedder
from oam_rdf.ingest.embedding import EmbedReport, embed_passages, embedder_name
from oam_rdf.ingest.run import Progress, silent
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import PREFIXES
from oam_rdf.ontology import Ontology, in_force
from oam_rdf.query import card, diff, export, priority, search, source, versions
from oam_rdf.query.answer import Answer
from oam_rdf.query.card import Card
from oam_rdf.query.certificate import Certificates
from oam_rdf.query.certificate_rdf import serialize_certificate
from oam_rdf.query.compile import compile_query
from oam_rdf.query.diff import Diff
from oam_rdf.query.navigator import Navigator
from oam_rdf.query.options import checked_language
from oam_rdf.query.plan import Plan
from oam_rdf.query.propose import Chat, propose
from oam_rdf.query.replay import Replay, run_again
from oam_rdf.query.shared import Shared
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.source import SourceView
from oam_rdf.query.status import Status, status
from oam_rdf.query.versions import Chain
from oam_rdf.store import publish
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.originals import Originals
from oam_rdf.store.sparql import Limits, WorkerPool
from oam_rdf.store.validation import Validation, validate_files, validate_store
from oam_rdf.writing import Writer

_ALL = VISIBILITIES[-1]


class KnowledgeBase(Writer, Navigator):
    """A knowledge base on disk. Use :meth:`init` or :meth:`open`; the constructor does no I/O.

    Reading methods take ``clearance`` (one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED; default all) and answer from the
    generation that CURRENT names at that moment; they may be called from many threads. Results have ``to_json()``.
    """

    def __init__(self, layout: Layout, config: Config) -> None:
        super().__init__(layout, config)
        self._guard = threading.Lock()
        self._snapshots: dict[str, Shared] = {}
        self._embedder: Embedder | None = None
        self._pool: WorkerPool | None = None
        self._limits, self._workers = Limits(), 2

    def close(self) -> None:
        """Let go of generations and stop the query workers."""
        with self._guard:
            for shared in self._snapshots.values():
                shared.retire()
            self._snapshots.clear()
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------------------------------

    def annotate(self, options: AnnotateOptions | None = None, progress: Progress = silent) -> AnnotateReport:
        """Propose tags for documents (see :mod:`oam_rdf.annotate.run`)."""
        with in_force(self.layout.ontology):
            return Annotator(self.layout, self.config, progress).annotate(options or AnnotateOptions())

    def embed(
        self, progress: Progress = silent, *, wait: float = 30.0, limit: int | None = None, embedder: str = ""
    ) -> EmbedReport:
        """Embed the passages that have no vector yet, and publish them; resumable at any point.

        ``embedder``: as :func:`oam_rdf.index.embed.load_embedder` names it; default ``OAM_EMBEDDER``, else ``oam.toml``.
        """
        publication = self._publication
        with publish.current(self.layout) as generation:
            model = dict(generation.manifest.get("model", {}))
            name = embedder_name(embedder, self.config.embedder, str(model.get("name", "")))
            snapshot = Snapshot(self.layout.root, generation)
            try:
                return embed_passages(
                    self.layout,
                    snapshot.passages,
                    snapshot.text,
                    self._load_embedder(name, progress),
                    publication,
                    progress,
                    wait=wait,
                    limit=limit,
                    model=model,
                    name=name,
                    priority=priority.importance(snapshot),
                    access=priority.access(snapshot, self.certificates),
                )
            finally:
                snapshot.close()

    # -- reading ---------------------------------------------------------------------------------------------------

    def search(self, query: str | Plan, *, clearance: str = _ALL, **options: Any) -> Answer:
        """Answer a question; options as :func:`oam_rdf.query.search.search`."""
        with self.snapshot(clearance) as snapshot:
            return search.search(snapshot, query, certificates=self.certificates, **options)

    def plan(
        self, query: str, *, language: str = "", chat: Chat | None = None, name: str = "", clearance: str = _ALL
    ) -> Plan:
        """What :meth:`search` would ask for a text, to look at or to change; give the plan to it in place of the text.

        With a ``chat`` the model ``name`` proposes more (see :mod:`oam_rdf.query.propose`), and is sent the text alone; where
        it fails, the plan is that of the rules and says so.
        """
        with self.snapshot(clearance) as snapshot:
            plan = compile_query(query, snapshot, checked_language(language))
        return plan if chat is None else propose(plan, chat, name)

    def trace(self, retrieval_id: str, *, clearance: str = _ALL) -> dict[str, Any]:
        """The certificate of an earlier answer."""
        return dict(self.certificates.load(retrieval_id, clearance))

    def trace_rdf(self, retrieval_id: str, fmt: str = "turtle", *, clearance: str = _ALL) -> bytes:
        """The certificate of an earlier answer as PROV-O (see :mod:`oam_rdf.query.certificate_rdf`)."""
        return serialize_certificate(self.certificates.load(retrieval_id, clearance), self.minter, fmt)

    def replay(self, retrieval_id: str, *, latest: bool = False, clearance: str = _ALL) -> Replay:
        """Run an earlier answer's plan again at its own clearance: on its generation, or with ``latest`` on the present one.

        A generation that is gone is said in the result, not raised.
        """
        certificate = self.certificates.load(retrieval_id, clearance)
        asked = self.certificates.asked(retrieval_id, clearance)
        level, number = str(certificate["clearance"]), int(certificate["generation"])
        if latest or number == publish.current_number(self.layout):
            with self.snapshot(level) as snapshot:
                return run_again(snapshot, certificate, asked)
        try:
            generation = publish.open_generation(self.layout, number)
        except UsageError:
            return Replay(retrieval_id, number, 0, publish.kept(self.layout))
        with in_force(self.layout.ontology), generation:
            old = Snapshot(self.layout.root, generation, level, embedder=self._embedder)
            try:
                return run_again(old, certificate, asked)
            finally:
                old.close()

    def pin(self, retrieval_id: str, *, keep: bool = True, clearance: str = _ALL) -> int:
        """Keep the generation that an answer was made on (``keep`` False: no longer); returns its number.

        :raises UsageError: if it is gone already.
        """
        number = int(self.certificates.load(retrieval_id, clearance)["generation"])
        if keep:
            publish.pin(self.layout, number)
        else:
            publish.unpin(self.layout, number)
        return number

    def source(self, identifier: str, *, context: int = 80, clearance: str = _ALL) -> SourceView:
        """The passage of the Original that an object was quoted from."""
        with self.snapshot(clearance) as snapshot:
            return source.source(snapshot, identifier, context=context)

    def card(self, identifier: str, *, clearance: str = _ALL) -> Card:
        """An object with its relations and the directions that lead somewhere from it."""
        with self.snapshot(clearance) as snapshot:
            return card.card(snapshot, identifier)

    def versions(self, identifier: str, *, clearance: str = _ALL) -> Chain:
        """The evolution chain of an object."""
        with self.snapshot(clearance) as snapshot:
            return versions.chain(snapshot, identifier)

    def diff(self, old: str, new: str = "", *, clearance: str = _ALL) -> Diff:
        """Statements added, removed and changed between two documents, or since the last edit of one."""
        with self.snapshot(clearance) as snapshot:
            return diff.diff(snapshot, old, new)

    def sparql(
        self,
        query: str,
        *,
        format: str | None = None,
        default_graphs: Sequence[str] | None = None,
        named_graphs: Sequence[str] | None = None,
        strict: bool = False,
        timeout: float | None = None,
        clearance: str = _ALL,
    ) -> tuple[bytes, str]:
        """Answer a SPARQL query in a killable worker: (bytes, media type)."""
        with self.snapshot(clearance) as snapshot:
            with self._guard:
                if self._pool is None:
                    self._pool = WorkerPool(
                        snapshot.store_path,
                        workers=self._workers,
                        limits=self._limits,
                        prefixes=PREFIXES | self.minter.prefixes(),
                    )
            return self._pool.query(
                query, format=format, default_graphs=default_graphs, named_graphs=named_graphs, strict=strict,
                timeout=timeout, base=self.config.base, store=snapshot.store_path,
            )  # fmt: skip

    def configure_queries(self, limits: Limits, workers: int = 2) -> None:
        """Set the limits of SPARQL queries; call it before the first one."""
        self._limits, self._workers = limits, workers

    def export(
        self,
        identifiers: str | Sequence[str] | None,
        fmt: str = "turtle",
        *,
        tcf: bool = False,
        originals: Path | None = None,
        clearance: str = _ALL,
    ) -> bytes:
        """Objects by id, or everything for None, in a format of :data:`oam_rdf.query.export.NAMES` (see there).

        ``originals`` names a folder that receives the Originals which the export points into.
        """
        ids = [identifiers] if isinstance(identifiers, str) else identifiers
        folders = (self.layout.originals, originals) if originals is not None else None
        with self.snapshot(clearance) as snapshot:
            return export.export(snapshot, self.minter, ids, fmt, tcf=tcf, originals=folders)

    def validate(self, files: Sequence[str | Path] = (), *, engine: str = "auto", clearance: str = _ALL) -> Validation:
        """Validate files or folders of RDF, or this knowledge base when none are given."""
        if files:
            with in_force(self.layout.ontology):
                return validate_files([Path(file) for file in files], engine=engine)
        with self.snapshot(clearance) as snapshot:
            return validate_store(snapshot.store, engine=engine)

    def status(self, *, clearance: str = _ALL) -> Status:
        """What is here: counts, revision, coverage, what is degraded."""
        if publish.current_number(self.layout) is None:
            return Status.empty(self.layout.root, self.config.base)
        with self.snapshot(clearance) as snapshot:
            return status(snapshot, self.config.base)

    @property
    def ontology(self) -> Ontology:
        """The vocabulary with the Turtle of this knowledge base's own. :raises ConfigError: if that is damaged."""
        return Ontology.load(extra=self.layout.ontology)

    @cached_property
    def curation(self) -> Curation:
        """What people do to what is known: withdraw, assess, check, decide."""
        return Curation(self.minter, Originals(self.layout.originals), self.snapshot, self._publication)

    @cached_property
    def certificates(self) -> Certificates:
        """The append-only store of certificates."""
        return Certificates(self.layout.certificates)

    def _load_embedder(self, name: str, progress: Progress) -> Embedder:
        loaded = load_embedder(name, progress)
        with self._guard:
            self._embedder = loaded
        return loaded

    @contextmanager
    def snapshot(self, clearance: str = _ALL) -> Iterator[Snapshot]:
        """The current generation at a clearance, shared by threads; a newer one replaces it when its last user is done."""
        if clearance not in VISIBILITIES:
            raise UsageError(f"unknown clearance {clearance!r}", hint="one of " + ", ".join(VISIBILITIES))
        with in_force(self.layout.ontology):
            shared = self._acquire(clearance)
            try:
                yield shared.snapshot
            finally:
                shared.release()

    def _acquire(self, clearance: str) -> Shared:
        with self._guard:
            number = publish.current_number(self.layout)
            shared = self._snapshots.get(clearance)
            if shared is None or shared.snapshot.generation.number != number:
                generation = publish.current(self.layout)
                fresh = Shared(
                    Snapshot(self.layout.root, generation, clearance, embedder=self._embedder), generation.close
                )
                if shared is not None:
                    shared.retire()
                self._snapshots[clearance] = shared = fresh
            shared.users += 1
            return shared
