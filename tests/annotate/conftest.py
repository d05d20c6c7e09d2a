"""Fixtures: a small knowledge base, and a chat endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from annotate_world import AnnotateWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AnnotateWorld]:
    made = AnnotateWorld(tmp_path)
    yield made
    made.kb.close()
