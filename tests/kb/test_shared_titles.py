"""A title that several files bear is the id of none: their paths are, whatever comes first, and stored ids stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.run import IngestOptions

HANDOFF = "# Hand-over\n\nThe tide gauge at {place} was read last on a {day}.\n"
NOTES = {
    "north/HANDOFF.md": HANDOFF.format(place="Wick", day="Monday"),
    "south/HANDOFF.md": HANDOFF.format(place="Dover", day="Friday"),
    "east/HANDOFF.md": HANDOFF.format(place="Lowestoft", day="Sunday"),
}
DOCUMENTS = "SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }"
OTHER = "# Gauges\n\nWhat to do is written in [[Hand-over]].\n"


def ids(world: World) -> dict[str, str]:
    """Path -> id of what is stored."""
    rows = world.select("SELECT ?p ?i { GRAPH ?g { ?d a oam:Document ; dcterms:identifier ?i } ?g oam:sourcePath ?p }")
    return {row[0]: row[1] for row in rows}


def shared(report: IngestReport) -> dict[str, str]:
    return {issue.file: str(issue) for issue in report.issues if issue.code == "shared-title"}


def targets(world: World) -> tuple[set[str], set[str]]:
    """Paths of the documents to which the links of gauges.md lead, and what of its links leads nowhere."""
    found = world.select("SELECT ?i { ?s oam:mentions ?t . ?t dcterms:identifier ?i }")
    waiting = world.select("SELECT ?l { ?n oam:targetLabel ?l }")
    return {row[0] for row in found}, {row[0] for row in waiting}


def test_files_of_one_title_all_land_under_their_paths_and_the_report_says_so(world: World) -> None:
    for name, text in NOTES.items():
        world.write(name, text)
    world.write("gauges.md", OTHER)
    report = world.ingest()
    assert (report.added, report.refused, report.balanced, report.exit_code) == (4, 0, True, 0)
    assert ids(world) == {**{name: name for name in NOTES}, "gauges.md": "Gauges"}
    said = shared(report)
    assert said.keys() == NOTES.keys()
    assert said["east/HANDOFF.md"].startswith(
        "east/HANDOFF.md:1: 'Hand-over' also stands for north/HANDOFF.md, south/HANDOFF.md: the id is 'east/HANDOFF.md'"
    )
    assert targets(world) == (set(), {"Hand-over"})  # a link to the title means none of them
    titles = world.select("SELECT ?i ?t { ?d a oam:Document ; dcterms:identifier ?i ; dcterms:title ?t }")
    assert {title.partition('"')[0] for name, title in titles if name in NOTES} == {"Hand-over"}
    again = world.ingest()
    assert (again.unchanged, again.revision) == (4, report.revision) and not shared(again)
    assert world.kb.doctor().clean


def test_in_whatever_order_files_are_named_their_ids_are_the_same(worlds: Callable[[str], World]) -> None:
    found = []
    for number, order in enumerate(permutations(NOTES)):
        world = worlds(f"order{number}")
        paths = [world.write(name, NOTES[name]) for name in order]
        paths.insert(number % 3, world.write("copy/HANDOFF.md", NOTES["east/HANDOFF.md"]))
        report = world.kb.ingest(paths, IngestOptions(workers=1))
        assert (report.added, report.skipped, report.refused, report.balanced) == (3, 1, 0, True)
        found.append(sorted(world.select(DOCUMENTS)))
    assert all(one == found[0] for one in found)
    # Each file named by itself has its own folder for a root: HANDOFF.md is the path of all, so the folder tells them apart.
    assert found[0] == [(f"{folder}/HANDOFF.md",) for folder in ("copy", "north", "south")]


def test_a_stored_document_keeps_its_id_when_its_title_comes_again(world: World) -> None:
    names = list(NOTES)
    world.write(names[0], NOTES[names[0]])
    world.write("gauges.md", OTHER)
    world.ingest()
    assert ids(world)[names[0]] == "Hand-over"
    assert targets(world) == ({"Hand-over"}, set())  # it was the only one
    world.write(names[1], NOTES[names[1]])
    report = world.ingest()
    assert (report.added, report.refused, report.relinked) == (1, 0, 1)
    assert shared(report).keys() == {names[1]} and names[0] in shared(report)[names[1]]
    expected = {names[0]: "Hand-over", names[1]: names[1], "gauges.md": "Gauges"}
    assert ids(world) == expected
    assert targets(world) == (set(), {"Hand-over"})  # now it would be a guess
    # Edited, each keeps the id it has; a third takes its path, a copy is skipped.
    for name in names[:2]:
        world.write(name, NOTES[name] + "\nThe log book is in the hut.\n")
    world.write(names[2], NOTES[names[2]])
    world.write("copy/HANDOFF.md", NOTES[names[2]])
    report = world.ingest()
    assert (report.changed, report.added, report.skipped, report.refused) == (2, 1, 1, 0)
    assert shared(report).keys() == {"copy/HANDOFF.md"}
    assert ids(world) == {**expected, "copy/HANDOFF.md": "copy/HANDOFF.md"}
    assert targets(world) == (set(), {"Hand-over"})
    assert world.kb.doctor().clean


def test_of_two_that_go_by_their_paths_neither_title_is_free_again(world: World) -> None:
    first, second, third = NOTES
    world.write(first, NOTES[first])
    world.write(second, NOTES[second])
    world.ingest()
    world.write(third, NOTES[third])
    assert shared(world.ingest()).keys() == {third}
    assert ids(world) == {name: name for name in NOTES}
    world.write(first, NOTES[first].replace("Hand-over", "Hand-over of March"))
    assert world.ingest().changed == 1
    assert ids(world)[first] == first  # what refers to it by its id still finds it
    (world.sources / first).rename(world.sources / "moved.md")
    assert world.ingest().renamed == 1
    world.write("moved.md", NOTES[first] + "\nMoved.\n")
    assert world.ingest().changed == 1
    assert ids(world)["moved.md"] == first


def test_an_id_of_the_author_is_stronger_than_a_title_and_two_of_them_are_refused(world: World) -> None:
    world.write("a.md", "# TIDES\n\nA text with no id of its own.\n")
    world.write("b.md", "---\nid: TIDES\n---\n# Tides and their causes\n\nThe Moon pulls.\n")
    world.write("c.md", "# Gauges\n\nSee [[TIDES]].\n")
    report = world.ingest()
    assert report.refused == 0
    assert ids(world) == {"a.md": "a.md", "b.md": "TIDES", "c.md": "Gauges"}
    assert targets(world) == ({"TIDES"}, set())
    world.write("d.md", "---\nid: TIDES\n---\n# Tides again\n\nThe Sun pulls, too.\n")
    report = world.ingest()
    (issue,) = [issue for issue in report.issues if issue.code == "id-collision"]
    assert (issue.file, report.refused) == ("d.md", 1) and "b.md" in issue.message


def test_an_edit_lands_although_a_file_that_sorts_before_it_claims_its_id(world: World) -> None:
    world.write("b.md", "---\nid: SAME\n---\n# B\n\nTwo.\n")
    world.ingest()
    world.write("a.md", "---\nid: SAME\n---\n# A\n\nOne.\n")
    world.write("b.md", "---\nid: SAME\n---\n# B\n\nTwo, and more.\n")
    report = world.ingest()
    assert (report.changed, report.refused) == (1, 1)
    (issue,) = [issue for issue in report.issues if issue.code == "id-collision"]
    assert issue.file == "a.md" and "b.md" in issue.message


def test_a_document_with_an_id_shares_its_title_all_the_same(world: World) -> None:
    world.write("a.md", "# Currents\n\nWater that moves.\n")
    world.write("b.md", "---\nid: SEA-2\n---\n# Currents\n\nAnother text of that title.\n")
    world.write("c.md", "# Gauges\n\nSee [[Currents]] and [[SEA-2]].\n")
    report = world.ingest()
    assert not shared(report) and ids(world)["a.md"] == "Currents"
    assert targets(world) == ({"SEA-2"}, {"Currents"})


def test_files_named_alike_that_say_nothing_of_themselves_land_too(world: World) -> None:
    """The name of a file serves as its title; nothing else does for JSON, RDF and tables of verdicts."""
    for folder in ("one", "two"):
        world.write(f"{folder}/plain.md", f"A paragraph of {folder} without a heading.\n")
        verdicts = {"audited": {"A->B": {"verdict": "ok", "reason": folder, "round": 1}}}
        world.write(f"{folder}/edges.json", json.dumps(verdicts))
        world.write(f"{folder}/shells.ttl", f'<#whelk> <http://purl.org/dc/terms/title> "whelk of {folder}"@en .\n')
        row = {"knowledge_object_id": f"KO-{folder}", "content": f"The pier of {folder} stands.", "role": "CLAIM"}
        world.write(f"{folder}/object.json", json.dumps(row))
    report = world.ingest()
    assert (report.added, report.refused) == (8, 0), report.issues
    names = ids(world)
    assert names == {path: path for path in names} and len(names) == 8
    rows = world.select('SELECT ?s ?t { ?s dcterms:title ?t FILTER(STRSTARTS(?t, "whelk of")) }')
    base = "http://oam.localhost/doc/"
    assert {(s, t.partition('"')[0]) for s, t in rows} == {
        (f"{base}one%2Fshells.ttl#whelk", "whelk of one"), (f"{base}two%2Fshells.ttl#whelk", "whelk of two")
    }  # fmt: skip
    assert world.kb.doctor().clean
    (world.sources / "one/shells.ttl").rename(world.sources / "cockles.ttl")
    assert world.ingest().renamed == 1
    rows = world.select('SELECT ?s ?t { ?s dcterms:title ?t FILTER(STRSTARTS(?t, "whelk of one")) }')
    assert [s for s, _ in rows] == [f"{base}one%2Fshells.ttl#whelk"]


def test_two_roots_with_one_path(world: World, tmp_path: Path) -> None:
    roots = [tmp_path / name / "notes" for name in ("spring", "autumn")]
    for root in roots:
        root.mkdir(parents=True)
        (root / "HANDOFF.md").write_text(HANDOFF.format(place=root.parent.name, day="Tuesday"))
    report = world.kb.ingest(roots, IngestOptions(workers=1))
    assert (report.added, report.refused) == (2, 0)
    assert sorted(world.select(DOCUMENTS)) == [("autumn/notes/HANDOFF.md",), ("spring/notes/HANDOFF.md",)]
    # One that comes later has nobody to share the path with.
    other = tmp_path / "winter" / "notes"
    other.mkdir(parents=True)
    (other / "HANDOFF.md").write_text(HANDOFF.format(place="winter", day="Tuesday"))
    assert world.kb.ingest([other], IngestOptions(workers=1)).added == 1
    assert ("HANDOFF.md",) in world.select(DOCUMENTS)


@pytest.mark.parametrize("name", ["Hand-over", "east/HANDOFF.md", "HANDOFF"])
def test_what_a_reader_may_write(world: World, name: str) -> None:
    for path, text in NOTES.items():
        world.write(path, text)
    world.write("gauges.md", OTHER.replace("Hand-over", name))
    world.ingest()
    found, waiting = targets(world)
    assert (found, waiting) == (({name}, set()) if name in NOTES else (set(), {name}))
