"""Fixtures of the command-line tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import Result
from sample_answers import run_oam

from oam_rdf.knowledge_base import KnowledgeBase

Oam = Callable[..., Result]


@pytest.fixture
def oam(sample: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> Oam:
    """Runs the command line on the sample knowledge base; ``input`` is its standard input."""
    # The opened one: its vectors are of a small embedder that no name loads.
    monkeypatch.setattr(KnowledgeBase, "open", lambda _: sample)
    return lambda *arguments, input="": run_oam(sample, *arguments, input=input)
