"""Certificates at rest."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from query_world import World, said

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.query.certificate import Certificates, new_id
from oam_rdf.query.search import search
from oam_rdf.query.stages import STAGES
from oam_rdf.query.trace import State
from oam_rdf.resources import schemas_dir


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


# -- the schema -------------------------------------------------------------------------------------------------------

PAPER: dict[str, Any] = {  # field names and shapes of §10, with values of our own
    "retrieval_id": "OAM-R-00007",
    "query": "a newer and stricter account of tides",
    "route": ["HYBRID", "OPERATOR_FILTERED", "VERSION_TRACE"],
    "query_plan": {
        "semantic_intent": "tides explained by gravitation",
        "operators": ["META.CRITIQUE", "REP.FORMALIZE"],
        "version_preference": "latest_active",
        "epistemic_preference": "testable_over_metaphysical",
    },
    "result": {
        "document_id": "TIDES-v0.1",
        "scores": {"sparse": 0.61, "dense": 0.9, "operator": 0.8, "graph": 1.0, "version": 1.0, "epistemic": 0.9},
        "graph_path": ["tides_v3", "superseded_by", "TIDES-v0.1"],
        "source_available": True,
    },
    "explanation": ["This document supersedes the older account of tides."],
}


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((schemas_dir() / "certificate.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def test_the_papers_example_is_valid(validator: jsonschema.Draft202012Validator) -> None:
    validator.validate(PAPER)
    for key in ("retrieval_id", "query", "route", "query_plan", "result", "explanation"):
        assert not validator.is_valid({name: value for name, value in PAPER.items() if name != key}), key
    for key in ("document_id", "scores", "graph_path", "source_available"):
        result = {name: value for name, value in PAPER["result"].items() if name != key}
        assert not validator.is_valid({**PAPER, "result": result}), key
    scores = {**PAPER["result"]["scores"], "dense": 1.2}
    assert not validator.is_valid({**PAPER, "result": {**PAPER["result"], "scores": scores}})
    assert not validator.is_valid({**PAPER, "route": ["FASTEST"]})
    assert not validator.is_valid({**PAPER, "surprise": 1})


def test_ours_has_every_key_and_no_other(world: World, validator: jsonschema.Draft202012Validator) -> None:
    world.add("V1", "Feldspar and mica.", said("S", "Mica splits.", state="CONJECTURE"))
    world.add("V2", "Feldspar alone.", relations=(("supersedes", "V1"),))
    answer = search(world.snapshot(), "mica", k=1)
    certificate = json.loads(json.dumps(answer.certificate))
    validator.validate(certificate)
    assert certificate["results"] and certificate["result"] == certificate["results"][0]
    for key in set(certificate) - {"result", "asked_plan"}:
        assert not validator.is_valid({name: value for name, value in certificate.items() if name != key}), key
    for change in (
        {"generation": 0}, {"clearance": "SECRET"}, {"coverage": 2}, {"total": -1}, {"unheard": 1}, {"results": [{}]},
        {"explanation": [{"text": "no pointer"}]}, {"explanation": ["a plain sentence"]}, {"query_plan": PAPER["query_plan"]},
        {"excluded": [{"id": "X"}]}, {"gate": {"verdict": "PERHAPS"}}, {"relaxations": [{"what": "state"}]},
    ):  # fmt: skip
        assert not validator.is_valid({**certificate, **change}), change


def test_what_stages_note_is_kept_as_plain_data(world: World, validator: jsonschema.Draft202012Validator) -> None:
    """Tuples, sets and numpy come out as JSON; a number that is none comes out as null."""
    world.add("A", "Feldspar.")

    def notes(state: State) -> State:
        relaxed = {"what": "operator.require", "value": "REP.FORMALIZE", "origin": "caller", "confidence": np.float32(0.5),
                   "step": "the condition only prefers", "to": "soft", "count": np.int64(1), "let_in": ("A",)}  # fmt: skip
        state = state.note("expand", expansions=({"id": "A", "from": "B", "path": ("B", "cites", "A"), "relation": "cites",
                                                  "pagerank": np.float64(0.1), "score": 0.8},))  # fmt: skip
        state = state.note("rerank", model="m", before=["A", "B"], after=["B", "A"], scores={"A": float("nan")})
        return replace(state, relaxations=(relaxed,))

    certificate = search(world.snapshot(), "feldspar", stages=[*STAGES, ("notes", notes)]).certificate
    validator.validate(json.loads(json.dumps(certificate, allow_nan=False)))
    texts = " ".join(sentence["text"] for sentence in certificate["explanation"])
    assert "Relaxed operator REP.FORMALIZE (set by the caller, confidence 0.5)" in texts and "let in 1: A" in texts
    assert "A came from B by B → cites → A (cites, PageRank 0.1, score 0.8)" in texts
    assert "Reranked by m: before A, B; after B, A" in texts


def test_what_comes_after_the_window_is_named(world: World) -> None:
    for number in range(15):
        world.add(f"D{number:02d}", f"Feldspar number {number} of its kind.")
    certificate = search(world.snapshot(), "feldspar", k=2).certificate
    below = [item for item in certificate["excluded"] if "position" in item]
    assert [item["position"] for item in below] == list(range(3, 13))
    assert {item["id"] for item in below}.isdisjoint(result["id"] for result in certificate["results"])
