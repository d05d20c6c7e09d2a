"""reStructuredText: RFC-822 header, sections, items, tables, roles, exact offsets, nothing included."""

from __future__ import annotations

import pytest

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.rst import _settings, blocks
from oam_rdf.model import ParsedDocument

PEP = """PEP: 12
Title: A Title
Author: A. Writer <a@example.org>,
        Barry Two <b@example.org>
Status: Superseded
Created: 11-Jan-2021
Replaces: 10, 11
Superseded-By: 13
Requires: 9
Post-History:

.. superseded:: see :pep:`13`.

********
Abstract
********

This supersedes :pep:`10`, unless the reader
holds otherwise. It does not touch ``:pep:`8` ``.

Motivation
==========

Two reasons (see PEP 20):

- the first, e.g. The one of :pep:`PEP 21 <21>`;
- the second.

  A second paragraph. It has two sentences.

A call::

    code :pep:`99`
    more

=====  =====
a      b
=====  =====
1      :pep:`22`
=====  =====

Sub
---

Own text of PEP 12 about :pep:`12`.

.. note::

   A note of PEP 14. It stands indented,
   on two lines.

.. include:: /etc/passwd
"""


def read(text: str, *, profile: str = "peps", statements: str = "said", path: str = "pep-0012.rst") -> ParsedDocument:
    return parse(text.encode(), path, profiles.load(profile), statements=statements)


def test_header_becomes_document_and_relations() -> None:
    document = read(PEP)
    head = document.document
    assert (document.id, head.title, head.aliases) == ("PEP-0012", "A Title", ("PEP 12",))
    assert head.creators == ("A. Writer", "Barry Two") and head.created == "2021-01-11T00:00:00Z"
    assert (head.status_label, head.version_status) == ("Superseded", "SUPERSEDED")
    stated = [(r.type, r.target, r.line) for r in document.relations if not r.source]
    assert stated == [
        ("supersedes", "PEP 10", 7), ("supersedes", "PEP 11", 7), ("superseded_by", "PEP 13", 8), ("depends_on", "PEP 9", 9),
    ]  # fmt: skip


def test_citations_at_their_statements_never_from_code_nor_to_itself() -> None:
    document = read(PEP)
    content = {o.id: o.content for o in document.objects}
    cites = {r.target: content[r.source] for r in document.relations if r.type == "cites"}
    assert cites.keys() == {"PEP 13", "PEP 10", "PEP 20", "PEP 21", "PEP 22", "PEP 14"} or cites.keys() == {
        "PEP 13", "PEP 10", "PEP 20", "PEP 21", "PEP 14",
    }  # fmt: skip
    assert cites["PEP 10"] == "This supersedes :pep:`10`, unless the reader\nholds otherwise."
    assert cites["PEP 21"] == "Two reasons (see PEP 20):\nthe first, e.g. The one of :pep:`PEP 21 <21>`;"
    assert cites["PEP 14"] == "A note of PEP 14."


def test_sections_include_their_adornment_and_nest() -> None:
    document = read(PEP)
    sections = [o for o in document.objects if o.granularity == "SECTION"]
    assert [s.title for s in sections] == ["Abstract", "Motivation", "Sub"]
    spans = [PEP[s.spans[0].start : s.spans[0].end] for s in sections]
    assert spans[0].startswith("********\nAbstract") and spans[1].startswith("Motivation\n=====")
    assert sections[2].parent == sections[1].id and spans[1].endswith(spans[2])


def test_nothing_is_included_and_code_stays_whole() -> None:
    document = read(PEP)
    assert "root:" not in "".join(p.text for p in document.passages)
    assert any("code :pep:`99`\n    more" in p.text for p in document.passages)


def test_every_statement_can_be_minted() -> None:
    contents = [o.content for o in read(PEP, statements="all").objects if o.granularity == "STATEMENT"]
    assert "Two reasons (see PEP 20):\nthe second." in contents
    assert "A second paragraph." in contents and "It has two sentences." in contents
    assert "It stands indented,\n   on two lines." in contents


@pytest.mark.parametrize("breaks", ["\r\n", "\n"])
def test_line_ends_and_odd_separators_do_not_shift_lines(breaks: str) -> None:
    text = "\ufeffTitle: T\nStatus: Final\n\nOne\x0c\n===\n\nText with \u2028 inside, PEP 7.\n".replace("\n", breaks)
    document = read(text)
    (statement,) = [o for o in document.objects if o.granularity == "STATEMENT"]
    assert statement.content == "Text with \u2028 inside, PEP 7." and statement.line == 7
    assert document.document.title == "T"


def test_docinfo_fields_and_a_lone_title() -> None:
    document = read("Title\n=====\n\nText.\n", profile="default", path="a.rst")
    assert document.id == "Title" and [o.granularity for o in document.objects] == ["DOCUMENT"]
    head = read(":Author: A\n:Version: 2\n\nText.\n", profile="default", path="a.rst").document
    assert head.creators == ("A",) and head.version == "2" and head.title == "a"


def test_identical_paragraphs_keep_their_own_places() -> None:
    text = "Same text.\n\nOther.\n\nSame text.\n"
    assert [(b.start, b.end) for b in blocks(text)] == [(0, 10), (12, 18), (20, 30)]
    code = "::\n\n    x = 1\n\nText.\n\n::\n\n    x = 1\n"
    assert [b.start for b in blocks(code) if b.kind == "code"] == [8, 30]


def test_docutils_may_not_read_files() -> None:
    assert not _settings().file_insertion_enabled and not _settings().raw_enabled
