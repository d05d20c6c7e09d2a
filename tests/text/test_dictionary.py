"""Which mined terms become dictionary words, and that only the set of documents decides."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from oam_rdf.errors import Damaged
from oam_rdf.text.dictionary import Dictionary, accept


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("反過濾救援", ("反过滤救援",)),
        ("反過濾救援：證書與拒答", ("反过滤救援", "证书与拒答")),
        ("pre-A輪", ("pre-a轮",)),
        ("卡拉OK", ("卡拉ok",)),
        ("S7 協議", ("协议",)),
        ("KO-00042", ()),
        ("SK-II", ()),
        ("12平均律", ("平均律",)),
        ("第三章 緒論", ("绪论",)),
        ("十二", ()),
        ("律", ()),
        ("一二三四五六七八九十甲乙丙", ()),  # 13 characters
        ("發展中的經濟", ()),
        ("目的論", ("目的论",)),
        ("x 與 y 的關係", ("关系",)),
        ("三者不是可以互換", ()),
        ("", ()),
    ],
)
def test_accept(term: str, words: tuple[str, ...]) -> None:
    assert accept([term]) == words


def test_both_scripts_are_one_word() -> None:
    assert accept(["營收增長", "营收增长"]) == ("营收增长",)


def test_a_word_stays_while_one_document_gives_it() -> None:
    one, entered = Dictionary().change([], [("甲乙", "丙丁"), ("甲乙",)])
    assert entered == {"甲乙", "丙丁"}
    two, changed = one.change([("甲乙", "丙丁")], [])
    assert two.words == {"甲乙"} and changed == {"丙丁"}
    three, changed = two.change([("甲乙",)], [("甲乙",)])
    assert three.words == {"甲乙"} and not changed


def test_order_never_matters(tmp_path: Path) -> None:
    documents = [("甲乙",), ("甲乙", "丙丁"), ("戊己",)]
    saved = set()
    for order in permutations(documents):
        dictionary = Dictionary()
        for words in order:
            dictionary, _ = dictionary.change([], [words])
        dictionary.save(tmp_path / "d.tsv")
        saved.add((tmp_path / "d.tsv").read_bytes())
    assert len(saved) == 1
    assert Dictionary.load(tmp_path / "d.tsv").words == {"甲乙", "丙丁", "戊己"}


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("甲乙\tmany\n", "utf-8")
    with pytest.raises(Damaged) as caught:
        Dictionary.load(tmp_path / "d.tsv")
    assert "d.tsv" in str(caught.value) and "oam reindex" in str(caught.value)
    with pytest.raises(Damaged):
        Dictionary.load(tmp_path / "absent.tsv")
