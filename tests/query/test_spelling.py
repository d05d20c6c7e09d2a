"""Matched terms as people write them, with the key beside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_world import World

from oam_rdf.index.lexical import Match
from oam_rdf.query.search import search
from oam_rdf.query.spelling import Spelling
from oam_rdf.text.normalise import index_key


def test_the_texts_and_the_querys_own_spelling(world: World) -> None:
    world.add("A", "Many Programmes were run for the harbour.", title="Harbour")
    world.add("B", "拉瓦節主張氧化說。", title="燃燒", language="zh-Hant")
    snapshot = world.snapshot()
    first = search(snapshot, "the PROGRAMME of a harbour").results[0]
    shown = {match["key"]: match for match in first.matched}
    assert shown["programme"]["term"] == "PROGRAMME" and shown["programme"]["text"] == "Programmes"
    assert shown["harbour"]["term"] == "harbour" and shown["harbour"]["text"] == "harbour"
    assert not {"the", "of", "a"} & set(shown)
    found = search(snapshot, "拉瓦節的主張").results[0]
    terms = {match["term"] for match in found.matched}
    assert "".join(sorted(terms)) and all(term in "拉瓦節的主張" for term in terms)
    assert any(match["key"] != match["term"] for match in found.matched)
    assert "的" not in terms
    text = next(s["text"] for s in search(snapshot, "拉瓦節").explanation() if s["pointer"] == "/results/0/matched")
    assert "拉瓦節" in text and "节" not in text


def test_unknown_words_and_facts_are_spelt_as_asked(world: World) -> None:
    world.add("A", "The harbour is calm.")
    answer = search(world.snapshot(), "Zyxwv QRSTUVW")
    assert answer.certificate["uncertainty"]["unknown_terms"] == ["Zyxwv", "QRSTUVW"]
    named = [term for verdict in answer.verdicts for term in verdict["facts"].get("terms", ())]
    assert named and set(named) <= {"Zyxwv", "QRSTUVW"}


@pytest.mark.parametrize(
    ("how", "key", "other", "text", "there"),
    [
        ("literal", "s7", "", "第Ｓ７節", "Ｓ７"),
        ("literal", "art", "", "A part of Art.", "Art"),
        ("joined", "gen-itgc", "", "The GenITGC report", "GenITGC"),
        ("joined", "genitgc", "", "The Gen-ITGC report", "Gen-ITGC"),
        ("stem", "theory", "", "Two Theories met", "Theories"),
        ("synonym", "rsa", "有效年齡", "這是有效年齡的定義", "有效年齡"),
        ("translation", "引力", "gravity", "Of Gravity alone", "Gravity"),
        ("bigram", "甲乙丙", "", "甲乙和乙丙", ""),
    ],
)
def test_what_stands_in_the_text(how: str, key: str, other: str, text: str, there: str) -> None:
    (shown,) = Spelling("?").shown([Match(key, how, ("body",), index_key(other))], {"body": text})
    assert shown["text"] == there and shown["key"] == key


@given(st.text(alphabet="abc節节 ＡéＢ-ﬁ", min_size=1, max_size=12), st.data())
def test_a_spelling_has_its_key(query: str, data: st.DataObject) -> None:
    folded = index_key(query)
    if not folded:
        return
    start = data.draw(st.integers(0, len(folded) - 1))
    key = folded[start : data.draw(st.integers(start + 1, len(folded)))]
    spelt = Spelling(query).asked(key)
    assert spelt in query or spelt == key
    assert key in index_key(spelt)
