"""Version chains that do not end in one head."""

from __future__ import annotations

from typing import Any

import pytest
from query_world import World

from oam_rdf.query.search import search


@pytest.mark.parametrize(
    ("relations", "kind"),
    [
        ({"B": (("supersedes", "A"),), "C": (("supersedes", "A"),)}, "fork"),
        ({"A": (("supersedes", "B"),), "B": (("supersedes", "C"),), "C": (("supersedes", "A"),)}, "cycle"),
    ],
)
def test_forks_and_cycles_are_conflicts_and_end(world: World, relations: dict[str, Any], kind: str) -> None:
    """Hazard 54."""
    for name in "ABC":
        world.add(f"{name}", f"The {name.lower()}word stands here.", relations=relations.get(name, ()))
    answer = search(world.snapshot(), "aword")
    assert answer.verdict == "VERSION_CONFLICT"
    assert answer.verdicts[0]["facts"]["kind"] == kind
    assert {r.conflict for r in answer.results} == {kind}
    if kind == "fork":
        assert sorted(r.id for r in answer.results) == ["B", "C"] and answer.verdicts[0]["facts"]["heads"] == ["B", "C"]
    else:
        assert [r.document for r in answer.results] == ["A"]
