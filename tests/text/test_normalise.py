"""Keys: what must be equal, what must differ, and the way back to raw offsets."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.text.normalise import _fold_cluster, _table, fold, fold_fingerprint, han_folds, id_key, index_key, link_key


def test_ideographs_are_folded_without_looking_for_marks_and_cases() -> None:
    codes = range(0x4E00, 0xA000)
    assert [_table[code] for code in codes] == [_fold_cluster(chr(code)) for code in codes]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("營收增長", "营收增长"),
        ("Ｓ７協議（草案）", "S7协议(草案)"),
        ("看著", "看着"),
        ("著作", "着作"),
        ("乾燥", "干燥"),
        ("乾隆", "干隆"),
        ("幹部", "干部"),
        ("皇后之後", "皇后之后"),
        ("裡面", "裏面"),
        ("臺灣", "台湾"),
        ("什麼", "什么"),
        ("衞生", "卫生"),
        ("non‑zero", "NON-ZERO"),
        ("Newton’s", "newton's"),
        ("ﬁnite", "FINITE"),
        ("soft\u00adware", "software"),
        ("cafe\u0301", "CAFÉ"),
        ("ｶﾞ", "ガ"),
        ("각", "각"),
    ],
)
def test_spellings_of_one_thing_share_an_index_key(a: str, b: str) -> None:
    assert index_key(a) == index_key(b)


def test_different_characters_keep_different_keys() -> None:
    assert len({index_key(c) for c in "幺么乾坤谷只余后"}) == 8


def test_the_table_comes_from_opencc_and_is_closed() -> None:
    folds = han_folds()
    assert len(folds) > 4000
    assert not any(ord(target) in folds for target in folds.values())
    assert fold_fingerprint() == fold_fingerprint()


@pytest.mark.parametrize(
    "spelling", ["PEP-241", "pep 241", "PEP-0241", "ＰＥＰ－241", "Pep_241", "PEP241", " PEP – 0241 "]
)
def test_an_id_resolves_however_it_is_written(spelling: str) -> None:
    assert id_key(spelling) == "pep241"


def test_ids_that_differ_stay_different() -> None:
    ids = ["1.10", "110", "11.0", "C++", "C#", "C", "DOC#H1", "DOC-H1", "🌟", "資料庫", "圖神經網路", "v1.0", "v10"]
    assert len({id_key(i) for i in ids}) == len(ids)
    assert id_key("KO-00042") == id_key("ko 42")
    assert id_key("000") == "0" and id_key("---") == "---"


def test_link_key() -> None:
    assert link_key(" 四色  定理\n") == "四色 定理"
    assert link_key("Cafe\u0301  NOIR") == link_key("café noir")
    assert link_key("營收") != link_key("营收")  # references are literal: only the index folds scripts


ODD = st.text(
    alphabet=st.one_of(
        st.sampled_from("a乾①㈱é\u0301\u200d\u00adﬁẞİ가ᄀ\u1161\u11a8ｶﾞ🌟\ufe0fΔς\u0345\uffff"), st.characters()
    ),
    max_size=30,
)


@given(ODD)
def test_the_index_key_is_stable(s: str) -> None:
    once = index_key(s)
    assert index_key(once) == once


@given(st.text(max_size=30))
def test_the_index_key_respects_nfc_and_case(s: str) -> None:
    assert index_key(unicodedata.normalize("NFC", s)) == index_key(unicodedata.normalize("NFD", s))


@given(ODD)
def test_every_folded_character_leads_back_to_its_raw_cluster(s: str) -> None:
    folded = fold(s)
    assert folded.text == index_key(s)
    before = 0
    for i, character in enumerate(folded.text):
        start, end = folded.span(i, i + 1)
        assert 0 <= start < end <= len(s)
        assert start >= before
        assert character in index_key(s[start:end])
        before = start


@given(st.text(alphabet="乾後營a1-Ａ。 ", max_size=40))
def test_one_to_one_texts_keep_their_offsets(s: str) -> None:
    folded = fold(s)
    assert folded.plain and len(folded.text) == len(s)
