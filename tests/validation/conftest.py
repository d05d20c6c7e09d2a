"""A folder of sources with known faults, and the knowledge base made of it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.cli.app import main
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.originals import Originals

ALPHA = """---
id: ALPHA
title: Alpha
supersedes: BETA
---

# Alpha

The first paragraph stands here.

## Claims

**Claim H1.** The bridge carries ten tonnes.

- state:: UNRESOLVED

**Claim H2.** The bridge carries twelve tonnes.
"""
BETA = """---
id: BETA
title: Beta
supersedes: ALPHA
depends_on: Nowhere
---

# Beta

Beta says little.
"""


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str


class Bench:
    """A knowledge base in a folder beside its sources, and ways to put a fault into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources = root / "docs"
        self.sources.mkdir()
        (self.sources / "alpha.md").write_text(ALPHA, encoding="utf-8")
        (self.sources / "beta.md").write_text(BETA, encoding="utf-8")
        self.kb = KnowledgeBase.init(root / "kb")
        self.kb.ingest([self.sources], IngestOptions(workers=1))

    def plant(self, graph: str, *triples: tuple[str, str, str | Literal]) -> None:
        """Commit triples into one graph, past the gate, and publish them."""
        home = NamedNode(graph)
        quads = [
            Quad(NamedNode(s), NamedNode(p), NamedNode(o) if isinstance(o, str) else o, home) for s, p, o in triples
        ]
        layout, minter = self.kb.layout, self.kb.minter
        with WriteLock(layout.lock, verb="test"), LiveStore(layout, minter) as live:
            live.commit([Replacement((), quads, graph, graph)])
            Publication(layout, live, minter, Originals(layout.originals)).publish()

    def oam(self, *arguments: str, code: int | None = 0, cwd: Path | None = None) -> Done:
        """Run the command line, in this process, in the folder that holds the sources."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
        with (
            contextlib.chdir(cwd or self.root),
            contextlib.redirect_stdout(streams[0]),
            contextlib.redirect_stderr(streams[1]),
            pytest.raises(SystemExit) as left,
        ):
            main(list(arguments))
        done = Done(int(left.value.code or 0), *(s.buffer.getvalue().decode() for s in streams))  # type: ignore[attr-defined]
        assert code is None or done.code == code, f"exit {done.code}\n{done.stdout}{done.stderr}"
        return done

    def validate(self, *arguments: str, code: int | None = 0) -> Done:
        return self.oam("--kb", "kb", "validate", *arguments, code=code)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.kb.close()


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The same for tests that change nothing."""
    made = Bench(tmp_path_factory.mktemp("bench"))
    yield made
    made.kb.close()
