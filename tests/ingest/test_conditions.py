"""No condition and no exception is separated from its claim; one that is a sentence of its own is linked to it."""

from __future__ import annotations

import pytest

from oam_rdf.ingest import profiles
from oam_rdf.ingest.identity import rename
from oam_rdf.ingest.parse import parse
from oam_rdf.model import STATEMENT, KnowledgeObject, ParsedDocument
from oam_rdf.text.statements import sentences


def read(text: str) -> ParsedDocument:
    return parse(text.encode(), "doc.md", profiles.load("default"))


def linked(document: ParsedDocument, name: str) -> tuple[KnowledgeObject, list[str], list[str]]:
    by_id = {item.id: item for item in document.objects}
    claim = by_id[name]
    return claim, [by_id[c].content for c in claim.conditions], [by_id[e].content for e in claim.exceptions]


@pytest.mark.parametrize(
    "text",
    [
        "若 n 是偶數，則 n 可被 2 整除。", "如果下雨，比賽就取消。", "當 x 趨近於零時，f(x) 有界。",
        "除非另有說明，群都是有限的。",
        "假設 G 有限，則 G 有極大子群。", "所有質數都是奇數，但 2 除外。", "數列有界，然而不收斂。", "If n is even, n² is even.",
        "When x tends to zero, f is bounded.", "The game is played unless it rains.", "It holds, provided that n > 2.",
        "All primes are odd, except 2.", "The series is bounded, but it does not converge.",
        "所有質數都是奇數。但 2 除外。", "It holds. Unless it rains.", "All are odd; except 2.", "若 n 是偶數。則 n+1 是奇數。",
    ],
)  # fmt: skip
def test_a_clause_stays_with_its_main_clause(text: str) -> None:
    assert len(sentences(text)) == 1


def test_a_condition_and_an_exception_inside_a_labelled_block() -> None:
    text = "# T\n\n**Theorem 1.** Suppose that G is finite. Every element has finite order. However, this fails for Z.\n\nNext.\n"
    document = read(text)
    claim, conditions, exceptions = linked(document, "Theorem 1")
    assert conditions == ["Suppose that G is finite."]
    assert exceptions == ["However, this fails for Z."]
    assert claim.content == text[text.index("**Theorem") : text.index("\n\nNext")]  # keeps its whole text
    own = [item for item in document.objects if item.id in (*claim.conditions, *claim.exceptions)]
    assert all(item.granularity == STATEMENT and item.parent == claim.parent and item.line == 3 for item in own)
    assert all(item.content == text[item.spans[0].start : item.spans[0].end] for item in own)


def test_chinese_and_a_heading_as_label() -> None:
    document = read(
        "# 題\n\n## 定理 2\n\n設 G 為有限群。G 的每個元素都有有限階。\n\n然而無限群未必如此。\n\n另一段。\n"
    )
    _, conditions, exceptions = linked(document, "定理 2")
    assert conditions == ["設 G 為有限群。"] and exceptions == ["然而無限群未必如此。"]


def test_a_conditional_claim_is_a_claim_and_a_lead_in_is_no_condition() -> None:
    document = read(
        "# T\n\n**C1.** If n is even, then n² is even. This is easy.\n\n**C2.** 若：\n- 甲\n\n**C3.** Let G be a group.\n"
    )
    for name in ("C1", "C2", "C3"):
        assert linked(document, name)[1:] == ([], [])


def test_plain_text_makes_no_such_statement() -> None:
    assert not [o for o in read("# T\n\nSuppose G is finite. It has a centre. However, it may be trivial.\n").objects
                if o.granularity == STATEMENT]  # fmt: skip


def test_a_hidden_claim_hides_its_condition_and_renaming_keeps_the_link() -> None:
    document = read("# T\n\n**H1.** Suppose G is finite. It is odd.\n- visibility:: RESTRICTED\n")
    claim, _, _ = linked(document, "H1")
    (local,) = claim.conditions
    assert claim.visibility == "RESTRICTED"
    assert {o.visibility for o in document.objects if o.id == local} == {"RESTRICTED"}
    renamed = rename(document, {local: "st-old"})
    assert linked(renamed, "H1")[1] == ["Suppose G is finite."]
