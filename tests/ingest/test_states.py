"""Decision D7: which evidence carries which state."""

from __future__ import annotations

import pytest

from oam_rdf.ingest import profiles
from oam_rdf.ingest.states import read_evidence, settle
from oam_rdf.model import Evidence

DEFAULT = profiles.load("default")


def proof(kind: str = "formal_proof", outcome: str = "passed", ref: str = "doi:1", artifact: bool = False) -> Evidence:
    return Evidence(kind, outcome, ref, artifact)


@pytest.mark.parametrize(
    ("claimed", "evidence", "state", "label", "verification"),
    [
        ("FORMALLY_PROVED", [], "SOURCE_CLAIM", "FORMALLY_PROVED", ""),
        ("FORMALLY_PROVED", [proof()], "FORMALLY_PROVED", "", "SOURCE_CLAIMED"),
        ("已證明", [proof()], "FORMALLY_PROVED", "已證明", "SOURCE_CLAIMED"),
        ("FORMALLY_PROVED", [proof(outcome="failed")], "SOURCE_CLAIM", "FORMALLY_PROVED", ""),
        ("FORMALLY_PROVED", [proof(outcome="pending")], "SOURCE_CLAIM", "FORMALLY_PROVED", ""),
        ("FORMALLY_PROVED", [proof(ref=" ")], "SOURCE_CLAIM", "FORMALLY_PROVED", ""),
        ("FORMALLY_PROVED", [proof("finite_computational_check")], "SOURCE_CLAIM", "FORMALLY_PROVED", ""),
        ("MACHINE_CHECKED", [proof("symbolic_check")], "MACHINE_CHECKED", "", "SOURCE_CLAIMED"),
        ("MACHINE_CHECKED", [proof("property_check")], "SOURCE_CLAIM", "MACHINE_CHECKED", ""),
        ("FORMALLY_PROVED", [proof(artifact=True)], "FORMALLY_PROVED", "", "ARTIFACT_PRESENT"),
        ("REPRODUCED", [proof("experiment")], "SOURCE_CLAIM", "REPRODUCED", ""),
        ("REPRODUCED", [proof("experiment"), proof("experiment")], "SOURCE_CLAIM", "REPRODUCED", ""),
        ("REPRODUCED", [proof("experiment"), proof("experiment", ref="doi:2")], "REPRODUCED", "", "SOURCE_CLAIMED"),
        ("CONJECTURE", [], "CONJECTURE", "", ""),
        ("猜想", [], "CONJECTURE", "猜想", ""),
        ("STRUCTURAL_CONJECTURE", [], "STRUCTURAL_CONJECTURE", "", ""),
        ("open", [], "UNRESOLVED", "open", ""),
        ("", [], "", "", ""),
    ],
)
def test_states(claimed: str, evidence: list[Evidence], state: str, label: str, verification: str) -> None:
    settled = settle(claimed, "", evidence, DEFAULT)
    assert (settled.state, settled.state_label, settled.verification) == (state, label, verification)


def test_an_unknown_word_is_kept_and_never_forced() -> None:
    settled = settle("vaguely plausible", "", [], DEFAULT, file="a.md", line=7)
    assert (settled.state, settled.state_label) == ("", "vaguely plausible")
    assert str(settled.issues[0]).startswith("a.md:7: ")


@pytest.mark.parametrize(
    ("said", "evidence", "wanted"),
    [
        ("NOT_TESTED", [], "NOT_TESTED"),
        ("INDEPENDENTLY_REVIEWED", [], "SOURCE_CLAIMED"),
        ("ARTIFACT_PRESENT", [proof()], "SOURCE_CLAIMED"),
        ("ARTIFACT_PRESENT", [proof(artifact=True)], "ARTIFACT_PRESENT"),
        ("REPRODUCED", [proof(artifact=True), proof(ref="doi:2")], "REPRODUCED"),
        ("no such", [], ""),
    ],
)
def test_verification_never_exceeds_the_evidence(said: str, evidence: list[Evidence], wanted: str) -> None:
    assert settle("", said, evidence, DEFAULT).verification == wanted


def test_evidence_lines() -> None:
    assert read_evidence("formal_proof | passed | doi:10.1/x|y", DEFAULT) == proof(ref="doi:10.1/x|y")
    assert read_evidence("experiment｜passed｜x", DEFAULT) is None
    assert read_evidence("formal_proof | 通過 | x", DEFAULT) == proof(ref="x")
    for bad in ("formal_proof", "formal_proof | passed", "nonsense | passed | x", "formal_proof | maybe | x"):
        assert read_evidence(bad, DEFAULT) is None
