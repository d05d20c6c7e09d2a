"""Cycles and forks against their definitions, on small random graphs, and in time on long ones."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.store.graph_edges import Edge, forks, loops

EDGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12)


def reached(edges: list[Edge], start: str) -> set[str]:
    """``start`` and all nodes after it."""
    found, work = {start}, [start]
    while work:
        node = work.pop()
        for source, target in edges:
            if source == node and target not in found:
                found.add(target)
                work.append(target)
    return found


@given(EDGES)
def test_a_loop_is_an_edge_whose_end_leads_back(edges: list[Edge]) -> None:
    assert loops(edges) == {(a, b) for a, b in edges if a in reached(edges, b)}


@given(EDGES)
def test_a_fork_has_two_ways_that_never_meet(edges: list[Edge]) -> None:
    ways = {(a, b) for a, b in edges if a != b}
    expected = {
        (a, b) for a, b in ways for c, d in ways if a == c and b != d and not reached(edges, b) & reached(edges, d)
    }
    assert forks(edges) == expected


def test_twenty_thousand_versions_take_a_second() -> None:
    chain = list(pairwise(map(str, range(20_001))))
    sides = [(str(number), f"side{number}") for number in range(0, 20_000, 20)]
    started = time.perf_counter()
    assert not loops(chain) and not forks(chain)
    assert len(forks(chain + sides)) == 2 * len(sides)
    assert len(loops([*chain, ("20000", "0")])) == 20_001
    assert time.perf_counter() - started < 5
