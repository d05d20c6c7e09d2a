"""What a query finds: hazards 14, 15, 16, 19, 21, and what a caller may not see."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from index_corpus import Corpus, document, found

from oam_rdf.errors import UsageError
from oam_rdf.index.lexical import LexicalIndex


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path)


def test_a_chinese_sentence_is_searchable_inside(corpus: Corpus) -> None:
    """Hazard 14."""
    index = corpus.commit([document("d1", "設備清單包含備用電源"), document("d2", "完全無關的句子")])
    assert found(index, "備用電源") == ["d1"]


@pytest.mark.parametrize("query", ["itgc", "gen-itgc", "GEN-ITGC", "genitgc", "ｇｅｎ－ｉｔｇｃ", "重启gen-itgc"])
def test_an_identifier_glued_to_chinese_is_found(corpus: Corpus, query: str) -> None:
    """Hazard 15."""
    index = corpus.commit([document("d1", "重啟gen-itgc後恢復"), document("d2", "另一段文字 genie")])
    assert found(index, query) == ["d1"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("条目 KO-00042 已撤回", "ko00042"),
        ("条目 KO00042 已撤回", "KO-00042"),
        ("西门子S7协议", "S7"),
        ("见EML-IOT-2026-v4.0一节", "emliot2026v40"),
        ("见EML-IOT-2026-v4.0一节", "v4.0"),
        ("算子Δ_OT作用", "δ_ot"),
        ("see PEP 241 for this", "PEP-241"),
        ("see PEP-241 for this", "pep 241"),
        ("run it with --dry-run", "-dry"),
        ("a -code flag", "code"),
        ("Ｓ７協議（草案）", "S7協議"),
        ("營收增長", "营收增长"),
        ("营收增长", "營收增長"),
        ("看著他", "看着"),
        ("the theories of running", "theory"),
        ("one theory", "theories run"),
        ("look-ahead parsing", "looking"),
        ("ひらがなの文", "らが"),
        ("한국어 문장입니다", "문장"),
        ("Newton’s laws", "newton"),
        ("about C++ only", "c++"),
    ],
)
def test_spellings_meet(corpus: Corpus, text: str, query: str) -> None:
    index = corpus.commit([document("d1", text), document("d2", "別的 other words")])
    assert found(index, query) == ["d1"], index.search(query).terms


def test_languages_named_by_punctuation_stay_apart(corpus: Corpus) -> None:
    index = corpus.commit([document("x1", "C++ 程式"), document("x2", "C# 程式"), document("x3", "C 程式")])
    assert [found(index, q, fields=("body",)) for q in ("C++", "C#", "C")] == [["x1"], ["x2"], ["x3"]]


def test_a_mixed_term_stays_whole(corpus: Corpus) -> None:
    """Hazard 16."""
    index = corpus.commit([document("d1", "完成pre-A輪融資", terms=("pre-A輪", "融資")), document("d2", "輪胎 pre")])
    result = index.search("pre-A輪融資")
    assert [t.key for t in result.terms] == ["pre-a轮", "融资"]
    assert found(index, "pre-A輪融資") == ["d1"]
    assert found(index, "pre-a") == ["d1"]


def test_a_verbatim_occurrence_is_found_however_the_text_was_cut(corpus: Corpus) -> None:
    index = corpus.commit(
        [
            document("d1", "研究生命起源", terms=("研究生", "生命", "起源")),
            document("d2", "生命 是 另 一個 詞"),
        ]
    )
    assert index.segmenter.segment("研究生命起源")[0].key == "研究生"
    result = index.search("生命")
    assert set(found(index, "生命")) == {"d1", "d2"}
    how = {corpus.table.document_id(int(r)): index.matches([int(r)], result)[0][0].how for r in result.rows}
    assert how == {"d1": "bigram", "d2": "literal"}
    assert index.matched(1, result) == ("生命 (literal: body)",)


def test_a_lone_character_beside_a_word_is_found_across_the_seam(corpus: Corpus) -> None:
    index = corpus.commit([document("d1", "呼吸律動", terms=("律動",)), document("d2", "呼吸", terms=("呼吸",))])
    result = index.search("呼吸律")
    assert [t.key for t in result.terms] == ["呼吸", "律"] and result.terms[1].known
    assert found(index, "呼吸律")[0] == "d1"


def test_unknown_terms_are_dropped_and_a_query_of_them_is_empty(corpus: Corpus) -> None:
    """Hazard 78, decision D21."""
    index = corpus.commit([document(f"d{i}", "共同 文字") for i in range(3)])
    result = index.search("共同 zzz", scorer="idf_coverage")
    assert [t.known for t in result.terms] == [True, False]
    assert result.scores.tolist() == pytest.approx([0.85] * 3) and result.rows.tolist() == [0, 1, 2]
    for query in ("zzz 鑿", "", " 。，", "\0"):
        nothing = index.search(query)
        assert nothing.total == 0 and len(nothing.rows) == 0 and nothing.scorer


def test_fields_and_boosts(corpus: Corpus) -> None:
    index = corpus.commit(
        [
            document("d1", "others mention entropy here"),
            document("d2", "nothing of note here at all", title="Entropy"),
            document("entropy", "nothing of note here at all", title="T"),
        ]
    )
    assert found(index, "entropy", scorer="bm25") == ["entropy", "d2", "d1"]
    assert found(index, "entropy", fields=("body",)) == ["d1"]
    assert found(index, "entropy", fields=("title",)) == ["d2"]


def test_masks_come_before_ranking_and_hidden_rows_move_no_score(corpus: Corpus) -> None:
    """Decision D16: with the hidden documents invisible, every figure is as if they were not there."""
    seen = [document("a1", "熵 增 原理 alpha"), document("a2", "alpha beta 另一 句"), document("a3", "gamma 第三")]
    hidden = [document(f"h{i}", "alpha 秘密計畫 beta", terms=("秘密計畫", "另一句")) for i in range(4)]
    apart = Corpus(corpus.folder / "apart").commit(seen)
    index = corpus.commit([*seen, *hidden])
    visible = np.array([i.startswith("a") for i in map(corpus.table.document_id, range(len(corpus.table)))])
    for query in ("alpha", "beta 熵增", "秘密計畫", "另一句", "alpha gamma beta 原理"):
        for scorer in ("auto", "bm25", "idf_coverage"):
            a, b = apart.search(query, scorer=scorer), index.search(query, visible=visible, scorer=scorer)
            assert a.terms == b.terms and a.total == b.total
            assert a.rows.tolist() == b.rows.tolist() and a.scores.tolist() == b.scores.tolist()
    mask = np.zeros(len(corpus.table), bool)
    mask[1] = True
    assert index.search("alpha", mask=mask).rows.tolist() == [1]
    assert index.search("alpha", mask=mask).terms[0].df == 6


def test_bad_arguments_are_refused(corpus: Corpus) -> None:
    index = corpus.commit([document("d1", "x")])
    with pytest.raises(UsageError, match="scorer"):
        index.search("x", scorer="tfidf")
    with pytest.raises(UsageError, match="field"):
        index.search("x", fields=("person",))
    with pytest.raises(UsageError, match="mask"):
        index.search("x", mask=np.ones(7, bool))


def test_ties_go_by_row_and_k_cuts_after_ranking(corpus: Corpus) -> None:
    index = corpus.commit([document(f"d{i}", "same text") for i in (3, 1, 2)])
    assert found(index, "same") == ["d1", "d2", "d3"]
    cut = index.search("same", k=2)
    assert len(cut.rows) == 2 and cut.total == 3


def test_very_long_words_are_found_and_kept_apart(corpus: Corpus) -> None:
    word = "x" * 300
    index = corpus.commit([document("d1", word + "a"), document("d2", word + "b")])
    assert found(index, word + "a") == ["d1"]


def test_pins(corpus: Corpus) -> None:
    """Decision D22: all terms literally and one of them rare; a stop word pins nothing."""
    index = corpus.commit([document(f"d{i:02}", "common words" + (" rarity" if i == 7 else "")) for i in range(40)])
    assert index.search("common rarity").pins.tolist() == [7]
    assert index.search("common").pins.tolist() == []
    assert index.search("common rarity zzz").pins.tolist() == []
    assert index.search("common rarities").pins.tolist() == []
    few = Corpus(corpus.folder / "few").commit([document(f"d{i}", "common") for i in range(10)])
    assert few.search("common").total == 10 and few.search("common").pins.tolist() == []
    many = Corpus(corpus.folder / "many").commit(
        [document(f"d{i:03}", "scarce" if i < 21 else "other") for i in range(500)]
    )
    assert many.search("scarce").total == 21 and many.search("scarce").pins.tolist() == []


SCRIPT = """
import sys
from pathlib import Path
from index_corpus import Corpus, document
corpus = Corpus(Path(sys.argv[1]))
corpus.commit([document(f"d{i}", text, terms=("四色定理", "歐拉公式")) for i, text in enumerate(
    ["四色定理 alpha beta", "歐拉公式與四色定理", "alpha gamma 公式", "gen-itgc alpha"])])
index = corpus.commit([document("d9", "beta 定理 alpha")], ["d2"])
for query in ("四色定理 alpha", "公式 beta gen", "alpha"):
    for scorer in ("bm25", "idf_coverage"):
        r = index.search(query, scorer=scorer)
        print(query, r.rows.tolist(), r.scores.tolist(), r.terms, [index.matched(int(x), r) for x in r.rows])
"""


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1", "2", "3"):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / seed)],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONIOENCODING": "utf-8",
                "PYTHONPATH": os.pathsep.join(map(str, (Path(__file__).parent, Path(__file__).parents[2]))),
            },
            capture_output=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1 and next(iter(outputs)).strip()


def test_matches_name_term_way_and_fields(corpus: Corpus) -> None:
    index = corpus.commit([document("d1", "running gen-itgc", title="Runs", heading="四色", terms=("四色",))])
    result = index.search("run itgc 四色 zzz")
    assert [str(m) for m in index.matches([0], result)[0]] == [
        "run (stem: title, body)",
        "itgc (part: body)",
        "四色 (literal: heading)",
    ]
    assert isinstance(index, LexicalIndex)


def test_an_unbroken_run_counts_as_a_whole(corpus: Corpus) -> None:
    scattered = "保留 選擇，代理，不可；理選 擇保 可代 率"
    index = corpus.commit(
        [
            document("d1", scattered * 3, heading=scattered),
            document("d2", "定義不可代理選擇保留率如下，以及其他許多的文字在此"),
        ]
    )
    result = index.search("不可代理選擇保留率", scorer="bm25")
    assert index.matched(int(result.rows[0]), result)[-1] == "不可代理选择保留率 (bigram: body)"
    assert all(t.kind == "bigram" for t in result.terms)
    assert found(index, "不可代理選擇保留率", scorer="bm25")[0] == "d2"
    assert index.search("不可代理選擇保留率", scorer="idf_coverage").scores.max() <= 0.85


def test_threads_share_an_index(corpus: Corpus) -> None:
    corpus.commit([document(f"d{i:03}", f"共同 文字 word{i} 四色定理", terms=("四色定理",)) for i in range(200)])
    corpus.commit([document("more", "word3 另一句")])
    queries = [f"word{i} 定理" for i in range(60)]
    calm = LexicalIndex.open(corpus.path(), corpus.table)
    expected = [calm.search(q).rows.tolist() for q in queries]
    shared_index = LexicalIndex.open(corpus.path(), corpus.table)
    wrong: list[str] = []

    def work(offset: int) -> None:
        for i in range(len(queries)):
            n = (i + offset) % len(queries)
            if shared_index.search(queries[n]).rows.tolist() != expected[n]:
                wrong.append(queries[n])

    threads = [threading.Thread(target=work, args=(7 * n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
