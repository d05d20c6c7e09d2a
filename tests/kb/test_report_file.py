"""The conversion report as a file: every file of the input, with what became of it."""

from __future__ import annotations

import json

import pytest
from kb_world import World

from oam_rdf.errors import UsageError
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.report_files import entries, render


def fill(world: World) -> None:
    world.write("a.md", "---\nid: A\nsupersedes: B\ndepends_on: Nowhere\n---\n# A\n\n**Conjecture C1.** All is one.\n")
    world.write("b.md", "---\nid: B\n---\n# B\n\nText.\n")
    world.write("broken.md", "---\ntitle: A: B\n---\n\nText.\n")
    world.write("values.yaml", "replicas: 3\n")
    world.write("other.tsv", "source\ttarget\na\tb\n")
    world.write("picture.png", b"\x89PNG")
    world.write(
        "statuses.tsv", "id\ttime\tstatus\nB\t2020-01-01T00:00:00Z\tactive\nZ-9\t2020-01-01T00:00:00Z\tactive\n"
    )


def test_every_file_is_in_the_report_with_its_outcome(world: World) -> None:
    fill(world)
    report = world.ingest()
    found = {entry.path: entry for entry in entries(report)}
    assert {path: entry.outcome for path, entry in found.items()} == {
        "a.md": "added", "b.md": "added", "statuses.tsv": "added", "broken.md": "refused",
        "values.yaml": "skipped", "other.tsv": "skipped", "picture.png": "skipped",
    }  # fmt: skip
    assert (report.added, report.skipped, report.refused, report.found) == (3, 3, 1, 7) and report.balanced
    assert found["a.md"].unresolved == (("depends_on", "Nowhere", 4),) and found["a.md"].relations == 2
    assert found["a.md"].objects["STATEMENT"] == 1 and found["a.md"].spans == 1
    assert found["statuses.tsv"].status_events == 2 and found["statuses.tsv"].unresolved == (("status of", "Z-9", 3),)
    again = world.ingest()
    assert {entry.outcome for entry in entries(again)} == {"unchanged", "refused", "skipped"} and again.balanced
    assert again.status_events == 0


def test_strict_refuses_all_of_them_in_the_report_too(world: World) -> None:
    fill(world)
    report = world.ingest(strict=True)
    outcomes = {entry.path: entry.outcome for entry in entries(report)}
    assert outcomes["a.md"] == outcomes["broken.md"] == "refused" and report.balanced and report.status_events == 0


def test_the_report_is_written_as_its_name_ends(world: World) -> None:
    fill(world)
    folder = world.sources.parent
    world.oam("ingest", str(world.sources), "--report", str(folder / "r.json"), check=1)
    data = json.loads((folder / "r.json").read_text("utf-8"))
    assert {row["path"]: row["outcome"] for row in data["files"]}["broken.md"] == "refused"
    assert any(issue["file"] == "broken.md" and issue["line"] == 2 for issue in data["issues"])
    assert data["unresolved"] == 1 and data["status_waiting"] == 1
    world.oam("ingest", str(world.sources), "--report", str(folder / "r.md"), check=1)
    text = (folder / "r.md").read_text("utf-8")
    assert "| values.yaml | skipped |" in text and "no proposal's metadata" in text and "broken.md:2" in text
    refused = world.oam("ingest", str(world.sources), "--report", str(folder / "r.docx"), check=2)
    assert "end it in .json, .md or .txt" in refused.stderr


def test_an_empty_report_says_nothing_false() -> None:
    assert json.loads(render(IngestReport(), "r.json"))["files"] == []
    assert "none" in render(IngestReport(), "r.md") and "found: 0" in render(IngestReport(), "r.txt")
    with pytest.raises(UsageError):
        render(IngestReport(), "report")
