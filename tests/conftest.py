"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from oam_rdf.knowledge_base import KnowledgeBase

ROOT = Path(__file__).resolve().parent.parent
# The tests start some hundred processes: where bytecode may not be kept each of them compiles every module again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public corpora, benchmarks and conformance suites, or a skip that says what is missing."""
    folder = Path(os.environ.get("OAM_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        pytest.skip("public corpora are not here: set OAM_SHARED to the folder that holds corpora/")
    return folder


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The sample documents with an old text and with vectors; nobody may change it."""
    from sample_answers import build  # the index libraries take a second, and most tests need none

    with build(tmp_path_factory.mktemp("sample")) as kb:
        yield kb
