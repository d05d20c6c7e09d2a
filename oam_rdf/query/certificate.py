"""Retrieval certificates at rest: ``certificates.sqlite``, append-only, written without the write lock.

A certificate carries the clearance it was made with and does not exist for anybody below that (decision D16). Ids are
random: a sequence would tell how much others search.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.model import VISIBILITIES

PREFIX = "OAM-R-"
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS certificate (
  id TEXT PRIMARY KEY, time TEXT NOT NULL, clearance INTEGER NOT NULL, generation INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS certificate_time ON certificate (time);
CREATE TABLE IF NOT EXISTS asked (id TEXT PRIMARY KEY, plan TEXT NOT NULL) WITHOUT ROWID;
"""


def new_id() -> str:
    """An id nobody can guess or count by."""
    return PREFIX + secrets.token_hex(8)


class Certificates:
    """The traces of one knowledge base. Opened on first use; safe to share between threads."""

    def __init__(self, path: Path, *, wait: float = 5.0) -> None:
        self.path = path
        self._wait = wait
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def store(self, certificate: Mapping[str, Any], plan: Mapping[str, Any] | None = None) -> str:
        """Append a certificate and return its id (``retrieval_id``).

        ``plan``: the whole plan, where the certificate repeats only the beginning of its query.

        :raises Damaged: if the file cannot be written; the answer itself is not affected.
        """
        body = json.dumps(certificate, ensure_ascii=False, separators=(",", ":"))
        row = (
            str(certificate["retrieval_id"]),
            str(certificate["time"]),
            VISIBILITIES.index(str(certificate["clearance"])),
            int(certificate["generation"]),
            body,
        )
        with self._lock:
            try:
                with self._open() as connection:
                    connection.execute("INSERT INTO certificate VALUES (?, ?, ?, ?, ?)", row)
                    if plan is not None:
                        whole = json.dumps(plan, ensure_ascii=False, separators=(",", ":"))
                        connection.execute("INSERT INTO asked VALUES (?, ?)", (row[0], whole))
            except sqlite3.Error as error:
                raise Damaged(f"the certificate was not stored: {error}", place=str(self.path)) from error
        return row[0]

    def load(self, identifier: str, clearance: str = "RESTRICTED") -> dict[str, Any]:
        """A certificate. :raises NotFound: if there is none, or it was made with a higher clearance."""
        if clearance not in VISIBILITIES:
            raise UsageError(f"unknown clearance {clearance!r}", hint="one of " + ", ".join(VISIBILITIES))
        found = None
        if self.path.exists():
            with self._lock:
                try:
                    query = "SELECT body FROM certificate WHERE id = ? AND clearance <= ?"
                    with self._reading() as connection:
                        found = connection.execute(query, (identifier, VISIBILITIES.index(clearance))).fetchone()
                except sqlite3.Error as error:
                    raise Damaged(f"cannot read certificates: {error}", place=str(self.path)) from error
        if found is None:
            raise NotFound(f"no certificate {identifier!r}", hint="ids look like OAM-R-… and come with every answer")
        body: dict[str, Any] = json.loads(found[0])
        return body

    def asked(self, identifier: str, clearance: str = "RESTRICTED") -> dict[str, Any]:
        """The plan of an answer as it was asked, whole. :raises NotFound: as :meth:`load`."""
        certificate = self.load(identifier, clearance)
        if not certificate.get("echo"):
            return dict(certificate.get("asked_plan") or certificate["query_plan"])
        with self._lock:
            try:
                with self._reading() as connection:
                    found = connection.execute("SELECT plan FROM asked WHERE id = ?", (identifier,)).fetchone()
            except sqlite3.Error as error:
                raise Damaged(f"cannot read certificates: {error}", place=str(self.path)) from error
        if found is None:
            raise Damaged(f"the plan of {identifier} was not kept", place=str(self.path))
        plan: dict[str, Any] = json.loads(found[0])
        return plan

    def retrieved(self, newest: int = 10_000) -> dict[str, int]:
        """Document id -> in how many of the newest answers it was. Empty where nothing is stored or can be read."""
        if not self.path.exists():
            return {}
        query = (
            "SELECT json_extract(r.value, '$.document'), COUNT(DISTINCT c.id) FROM (SELECT id, body FROM certificate"
            " ORDER BY time DESC, id LIMIT ?) AS c, json_each(c.body, '$.results') AS r GROUP BY 1"
        )
        with self._lock:
            try:
                with self._reading() as connection:
                    rows = connection.execute(query, (newest,)).fetchall()
            except sqlite3.Error:
                return {}
        return {str(name): int(count) for name, count in rows if name}

    def recent(self, limit: int = 20, clearance: str = "RESTRICTED") -> Iterator[dict[str, Any]]:
        """The newest certificates that ``clearance`` may see, newest first."""
        if not self.path.exists():
            return
        with self._lock:
            query = "SELECT body FROM certificate WHERE clearance <= ? ORDER BY time DESC, id LIMIT ?"
            with self._reading() as connection:
                rows = connection.execute(query, (VISIBILITIES.index(clearance), limit)).fetchall()
        for (body,) in rows:
            yield json.loads(body)

    def _open(self) -> sqlite3.Connection:
        deadline = time.monotonic() + self._wait
        while self._connection is None:
            connection = sqlite3.connect(self.path, timeout=self._wait, check_same_thread=False)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                # A power cut may lose the last traces, never damage the file; a full sync costs more than the search.
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.executescript(_SCHEMA)
            except sqlite3.Error as error:
                connection.close()
                # SQLite does not wait for another process that is switching the file to WAL at this very moment. A disk
                # that cannot be written to does not change by waiting.
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _BUSY or time.monotonic() >= deadline:
                    raise
                time.sleep(0.02)
            else:
                self._connection = connection
        return self._connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read by, on a disk too that cannot be written to; there it is not kept."""
        try:
            connection, kept = self._open(), True
        except sqlite3.OperationalError:
            connection, kept = self._read_only(), False
        try:
            yield connection
        finally:
            if not kept:
                connection.close()

    def _read_only(self) -> sqlite3.Connection:
        # Without the files of its log SQLite reads only what it is told will not change: nobody is writing then.
        log = self.path.with_name(f"{self.path.name}-wal").exists()
        address = f"{self.path.absolute().as_uri()}?mode=ro{'' if log else '&immutable=1'}"
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    def close(self) -> None:
        """Close the file; it opens again when needed."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
