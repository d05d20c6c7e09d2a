"""kill -9 at a random moment of an ingest: the knowledge base is whole, and finishing gives the same content."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from kb_world import World

WORDS = [
    "orbit",
    "comet",
    "tide",
    "lens",
    "prism",
    "clock",
    "pendulum",
    "magnet",
    "lever",
    "fluid",
    "vapour",
    "crystal",
]


def fill(world: World, count: int) -> None:
    """Documents that refer to one another, with labelled statements, so that every kind of graph is written."""
    chance = random.Random(7)
    for number in range(count):
        earlier = f"supersedes: DOC-{number - 1:03d}\n" if number % 5 == 4 else ""
        word = WORDS[number % len(WORDS)]
        body = " ".join(f"The {chance.choice(WORDS)} explains the {chance.choice(WORDS)}." for _ in range(60))
        text = f"---\nid: DOC-{number:03d}\n{earlier}---\n\n# On the {word}, part {number}\n\n{body}\n\n"
        text += (
            f"**Conjecture C1.** Every {word} is bound to another.\n\n- depends_on [[DOC-{(number * 7) % count:03d}]]\n"
        )
        world.write(f"{number:03d}.md", text)


def start(world: World) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "oam_rdf.cli",
        "--kb",
        str(world.kb.layout.root),
        "-q",
        "ingest",
        str(world.sources),
    ]
    return subprocess.Popen([*command, "--workers", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_and_finish(worlds: Callable[[str], World], moments: int, count: int) -> None:
    whole = worlds("whole")
    fill(whole, count)
    assert start(whole).wait() == 0
    expected = whole.ingest().content_hash
    assert expected
    chance = random.Random(20)
    stopped = 0
    for number in range(moments):
        world = worlds(f"w{number}")
        fill(world, count)
        process = start(world)
        # Not a time from the start, which depends on what else the machine does, but a moment of the work.
        wanted = chance.randint(0, count)
        while process.poll() is None and sum(1 for _ in world.kb.layout.originals.glob("??/*")) < wanted:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.6))
        stopped += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        diagnosis = world.kb.doctor()
        assert diagnosis.clean, diagnosis.problems
        report = world.ingest()
        assert report.balanced
        assert report.content_hash == expected, f"kill {number}"
        assert world.kb.doctor().clean
    # A test that kills nobody proves nothing.
    assert stopped >= moments // 2


def test_a_few_kills(worlds: Callable[[str], World]) -> None:
    kill_and_finish(worlds, moments=4, count=80)


@pytest.mark.slow
def test_fifty_kills(worlds: Callable[[str], World]) -> None:
    kill_and_finish(worlds, moments=50, count=150)
