"""What brings things into a knowledge base on disk and looks after them: it needs nothing of what answers questions.

:class:`~oam_rdf.knowledge_base.KnowledgeBase` is all of this and more. A verb that only writes opens this half alone,
since reading in the other takes as long as the work on one file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.doctor import Diagnosis, Doctor
from oam_rdf.ingest.load import LoadReport, load
from oam_rdf.ingest.pipeline import Pipeline
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.run import IngestOptions, Progress, silent
from oam_rdf.ontology import in_force
from oam_rdf.store import backup
from oam_rdf.store.layout import Config, Layout, check_base, find_root
from oam_rdf.store.live import LiveStore
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals


class Writer:
    """The writing half. Use :meth:`init` or :meth:`open`; the constructor does no I/O."""

    def __init__(self, layout: Layout, config: Config) -> None:
        self.layout = layout
        self.config = config
        self.minter = Minter(config.base)

    @classmethod
    def init(cls, path: str | Path, *, base: str = "", languages: Sequence[str] = (), profile: str = "") -> Self:
        """Make a new, empty knowledge base. Raises :class:`UsageError` where there is one, or other files, already."""
        root = Path(path)
        if root.exists() and any(root.iterdir()):
            raise UsageError("the folder is not empty", place=str(root), hint="name a new folder")
        defaults = Config()
        config = Config(
            base=base or defaults.base,
            languages=tuple(languages) or defaults.languages,
            profile=profile or defaults.profile,
        )
        check_base(config.base)
        profiles.load(config.profile)
        root.mkdir(parents=True, exist_ok=True)
        layout = Layout(root)
        layout.config.write_text(config.dump(), "utf-8")
        try:
            Config.load(layout.config)  # what was just written must be readable, or nothing is made
        except ConfigError:
            layout.config.unlink()
            raise
        layout.originals.mkdir()
        layout.published.mkdir()
        layout.log.write_text("# Changes of this knowledge base, one line each\n", "utf-8")
        return cls(layout, config)

    @classmethod
    def open(cls, path: str | Path | None = None) -> Self:
        """Open the knowledge base at ``path``, else ``OAM_KB``, else the nearest one upwards."""
        layout = Layout(find_root(path))
        if not layout.config.is_file():
            raise UsageError(
                "this is not a knowledge base: it has no oam.toml",
                place=str(layout.root),
                hint="make one with `oam init DIR`",
            )
        return cls(layout, Config.load(layout.config))

    def ingest(
        self, inputs: Sequence[str | Path], options: IngestOptions | None = None, progress: Progress = silent
    ) -> IngestReport:
        """Bring files and folders in (see :mod:`oam_rdf.ingest.pipeline`)."""
        with in_force(self.layout.ontology) as ontology:
            pipeline = Pipeline(self.layout, self.config, ontology, progress)
            return pipeline.ingest([Path(given) for given in inputs], options or IngestOptions())

    def load(self, file: str | Path, originals: str | Path, *, wait: float = 30.0) -> LoadReport:
        """Bring back an export made under the same base, with its Originals."""
        with in_force(self.layout.ontology) as ontology:
            return load(self.layout, self.config, ontology, Path(file), Path(originals), wait=wait)

    def reindex(self, *, wait: float = 30.0) -> int:
        """Rebuild every side index from RDF and Originals; returns the new generation."""
        with self._publication("reindex", wait) as publication:
            return publication.publish(rebuild=True)

    def doctor(self, *, repair: bool = False, wait: float = 30.0) -> Diagnosis:
        """Check everything on disk against everything else."""
        with in_force(self.layout.ontology):
            return Doctor(self.layout, self.config).examine(repair=repair, wait=wait)

    def backup(self, target: str | Path, *, wait: float = 30.0) -> int:
        """Copy what cannot be rebuilt to a new folder; returns the number of Originals."""
        return backup.backup(self.layout, Path(target), wait=wait)

    @classmethod
    def restore(cls, source: str | Path, target: str | Path) -> Self:
        """Make a knowledge base from a backup and publish it."""
        backup.restore(Path(source), Path(target))
        kb = cls.open(target)
        with kb._publication("restore", 30.0) as publication:
            if publication.live.revision:
                publication.publish(rebuild=True)
        return kb

    @contextmanager
    def _publication(self, verb: str, wait: float) -> Iterator[Publication]:
        lock = WriteLock(self.layout.lock, verb=verb, wait=wait)
        with in_force(self.layout.ontology), lock, LiveStore(self.layout, self.minter) as live:
            yield Publication(self.layout, live, self.minter, Originals(self.layout.originals))
