"""Whatever text comes in: a plan, the same one twice, nothing in it hard, and every finding inside the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from compile_world import made
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.query.compile import compile_query
from oam_rdf.query.content import runs, weight
from oam_rdf.query.cues import Cues
from oam_rdf.query.exclusions import find_exclusions
from oam_rdf.query.families import ROUTES, families
from oam_rdf.query.limits import find_limits
from oam_rdf.query.plan import Entry, Plan
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import fold, index_key

snapshot = pytest.fixture(scope="module")(made)


def entries_of(part: Any) -> Iterator[Entry]:
    if isinstance(part, Entry):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from entries_of(item)
    elif hasattr(part, "__dataclass_fields__"):
        for item in fields(part):
            yield from entries_of(getattr(part, item.name))


alphabet = (
    "更深入不要排除的反對最新版本v12.0 PEP-241「」《》\"'but not without as of "
    "2021-07-01在年月日哪些論文依賴ＡΔ_…\u200b\x00😀ß"
)
texts = st.one_of(st.text(max_size=80), st.text(alphabet=alphabet, max_size=80))


@settings(max_examples=300, deadline=None)
@given(texts)
def test_any_text_compiles_the_same_twice_and_nothing_is_hard(snapshot: Snapshot, text: str) -> None:
    plan = compile_query(text, snapshot)
    assert compile_query(text, snapshot) == plan
    for entry in entries_of(plan):
        assert not entry.hard and entry.origin.startswith("rule:") and 0 < entry.confidence <= 1
    assert plan.query_type in families() and set(plan.routes) <= set(ROUTES)
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    "text", ["", "\x00", "🌟", "a" * 5000, "((((", '"""', "「", "第 位作者 PEP-241", "PEP-241 第0位作者", "\ud800"]
)
def test_odd_texts(snapshot: Snapshot, text: str) -> None:
    assert compile_query(text, snapshot) == compile_query(text, snapshot)


@given(texts)
def test_cues_claim_characters_once(text: str) -> None:
    folded = index_key(text)
    claimed: dict[int, tuple[int, int]] = {}
    for hit in Cues.load().find(folded):
        for start, end in hit.spans:
            assert 0 <= start < end <= len(folded)
            for place in range(start, end):
                assert claimed.setdefault(place, (hit.start, hit.end)) == (hit.start, hit.end)


@given(texts)
def test_exclusions_limits_and_content_stay_inside_the_text(text: str) -> None:
    for exclusion in find_exclusions(text):
        assert 0 <= exclusion.start < exclusion.end <= len(text) and exclusion.value in text
    limits = find_limits(text)
    assert all(0 <= a < b <= len(text) for a, b in limits.spans) and limits.k >= 0
    folded = fold(text).text
    assert all(0 <= a < b <= len(folded) for a, b in runs(folded))
    assert weight([text]) >= 0
