"""The parent's end of one query worker: start it, ask it, watch the clock, say what killed it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import oam_rdf
from oam_rdf.errors import LimitExceeded, OamError
from oam_rdf.store.sparql_worker import Header, receive, send

Message = tuple[Header, bytes]

_START = 30.0  # seconds that a worker may take to say hello
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "VIRTUAL_ENV")
_KEPT_PREFIXES = ("PYTHON", "COVERAGE", "LD_", "DYLD_")
_ENDINGS = {
    "SIGXCPU": "the query passed its CPU time limit",
    "SIGABRT": "the query needs more memory or a deeper stack than it may have",
    "SIGSEGV": "the query needs a deeper stack than it may have",
    "SIGBUS": "the query needs a deeper stack than it may have",
    "SIGKILL": "the query was stopped by the system, probably for its memory",
}


class WorkerProcess:
    """One worker, started on demand and used by one thread at a time; ``store`` is the folder it has open."""

    def __init__(self, memory: int) -> None:
        self.store = ""
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._hello: Header = {}
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self._lock = threading.Lock()
        self._spent = False  # the clock has killed it

    @property
    def alive(self) -> bool:
        return self._process is not None and not self._spent and self._process.poll() is None

    def start(self) -> Header:
        """Start the process unless it runs; what its isolation achieved."""
        if self._process is not None:
            return self._hello
        root = str(Path(oam_rdf.__file__).parent.parent)
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in _KEPT or name.startswith(_KEPT_PREFIXES)
        }
        paths = [root, environment.get("PYTHONPATH", "")]
        environment |= {"MALLOC_ARENA_MAX": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "oam_rdf.store.sparql_worker", str(self._memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
        )
        message = self._within(_START, lambda requests, replies: receive(replies))
        if message is None:
            self.stop()
            raise OamError("a query worker does not start", hint=self._last_words())
        self._hello = {name: value for name, value in message[0].items() if name != "length"}
        return self._hello

    def ask(self, request: Header, body: bytes, deadline: float, seconds: float) -> Message:
        """Send one request and wait for its answer until ``deadline`` (monotonic). Raises LimitExceeded."""
        self.store = request["store"]

        def exchange(requests: IO[bytes], replies: IO[bytes]) -> Message | None:
            with contextlib.suppress(BrokenPipeError):  # it died: receive() finds the end of the stream
                send(requests, request, body)
            return receive(replies)

        try:
            message = self._within(deadline - time.monotonic(), exchange)
        except BaseException:  # interrupted: whatever the worker still says belongs to nobody
            self._spent = True
            raise
        if message is not None:
            return message
        spent = self._spent
        code = self.stop()
        if spent:
            raise LimitExceeded(f"the query did not finish within {seconds:g} s", hint="narrow it or raise the limit")
        name = _signal(code)
        if name:
            raise LimitExceeded(_ENDINGS.get(name, f"the query ended its worker ({name})"), hint="narrow the query")
        raise OamError(f"a query worker ended with code {code}", hint=self._last_words())

    def stop(self) -> int:
        """End and reap the process; its return code (negative: the signal that has ended it)."""
        process = self._process
        if process is None:
            return 0
        if process.stdout is not None and process.stdin is not None:
            process.stdout.close()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        if self._spent:
            process.kill()
        try:
            return process.wait(2)  # the end of stdin ends it, if nothing else has
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _within(self, seconds: float, work: Callable[[IO[bytes], IO[bytes]], Message | None]) -> Message | None:
        """``work(requests, replies)`` with the process killed after ``seconds``; what came in time stays valid."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        finished = False

        def expire() -> None:
            with self._lock:
                if not finished:
                    self._spent = True
                    process.kill()

        timer = threading.Timer(max(0.0, seconds), expire)
        timer.daemon = True
        timer.start()
        try:
            return work(process.stdin, process.stdout)
        finally:
            with self._lock:
                finished = True
            timer.cancel()

    def _last_words(self) -> str:
        self._log.seek(0)
        return self._log.read()[-2000:].decode(errors="replace").strip()


def _signal(code: int) -> str:
    try:
        return signal.Signals(-code).name if code < 0 else ""
    except ValueError:
        return f"signal {-code}"
