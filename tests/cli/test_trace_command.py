"""``oam trace``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oam_rdf.errors import NotFound, UsageError


def test_the_command(oam: Any) -> None:
    identifier = json.loads(oam("search", "planets", "--json").stdout)["retrieval_id"]
    assert json.loads(oam("trace", identifier).stdout)["retrieval_id"] == identifier
    explained = oam("trace", identifier, "--explain", "--ui", "zh-Hant").stdout
    assert "檢索路徑" in explained and "/routing" in explained
    sentences = json.loads(oam("trace", identifier, "--explain", "--json").stdout)
    assert sentences[0]["pointer"] == "/routing" and sentences[0]["text"].startswith("Route:")
    again = oam("trace", identifier, "--replay")
    assert again.return_value == 0 and "results in the same order" in again.stdout
    assert "結果與次序相同" in oam("trace", identifier, "--replay", "--ui", "zh-Hant").stdout
    assert json.loads(oam("trace", identifier, "--latest", "--json").stdout)["same"] is True
    assert "prov:Activity" in oam("trace", identifier, "--format", "turtle").stdout
    assert json.loads(oam("trace", identifier, "--format", "jsonld").stdout)


@pytest.mark.parametrize("flags", [("--pin", "--replay"), ("--explain", "--latest"), ("--pin", "--unpin")])
def test_what_does_not_go_together(oam: Any, flags: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        oam("trace", "OAM-R-0", *flags)


def test_an_id_that_is_none(oam: Any) -> None:
    for flags in ((), ("--replay",), ("--explain",), ("--format", "turtle"), ("--pin",)):
        with pytest.raises(NotFound, match="no certificate"):
            oam("trace", "OAM-R-0", *flags)
