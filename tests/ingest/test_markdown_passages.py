"""Passages: whole statements of one section, sized in tokens, exact characters."""

from __future__ import annotations

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.passages_cut import CAP, TARGET, tokens
from oam_rdf.model import ParsedDocument


def read(text: str) -> ParsedDocument:
    return parse(text.encode(), "f.md", profiles.load("default"))


def test_token_estimate() -> None:
    assert tokens("知識") == 2 and tokens("two words") == 3 and tokens("") == 0 and tokens("x" * 400) >= 100


def test_whole_statements_up_to_the_target() -> None:
    text = "# T\n\n" + "\n\n".join(f"第{i}句話一共有十幾個字而已。" for i in range(60))
    passages = read(text).passages
    assert len(passages) > 3 and all(tokens(p.text) <= TARGET for p in passages)
    assert all(p.text.startswith("第") and p.text.endswith("。") for p in passages)
    assert [p.lead for p in passages] == [True] + [False] * (len(passages) - 1)


def test_never_across_sections() -> None:
    passages = read("# T\n\n前。\n\n## A\n\n甲。\n\n## B\n\n乙。\n").passages
    assert [(p.heading, p.text) for p in passages] == [("", "前。"), ("A", "甲。"), ("B", "乙。")]


def test_code_and_tables_stay_whole_unless_over_the_cap() -> None:
    code = "```py\n" + "\n".join(f"value_{i} = compute(argument)" for i in range(40)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| 第{i}列 | 值 |" for i in range(50))
    passages = read(f"# T\n\n文。\n\n{code}\n\n{table}\n").passages
    assert code in [p.text for p in passages] and table in [p.text for p in passages]
    huge = "```\n" + "\n".join(f"value_{i} = compute(argument)" for i in range(900)) + "\n```"
    passages = read(f"# T\n\n{huge}\n").passages
    assert len(passages) > 5 and all(tokens(p.text) <= CAP for p in passages)
    assert "".join("".join(p.text.split()) for p in passages) == "".join(huge.split())


def test_a_sentence_without_a_break_is_cut_at_the_cap() -> None:
    passages = read("# T\n\n" + "字" * 3000 + "\n").passages
    assert all(tokens(p.text) <= CAP for p in passages) and sum(len(p.text) for p in passages) == 3000


def test_a_passage_that_is_one_object_names_it() -> None:
    document = read("# T\n\n## A\n\n**定理 1。** 甲為真。\n\n## B\n\n乙。丙。\n")
    assert [p.object for p in document.passages] == ["定理 1", ""]


def test_a_document_of_nothing_but_a_header_can_be_found() -> None:
    (passage,) = read("---\ntitle: 只有題名\nid: X\n---\n").passages
    assert "只有題名" in passage.text and passage.lead


def test_a_summary_in_the_front_matter_is_indexed() -> None:
    passages = read("---\ntitle: T\ndescription: 一句摘要。\nodd: [1, 2]\n---\n\n文。\n").passages
    assert passages[0].text.startswith("一句摘要。")


def test_languages_are_told_per_passage() -> None:
    text = "# 題\n\n## 摘要\n\n這是中文的段落，說明內容。\n\n## Abstract\n\nThis is the English abstract of the paper.\n"
    document = read(text)
    assert document.language == "zh-Hant" and [p.language for p in document.passages] == ["zh-Hant", "en"]


def test_terms_for_the_dictionary() -> None:
    terms = read("---\ntags: [標籤詞]\n---\n# 題名\n\n## 1.2 章節名\n\n**粗體詞**：見 [[連結詞|別稱]] 與 `[[碼]]`。\n").terms
    assert {"題名", "章節名", "粗體詞", "連結詞", "別稱", "標籤詞"} <= set(terms) and "碼" not in terms
