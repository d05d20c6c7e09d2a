"""Parsing on all cores: plain child processes that read jobs from stdin and answer on stdout.

Not :mod:`multiprocessing`: a forked child would inherit the write lock and the open store, and a spawned one runs the
caller's script again, which for somebody who uses this package as a library is a second ingest.
"""

from __future__ import annotations

import pickle
import queue
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO

from oam_rdf.errors import OamError
from oam_rdf.ingest.candidate import ParseJob, parse_file
from oam_rdf.model import Issue

_LENGTH = struct.Struct("<Q")

Row = tuple[bytes, Issue | None]


def parse_files(jobs: Sequence[ParseJob], workers: int) -> Iterator[Row]:
    """Rows of :func:`parse_file` in the order of the jobs."""
    if workers <= 1 or len(jobs) < 16:
        yield from map(parse_file, jobs)
        return
    command = [sys.executable, "-m", "oam_rdf.ingest.workers"]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(min(workers, len(jobs)))
    ]
    free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
    for child in children:
        free.put(child)
    pool = ThreadPoolExecutor(len(children))
    try:
        futures: list[Future[Row]] = [pool.submit(_ask, free, job) for job in jobs]
        for number, future in enumerate(futures):
            yield future.result()
            futures[number] = Future()  # a large corpus must not be held twice
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.kill()
            child.wait()


def _ask(free: queue.SimpleQueue[subprocess.Popen[bytes]], job: ParseJob) -> Row:
    child = free.get()
    try:
        assert child.stdin and child.stdout
        _write(child.stdin, pickle.dumps(job))
        row: Row = pickle.loads(_read(child.stdout))
        return row
    except (OSError, EOFError) as error:
        # Such as the kernel's out-of-memory killer: this one file is refused, the others go on.
        child.kill()
        reason = Issue(
            "error", "parser-died", f"the parser process died: {error}", file=job.path, hint="is it very large?"
        )
        try:
            child = subprocess.Popen(child.args, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as failed:
            raise OamError(f"cannot start a parser process: {failed}", hint="try --workers 1") from failed
        return b"", reason
    finally:
        free.put(child)


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError("no answer")
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("half an answer")
    return data


def main() -> None:
    """The child: answers jobs until its stdin ends, as it does when the parent dies."""
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but answers may go to the pipe
    while True:
        try:
            job = pickle.loads(_read(sys.stdin.buffer))
        except EOFError:
            return
        _write(answers, pickle.dumps(parse_file(job), pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main()
