"""The same corpus gives the same answers, however it came in and whatever Python's hash seed is.

Compared byte for byte: results, scores, explanation and the whole certificate, without ids, times and revisions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import same_world
from same_world import QUERIES, answers, build, write
from sample_answers import Hashed

from oam_rdf.index import embed


@pytest.fixture(scope="module", autouse=True)
def hashed() -> object:
    """A small embedder in the place of the default one, which would only take longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embed, "_loaded", {"e5": Hashed()})
        patch.delenv("OAM_EMBEDDER", raising=False)
        yield


def compare(found: dict[str, list[str]]) -> None:
    (name, first), *others = found.items()
    assert len(first) == len(QUERIES) == 20
    for other, given in others:
        differing = [query for (query, _), a, b in zip(QUERIES, first, given, strict=True) if a != b]
        assert not differing, f"{other} answers otherwise than {name}: {differing}"


def ask(folder: Path, order: str, files: list[Path]) -> list[str]:
    with build(folder, files, order) as kb:
        return answers(kb)


def test_in_one_go_and_in_batches(tmp_path: Path) -> None:
    files = write(tmp_path / "sources", 8, "orbit-[1-3]*")
    compare({order: ask(tmp_path / order, order, files) for order in ("once", "mixed")})


def test_the_questions_find_something_and_have_ties(tmp_path: Path) -> None:
    """Otherwise equal answers would prove little."""
    data = [json.loads(text) for text in ask(tmp_path / "kb", "once", write(tmp_path / "sources", 12))]
    assert sum(bool(answer["results"]) for answer in data) >= 16
    scores = [[result["scores"]["fused"] for result in answer["results"]] for answer in data]
    assert sum(len(set(row)) < len(row) for row in scores) >= 3
    channels = {rank["channel"] for answer in data for rank in answer["certificate"]["channels"]["ranks"]}
    assert channels >= {"lexical", "dense"} and all(not answer["degraded"] for answer in data)
    routes = {route for answer in data for route in answer["route"]}
    assert routes >= {"HYBRID", "SPARSE_ONLY", "GRAPH_LOCAL", "GRAPH_GLOBAL", "VERSION_TRACE"}


@pytest.mark.slow
def test_three_orders_of_ingest(tmp_path: Path) -> None:
    """58 documents in one go, one by one from the last to the first, and in shuffled batches embedded on the way."""
    files = write(tmp_path / "sources")
    assert len(files) == 58
    compare({order: ask(tmp_path / order, order, files) for order in ("once", "single", "mixed")})


@pytest.mark.slow
def test_three_hash_seeds(tmp_path: Path) -> None:
    """Ingested and asked in a process of its own for each seed."""
    write(tmp_path / "sources")
    found = {}
    for seed in "012":
        command = [sys.executable, same_world.__file__, str(tmp_path / f"kb{seed}"), "once"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        found[f"seed {seed}"] = json.loads(done.stdout)
    compare(found)
