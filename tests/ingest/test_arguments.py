"""Arguments: what joins statements, when one becomes an object, and that ids survive edits inside one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oam_rdf.ingest import profiles
from oam_rdf.ingest.arguments import concludes
from oam_rdf.ingest.identity import Known, keep_ids
from oam_rdf.ingest.parse import parse
from oam_rdf.model import ARGUMENT, SECTION, STATEMENT, KnowledgeObject, ParsedDocument


def read(text: str, *, path: str = "doc.md", statements: str = "said") -> ParsedDocument:
    return parse(text.encode(), path, profiles.load("default"), statements=statements)


def of(document: ParsedDocument, granularity: str) -> list[KnowledgeObject]:
    return [item for item in document.objects if item.granularity == granularity]


CHAIN = "# T\n\n## One\n\nWater expands on freezing. Therefore ice floats on [[Lake]]. It is cold.\n"


def test_a_connective_joins_two_statements_and_not_the_third() -> None:
    document = read(CHAIN, statements="all")
    (argument,) = of(document, ARGUMENT)
    assert argument.content == "Water expands on freezing. Therefore ice floats on [[Lake]]."
    assert argument.id.startswith("arg-") and argument.line == 5
    (section,) = of(document, SECTION)
    assert argument.parent == section.id
    assert [s.parent for s in of(document, STATEMENT)] == [argument.id, argument.id, section.id]


def test_an_argument_is_an_object_only_with_a_statement_that_is_one() -> None:
    document = read(CHAIN)
    (argument,), (statement,) = of(document, ARGUMENT), of(document, STATEMENT)
    assert statement.parent == argument.id and statement.content.startswith("Therefore")
    assert not of(read(CHAIN.replace("[[Lake]]", "a lake")), ARGUMENT)


def test_ids_are_the_same_in_both_modes_and_content_is_the_text_at_the_span() -> None:
    text = "# 題\n\n水結冰時膨脹。\n\n因此冰浮在 [[湖]] 上。\n\n理由有二：\n\n- 第一；\n- 第二，見 [[乙]]。\n\n其他。\n"
    said, everything = read(text), read(text, statements="all")
    assert {o.id for o in said.objects} <= {o.id for o in everything.objects}
    assert len(of(said, ARGUMENT)) == len(of(everything, ARGUMENT)) == 2
    for item in (*of(said, ARGUMENT), *of(everything, ARGUMENT)):
        (span,) = item.spans
        assert item.content == text[span.start : span.end]
    assert of(said, ARGUMENT)[1].content == "理由有二：\n\n- 第一；\n- 第二，見 [[乙]]。"
    assert of(said, ARGUMENT)[0].language == "zh-Hant"


def test_a_list_takes_its_lead_in_labelled_items_and_inner_lists() -> None:
    text = "# T\n\nTwo claims are made:\n\n- **H1.** One is odd.\n- The other is even\n  - two\n  - four, see [[X]].\n\nDone.\n"
    document = read(text)
    (argument,) = of(document, ARGUMENT)
    assert argument.content == text[text.index("Two") : text.index("\n\nDone")]
    assert {s.parent for s in of(document, STATEMENT)} == {argument.id}


def test_restructuredtext_lists_and_repeats() -> None:
    block = "Reasons:\n\n- first, see `x`;\n- second.\n\nBetween.\n\n"
    document = parse(("T\n=\n\n" + block + block).encode(), "a.rst", profiles.load("default"), statements="all")
    one, two = of(document, ARGUMENT)
    assert two.id == one.id + "-2" and one.content == two.content


def test_no_argument_across_sections_tables_or_code() -> None:
    text = (
        "# T\n\n## A\n\nFirst.\n\n## B\n\nHence [[x]].\n\n"
        "| a |\n|---|\n| b |\n\nHence [[y]].\n\nThird.\n\n```\nc\n```\n\nHence [[z]].\n"
    )
    assert not of(read(text, statements="all"), ARGUMENT)


def test_a_statement_of_narrower_visibility_is_in_no_argument() -> None:
    text = (
        "# T\n\n**H1.** Secret.\n- visibility:: RESTRICTED\n\nTherefore [[x]].\n\n"
        "Two:\n- **H2.** Quiet.\n  - visibility:: RESTRICTED\n- open [[y]].\n"
    )
    assert not of(read(text), ARGUMENT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("因此 x。", True), ("所以x。", True), ("由此可見，x。", True), ("故得證。", True), ("故事說完了。", False),
        ("故宮在北平。", False), ("It follows that x.", True), ("**Hence** x.", True), ("We therefore stop.", True),
        ("因為 x 是奇數。", True), ("因為 x，所以 y。", False), ("Because x is odd.", True),
        ("Because x is odd, y is even.", False), ("Because of x.", False), ("The result therefore holds.", False),
    ],
)  # fmt: skip
def test_connectives(text: str, expected: bool) -> None:
    assert concludes(text) is expected


def test_ids_survive_an_edit_inside_an_argument_and_joining_one() -> None:
    before = read(CHAIN, statements="all")
    known = [
        Known(o.id, of(before, SECTION)[0].id, o.content)
        for o in before.objects
        if o.granularity in (STATEMENT, ARGUMENT)
    ]
    edited = read(CHAIN.replace("floats on", "always floats on"), statements="all")
    assert {o.id for o in edited.objects} != {o.id for o in before.objects}
    kept = keep_ids(edited, known)
    assert [o.id for o in kept.objects] == [o.id for o in before.objects]
    assert [o.parent for o in kept.objects] == [o.parent for o in before.objects]
    # The connective goes: no argument any more, the statements stay what they were.
    apart = keep_ids(read(CHAIN.replace("Therefore ice", "The ice"), statements="all"), known)
    assert [s.id for s in of(apart, STATEMENT)] == [s.id for s in of(before, STATEMENT)]
    assert not of(apart, ARGUMENT)


def test_a_statement_of_another_section_gives_its_id_to_nobody() -> None:
    before = read(CHAIN, statements="all")
    known = [Known(o.id, "sec-other", o.content) for o in of(before, STATEMENT)]
    edited = read(CHAIN.replace("floats on", "always floats on"), statements="all")
    assert keep_ids(edited, known) == replace(edited)
