"""The write lock of a knowledge base: one writer at a time, named when somebody else has to wait."""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from types import TracebackType

from oam_rdf.errors import LockHeld, UsageError


class WriteLock:
    """Exclusive lock on ``kb/lock``, held until closed or until the process ends, however it ends.

    Waits at most ``wait`` seconds, then raises :class:`LockHeld` naming the holder. The file keeps its inode for good:
    it is never unlinked, so two processes can never hold "the" lock on two different files.
    """

    def __init__(self, path: Path, *, verb: str, wait: float = 30.0) -> None:
        self.path = path
        self.verb = verb
        self.wait = wait
        self._fd: int | None = None

    def __enter__(self) -> WriteLock:
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise UsageError(
                f"`oam {self.verb}` needs the write lock, and this place cannot be written to: {error.strerror}",
                place=str(self.path),
                hint="reading verbs work; make it writable, or work on a copy of the folder",
            ) from error
        deadline = time.monotonic() + self.wait
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    holder = _describe(fd)
                    os.close(fd)
                    raise LockHeld(
                        f"{holder} is writing to this knowledge base; gave up after {self.wait:g} s",
                        place=str(self.path),
                        hint="wait for it, or give more time with --wait SECONDS",
                    ) from None
                time.sleep(0.05)
        holder_row = json.dumps(
            {"pid": os.getpid(), "verb": self.verb, "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        )
        os.ftruncate(fd, 0)
        os.pwrite(fd, holder_row.encode(), 0)
        self._fd = fd
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None


def _describe(fd: int) -> str:
    raw = os.pread(fd, 4096, 0)
    try:
        row = json.loads(raw)
        return f"`oam {row['verb']}` (process {row['pid']}, since {row['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
