"""Markdown: header fields, links, labelled statements, sections, ids and exact spans."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.errors import ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.model import KnowledgeObject, ParsedDocument

DEFAULT = profiles.load("default")


def read(text: str, *, path: str = "notes/doc.md", profile: str = "default", statements: str = "said") -> ParsedDocument:
    return parse(text.encode(), path, profiles.load(profile), statements=statements)


def by_id(document: ParsedDocument) -> dict[str, KnowledgeObject]:
    return {item.id: item for item in document.objects}


def edges(document: ParsedDocument) -> list[tuple[str, str, str]]:
    return [(r.source, r.type, r.target) for r in document.relations]


# -- headers ---------------------------------------------------------------------------------------------------------


def test_front_matter_keeps_scalars_as_written() -> None:
    document = read(
        "---\nid: DOC-1\ntitle: 標題\nversion: 1.10\ncreated: 2026-07-31\ntags: [no, on, 1.10, 012, 12:30]\n"
        "odd: 0x1F\naliases: [甲, B]\nvalid_from: 2026-07-31T08:00:00+08:00\n---\n# 標題\n\n文。\n"
    )
    head = document.document
    assert (document.id, head.title, head.version) == ("DOC-1", "標題", "1.10")
    assert head.subjects == ("no", "on", "1.10", "012", "12:30")
    assert head.created == "2026-07-31T00:00:00Z" and head.valid_from == "2026-07-31T08:00:00+08:00"
    assert head.aliases == ("甲", "B") and head.extra["odd"] == "0x1F"
    assert [i.code for i in document.issues] == ["utc-assumed"]


@pytest.mark.parametrize(
    "line", ["**版本：** v0.1", "**版本**：v0.1", "**版本:** v0.1", "**版本**: v0.1", "**版本：v0.1**", "> **版本：** v0.1"]
)
def test_bold_header_lines_with_any_colon(line: str) -> None:
    assert read(f"# T\n\n{line}\n\n---\n\n文。\n").document.version == "v0.1"


def test_bold_header_relations_lists_and_free_text() -> None:
    document = read(
        "# 新論\n\n**文件編號：** X-01  \n**狀態：** 系統架構；尚未驗證  \n"
        "**取代關係：** 本文取代《舊論：第一版》作為目前基線  \n**日期：** 2026 年 5 月  \n**關鍵詞：** 甲、乙\n"
        "**前置文件：**\n1. 《前論一》\n2. 《前論二》\n\n---\n\n## 一\n\n**版本**：不是檔頭。\n"
    )
    head = document.document
    assert document.id == "X-01" and head.title == "新論"
    assert head.status_label == "系統架構；尚未驗證" and head.version_status == ""
    assert head.created == "2026-05-01T00:00:00Z" and head.subjects == ("甲", "乙") and head.version == ""
    assert edges(document) == [
        ("", "supersedes", "舊論：第一版"),
        ("", "depends_on", "前論一"),
        ("", "depends_on", "前論二"),
    ]


def test_a_passive_supersession_is_the_inverse() -> None:
    assert edges(read("# T\n\n**取代關係：** 本文已被《新論》取代\n\n文。\n")) == [("", "superseded_by", "新論")]
    assert edges(read("# T\n\n**取代關係：** 無\n\n文。\n")) == []


def test_an_id_a_title_and_a_version_in_one_string() -> None:
    document = read("# EML-XX-2026-00 算子論 v0.1\n\n文。\n")
    assert (document.id, document.document.title, document.document.version) == ("EML-XX-2026-00", "算子論", "v0.1")


def test_status_word_is_kept_and_mapped() -> None:
    head = read("---\nstatus: superseded\n---\n# T\n").document
    assert (head.status_label, head.version_status) == ("superseded", "SUPERSEDED")


def test_hazard_23_titles_in_any_script_give_distinct_ids() -> None:
    titles = ["資料庫", "圖神經網路", "🌟", "C++", "C#"]
    assert [read(f"# {t}\n\n文。\n").id for t in titles] == titles


@pytest.mark.parametrize(
    ("front", "wanted"),
    [
        ("up: [[S7 协议]]", [("", "part_of", "S7 协议")]),
        ('up: "[[S7 协议]]"', [("", "part_of", "S7 协议")]),
        ("up:: [[A]], [[B]]", [("", "part_of", "A"), ("", "part_of", "B")]),
        ("up:\n  - [[A]]\n  - '[[B|b]]'", [("", "part_of", "A"), ("", "part_of", "B")]),
        ("depends_on: [[[A]], [[B]]]", [("", "depends_on", "A"), ("", "depends_on", "B")]),
        ("depends_on: [X-1, X-2]", [("", "depends_on", "X-1"), ("", "depends_on", "X-2")]),
    ],
)
def test_hazard_32_links_in_yaml(front: str, wanted: list[tuple[str, str, str]]) -> None:
    assert edges(read(f"---\n{front}\n---\n# T\n")) == wanted


def test_hazard_39_front_matter_links_are_edges() -> None:
    document = read('---\nsources: ["[[原文]]"]\nodd: "see [[X]]"\n---\n# T\n')
    assert edges(document) == [("", "derived_from", "原文"), ("", "related_to", "X")]
    assert document.relations[1].source_label == "odd"


# -- links -----------------------------------------------------------------------------------------------------------


def test_hazard_36_wikilinks_in_tables_and_prose() -> None:
    document = read("# T\n\n| a | b |\n|---|---|\n| 甲 | [[S7 协议\\|S7]] |\n\n見 [[S7 协议|S7]]。\n")
    assert {target for _, _, target in edges(document)} == {"S7 协议"}
    assert "S7" in document.terms and "S7 协议" in document.terms


def test_hazard_37_no_edge_from_code() -> None:
    text = (
        "# T\n\n行內 `[[slug]]` 與 ``[[a]] `[[b]]` ``。\n\n```bash\nif [[ -f \"$x\" ]]; then echo [[y]]; fi\n```\n\n"
        "    [[indented]]\n\n$$\n[[m]]\n$$\n\n跳過 [[:space:]] 與 Option，見 [[真的]]。\n"
    )
    document = read(text)
    assert [target for _, _, target in edges(document)] == ["真的"]
    (statement,) = [o for o in document.objects if o.granularity == "STATEMENT"]
    assert text[statement.spans[0].start : statement.spans[0].end] == statement.content


def test_wikilink_forms() -> None:
    document = read("# 題\n\n甲 [[t#h]]。乙 ![[e]]。丙 [[t^b]]。丁 [[#自己]]。\n")
    assert [target for _, _, target in edges(document)] == ["t#h", "e", "t#^b"]


def test_markdown_links_to_documents_only() -> None:
    document = read(
        "# T\n\n[甲](./a-1.md)。[外](https://e.org/b.md)。[圖](x.png)。[授權](../LICENSE.md)。[乙][b]。\n\n[b]: ../sub/b.md\n",
        path="x/y/doc.md",
    )
    assert [(kind, target) for _, kind, target in edges(document)] == [("mentions", "./a-1.md"), ("mentions", "../sub/b.md")]


def test_hazard_81_a_link_out_of_the_folder_is_reported() -> None:
    document = read("---\nsources: [/etc/passwd]\n---\n# T\n\n[[../../etc/passwd]]\n\n[[../same root/note]]\n")
    assert [i.code for i in document.issues] == ["path-outside", "path-outside"]
    assert [target for _, _, target in edges(document)] == ["../same root/note"]


def test_citation_relation_stands_at_its_statement_and_never_at_itself() -> None:
    text = "---\neip: 7\ntitle: T\nrequires: 1, 20\n---\n\n## A\n\nNone. See [EIP-20](./eip-20.md) and EIP-7. EIP-20 again.\n"
    document = read(text, path="eip-7.md", profile="eips")
    assert document.id == "EIP-7" and document.document.aliases == ("EIP-7",)
    cited = [r for r in document.relations if r.type == "cites"]
    objects = by_id(document)
    assert [(objects[r.source].content, r.target) for r in cited] == [
        ("See [EIP-20](./eip-20.md) and EIP-7.", "./eip-20.md"),
        ("EIP-20 again.", "EIP-20"),
    ]
    assert edges(document)[:2] == [("", "depends_on", "EIP-1"), ("", "depends_on", "EIP-20")]


# -- statements ------------------------------------------------------------------------------------------------------

LABELLED = """# 論文

## 主要結果

**猜想 C1（狀態：已反駁）**：任何偶數皆好。

- kind:: CONJECTURE
- operator:: REP.FORMALIZE 0.9
- operator:: IOP:META:CRITIQUE, no.such
- depends_on [[DOC-7#H1]]
- counterexample_to [[DOC-8]] (0.5)
- evidence:: formal_proof | passed | doi:10.1000/x
- version:: v2
- valid_from:: 2026-01-01T00:00:00Z
- visibility:: internal

Theorem 3. Let x be given. Then y holds:

$$
y
$$

where y is small.

**KINV-00042**: 重放三次的結果相同。

KINV-00043 只是被提到。

- supports [[另一篇]]
- note:: 隨手記
- 一般項目
"""


def test_labelled_statements_and_what_describes_them() -> None:
    document = read(LABELLED)
    objects = by_id(document)
    c1 = objects["C1"]
    assert (c1.author_id, c1.kind, c1.state, c1.state_label) == ("C1", "CONJECTURE", "REFUTED", "已反駁")
    assert c1.content == "**猜想 C1（狀態：已反駁）**：任何偶數皆好。" and not c1.global_id
    assert [(o.notation, o.confidence, o.source_label) for o in c1.operators] == [
        ("REP.FORMALIZE", 0.9, ""),
        ("META.CRITIQUE", None, "IOP:META:CRITIQUE"),
        ("UNKNOWN_OPERATOR", None, "no.such"),
    ]
    assert (c1.version, c1.valid_from, c1.visibility) == ("v2", "2026-01-01T00:00:00Z", "INTERNAL")
    assert c1.evidence[0].kind == "formal_proof" and c1.evidence[0].outcome == "passed"
    assert ("C1", "depends_on", "DOC-7#H1") in edges(document)
    assert next(r.confidence for r in document.relations if r.type == "counterexample_to") == 0.5
    theorem = objects["Theorem 3"]
    assert theorem.kind == "THEOREM" and theorem.content.endswith("where y is small.") and "$$\ny\n$$" in theorem.content
    invariant = objects["KINV-00042"]
    assert invariant.global_id and invariant.parent == c1.parent and "KINV-00043" not in objects
    assert ("", "supports", "另一篇") in edges(document) and document.document.extra["note"] == "隨手記"
    assert [i.code for i in document.issues] == ["unknown-label"] and document.issues[0].line == 9


def test_a_heading_with_a_label_states_its_first_paragraph() -> None:
    document = read(
        "# T\n\n## 假說\n\n### H1：混合優於替代\n\n最佳表現來自互補。還有一句。\n\n另一段。\n\n"
        "## 路由\n\n### H2：不是假說\n\n文。\n"
    )
    objects = by_id(document)
    assert objects["H1"].kind == "HYPOTHESIS" and "H2" not in objects
    assert objects["H1"].content == "H1：混合優於替代\n\n最佳表現來自互補。還有一句。"
    assert objects[objects["H1"].parent].title == "H1：混合優於替代"


def test_a_label_used_twice_is_reported_with_both_ids() -> None:
    document = read("# T\n\n**定理 1。** 甲。\n\n**定理 1。** 乙。\n")
    assert {"定理 1", "定理 1-2"} <= by_id(document).keys() and document.issues[0].code == "duplicate-id"


def test_unknown_relation_word_becomes_related_to_and_prose_stays_prose() -> None:
    document = read("# T\n\n- builds_upon [[X]]\n- See [[Y]]\n")
    assert [(r.type, r.target, r.source_label) for r in document.relations] == [
        ("related_to", "X", "builds_upon"),
        ("mentions", "Y", ""),
    ]


def test_statement_ids_are_hashes_of_the_text_and_do_not_move() -> None:
    one = read("# T\n\n見 [[X]]。\n\n見 [[X]]。\n")
    ids = [o.id for o in one.objects if o.granularity == "STATEMENT"]
    assert ids[0].startswith("st-") and len(ids[0]) == 13 and ids[1] == ids[0] + "-2"
    other = read("# T\n\n前面多了一段。\n\n見  [[X]]。\n\n見 [[X]]。\n")
    assert [o.id for o in other.objects if o.granularity == "STATEMENT"] == ids


def test_statement_ids_do_not_depend_on_the_unicode_form() -> None:
    ids = [read(f"# T\n\nCaf{e} [[X]].\n").objects[1].id for e in ("\u00e9", "e\u0301")]
    assert ids[0] == ids[1]


def test_all_mints_every_statement_with_the_same_ids() -> None:
    said, everything = read(LABELLED), read(LABELLED, statements="all")
    assert by_id(said).keys() < by_id(everything).keys()
    contents = [o.content for o in everything.objects if o.granularity == "STATEMENT"]
    assert "KINV-00043 只是被提到。" in contents and "一般項目" in contents
    assert not any("note::" in c for c in contents)


def test_items_carry_their_lead_in_and_rows_their_header() -> None:
    document = read("# T\n\n條件如下：\n\n- 甲見 [[X]]\n- 乙\n\n| h | i |\n|---|---|\n| [[Y]] | 丙 |\n")
    contents = [o.content for o in document.objects if o.granularity == "STATEMENT"]
    assert contents == ["條件如下：\n甲見 [[X]]", "| h | i |\n| [[Y]] | 丙 |"]


def test_sections_nest_and_span_to_the_next_heading_of_their_level() -> None:
    text = "# T\n\n前言。\n\n## A\n\n甲。\n\n### A1\n\n乙。\n\n## A\n\n丙。\n"
    document = read(text)
    sections = [o for o in document.objects if o.granularity == "SECTION"]
    assert [(s.title, s.parent == sections[0].id) for s in sections] == [("A", False), ("A1", True), ("A", False)]
    assert sections[2].id == sections[0].id + "-2"
    spans = [text[s.spans[0].start : s.spans[0].end] for s in sections]
    assert spans == ["## A\n\n甲。\n\n### A1\n\n乙。", "### A1\n\n乙。", "## A\n\n丙。"]
    assert [s.line for s in sections] == [5, 9, 13]
    assert [p.heading for p in document.passages] == ["", "A", "A › A1", "A"]


def test_setext_headings_and_crlf() -> None:
    document = read("T\r\n=\r\n\r\nA\r\n---\r\n\r\n甲見 [[X]]。\r\n")
    assert document.document.title == "T" and [o.title for o in document.objects[1:2]] == ["A"]
    assert document.objects[2].content == "甲見 [[X]]。"


# -- a text without line breaks --------------------------------------------------------------------------------------

FLAT = (
    "# 論文題名 ## 摘要 本文提出一個模型。它有三部分： - 第一部分； - 第二部分。 ```text A B ``` 之後： $$ x = 1 $$ "
    "結束。 ## 1.1 方法 步驟如下： 1. 量測； 2. 記錄。 ### 表 | 甲 | 乙 | |---|---| | 丙 | 丁 | ## 結論 如上所述。 "
    + "補充說明很長。" * 220
)


def test_lost_line_breaks_come_back_without_moving_an_offset() -> None:
    document = read(FLAT, statements="all")
    assert document.document.title == "論文題名" and document.length == len(FLAT)
    assert [o.title for o in document.objects if o.granularity == "SECTION"] == ["摘要", "1.1 方法", "表", "結論"]
    contents = [o.content for o in document.objects if o.granularity == "STATEMENT"]
    assert "它有三部分：\n第一部分；" in contents and "步驟如下：\n量測；" in contents
    assert "| 甲 | 乙 |\n| 丙 | 丁 |" in contents
    for item in document.objects:
        if item.granularity == "STATEMENT":
            assert item.content == "\n".join(FLAT[s.start : s.end] for s in item.spans)


def test_both_papers_parse(shared: object) -> None:
    from pathlib import Path

    seeds = Path(str(shared)) / "spec" / "seeds"
    oam = parse((seeds / "operator-assisted-memory.txt").read_bytes(), "oam.txt", DEFAULT)
    assert oam.document.title == "Operator-Assisted Memory" and oam.document.version == "v0.1"
    assert oam.language == "zh-Hant" and oam.document.created == "2026-07-31T00:00:00Z"
    assert sum(r.type == "depends_on" for r in oam.relations) == 5
    assert {"H1", "H8"} <= by_id(oam).keys() and by_id(oam)["H1"].kind == "HYPOTHESIS"
    assert "7. 反過濾救援" in {o.title for o in oam.objects}
    wiki = parse((seeds / "llm-wiki-hybrid-retrieval.txt").read_bytes(), "wiki.txt", DEFAULT)
    assert wiki.language == "zh-Hans" and "RRF" in wiki.document.subjects
    assert len([o for o in wiki.objects if o.granularity == "SECTION"]) > 20


# -- always ----------------------------------------------------------------------------------------------------------

_MARKDOWN = st.lists(
    st.sampled_from(
        ["# 題\n", "## A\n", "\n", "\r\n", "- 項目 [[X]]。\n", "  - 內項\n", "1. one\n", "**定理 1。** 甲。", "句子。",
         "A sentence. ", "[[a|b]]", "`[[c]]`", "```\nx [[y]]\n```\n", "$$\nz\n$$\n", "> 引用。\n",
         "| a | b |\n|---|---|\n| [[c]] | d |\n",
         "- key:: value\n", "- supports [[T]]\n", "《書》", "😀", "\t", "    code\n", "<div>x</div>\n", "---\n", "**名：** 值\n",
         "如下：\n", "\ufeff", "\u2028", "[l](x.md)", "* * *\n", "[^1]: 注。\n"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(_MARKDOWN, st.sampled_from(["said", "all"]), st.sampled_from(["doc.md", "doc.rst", "doc.txt"]))
@settings(max_examples=300, deadline=None)
def test_content_is_what_the_spans_quote(text: str, statements: str, path: str) -> None:
    if not text.strip(" \t\r\n\x0b\x0c\ufeff\u2028"):
        return
    try:
        document = parse(text.encode(), path, DEFAULT, statements=statements)
    except ParseError as error:
        assert error.place.startswith(path)
        return
    ids = [item.id for item in document.objects]
    assert len(ids) == len(set(ids)) and ids[0] == "" and document.length == len(text)
    for item in document.objects:
        assert item.parent in ids
        assert all(0 <= span.start < span.end <= len(text) for span in item.spans)
        if item.granularity == "STATEMENT":
            assert item.content == "\n".join(text[span.start : span.end] for span in item.spans)
    last = 0
    for passage in document.passages:
        assert last <= passage.start < passage.end and passage.text == text[passage.start : passage.end]
        assert passage.section in ids and passage.object in ids
        last = passage.end
    assert all(r.source in ids and r.target for r in document.relations)
    assert pickle.loads(pickle.dumps(document)) == document
