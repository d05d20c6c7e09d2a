"""Fixtures of the query tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from query_world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty world that closes what it opened."""
    made = World(tmp_path)
    yield made
    for snapshot in made.opened:
        snapshot.close()
