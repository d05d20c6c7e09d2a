"""What was the status of X on day D: histories before and after their documents, edits, access, times, git."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.statuses import StatusHistory, StatusThen, status_at, status_history

TABLE = """id\tcommit_time\tstatus\tcommit
PEP-0007\t2001-01-10T23:30:00-05:00\tDraft\taaa
PEP-0007\t2002-05-01T12:00:00+00:00\tFinal\tbbb
PEP-0007\t2002-05-01T14:00:00+02:00\tRejected\tccc
PEP-0099\t2003-01-01T00:00:00+00:00\tDraft\tddd
"""
PAPER = "PEP: 7\nTitle: Layout of C code\nStatus: Active\nCreated: 05-Jan-2001\n\nAbstract\n========\n\nBraces stay.\n"


def then(world: World, name: str, day: str, clearance: str = "RESTRICTED") -> StatusThen:
    with world.kb.snapshot(clearance) as snapshot:
        return status_at(snapshot, name, day)


def history(world: World, name: str) -> StatusHistory:
    with world.kb.snapshot() as snapshot:
        return status_history(snapshot, name)


def test_the_history_may_come_before_its_documents(world: World) -> None:
    world.write("statuses.tsv", TABLE)
    report = world.ingest(profile="peps")
    assert (report.status_events, report.status_waiting, report.refused) == (4, 2, 0)
    assert not history(world, "PEP 7").here and then(world, "pep-7", "2001-06-01").status == "Draft"
    world.write("pep-0007.rst", PAPER)
    report = world.ingest(profile="peps")
    assert report.relinked == 1 and report.added == 1
    told = history(world, "PEP-0007")
    assert (
        told.here
        and told.current == "Active"
        and [event.status for event in told.events] == ["Draft", "Final", "Rejected"]
    )
    assert [event.line for event in told.events] == [2, 3, 4] and told.events[0].source == "statuses (PEP)"
    assert not history(world, "PEP-0099").here  # still waits
    # The document is edited: its history is not its own, and stays.
    world.write("pep-0007.rst", PAPER.replace("Active", "Superseded"))
    assert world.ingest(profile="peps").changed == 1
    assert history(world, "PEP-0007").current == "Superseded" and len(history(world, "PEP-0007").events) == 3
    revision = world.ingest(profile="peps").revision
    assert world.ingest(profile="peps").revision == revision
    assert world.kb.doctor().clean


def test_days_zones_and_equal_times(world: World) -> None:
    world.write("statuses.tsv", TABLE)
    world.ingest(profile="peps")
    early = then(world, "PEP-7", "2001-01-10")  # in UTC the first event is on the 11th
    assert not early.known and early.status == "" and "before the first" in early.reason
    assert early.following is not None and early.following.status == "Draft"
    assert then(world, "PEP-7", "2001-01-11").status == "Draft"
    assert then(world, "PEP-7", "2001-01-10T23:30:00-05:00").status == "Draft"
    assert not then(world, "PEP-7", "2001-01-11T04:29:59").known
    # Two events at one moment, written in two zones: the later line holds.
    day = then(world, "PEP-7", "2002-05-01")
    assert day.status == "Rejected" and day.version_status == ""
    assert [event.status for event in day.changed] == ["Final", "Rejected"]
    assert then(world, "PEP-7", "2002-05-01T11:59:59Z").status == "Draft"
    with pytest.raises(NotFound):
        then(world, "PEP-1234", "2001-01-10")
    with pytest.raises(UsageError, match="not a date"):
        then(world, "PEP-7", "last week")


def test_a_document_without_a_history_is_unknown_not_what_its_header_says(world: World) -> None:
    world.write("pep-0007.rst", PAPER)
    world.ingest(profile="peps")
    found = then(world, "PEP-7", "2010-01-01")
    assert not found.known and found.status == "" and found.reason == "no status history of it is recorded"


def test_a_hidden_history_tells_nothing(world: World) -> None:
    world.write("statuses.tsv", "# visibility: CONFIDENTIAL\n" + TABLE)
    world.write("pep-0007.rst", PAPER)
    world.ingest(profile="peps")
    assert then(world, "PEP-7", "2001-06-01").known
    assert not then(world, "PEP-7", "2001-06-01", "PUBLIC").known
    with pytest.raises(NotFound):
        then(world, "PEP-99", "2004-01-01", "PUBLIC")


def test_the_command_line_answers(world: World) -> None:
    world.write("statuses.tsv", TABLE)
    world.ingest(profile="peps")
    assert "PEP-7 on 2001-06-01: Draft (ACTIVE)" in world.oam("versions", "PEP-7", "--on", "2001-06-01").stdout
    assert "unknown" in world.oam("versions", "PEP-7", "--on", "1999-01-01", check=1).stdout
    data = json.loads(world.oam("versions", "PEP-7", "--history", "--on", "2002-01-01", "--json").stdout)
    assert data["then"]["status"] == "Draft" and [event["commit"] for event in data["events"]] == ["aaa", "bbb", "ccc"]
    assert "about one object" in world.oam("versions", "PEP-7", "PEP-99", "--history", check=2).stderr


# -- the registers of two public corpora -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["peps", "eips"])
def test_sampled_rows_of_a_register(shared: Path, tmp_path: Path, corpus: str) -> None:
    file = shared / "corpora" / corpus / "status_history.tsv"
    with file.open(encoding="utf-8", newline="") as handle:
        table = list(csv.DictReader(handle, delimiter="\t"))
    rows = [(row["id"], datetime.fromisoformat(row["commit_time"]), row["status"]) for row in table]
    kb = KnowledgeBase.init(tmp_path / "kb")
    report = kb.ingest([file], IngestOptions(profile=corpus, workers=1))
    assert (report.added, report.status_events) == (1, len(rows))
    chosen = random.Random(1559)
    wrong = []
    with kb.snapshot() as snapshot:
        for name, when, _ in chosen.sample(rows, 200):
            day = (when.astimezone(UTC) + timedelta(days=chosen.choice((-400, -30, -1, 0, 0, 1, 30, 400)))).date()
            end = datetime.combine(day, time.max, UTC)
            before = [
                (at, number, word) for number, (other, at, word) in enumerate(rows) if other == name and at <= end
            ]
            expected = max(before, key=lambda entry: entry[:2])[2] if before else None
            found = status_at(snapshot, name, day.isoformat())
            if (found.status if found.event else None) != expected:
                wrong.append((name, day, expected, found.status))
            before_all = min(at for other, at, _ in rows if other == name) - timedelta(seconds=1)
            assert not status_at(snapshot, name, before_all.isoformat()).known
    kb.close()
    assert not wrong


# -- git ---------------------------------------------------------------------------------------------------------------


def _git(folder: Path, *arguments: str, at: str = "2020-01-01T00:00:00+00:00") -> None:
    said = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": at}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in said.items()}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=os.environ | who)


@pytest.fixture
def repository(world: World) -> World:
    page = "---\neip: {}\ntitle: Fees\nstatus: {}\n---\n\n# Fees\n\nBurn them.{}\n"
    folder = world.sources
    _git(folder, "init", "-q", "-b", "main")
    steps = [
        ("2020-01-01T10:00:00+08:00", {"a.md": page.format(7, "Draft", ""), "b.md": page.format(8, "Draft", "")}),
        ("2020-02-01T10:00:00+08:00", {"a.md": page.format(7, "Draft", " All.")}),  # only the text
        ("2020-03-01T10:00:00+08:00", {"a.md": page.format(7, "Review", " All.")}),
        ("2020-04-01T10:00:00+08:00", {"a.md": None, "sub/7.md": page.format(7, "Review", " All.")}),  # moved
        ("2020-05-01T10:00:00+08:00", {"sub/7.md": page.format(7, "Final", " All."), "b.md": None}),
    ]
    for at, files in steps:
        for name, text in files.items():
            if text is None:
                (folder / name).unlink()
            else:
                world.write(name, text)
        _git(folder, "add", "-A", at=at)
        _git(folder, "commit", "-q", "-m", "step", at=at)
    return world


def test_a_folder_of_a_repository_tells_its_statuses(repository: World) -> None:
    world = repository
    done = world.oam("ingest", str(world.sources), "--profile", "eips", "--git-history")
    assert "5 status events, 1 ids wait" in done.stdout
    told = history(world, "EIP-7")
    assert [(event.time[:10], event.status) for event in told.events] == [
        ("2020-01-01", "Draft"), ("2020-03-01", "Review"), ("2020-05-01", "Final"),
    ]  # fmt: skip
    assert all(len(event.commit) == 40 for event in told.events)
    # A file that was removed states nothing any more: its last word is not carried on.
    assert [event.status for event in history(world, "EIP-8").events] == ["Draft", ""]
    gone = then(world, "EIP-8", date(2021, 1, 1).isoformat())
    assert not gone.known and gone.reason == "the source stated no status then"
    again = world.oam("ingest", str(world.sources), "--profile", "eips", "--git-history")
    assert "0 added, 0 changed" in again.stdout and "2 unchanged" in again.stdout


def test_a_folder_without_a_history_is_a_clear_error(worlds: Callable[[str], World]) -> None:
    world = worlds("plain")
    world.write("a.md", "# A\n\nText.\n")
    refused = world.oam("ingest", str(world.sources), "--git-history", check=2)
    assert "no git repository" in refused.stderr
    assert "needs a folder" in world.oam("ingest", str(world.sources / "a.md"), "--git-history", check=2).stderr


def test_without_git_the_error_says_so(repository: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    refused = repository.oam("ingest", str(repository.sources), "--git-history", check=3)
    assert "no git here" in refused.stderr


def test_a_question_about_a_date_is_answered_from_the_history(world: World) -> None:
    world.write("statuses.tsv", TABLE)
    world.write("pep-0007.rst", PAPER)
    world.ingest(profile="peps")
    for question in (
        "the status of PEP-7 on 2001-06-01",
        "PEP-7 在 2001 年 6 月 1 日的狀態",
        "PEP-7 在2001-06-01的状态是什么",
    ):
        answer = world.kb.search(question)
        (said,) = answer.certificate["as_of"]["statuses"]
        assert (said["object"], said["status"], said["line"]) == ("PEP-0007", "Draft", 2)
        assert answer.verdict == "ANSWERABLE" and answer.results[0].id == "PEP-0007"
        assert any("Draft" in sentence["text"] for sentence in answer.explanation("zh-Hant"))
    early = world.kb.search("the status of PEP-7 on 1999-06-01")
    assert early.verdict == "EVIDENCE_INSUFFICIENT" and early.certificate["as_of"]["statuses"][0]["status"] == ""
    assert "早於所記載的第一個狀態" in "".join(s["text"] for s in early.explanation("zh-Hant"))
