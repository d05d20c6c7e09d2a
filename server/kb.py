"""The one reader of a server process: opened on the first request, shared by all threads, following CURRENT."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import current_app

from oam_rdf.errors import OamError, UsageError
from oam_rdf.ontology import Ontology
from oam_rdf.store.layout import Layout
from oam_server.problems import Problem

if TYPE_CHECKING:
    from oam_rdf.knowledge_base import KnowledgeBase


class Reader:
    """Asks the knowledge base at ``path`` at one clearance. A failed attempt to open it is repeated by the next request.

    Methods raise the errors of :mod:`oam_rdf.errors`, and Problem 503 while there is nothing to read.
    """

    def __init__(self, path: Path, clearance: str) -> None:
        self.clearance = clearance
        self._path = path
        self._base: KnowledgeBase | None = None
        self._lock = threading.Lock()

    @property
    def base(self) -> KnowledgeBase:
        """The opened knowledge base. Raises the error of opening it."""
        with self._lock:
            if self._base is None:
                # Imported here: the index libraries take a second, and /health need not wait for them.
                from oam_rdf.knowledge_base import KnowledgeBase

                self._base = KnowledgeBase.open(self._path)
            return self._base

    def close(self) -> None:
        """Let go of generations and workers."""
        with self._lock:
            if self._base is not None:
                self._base.close()
                self._base = None

    def search(self, query: str, **options: Any) -> Any:
        return self._ask("search", query, **options)

    @property
    def ontology(self) -> Ontology:
        """The vocabulary with what the knowledge base's own Turtle adds."""
        return Ontology.load(extra=Layout(self._path).ontology)

    def navigate(self, start: str, direction: str, **options: Any) -> Any:
        return self._ask("navigate", start, direction, **options)

    def trace(self, identifier: str) -> Any:
        return self._ask("trace", identifier)

    def trace_rdf(self, identifier: str, name: str) -> bytes:
        body: bytes = self._ask("trace_rdf", identifier, fmt=name)
        return body

    def source(self, identifier: str, **options: Any) -> Any:
        return self._ask("source", identifier, **options)

    def versions(self, identifier: str) -> Any:
        return self._ask("versions", identifier)

    def export(self, identifier: str, name: str, *, tcf: bool) -> bytes:
        body: bytes = self._ask("export", identifier, fmt=name, tcf=tcf)
        return body

    def sparql(self, query: str, **options: Any) -> tuple[bytes, str]:
        answer: tuple[bytes, str] = self._ask("sparql", query, **options)
        return answer

    def status(self) -> dict[str, Any]:
        """Counts and what is degraded, without the folder's path."""
        status: dict[str, Any] = plain(self._ask("status"))
        return {name: value for name, value in status.items() if name != "root"}

    def _ask(self, verb: str, *arguments: Any, **options: Any) -> Any:
        try:
            base = self.base
        except OamError as error:
            current_app.logger.error("cannot open the knowledge base: %s", error)
            headers = {"Retry-After": "5"}
            raise Problem(503, "the knowledge base cannot be opened; the server's log says why", headers=headers) from error
        try:
            return getattr(base, verb)(*arguments, clearance=self.clearance, **options)
        except UsageError as error:
            if plain(base.status(clearance=self.clearance)).get("generation") is None:
                raise Problem(503, "nothing has been ingested yet", headers={"Retry-After": "5"}) from error
            raise


def reader() -> Reader:
    """The reader of the application that answers the current request."""
    found: Reader = current_app.extensions["oam"]
    return found


def plain(value: Any) -> Any:
    """A result as JSON data."""
    return value.to_json() if hasattr(value, "to_json") else value
