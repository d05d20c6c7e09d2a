"""Bad input (issue: "Bad input"; hazards 21, 27 to 29, 31, 35, 42): a clear line, and no more lost than must be."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.errors import OamError, ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import EXTENSIONS, parse
from oam_rdf.model import ParsedDocument

DEFAULT = profiles.load("default")


def read(data: bytes, path: str = "a/f.md") -> ParsedDocument:
    return parse(data, path, DEFAULT)


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"", "a/f.md", "empty"),
        (b" \n\t\r\n", "a/f.md", "empty"),
        (b"\xef\xbb\xbf \n", "a/f.md", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "a/f.md:3", "NUL"),
        (b"one\ntwo\0three\n" + b"x" * 90, "a/f.md:2", "is damaged"),
        (b"one\ntwo \xff three", "a/f.md:2:5", "0xff"),
        ("一\n二".encode("big5"), "a/f.md:1:1", "not UTF-8"),
        (b"\xff\xfeo\0n\0e\0", "a/f.md:1", "UTF-16"),
        (b"ok \xed\xa0\x80", "a/f.md:1:4", "not UTF-8"),
        (bytes(range(1, 32)) * 4, "a/f.md:1", "binary"),
        ("---\ntitle: OAM: 算子\n---\n".encode(), "a/f.md:2", "broken YAML"),
        (b"---\na:\n\tb: 1\n---\n", "a/f.md:3", "broken YAML"),
        (b"---\ntitle: 'Old Man's'\n---\n", "a/f.md:2", "broken YAML"),
        (b"---\ntitle: x\n\ntext without an end\n", "a/f.md:1", "never closed"),
        (b"---\na: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
            b"%c: &%c [%s]\n" % (k + 1, k + 1, b",".join([b"*%c" % k] * 9)) for k in range(97, 102)) + b"---\n",
         "a/f.md:2", "aliases are expanded"),
        (b"---\na: " + b"[" * 200 + b"]" * 200 + b"\n---\n", "a/f.md:2", "levels"),
        (b"---\na: '" + b"x" * 300_000 + b"'\n---\n", "a/f.md:1", "characters"),
        (b"---\nkey: !!python/object/apply:os.system [echo]\nbad: [\n---\n", "a/f.md:4", "broken YAML"),
    ],
)  # fmt: skip
def test_what_cannot_land_says_where_and_what_to_do(data: bytes, place: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(data)
    assert caught.value.place.startswith(place) and words in caught.value.message and caught.value.hint


def test_an_unknown_kind_of_file_is_refused() -> None:
    with pytest.raises(ParseError) as caught:
        read(b"x", "f.docx")
    assert ".docx" in caught.value.message and ".md" in caught.value.hint


def test_hazard_27_bom_before_front_matter() -> None:
    data = b"\xef\xbb\xbf---\nstatus: superseded\n---\n\n" + "見 [[X]]。".encode()
    document = read(data)
    assert document.document.version_status == "SUPERSEDED"
    text = data.decode()
    assert text[0] == "\ufeff" and document.length == len(text)
    item = document.objects[1]
    assert text[item.spans[0].start : item.spans[0].end] == item.content == "見 [[X]]。"


def test_a_bom_before_a_heading() -> None:
    assert read("\ufeff# 題\n\n文。\n".encode()).document.title == "題"


def test_hazard_28_crlf_and_a_closing_fence_at_the_end() -> None:
    head = read(b"---\r\ntags: [a, b]\r\nnote: c\r\n---").document
    assert head.subjects == ("a", "b") and head.extra == {"note": "c"}


def test_hazard_21_a_full_width_colon_is_read_and_reported() -> None:
    document = read("---\ntitle：題\nnote: 「甲：乙」\n---\n文。\n".encode())
    assert document.document.title == "題"
    assert [(i.code, i.line) for i in document.issues] == [("full-width-colon", 2)]


def test_duplicate_keys_are_reported_and_the_first_counts() -> None:
    document = read(b"---\ntitle: one\ntitle: two\n---\nx\n")
    assert document.document.title == "one"
    assert [(i.code, i.line) for i in document.issues] == [("duplicate-key", 3)]


def test_two_rules_are_no_front_matter() -> None:
    document = read("---\n\n只是一條線。見 [[X]]。\n\n---\n".encode())
    assert document.issues == () and [r.target for r in document.relations] == ["X"]
    assert document.passages[0].text.startswith("只是一條線。")


def test_tags_in_yaml_run_nothing() -> None:
    head = read(b"---\nkey: !!python/object/apply:os.system [echo]\ntitle: t\n---\nx\n").document
    assert head.extra["key"] == "echo" and head.title == "t"


def test_unknown_labels_land() -> None:
    text = "---\nstate: half-baked\nrole: wizard\nkind: saga\nlanguage: '!'\nvisibility: hush\ndate: soon\n---\n# T\n"
    document = read(text.encode())
    head = document.document
    assert head.state_label == "half-baked" and head.extra["role"] == "wizard" and head.visibility == "RESTRICTED"
    assert {i.code for i in document.issues} == {"unknown-label", "bad-date"} and all(i.line for i in document.issues)


@pytest.mark.parametrize("lines", [8_000, pytest.param(160_000, marks=pytest.mark.slow)])
def test_hazard_42_megabytes_under_one_heading(lines: int) -> None:
    line = "每一段都有一句話。And one English sentence with words in it.\n\n"
    data = ("# 大檔\n\n" + line * lines).encode()
    assert len(data) > 64 * lines  # ten megabytes in the slow case
    started = time.process_time()
    document = read(data)
    assert time.process_time() - started < 60
    assert len(document.passages) > lines // 16 and document.passages[-1].end > document.length - 10


def test_one_line_megabytes_and_base64_are_cut_and_counted() -> None:
    blob = "QUJD" * 100_000
    minified = '{"a":1,' * 200_000
    text = f"# T\n\n前文。\n\n![x](data:image/png;base64,{blob})\n\n中文。見 [[X]]。\n\n{minified}\n\n後文。\n"
    document = read(text.encode())
    assert [i.code for i in document.issues] == ["blob", "blob"] and {i.line for i in document.issues} == {5, 9}
    indexed = "".join(p.text for p in document.passages)
    assert "前文" in indexed and "後文" in indexed and "QUJDQUJDQUJD" not in indexed and len(indexed) < 200
    assert document.length == len(text)


@pytest.mark.parametrize("piece", [">", "- ", "[", "`", "*", "$$\n", "|", "<b", "[[", "(", "\\", "    ", "**a：**", "#"])
def test_no_input_takes_forever(piece: str) -> None:
    for path in ("f.md", "f.rst", "f.txt"):
        started = time.process_time()
        try:
            read((piece * 5_000).encode(), path)
        except ParseError as error:
            assert error.place.startswith(path)
        assert time.process_time() - started < 10


@given(st.binary(max_size=200), st.sampled_from(sorted(EXTENSIONS)))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_a_document_or_a_placed_error(data: bytes, extension: str) -> None:
    try:
        document = parse(data, f"f.{extension}", DEFAULT)
    except OamError as error:
        assert error.place.startswith(f"f.{extension}") and error.message
    else:
        assert document.objects[0].granularity == "DOCUMENT" and document.id


@pytest.mark.parametrize("opening", ["[", "![", "$", "`", "<a ", "[[", "\\(", "**["])
def test_a_mark_that_never_closes_costs_no_time(opening: str) -> None:
    """Each escape could be read in two ways, so that a bracket before sixty of them took for ever."""
    began = time.process_time()
    parsed = parse(f"# T\n\n{opening}{chr(92)}u0000{(chr(92) + 'u0000') * 80}\n".encode(), "t.md", profiles.load("default"))
    assert parsed.passages and time.process_time() - began < 5
