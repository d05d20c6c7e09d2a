"""Queries before passages: whoever embeds many texts looks between two of them whether a query waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 5.0  # seconds: a stream of queries slows passages down, it does not stop them


class Turn:
    """The queries of one embedder that wait or run."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._queries = 0

    @contextmanager
    def query(self) -> Iterator[None]:
        """While a query is embedded."""
        with self._condition:
            self._queries += 1
        try:
            yield
        finally:
            with self._condition:
                self._queries -= 1
                self._condition.notify_all()

    def after_queries(self) -> None:
        """Return when no query waits, or after some seconds."""
        with self._condition:
            self._condition.wait_for(lambda: self._queries == 0, timeout=_PATIENCE)
