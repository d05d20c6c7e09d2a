"""A process that answers SPARQL queries and may be killed at any moment: ``python -m oam_rdf.store.sparql_worker``.

It reads requests from stdin and writes answers to stdout, one at a time. A message is four bytes (big endian: length of
the header), a JSON header, and ``header["length"]`` bytes of body: the query text there, the serialised result back.
:mod:`oam_rdf.store.sparql` is the other end. The engine has no time limit and its ``SERVICE`` fetches URLs, so the
process gives up the network and most of its memory before it opens anything, and the parent watches the clock.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import struct
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

import pyoxigraph as ox

from oam_rdf.store.sparql_errors import locate
from oam_rdf.store.sparql_language import restore_case

Header = dict[str, Any]

_RESULTS = {
    "json": ox.QueryResultsFormat.JSON,
    "xml": ox.QueryResultsFormat.XML,
    "csv": ox.QueryResultsFormat.CSV,
    "tsv": ox.QueryResultsFormat.TSV,
}
_GRAPHS = {
    "turtle": ox.RdfFormat.TURTLE,
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdfxml": ox.RdfFormat.RDF_XML,
}
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


class Failure(Exception):
    """What goes back instead of a result: ``kind`` is usage, forbidden, limit or damaged."""

    def __init__(self, kind: str, message: str, **more: object) -> None:
        super().__init__(message)
        self.header: Header = {"error": kind, "message": message, **more}


class _Bounded(io.RawIOBase):
    """A buffer that refuses to grow past its limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.buffer = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if len(self.buffer) + len(data) > self.limit:
            raise Failure("limit", f"the result is larger than {self.limit} bytes", hint="add LIMIT or narrow it")
        self.buffer += data
        return len(data)


def send(stream: IO[bytes], header: Header, body: bytes = b"") -> None:
    """Write one message and flush it."""
    packed = json.dumps({**header, "length": len(body)}).encode()
    stream.write(struct.pack(">I", len(packed)) + packed + body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Header, bytes] | None:
    """Read one message; None at the end of the stream, also in the middle of a message."""
    size = stream.read(4)
    if len(size) < 4:
        return None
    packed = stream.read(struct.unpack(">I", size)[0])
    try:
        header: Header = json.loads(packed)
    except ValueError:  # cut off: the other side died while writing
        return None
    body = stream.read(header["length"])
    return (header, body) if len(body) == header["length"] else None


def answer(store: ox.Store, request: Header, text: str) -> bytes:
    """Run one query and serialise its result in ``request["format"]``. Raises Failure.

    ``default`` and ``named`` are the protocol's graph lists (None = not given); ``dataset`` lists the graphs that the
    query's own FROM clauses name; ``union`` makes the default graph the union of all graphs (decision D19).
    """
    default, named = _graphs(request["default"]), _graphs(request["named"])
    if default is not None or named is not None:  # as the protocol says: what is not listed is not in the dataset
        default, named = default or [], named or []
    # The lists of the protocol replace FROM, so only one of the two has to be looked at.
    asked = request["dataset"] if default is None or named is None else [graph.value for graph in default + named]
    for iri in asked:
        if not store.contains_named_graph(_node(iri)):
            raise Failure("forbidden", f"no graph <{iri}> in this knowledge base", hint="graphs are never fetched")
    out: Any = _Bounded(request["limit"])
    try:
        result = store.query(
            text,
            base_iri=request["base"],
            prefixes=request["prefixes"],
            use_default_graph_as_union=request["union"] and default is None,
            default_graph=default,
            named_graphs=named,
        )
        formats: dict[str, Any] = _GRAPHS if isinstance(result, ox.QueryTriples) else _RESULTS
        if request["format"] not in formats:
            raise Failure("usage", f"format {request['format']!r} does not fit this query")
        result.serialize(out, format=formats[request["format"]])
    except SyntaxError as error:
        mistake = locate(text, str(error), request["prefixes"], request["base"])
        if mistake is None:
            raise Failure("usage", str(error)) from error
        more = {"line": mistake.line, "column": mistake.column, "hint": mistake.hint}
        raise Failure("usage", mistake.message, **more) from error
    except OSError as error:
        raise Failure("damaged", f"the store could not be read: {error}") from error
    except (RuntimeError, ValueError) as error:
        raise Failure("usage", str(error)) from error
    return restore_case(bytes(out.buffer), request["format"])


def _node(iri: str) -> ox.NamedNode:
    try:
        return ox.NamedNode(iri)
    except ValueError as error:
        raise Failure("usage", f"graph {iri!r} is not an absolute IRI") from error


def _graphs(iris: list[str] | None) -> list[Any] | None:
    return None if iris is None else [_node(iri) for iri in iris]


class _Stores:
    """The store that is open, which changes when a request names another folder."""

    def __init__(self) -> None:
        self.path = ""
        self.store: ox.Store | None = None

    def open(self, path: str) -> ox.Store:
        if self.store is None or path != self.path:
            self.store = None
            if not Path(path).is_dir():
                raise Failure("damaged", f"no store at {path}")
            try:
                self.store, self.path = ox.Store.read_only(path), path
            except (OSError, RuntimeError, ValueError) as error:
                raise Failure("damaged", f"the store at {path} does not open: {error}") from error
        return self.store


def isolate(memory: int) -> Header:
    """Give up the network, core dumps and all memory above ``memory`` bytes of address space, as far as the platform
    can; what was achieved, for :attr:`WorkerPool.isolation`. Must run before any thread starts."""
    achieved: Header = {"network": "refused by the query gate only", "memory": None, "cpu": False}
    if sys.platform == "linux" and _leave_network():
        achieved["network"] = "no network (Linux namespace)"
    try:
        import resource
    except ImportError:  # Windows
        return achieved
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    achieved["cpu"] = True
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
        achieved["memory"] = memory
    except (ValueError, OSError):  # macOS knows the limit and refuses it
        achieved["memory"] = None
    return achieved


def _leave_network() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    # Alone where that is permitted (root): a user namespace would also take the right to read other people's files.
    return any(libc.unshare(flags) == 0 for flags in (_CLONE_NEWNET, _CLONE_NEWUSER | _CLONE_NEWNET))


def _allow_cpu(seconds: float) -> None:
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(usage.ru_utime + usage.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _watch_parent() -> None:
    """End when the parent is gone, also in the middle of a query, when nobody reads stdin."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Isolate, say hello, then answer until stdin ends."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    hello = isolate(int(sys.argv[1]))
    _watch_parent()
    send(replies, hello)
    stores = _Stores()
    while (message := receive(requests)) is not None:
        request, body = message
        _allow_cpu(request["cpu"])
        try:
            result = answer(stores.open(request["store"]), request, body.decode())
        except Failure as failure:
            send(replies, failure.header)
        except MemoryError:
            send(replies, {"error": "limit", "message": "the query needs more memory than it may have"})
        else:
            send(replies, {}, result)


if __name__ == "__main__":
    main()
