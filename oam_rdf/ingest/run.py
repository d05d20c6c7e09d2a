"""One ingest under the write lock, step by step: scan, parse, claim ids, resolve, gate, land, prune."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from pyoxigraph import NamedNode, Triple

from oam_rdf.ingest.candidate import Candidate, ParseJob, pack, unpack
from oam_rdf.ingest.catalogue import Catalogue, StoredFile
from oam_rdf.ingest.collisions import Collisions, demote
from oam_rdf.ingest.gate import Gate
from oam_rdf.ingest.history import History
from oam_rdf.ingest.identity import keep_ids, with_id
from oam_rdf.ingest.integrity import Integrity
from oam_rdf.ingest.landed import findings
from oam_rdf.ingest.landing import Landing
from oam_rdf.ingest.linking import Linking
from oam_rdf.ingest.parse import is_rdf
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.rdf import MEDIA_TYPES
from oam_rdf.ingest.references import References
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.report_files import FileEntry
from oam_rdf.ingest.scan import SourceFile, scan
from oam_rdf.ingest.shared_titles import SharedTitles
from oam_rdf.ingest.workers import parse_files
from oam_rdf.model import Issue
from oam_rdf.namespaces import RDF
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import Codec
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals, digest
from oam_rdf.store.shacl import Validator

_BATCH = 64  # documents a commit: bounds what a kill can undo, and the size of one update string
_TYPE = NamedNode(RDF + "type")


class Progress(Protocol):
    """What somebody who waits is told: a step's name, how many are done, of how many."""

    def __call__(self, step: str, done: int, total: int) -> None: ...


def silent(step: str, done: int, total: int) -> None:
    """Tells nobody."""


def now() -> str:
    """The time, UTC, in microseconds, as xsd:dateTime text."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How to ingest. ``workers`` ≤ 1 parses in this process."""

    profile: str = ""
    strict: bool = False  # one refused document, and nothing lands
    prune: bool = False
    dry_run: bool = False
    statements: str = ""  # "said" | "all"; "" = as oam.toml says
    engine: str = "auto"
    workers: int | None = None
    wait: float = 30.0
    base: str = ""  # of relative IRIs in RDF files that state none; "" = as the profile says, else the file's own IRI


@dataclass(slots=True)
class Run:
    """The steps share the report and the catalogue of what is stored."""

    layout: Layout
    config: Config
    ontology: Ontology
    minter: Minter
    originals: Originals
    live: LiveStore
    validator: Validator
    publication: Publication
    options: IngestOptions
    report: IngestReport
    progress: Progress

    @property
    def profile(self) -> str:
        return self.options.profile or self.config.profile

    @property
    def segmentation(self) -> str:
        return self.options.statements or self.config.statements

    def ingest(self, inputs: Sequence[Path]) -> None:
        """All steps; the report says what happened."""
        catalogue = Catalogue.load(self.live, self.minter, self.publication.files())
        files = self._scan(inputs, catalogue)
        candidates = self._changed(files, catalogue, [path.resolve() for path in inputs])
        SharedTitles(catalogue, self.publication.names(), self.report).settle(candidates)
        candidates = Collisions(catalogue, self.publication, self.report).sort_out(candidates)
        references = self._references(candidates)
        linking = self._linking(candidates, references, catalogue)
        candidates += self._relinked(candidates, linking, catalogue)
        checked = Integrity(self.live, self.minter, references, self.report).check(candidates)
        if len(checked) < len(candidates):
            linking = self._linking(checked, self._references(checked), catalogue)
        landing = self._gate(checked, linking, catalogue)
        if self.options.dry_run:
            return
        if self.options.strict and self.report.refused:
            self._nothing_lands(landing)
            return
        self._land(landing)
        self.report.issues.extend(findings(self.live, self.minter, landing))
        if self.options.prune:
            self._prune(catalogue)
        self.publication.parsed = {item.candidate.id: item.candidate.document for item in landing}

    # -- which files -----------------------------------------------------------------------------------------------

    def _scan(self, inputs: Sequence[Path], catalogue: Catalogue) -> list[SourceFile]:
        files, seen = [], set()
        for item in scan(inputs, [Path(root) for root in catalogue.roots]):
            if isinstance(item, Issue):
                self.report.skipped += 1
                self.report.issues.append(item)
            elif item.absolute not in seen:
                seen.add(item.absolute)
                files.append(item)
        self.report.found = len(files) + self.report.skipped
        return files

    def _changed(self, files: list[SourceFile], catalogue: Catalogue, inputs: list[Path]) -> list[Candidate]:
        """Parse what is new or changed; everything else is counted as unchanged."""
        present = {(str(file.root), file.path) for file in files}
        vanished = catalogue.vanished(inputs, present)
        jobs: list[tuple[SourceFile, StoredFile | None]] = []
        for file in files:
            stored = catalogue.at(str(file.root), file.path)
            if stored and self._same(file, stored):
                self.report.unchanged += 1
                self.report.files.append(FileEntry(file.path, "unchanged", str(file.root), stored.id))
            else:
                jobs.append((file, stored))
        candidates = []
        moved: set[str] = set()
        for (file, stored), (packed, refusal) in zip(jobs, self._parse([file for file, _ in jobs]), strict=True):
            if refusal is not None:
                skipped = refusal.severity == "note"  # nothing in it is ours: see Skipped
                self.report.skipped += skipped
                self.report.refused += not skipped
                self.report.issues.append(refusal)
                continue
            document = unpack(packed)
            # The same bytes under a new path, the old path gone: renamed, and the id stays.
            old = stored or next((v for v in vanished if v.sha256 == document.sha256 and v.graph not in moved), None)
            kind = "added" if old is None else "changed" if stored else "renamed"
            if old is not None:
                if kind == "renamed":
                    moved.add(old.graph)
                stays = document.sha256 == old.sha256 or (not document.own_id and catalogue.kept_id(old) != "")
                document = with_id(document, old.id, self.minter) if stays else document
                document = keep_ids(document, self.publication.known(old.id))
            own = document.own_id or (old is not None and document.id == old.id)
            base = self.options.base if document.media_type in MEDIA_TYPES else ""
            candidates.append(
                Candidate(file, document.sha256, old, kind, pack(document), document.id, document.issues, own, base)
            )
        self.report.vanished = sorted(gone.path for gone in vanished if gone.graph not in moved and not gone.removed)
        for path in self.report.vanished:
            hint = "--prune marks them DEPRECATED"
            self.report.issues.append(
                Issue("note", "vanished", "the source is gone; its objects stay", file=path, hint=hint)
            )
        return candidates

    def _same(self, file: SourceFile, stored: StoredFile) -> bool:
        rules = (self.profile, self.segmentation, self.ontology.own)
        if (stored.profile, stored.segmentation, stored.vocabulary) != rules or stored.removed:
            return False
        try:
            data = file.absolute.read_bytes()
            if digest(data) != stored.sha256:
                return False
            # Only what is read as RDF knows a base; what has none to compare with the option is looked into.
            return stored.rdf_base == self.options.base or not (stored.rdf_base or is_rdf(data, file.path))
        except OSError:
            return False  # the parser reports it, with its reason

    def _parse(self, files: list[SourceFile]) -> Iterator[tuple[bytes, Issue | None]]:
        jobs = [
            ParseJob(
                str(file.absolute),
                file.path,
                self.profile,
                self.segmentation,
                self.config.base,
                self.config.max_file_bytes,
                str(self.layout.ontology),
                self.options.base,
            )
            for file in files
        ]
        workers = self.options.workers if self.options.workers is not None else min(os.cpu_count() or 1, 8)
        for number, row in enumerate(parse_files(jobs, workers), 1):
            yield row
            self.progress("parse", number, len(jobs))

    # -- relations -------------------------------------------------------------------------------------------------

    def _references(self, candidates: Iterable[Candidate]) -> References:
        candidates = list(candidates)
        references = References(self.minter)
        without = {candidate.id for candidate in candidates}
        without |= {candidate.previous.id for candidate in candidates if candidate.previous}
        references.load(self.live, without, self.publication.names())
        for candidate in candidates:
            references.add(candidate.document())
        return references

    def _linking(self, candidates: Iterable[Candidate], references: References, catalogue: Catalogue) -> Linking:
        return Linking.of(candidates, references, catalogue, self.live, self.originals)

    def _relinked(self, candidates: list[Candidate], linking: Linking, catalogue: Catalogue) -> list[Candidate]:
        """Untouched documents that would be encoded otherwise now are encoded again from their Originals."""
        if not candidates:
            return []
        busy = {candidate.previous.id for candidate in candidates if candidate.previous}
        again = []
        new = {candidate.id for candidate in candidates}
        stale = linking.stale(self.live, catalogue, candidates)
        resolvable = catalogue.resolvable(self.live, linking.references)
        for document_id in sorted({*resolvable, *catalogue.mentioning(new), *stale}):
            stored = catalogue.by_id[document_id]
            if document_id in busy | new or stored.removed:
                continue
            document = self.publication.reparse(stored.as_document())
            file = SourceFile(Path(stored.root), stored.path)
            again.append(
                Candidate(
                    file, stored.sha256, stored, "relinked", pack(document), document.id,
                    rdf_base=stored.rdf_base, segmentation=stored.segmentation,
                )
            )  # fmt: skip
            demote(again[-1], new | catalogue.by_id.keys())
        return again

    def _gate(self, candidates: list[Candidate], linking: Linking, catalogue: Catalogue) -> list[Landing]:
        """Encode and validate; when documents are refused, the others are encoded again without them as targets."""
        codec = Codec(self.minter, self.ontology)
        landing = [self._encode(codec, candidate, linking) for candidate in candidates]
        gate = self._gate_for(landing)
        passed = []
        for number, item in enumerate(landing, 1):
            issues = gate.check(item.quads, item.candidate.file.path)
            self.report.issues.extend((*item.candidate.issues, *issues))
            if any(issue.severity == "error" for issue in issues):
                self.report.refused += item.candidate.kind != "relinked"
            else:
                passed.append(item)
            self.progress("validate", number, len(landing))
        if len(passed) < len(landing):
            left = [item.candidate for item in passed]
            linking = self._linking(left, self._references(left), catalogue)
            passed = [self._encode(codec, candidate, linking) for candidate in left]
        for item in passed:
            self._count(item)
        return passed

    def _gate_for(self, landing: list[Landing]) -> Gate:
        incoming: dict[str, list[Triple]] = {}
        types: dict[str, NamedNode] = {}
        graphs = sorted(self.publication.graphs()) if landing else []
        for item in landing:
            for quad in item.quads.quads():
                value = quad.object
                if not isinstance(value, NamedNode) or not isinstance(quad.subject, NamedNode):
                    continue
                if quad.predicate == _TYPE:
                    types[quad.subject.value] = value
                elif value.value.startswith(self.minter.base):
                    incoming.setdefault(value.value, []).append(quad.triple)
        replaced = frozenset(name for item in landing for name in item.replaced_graphs(self.minter, graphs))
        return Gate(self.validator, self.live, incoming, types, replaced)

    def _encode(self, codec: Codec, candidate: Candidate, linking: Linking) -> Landing:
        document = candidate.document()
        resolved = linking.ends(document)
        anchors = linking.anchorer.anchors(document)
        events = [linking.references.resolve(event.of) for event in document.events]
        quads = codec.encode(document, resolved, root=str(candidate.file.root), events=events, anchors=anchors)
        return Landing(candidate, quads, resolved, events, anchors)

    def _count(self, item: Landing) -> None:
        document, kind = item.candidate.document(), item.candidate.kind
        setattr(self.report, kind, getattr(self.report, kind) + 1)
        targets = item.targets
        self.report.land(FileEntry.of(document, kind, str(item.candidate.file.root), targets, item.events))
        self.report.anchored(document, item.anchors)
        if kind == "relinked":
            return
        self.report.objects.update(Counter(found.granularity for found in document.objects))
        self.report.relations += len(document.relations)
        for resolved in item.resolved:
            if resolved.target is not None:
                continue
            relation = resolved.relation
            self.report.unresolved += 1
            message = f"{relation.type} {relation.target!r} is not, or not uniquely, known here"
            hint = "kept as unresolved and tried again at every ingest"
            self.report.issues.append(
                Issue("note", "unresolved-target", message, file=document.path, line=relation.line, hint=hint)
            )

    # -- landing ---------------------------------------------------------------------------------------------------

    def _nothing_lands(self, landing: list[Landing]) -> None:
        self.report.added = self.report.changed = self.report.renamed = self.report.relinked = 0
        self.report.objects.clear()
        self.report.relations = self.report.unresolved = 0
        self.report.status_events = self.report.status_waiting = 0
        self.report.quotes.clear()
        for item in landing:
            if item.candidate.kind != "relinked":
                message = "not landed, because another document was refused"
                self.report.refuse(
                    item.candidate.file.path, "strict", message, 0, "correct that one, or leave out --strict"
                )

    def _land(self, landing: list[Landing]) -> None:
        if not landing:
            return
        history = History(self.layout, self.minter)
        for start in range(0, len(landing), _BATCH):
            graphs = sorted(self.publication.graphs())
            changes: list[Replacement] = []
            for item in landing[start : start + _BATCH]:
                data = item.original(self.originals)
                if data is None:
                    message, hint = "the file changed while it was being ingested", "ingest it again"
                    setattr(self.report, item.candidate.kind, getattr(self.report, item.candidate.kind) - 1)
                    self.report.refuse(item.candidate.file.path, "changed-meanwhile", message, 0, hint)
                    continue
                self.originals.add(data, item.suffix())
                changes.append(
                    item.replacement(
                        self.live,
                        history,
                        self.minter,
                        graphs,
                        moment=now(),
                        segmentation=item.candidate.segmentation or self.segmentation,
                        vocabulary=self.ontology.own,
                    )
                )
            if changes:
                self.live.commit(changes)
            self.progress("store", min(start + _BATCH, len(landing)), len(landing))

    def _prune(self, catalogue: Catalogue) -> None:
        """Mark what vanished as DEPRECATED ("source removed"); Originals and history stay."""
        gone = set(self.report.vanished)
        changes = [
            catalogue.deprecate(self.live, stored, now())
            for stored in catalogue.files
            if stored.path in gone and not stored.removed and not Path(stored.root, stored.path).exists()
        ]
        if changes:
            self.live.commit(changes)
            self.report.pruned = len(changes)
