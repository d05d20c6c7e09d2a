"""A query of any length is repeated only to a limit, and is replayed whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest
from query_world import World

from oam_rdf.errors import MESSAGE_LIMIT, UsageError
from oam_rdf.query.certificate import Certificates
from oam_rdf.query.echo import LIMIT
from oam_rdf.query.replay import run_again
from oam_rdf.query.search import search
from oam_rdf.resources import schemas_dir

WORDS = "".join(f"wave{number} " for number in range(2600))[:20_000]


def test_a_long_query_is_repeated_to_the_limit_and_replayed_whole(world: World, tmp_path: Path) -> None:
    for number in range(12):
        world.add(f"D{number:02d}", f"The harbour wave{number * 200} breaks on stone {number}.")
    snapshot, kept = world.snapshot(), Certificates(tmp_path / "c.sqlite")
    answer = search(snapshot, WORDS, certificates=kept)
    stored = kept.load(answer.retrieval_id)
    for data in (stored, answer.to_json(certificate=True)):
        text = json.dumps(data, ensure_ascii=False)
        assert WORDS[: LIMIT + 1] not in text and "wave2000 " not in text
    assert stored["query"] == WORDS[:LIMIT] + "…" == answer.query
    assert stored["echo"] == {
        "limit": LIMIT, "characters": len(WORDS.strip()), "sha256": hashlib.sha256(WORDS.strip().encode()).hexdigest(),
    }  # fmt: skip
    schema = json.loads((schemas_dir() / "certificate.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(stored)
    assert "/echo" in {sentence["pointer"] for sentence in answer.explanation()}
    again = run_again(snapshot, stored, kept.asked(answer.retrieval_id))
    assert again.same and len(again.after) == 10
    with pytest.raises(UsageError, match="first 2000 characters"):
        run_again(snapshot, stored)


def test_a_query_of_common_length_is_kept_as_it_is(world: World, tmp_path: Path) -> None:
    world.add("D", "The harbour wave breaks.")
    kept = Certificates(tmp_path / "c.sqlite")
    answer = search(world.snapshot(), "harbour " * 200, certificates=kept)
    stored = kept.load(answer.retrieval_id)
    assert "echo" not in stored and stored["query"] == ("harbour " * 200).strip()
    assert kept.asked(answer.retrieval_id) == stored.get("asked_plan", stored["query_plan"])


def test_an_error_quotes_no_more_than_its_limit(world: World) -> None:
    world.add("D", "The harbour wave breaks.")
    with pytest.raises(UsageError) as error:
        search(world.snapshot(), f"NOT ({WORDS})", syntax="whoosh")
    assert len(str(error.value)) < MESSAGE_LIMIT + 500
