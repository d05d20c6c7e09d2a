"""Plain text: headings, items, tables and fields told by their shape."""

from __future__ import annotations

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.plain import looks_like_markdown

TEXT = """知識層的建立

關鍵詞：檢索、圖譜
說明：這一行不是已知的欄位。

1. 摘要
2. 背景

1. 摘要

本文報告經驗。它不是評測。
下一行是另一段

2.1 場景

條件如下：
- 甲項
- 乙項

維度\t舊\t新
成本\t高\t低
"""


def test_shapes() -> None:
    document = parse(TEXT.encode(), "a.txt", profiles.load("default"), statements="all")
    assert document.document.title == "知識層的建立" and document.media_type == "text/plain"
    assert document.document.subjects == ("檢索", "圖譜")
    assert [o.title for o in document.objects if o.granularity == "SECTION"] == ["1. 摘要", "2.1 場景"]
    contents = [o.content for o in document.objects if o.granularity == "STATEMENT"]
    assert contents[-3:] == ["條件如下：\n甲項", "條件如下：\n乙項", "維度\t舊\t新\n成本\t高\t低"]
    assert "下一行是另一段" in contents and "它不是評測。" in contents


def test_hard_wrapped_english_paragraphs_are_joined() -> None:
    text = "A Title\n\nThis sentence goes\non here. And\nanother one.\n\n* an item that\n  goes on\n* second\n"
    document = parse(text.encode(), "a.txt", profiles.load("default"), statements="all")
    contents = [o.content for o in document.objects if o.granularity == "STATEMENT"]
    assert contents == ["This sentence goes\non here.", "And\nanother one.", "an item that\n  goes on", "second"]


def test_markdown_in_a_text_file_is_read_as_markdown() -> None:
    text = "# T\n\n## A\n\nx\n\n## B\n\ny\n"
    assert looks_like_markdown(text) and not looks_like_markdown(TEXT)
    assert parse(text.encode(), "a.txt", profiles.load("default")).media_type == "text/markdown"
