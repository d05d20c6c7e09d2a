"""Small knowledge bases made of text written in the test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase


class World:
    """A folder of sources and the knowledge base made of it."""

    def __init__(self, root: Path) -> None:
        self.sources = root / "sources"
        self.sources.mkdir()
        self.kb = KnowledgeBase.init(root / "kb")

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def ingest(self, **options: object) -> IngestReport:
        settings = {"workers": 1, **options}
        return self.kb.ingest([self.sources], IngestOptions(**settings))  # type: ignore[arg-type]

    def select(self, query: str) -> list[tuple[str, ...]]:
        """Rows of a SPARQL query as text."""
        body, _ = self.kb.sparql(query, format="tsv")
        lines = body.decode().splitlines()[1:]
        return [tuple(cell.strip('"<>') for cell in line.split("\t")) for line in lines]

    def oam(self, *arguments: str, check: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run the command line on this knowledge base."""
        command = [sys.executable, "-m", "oam_rdf.cli", "--kb", str(self.kb.layout.root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert check is None or done.returncode == check, done.stderr + done.stdout
        return done
