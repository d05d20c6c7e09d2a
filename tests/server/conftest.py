"""Servers on 127.0.0.1 for all tests of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from server_client import EX, STATEMENTS, Ask, OneStore, client, serving

from oam_server.app import create_app

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one") / "store"
    opened = ox.Store(str(folder))
    opened.bulk_extend(
        ox.Quad(ox.NamedNode(f"{EX}s{i}"), ox.NamedNode(EX + "p"), ox.Literal(f"statement {i}"), ox.NamedNode(f"{EX}g{i % 2}"))
        for i in range(STATEMENTS)
    )
    opened.flush()
    return folder


@pytest.fixture(scope="session")
def port(store: Path) -> Iterator[int]:
    app = create_app("unused", allowed_hosts=("kb.example:8000",))
    reader = app.extensions["oam"]
    reader._base = OneStore(store)
    with serving(app) as port:
        yield port
    reader.close()


@pytest.fixture(scope="session")
def ask(port: int) -> Ask:
    return client(port)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of the sample documents, one of which is INTERNAL."""
    from oam_rdf.ingest.run import IngestOptions
    from oam_rdf.knowledge_base import KnowledgeBase

    folder = tmp_path_factory.mktemp("kb") / "kb"
    with KnowledgeBase.init(folder) as kb:
        kb.ingest([ROOT / "data" / "documents"], IngestOptions(workers=1))
    return folder


@pytest.fixture(scope="session")
def read(base: Path) -> Iterator[Ask]:
    """A client of a server of that knowledge base."""
    app = create_app(base)
    with serving(app) as port:
        yield client(port)
    app.extensions["oam"].close()
