"""Fixtures: one world, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kb_world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.kb.close()


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[[str], World]]:
    """More than one of them."""
    made: list[World] = []

    def make(name: str) -> World:
        (tmp_path / name).mkdir()
        made.append(World(tmp_path / name))
        return made[-1]

    yield make
    for world in made:
        world.kb.close()
