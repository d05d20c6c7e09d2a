"""Trails at rest: the steps that a person or an agent took, in ``trails.sqlite``. They are no knowledge, so no RDF.

Bounded: the newest :data:`STEPS` of a trail and the :data:`TRAILS` used last are kept. A trail belongs to the clearance that
made it; the same name at another clearance is another trail (decision D16).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from oam_rdf.errors import Damaged, UsageError

STEPS = 1_000
TRAILS = 1_000
_NAME = 200  # characters of a name
_LINE = 10_000  # characters of a line of a trail file
_SCHEMA = """
CREATE TABLE IF NOT EXISTS step (
  number INTEGER PRIMARY KEY, clearance TEXT NOT NULL, trail TEXT NOT NULL, time TEXT NOT NULL,
  node TEXT NOT NULL, name TEXT NOT NULL, direction TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS step_trail ON step (clearance, trail, number);
"""

#: (node, name, direction): an IRI, what it is called, and the directions as an expression.
Taken = tuple[str, str, str]


class Trails:
    """The trails of one knowledge base. Safe to share between threads; every call opens the file anew."""

    def __init__(self, path: Path, *, wait: float = 5.0) -> None:
        self.path, self._wait = path, wait
        self._lock = threading.Lock()

    def add(self, clearance: str, trail: str, step: Taken) -> list[Taken]:
        """Append a step; returns the trail's steps, oldest first.

        :raises UsageError: for a name that is empty or too long. :raises Damaged: if the file cannot be written.
        """
        name = checked_name(trail)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._connection() as db:
            db.execute(
                "INSERT INTO step (clearance, trail, time, node, name, direction) VALUES (?, ?, ?, ?, ?, ?)",
                (clearance, name, now, *step),
            )
            db.execute(
                "DELETE FROM step WHERE clearance = ? AND trail = ? AND number NOT IN"
                " (SELECT number FROM step WHERE clearance = ? AND trail = ? ORDER BY number DESC LIMIT ?)",
                (clearance, name, clearance, name, STEPS),
            )
            query = "SELECT node, name, direction FROM step WHERE clearance = ? AND trail = ? ORDER BY number"
            rows = db.execute(query, (clearance, name)).fetchall()
            if len(rows) == 1:  # a new trail: the ones not used for longest make room
                old = db.execute(
                    "SELECT clearance, trail FROM step GROUP BY 1, 2 ORDER BY MAX(number) DESC LIMIT -1 OFFSET ?",
                    (TRAILS,),
                ).fetchall()
                db.executemany("DELETE FROM step WHERE clearance = ? AND trail = ?", old)
        return [(node, called, direction) for node, called, direction in rows]

    def steps(self, clearance: str, trail: str) -> list[Taken]:
        """The steps of a trail, oldest first; none for one that does not exist."""
        if not self.path.exists():
            return []
        query = "SELECT node, name, direction FROM step WHERE clearance = ? AND trail = ? ORDER BY number"
        with self._connection() as db:
            return list(db.execute(query, (clearance, checked_name(trail))).fetchall())

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                with closing(sqlite3.connect(self.path, timeout=self._wait)) as db, db:
                    db.executescript(_SCHEMA)
                    yield db
            except sqlite3.Error as error:
                raise Damaged(f"the trail cannot be kept: {error}", place=str(self.path)) from error


def add_to_file(path: Path, step: Taken) -> list[Taken]:
    """Append a step to a file of JSON lines; returns its newest steps, oldest first.

    :raises Damaged: naming the line that is no step.
    """
    taken: list[Taken] = []
    if path.exists():
        lines = path.read_text("utf-8").splitlines()
        for number, line in list(enumerate(lines, 1))[-STEPS:]:
            if line.strip():
                taken.append(_step(line, f"{path}:{number}"))
    taken.append(step)
    record = dict(zip(("node", "id", "direction"), step, strict=True))
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return taken[-STEPS:]


def _step(line: str, place: str) -> Taken:
    try:
        record: dict[str, object] = json.loads(line[:_LINE])
        node, name, direction = (record[key] for key in ("node", "id", "direction"))
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(
            "not a step of a trail", place=place, hint="name a new file, or a file that --trail wrote"
        ) from error
    return str(node), str(name), str(direction)


def checked_name(trail: str) -> str:
    """A trail's name. :raises UsageError: if it can be none."""
    name = trail.strip()
    if not name or len(name) > _NAME or not name.isprintable():
        raise UsageError(f"{trail[:40]!r} cannot name a trail", hint=f"1 to {_NAME} printable characters")
    return name
