"""Neighbour graphs as files: the right one is linked on or built anew, a wrong one is never loaded, and it is quick to miss
nothing."""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oam_rdf.errors import Damaged, FeatureMissing
from oam_rdf.index import ann, neighbours
from oam_rdf.index.dense import DenseIndex, build
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.vectors import VectorCache
from oam_rdf.model import Passage

hnswlib = pytest.importorskip("hnswlib")

from index_corpus import document  # noqa: E402

DIM = 8
MODEL = "model-a/8/abc"


@lru_cache
def units(count: int, dim: int = DIM, seed: int = 0) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=(count, dim)).astype("f4")
    return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


def names(*numbers: int) -> np.ndarray:
    return np.array([f"{n:032}" for n in numbers], "S32")


class Made:
    """Generations of ``count`` texts, with a graph from one text on."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache, self.number = folder, VectorCache(folder / "v.sqlite"), 0
        self.table = PassageTable.empty()

    def publish(self, texts: range | list[int], least: int = 0, language: str = "zh-Hant") -> Path:
        wanted = [document(f"d{n:04}", f"text {n}", language=language) for n in texts]
        gone = set(self.table.documents) - {d.id for d in wanted}
        self.table = self.table.splice(gone, [d for d in wanted if d.id not in self.table.documents])
        vectors = units(10_000)[[int(d.removeprefix("d")) for d in self.table.documents]]
        self.cache.put(self.table.digest.tolist(), MODEL, vectors)
        before = self.folder / str(self.number) if self.number else None
        self.number += 1
        target = self.folder / str(self.number)
        build(target, self.table, MODEL, DIM, self.cache, before, least=least)
        return target

    def open(self) -> DenseIndex:
        return DenseIndex.open(self.folder / str(self.number), self.table)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr(neighbours, "WORTH", 1000.0)
    return Made(tmp_path)


def nearest(index: DenseIndex, n: int) -> list[int]:
    return [int(row) for row in index.search(units(10_000)[n], k=3)[0]]


def test_few_changes_are_linked_and_many_build_anew(made: Made) -> None:
    """Up to a tenth of the graph new or gone, both counted; the link shares the file, not a copy of it."""
    graph = made.publish(range(200)) / "graph0.bin"
    same = made.publish(range(10, 210)) / "graph0.bin"  # 10 gone, 10 new
    assert same.stat().st_ino == graph.stat().st_ino
    index = made.open()
    assert index.engine.in_graphs == 190 and [nearest(index, n)[0] for n in (10, 199, 209)] == [0, 189, 199]
    other = made.publish(range(11, 211)) / "graph0.bin"  # 11 and 11 since the graph was built
    assert other.stat().st_ino != graph.stat().st_ino
    assert made.open().engine.in_graphs == 200
    assert made.publish(range(11, 211), least=200).joinpath("graph0.bin").exists() is False
    assert made.open().engine == type(made.open().engine)("exact", 0, "")


def test_without_links_the_file_is_copied(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = made.publish(range(100)) / "graph0.bin"

    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    copy = made.publish(range(101)) / "graph0.bin"
    assert copy.stat().st_ino != graph.stat().st_ino and copy.read_bytes() == graph.read_bytes()
    assert nearest(made.open(), 100)[0] == 100


def test_one_handle_for_the_process(made: Made) -> None:
    """Hazard 4: generations and readers that share a file share its memory, and the last one lets go of it."""
    made.publish(range(100))
    one, two = made.open(), made.open()
    made.publish(range(101))
    three = made.open()
    handles = {id(index._graphs()[0].graph) for index in (one, two, three)}
    assert len(handles) == 1 and len(ann._open) == 1
    del one, two, three
    gc.collect()
    assert len(ann._open) == 0


def flip(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.unlink()  # the file may be linked
    place.write_bytes(data)


def cut(place: Path) -> None:
    data = place.read_bytes()
    place.unlink()
    place.write_bytes(data[:-8])


@pytest.mark.parametrize(
    ("harm", "word"),
    [(flip, "not the file"), (cut, "not the file"), (Path.unlink, "cannot be read"), (Path.touch, "")],
    ids=["bit", "cut", "gone", "sound"],
)
def test_a_damaged_graph_is_told_and_all_is_compared(made: Made, harm: Any, word: str) -> None:
    folder = made.publish(range(150))
    expected = [made.open().search(units(10_000)[n], k=20) for n in range(160)]
    gc.collect()
    harm(folder / "graph0.bin")
    index = made.open()
    assert index.engine.name == ("exact" if word else "hnsw") and word in index.engine.reason
    if word:
        assert "graph0.bin" in index.engine.reason and "oam reindex" in index.engine.reason
    for n, (rows, scores) in enumerate(expected):
        found = index.search(units(10_000)[n], k=20)
        assert found[0].tolist() == rows.tolist() and found[1].tolist() == scores.tolist()


def test_labels_that_do_not_fit_are_damage(made: Made) -> None:
    folder = made.publish(range(50))
    labels = np.load(folder / "graph0.labels.npy")
    for wrong in (labels[:-1], labels + 1, labels.astype("i8")):
        np.save(folder / "graph0.labels.npy", wrong)
        index = made.open()
        assert index.engine.name == "exact" and index.engine.reason
        assert len(index.search(units(1)[0], k=99)[0]) == 50


def test_a_file_of_another_dimension_is_never_loaded(tmp_path: Path) -> None:
    """Hazard 9: hnswlib would load it without a word, answer wrongly, and break the process later."""
    four, eight = (ann.build(tmp_path, np.array(["en"] * 30), names(*range(30)), units(30, dim), None, [], 0)[0][0]
                   for dim in (4, 8))  # fmt: skip
    assert four.size < eight.size
    assert ann.open_graph(tmp_path, eight, 8).texts == 30
    with pytest.raises(Damaged, match="30 vectors of 8, expected 30 of 4"):
        ann.open_graph(tmp_path, eight, 4)
    with pytest.raises(Damaged, match="expected 31 of 8"):
        ann.open_graph(tmp_path, replace(eight, texts=31), 8)
    with pytest.raises(Damaged, match="not the file"):
        ann.open_graph(tmp_path, four, 4)
    (tmp_path / "graph0.bin").write_bytes(b"short")
    with pytest.raises(Damaged, match="not the file"):
        ann.open_graph(tmp_path, replace(eight, size=5), 8)


def test_equal_texts_give_equal_files(tmp_path: Path) -> None:
    """One thread and a fixed seed, in the order of the digests."""
    order = np.random.default_rng(1).permutation(500)
    files = []
    for folder, by in (("a", np.arange(500)), ("b", order)):
        (tmp_path / folder).mkdir()
        languages = np.array(["en"] * 500)
        (file,), _ = ann.build(tmp_path / folder, languages, names(*by), units(500)[by], None, [], 0)
        files.append(file)
    assert files[0] == files[1]
    assert (tmp_path / "a/graph0.bin").read_bytes() == (tmp_path / "b/graph0.bin").read_bytes()


def test_each_language_decides_for_itself(made: Made) -> None:
    languages = np.array(["en"] * 40 + ["zh"] * 20 + [""] * 30)
    target = made.folder / "x"
    target.mkdir()
    graphs, missing = ann.build(target, languages, names(*range(90)), units(90), None, [], 20)
    assert [(g.language, g.texts) for g in graphs] == [("", 30), ("en", 40)] and missing == ""
    assert (np.load(target / "graph1.labels.npy") >= 0).tolist() == [True] * 40 + [False] * 50


def test_without_hnswlib(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact search serves, the reason names the extra; a graph of the generation before is carried along unused."""
    made.publish(range(100))
    expected = nearest(made.open(), 7)
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    gc.collect()
    with pytest.raises(FeatureMissing):
        ann.require()
    index = made.open()
    assert index.engine.name == "exact" and "oam-rdf[hnsw]" in index.engine.reason and nearest(index, 7) == expected
    assert (made.publish(range(101)) / "graph0.bin").exists()
    folder = made.publish(range(200))
    assert not list(folder.glob("*.bin")) and made.open().search(units(10_000)[150], k=1)[0].tolist() == [150]
    assert "oam-rdf[hnsw]" in made.open().engine.reason
    assert made.open().engine.reason == json.loads((folder / "dense.json").read_text())["no_graphs"]
    monkeypatch.undo()
    assert made.open().engine.name == "exact" and "oam reindex" in made.open().engine.reason


def test_generations_without_graphs_still_open(made: Made) -> None:
    folder = made.publish(range(20))
    head = json.loads((folder / "dense.json").read_text())
    del head["graphs"], head["no_graphs"]
    (folder / "dense.json").write_text(json.dumps(head))
    assert made.open().engine.name == "exact" and nearest(made.open(), 3)[0] == 3
    assert made.publish(range(20)).joinpath("graph0.bin").exists()


def test_many_equal_vectors(tmp_path: Path) -> None:
    """A graph of equal vectors comes apart: what it cannot reach is found by comparing, so k rows come back."""
    vectors = np.repeat(units(3), 1000, axis=0)
    (file,), _ = ann.build(tmp_path, np.array(["en"] * 3000), names(*range(3000)), vectors, None, [], 0)
    graph = ann.open_graph(tmp_path, file, DIM)
    labels, cosines = graph.near(vectors[0], 10_000)
    assert len(set(labels.tolist())) == len(labels) == len(cosines) < 3000
    near = neighbours.Neighbours(graph, np.arange(3000, dtype="i4"))
    for k in (1, 150, 500):
        rows = near.search(vectors[0], k, None)
        assert rows is None or len(set(rows.tolist())) == len(rows) >= k


def test_when_comparing_all_is_better(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few wanted, or so few of them near the query that a graph would have to be searched widely."""
    monkeypatch.setattr(neighbours, "WORTH", 0.1)
    (file,), _ = ann.build(tmp_path, np.array(["en"] * 9000), names(*range(9000)), units(9000), None, [], 0)
    near = neighbours.Neighbours(ann.open_graph(tmp_path, file, DIM), np.arange(9000, dtype="i4"))
    query = units(1, seed=9)[0]
    scores = units(9000) @ query
    assert near.search(query, 10, None) is not None
    assert near.search(query, 10, np.arange(9000) < 3000) is None
    assert near.search(query, 500, None) is None
    away = scores < np.median(scores)
    assert near.search(query, 10, away) is None  # half are wanted, but not the near half
    some = np.random.default_rng(2).random(9000) < 0.5
    rows = near.search(query, 10, some)
    assert rows is not None and some[rows].all()
    assert set(np.flatnonzero(some)[np.argsort(-scores[some])[:10]]) <= set(rows.tolist())


def test_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against exact search on clustered vectors of 64 dimensions, with some of the texts gone and one in three rows double."""
    monkeypatch.setattr(neighbours, "WORTH", 1.0)
    centres = units(50, 64)
    vectors = np.repeat(centres, 120, axis=0) + 0.6 * units(6000, 64, seed=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    (file,), _ = ann.build(tmp_path, np.array(["en"] * 6000), names(*range(6000)), vectors, None, [], 0)
    labels = np.concatenate([np.arange(0, 6000, 3), np.arange(300, 6000)]).astype("i4")
    near = neighbours.Neighbours(ann.open_graph(tmp_path, file, 64), labels)
    hits = []
    for query in units(60, 64, seed=2) + centres[np.arange(60) % 50]:
        rows = near.search(query, 10, None)
        assert rows is not None and len(set(rows.tolist())) == len(rows)
        scores = vectors[labels] @ query
        hits.append((scores[rows] >= np.sort(scores)[-10] - 1e-6).sum() >= 10)
    assert np.mean(hits) >= 0.95


def test_a_graph_of_another_passage_table_is_not_taken(made: Made) -> None:
    """What cannot be read of the generation before is made anew."""
    first = made.publish(range(100))
    (first / "graph0.digests.npy").write_bytes(b"x")
    second = made.publish(range(101))
    assert (second / "graph0.bin").stat().st_ino != (first / "graph0.bin").stat().st_ino
    (second / "dense.json").write_text("{")
    assert made.publish(range(101)).joinpath("graph0.bin").exists() and nearest(made.open(), 100)[0] == 100
    assert isinstance(document("d", "x").passages[0], Passage)
