"""A question in one language put to texts in another (index/languages.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_corpus import document

from oam_rdf.errors import Damaged
from oam_rdf.index.dense import DenseIndex, build
from oam_rdf.index.embed import load_embedder
from oam_rdf.index.languages import SHARE, across, embed_samples, means, samples
from oam_rdf.index.passages import PassageTable, embedding_digest
from oam_rdf.index.vectors import VectorCache

MODEL, DIM = "model-a/4/abc", 4


def _fill(cache: VectorCache, tag: str, vector: list[float], leave: int = 0) -> None:
    texts = samples()[tag][leave:]
    cache.put([embedding_digest(text) for text in texts], MODEL, np.array([vector] * len(texts), "f4"))


def test_samples_say_the_same_in_each_language() -> None:
    assert set(samples()) == {"en", "zh"}
    assert len({len(texts) for texts in samples().values()}) == 1
    assert all(len(set(texts)) == len(texts) >= 20 for texts in samples().values())


def test_a_language_has_a_mean_when_all_its_samples_have_vectors(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v.sqlite")
    assert means(MODEL, cache) == {}
    _fill(cache, "en", [0, 1, 0, 0])
    _fill(cache, "zh", [1, 0, 0, 0], leave=1)
    assert means(MODEL, cache) == {"en": [0, 1, 0, 0]}
    assert means("model-b/4/abc", cache) == {}


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8))
def test_moved_queries_are_of_norm_one_and_less_like_their_language(numbers: list[float]) -> None:
    query, mean = np.array(numbers[:4]), np.array(numbers[4:])
    if np.linalg.norm(query) < 0.1:
        return
    query /= np.linalg.norm(query)
    mean /= max(1.0, np.linalg.norm(mean))
    moved = across(query, mean)
    assert moved.dtype == np.float32 and np.linalg.norm(moved) == pytest.approx(1, abs=1e-5)
    # In the order of texts: what a text has of the mean counts so much less.
    text = np.array([0.6, 0.0, 0.8, 0.0])
    left = np.linalg.norm(query - SHARE * mean)
    assert moved @ text * left == pytest.approx(query @ text - SHARE * (mean @ text), abs=1e-5)


def test_an_index_keeps_the_means(tmp_path: Path) -> None:
    table = PassageTable.empty().splice((), [document("d", "text")])
    cache = VectorCache(tmp_path / "v.sqlite")
    cache.put([bytes(table.digest[0])], MODEL, np.array([[1, 0, 0, 0]], "f4"))
    query = np.array([0.6, 0.8, 0, 0], "f4")
    build(tmp_path / "without", table, MODEL, DIM, cache)
    assert np.array_equal(DenseIndex.open(tmp_path / "without", table).across(query, "en"), query)
    _fill(cache, "en", [0, 1, 0, 0])
    build(tmp_path / "dense", table, MODEL, DIM, cache)
    index = DenseIndex.open(tmp_path / "dense", table)
    assert index.across(query, "en") == pytest.approx(across(query, np.array([0, 1, 0, 0])))
    assert np.array_equal(index.across(query, "zh"), query)

    head = json.loads((tmp_path / "dense" / "dense.json").read_text())
    for damage in ({"en": [0, 1]}, {"en": [0, float("nan"), 0, 0]}, {"en": [0, float("inf"), 0, 0]}, {"en": {}}, []):
        (tmp_path / "dense" / "dense.json").write_text(json.dumps(head | {"languages": damage}))
        with pytest.raises(Damaged):
            DenseIndex.open(tmp_path / "dense", table)


def test_meaning_before_looks(tmp_path: Path) -> None:
    """A text that only shows the question's characters is nearer to it than the answer, until its language is taken out."""
    e5 = load_embedder("e5")
    cache = VectorCache(tmp_path / "v.sqlite")
    embed_samples(e5, cache)
    question = e5.embed_query("誰證明了四色定理？")
    answer, looks = e5.embed_passages(
        [
            "Every map needs at most four colours; Appel and Haken showed this with a computer.",
            "The characters 四色 are pronounced sì sè in Mandarin.",
        ]
    )
    moved = across(question, np.array(means(e5.fingerprint, cache)["zh"]))
    assert question @ answer < question @ looks
    assert moved @ answer > moved @ looks
