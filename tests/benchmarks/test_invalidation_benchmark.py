"""The invalidation benchmark on a small graph: its counts are right whatever its seconds are."""

from __future__ import annotations

from pathlib import Path

import invalidation


def test_flags_come_and_go_and_a_wrong_edge_carries_nothing_once_judged(tmp_path: Path) -> None:
    found = invalidation.measure(tmp_path, 1200, 200)
    assert found["dependants"] == found["flagged"] == found["taken back"] == 200
    assert found["with another support"] == 20
    assert found["hash differs while flagged"] and found["hash after undo identical"]
    assert found["wrong edge"] == {"before the verdict": {1: 1, 2: 3, 3: 9}, "after it": {}}
