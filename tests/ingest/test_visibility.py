"""Who may see it: wherever a source says so, it is read, or counts as RESTRICTED with an issue; never as PUBLIC."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.ingest import profiles, visibility
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.model import VISIBILITIES, KnowledgeObject, ParsedDocument

PLAIN = "A first sentence that says something. Another one follows it here.\n"
WORDS = [("internal", "INTERNAL"), ("INTERNAL", "INTERNAL"), ("內部", "INTERNAL"), ("內部使用", "INTERNAL"),
         ("Confidential", "CONFIDENTIAL"), ("机密", "CONFIDENTIAL"), ("restricted", "RESTRICTED"), ("secret", "RESTRICTED"),
         ("public", "PUBLIC"), ("公開", "PUBLIC")]  # fmt: skip


def read(text: str, path: str) -> ParsedDocument:
    return parse(text.encode(), path, profiles.load("default"))


def level(item: KnowledgeObject) -> str:
    return item.visibility or "PUBLIC"


def issues(document: ParsedDocument) -> list[str]:
    return [i.message for i in document.issues if "visibility" in i.message]


@pytest.mark.parametrize(("word", "wanted"), WORDS)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", f"---\ntitle: T\nvisibility: WORD\n---\n{PLAIN}"),
        ("a.md", f"---\ntitle: T\nVisibility:\n  - WORD\n---\n{PLAIN}"),
        ("a.md", f"---\ntitle: T\naccess: WORD\n---\n{PLAIN}"),
        ("a.md", f"---\ntitle: T\naccess:\n  visibility: WORD\n---\n{PLAIN}"),
        ("a.md", f"---\ntitle: T\naccess:\n  level: WORD\n---\n{PLAIN}"),
        ("a.md", f"---\n可見性：WORD\n---\n{PLAIN}"),
        ("a.md", f"# T\n\n**可見性：** WORD\n\n{PLAIN}"),
        ("a.md", f"# T\n\n**可见性：WORD**\n\n{PLAIN}"),
        ("a.md", f"# T\n\n{PLAIN}\n**Visibility:** WORD\n"),
        ("a.md", f"# T\n\n{PLAIN}\n---\n\n## More\n\n**可見性：** WORD\n\n{PLAIN}"),
        ("a.md", f"# T\n\nvisibility:: WORD\n\n{PLAIN}"),
        ("a.md", f"# T\n\n{PLAIN}\n## End\n\n- visibility:: WORD\n"),
        ("a.md", f"# T\n\nVisibility: WORD\n\n{PLAIN}"),
        ("a.md", f"# T\n\n> Visibility: WORD\n\n{PLAIN}"),
        ("a.md", f"<!-- visibility: WORD -->\n# T\n\n{PLAIN}"),
        ("a.md", f"# T\n\n{PLAIN}\n## End\n\nWords [visibility:: WORD] and more words.\n"),
        ("a.md", f"+++\nvisibility = \"WORD\"\n+++\n\n{PLAIN}"),
        ("a.rst", f":Visibility: WORD\n\nT\n=\n\n{PLAIN}"),
        ("a.rst", f"T\n=\n\n:Author: x\n:Visibility: WORD\n\n{PLAIN}"),
        ("a.rst", f"T\n=\n\n{PLAIN}\nPart\n----\n\n:visibility: WORD\n\n{PLAIN}"),
        ("a.rst", f".. visibility: WORD\n\nT\n=\n\n{PLAIN}"),
        ("a.rst", f"PEP: 9\nTitle: T\nVisibility: WORD\n\n{PLAIN}"),
        ("a.rst", f"Visibility: WORD\n\n{PLAIN}"),
        ("a.txt", f"T\n\n可見性：WORD\n\n{PLAIN}"),
        ("a.txt", f"Visibility: WORD\n\n{PLAIN}"),
    ],
)
def test_every_place_where_a_text_can_say_it(path: str, text: str, word: str, wanted: str) -> None:
    document = read(text.replace("WORD", word), path)
    assert level(document.document) == wanted
    assert bool(issues(document)) or word != "secret", "an unknown word is reported"


@pytest.mark.parametrize(
    "text", ["| Visibility | Internal |\n|---|---|\n| a | b |\n", "Access: internal\n", "密級：內部\n"]
)
def test_known_words_in_a_header_count_whatever_their_form(text: str) -> None:
    assert level(read(f"# T\n\n{text}\n{PLAIN}", "a.md").document) == "INTERNAL"


@pytest.mark.parametrize(
    "text",
    [
        f"# Visibility: how far one sees in fog\n\n{PLAIN}",
        f"# T\n\nVisibility: how far one can see depends on the fog of that day.\n\n{PLAIN}",
        f"# T\n\n```yaml\nvisibility: internal\n```\n\n{PLAIN}",
        f"# T\n\n{PLAIN}\n## A\n\naccess: read_only\n\n## B\n\nAccess: internal\n",
        f"# T\n\n{PLAIN}\n## A\n\n- visibility: high\n",
    ],
)
def test_prose_and_examples_restrict_nothing(text: str) -> None:
    document = read(text, "a.md")
    assert level(document.document) == "PUBLIC" and not issues(document)


def test_the_narrowest_of_several_words_holds() -> None:
    for first, second in (("public", "internal"), ("internal", "public")):
        text = f"---\nvisibility: {first}\n---\n# T\n\n**Visibility:** {second}\n\n{PLAIN}"
        assert level(read(text, "a.md").document) == "INTERNAL"
    assert level(read(f"---\nvisibility: [public, internal]\n---\n{PLAIN}", "a.md").document) == "INTERNAL"
    assert level(read(f"---\nvisibility: public\nvisibility: internal\n---\n{PLAIN}", "a.md").document) == "INTERNAL"


# -- OAM JSON --------------------------------------------------------------------------------------------------------

KO: dict[str, Any] = {"knowledge_object_id": "KO-1", "content": "甲。"}


@pytest.mark.parametrize(("word", "wanted"), WORDS)
@pytest.mark.parametrize(
    "shape",
    [
        {"access": {"visibility": "WORD"}},
        {"access": "WORD"},
        {"access": ["public", "WORD"]},
        {"access": {"level": "WORD"}},
        {"access": {"policy": {"who": "WORD"}}},
        {"Access": {"Visibility": "WORD"}},
        {"visibility": "WORD"},
        {"VISIBILITY": ["WORD"]},
        {"可見性": "WORD"},
        {"access_level": "WORD"},
        {"provenance": {"visibility": "WORD"}},
        {"access": {"visibility": "public"}, "visibility": "WORD"},
    ],
)
def test_every_place_where_an_object_can_say_it(shape: dict[str, Any], word: str, wanted: str) -> None:
    text = json.dumps(KO | shape, ensure_ascii=False).replace("WORD", word)
    document = read(text, "a.json")
    assert level(document.objects[1]) == wanted
    assert bool(issues(document)) or word != "secret"


def test_a_key_given_twice_and_a_line_around_the_objects() -> None:
    text = '{"knowledge_object_id": "K", "content": "x", "visibility": "public", "visibility": "internal"}'
    assert level(read(text, "a.json").objects[1]) == "INTERNAL"
    document = read('{"visibility": "internal"}\n' + json.dumps(KO), "a.jsonl")
    assert level(document.document) == "INTERNAL"


def test_an_access_without_any_word_for_it_is_restricted_unless_one_stands_beside() -> None:
    document = read(json.dumps(KO | {"access": {"team": "blue"}}), "a.json")
    assert level(document.objects[1]) == "RESTRICTED" and issues(document)
    document = read(json.dumps(KO | {"access": {"visibility": "public", "license": "CC0"}}), "a.json")
    assert level(document.objects[1]) == "PUBLIC" and "access.license" in document.issues[0].message
    for nothing in (None, "", {}, [], {"visibility": None}):
        assert level(read(json.dumps(KO | {"access": nothing}), "a.json").objects[1]) == "PUBLIC"


def test_public_text_around_a_hidden_statement_is_found(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text(MIXED, encoding="utf-8")
    base = KnowledgeBase.init(tmp_path / "kb")
    base.ingest([tmp_path / "in"], IngestOptions(workers=1))
    for word, seen in (("alpha", True), ("delta", True), ("beta", False), ("gamma", False)):
        found = json.dumps(base.search(word, clearance="PUBLIC").to_json()["results"])
        assert (word in found) == seen, word
        assert "beta" not in found and "gamma" not in found
    assert "beta" in json.dumps(base.search("beta", clearance="INTERNAL").to_json()["results"])


@given(st.text(alphabet="visbltyVISBLTY:：*-_ |=internal\n可見性內部<>!", max_size=80))
@settings(max_examples=200, deadline=None)
def test_lines_about_visibility_are_found_without_trouble(text: str) -> None:
    for said in visibility.in_lines(text):
        assert said.word and 0 <= said.start < len(text) and (not said.level or said.level in VISIBILITIES)


# -- passages ------------------------------------------------------------------------------------------------------

MIXED = """# T

A public sentence before it says alpha.

**Theorem 1.** The hidden claim says beta.

- visibility:: internal
- evidence:: formal_proof | passed | doi:10.1/gamma

A public sentence after it says delta.
"""


def test_a_narrower_statement_is_a_passage_of_its_own_with_its_attributes() -> None:
    document = read(MIXED, "a.md")
    (hidden,) = (item for item in document.objects if item.author_id)
    assert hidden.visibility == "INTERNAL" and level(document.document) == "PUBLIC"
    holding = {word: [p for p in document.passages if word in p.text] for word in ("alpha", "beta", "gamma", "delta")}
    assert all(len(found) == 1 for found in holding.values())
    assert holding["beta"] == holding["gamma"] and holding["beta"][0].object == hidden.id
    assert holding["alpha"] != holding["beta"] != holding["delta"]
    span = hidden.spans[0]
    for passage in holding["alpha"] + holding["delta"]:
        assert passage.end <= span.start or passage.start >= span.end


def test_a_narrower_statement_over_the_cap_stays_apart_too() -> None:
    long = " ".join(f"word{n} says something of beta." for n in range(400))
    document = read(MIXED.replace("The hidden claim says beta.", long), "a.md")
    (hidden,) = (item for item in document.objects if item.author_id)
    span = hidden.spans[0]
    own = [p for p in document.passages if "beta" in p.text or "gamma" in p.text]
    assert len(own) > 1 and all(p.object == hidden.id and p.start < span.end and p.end > span.start for p in own)


def test_a_heading_that_is_a_narrower_statement_hides_its_section() -> None:
    text = "# T\n\nPublic words. See [[X]].\n\n## Hypotheses\n\n### H1: the hidden claim\n\n"
    text += "- visibility:: internal\n\nMore of [[Y]].\n"
    document = read(text, "a.md")
    shown = [item for item in document.objects if level(item) == "PUBLIC"]
    assert not any("hidden" in item.title or "hidden" in item.content for item in shown)
    hidden = {item.id for item in document.objects} - {item.id for item in shown}
    assert all(item.parent not in hidden for item in shown)
