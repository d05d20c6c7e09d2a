"""Knowledge bases that something is missing from, asked through the command line in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oam_rdf.index import dense
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.vectors import VectorCache
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.store import publish

DOCUMENTS = Path(__file__).resolve().parents[2] / "data" / "documents"
QUERY = "the orbit of a planet around the sun"
#: Generations of :func:`build`: no vectors, some, all.
NONE, SOME, ALL = 1, 2, 3
SOME_VECTORS = 7

# Python runs this file at its start where PYTHONPATH leads to it: a module that is None there cannot be imported.
_ABSENT = """import os, sys
sys.modules.update(dict.fromkeys(os.environ.get("TEST_ABSENT", "").split()))
"""
# Several commands in one process, each through the program's own entry point; loading the libraries takes longest.
_COMMANDS = """import contextlib, io, json, sys
from oam_rdf.cli import main
done = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as leaving:
            code = leaving.code
    done.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(done))
"""


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def build(folder: Path) -> Path:
    """A knowledge base of a few sample documents with vectors by the default model: three generations."""
    sources = folder / "sources"
    sources.mkdir()
    for path in sorted(DOCUMENTS.glob("orbit-*.md")):
        shutil.copy(path, sources)
    for name in ("fermat.md", "group.md"):
        shutil.copy(DOCUMENTS / name, sources)
    with KnowledgeBase.init(folder / "kb") as kb:
        kb.ingest([sources], IngestOptions(workers=1))
        kb.embed(limit=SOME_VECTORS)
        kb.embed()
        return kb.layout.root


def part(kb: Path, name: str) -> Path:
    """A folder of the generation in force."""
    return kb / "published" / (kb / "published" / "CURRENT").read_text().strip().zfill(6) / name


def use(kb: Path, generation: int) -> None:
    (kb / "published" / "CURRENT").write_text(f"{generation}\n")


def cut(path: Path) -> None:
    """Leave the first half of a file; what else is linked to its content keeps it."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[: len(data) // 2])


def oam(
    kb: Path,
    *commands: Sequence[str],
    absent: Sequence[str] = (),
    environment: dict[str, str] | None = None,
    before: Sequence[str] = (),
) -> list[Done]:
    """Run commands in one process in which the modules ``absent`` are not installed; ``before`` stands before Python."""
    start = kb.parent / "start"
    start.mkdir(exist_ok=True)
    (start / "sitecustomize.py").write_text(_ABSENT)
    given = {name: value for name, value in os.environ.items() if not name.startswith(("OAM_E", "OAM_K", "PYTHONPATH"))}
    given |= {"PYTHONPATH": str(start), "TEST_ABSENT": " ".join(absent)} | (environment or {})
    arguments = json.dumps([["--kb", str(kb), *command] for command in commands])
    python = [*before, sys.executable, "-c", _COMMANDS, arguments]
    ran = subprocess.run(python, capture_output=True, text=True, env=given, timeout=180, check=False)
    assert ran.returncode == 0, ran.stderr
    return [Done(*line) for line in json.loads(ran.stdout.splitlines()[-1])]


def held_to_permissions() -> Sequence[str] | None:
    """What stands before a command that may not write where permissions forbid it; None where that cannot be had."""
    if os.geteuid() != 0:
        return ()
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return None
    taken = "-dac_override,-dac_read_search,-fowner"
    before = (setpriv, f"--bounding-set={taken}", f"--inh-caps={taken}")
    return before if subprocess.run([*before, "true"], capture_output=True, check=False).returncode == 0 else None


def with_graph(kb: Path) -> Path:
    """Give the dense index a neighbour graph, though it has few vectors."""
    folder = part(kb, "dense")
    passages = PassageTable.open(part(kb, "passages"))
    head = json.loads((folder / "dense.json").read_text())
    cache = VectorCache(kb / "embeddings.sqlite")
    dense.build(folder, passages, head["fingerprint"], head["dim"], cache, least=3)
    cache.close()
    publish.write_checksums(folder.parent)  # as if it had been published so
    return folder
