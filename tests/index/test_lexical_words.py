"""Word lists, synonyms and translations in the lexical channel (decisions D21 and D24)."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from index_corpus import document

from oam_rdf.errors import Damaged
from oam_rdf.index.lexical import LexicalIndex, publish
from oam_rdf.index.lexical_expand import occurrence, translatable
from oam_rdf.index.lexical_writer import check_head
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.index.scorers import idf
from oam_rdf.text.lexicon import PLAIN, Lexicon, load_lexicon
from oam_rdf.text.synonyms import Synonyms
from oam_rdf.text.wordlist import WordList, words_in_force

PLC = Lexicon(
    Synonyms(
        [
            ("plc", "programmable logic controller", "可程式邏輯控制器"),
            ("hmi", "human machine interface", "operator panel"),
            ("s7", "S7 協議", "siemens s7"),
        ]
    )
)
LIST = WordList(frozenset(("发展中国家", "生命", "起源")), {"test": "3 words"})


def made(
    folder: Path, documents: list[IndexedDocument], lexicon: Lexicon = PLC, words: WordList = LIST
) -> LexicalIndex:
    publish(None, folder, (), documents, lambda i: next(d for d in documents if d.id == i), words)
    return LexicalIndex.open(folder, PassageTable.empty().splice((), documents), lexicon)


def texts(*several: str) -> list[IndexedDocument]:
    return [document(f"d{i}", text, title="T") for i, text in enumerate(several)]


def test_worked_example_with_synonyms(tmp_path: Path) -> None:
    """Decision D21 by hand: N = 4, plc in 1 passage and by a synonym in another, modbus in 2.

    idf: plc ln(1 + 4/1) = 1.609438, modbus ln(1 + 4/2) = 1.098612, together 2.708050.
    """
    index = made(tmp_path / "i", texts("plc alpha", "programmable logic controller modbus", "modbus beta", "gamma"))
    result = index.search("plc modbus", scorer="idf_coverage")
    assert [(t.key, t.df, round(t.idf, 6)) for t in result.terms] == [("plc", 1, 1.609438), ("modbus", 2, 1.098612)]
    expected = {
        1: 0.6 * (0.5 * 1.609438 + 1.098612) / 2.708050 + 0.25 * 2 / 2,  # the synonym hit counts as covered
        0: 0.6 * 1.609438 / 2.708050 + 0.25 * 1 / 2,
        2: 0.6 * 1.098612 / 2.708050 + 0.25 * 1 / 2,
    }
    assert result.rows.tolist() == list(expected)
    assert result.scores.tolist() == pytest.approx(list(expected.values()), abs=1e-6)
    assert result.scores.tolist() == pytest.approx([0.671705, 0.481591, 0.368409], abs=1e-5)
    assert index.matched(1, result) == (
        "plc (synonym programmable logic controller: body)",
        "modbus (literal: body)",
    )
    assert idf(4, 4, "classic") == 0.0 and idf(4, 1, "classic") == pytest.approx(math.log(4))


def test_a_term_that_occurs_through_synonyms_only(tmp_path: Path) -> None:
    """Its idf is that of its group: the union of 2 passages of 4, ln 3. A whole query so scores 0.6/2 + 0.25."""
    index = made(tmp_path / "i", texts("human machine interface", "operator panels", "human panel", "machine"))
    result = index.search("HMI", scorer="idf_coverage")
    assert [(t.df, t.known, t.idf) for t in result.terms] == [(2, True, pytest.approx(math.log(3)))]
    assert result.rows.tolist() == [0, 1] and result.scores.tolist() == pytest.approx([0.55, 0.55])
    assert not len(result.pins)
    assert set(index.search("HMI", scorer="bm25").rows.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("以可程式邏輯控制器控制", "PLC"),
        ("以可程式逻辑控制器控制", "programmable logic controllers"),
        ("採用西門子S7協議", "siemens s7"),
        ("the Siemens S7 driver", "S7協定與S7協議"),
        ("many PLCs", "可程式邏輯控制器"),
    ],
)
def test_synonyms_across_languages(tmp_path: Path, text: str, query: str) -> None:
    index = made(tmp_path / "i", texts(text, "別的 other words"))
    result = index.search(query)
    assert result.rows[:1].tolist() == [0] and any("synonym" in m for m in index.matched(0, result)), result.terms


def test_a_literal_hit_beats_a_synonym_and_is_what_is_shown(tmp_path: Path) -> None:
    index = made(tmp_path / "i", texts("programmable logic controller", "plc", "plc and programmable logic controller"))
    for scorer in ("bm25", "idf_coverage"):
        result = index.search("plc", scorer=scorer)
        assert set(result.rows[:2].tolist()) == {1, 2} and result.rows[2] == 0
        assert index.matched(2, result) == ("plc (literal: body)",)


def test_without_groups_nothing_changes(tmp_path: Path) -> None:
    documents = texts("plc alpha", "programmable logic controller", "四色定理 beta")
    one, two = made(tmp_path / "1", documents, PLAIN), made(tmp_path / "2", documents, PLC)
    for query in ("alpha", "四色定理", "beta alpha", "logic"):
        a, b = one.search(query), two.search(query)
        assert (a.rows.tolist(), a.scores.tolist(), a.terms) == (b.rows.tolist(), b.scores.tolist(), b.terms)


def test_hidden_rows_move_no_score_with_synonyms_and_translations(tmp_path: Path) -> None:
    """Decision D16."""
    seen = [document("a1", "plc alpha war"), document("a2", "human machine interface"), document("a3", "戰爭 與 gamma")]
    hidden = [document(f"h{i}", "programmable logic controller, operator panel, hmi, 戰爭 war") for i in range(4)]
    lexicon = Lexicon(PLC.synonyms, load_lexicon().cedict)
    apart = made(tmp_path / "apart", seen, lexicon)
    index = made(tmp_path / "all", [*seen, *hidden], lexicon)
    table = index.passages
    visible = np.array([table.document_id(row).startswith("a") for row in range(len(table))])
    for query in ("plc", "hmi", "operator panel", "戰爭", "war plc", "conflict"):
        for translate in (False, True):
            for scorer in ("bm25", "idf_coverage"):
                a = apart.search(query, scorer=scorer, translate=translate)
                b = index.search(query, visible=visible, scorer=scorer, translate=translate)
                assert a.terms == b.terms and a.rows.tolist() == b.rows.tolist()
                assert a.scores.tolist() == b.scores.tolist()


def test_words_in_force_cut_texts_and_queries(tmp_path: Path) -> None:
    index = made(tmp_path / "i", texts("發展中國家的生命起源", "發展 中 國 家"))
    result = index.search("發展中國家與生命")
    assert [t.key for t in result.terms] == ["发展中国家", "与", "生命"]
    assert index.matched(0, result)[0] == "发展中国家 (literal: body)"
    head = check_head(tmp_path / "i")
    assert head["words"] == LIST.fingerprint and head["sources"] == {"test": "3 words"}
    bare = made(tmp_path / "bare", texts("發展中國家的生命起源"), words=WordList())
    assert [t.kind for t in bare.search("生命").terms] == ["bigram"]


def test_another_word_list_is_another_index(tmp_path: Path) -> None:
    documents = texts("發展中國家", "生命起源")
    made(tmp_path / "1", documents)
    more = WordList(LIST.words | {"国家"})
    with pytest.raises(Damaged, match="another word list") as caught:
        publish(tmp_path / "1", tmp_path / "2", (), documents[:1], lambda _: documents[0], more)
    assert "oam reindex" in str(caught.value)
    publish(tmp_path / "1", tmp_path / "3", (), documents[:1], lambda _: documents[0], LIST)
    assert (tmp_path / "1" / "words.txt").stat().st_ino == (tmp_path / "3" / "words.txt").stat().st_ino
    (tmp_path / "1" / "words.txt").write_text("别的\n", "utf-8")
    with pytest.raises(Damaged, match="word list"):
        LexicalIndex.open(tmp_path / "1", PassageTable.empty().splice((), documents))


def test_a_mined_word_that_is_known_anyway_cuts_nothing_anew(tmp_path: Path) -> None:
    documents = [document("d1", "生命起源"), document("d2", "四色定理")]
    publish(None, tmp_path / "1", (), documents, lambda _: documents[0], LIST)
    again: list[str] = []

    def reread(identifier: str) -> IndexedDocument:
        again.append(identifier)
        return next(d for d in documents if d.id == identifier)

    new = [document("d3", "x", terms=("生命", "起源"))]
    publish(tmp_path / "1", tmp_path / "2", (), new, reread, LIST)
    assert again == []
    publish(tmp_path / "2", tmp_path / "3", (), [document("d4", "x", terms=("四色",))], reread, LIST)
    assert again == ["d2"]


def test_order_of_ingestion_never_matters(tmp_path: Path) -> None:
    documents = [
        document("d1", "發展中國家的研究", "研究生命起源", terms=("發展中國家",)),
        document("d2", "發展中的國家與生命 plc", title="生命起源", terms=("生命起源",)),
        document("d3", "programmable logic controller 研究生", terms=("研究生",)),
    ]
    words = words_in_force()
    pictures = set()
    for number, order in enumerate(permutations(documents)):
        previous, table = None, PassageTable.empty()
        for step, one in enumerate(order):
            target = tmp_path / f"{number}-{step}"
            publish(previous, target, (), [one], lambda i: next(d for d in documents if d.id == i), words)
            previous, table = target, table.splice((), [one])
        index = LexicalIndex.open(target, table, load_lexicon())
        picture = []
        for query in ("發展中國家", "生命起源", "研究生", "plc", "life origin research"):
            for translate in (False, True):
                r = index.search(query, translate=translate)
                shown = [index.matched(int(row), r) for row in r.rows]
                picture.append((r.rows.tolist(), r.scores.tolist(), r.terms, shown))
        pictures.add(repr(picture))
    assert len(pictures) == 1


def test_translations(tmp_path: Path) -> None:
    documents = [
        document("en1", "The war ended with a treaty signed in Warsaw.", language="en"),
        document("en2", "Cats sleep most of the day.", language="en"),
        document("zh1", "這場戰爭以華沙條約告終。"),
        document("zh2", "貓整天睡覺。"),
    ]
    index = made(tmp_path / "i", documents, load_lexicon(), words_in_force())

    def first(query: str, language: str) -> str:
        mask = np.array([index.passages.document_id(r).startswith(language) for r in range(len(index.passages))])
        rows = index.search(query, mask=mask, translate=True).rows
        return index.passages.document_id(int(rows[0])) if len(rows) else ""

    assert first("華沙條約與戰爭", "en") == "en1" and first("wars and treaties of Warsaw", "zh") == "zh1"
    assert first("睡覺", "en") == "en2" and first("sleeping", "zh") == "zh2"
    result = index.search("華沙", translate=True)
    row = int(result.rows[0])
    assert index.passages.document_id(row) == "en1" and index.matched(row, result) == (
        "华沙 (translation warsaw: body)",
    )
    assert first("鑿", "en") == "" and first("of the and", "zh") == ""
    assert index.search("戰爭").rows.tolist() == [2]  # a plain search stays in its language


def test_many_translations_of_a_term_count_once(tmp_path: Path) -> None:
    index = made(tmp_path / "i", texts("railroad railway", "railway", "other"), load_lexicon(), words_in_force())
    result = index.search("鐵路", translate=True, scorer="idf_coverage")
    assert result.scores.tolist() == pytest.approx([0.55, 0.55])


def test_how_a_query_is_translated() -> None:
    lexicon, segmenter = load_lexicon(), words_in_force().segmenter()

    def terms(query: str) -> dict[str, list[str]]:
        return {t.key: [f.text for f in t.forms if f.text] for t in translatable(query, segmenter, lexicon)}

    assert "纽约" in terms("in New York")["new york"]
    assert terms("的") == {} and terms("帕特農") == {}
    assert terms("S7 KO-00042") == {"s7": terms("s7")["s7"], "ko-00042": []}
    assert "知识图谱" in terms("knowledge graph")["knowledge"]
    assert "knowledge graph" in terms("知識圖譜推理")["知识"]
    assert all(len(text) > 1 for t in terms("war and peace").values() for text in t)


def test_how_a_synonym_occurs() -> None:
    assert occurrence("s7 协议", "synonym") == (("=s7", "s7", "<s7"), ("_协议",))
    assert occurrence("theory of relativity", "synonym") == (
        ("=theory", "theory", "<theory", "theories", "<theories"),
        ("=relativity", "relativity", "<relativity", "relativities", "<relativities"),
    )
    assert "~theori" in occurrence("theory", "translation")[0]


SCRIPT = """
import sys
from pathlib import Path
from index_corpus import document
from oam_rdf.index.lexical import LexicalIndex, publish
from oam_rdf.index.passages import PassageTable
from oam_rdf.text.lexicon import load_lexicon
from oam_rdf.text.wordlist import words_in_force
documents = [document(f"d{i}", t) for i, t in enumerate(
    ["知識圖譜與推理", "a knowledge graph of wars", "戰爭與和平", "S7 協議 plc", "programmable logic controller"])]
publish(None, Path(sys.argv[1]), (), documents, lambda i: documents[0], words_in_force())
print((Path(sys.argv[1]) / "lexical.json").read_text())
index = LexicalIndex.open(Path(sys.argv[1]), PassageTable.empty().splice((), documents), load_lexicon())
for query in ("知識圖譜", "knowledge graphs", "war", "plc s7", "戰爭"):
    for translate in (False, True):
        r = index.search(query, translate=translate)
        print(query, r.rows.tolist(), r.scores.tolist(), r.plan, [index.matched(int(x), r) for x in r.rows])
"""


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1", "2"):
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
    assert len(outputs) == 1 and json.loads(next(iter(outputs)).split(b"\n")[0])["words"]
