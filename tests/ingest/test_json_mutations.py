"""Random edits of every JSON shape: a reader answers with a document or an error of ours, soon, and never otherwise."""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import json_samples as samples
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oam_rdf.errors import OamError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.shapes import event_chain
from oam_rdf.model import ParsedDocument
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import Codec
from oam_rdf.store.document_quads import Resolved
from oam_rdf.store.minter import Minter

PROFILE = profiles.load("default")
CODEC = Codec(Minter("http://x.test/"), Ontology.load())
SHAPES = samples.every_shape()
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12), st.sampled_from(["", "sha256:", "0" * 64, "../../x", "passed", "#", " \n"]),
    st.lists(st.integers(0, 3), max_size=2), st.dictionaries(st.text(max_size=4), st.integers(0, 3), max_size=2),
    st.sampled_from([{"representations": {"sparse_terms": "x"}}, {"visibility": "nobody"}, [[[]]], {"": {"": []}}]),
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for name, part in parts for place in [(*path, name), *places(part, (*path, name))]]


@dataclass
class Dice:
    """What decides: hypothesis, which makes failures small, or a seeded generator, which is fast."""

    choose: Callable[[Any], Any]
    odd: Callable[[], Any]
    word: Callable[[], str]


def edited(value: Any, dice: Dice) -> Any:
    """The value with something in it replaced, removed, doubled, renamed or added."""
    value = copy.deepcopy(value)
    found = places(value)
    if not found:
        return dice.odd()
    *way, last = dice.choose(found)
    at = value
    for name in way:
        at = at[name]
    how = dice.choose(["replace", "remove", "add", "rename", "double"])
    if how == "replace":
        at[last] = dice.odd()
    elif how == "remove":
        del at[last]
    elif how == "double" and isinstance(at, list):
        at.append(copy.deepcopy(at[last]))
    elif how == "rename" and isinstance(at, dict):
        at[dice.word()] = at.pop(last)
    elif isinstance(at, dict):
        at[dice.word()] = dice.odd()
    return value


def encoded(document: ParsedDocument) -> None:
    """The document goes into quads, whatever its relations resolve to."""
    for target in (None, "http://x.test/doc/Y"):
        relations = [Resolved(relation, target, target or "") for relation in document.relations]
        assert list(CODEC.encode(document, relations, root="r").quads())


def survives(value: Any, dice: Dice) -> None:
    for _ in range(dice.choose([1, 2, 3, 4])):
        value = edited(value, dice)
    lines = isinstance(value, list) and dice.choose([False, True])
    content = "\n".join(json.dumps(v) for v in value) if lines else json.dumps(value, ensure_ascii=False)
    try:
        document = parse(content.encode("utf-8", "surrogatepass"), "a.jsonl" if lines else "a.json", PROFILE)
    except OamError:
        return
    encoded(document)


@settings(max_examples=250, deadline=5000, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_edited_values(data: st.DataObject) -> None:
    dice = Dice(
        lambda of: data.draw(st.sampled_from(of)), lambda: data.draw(ODD), lambda: data.draw(st.text(max_size=6))
    )
    survives(SHAPES[dice.choose(sorted(SHAPES))], dice)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHAPES))
def test_ten_thousand_edits_of_each_shape(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(name)
    odd = [None, True, False, 0, -1, 10**30, -2.5, 1e300, "", "sha256:", "0" * 64, "../../x", "passed", "#", " \n", "潮",
           [], [[[]]], [1, 2], {}, {"": {"": []}}, {"id": 3}, {"visibility": "nobody"},
           {"representations": {"sparse_terms": "x"}}]  # fmt: skip
    words = [
        "",
        "id",
        "a.b",
        "#",
        "statement",
        "items",
        "claim_id",
        "edge_id",
        "coupling",
        "schema",
        "event_hash_sha256",
    ]
    dice = Dice(generator.choice, lambda: copy.deepcopy(generator.choice(odd)), lambda: generator.choice(words))
    started, longest = time.monotonic(), 0.0
    for number in range(10_000):
        if number == 1_000:  # the search for a flipped byte takes a tenth of a second, whatever the input
            monkeypatch.setattr(event_chain, "_BITS", 0)
            monkeypatch.setattr(event_chain, "_BYTES", 0)
        before = time.monotonic()
        survives(SHAPES[name], dice)
        longest = max(longest, time.monotonic() - before)
    assert longest < 30, f"{longest:.1f} s for one input, {time.monotonic() - started:.0f} s for all"


@settings(max_examples=300, deadline=4000, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_edited_bytes(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(SHAPES)))
    value = SHAPES[name]
    raw = bytearray((samples.lines(value) if isinstance(value, list) else samples.text(value)).encode())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        document = parse(bytes(raw), "a.jsonl" if isinstance(value, list) else "a.json", PROFILE)
    except OamError:
        return
    encoded(document)
