"""Vectors from an OpenAI-compatible endpoint, ``POST …/v1/embeddings``, that the user names.

Nothing is sent anywhere unless the name of the endpoint comes from the command line or the environment: a knowledge base
cannot choose one (hazard 83).
"""

from __future__ import annotations

import http.client
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from typing import Any

import numpy as np

from oam_rdf.errors import ConfigError, Refused, UsageError
from oam_rdf.index.embed import Vectors, check_text, check_vectors, prefixes_of

_BATCH = 64  # texts of a request
_RETRIED = (408, 429, 500, 502, 503, 504, 529)
_TRIES = 5
_TIMEOUT = 120.0
_LONGEST_WAIT = 60.0
_ANSWER = 256 * 1024 * 1024  # bytes read of an answer at most


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect would carry texts and key to a place that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class OpenAIEmbedder:
    """``URL#MODEL`` or ``URL?model=MODEL``; the key, where one is needed, in ``OAM_EMBED_KEY``.

    Texts are cut at ``max_tokens`` bytes of UTF-8, which are never more tokens than that.
    """

    max_tokens = 8191

    def __init__(self, address: str, *, pause: float = 1.0) -> None:
        """Asks for one vector, to learn the dimension. ``pause``: seconds before the second try, then doubled.

        :class:`UsageError` for an address that cannot be used or does not answer as such an endpoint does.
        """
        self._url, self._model = _parts(address)
        self._pause = pause
        self._opener = urllib.request.build_opener(_Stay)
        self._query, self._passage = prefixes_of(self._model)
        self.dim = 0
        self.dim = self._ask(["dimension"]).shape[1]
        kind = "query+passage" if self._query else "plain"
        self.fingerprint = f"openai/{self._url}#{self._model}/{self.dim}/{kind}"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32[n, dim] in the order of ``texts``."""
        for text in texts:
            check_text(text)
        parts = [
            self._ask([self._cut(self._passage + text) for text in texts[at : at + _BATCH]])
            for at in range(0, len(texts), _BATCH)
        ]
        return check_vectors(np.concatenate(parts) if parts else np.empty((0, self.dim), "f4"), self.dim)

    def embed_query(self, text: str) -> Vectors:
        """float32[dim]."""
        check_text(text)
        vectors = self._ask([self._cut(self._query + text)], tries=2, timeout=10.0)  # somebody waits for the answer
        return np.asarray(check_vectors(vectors, self.dim)[0])

    def _cut(self, text: str) -> str:
        data = text.encode()
        return text if len(data) <= self.max_tokens else data[: self.max_tokens].decode("utf-8", "ignore")

    def _ask(self, texts: list[str], *, tries: int = _TRIES, timeout: float = _TIMEOUT) -> Vectors:
        """Unit vectors in the order of ``texts``; every answer is checked for number, order and dimension."""
        answer = self._post({"input": texts, "model": self._model, "encoding_format": "float"}, tries, timeout)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            if [int(row["index"]) for row in rows] != list(range(len(texts))):
                raise ValueError(f"{len(rows)} vectors for {len(texts)} texts")
            vectors = np.array([row["embedding"] for row in rows], "f4")
            if vectors.ndim != 2 or not vectors.shape[1]:
                raise ValueError("the vectors are not rows of numbers")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"not an answer with embeddings: {error!r}", place=self._url) from error
        if self.dim and vectors.shape[1] != self.dim:
            what = f"vectors of {vectors.shape[1]} dimensions, before they had {self.dim}"
            raise Refused(what, place=self._url, hint="another model answers now: run `oam embed` again")
        norms = np.linalg.norm(vectors.astype("f8"), axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return check_vectors(vectors / norms, vectors.shape[1])

    def _post(self, body: dict[str, Any], tries: int, timeout: float) -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "oam-rdf"}
        if os.environ.get("OAM_EMBED_KEY"):
            headers["Authorization"] = "Bearer " + os.environ["OAM_EMBED_KEY"]
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers, method="POST")
        for attempt in range(1, tries + 1):
            wait = min(self._pause * 2 ** (attempt - 1), _LONGEST_WAIT)
            try:
                with self._opener.open(request, timeout=timeout) as answer:
                    return json.loads(answer.read(_ANSWER))
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read(500).decode("utf-8", "replace").strip()
                if error.code not in _RETRIED or attempt == tries:
                    hint = "set OAM_EMBED_KEY" if error.code in (401, 403) else ""
                    raise UsageError(f"answered {error.code}: {said}", place=self._url, hint=hint) from error
                asked = error.headers.get("Retry-After", "")
                wait = min(max(wait, float(asked) if re.fullmatch(r"\d{1,6}", asked) else 0.0), _LONGEST_WAIT)
            except (OSError, http.client.HTTPException) as error:  # refused, reset, timed out
                if attempt == tries:
                    raise UsageError(
                        f"cannot be reached: {error}", place=self._url, hint="is the server up?"
                    ) from error
            except ValueError as error:
                raise UsageError("the answer is not JSON", place=self._url) from error
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")


def _parts(address: str) -> tuple[str, str]:
    """(URL of the endpoint, model)."""
    example = "for example openai:http://localhost:8080/v1#multilingual-e5-small"
    try:
        url = urllib.parse.urlsplit(address)
        _ = url.port
    except ValueError as error:
        raise ConfigError(f"not a URL: {address}", hint=example) from error
    query = urllib.parse.parse_qs(url.query)
    model = url.fragment or "".join(query.pop("model", [])[:1])
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ConfigError("an endpoint begins with http:// or https://", place=address, hint=example)
    if url.username or url.password:
        raise ConfigError("no key or password in an address", hint="put the key into OAM_EMBED_KEY")
    if not model:
        raise ConfigError("the model is not named", place=address, hint=example)
    path = url.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path.endswith("/v1") else "/v1/embeddings"
    rest = urllib.parse.urlencode(query, doseq=True)
    return urllib.parse.urlunsplit((url.scheme, url.netloc, path, rest, "")), urllib.parse.unquote(model)
