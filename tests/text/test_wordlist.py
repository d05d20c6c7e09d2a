"""Word lists: what is in force, what a supplement may hold, and that only the set of words counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from oam_rdf.errors import ConfigError, FeatureMissing
from oam_rdf.text import wordlist
from oam_rdf.text.cedict import load_cedict
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import Segmenter
from oam_rdf.text.wordlist import NO_WORDS, WordList, read_words, words_in_force


def test_a_supplement(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("# 註\n反過濾救援\npre-A輪  # mixed\n\n营收\n營收\n", "utf-8")
    assert read_words(path) == {"反过滤救援", "pre-a轮", "营收"}


@pytest.mark.parametrize("line", ["KO-00042", "律", "兩 個", "，反過濾", "甲" * 33, "甲乙\t3"])
def test_what_is_no_word_is_named_by_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(f"反過濾\n{line}\n", "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_words(path)
    assert f"{path}:2" in str(caught.value)


def test_what_is_in_force(tmp_path: Path) -> None:
    own = tmp_path / "words.txt"
    plain = words_in_force(own)
    assert load_cedict().words < plain.words and index_key("知識圖譜") in plain.words
    own.write_text("反過濾救援\n", "utf-8")
    more = words_in_force(own)
    assert more.words - plain.words == {"反过滤救援"} and more.fingerprint != plain.fingerprint
    own.write_text("# the same\n反过滤救援\n", "utf-8")
    assert words_in_force(own).fingerprint == more.fingerprint
    own.write_text("KO-1\n", "utf-8")
    broken = words_in_force(own)
    assert broken.words == plain.words and broken.sources["words.txt"].startswith("absent: ")
    assert WordList.read(more.dump()).words == more.words and WordList.read(b"") == NO_WORDS


def test_the_starter_has_words_of_its_own() -> None:
    words = read_words(wordlist._starter())
    assert len(words) >= 30 and not words & load_cedict().words


def test_without_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise FeatureMissing("CC-CEDICT is not installed")

    monkeypatch.setattr(wordlist, "load_cedict", absent)
    wordlist._in_force.cache_clear()
    try:
        found = words_in_force()
        assert found.sources["cc-cedict"] == "absent: CC-CEDICT is not installed" and 0 < len(found.words) < 1000
    finally:
        wordlist._in_force.cache_clear()


def test_more_words_over_a_base() -> None:
    """A segmenter over a base is the segmenter over all words together."""
    one, two, text = (
        ["發展", "發展中", "pre-A輪"],
        ["發展中國家", "國家", "pre-A輪融資"],
        "發展中國家與國家發展，pre-A輪融資後",
    )
    whole, over = Segmenter([*one, *two]), Segmenter(two, Segmenter(one))
    assert whole.tokens(text) == over.tokens(text) and len(whole) == len(over) == 6
    assert [t.key for t in Segmenter(one).tokens("發展中國家")] == ["发展中", "国", "家"]
