"""Statement boundaries: what is never cut, what always is, and what stays with its claim."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.text.statements import opaque, sentences, statements


def cut(text: str) -> list[str]:
    return [text[s.start : s.end] for s in statements(text)]


@pytest.mark.parametrize(
    "text",
    [
        "他說「我走了。你留下。」就離開了",
        "『一。二。』是引文的例子",
        "見《存在與時間。修訂版》第一章",
        "She called it “done. Or nearly. So” and left.",
        'The sign read "Stop. Go. Wait" in red.',
        "The rule (see Sec. 4. It is short) holds.",
        "It is written as [a. B, c. D] here.",
        "See e.g. Newton, i.e. The author.",
        "As Smith et al. Showed it holds.",
        "Compare Fig. 3 and Eq. 7 of Vol. 2 by Dr. Who.",
        "Use v2.1 of the TCF and 3.14 as pi.",
        "The id EML-IOT-2026-v4.0 is fixed.",
        "Run `make. Then stop` at once.",
        "Let $a. B$ be $$x. Y$$ as given.",
        r"Let \(a. B\) and \[c. D\] be given.",
        "Open https://example.org/a.B?c=d. html now.",
        "Follow [this. Link](https://e.org/x.Y) now.",
        "See [[Some note. Part two|label. Two]] here.",
        "J. R. R. Tolkien and A. Turing met.",
        "「為什麼？」這個問題沒有答案",
        "他問：「為什麼？」她不答",
        "版本 2.0.1 與 1.10 不同",
    ],
)
def test_never_a_boundary(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("第一句。第二句！第三句？第四句；第五句", ["第一句。", "第二句！", "第三句？", "第四句；", "第五句"]),
        ("One holds. Two fails! Three? Four.", ["One holds.", "Two fails!", "Three?", "Four."]),
        ("It works.[^1] It stops.[2] End.", ["It works.[^1]", "It stops.[2]", "End."]),
        ("It ends. 這是中文。", ["It ends.", "這是中文。"]),
        ("它是 TCF. 下一句", ["它是 TCF.", "下一句"]),
        ("**粗體的句子。**下一句。", ["**粗體的句子。**", "下一句。"]),
        ("真的？！是的。", ["真的？！", "是的。"]),
        ("他問：「為什麼？」 她不答。", ["他問：「為什麼？」", "她不答。"]),
        ("He said: “Go.” Then he left.", ["He said: “Go.”", "Then he left."]),
        ("We use pens, paper, etc. The rest is free.", ["We use pens, paper, etc.", "The rest is free."]),
        ("It is about PEP 649. It works.", ["It is about PEP 649.", "It works."]),
        ("(An aside. Two.) Next comes this.", ["(An aside. Two.)", "Next comes this."]),
        ("- 甲項\n- 乙項；丙\n- Third item", ["甲項", "乙項；", "丙", "Third item"]),
        ("1. One\n2. Two", ["One", "Two"]),
        ("# Title\nText one\ngoes on.\n\nNew para", ["Title", "Text one\ngoes on.", "New para"]),
        ("| a | b |\n|---|---|\n| 1. X | y |", ["| a | b |", "| 1. X | y |"]),
        ("Before:\n```\na. B\nc. D\n```\nAfter.", ["Before:", "```\na. B\nc. D\n```", "After."]),
        ("$$\na. B\n\nc\n$$\nText", ["$$\na. B\n\nc\n$$", "Text"]),
        ("和滿足下式：\n\n$$\na\n$$\n\n句。\n\n$$\nb\n$$", ["和滿足下式：\n\n$$\na\n$$", "句。", "$$\nb\n$$"]),
        ("> 引文一。引文二。", ["引文一。", "引文二。"]),
    ],
)
def test_boundaries(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "系統可以重試；除非資料庫已鎖定。",
        "本法適用於所有偶數。除非 n 為零。",
        "若 n 為偶數；則命題成立。",
        "規則適用於成人；但學生除外。",
        "所有會員都可投票。但停權者除外。",
        "甲不是猜想；而是定理。",
        "Retry is safe. Unless the table is locked.",
        "Every prime is odd. Except when it is two.",
        "Let n be even. Then its square is even.",
        "The cache may be read. But not while it is rebuilt.",
        "Access is granted. Only if the token is valid.",
        "The lock must be free. Otherwise the write fails.",
        "**定理 3。** 每個平面圖都可四色。",
        "Theorem 3. Every planar graph has a colouring in four colours.",
    ],
)
def test_a_condition_exception_or_label_stays_with_its_claim(text: str) -> None:
    assert cut(text) == [text]


def test_a_sentence_with_its_own_main_clause_stands_alone() -> None:
    assert cut("It rains. If it stops, we go.") == ["It rains.", "If it stops, we go."]
    assert cut("他走了。如果下雨，他就回來。") == ["他走了。", "如果下雨，他就回來。"]
    assert cut("It holds. However, few know it.") == ["It holds.", "However, few know it."]


def test_an_unmatched_bracket_protects_nothing() -> None:
    assert len(cut("a) 第一句。第二句。（沒有結束。第三句")) == 4


_pieces = st.lists(
    st.sampled_from(
        ["句子", "。", "；", "！", ". ", " The ", "e.g. ", "「", "」", "(", ")", '"', "`", "``", "$", "$$", "\n", "\n\n", "- ",
         "# ", "**", "_", "[[", "]]", "](", "http://a.b/c.D ", "3.14", "除非", "則", "Unless ", "| a |\n", "```\n", "\r\n",
         "😀", "\ufeff", "> ", "<b>", "\\", "[^1]", "et al. "]
    ),
    max_size=40,
)  # fmt: skip


@given(_pieces)
@settings(max_examples=300, deadline=None)
def test_spans_are_ordered_disjoint_trimmed_and_cover_every_letter(pieces: list[str]) -> None:
    text = "".join(pieces)
    for found in (statements(text), sentences(text)):
        last = 0
        for one in found:
            assert last <= one.start < one.end <= len(text)
            assert text[one.start : one.end] == text[one.start : one.end].strip()
            last = one.end
    covered = {i for s in sentences(text) for i in range(s.start, s.end)}
    assert all(i in covered for i, c in enumerate(text) if c.isalnum())


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_is_cut_without_error(text: str) -> None:
    for one in statements(text):
        assert 0 <= one.start < one.end <= len(text)


def test_a_long_unbalanced_text_takes_linear_time() -> None:
    for piece in ("(", "「", "`", "$", '"', "**", "[[", "a.", "<", "\\["):
        assert sentences(piece * 20_000) is not None


def test_opaque_ranges() -> None:
    text = "a `b.c` $d$ https://e.f/g [[h]] i"
    assert [text[a:b] for a, b in opaque(text, 0, len(text))] == ["`b.c`", "$d$", "https://e.f/g", "[[h]]"]
