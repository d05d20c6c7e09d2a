"""Readers beside a writer: a server answers while files come in, two writers take turns, a read-only copy answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from kb_world import World


@pytest.fixture
def server(world: World) -> Iterator[str]:
    for number in range(20):
        world.write(
            f"{number}.md", f"---\nid: PAGE-{number}\n---\n# Page {number}\n\nThe lantern number {number} burns oil.\n"
        )
    world.ingest()
    command = [
        sys.executable,
        "-m",
        "oam_rdf.cli",
        "--kb",
        str(world.kb.layout.root),
        "serve",
        "--port",
        "0",
        "--no-embed",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    lines: list[str] = []
    while not (found := re.search(r"http://127\.0\.0\.1:(\d+)", "".join(lines))):
        lines.append(process.stderr.readline())
        assert process.poll() is None, lines
    yield f"http://127.0.0.1:{found[1]}"
    process.terminate()
    process.wait(15)
    process.stderr.close()


def get(url: str) -> tuple[int, dict[str, object]]:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.status, json.loads(answer.read())


def test_a_new_file_is_found_by_the_next_request(world: World, server: str) -> None:
    stop = threading.Event()
    paths = ["/search?q=lantern&k=3", "/navigate?start=PAGE-1&direction=VERSION.LATEST", "/source/PAGE-2", "/health",
             "/sparql?query=" + quote("ASK { ?d a oam:Document }")]  # fmt: skip
    counts = [0] * 4

    def ask(worker: int) -> None:
        while not stop.is_set() or sum(counts) < 400:
            status, _ = get(server + paths[counts[worker] % len(paths)])
            assert status == 200
            counts[worker] += 1

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(ask, worker) for worker in range(4)]
        for number in range(5):
            word = f"heliotrope{number}"
            assert get(f"{server}/search?q={word}")[1]["verdict"] == "UNANSWERABLE_FROM_CORPUS"
            world.write(
                f"new{number}.md", f"---\nid: NEW-{number}\n---\n# New {number}\n\nA {word} turns to the Sun.\n"
            )
            world.oam("-q", "ingest", str(world.sources / f"new{number}.md"))
            _, answer = get(f"{server}/search?q={word}")
            results = answer["results"]
            assert isinstance(results, list)
            assert results[0]["document"] == f"NEW-{number}"
        stop.set()
        for future in futures:
            future.result()
    assert sum(counts) >= 400


def test_two_writers_take_turns_and_none_fails(world: World) -> None:
    folders = []
    for name in ("one", "two"):
        for number in range(15):
            world.write(
                f"{name}/{number}.md", f"---\nid: {name}-{number}\n---\n# {name} {number}\n\nText {number} of {name}.\n"
            )
        folders.append(world.sources / name)
    command = [sys.executable, "-m", "oam_rdf.cli", "--kb", str(world.kb.layout.root), "-q", "ingest", "--workers", "1"]
    writers = [subprocess.Popen([*command, str(folder)], stdout=subprocess.DEVNULL) for folder in folders]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert world.kb.status().documents == 30
    assert world.kb.doctor().clean


def test_a_writer_that_cannot_wait_names_the_holder(world: World) -> None:
    from oam_rdf.store.lock import WriteLock

    world.write("a.md", "# A\n\nText.\n")
    with WriteLock(world.kb.layout.lock, verb="embed"):
        began = time.monotonic()
        done = world.oam("ingest", str(world.sources), "--wait", "0.3", check=2)
        assert time.monotonic() - began < 20
    assert "oam embed" in done.stderr
    assert "--wait" in done.stderr


def test_start_and_status_at_the_same_instant(world: World) -> None:
    world.write("a.md", "# A\n\nText.\n")
    world.ingest()
    command = [sys.executable, "-m", "oam_rdf.cli", "--kb", str(world.kb.layout.root)]
    verbs = [["status"], ["search", "text"], ["search", "a"], ["versions", "A"]]
    running = [subprocess.Popen([*command, *verb], stdout=subprocess.DEVNULL) for verb in verbs]
    assert [process.wait(60) for process in running] == [0] * 4
