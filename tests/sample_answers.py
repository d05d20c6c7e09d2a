"""The sample documents as a knowledge base with a past, and random questions to it."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from oam_rdf.cli.app import _global_first, app
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

DOCUMENTS = Path(__file__).resolve().parent.parent / "data" / "documents"


class Hashed:
    """A small deterministic embedder: character pairs hashed into 64 dimensions."""

    dim, fingerprint, max_tokens = 64, "hashed-pairs-64", 480

    def embed_query(self, text: str) -> Any:
        vector = np.zeros(self.dim, dtype=np.float32)
        for a, b in pairwise(text + " "):
            vector[(ord(a) * 31 + ord(b)) % self.dim] += 1
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    def embed_passages(self, texts: Any) -> Any:
        return np.stack([self.embed_query(text) for text in texts])


def build(folder: Path) -> KnowledgeBase:
    """All sample documents with vectors; one of them was edited since, so that there is an old text."""
    sources = folder / "sources"
    shutil.copytree(DOCUMENTS, sources)
    kb = KnowledgeBase.init(folder / "kb")
    kb.ingest([sources], IngestOptions(workers=1))
    edited = sources / "kepler-packing.md"
    edited.write_text(edited.read_text("utf-8").replace("Kepler", "Johannes Kepler"), "utf-8")
    kb.ingest([sources], IngestOptions(workers=1))
    kb._embedder = Hashed()
    kb.embed()
    return kb


def run_oam(kb: KnowledgeBase, *arguments: str, input: str = "") -> Result:
    """The command line in this process, with ``input`` as its standard input; errors of the product are raised."""
    given = _global_first(["--kb", str(kb.layout.root), *arguments])
    return CliRunner().invoke(app, given, input=input, catch_exceptions=False, standalone_mode=False)


_IDS = ("ORBIT-1", "FERMAT#T1", "COMBUSTION-1", "KO-S3", "GOLDBACH-V1", "ORBIT-9", "EULER-POWERS#C1")
_STATES = ("REFUTED", "CONJECTURE", "FORMALLY_PROVED", "SOURCE_CLAIM", "UNRESOLVED", "DEFINITION")
_TIMES = ("1700-01-01", "1800-06-01T00:00:00Z", "1950-01-01", "2100-01-01")


def questions(count: int, seed: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """``(query, options)``: words of the documents, ids, quotes and cues, under varied options."""
    chance = random.Random(seed)
    texts = [path.read_text("utf-8") for path in sorted(DOCUMENTS.iterdir())]
    for _ in range(count):
        yield _query(chance, chance.choice(texts)), _options(chance)


def _query(chance: random.Random, text: str) -> str:
    latin = re.findall(r"[A-Za-z]{3,}", text)
    han = re.findall(r"[\u4e00-\u9fff]{2,8}", text)
    kind = chance.random()
    if kind < 0.08:
        return chance.choice(_IDS)
    words = chance.sample(latin, min(len(latin), chance.randint(1, 4)))
    if han and (chance.random() < 0.6 or not words):
        words = chance.sample(han, min(len(han), chance.randint(1, 2)))
    query = ("" if any(w[0] >= "\u4e00" for w in words) else " ").join(words)
    if kind < 0.16:
        return f'"{words[0]}" {chance.choice(_IDS)}'
    if kind < 0.26:
        return query + chance.choice((" 更具體", " latest version", " 反例", " conjecture", " qwertzuiop", " 更深入"))
    return query


def _options(chance: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {"k": chance.choice((1, 3, 5, 10)), "offset": chance.choice((0, 0, 0, 2))}
    choices: list[dict[str, Any]] = [
        {}, {}, {}, {"states": [chance.choice(_STATES)]}, {"only_verified": True}, {"include_conjectures": False},
        {"as_of": chance.choice(_TIMES)}, {"include_history": True}, {"version": "active"}, {"only_language": "zh"},
        {"granularity": chance.choice(("DOCUMENT", "SECTION", "STATEMENT"))}, {"require_original": True},
        {"directions": ["VERSION.LATEST"]}, {"route": "SPARSE_ONLY"}, {"route": "DENSE_ONLY"}, {"language": "en"},
        {"operators": ["REP.FORMALIZE"]}, {"exclude_operators": ["META.CRITIQUE"]}, {"kind": "THEOREM"},
        {"diversity": 0.4}, {"half_life": 0}, {"conditions": {"domain": ["astronomy"]}}, {"clearance": "PUBLIC"},
        {"weights": {"lexical": 0.2, "dense": 0.8}},
    ]  # fmt: skip
    for _ in range(chance.choice((1, 1, 2))):
        options |= chance.choice(choices)
    return options
