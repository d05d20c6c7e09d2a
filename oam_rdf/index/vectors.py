"""Vectors already computed, by the digest of the text and the fingerprint of the model.

One SQLite file in WAL mode, shared by the generations and safe with several processes and threads. Vectors are stored
as float16 (cosines move by less than 0.001) and come back normalised.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, Refused
from oam_rdf.index.embed import Vectors, check_vectors

_WAIT = 30.0  # seconds that a writer waits for another
_SCHEMA = """
CREATE TABLE IF NOT EXISTS model (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS vector (
  model INTEGER NOT NULL REFERENCES model, digest BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (model, digest)
) WITHOUT ROWID;
"""


class VectorCache:
    """The cache in the file ``path``, created if absent (two processes may do so at once)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(path, timeout=_WAIT, check_same_thread=False, isolation_level=None)
            self._prepare()
        except sqlite3.Error as error:
            raise self._damaged(error) from error

    def _prepare(self) -> None:
        # Switching to WAL does not honour the timeout while another process does the same (hazard 13).
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA.split(";\n"):
                    if statement.strip():
                        self._db.execute(statement)
                self._db.execute("COMMIT")
                return
            except sqlite3.OperationalError as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _damaged(self, error: sqlite3.Error) -> Damaged:
        hint = "delete the file and run `oam embed`: it holds nothing that cannot be computed again"
        if any(word in str(error) for word in ("readonly", "full", "unable to open", "locked")):
            hint = "nothing is damaged: make the folder writable, free some space, or wait for the other process"
        return Damaged(f"the vector cache cannot be used: {error}", place=str(self._path), hint=hint)

    def get(self, digests: Sequence[bytes], fingerprint: str) -> tuple[NDArray[np.bool_], Vectors]:
        """(found bool[n], vectors float32[found.sum(), dim] with unit rows, in the order of ``digests``)."""
        found = np.zeros(len(digests), bool)
        parts: list[bytes] = []
        dim = 0
        with self._lock:
            try:
                row = self._db.execute("SELECT id, dim FROM model WHERE fingerprint = ?", (fingerprint,)).fetchone()
                if row is not None:
                    model, dim = row
                    ask = "SELECT data FROM vector WHERE model = ? AND digest = ?"
                    for i, digest in enumerate(digests):
                        data = self._db.execute(ask, (model, bytes(digest))).fetchone()
                        if data is not None:
                            found[i] = True
                            parts.append(data[0])
            except sqlite3.Error as error:
                raise self._damaged(error) from error
        joined = b"".join(parts)
        if len(joined) != 2 * dim * len(parts):
            raise Damaged("the vector cache holds vectors of another length", place=str(self._path))
        vectors = np.frombuffer(joined, "<f2").astype("f4").reshape(len(parts), dim)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return found, np.asarray(vectors / np.where(norms > 0, norms, 1), "f4")

    def put(self, digests: Sequence[bytes], fingerprint: str, vectors: Vectors) -> None:
        """Add float32[n, dim] unit vectors; :class:`Refused` if one is not, or if the model had another dimension."""
        checked = check_vectors(vectors, vectors.shape[1] if vectors.ndim == 2 else 0)
        if len(checked) != len(digests):
            raise Refused(f"{len(checked)} vectors for {len(digests)} texts")
        dim, stored = checked.shape[1], checked.astype("<f2")
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    self._db.execute("INSERT OR IGNORE INTO model (fingerprint, dim) VALUES (?, ?)", (fingerprint, dim))
                    model, known = self._db.execute(
                        "SELECT id, dim FROM model WHERE fingerprint = ?", (fingerprint,)
                    ).fetchone()
                    if known != dim:
                        raise Refused(f"the model {fingerprint} had {known} dimensions, now {dim}")
                    self._db.executemany(
                        "INSERT OR REPLACE INTO vector (model, digest, data) VALUES (?, ?, ?)",
                        ((model, bytes(d), v.tobytes()) for d, v in zip(digests, stored, strict=True)),
                    )
                    self._db.execute("COMMIT")
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise self._damaged(error) from error

    def count(self, fingerprint: str) -> int:
        """Number of vectors of that model."""
        with self._lock:
            row = self._db.execute(
                "SELECT count(*) FROM vector JOIN model ON model.id = vector.model WHERE fingerprint = ?",
                (fingerprint,),
            ).fetchone()
        return int(row[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
