"""Certificates at rest."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from query_world import World

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.query.certificate import Certificates, new_id
from oam_rdf.query.search import search


def made(**more: Any) -> dict[str, Any]:
    return {"retrieval_id": new_id(), "time": "2026-07-31T00:00:00Z", "clearance": "PUBLIC", "generation": 1, **more}


def test_stored_and_loaded(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path / "c.sqlite")
    certificate = made(query="反過濾救援 \x00 🌟", nested={"a": [1, 2.5, None]})
    assert certificates.load(certificates.store(certificate)) == certificate
    certificates.close()
    assert Certificates(tmp_path / "c.sqlite").load(certificate["retrieval_id"]) == certificate


def test_nothing_is_ever_replaced(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path / "c.sqlite")
    certificate = made()
    certificates.store(certificate)
    with pytest.raises(Damaged):
        certificates.store({**certificate, "query": "other"})
    assert "query" not in certificates.load(certificate["retrieval_id"])


def test_reading_makes_no_file(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path / "c.sqlite")
    with pytest.raises(NotFound):
        certificates.load("OAM-R-1")
    assert list(certificates.recent()) == [] and not (tmp_path / "c.sqlite").exists()


def test_two_openings_and_four_threads_write_at_once(tmp_path: Path) -> None:
    both = [Certificates(tmp_path / "c.sqlite"), Certificates(tmp_path / "c.sqlite")]
    failures: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for _ in range(25):
                both[number % 2].store(made())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and len(list(both[0].recent(200))) == 100


def test_an_answer_survives_a_trace_that_cannot_be_kept(world: World) -> None:
    world.add("A", "Feldspar.")
    (world.root / "certificates.sqlite").mkdir()
    answer = search(world.snapshot(), "feldspar", certificates=Certificates(world.root / "certificates.sqlite"))
    assert len(answer.results) == 1 and "not stored" in answer.degraded["certificates"]


def test_a_write_is_quick(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path / "c.sqlite")
    body = made(padding="x" * 20_000)
    certificates.store(body)
    times = []
    for _ in range(21):
        began = time.perf_counter()
        certificates.store({**body, "retrieval_id": new_id()})
        times.append(time.perf_counter() - began)
    assert sorted(times)[10] < 0.005  # 0.3 ms on a quiet machine
