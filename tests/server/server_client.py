"""What the tests of the server share: a client, a server in a thread, a knowledge base that is one store."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask
from waitress.server import create_server

from oam_rdf.errors import LockHeld, NotFound
from oam_rdf.store.sparql import Limits, WorkerPool

EX = "http://example.org/"
STATEMENTS = 2_000
RUNAWAY = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    def json(self) -> Any:
        return json.loads(self.body)


Ask = Callable[..., Reply]


def client(port: int) -> Ask:
    """A function that sends one request and reads the answer; ``headers`` are sent as they are."""

    def ask(
        path: str, *, method: str = "GET", headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    return ask


@contextmanager
def serving(app: Flask) -> Iterator[int]:
    """``app`` behind waitress in a thread; the port."""
    server: Any = create_server(app, host="127.0.0.1", port=0, threads=8)

    def run() -> None:
        with suppress(OSError):  # its socket is closed while it waits
            server.run()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield server.effective_port
    finally:
        server.close()
        thread.join(5)


class OneStore:
    """What the SPARQL endpoint needs of a knowledge base, over a single store folder; the other verbs find nothing."""

    def __init__(self, store: Path) -> None:
        self.pool = WorkerPool(store, limits=Limits(timeout=1.5, result=400_000))

    def sparql(self, query: str, *, clearance: str, **options: Any) -> tuple[bytes, str]:
        return self.pool.query(query, **options)

    def trace(self, identifier: str, *, clearance: str) -> dict[str, Any]:
        if identifier == "broken":
            raise ZeroDivisionError("a secret of the machine: /root/x")
        if identifier == "locked":
            raise LockHeld("process 42 is writing")
        raise NotFound(f"no certificate {identifier!r}")

    def status(self, *, clearance: str) -> dict[str, Any]:
        return {"generation": 1, "root": "/somewhere"}

    def close(self) -> None:
        self.pool.close()
