"""Status histories as tables: which columns count, which rows are left out, and what a word stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.model import ParsedDocument


def table(text: str, profile: str = "peps") -> ParsedDocument:
    return parse(text.encode(), "register.tsv", profiles.load(profile))


def test_columns_are_known_by_their_names_in_any_order() -> None:
    document = table("commit\tstatus\tid\tcommit_time\r\nabc\tFinal\t8\t2004-03-01T12:00:00+02:00\r\n")
    (event,) = document.events
    assert (event.of, event.word, event.status) == ("PEP-0008", "Final", "ACTIVE")
    assert (event.time, event.commit, event.line) == ("2004-03-01T12:00:00+02:00", "abc", 2)
    assert document.id == "register (PEP)"


def test_a_table_without_a_header_is_known_by_what_stands_in_it() -> None:
    document = table("PEP-0001\t2001-02-03\tDraft\nPEP-0002\t2001-02-04T05:06:07.25Z\tRejected\n")
    assert [event.time for event in document.events] == ["2001-02-03T00:00:00Z", "2001-02-04T05:06:07.250000Z"]
    assert [event.status for event in document.events] == ["ACTIVE", ""]
    assert [issue.code for issue in document.issues] == ["utc-assumed"]


@pytest.mark.parametrize(
    "text", ["source\trelation\ttarget\na\tcites\tb\n", "just one line\n", "id\tstatus\nA\tFinal\n"]
)
def test_another_table_is_skipped_with_its_columns(text: str) -> None:
    with pytest.raises(Skipped, match="no status history") as caught:
        table(text)
    assert caught.value.code == "skipped-other-table"


def test_rows_that_say_too_little_are_left_out_and_named() -> None:
    document = table(
        "id\ttime\tstatus\n\t2001-01-01\tDraft\nPEP-3\tsoon\tDraft\nPEP-4\nPEP-5\t2001-01-01\t\nPEP-6\t2001-01-01\tDone\n"
    )
    assert [(event.of, event.word) for event in document.events] == [("PEP-5", ""), ("PEP-6", "Done")]
    rows = [(issue.line, issue.code) for issue in document.issues]
    assert rows == [
        (2, "bad-row"),
        (3, "bad-row"),
        (4, "bad-row"),
        (5, "no-status"),
        (5, "utc-assumed"),
        (6, "unknown-status"),
    ]


def test_a_wrong_word_is_kept_and_reported_with_the_likely_one() -> None:
    document = table("id\ttime\tstatus\nPEP-3\t2001-01-01T00:00:00Z\tAcepted\n")
    (issue,) = document.issues
    assert document.events[0].word == "Acepted" and document.events[0].status == ""
    assert issue.code == "unknown-status" and issue.line == 2 and "accepted" in issue.hint


def test_a_visibility_line_holds_for_the_whole_history() -> None:
    document = table("# visibility: INTERNAL\nid\ttime\tstatus\nPEP-3\t2001-01-01T00:00:00Z\tFinal\n")
    assert document.document.visibility == "INTERNAL" and document.events[0].line == 3


_CELL = st.text(st.characters(blacklist_characters="\t\n\r\0", blacklist_categories=("Cs", "Cc")), max_size=12)


@given(st.lists(st.lists(_CELL, max_size=6), max_size=12))
def test_any_table_is_read_or_skipped(rows: list[list[str]]) -> None:
    text = "\n".join("\t".join(row) for row in [["id", "time", "status"], *rows])
    try:
        document = table(text)
    except Skipped:
        return
    said = {issue.line for issue in document.issues if issue.code == "bad-row"}
    lines = [n for n, row in enumerate(text.split("\n")[1:], 2) if row.strip() and not row.startswith("#")]
    assert sorted(said | {event.line for event in document.events}) == lines
