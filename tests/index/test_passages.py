"""The passage table: sorted, reproducible, spliced as if made at once."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_corpus import document

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.passages import IndexedDocument, PassageTable, embedding_digest, embedding_text
from oam_rdf.model import Passage

A = document("資料庫", "甲", "乙", title="資料庫", heading="一 › 二")
B = document("C++", "x", language="en")
C = document("C#", "y", "z", language="en")


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def test_rows_are_sorted_and_lead_back(tmp_path: Path) -> None:
    table = PassageTable.empty().splice((), [A, B, C])
    table.save(tmp_path)
    for t in (table, PassageTable.open(tmp_path)):
        assert t.documents == ["C#", "C++", "資料庫"]
        assert len(t) == 5 and t.document.tolist() == [0, 0, 1, 2, 2]
        assert t.ordinal.tolist() == [0, 1, 0, 0, 1]
        assert t.rows_of("資料庫") == range(3, 5) and t.rows_of("無") == range(0)
        assert t.title(3) == "資料庫" and t.heading(4) == "一 › 二" and t.section(0) == "s1" and t.object(0) == ""
        assert [t.languages[i] for i in t.language] == ["en"] * 3 + ["zh-Hant"] * 2
        assert t.lead.tolist() == [True, False, True, True, False]
        assert bytes(t.digest[3]) == embedding_digest(embedding_text("資料庫", "一 › 二", "甲"))
        assert t.inline_text(0) == ""


def test_equal_sets_give_equal_bytes(tmp_path: Path) -> None:
    seen = []
    for n, order in enumerate(permutations([A, B, C])):
        table = PassageTable.empty()
        for d in order:
            table = table.splice((), [document(d.id, "old"), document("gone", "x", heading="unused")][n % 2 :])
            table = table.splice(["gone"], [d])
        table.save(tmp_path / str(n))
        seen.append(contents(tmp_path / str(n)))
    assert all(s == seen[0] for s in seen)


def test_inline_text_is_kept_only_without_a_span() -> None:
    d = IndexedDocument(
        "J", "J", "en", (Passage("", -1, -1, "", "inline 🌟", "en"), Passage("", 0, 4, "", "span", "en"))
    )
    table = PassageTable.empty().splice((), [d])
    assert [table.inline_text(i) for i in range(2)] == ["inline 🌟", ""]


def test_a_document_without_passages_is_known() -> None:
    table = PassageTable.empty().splice((), [document("empty"), A])
    assert table.documents == ["empty", "資料庫"] and table.rows_of("empty") == range(0)
    assert table.rows_of("資料庫") == range(0, 2) and table.title(0) == "資料庫"


def test_two_documents_of_one_id_are_refused() -> None:
    with pytest.raises(UsageError, match="C#"):
        PassageTable.empty().splice((), [C, C])


def test_many_languages_do_not_overflow() -> None:
    many = [document(f"d{i:03}", "x", language=f"x-{i}") for i in range(300)]
    table = PassageTable.empty().splice((), [*many, A])
    assert len(table.languages) <= 256
    assert table.languages[int(table.language[table.rows_of("資料庫")[0]])] == "zh-Hant"


def test_damage_is_named(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="cannot be read"):
        PassageTable.open(tmp_path)
    PassageTable.empty().splice((), [A]).save(tmp_path)
    np.save(tmp_path / "ordinal.npy", np.zeros(1, "i4"))
    with pytest.raises(Damaged, match="differ in length"):
        PassageTable.open(tmp_path)
    (tmp_path / "end.npy").write_bytes(b"broken")
    with pytest.raises(Damaged, match="cannot be read"):
        PassageTable.open(tmp_path)


IDS = st.sampled_from(["a", "b", "c", "甲", "乙"])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sets(IDS, max_size=2), st.dictionaries(IDS, st.integers(0, 3), max_size=3)), max_size=5))
def test_splicing_equals_building_at_once(steps: list[tuple[set[str], dict[str, int]]]) -> None:
    table, now = PassageTable.empty(), {}
    for removed, added in steps:
        documents = [document(i, *(f"{i}{n}" for n in range(count)), heading=f"h{count}") for i, count in added.items()]
        table = table.splice(removed, documents)
        now = {k: v for k, v in now.items() if k not in removed} | {d.id: d for d in documents}
    whole = PassageTable.empty().splice((), now.values())
    assert table.documents == whole.documents == sorted(now)
    assert table.digest.tolist() == whole.digest.tolist()
    assert [table.heading(i) for i in range(len(table))] == [whole.heading(i) for i in range(len(whole))]
    assert table.document.tolist() == whole.document.tolist() and table.end.tolist() == whole.end.tolist()


def test_a_title_of_marks_alone_is_not_embedded() -> None:
    assert embedding_text("—", "***", "甲") == "甲"
    assert embedding_text("資料庫", "— ", "甲") == "資料庫\n甲"
    assert embedding_text("Δ", "§ 2", "甲") == "Δ › § 2\n甲"
