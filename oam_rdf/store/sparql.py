"""SPARQL for callers we do not know (architecture.md, "SPARQL from outside").

:class:`WorkerPool` checks a query with the gate, hands it to a worker process, and turns whatever ends it early (time,
memory, size of the result, a crash of the engine) into LimitExceeded. The next query finds a new worker.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from oam_rdf.errors import Damaged, Forbidden, LimitExceeded, OamError, UsageError
from oam_rdf.namespaces import PREFIXES
from oam_rdf.store.sparql_formats import choose
from oam_rdf.store.sparql_gate import QueryGate, QueryShape
from oam_rdf.store.sparql_process import WorkerProcess

__all__ = ["Answer", "Limits", "QueryGate", "QueryShape", "WorkerPool"]

MIN_MEMORY = 512 << 20  # below this RocksDB itself does not start reliably
_START = 30.0  # seconds to wait for the first worker when only its isolation is asked for


class Answer(NamedTuple):
    """A serialised result and the media type of its format."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may use."""

    timeout: float = 30.0  # seconds of wall clock, waiting for a free worker included
    memory: int = 1 << 30  # bytes of address space of a worker, at least MIN_MEMORY
    result: int = 64 << 20  # bytes of the serialised result
    query: int = 1 << 20  # bytes of the query text


class WorkerPool:
    """Long-lived worker processes over one store folder, safe to call from many threads.

    The folder is only read. Whoever owns it keeps it on disk while a call is running; :meth:`switch` moves later calls
    to another folder, which a worker opens on its next query. Constructing starts nothing; workers start on demand.
    """

    def __init__(
        self,
        store: Path,
        *,
        workers: int = 2,
        limits: Limits | None = None,
        prefixes: Mapping[str, str] = PREFIXES,
    ) -> None:
        self.store = store
        self.limits = limits or Limits()
        if self.limits.memory < MIN_MEMORY:
            raise UsageError(f"a query worker needs at least {MIN_MEMORY >> 20} MB", hint="raise the memory limit")
        self._workers = max(1, workers)
        self._prefixes = dict(prefixes)
        self._gate = QueryGate()
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._free = threading.Condition()
        self._idle: list[WorkerProcess] = []
        self._running = 0  # workers handed out
        self._starting, self._started = 0, 0.0  # workers that start now; when the last one had started
        self._closed = False
        self._isolation: dict[str, Any] | None = None

    def switch(self, store: Path) -> None:
        """Answer later queries from another folder, such as that of a newer generation."""
        self.store = store

    def query(
        self,
        text: str,
        *,
        format: str | None = None,
        default_graphs: Sequence[str] | None = None,
        named_graphs: Sequence[str] | None = None,
        strict: bool = False,
        timeout: float | None = None,
        base: str | None = None,
        store: Path | None = None,
    ) -> Answer:
        """Answer a SELECT, ASK, CONSTRUCT or DESCRIBE query.

        ``format``: a name or media type of :mod:`oam_rdf.store.sparql_formats` that fits the query's form (default:
        SPARQL JSON, Turtle). The default graph is the union of all graphs (decision D19), with ``strict`` the true one;
        ``default_graphs`` and ``named_graphs`` (absolute IRIs) or FROM choose another dataset, of graphs that exist.
        ``timeout``: seconds, at most that of the limits. ``base`` resolves relative IRIs. ``store``: another folder for
        this query only. The project's prefixes need no declaration.

        Raises UsageError (syntax, with ``query:line:column``; wrong format), Forbidden (SERVICE, LOAD, an update, a
        graph that is not there), LimitExceeded, Damaged (the store does not open).
        """
        text = text.removeprefix("\ufeff")
        try:
            body = text.encode()
        except UnicodeEncodeError as error:
            raise UsageError("the query contains half of a surrogate pair", place="query") from error
        if len(body) > self.limits.query:
            raise UsageError(f"the query is longer than {self.limits.query} bytes", place="query")
        if timeout is not None and not timeout > 0:
            raise UsageError(f"a timeout of {timeout} seconds allows nothing", hint="give a positive number")
        shape = self._gate.check(text)
        for graph in [*(default_graphs or ()), *(named_graphs or ())]:
            if graph.lower().startswith("file:"):
                raise Forbidden(f"no graph <{graph}> in this knowledge base", hint="files are never read for a query")
        fmt, media_type = choose(shape.form, format)
        seconds = min(timeout or self.limits.timeout, self.limits.timeout)
        request = {
            "store": str(store or self.store),
            "format": fmt.name,
            "union": not strict and not shape.has_dataset,
            "default": None if default_graphs is None else list(default_graphs),
            "named": None if named_graphs is None else list(named_graphs),
            "dataset": shape.graphs,
            "prefixes": self._prefixes,
            "base": base,
            "limit": self.limits.result,
            "cpu": seconds,
        }
        try:
            return Answer(self._ask(request, body, seconds), media_type)
        except UsageError as error:
            if not shape.form and not error.hint:
                error.hint = "a query begins with SELECT, ASK, CONSTRUCT or DESCRIBE"
            raise

    @property
    def isolation(self) -> Mapping[str, Any]:
        """What keeps a query in: ``network``, ``memory`` (bytes or None), ``cpu``. Starts a worker if none ran yet."""
        if self._isolation is None:
            self._give_back(self._take("", _START))
        return self._isolation or {}

    def close(self) -> None:
        """End the workers; one in the middle of a query when that query ends."""
        with self._free:
            self._closed = True
            for worker in self._idle:
                worker.stop()
            self._idle.clear()
            self._free.notify_all()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: dict[str, Any], body: bytes, seconds: float) -> bytes:
        worker = self._take(request["store"], seconds)
        try:
            # The clock of a query begins when its worker is there: on a busy machine one takes seconds to start.
            header, result = worker.ask(request, body, time.monotonic() + seconds, seconds)
        finally:
            self._give_back(worker)
        if "error" in header:
            raise _error(header)
        return result

    def _take(self, store: str, patience: float) -> WorkerProcess:
        """A worker, waited for ``patience`` seconds in which none was starting."""
        asked = time.monotonic()
        if os.getpid() != self._pid:  # a fork has copied the pool: the workers are still the parent's
            self._reset()
        with self._free:
            while True:
                if self._closed:
                    raise UsageError("this pool of query workers is closed")
                for dead in [worker for worker in self._idle if not worker.alive]:  # killed while idle
                    dead.stop()
                    self._idle.remove(dead)
                if self._idle:
                    # One that has the right store open, else any.
                    chosen = next((worker for worker in self._idle if worker.store == store), self._idle[-1])
                    self._idle.remove(chosen)
                    self._running += 1
                    return chosen
                if self._running < self._workers:
                    chosen = WorkerProcess(self.limits.memory)
                    break
                left = None if self._starting else max(asked, self._started) + patience - time.monotonic()
                if left is not None and left <= 0:
                    raise LimitExceeded("all query workers are busy", hint="try again, or narrow the queries that run")
                self._free.wait(left)
            self._running += 1
            self._starting += 1
        try:
            # Outside of the lock: it takes a while.
            self._isolation = chosen.start()
        except BaseException:
            self._give_back(chosen)
            raise
        finally:
            with self._free:
                self._starting -= 1
                self._started = time.monotonic()
                self._free.notify_all()
        return chosen

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._free:
            self._running -= 1
            if worker.alive and not self._closed:
                self._idle.append(worker)
            else:
                worker.stop()
            self._free.notify()


def _error(header: Mapping[str, Any]) -> OamError:
    kinds = {"usage": UsageError, "forbidden": Forbidden, "limit": LimitExceeded, "damaged": Damaged}
    place = f"query:{header['line']}:{header['column']}" if "line" in header else ""
    return kinds[header["error"]](header["message"], place=place, hint=header.get("hint", ""))
