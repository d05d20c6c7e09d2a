"""A small world for the compiler: two ids, an alias, and a page that is called by a word."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from query_world import World, said

from oam_rdf.query.plan import Entry
from oam_rdf.query.snapshot import Snapshot


def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Body of a module's fixture ``snapshot``."""
    world = World(tmp_path_factory.mktemp("compile"))
    world.add("PEP-0241", "Metadata for packages.", aliases=("pkg-info",))
    world.add("KINV-00042", said("H", "An invariant of knowledge."))
    world.add("呼吸律", "宇宙以固定節奏呼吸。", language="zh-Hant")
    yield world.snapshot()
    for opened in world.opened:
        opened.close()


def values(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.value for entry in entries]
