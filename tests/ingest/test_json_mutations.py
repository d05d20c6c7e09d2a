"""Random edits of every JSON shape: a reader answers with a document or an error of ours, soon, and never otherwise."""

from __future__ import annotations

import copy
import json
from typing import Any

import json_samples as samples
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oam_rdf.errors import OamError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
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


def edited(value: Any, draw: st.DrawFn) -> Any:
    """The value with something in it replaced, removed, doubled, renamed or added."""
    value = copy.deepcopy(value)
    found = places(value)
    if not found:
        return draw(ODD)
    *way, last = draw(st.sampled_from(found))
    at = value
    for name in way:
        at = at[name]
    how = draw(st.sampled_from(["replace", "remove", "add", "rename", "double"]))
    if how == "replace":
        at[last] = draw(ODD)
    elif how == "remove":
        del at[last]
    elif how == "double" and isinstance(at, list):
        at.append(copy.deepcopy(at[last]))
    elif how == "rename" and isinstance(at, dict):
        at[draw(st.text(max_size=6))] = at.pop(last)
    elif isinstance(at, dict):
        at[draw(st.text(max_size=6))] = draw(ODD)
    return value


def encoded(document: ParsedDocument) -> None:
    """The document goes into quads, whatever its relations resolve to."""
    for target in (None, "http://x.test/doc/Y"):
        relations = [Resolved(relation, target, target or "") for relation in document.relations]
        assert list(CODEC.encode(document, relations, root="r").quads())


def survives(name: str, data: st.DataObject) -> None:
    value = SHAPES[name]
    for _ in range(data.draw(st.integers(1, 4))):
        value = edited(value, data.draw)
    lines = isinstance(value, list) and data.draw(st.booleans())
    content = "\n".join(json.dumps(v) for v in value) if lines else json.dumps(value, ensure_ascii=False)
    try:
        document = parse(content.encode("utf-8", "surrogatepass"), "a.jsonl" if lines else "a.json", PROFILE)
    except OamError:
        return
    encoded(document)


@settings(max_examples=250, deadline=5000, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_edited_values(data: st.DataObject) -> None:
    survives(data.draw(st.sampled_from(sorted(SHAPES))), data)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHAPES))
@settings(max_examples=10_000, deadline=5000, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_ten_thousand_edits_of_each_shape(name: str, data: st.DataObject) -> None:
    survives(name, data)


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
