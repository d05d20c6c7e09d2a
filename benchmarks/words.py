"""What words cost: loading the dictionary, and microseconds to cut and widen a query, over 200 queries.

    python benchmarks/words.py [--queries FILE]

FILE has a query a line; without it, queries are made from the words of the synonyms that ship. Warm: every query is run
once before it is timed. The limit of the design is 1 ms a query.
"""

from __future__ import annotations

import argparse
import platform
import random
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from oam_rdf.index.lexical_expand import translatable, with_synonyms
from oam_rdf.text.lexicon import load_lexicon
from oam_rdf.text.normalise import index_key
from oam_rdf.text.synonyms import read_synonyms, starter_synonyms
from oam_rdf.text.wordlist import words_in_force

COUNT = 200
T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=Path, help="a query a line")
    given = parser.parse_args().queries
    print(f"Python {platform.python_version()}, {platform.machine()}")
    index_key("測試")
    before = _megabytes()
    words, seconds = _timed(words_in_force)
    print(f"words in force: {len(words.words):,} in {seconds * 1e3:.0f} ms ({dict(words.sources)})")
    segmenter, seconds = _timed(words.segmenter)
    print(f"segmenter over them: {seconds * 1e3:.0f} ms")
    lexicon, seconds = _timed(load_lexicon)
    print(f"synonyms and translations: {len(lexicon.synonyms)} groups in {seconds * 1e3:.0f} ms")
    print(f"peak memory of all this: {_megabytes() - before:.0f} MB")
    queries = given.read_text("utf-8").splitlines()[:COUNT] if given else _made()
    print(f"{len(queries)} queries, {statistics.mean(map(len, queries)):.0f} characters on average")
    steps: dict[str, Callable[[str], object]] = {
        "cut": lambda q: segmenter.segment(index_key(q)),
        "cut, terms, synonyms": lambda q: with_synonyms(segmenter.segment(index_key(q)), lexicon),
        "cut, terms, translations": lambda q: translatable(q, segmenter, lexicon),
    }
    for name, step in steps.items():
        times = []
        for query in queries:
            step(query)
            _, seconds = _timed(lambda step=step, query=query: step(query))  # type: ignore[misc]
            times.append(seconds * 1e6)
        times.sort()
        print(f"{name}: mean {statistics.mean(times):.0f} µs, p50 {times[len(times) // 2]:.0f}, "
              f"p95 {times[int(len(times) * 0.95)]:.0f}, most {times[-1]:.0f}")  # fmt: skip


def _made() -> list[str]:
    rng = random.Random(20)
    members = [member for group in read_synonyms(starter_synonyms()).groups for member in group]
    return [
        " ".join(rng.sample(members, 4)) + rng.choice(["是什麼？", " in practice", "與 KO-00042 的關係", ""])
        for _ in range(COUNT)
    ]


def _timed(step: Callable[[], T]) -> tuple[T, float]:
    started = time.process_time()  # other work on the machine does not count
    made = step()
    return made, time.process_time() - started


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
