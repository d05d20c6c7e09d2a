"""Hash-chained events: a broken link is named, a flipped byte found, and an early end told from an alteration."""

from __future__ import annotations

from pathlib import Path

import json_samples as samples
import pytest

from oam_rdf.errors import OamError, ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.model import ParsedDocument


def read(data: str | bytes) -> ParsedDocument:
    data = data if isinstance(data, bytes) else data.encode()
    return parse(data, "log/events.jsonl", profiles.load("default"))


def broken(data: str | bytes) -> str:
    with pytest.raises(ParseError) as error:
        read(data)
    return f"{error.value.place} {error.value.message}"


def column(data: bytes, at: int) -> int:
    return at - data.rfind(b"\n", 0, at)


def rehashed(events: list[dict], start: int) -> list[dict]:
    """The events with the hashes of those from ``start`` on made right, one by one, without the links between them."""
    bare = [{k: v for k, v in event.items() if k != "event_hash_sha256"} for event in events]
    return events[:start] + [samples.hashed(event, "event_hash_sha256") for event in bare[start:]]


def test_a_whole_chain_is_a_document_of_events_in_order() -> None:
    events = samples.chain()
    document = read(samples.lines(events))
    assert document.id == "PEARL-2.0.0 events"
    assert [(node.kind, node.label, node.outcome) for node in document.nodes][1:4] == [
        ("verification", "rule_2", "passed"), ("verification", "rule_3", "failed"), ("verification", "rule_4", "passed"),
    ]  # fmt: skip
    assert [node.links[0][1] for node in document.nodes[1:]] == [node.id for node in document.nodes[:-1]]
    assert document.nodes[0].links == ()
    assert [claim.found for claim in document.hashes] == [event["event_hash_sha256"] for event in events]
    assert document.document.extra["2.check"] == "rule_3"


def test_unknown_keys_are_hashed_and_kept() -> None:
    bare = {k: v for k, v in samples.chain(1)[0].items() if k != "event_hash_sha256"}
    document = read(samples.lines([samples.hashed({**bare, "weather": {"wind": 3}}, "event_hash_sha256")]))
    assert document.document.extra["0.weather.wind"] == "3"


@pytest.mark.parametrize(("where", "what"), [("rule_3", "content"), ("event_hash_sha256", "own"), ("PEARL", "release")])
def test_a_flipped_byte_is_named_with_link_line_and_position(where: str, what: str) -> None:
    lines = samples.lines(samples.chain()).splitlines(keepends=True)
    at = lines[2].index(where) + (len('event_hash_sha256": "') if what == "own" else 0)
    altered = lines[2][:at] + chr(ord(lines[2][at]) ^ 1) + lines[2][at + 1 :]
    said = broken("".join([*lines[:2], altered, *lines[3:]]))
    byte = len("".join(lines[:2])) + at
    assert said.startswith(f"log/events.jsonl:3:{at + 1} ")
    assert "link 3 of 5" in said and f"byte {byte} of the file" in said, said


def test_every_single_flipped_bit_is_found_where_it_is_or_says_nothing_else() -> None:
    data = samples.lines(samples.chain(3)).encode()
    whole = read(data)
    exact = 0
    for at in range(0, len(data), 3):
        altered = data[:at] + bytes((data[at] ^ 2,)) + data[at + 1 :]
        try:
            document = read(altered)
        except OamError as error:
            exact += f"byte {at} of the file" in error.message or error.place.endswith(f":{column(data, at)}")
            continue
        assert document.nodes == whole.nodes, f"byte {at} changed what was read and nobody was told"
    assert exact > len(data) / 3 * 0.9


def test_a_chain_that_ends_early_is_told_from_one_that_is_altered() -> None:
    data = samples.lines(samples.chain())
    cut = data[: data.index("rule_4") + 3]
    said = broken(cut)
    assert "ends early" in said and "link 4, after 3 whole events that verify" in said and "altered" not in said
    flipped = data.replace('"rule_4"', '"rule_4\x02', 1)
    assert "ends early" not in broken(flipped) and "altered" in broken(flipped)


def test_missing_moved_and_added_events_are_told_apart() -> None:
    events = samples.chain(6)
    assert "link 3 of 4 (event 5, rule_5): it names" in (said := broken(samples.lines(events[:2] + events[4:])))
    assert "2 events of the chain are missing between them" in said
    assert "the beginning of the chain is missing" in broken(samples.lines(events[2:]))
    moved = [events[0], events[2], events[1], *events[3:]]
    assert "events were moved or added" in broken(samples.lines(moved))


def test_an_altered_event_whose_own_hash_was_made_to_fit_breaks_the_link_after_it() -> None:
    events = samples.chain()
    events[1] = {**events[1], "passed": False}
    said = broken(samples.lines(rehashed(events[:2], 1) + events[2:]))
    assert "link 3 of 5" in said, said


def test_the_chain_of_the_corpus_verifies_and_a_flipped_byte_is_found(shared: Path) -> None:
    path = shared / "corpora" / "mmrf-3m" / "3m_v10" / "mmlc" / "stable-conformance-events.jsonl"
    data = path.read_bytes()
    document = read(data)
    assert len(document.nodes) == len(data.splitlines()) == 47
    at = data.index(b'"check"', len(data) // 2) + 12
    altered = data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]
    line = data.count(b"\n", 0, at) + 1
    said = broken(altered)
    assert said.startswith(f"log/events.jsonl:{line}:{column(data, at)} ")
    assert f"byte {at} of the file" in said and f"link {line} of 47" in said
