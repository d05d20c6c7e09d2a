"""What every engine of the dense channel promises: the same suite for exact search and for neighbour graphs."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oam_rdf.errors import ConfigError, Refused, UsageError
from oam_rdf.index import neighbours
from oam_rdf.index.dense import DenseIndex, build
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.index.vectors import VectorCache
from oam_rdf.model import Passage

DIM = 12
MODEL = "model-a/12/abc"
PROPERTY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def vector_of(text: str) -> np.ndarray:
    """A unit vector that only the text decides."""
    v = np.random.default_rng(list(text.encode())).normal(size=DIM).astype("f4")
    return np.asarray(v / np.linalg.norm(v))


def document(name: str, *texts: str, language: str = "zh-Hant") -> IndexedDocument:
    """One passage a text; without title and heading, equal texts have equal digests."""
    spans, at = [], 0
    for text in texts:
        spans.append(Passage("s1", at, at + len(text), "", text, language))
        at += len(text) + 1
    return IndexedDocument(name, "", language, tuple(spans))


class World:
    """Documents published generation by generation; ``texts`` by row."""

    def __init__(self, folder: Path, engine: str) -> None:
        self.folder, self.least = folder, 0 if engine == "hnsw" else 10**9
        self.cache = VectorCache(folder / "v.sqlite")
        self.documents: dict[str, IndexedDocument] = {}
        self.table = PassageTable.empty()
        self.number = 0

    def path(self, number: int = 0) -> Path:
        return self.folder / f"{number or self.number:03}"

    def commit(self, *added: IndexedDocument, removed: tuple[str, ...] = (), skip: tuple[str, ...] = ()) -> DenseIndex:
        """Publish; texts in ``skip`` have no vector yet."""
        texts = [p.text for d in added for p in d.passages]
        self.table = self.table.splice(removed, added)
        self.documents = {k: v for k, v in self.documents.items() if k not in removed} | {d.id: d for d in added}
        if texts:
            pairs = {t: self.digest(t) for t in texts if t not in skip}
            if pairs:
                self.cache.put(list(pairs.values()), MODEL, np.stack([vector_of(t) for t in pairs]))
        before = self.path() if self.number else None
        self.number += 1
        build(self.path(), self.table, MODEL, DIM, self.cache, before, least=self.least)
        return DenseIndex.open(self.path(), self.table, fingerprint=MODEL)

    def digest(self, text: str) -> bytes:
        return bytes(PassageTable.empty().splice((), [document("x", text)]).digest[0])

    @property
    def texts(self) -> list[str]:
        return [p.text for name in sorted(self.documents) for p in self.documents[name].passages]

    def best(self, query: np.ndarray, allowed: np.ndarray, k: int) -> list[int]:
        """By plain sorting of what the index itself keeps, in double precision."""
        _, vectors = self.cache.get(self.table.digest.tolist(), MODEL)
        scores = (vectors.astype("f8") @ query.astype("f8")).astype("f4")
        return sorted(np.flatnonzero(allowed).tolist(), key=lambda row: (-scores[row], row))[:k]


@pytest.fixture(params=["exact", "hnsw"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Graphs are used even where comparing everything would be faster: these worlds are small."""
    if request.param == "hnsw":
        pytest.importorskip("hnswlib")
        monkeypatch.setattr(neighbours, "WORTH", 1000.0)
    return str(request.param)


@pytest.fixture
def world(engine: str, tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, engine)
    yield made
    made.cache.close()


def filled(world: World, count: int = 60) -> DenseIndex:
    return world.commit(*(document(f"d{i:03}", f"text {i}", f"more {i}") for i in range(count)))


def test_the_engine_is_the_one_asked_for(world: World, engine: str) -> None:
    index = filled(world)
    assert index.engine.name == engine and index.engine.reason == ""
    assert index.engine.in_graphs == (120 if engine == "hnsw" else 0)


@PROPERTY
@given(data=st.data())
def test_masks_are_obeyed_and_nothing_comes_twice(world: World, data: st.DataObject) -> None:
    """Any generation after any other, any mask, any k: unique, allowed, sorted, complete, with true scores.

    Texts occur many times, and those of the kinds above 35 have no vector.
    """
    kinds = data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=90))
    k = data.draw(st.integers(1, 120))
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(kinds), max_size=len(kinds))))
    names = [f"kind {kind}" for kind in kinds]
    documents = [document(f"d{i:03}", name) for i, name in enumerate(names)]
    gone = tuple(name for name in world.documents if int(name[1:]) >= len(kinds))
    index = world.commit(*documents, removed=gone, skip=tuple(f"kind {kind}" for kind in range(36, 41)))
    covered = np.array([kind <= 35 for kind in kinds])
    assert index.embedded.tolist() == covered.tolist()
    query = vector_of(f"question {k}")
    for mask in (allowed, None):
        rows, scores = index.search(query, mask=mask, k=k)
        inside = covered if mask is None else covered & mask
        found = rows.tolist()
        assert len(set(found)) == len(found) == min(k, int(inside.sum())) and inside[rows].all()
        assert rows.dtype == np.int32 and scores.dtype == np.float32
        assert scores.tolist() == pytest.approx([float(query @ vector_of(names[row])) for row in found], abs=2e-3)
        assert found == [row for _, row in sorted(zip(-scores, found, strict=True))]


def test_the_nearest_are_found(world: World) -> None:
    """120 vectors are few enough for a graph to miss none of them."""
    index = filled(world)
    assert world.texts == [t for i in range(60) for t in (f"text {i}", f"more {i}")]
    chance = np.random.default_rng(3)
    for n in range(40):
        query = vector_of(f"question {n}")
        mask = chance.random(120) < chance.choice([0.1, 0.5, 0.9])
        for k in (1, 7, 50):
            assert index.search(query, k=k)[0].tolist() == world.best(query, np.ones(120, bool), k)
            assert index.search(query, mask=mask, k=k)[0].tolist() == world.best(query, mask, k)


def test_equal_texts_are_rows_of_their_own(world: World) -> None:
    index = world.commit(*(document(f"d{i}", "the same", f"other {i}") for i in range(8)))
    rows, scores = index.search(vector_of("the same"), k=8)
    assert rows.tolist() == [0, 2, 4, 6, 8, 10, 12, 14] and len(set(scores.tolist())) == 1
    mask = np.ones(16, bool)
    mask[[0, 6]] = False
    assert index.search(vector_of("the same"), mask=mask, k=3)[0].tolist() == [2, 4, 8]


def test_more_asked_than_there_is(world: World) -> None:
    index = filled(world, 4)
    assert sorted(index.search(vector_of("q"), k=1000)[0].tolist()) == list(range(8))
    assert index.search(vector_of("q"), mask=np.zeros(8, bool))[0].tolist() == []
    one = np.zeros(8, bool)
    one[5] = True
    assert index.search(vector_of("q"), mask=one)[0].tolist() == [5]


def test_nothing_is_there(world: World) -> None:
    empty = world.commit()
    assert empty.coverage == 1.0 and empty.search(vector_of("q"))[0].tolist() == []
    without = world.commit(document("d", "text"), skip=("text",))
    assert without.coverage == 0.0 and without.search(vector_of("q"))[0].tolist() == []
    assert without.engine.name == "exact" and without.engine.reason == ""


def test_texts_come_go_and_come_back(world: World, engine: str) -> None:
    """Hazard 6: removed, forgotten for a generation, and added again, a text is found once."""
    filled(world)
    query = vector_of("text 7")
    first = world.path() / "graph0.bin"
    steps = [
        ((), ("d007", "d008")),
        ((document("d007", "text 7", "more 7"), document("new", "a new text")), ()),
        ((document("d001", "text 7"),), ("d000",)),
        ((document("d002", "more 2", "text 2"),), ("d001",)),
    ]
    for added, removed in steps:
        index = world.commit(*added, removed=removed)
        if engine == "hnsw":
            assert (world.path() / "graph0.bin").stat().st_ino == first.stat().st_ino, "few changes rebuild no graph"
        n = len(world.table)
        for q in (query, vector_of("a new text"), vector_of("question")):
            for k in (1, 10, 200):
                rows = index.search(q, k=k)[0].tolist()
                assert len(set(rows)) == len(rows)
                assert rows == world.best(q, np.ones(n, bool), k)
        best = index.search(query, k=2)
        assert [world.texts[row] == "text 7" for row in best[0]] == [
            "text 7" in world.texts, world.texts.count("text 7") == 2,
        ]  # fmt: skip


def test_growth_meets_no_capacity(world: World) -> None:
    """Hazard 7: one by one across the size of the first graph, then by ten times at once."""
    for count in (5, 6, 7, 70):
        index = filled(world, count)
        assert sorted(index.search(vector_of("q"), k=500)[0].tolist()) == list(range(2 * count))


def test_another_model_is_refused_by_name(world: World) -> None:
    """Hazard 9."""
    index = filled(world, 5)
    with pytest.raises(ConfigError) as caught:
        DenseIndex.open(world.path(), world.table, fingerprint="model-b/8/def")
    assert MODEL in str(caught.value) and "model-b/8/def" in str(caught.value)
    with pytest.raises(ConfigError, match=f"{DIM}-dimensional vectors of {MODEL}"):
        index.search(np.ones(DIM + 1, "f4"))
    with pytest.raises(ConfigError, match="12 dimensions, the model 8"):
        build(world.folder / "other", world.table, MODEL, 8, world.cache, world.path(), least=world.least)


@pytest.mark.parametrize("dim", [6, DIM])
def test_the_next_model_takes_nothing_from_the_last(world: World, dim: int) -> None:
    filled(world, 20)
    other = "model-b/def"
    corners = np.eye(dim, dtype="f4")[np.arange(40) % 6]
    world.cache.put(world.table.digest.tolist(), other, corners)
    target = world.folder / "other"
    build(target, world.table, other, dim, world.cache, world.path(), least=world.least)
    index = DenseIndex.open(target, world.table, fingerprint=other)
    rows, scores = index.search(corners[0], k=7)
    assert index.dim == dim and rows.tolist() == [0, 6, 12, 18, 24, 30, 36] and scores.tolist() == [1.0] * 7


@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_a_vector_without_meaning_is_never_found(world: World, value: float) -> None:
    """Hazard 10: refused when stored, refused as a query, and left out if it lies in the cache all the same."""
    index = filled(world, 10)
    bad = np.full((1, DIM), value, "f4")
    with pytest.raises(Refused):
        world.cache.put([b"x"], MODEL, bad)
    if not np.isfinite(value):
        with pytest.raises(UsageError, match="finite"):
            index.search(bad[0])
    raw = sqlite3.connect(world.folder / "v.sqlite")
    raw.execute("UPDATE vector SET data = ? WHERE digest = ?", (bad.astype("<f2").tobytes(), world.digest("text 3")))
    raw.commit()
    raw.close()
    build(world.folder / "anew", world.table, MODEL, DIM, world.cache, least=world.least)
    index = DenseIndex.open(world.folder / "anew", world.table)
    assert np.flatnonzero(~index.embedded).tolist() == [6]
    assert 6 not in index.search(vector_of("text 3"), k=100)[0] and len(index.search(vector_of("q"), k=100)[0]) == 19


def test_wrong_requests_are_named(world: World) -> None:
    index = filled(world, 5)
    with pytest.raises(UsageError, match="mask"):
        index.search(vector_of("q"), mask=np.ones(3, bool))
    with pytest.raises(UsageError, match="k is 0"):
        index.search(vector_of("q"), k=0)


def test_order_of_arrival_does_not_show(engine: str, tmp_path: Path) -> None:
    """Equal texts give equal files and answers; a graph that was carried over gives equal scores."""
    documents = [document(f"d{i:03}", f"text {i}", f"more {i}") for i in range(30)]
    forward, backward, stepwise = (World(tmp_path / name, engine) for name in ("f", "b", "s"))
    one, two = forward.commit(*documents), backward.commit(*reversed(documents))
    stepwise.commit(*documents[:28])
    three = stepwise.commit(*documents[28:])
    names = sorted(p.name for p in one.folder.iterdir())
    assert all((one.folder / name).read_bytes() == (two.folder / name).read_bytes() for name in names)
    for n in range(10):
        (a, x), (b, y) = (index.search(vector_of(f"question {n}"), k=20) for index in (one, three))
        assert a.tolist() == b.tolist() and x.tolist() == y.tolist()


def test_each_language_is_found_in_full(world: World, engine: str) -> None:
    """A mask that leaves one language gets its k rows, however near the other language is."""
    chinese = [document(f"z{i:03}", f"text {i}") for i in range(60)]
    english = [document(f"e{i:03}", f"word {i}", language="en") for i in range(60)]
    index = world.commit(*chinese, *english)
    assert len(list(world.path().glob("*.bin"))) == (2 if engine == "hnsw" else 0)
    wanted = np.array([world.table.languages[code] == "en" for code in world.table.language])
    for n in range(10):
        query = vector_of(f"text {n}")
        assert index.search(query, mask=wanted, k=20)[0].tolist() == world.best(query, wanted, 20)
        assert index.search(query, k=20)[0].tolist() == world.best(query, np.ones(120, bool), 20)
    graphs = {path.name: path.stat().st_ino for path in world.path().glob("*.bin")}
    world.commit(document("z999", "text 999"))
    assert graphs == {path.name: path.stat().st_ino for path in world.path().glob("*.bin")}


def test_many_threads_share_an_index(world: World) -> None:
    """The graphs are opened by whoever comes first."""
    index = filled(world)
    queries = [vector_of(f"question {n}") for n in range(50)]
    mask = np.arange(120) % 3 > 0
    expected = [world.best(query, mask, 9) for query in queries]
    wrong: list[int] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        wrong.extend(
            n for n, query in enumerate(queries) if index.search(query, mask=mask, k=9)[0].tolist() != expected[n]
        )

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)
