"""The chat-completions protocol over the standard library: one request, one JSON object, bounded patience."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from oam_rdf.errors import OamError, UsageError

_MOST_BYTES = 4 * 1024 * 1024
_LONGEST_WAIT = 60.0  # seconds between two attempts, whatever the endpoint asks for
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}


@dataclass(frozen=True, slots=True)
class Chat:
    """One endpoint and model. ``timeout`` is in seconds a request, ``attempts`` ≥ 1."""

    endpoint: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    attempts: int = 3

    def complete(self, system: str, user: str) -> dict[str, Any]:
        """The JSON object that the model answers with.

        Tries again, as often as ``attempts`` says, after a time-out, a broken connection, an answer that is no JSON, 429
        and 5xx; waits as long as ``Retry-After`` says.

        :raises UsageError: if the endpoint's address or our key is wrong: no further document will fare better.
        :raises OamError: if every attempt failed.
        """
        body = {
            "model": self.model,
            "temperature": 0,
            "response_format": {"type": "json_object"},
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        }
        reason, wait = "", 0.0
        for attempt in range(self.attempts):
            if attempt:
                time.sleep(min(wait if wait > 0 else 0.5 * 2 ** (attempt - 1), _LONGEST_WAIT))
            answer, reason, wait = self._once(body)
            if answer is not None:
                return answer
        raise OamError(reason, place=self._address(), hint=f"gave up after {self.attempts} attempts")

    def _address(self) -> str:
        base = self.endpoint.rstrip("/")
        if urlsplit(base).scheme not in ("http", "https"):
            raise UsageError("a model endpoint is an http or https address", place=self.endpoint)
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"

    def _once(self, body: dict[str, Any]) -> tuple[dict[str, Any] | None, str, float]:
        """The answer, or why there is none and how long to wait before the next attempt (0 = as we see fit)."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self._address(), json.dumps(body).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return _content(response.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in _AGAIN:
                    hint = "check --model-endpoint, --model and OAM_MODEL_KEY"
                    raise UsageError(f"HTTP {error.code} {error.reason}", place=self._address(), hint=hint) from error
                return None, f"HTTP {error.code} {error.reason}", _retry_after(error.headers.get("Retry-After"))
        except TimeoutError:
            return None, f"no answer within {self.timeout:g} s", 0.0
        except (OSError, HTTPException) as error:
            return None, f"the endpoint cannot be reached: {error}", 0.0


def _content(raw: bytes) -> tuple[dict[str, Any] | None, str, float]:
    """The JSON object that the first choice's message holds, with or without a code fence around it."""
    try:
        content = json.loads(raw)["choices"][0]["message"]["content"]
        start, end = content.index("{"), content.rindex("}")
        value = json.loads(content[start : end + 1])
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        return None, f"the answer is no JSON as asked for: {type(error).__name__}", 0.0
    return (value, "", 0.0) if isinstance(value, dict) else (None, "the answer is no JSON object", 0.0)


def _retry_after(value: str | None) -> float:
    """Seconds to wait, from a number or an HTTP date; 0 if it says nothing we can read."""
    if value is None:
        return 0.0
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return 0.0
