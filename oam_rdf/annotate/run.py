"""``oam annotate``: candidate tags on what is stored, in graphs of their own (ontology.md, "Graphs"; decision D11).

Three steps. Under the lock the stored Originals are read again, every sentence cut as it would be with ``--statements
all``, and the rules propose. Without the lock a language model is asked, if one was named: nobody has to wait for it.
Under the lock again the annotation graphs pass the gate and land, each replacing the former one of the same tagger; a
document that was edited in between is left for the next run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from oam_rdf.annotate.land import Lander, Stored
from oam_rdf.annotate.model import Answers, ModelOptions, ask
from oam_rdf.annotate.quads import Tagger
from oam_rdf.annotate.report import AnnotateReport
from oam_rdf.annotate.rules import Proposal, RuleSet
from oam_rdf.annotate.text import Subject, propose
from oam_rdf.errors import NotFound, OamError, UsageError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.catalogue import Catalogue, StoredFile
from oam_rdf.ingest.identity import keep_ids, with_id
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.run import Progress, now, silent
from oam_rdf.model import Issue
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.live import LiveStore
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals
from oam_rdf.store.shacl import Validator
from oam_rdf.text.normalise import id_key

_BATCH = 64  # documents a commit
_GIVE_UP = 3  # documents in a row for which a model gave no usable answer


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    """How to tag. ``documents`` are ids or paths ("" = all); ``again`` tags what this very run has tagged before."""

    documents: tuple[str, ...] = ()
    model: ModelOptions | None = None
    dry_run: bool = False
    again: bool = False
    engine: str = "auto"
    wait: float = 30.0


@dataclass(slots=True)
class _Job:
    """One tagger on one document."""

    stored: StoredFile
    tagger: Tagger
    subject: Subject
    proposals: list[Proposal] = field(default_factory=list)
    answers: Answers | None = None


def rules_tagger(rules: RuleSet) -> Tagger:
    """The deterministic tagger of a rule set."""
    return Tagger("oam-cues", rules.version)


@dataclass(slots=True)
class Annotator:
    """Tags the documents of one knowledge base."""

    layout: Layout
    config: Config
    progress: Progress = silent
    rules: RuleSet = field(default_factory=RuleSet.load)
    minter: Minter = field(init=False)
    originals: Originals = field(init=False)

    def __post_init__(self) -> None:
        self.minter = Minter(self.config.base)
        self.originals = Originals(self.layout.originals)

    def annotate(self, options: AnnotateOptions) -> AnnotateReport:
        """Tag; raises only for what stops the whole run (lock, usage, an unknown document)."""
        started = time.monotonic()
        report = AnnotateReport(dry_run=options.dry_run)
        taggers = [rules_tagger(self.rules)]
        if options.model is not None:
            taggers.append(options.model.tagger())
        report.runs = {tagger.name: tagger.digest for tagger in taggers}
        with WriteLock(self.layout.lock, verb="annotate", wait=options.wait), self._live() as live:
            report.generation = self._publication(live).finish()  # what a killed writer left
            jobs, references = self._read(live, options, taggers, report)
        if options.model is not None:
            self._ask(options.model, [job for job in jobs if job.tagger.model], references, report)
        usable = [job for job in jobs if not job.tagger.model or job.answers is not None]
        with WriteLock(self.layout.lock, verb="annotate", wait=options.wait), self._live() as live:
            self._land(live, usable, options, report)
            report.revision = live.revision
            report.generation = self._publication(live).finish() or report.generation
        report.seconds = time.monotonic() - started
        return report

    def _live(self) -> LiveStore:
        return LiveStore(self.layout, self.minter)

    def _publication(self, live: LiveStore) -> Publication:
        return Publication(self.layout, live, self.minter, self.originals)

    # -- reading ---------------------------------------------------------------------------------------------------

    def _read(
        self, live: LiveStore, options: AnnotateOptions, taggers: Sequence[Tagger], report: AnnotateReport
    ) -> tuple[list[_Job], dict[str, str]]:
        """What is to be tagged, with the rules' proposals; and the documents that a model may refer to."""
        catalogue = Catalogue.load(live, self.minter)
        chosen = _chosen(catalogue, options.documents)
        report.documents = len(chosen)
        publication, jobs = self._publication(live), []
        for number, stored in enumerate(chosen, 1):
            state = Stored.of(live, self.minter, stored)
            due = [tagger for tagger in taggers if options.again or not state.tagged_by(tagger)]
            if not due:
                report.unchanged += 1
            else:
                try:
                    subject = self._subject(publication, stored, state)
                    for tagger in due:
                        jobs.append(_Job(stored, tagger, subject))
                        if not tagger.model:
                            jobs[-1].proposals = propose(self.rules, subject)
                except OamError as error:
                    report.failed += 1
                    report.issues.append(Issue("error", "unreadable", error.message, file=stored.path, hint=error.hint))
            self.progress("read", number, len(chosen))
        return jobs, {stored.id: stored.document for stored in catalogue.files}

    def _subject(self, publication: Publication, stored: StoredFile, state: Stored) -> Subject:
        """The document cut as with ``--statements all``: each sentence under the id that it has or would have."""
        data, profile = self.originals.read(stored.sha256), profiles.load(stored.profile, stored.rdf_base)
        parsed = parse(data, stored.path, profile, statements="all", base=self.minter.base)
        document = keep_ids(with_id(parsed, stored.id, self.minter), publication.known(stored.id))
        known = state.objects
        ids = frozenset(item.id for item in document.objects if self.minter.object(stored.id, item) in known)
        return Subject(document, ids, state.nodes)

    # -- a model ---------------------------------------------------------------------------------------------------

    def _ask(self, model: ModelOptions, jobs: list[_Job], references: dict[str, str], report: AnnotateReport) -> None:
        silent_in_a_row = 0
        for number, job in enumerate(jobs, 1):
            if silent_in_a_row == _GIVE_UP:
                report.failed += len(jobs) - number + 1
                message = f"no usable answer for {_GIVE_UP} documents in a row: {len(jobs) - number + 1} were not sent"
                report.issues.append(Issue("error", "model", message, file=model.endpoint, hint="run it again later"))
                return
            try:
                job.answers = ask(model, job.subject, references, self.minter, report)
                silent_in_a_row = 0
            except UsageError:
                raise
            except OamError as error:
                silent_in_a_row += 1
                report.failed += 1
                report.issues.append(Issue("error", "model", error.message, file=job.stored.path, hint=error.hint))
            self.progress("ask", number, len(jobs))

    # -- landing ---------------------------------------------------------------------------------------------------

    def _land(self, live: LiveStore, jobs: list[_Job], options: AnnotateOptions, report: AnnotateReport) -> None:
        catalogue = Catalogue.load(live, self.minter)
        lander = Lander(live, self.minter, Validator(options.engine))
        seen: set[str] = set()
        for start in range(0, len(jobs), _BATCH):
            changes = []
            for job in jobs[start : start + _BATCH]:
                current = catalogue.by_id.get(job.stored.id)
                if current is None or current.sha256 != job.stored.sha256:
                    report.failed += 1
                    message, hint = "edited while it was being tagged", "run it again"
                    report.issues.append(
                        Issue("warning", "changed-meanwhile", message, file=job.stored.path, hint=hint)
                    )
                    continue
                proposals = job.answers.proposals if job.answers else job.proposals
                suggestions = job.answers.suggestions if job.answers else []
                landing = lander.encode(current, job.tagger, job.subject, proposals, suggestions)
                report.issues += landing.issues
                if landing.refused:
                    report.failed += 1
                    continue
                report.count(job.stored.id, proposals, landing.minted)
                report.tagged -= job.stored.id in seen
                seen.add(job.stored.id)
                report.relations += len(suggestions)
                changes.append(landing)
            if changes and not options.dry_run:
                for batch in lander.batches(changes):
                    live.commit(batch)
            self.progress("store", min(start + _BATCH, len(jobs)), len(jobs))
        if seen and not options.dry_run:
            tags = sum(report.tags.values())
            line = f"- {now()} annotate: revision {live.revision}, {len(seen)} documents, {tags} tags, {report.minted} minted\n"
            with self.layout.log.open("a", encoding="utf-8") as file:
                file.write(line)


def _chosen(catalogue: Catalogue, names: Sequence[str]) -> list[StoredFile]:
    """The stored documents meant by ids or paths; all of them, sorted by id, when none is named."""
    if not names:
        return sorted((file for file in catalogue.files if not file.removed), key=lambda file: file.id)
    found: dict[str, StoredFile] = {}
    for name in names:
        exact = [f for f in catalogue.files if name in (f.id, f.path)]
        close = exact or [f for f in catalogue.files if id_key(f.id) == id_key(name)]
        if len(close) != 1:
            what = "no document" if not close else f"{len(close)} documents"
            raise NotFound(f"{what} {name!r} here", hint="`oam search` finds ids")
        found[close[0].id] = close[0]
    return [found[key] for key in sorted(found)]
