"""The vector cache: what goes in comes out, and two processes may share it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from oam_rdf.errors import Damaged, Refused
from oam_rdf.index.vectors import VectorCache


def units(n: int, dim: int = 8, seed: int = 0) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=(n, dim)).astype("f4")
    return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


def test_round_trip(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "sub" / "v.sqlite")
    v = units(3)
    cache.put([b"a", b"b", b"c"], "m1", v)
    found, got = cache.get([b"c", b"zz", b"a"], "m1")
    assert found.tolist() == [True, False, True] and got.dtype == np.float32
    assert np.allclose(got, v[[2, 0]], atol=1e-3)
    assert np.allclose(np.linalg.norm(got, axis=1), 1, atol=1e-6)
    assert cache.count("m1") == 3 and cache.count("m2") == 0
    found, got = cache.get([b"a"], "m2")
    assert not found.any() and len(got) == 0
    cache.put([b"a"], "m1", v[1:2])
    assert cache.count("m1") == 3 and np.allclose(cache.get([b"a"], "m1")[1], v[1:2], atol=1e-3)
    cache.close()
    assert VectorCache(tmp_path / "sub" / "v.sqlite").count("m1") == 3


def test_meaningless_vectors_are_refused(tmp_path: Path) -> None:
    """Hazards 9 and 10."""
    cache = VectorCache(tmp_path / "v.sqlite")
    bad = units(2)
    bad[1] = np.nan
    with pytest.raises(Refused):
        cache.put([b"a", b"b"], "m", bad)
    assert cache.count("m") == 0
    cache.put([b"a"], "m", units(1))
    with pytest.raises(Refused, match="8 dimensions, now 9"):
        cache.put([b"b"], "m", units(1, 9))
    with pytest.raises(Refused, match="1 vectors for 2"):
        cache.put([b"b", b"c"], "m", units(1))
    assert cache.count("m") == 1


def test_a_file_that_is_no_database_is_damage(tmp_path: Path) -> None:
    (tmp_path / "v.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(Damaged) as caught:
        VectorCache(tmp_path / "v.sqlite")
    assert "v.sqlite" in str(caught.value) and "oam embed" in str(caught.value)


WRITER = """
import sys
from pathlib import Path
import numpy as np
from oam_rdf.index.vectors import VectorCache
cache = VectorCache(Path(sys.argv[1]))
name = sys.argv[2]
for i in range(40):
    v = np.zeros((5, 8), "f4"); v[:, i % 8] = 1
    cache.put([f"{name}-{i}-{j}".encode() for j in range(5)], "m", v)
    assert cache.get([f"{name}-{i}-0".encode()], "m")[0].all()
"""


def test_processes_share_it_from_the_first_open(tmp_path: Path) -> None:
    """Hazard 13: all create the tables at the same instant, none dies, nothing is lost."""
    path = tmp_path / "v.sqlite"
    root = str(Path(__file__).parents[2])
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), f"p{i}"], cwd=root, stderr=subprocess.PIPE, text=True
        )
        for i in range(3)
    ]
    for run in runs:
        _, errors = run.communicate(timeout=60)
        assert run.returncode == 0, errors
    assert VectorCache(path).count("m") == 600


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put([b"a"], "m", units(1))
    other = sqlite3.connect(tmp_path / "v.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("DELETE FROM vector")
    start = time.monotonic()
    assert cache.get([b"a"], "m")[0].all() and time.monotonic() - start < 5
    other.execute("ROLLBACK")
    assert cache._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_threads_share_it(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")

    def work(name: int) -> None:
        for i in range(20):
            cache.put([f"{name}-{i}".encode()], "m", units(1, seed=i))
            cache.get([f"{name}-{i}".encode()], "m")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert cache.count("m") == 80
