"""Exact dense search, and every mismatch refused rather than answered wrongly (hazards 9, 10, 11)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_corpus import document

from oam_rdf.errors import ConfigError, Damaged, UsageError
from oam_rdf.index.dense import DenseIndex, build
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.vectors import VectorCache

DIM = 6
MODEL = "model-a/6/abc"


def unit(*values: float) -> np.ndarray:
    v = np.zeros(DIM, "f4")
    v[: len(values)] = values
    return np.asarray(v / np.linalg.norm(v))


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, PassageTable, VectorCache]:
    table = PassageTable.empty().splice((), [document(f"d{i}", f"text {i}", f"more {i}") for i in range(5)])
    cache = VectorCache(tmp_path / "v.sqlite")
    rows = [0, 1, 2, 4, 5, 7, 8, 9]  # 3 and 6 have no vector yet
    vectors = np.stack([unit(1, i) for i in rows])
    cache.put([bytes(table.digest[i]) for i in rows], MODEL, vectors)
    build(tmp_path / "dense", table, MODEL, DIM, cache)
    return tmp_path / "dense", table, cache


def test_search(made: tuple[Path, PassageTable, VectorCache]) -> None:
    folder, table, _ = made
    index = DenseIndex.open(folder, table, fingerprint=MODEL)
    assert index.coverage == 0.8 and np.flatnonzero(~index.embedded).tolist() == [3, 6]
    rows, scores = index.search(unit(1, 0), k=3)
    assert rows.tolist() == [0, 1, 2] and rows.dtype == np.int32 and scores.dtype == np.float32
    assert scores.tolist() == pytest.approx([1, 1 / 2**0.5, 1 / 5**0.5], abs=1e-3)
    mask = np.zeros(10, bool)
    mask[[3, 8, 9]] = True
    assert index.search(unit(1, 0), mask=mask)[0].tolist() == [8, 9]
    assert index.search(unit(1, 0), mask=~mask)[0].tolist() == [0, 1, 2, 4, 5, 7]
    assert index.search(unit(1, 0), mask=np.zeros(10, bool))[0].tolist() == []


def test_another_model_is_refused_by_name(made: tuple[Path, PassageTable, VectorCache]) -> None:
    folder, table, _ = made
    with pytest.raises(ConfigError) as caught:
        DenseIndex.open(folder, table, fingerprint="model-b/6/def")
    for word in (MODEL, "model-b/6/def", "oam reindex"):
        assert word in str(caught.value)
    index = DenseIndex.open(folder, table)
    with pytest.raises(ConfigError, match="6-dimensional"):
        index.search(np.ones(DIM + 1, "f4"))
    with pytest.raises(ConfigError):
        index.search(np.ones((1, DIM), "f4"))
    with pytest.raises(ConfigError):
        index.require("model-b/6/def")


def test_a_vector_that_is_not_finite_is_refused(made: tuple[Path, PassageTable, VectorCache]) -> None:
    index = DenseIndex.open(made[0], made[1])
    with pytest.raises(UsageError, match="finite"):
        index.search(np.full(DIM, np.nan, "f4"))
    with pytest.raises(UsageError, match="mask"):
        index.search(unit(1), mask=np.ones(3, bool))
    with pytest.raises(UsageError, match="k is 0"):
        index.search(unit(1), k=0)


def test_drift_and_damage(made: tuple[Path, PassageTable, VectorCache]) -> None:
    folder, table, cache = made
    with pytest.raises(Damaged, match="differ"):
        DenseIndex.open(folder, table.splice(["d0"], []))
    with pytest.raises(Damaged, match="differ"):
        DenseIndex.open(folder, table.splice([], [document("d0", "edited", "more 0")]))
    with pytest.raises(ConfigError, match="dimensions"):
        build(folder.parent / "other", table, MODEL, DIM + 1, cache)
    np.save(folder / "vectors.npy", np.zeros((8, DIM + 2), "f4"))
    with pytest.raises(Damaged, match="not whole"):
        DenseIndex.open(folder, table)
    (folder / "vectors.npy").write_bytes(b"x")
    with pytest.raises(Damaged, match="cannot be read"):
        DenseIndex.open(folder, table)
    head = json.loads((folder / "dense.json").read_text())
    (folder / "dense.json").write_text(json.dumps(head | {"format": 99}))
    with pytest.raises(Damaged):
        DenseIndex.open(folder, table)


def test_building_is_reproducible_and_resumable(made: tuple[Path, PassageTable, VectorCache], tmp_path: Path) -> None:
    folder, table, cache = made
    build(tmp_path / "again", table, MODEL, DIM, cache)
    names = sorted(p.name for p in folder.iterdir())
    assert all((folder / n).read_bytes() == (tmp_path / "again" / n).read_bytes() for n in names)
    cache.put([bytes(table.digest[i]) for i in (3, 6)], MODEL, np.stack([unit(1, 3), unit(1, 6)]))
    build(tmp_path / "full", table, MODEL, DIM, cache)
    assert DenseIndex.open(tmp_path / "full", table).coverage == 1.0
    build(tmp_path / "none", table, "model-new/6/0", DIM, cache)
    empty = DenseIndex.open(tmp_path / "none", table)
    assert empty.coverage == 0.0 and empty.search(unit(1))[0].tolist() == []
    build(tmp_path / "no-rows", PassageTable.empty(), MODEL, DIM, cache)
    assert DenseIndex.open(tmp_path / "no-rows", PassageTable.empty()).coverage == 1.0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 8), st.integers(0, 2**30))
def test_ties_are_cut_by_row(kinds: list[int], k: int, bits: int) -> None:
    """Against a plain sort, with many equal scores and any mask."""
    vectors = np.eye(4, DIM, dtype="f4")[kinds]
    rows = np.arange(len(kinds), dtype="i4")
    index = DenseIndex(Path("memory"), MODEL, vectors, rows, len(kinds))
    mask = np.array([bits >> i & 1 == 1 for i in range(len(kinds))])
    query = unit(4, 3, 2, 1)
    scores = vectors @ query
    for m in (None, mask):
        allowed = [r for r in rows.tolist() if m is None or m[r]]
        expected = sorted(allowed, key=lambda r: (-scores[r], r))[:k]
        assert index.search(query, mask=m, k=k)[0].tolist() == expected


def test_equal_vectors_have_equal_scores_wherever_they_stand() -> None:
    """A product of matrices sums a row differently by its place in a block; answers must not show it."""
    chance = np.random.default_rng(5)
    kinds = chance.normal(size=(30, 384)).astype("f4")
    kinds /= np.linalg.norm(kinds, axis=1, keepdims=True)
    which = chance.integers(30, size=1_301)
    index = DenseIndex(Path("memory"), MODEL, kinds[which], np.arange(1_301, dtype="i4"), 1_301)
    for n in range(90):
        query = kinds[n % 30] + chance.random() * kinds[n % 29]
        mask = chance.random(1_301) < (0.1, 0.6, 1.1)[n % 3]
        scores = (kinds.astype("f8") @ query.astype("f8")).astype("f4")[which]
        expected = sorted(np.flatnonzero(mask).tolist(), key=lambda row: (-scores[row], row))
        for k in (1, 2, 20, 70):
            assert index.search(query, mask=mask, k=k)[0].tolist() == expected[:k]
