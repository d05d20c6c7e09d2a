"""Where the values of a JSON text stand, against what a JSON reader finds there."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.ingest.json_places import Places, located
from oam_rdf.ingest.source import Source, decode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


def leads_to(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def count(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count, inner))


@settings(max_examples=300, deadline=None)
@given(
    value=JSON, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans(), lead=st.sampled_from(["", " \n\ufeff"])
)
def test_each_value_is_found_where_its_path_leads(value: Any, indent: int | None, ascii_only: bool, lead: str) -> None:
    text = lead + json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found = list(located(text, len(lead)))
    assert len(found) == len({path for path, _, _ in found}) == count(value)
    for path, offset, repeated in found:
        there, _ = json.JSONDecoder().raw_decode(text, offset)
        assert json.dumps(there) == json.dumps(leads_to(value, path)) and not repeated


def source(text: str) -> Source:
    return decode(text.encode(), "f.json")


def test_what_is_not_there_is_looked_for_where_it_would_stand() -> None:
    places = Places(source('\n[ {"a":\n[1,\n{"b": 2}]},\n {"c": 3}]'))
    assert [places.line(*path) for path in ((), ("a",), ("a", 1), ("a", 1, "b"), ("a", 1, "x", 4), ("z",), ("c",))] == [
        2, 3, 4, 4, 4, 2, 2
    ]  # fmt: skip


def test_a_key_that_comes_again_is_told() -> None:
    found = list(located('{"a": 1, "b": {"a": 2, "a": 3}, "a": [4, {"a": 5}]}'))
    assert [(path, offset) for path, offset, repeated in found if repeated] == [(("b", "a"), 28), (("a",), 37)]
