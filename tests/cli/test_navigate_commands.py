"""``oam navigate``, ``paths``, ``conflicts`` and ``evidence`` on the sample documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oam_rdf.errors import UsageError


def test_navigate_over_several_directions(oam: Any) -> None:
    shown = oam("navigate", "ORBIT-1", "VERSION.LATEST / SOURCE.BACK")
    assert shown.return_value == 0 and "leg 2 SOURCE.BACK" in shown.stdout and "supersedes" in shown.stdout
    assert "第 2 段" in oam("navigate", "ORBIT-1", "VERSION.LATEST / SOURCE.BACK", "--ui", "zh-Hant").stdout
    data = json.loads(oam("navigate", "ORBIT-1", "VERSION.LATER*1 / VERSION.EARLIER*1", "--json").stdout)
    assert data["nodes"][0]["ways"][0]["edges"][0]["relation"] == "^supersedes" and len(data["legs"]) == 2
    assert "7 reached" not in shown.stdout
    with pytest.raises(UsageError, match="leg 2 of 2"):
        oam("navigate", "ORBIT-1", "VERSION.LATER / SIDEWAYS")


def test_navigate_on_a_trail(oam: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "trail.jsonl")
    codes = [oam("navigate", "ORBIT-1", "VERSION.LATER", "--trail", file).return_value for _ in range(3)]
    assert codes == [0, 0, 1]
    shown = oam("navigate", "ORBIT-1", "VERSION.LATER", "--trail", file, "--ui", "zh-Hans").stdout
    assert "足迹重复" in shown and "可改往" in shown


def test_paths(oam: Any) -> None:
    shown = oam("paths", "ORBIT-1", "ORBIT-3", "-k", "2")
    assert shown.return_value == 0 and "—^supersedes→" in shown.stdout
    data = json.loads(oam("paths", "ORBIT-1", "ORBIT-3", "--relation", "supersedes", "--json").stdout)
    assert data["paths"][0]["nodes"][0] == "ORBIT-1" and data["level"] == "document"
    none = oam("paths", "ORBIT-1", "ORBIT-3", "--directed", "--ui", "zh-Hant")
    assert none.return_value == 1 and "沒有路徑" in none.stdout


def test_conflicts(oam: Any) -> None:
    shown = oam("conflicts")
    assert shown.return_value == 0 and "checked" in shown.stdout and "counterexample" in shown.stdout
    data = json.loads(oam("conflicts", "--kind", "counterexample", "--json").stdout)
    assert data["counts"]["counterexample"] == len(data["conflicts"]) > 0 and data["checked"]["objects"] > 0
    one = data["conflicts"][0]["objects"][0]
    assert one in oam("conflicts", one, "--ui", "zh-Hant").stdout
    assert "反例" in oam("conflicts", one, "--ui", "zh-Hant").stdout


def test_evidence_is_listed_without_saying_list(oam: Any) -> None:
    data = json.loads(oam("conflicts", "--kind", "counterexample", "--json").stdout)
    refuted = data["conflicts"][0]["objects"][0]
    shown = oam("evidence", refuted)
    assert "contradicting" in shown.stdout and shown.stdout == oam("evidence", "list", refuted).stdout
    assert "反對" in oam("evidence", refuted, "--ui", "zh-Hant").stdout
    found = json.loads(oam("evidence", refuted, "--stance", "contradicting", "--json").stdout)
    assert found["counts"]["contradicting"] == len(found["items"]) > 0
    assert "Commands" in oam("evidence", "--help").stdout
