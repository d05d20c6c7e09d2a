"""The endpoint embedder against a real HTTP server: what is sent, what is refused, what is tried again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract.embed_worlds import Endpoint, hashed

from oam_rdf.errors import ConfigError, Refused, UsageError
from oam_rdf.index.embed_openai import OpenAIEmbedder


def test_batches_prefixes_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAM_EMBED_KEY", "secret-1")
    endpoint = Endpoint(hashed)
    with endpoint.serve() as address:
        embedder = OpenAIEmbedder(f"{address}/v1?model=multilingual-e5-small")
        vectors = embedder.embed_passages([f"text {i}" for i in range(150)])
        embedder.embed_query("what")
    assert vectors.shape == (150, 64)
    assert np.allclose(vectors[70], hashed(["passage: text 70"])[0] / np.linalg.norm(hashed(["passage: text 70"])))
    assert [len(asked["input"]) for asked in endpoint.requests] == [1, 64, 64, 22, 1]
    assert endpoint.requests[-1]["input"] == ["query: what"] and endpoint.requests[1]["input"][0] == "passage: text 0"
    assert {asked["model"] for asked in endpoint.requests} == {"multilingual-e5-small"}
    assert {asked["path"] for asked in endpoint.requests} == {"/v1/embeddings"}
    assert set(endpoint.keys) == {"Bearer secret-1"} and "secret" not in embedder.fingerprint


def test_rows_out_of_order_are_sorted() -> None:
    endpoint = Endpoint(hashed)
    endpoint.change = lambda rows: rows[::-1]
    with endpoint.serve() as address:
        embedder = OpenAIEmbedder(address + "#pairs")
        assert np.argmax(embedder.embed_passages(["alpha", "beta", "gamma"]) @ embedder.embed_query("beta")) == 1


def test_busy_servers_are_asked_again() -> None:
    endpoint = Endpoint(hashed)
    with endpoint.serve() as address:
        embedder = OpenAIEmbedder(address + "#pairs", pause=0.01)
        endpoint.failures = [429, 503, 500, 502]
        assert embedder.embed_passages(["still there"]).shape == (1, 64)
        assert len(endpoint.requests) == 6
        endpoint.failures = [503] * 9
        with pytest.raises(UsageError, match="503"):
            embedder.embed_passages(["gone"])
        assert len(endpoint.requests) == 11
        endpoint.failures = [503]
        assert embedder.embed_query("once more").shape == (64,)
        endpoint.failures = [503, 503]
        with pytest.raises(UsageError, match="503"):  # somebody waits for a query: two tries
            embedder.embed_query("gone")
        assert len(endpoint.requests) == 15
        endpoint.failures = [401]
        with pytest.raises(UsageError, match="OAM_EMBED_KEY"):
            embedder.embed_query("not again")
        assert len(endpoint.requests) == 16
    with pytest.raises(UsageError, match="cannot be reached"):
        embedder.embed_query("down")


@pytest.mark.parametrize("code", [301, 302, 307])
def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setenv("OAM_EMBED_KEY", "secret-1")
    other, endpoint = Endpoint(hashed), Endpoint(hashed)
    with other.serve() as elsewhere, endpoint.serve() as address:
        endpoint.location = elsewhere + "/v1/embeddings"
        endpoint.failures = [code]
        with pytest.raises(UsageError, match=str(code)):
            OpenAIEmbedder(address + "#pairs")
    assert not other.requests


def _shorter(rows: Any) -> Any:
    return rows[:-1]


def _other(rows: Any) -> Any:
    return [row | {"embedding": row["embedding"][:10]} for row in rows]


def _nan(rows: Any) -> Any:
    return [row | {"embedding": [float("nan")] * 64} for row in rows]


def _words(rows: Any) -> Any:
    return [row | {"embedding": "AAAA"} for row in rows]


@pytest.mark.parametrize(
    ("change", "error"), [(_shorter, UsageError), (_other, Refused), (_nan, Refused), (_words, UsageError)]
)
def test_wrong_answers_are_refused(change: Any, error: type[Exception]) -> None:
    endpoint = Endpoint(hashed)
    with endpoint.serve() as address:
        embedder = OpenAIEmbedder(address + "#pairs")
        endpoint.change = change
        with pytest.raises(error):
            embedder.embed_passages(["one", "two"])


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost:8080#m",
        "ftp://host/v1#m",
        "http://host/v1",
        "http://:80#m",
        "http://host:port#m",
        "http://me:pw@host#m",
    ],
)
def test_addresses_that_cannot_be_used(address: str) -> None:
    with pytest.raises(ConfigError):
        OpenAIEmbedder(address)
