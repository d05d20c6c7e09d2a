"""Thirty planted conflicts of five kinds are found, and nothing else; what was looked at is counted."""

from __future__ import annotations

import pytest
from query_world import World, said

from oam_rdf.errors import NotFound
from oam_rdf.model import Evidence
from oam_rdf.ontology import Ontology
from oam_rdf.query.conflicts import KINDS, conflicts


@pytest.fixture
def planted(world: World) -> World:
    """Six of every kind, among as many objects that only look like it."""
    statements, relations = [], []
    for n in range(6):
        statements += [said(f"P{n}", f"Claim {n}."), said(f"Q{n}", f"Denial {n}.")]
        relations.append((f"P{n}", "contradicts", f"D#Q{n}"))
        statements += [said(f"C{n}", f"General {n}."), said(f"X{n}", f"Case {n}.")]
        relations.append((f"X{n}", "counterexample_to", f"D#C{n}"))
        statements.append(said(f"R{n}", f"Refuted {n}.", state="REFUTED"))
        if n < 3:  # by an object, by a failed check, or by nothing that is recorded
            statements.append(said(f"F{n}", f"Refuter {n}."))
            relations.append((f"F{n}", "contradicts", f"D#R{n}"))
        statements.append(said(f"S{n}", f"Said {n}.", state="FORMALLY_PROVED" if n % 2 else "CONJECTURE"))
        statements.append(said(f"T{n}", f"Said {n} again.", state="REFUTED"))
        relations.append((f"S{n}", "same_claim_as", f"D#T{n}"))
        # Harmless: support, a test, and the same claim in states that can stand together.
        statements += [
            said(f"H{n}", f"Harmless {n}.", state="CONJECTURE"),
            said(f"I{n}", f"Help {n}.", state="DERIVED"),
        ]
        relations += [(f"I{n}", "supports", f"D#H{n}"), (f"I{n}", "same_claim_as", f"D#H{n}")]
    world.add("D", *statements, relations=tuple(relations))
    for n in range(3):
        world.add(f"OLD{n}", f"Old {n}.")
        for branch in "AB":
            world.add(f"NEW{n}{branch}", f"New {n}{branch}.", relations=(("supersedes", f"OLD{n}"),))
        ring = [f"RING{n}{x}" for x in "ABC"[: n + 2] or "A"]
        for at, name in enumerate(ring):
            world.add(name, f"Ring {name}.", relations=(("supersedes", ring[(at + 1) % len(ring)]),))
    # A line that parts and comes together again is no conflict.
    for name, olds in {"M1": (), "M2": ("M1",), "M3": ("M1",), "M4": ("M2", "M3")}.items():
        world.add(name, f"Merged {name}.", relations=tuple(("supersedes", old) for old in olds))
    return world


def test_thirty_planted_conflicts_of_five_kinds(planted: World) -> None:
    found = conflicts(planted.snapshot())
    pairs = {kind: {c.objects for c in found.conflicts if c.kind == kind} for kind in KINDS}
    assert pairs["contradiction"] == {(f"D#P{n}", f"D#Q{n}") for n in range(6)}
    assert pairs["counterexample"] == {(f"D#C{n}", f"D#X{n}") for n in range(6)}
    # Those of the same claim are refuted too, without anything that refutes them.
    refuted = {(f"D#R{n}", f"D#F{n}") for n in range(3)} | {(f"D#R{n}",) for n in range(3, 6)}
    assert pairs["refutation"] == refuted | {(f"D#T{n}",) for n in range(6)}
    assert pairs["state"] == {(f"D#T{n}", f"D#S{n}") for n in range(6)}
    forks = {(f"OLD{n}", f"NEW{n}A", f"NEW{n}B") for n in range(3)}
    rings = {tuple(f"RING{n}{x}" for x in "ABC"[: n + 2]) for n in range(3)}
    assert pairs["version"] == forks | rings
    assert all(c.detail == ("fork" if c.objects in forks else "cycle") for c in found.conflicts if c.kind == "version")
    checked = found.checked
    assert checked["claim_pairs"] == 12 and checked["edges"] == 15 and checked["version_edges"] == 6 + 2 + 3 + 3 + 4
    assert checked["objects"] > 60 and found.left_out == 0


def test_of_one_object_and_its_parts(planted: World) -> None:
    snapshot = planted.snapshot()
    assert [(c.kind, c.objects) for c in conflicts(snapshot, "D#Q3").conflicts] == [("contradiction", ("D#P3", "D#Q3"))]
    assert {c.kind for c in conflicts(snapshot, "NEW1B").conflicts} == {"version"}
    whole = conflicts(snapshot, "D")
    assert whole.count("contradiction") == 6 and whole.count("version") == 0 and whole.about == "D"
    only = conflicts(snapshot, "D", kinds=("state",))
    assert {c.kind for c in only.conflicts} == {"state"} and only.count("state") == 6
    harmless = conflicts(snapshot, "D#H0")
    assert harmless.conflicts == () and harmless.checked["claim_pairs"] == 1 and harmless.checked["objects"] == 1
    with pytest.raises(NotFound):
        conflicts(snapshot, "NOBODY")


def test_a_failed_check_refutes_and_a_passed_one_does_not(world: World) -> None:
    world.add("D", said("A", "One.", evidence=(Evidence("experiment", "failed", "run 1"),)),
              said("B", "Two.", evidence=(Evidence("experiment", "passed", "run 2"),)))  # fmt: skip
    found = conflicts(world.snapshot())
    assert [(c.kind, c.objects) for c in found.conflicts] == [("refutation", ("D#A",))]
    assert found.conflicts[0].detail.endswith("failed") and found.checked["evidence"] == 2


def test_what_is_superseded_is_told_last_and_marked(world: World) -> None:
    world.add("A", "a", relations=(("contradicts", "B"),))
    world.add("B", "b")
    world.add("C", "c", relations=(("supersedes", "B"), ("contradicts", "A")))
    found = conflicts(world.snapshot()).conflicts
    assert [(c.objects, c.in_force) for c in found] == [(("C", "A"), True), (("A", "B"), False)]


def test_a_hidden_side_makes_no_conflict_and_no_count(world: World) -> None:
    world.add("OPEN", "open")
    world.add("SECRET", "hidden", visibility="INTERNAL", relations=(("contradicts", "OPEN"),))
    told = {c: conflicts(s) for c, s in world.each_clearance().items()}
    assert told["PUBLIC"].conflicts == () and told["PUBLIC"].checked["edges"] == 0
    assert told["PUBLIC"].checked["objects"] < told["INTERNAL"].checked["objects"]
    assert len(told["INTERNAL"].conflicts) == 1


def test_which_states_cannot_stand_together() -> None:
    ontology = Ontology.load()
    assert ontology.incompatible("REFUTED", "FORMALLY_PROVED") and ontology.incompatible("FORMALLY_PROVED", "REFUTED")
    assert ontology.incompatible("STRUCTURAL_CONJECTURE", "REFUTED")  # narrower than CONJECTURE
    assert ontology.incompatible("UNRESOLVED", "MACHINE_CHECKED")
    for one, other in (("CONJECTURE", "FORMALLY_PROVED"), ("REFUTED", "REFUTED"), ("SOURCE_CLAIM", "REFUTED"),
                       ("DEFINITION", "REFUTED"), ("REPRODUCED", "FORMALLY_PROVED")):  # fmt: skip
        assert not ontology.incompatible(one, other)
