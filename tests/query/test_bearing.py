"""Evidence for a claim and against it, by kind and outcome, with the passages."""

from __future__ import annotations

import pytest
from query_world import World, said

from oam_rdf.errors import NotFound
from oam_rdf.model import Evidence
from oam_rdf.query.bearing import Bearing, bearing


@pytest.fixture
def claim(world: World) -> World:
    world.add(
        "D",
        said("C", "The claim.", state="CONJECTURE", evidence=(
            Evidence("experiment", "passed", "run 1"), Evidence("experiment", "failed", "run 2"),
            Evidence("formal_proof", "pending", "a proof that has begun"), Evidence("citation", "", "a book"),
        )),
        said("S", "It supports the claim.", state="DERIVED"),
        said("V", "It verifies the claim."),
        said("X", "It is a counterexample."),
        said("K", "It criticises."),
        said("O", "The claim denies this."),
        said("A", "The claim in other words."),
        said("E", "It supports the other words."),
        said("N", "It only cites."),
        relations=(("S", "supports", "D#C"), ("V", "verifies", "D#C"), ("X", "counterexample_to", "D#C"),
                   ("K", "critiques", "D#C"), ("C", "contradicts", "D#O"), ("C", "same_claim_as", "D#A"),
                   ("E", "supports", "D#A"), ("N", "cites", "D#C")),
    )  # fmt: skip
    return world


def stances(found: Bearing) -> dict[str, set[str]]:
    return {stance: {i.id if i.relation != "has_evidence" else i.reference for i in found.items if i.stance == stance}
            for stance in ("supporting", "contradicting", "undecided")}  # fmt: skip


def test_supporting_contradicting_and_undecided(claim: World) -> None:
    found = bearing(claim.snapshot(), "D#C")
    assert stances(found) == {
        "supporting": {"run 1", "a book", "D#S", "D#V", "D#E"},
        "contradicting": {"run 2", "D#X", "D#K", "D#O"},
        "undecided": {"a proof that has begun"},
    }
    by_id = {item.id: item for item in found.items}
    assert by_id["D#V"].relation == "verifies" and by_id["D#X"].relation == "counterexample_to"
    assert by_id["D#O"].relation == "contradicted_by"
    assert by_id["D#E"].via == "D#A" and by_id["D#S"].via == ""
    assert [quote.exact for quote in by_id["D#S"].spans] == ["It supports the claim."]
    assert by_id["D#S"].epistemic_state == "DERIVED" and found.epistemic_state == "CONJECTURE"
    assert found.own[0].exact == "The claim."
    data = found.to_json()
    assert data["counts"] == {"supporting": 5, "contradicting": 4, "undecided": 1}
    assert data["by_kind"]["experiment"] == {"failed": 1, "passed": 1}


def test_choosing_among_it(claim: World) -> None:
    snapshot = claim.snapshot()
    assert {i.reference for i in bearing(snapshot, "D#C", kind="experiment").items} == {"run 1", "run 2"}
    assert {i.reference for i in bearing(snapshot, "D#C", kind="EXPERIMENT", outcome="passed").items} == {"run 1"}
    assert {i.stance for i in bearing(snapshot, "D#C", stance="undecided").items} == {"undecided"}
    assert bearing(snapshot, "D#N").items == ()
    with pytest.raises(NotFound):
        bearing(snapshot, "D#NOBODY")


def test_hidden_evidence_is_not_counted(world: World) -> None:
    world.add("OPEN", said("C", "An open claim."))
    world.add("SECRET", said("S", "A hidden proof."), visibility="INTERNAL", relations=(("S", "supports", "OPEN#C"),))
    told = {c: bearing(s, "OPEN#C") for c, s in world.each_clearance().items()}
    assert told["PUBLIC"].items == () and "SECRET" not in str(told["PUBLIC"].to_json())
    assert [item.id for item in told["INTERNAL"].items] == ["SECRET#S"]
