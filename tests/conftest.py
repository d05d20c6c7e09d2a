"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public corpora, benchmarks and conformance suites, or a skip that says what is missing."""
    folder = Path(os.environ.get("OAM_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        pytest.skip("public corpora are not here: set OAM_SHARED to the folder that holds corpora/")
    return folder
