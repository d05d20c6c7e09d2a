"""The golden table of forward maximum matching, and what holds for every text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import Segmenter, bigrams

GOLDEN = json.loads((Path(__file__).parent / "fmm_golden.json").read_text("utf-8"))


@pytest.mark.parametrize("row", GOLDEN, ids=[f"{i}:{r['text'][:12]}" for i, r in enumerate(GOLDEN)])
def test_golden(row: dict[str, object]) -> None:
    segmenter = Segmenter(row["dictionary"])  # type: ignore[arg-type]
    assert [t.key for t in segmenter.tokens(str(row["text"]))] == row["words"]


def test_the_golden_table_is_large_enough() -> None:
    assert len(GOLDEN) >= 40


def test_a_thousand_runs_are_one() -> None:
    """Hazard 16: the same cut every time, whatever the order of the dictionary."""
    terms = ["SK-II", "pre-A輪", "low-code", "融資"]
    expected = Segmenter(terms).tokens("pre-A輪融資")
    for i in range(1000):
        assert Segmenter(terms[i % 4 :] + terms[: i % 4]).tokens("pre-A輪融資") == expected


def test_hash_seeds_change_nothing() -> None:
    code = (
        "import json,sys;from oam_rdf.text.segment import Segmenter\n"
        "for r in json.load(sys.stdin): print([tuple(t) for t in Segmenter(set(r['dictionary'])).tokens(r['text'])])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps(GOLDEN),
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_offsets_point_into_the_raw_text() -> None:
    text = "① 重啟Ｇｅｎ－ＩＴＧＣ後，pre-A輪"
    tokens = Segmenter(["pre-A輪"]).tokens(text)
    assert [text[t.start : t.end] for t in tokens] == ["①", "重", "啟", "Ｇｅｎ－ＩＴＧＣ", "後", "pre-A輪"]


def test_words_left_out_count_as_unknown() -> None:
    segmenter = Segmenter(["发展中国家", "发展", "国家"])
    keys = [t.key for t in segmenter.segment("发展中国家", without={"发展中国家"})]
    assert keys == ["发展", "中", "国家"]


def test_bigrams_do_not_depend_on_words() -> None:
    assert list(bigrams(index_key("備用電源，S7協議x電"))) == ["备用", "用电", "电源", "协议"]


TERMS = st.lists(st.text(alphabet="发展中国家輪資aAk-7融", min_size=1, max_size=6), max_size=12)
TEXT = st.text(
    alphabet=st.one_of(st.sampled_from("发展中国家輪資融aAk-7_.'s+# ，ひ가é\u0301①ﬁ\u00ad"), st.characters()),
    max_size=40,
)


@given(TERMS, TEXT)
def test_tokens_are_ordered_disjoint_and_keyed_by_their_slice(terms: list[str], text: str) -> None:
    segmenter = Segmenter(terms)
    tokens = segmenter.tokens(text)
    end = 0
    for token in tokens:
        assert 0 <= token.start < token.end <= len(text)
        assert token.start >= end or "①" in text or index_key(text[token.start : token.end]) != token.key
        assert token.key in index_key(text[token.start : token.end])
        assert token.kind in ("han", "ascii", "word")
        end = token.end
    assert tokens == segmenter.tokens(text)


@given(TERMS, st.text(alphabet="发展中国家輪資aAk-7融。 ", max_size=40))
def test_plain_texts_give_exact_slices_and_lose_no_character(terms: list[str], text: str) -> None:
    tokens = Segmenter(terms).tokens(text)
    assert all(t.key == index_key(text[t.start : t.end]) for t in tokens)
    covered = "".join(t.key for t in tokens)
    assert [c for c in covered if c.isalnum()] == [c for c in index_key(text) if c.isalnum()]


@given(TERMS, st.text(alphabet="发展中国家", max_size=20))
def test_every_cut_is_the_longest_word_that_begins_there(terms: list[str], text: str) -> None:
    segmenter = Segmenter(terms)
    for token in segmenter.tokens(text):
        longer = [n for n in range(len(token.key) + 1, 7) if text[token.start : token.start + n] in segmenter]
        assert not [n for n in longer if token.start + n <= len(text)]


def test_a_query_is_cut_within_a_millisecond() -> None:
    segmenter = Segmenter(["反過濾救援", "可追溯性", "知識本體"])
    query = "反過濾救援機制如何保證 KO-00042 的可追溯性？ What guarantees traceability?"
    segmenter.tokens(query)
    start = time.perf_counter()
    for _ in range(100):
        segmenter.tokens(query)
    assert (time.perf_counter() - start) / 100 < 0.001


def test_a_real_corpus_is_cut_at_a_useful_speed(shared: Path) -> None:
    files = sorted((shared / "corpora/pldst-zh-hant/vault/papers").glob("*.md"))[:20]
    text = index_key("\n".join(f.read_text("utf-8") for f in files))
    segmenter = Segmenter(line.lstrip("# ") for line in text.split("\n") if line.startswith("#"))
    start = time.perf_counter()
    segmenter.segment(text)
    assert len(text) / (time.perf_counter() - start) > 100_000  # characters a second, measured 1.5 million
