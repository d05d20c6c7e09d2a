"""Generations: swapped whole, kept while read, deleted afterwards."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from oam_rdf.errors import LockHeld, UsageError
from oam_rdf.store import publish
from oam_rdf.store.layout import Layout
from oam_rdf.store.lock import WriteLock


def fill(text: str) -> Any:
    def write(new: Path, previous: Path | None) -> dict[str, Any]:
        (new / "data").write_text(text)
        return {"revision": len(text), "previous": previous.name if previous else None}

    return write


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def test_each_publication_is_a_new_generation(layout: Layout) -> None:
    assert [publish.publish(layout, fill("a" * n)) for n in (1, 2)] == [1, 2]
    with publish.current(layout) as generation:
        assert (generation.number, generation.revision) == (2, 2)
        assert generation.manifest["previous"] == "000001"


def test_a_failed_publication_leaves_the_old_one(layout: Layout) -> None:
    publish.publish(layout, fill("old"))

    def broken(new: Path, previous: Path | None) -> dict[str, Any]:
        (new / "data").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        publish.publish(layout, broken)
    with publish.current(layout) as generation:
        assert (generation.path / "data").read_text() == "old"
    assert publish.publish(layout, fill("next")) == 2
    assert not list(layout.published.glob(".new-*"))


def test_a_renamed_generation_that_current_never_named_is_passed_over(layout: Layout) -> None:
    publish.publish(layout, fill("one"))
    publish.publish(layout, fill("two"))
    layout.current.write_text("1\n")  # as if killed between the rename and the swap
    assert publish.publish(layout, fill("three")) == 3
    with publish.current(layout) as generation:
        assert (generation.path / "data").read_text() == "three"


def test_a_read_generation_stays_until_its_reader_lets_go(layout: Layout) -> None:
    publish.publish(layout, fill("read"))
    reader = publish.current(layout)
    for number in range(publish.KEPT + 2):
        publish.publish(layout, fill(f"{number}"))
    assert (reader.path / "data").read_text() == "read"
    reader.close()
    publish.publish(layout, fill("last"))
    assert not reader.path.exists()
    assert len([path for path in layout.published.iterdir() if path.name.isdigit()]) == publish.KEPT


def test_a_pinned_generation_stays(layout: Layout) -> None:
    publish.publish(layout, fill("pinned"))
    (layout.published / "pin-000001").touch()
    for number in range(publish.KEPT + 1):
        publish.publish(layout, fill(f"{number}"))
    with publish.open_generation(layout, 1) as generation:
        assert (generation.path / "data").read_text() == "pinned"


def test_an_empty_knowledge_base_says_so(layout: Layout) -> None:
    with pytest.raises(UsageError, match="empty"):
        publish.current(layout)


def _hold(path: str, ready: Any) -> None:
    with WriteLock(Path(path), verb="ingest"):
        ready.set()
        time.sleep(60)


def test_the_lock_names_its_holder_and_dies_with_it(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(str(tmp_path / "lock"), ready))
    holder.start()
    try:
        assert ready.wait(20)
        with (
            pytest.raises(LockHeld, match=rf"oam ingest.*process {holder.pid}"),
            WriteLock(tmp_path / "lock", verb="x", wait=0.2),
        ):
            pass
        os.kill(holder.pid or 0, signal.SIGKILL)
        holder.join()
        with WriteLock(tmp_path / "lock", verb="x", wait=1):
            pass
    finally:
        holder.kill()
