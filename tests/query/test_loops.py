"""Going in circles on a trail: flagged at the second repeat, with the cycle and ways out; searches that go on are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from query_world import World

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.ontology import Ontology
from oam_rdf.query.compose import compose
from oam_rdf.query.loops import Loop, Step, loop_of, opposites
from oam_rdf.query.navigate import Navigation
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trail import is_file, on_trail
from oam_rdf.store import trails
from oam_rdf.store.trails import Trails

ONTOLOGY = Ontology.load()


def trail(*steps: str) -> list[Step]:
    """Steps written ``A UP``."""
    return [Step(*(2 * [step.split(" ", 1)[0]]), step.split(" ", 1)[1]) for step in steps]  # type: ignore[misc]


def warnings(steps: list[Step]) -> list[Loop | None]:
    """What each step of a trail is told."""
    return [loop_of(steps[: at + 1], ONTOLOGY) for at in range(len(steps))]


def test_opposites_come_from_the_steps_or_from_turtle() -> None:
    found = opposites(ONTOLOGY)
    for one, other in (
        ("ABSTRACT.UP", "CONCRETE.DOWN"), ("VERSION.EARLIER", "VERSION.LATER"), ("VERSION.EARLIER", "VERSION.LATEST"),
        ("DEPENDENCY.UPSTREAM", "DEPENDENCY.DOWNSTREAM"), ("SOURCE.BACK", "DERIVATION.FORWARD"),
        ("EVIDENCE.STRONGER", "EVIDENCE.WEAKER"), ("REP.ORIGINAL", "REP.COMPRESSED"),
    ):  # fmt: skip
        assert other in found[one] and one in found[other]
    assert "VERSION.LATER" not in found["VERSION.LATEST"] and "CRITIQUE.OPPOSING" not in found["CRITIQUE.OPPOSING"]
    assert all(name not in others for name, others in found.items())
    assert found["PERSPECTIVE.FIRST_PERSON"] == frozenset()


def test_an_oscillation_in_twenty_steps_is_flagged_at_its_second_repeat() -> None:
    before = [f"N{n} {way}" for n, way in enumerate(["DEPENDENCY.UPSTREAM", "SOURCE.BACK", "CRITIQUE.OPPOSING"] * 4)]
    planted = ["A ABSTRACT.UP", "B CONCRETE.DOWN"] * 3 + ["A ABSTRACT.UP", "B CONCRETE.DOWN"]
    steps = trail(*before, *planted)
    assert len(steps) == 20
    told = warnings(steps)
    assert told[:14] == [None] * 14
    assert [(loop.repeats, loop.flagged) for loop in told[14:] if loop] == [
        (1, False), (1, False), (2, True), (2, True), (3, True), (3, True),
    ]  # fmt: skip
    first = told[16]
    assert first is not None and first.kind == "oscillation"
    assert first.cycle == (("A", "ABSTRACT.UP"), ("B", "CONCRETE.DOWN"))


def test_repeats_and_longer_swings() -> None:
    same = warnings(trail(*["A SOURCE.BACK"] * 3))[-1]
    assert same is not None and (same.kind, same.flagged, same.cycle) == ("repeat", True, (("A", "SOURCE.BACK"),))
    ring = ["A DEPENDENCY.UPSTREAM", "B SOURCE.BACK", "C CRITIQUE.OPPOSING"]
    loop = warnings(trail(*ring * 3))[-1]
    assert loop is not None and (loop.kind, loop.repeats, len(loop.cycle)) == ("repeat", 2, 3)
    versions = warnings(trail(*["V1 VERSION.LATER", "V2 VERSION.EARLIER"] * 3))[-1]
    assert versions is not None and versions.kind == "oscillation"
    legs = ["A ABSTRACT.UP*2 / EVIDENCE.STRONGER", "B EVIDENCE.WEAKER / CONCRETE.DOWN*2"] * 3
    composed = warnings(trail(*legs))[-1]
    assert composed is not None and composed.kind == "oscillation" and composed.flagged


LEGITIMATE = {
    "climbing": [f"L{n} ABSTRACT.UP" for n in range(20)],
    "down a chain": [f"V{n} VERSION.EARLIER" for n in range(20)],
    "every direction of one object": [f"A {way}" for way in sorted(ONTOLOGY.directions)],
    "deeper step by step": [f"A ABSTRACT.UP*{n}" for n in range(1, 21)],
    "siblings": [f"{name}{n} {way}" for n in range(10) for name, way in (("C", "ABSTRACT.UP"), ("P", "CONCRETE.DOWN"))],
    "back once": ["A ABSTRACT.UP", "B CONCRETE.DOWN", "A EVIDENCE.STRONGER", "A ABSTRACT.UP", "B CRITIQUE.OPPOSING"],
    "one direction over many objects": [f"S{n} SOURCE.BACK" for n in range(20)],
    "evidence both ways": [f"S{n} EVIDENCE.{way}" for n in range(10) for way in ("STRONGER", "WEAKER")],
    "there and back": [f"D{n} DEPENDENCY.UPSTREAM" for n in range(10)]
    + [f"D{n} DEPENDENCY.DOWNSTREAM" for n in range(10, 0, -1)],
    "two threads in turn": [
        f"{t}{n} {w}" for n in range(10) for t, w in (("X", "VERSION.LATER"), ("Y", "SOURCE.BACK"))
    ],
}


@pytest.mark.parametrize("name", sorted(LEGITIMATE))
def test_searches_that_go_on_are_not_flagged(name: str) -> None:
    assert len(LEGITIMATE) == 10
    assert not any(loop and loop.flagged for loop in warnings(trail(*LEGITIMATE[name])))


@pytest.fixture
def pair(world: World) -> Snapshot:
    world.add("CASE", "A case.", relations=(("is_example_of", "LAW"), ("depends_on", "BASE"), ("cites", "NOTE")))
    for name in ("LAW", "BASE", "NOTE"):
        world.add(name, f"Text of {name}.")
    return world.snapshot()


def go(snapshot: Snapshot, start: str, way: str, name: str, *, files: bool = False) -> Navigation:
    return on_trail(snapshot, compose(snapshot, start, way), node(snapshot, start), name, files=files)


def test_a_kept_trail_is_compared_and_told_ways_out(pair: Snapshot) -> None:
    loops = [go(pair, start, way, "t").loop
             for start, way in [("case", "abstract.up"), ("LAW", "CONCRETE.DOWN")] * 3]  # fmt: skip
    assert [loop and loop.repeats for loop in loops] == [None, None, 1, 1, 2, 2]
    flagged = loops[4]
    assert flagged is not None and flagged.flagged and flagged.cycle[0] == ("CASE", "ABSTRACT.UP")
    leads = {item.direction: item.nodes for item in flagged.alternatives}
    assert leads["DEPENDENCY.UPSTREAM"] == ("BASE",)
    assert "ABSTRACT.UP" not in leads and "CONCRETE.DOWN" not in leads
    assert loops[2] is not None and loops[2].alternatives == ()  # not flagged yet: nothing to look for
    assert go(pair, "CASE", "ABSTRACT.UP", "another").loop is None
    assert json.dumps(go(pair, "CASE", "ABSTRACT.UP", "t").to_json()["loop"])


def test_a_trail_in_a_file(pair: Snapshot, tmp_path: Path) -> None:
    path = tmp_path / "my.jsonl"
    assert is_file(str(path)) and not is_file("my-trail")
    found = [go(pair, "CASE", "ABSTRACT.UP", str(path), files=True).loop for _ in range(3)]
    assert [loop and loop.repeats for loop in found] == [None, 1, 2]
    assert len(path.read_text().splitlines()) == 3
    assert not Trails(pair.kb / "trails.sqlite").steps(pair.clearance, str(path))
    path.write_text(path.read_text() + "not a step\n")
    with pytest.raises(Damaged, match=r"my\.jsonl:4"):
        go(pair, "CASE", "ABSTRACT.UP", str(path), files=True)


def test_trails_are_bounded_and_of_one_clearance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "STEPS", 5)
    monkeypatch.setattr(trails, "TRAILS", 3)
    kept = Trails(tmp_path / "trails.sqlite")
    for number in range(9):
        rows = kept.add("PUBLIC", "t", (f"n{number}", "n", "ABSTRACT.UP"))
    assert [row[0] for row in rows] == ["n4", "n5", "n6", "n7", "n8"] == [r[0] for r in kept.steps("PUBLIC", "t")]
    assert kept.steps("RESTRICTED", "t") == []
    for number in range(5):
        kept.add("PUBLIC", f"other{number}", ("n", "n", "ABSTRACT.UP"))
    assert kept.steps("PUBLIC", "t") == [] and kept.steps("PUBLIC", "other4")
    for name in ("", " ", "x" * 201, "a\nb"):
        with pytest.raises(UsageError, match="cannot name a trail"):
            kept.add("PUBLIC", name, ("n", "n", "ABSTRACT.UP"))


def test_only_the_newest_steps_are_compared() -> None:
    steps = trail("A ABSTRACT.UP", *(f"N{n} SOURCE.BACK" for n in range(2_000)), "A ABSTRACT.UP")
    assert loop_of(steps, ONTOLOGY) is None and loop_of([], ONTOLOGY) is None
