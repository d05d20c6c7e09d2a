"""The only writer: files → parsed documents → quads → gate → live store → generation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oam_rdf.errors import UsageError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.run import IngestOptions, Progress, Run, now, silent
from oam_rdf.ontology import Ontology
from oam_rdf.store import publish
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.live import LiveStore
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals
from oam_rdf.store.shacl import Validator


@dataclass(slots=True)
class Pipeline:
    """Ingests files into one knowledge base."""

    layout: Layout
    config: Config
    ontology: Ontology
    progress: Progress = silent
    minter: Minter = field(init=False)
    originals: Originals = field(init=False)

    def __post_init__(self) -> None:
        self.minter = Minter(self.config.base)
        self.originals = Originals(self.layout.originals)

    def ingest(self, inputs: Sequence[Path], options: IngestOptions) -> IngestReport:
        """Bring the inputs in; returns what happened. Raises only for what stops the whole run (lock, disk, usage)."""
        started = time.monotonic()
        profiles.load(options.profile or self.config.profile)  # a wrong name is an error before anything is locked
        if options.base and not profiles.is_absolute(options.base):
            raise UsageError(
                f"the base {options.base!r} is no absolute IRI", hint="name one such as https://example.org/data/"
            )
        validator = Validator(options.engine)
        lock = WriteLock(self.layout.lock, verb="ingest", wait=options.wait)
        with lock, LiveStore(self.layout, self.minter) as live:
            report = IngestReport(revision_before=live.revision, dry_run=options.dry_run)
            publication = Publication(self.layout, live, self.minter, self.originals)
            report.generation = publication.finish()  # what a killed writer left
            Run(
                self.layout, self.config, self.ontology, self.minter, self.originals,
                live, validator, publication, options, report, self.progress,
            ).ingest(inputs)  # fmt: skip
            report.revision = live.revision
            report.generation = publication.finish() or report.generation
            report.content_hash = self._content_hash()
            report.seconds = time.monotonic() - started
            if report.revision != report.revision_before:
                self._log(report)
        return report

    def _content_hash(self) -> str:
        number = publish.current_number(self.layout)
        if number is None:
            return ""
        with publish.open_generation(self.layout, number) as generation:
            return str(generation.manifest["content_hash"])

    def _log(self, report: IngestReport) -> None:
        line = (
            f"- {now()} ingest: revision {report.revision}, {report.added} added, {report.changed} changed, "
            f"{report.renamed} renamed, {report.pruned} pruned, {report.refused} refused\n"
        )
        with self.layout.log.open("a", encoding="utf-8") as file:
            file.write(line)
