"""How much of a query answers and certificates repeat: its first :data:`LIMIT` characters, with a hash of the whole.

The whole plan is kept beside the certificate, for a replay and for nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

LIMIT = 2000  # characters of a query
TERMS = 200  # of a list of its terms
#: What of a certificate repeats the query, whole or in pieces.
_REPEATS = ("query", "query_plan", "asked_plan", "routing", "channels", "gate", "uncertainty", "results")


def too_long(plan: Mapping[str, Any]) -> bool:
    """Whether anything in a plan (as data) is longer than what is repeated."""
    return any(len(text) > LIMIT for text in _strings(plan))


def cut(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate with no more of its query than the limit. ``echo`` says how long the query was, and its hash."""
    query = str(certificate["query"])
    short = {name: _cut(part) if name in _REPEATS else part for name, part in certificate.items()}
    digest = hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()
    short["echo"] = {"limit": LIMIT, "characters": len(query), "sha256": digest}
    if "result" in short:
        short["result"] = short["results"][0]
    return short


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LIMIT else value[:LIMIT] + "…"
    if isinstance(value, Mapping):
        return {name: _cut(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_cut(part) for part in value[:TERMS]]
    return value


def _strings(value: Any) -> Any:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _strings(part)
