"""What an edited or removed document said, through the whole pipeline: as_of, differences, earlier versions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from oam_rdf.errors import NotFound
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

OLD = """---
id: DD
title: Quokka lore
author: Ann, Bob
status: draft
---
# Quokka lore

**Version:** v1

## Claims

**Axiom A1.** The quokka secret is platypus.

**Axiom A2.** The emu walks. It also runs.

Another wombat sentence stays here.

**Axiom A3.** The dingo howls at night.
"""
NEW = """---
id: DD
title: New lore
author: Ann
---
# New lore

**Version:** v2

## Claims

A new opening.

**Axiom A1.** The thing turned out to be an echidna, after all.

**Axiom A2.** The emu walks. It also runs.

Another wombat sentence stays here.
"""


def now() -> str:
    time.sleep(0.01)
    moment = datetime.now(UTC).isoformat()
    time.sleep(0.01)
    return moment


class Edited:
    """DD in two texts, EE removed and pruned, FF added late."""

    def __init__(self, root: Path) -> None:
        self.sources = root / "sources"
        self.sources.mkdir()
        self.kb = KnowledgeBase.init(root / "kb")
        self.write("dd.md", OLD)
        self.write("ee.md", "---\nid: EE\n---\n# Other\n\n**Axiom E1.** A marsupial carries its young.\n")
        self.ingest()
        self.then = now()
        self.write("dd.md", NEW)
        self.write("ff.md", "---\nid: FF\n---\n# Late\n\nA quokka came late.\n")
        self.ingest()
        self.before_prune = now()
        (self.sources / "ee.md").unlink()
        self.ingest(prune=True)

    def write(self, name: str, text: str) -> None:
        (self.sources / name).write_text(text, "utf-8")

    def ingest(self, prune: bool = False) -> None:
        self.kb.ingest([self.sources], IngestOptions(workers=1, prune=prune))


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edited]:
    world = Edited(tmp_path_factory.mktemp("edited"))
    yield world
    world.kb.close()


def test_what_was_in_force_then_answers(edited: Edited) -> None:
    answer = edited.kb.search("quokka secret", as_of=edited.then)
    first = answer.results[0]
    assert (answer.verdict, answer.verdicts) == ("ANSWERABLE", ())
    assert (first.id, first.granularity, first.kind) == ("DD#A1", "STATEMENT", "AXIOM")
    assert first.title == "Quokka lore" and first.heading == "Claims" and first.version_status == "ACTIVE"
    assert first.snippet == "**Axiom A1.** The quokka secret is platypus."
    assert first.span is not None and OLD[first.span.start : first.span.end] == first.snippet
    assert [match["term"] for match in first.matched] == ["quokka", "secret"]
    assert all(result.document != "FF" for result in answer.results)
    assert edited.kb.search("quokka secret platypus").results[0].id != "DD#A1"


def test_no_header_in_an_old_passage(edited: Edited) -> None:
    for query in ("lore", "Ann", "draft version", "wombat"):
        for result in edited.kb.search(query, as_of=edited.then).results:
            assert "---" not in result.snippet and "Version" not in result.snippet, (query, result.snippet)
    (wombat, *_) = edited.kb.search("wombat", as_of=edited.then).results
    assert wombat.granularity == "SECTION" and wombat.snippet == "Another wombat sentence stays here."


def test_unchanged_and_removed_statements_of_then(edited: Edited) -> None:
    kept = edited.kb.search("emu walks", as_of=edited.then).results[0]
    assert (kept.id, kept.snippet) == ("DD#A2", "**Axiom A2.** The emu walks. It also runs.")
    assert kept.span is not None and OLD[kept.span.start : kept.span.end] == kept.snippet
    gone = edited.kb.search("dingo howls", as_of=edited.then)
    assert gone.verdict == "ANSWERABLE" and gone.results[0].id == "DD#A3"
    with pytest.raises(NotFound):
        edited.kb.source("DD#A3")


def test_a_named_object_is_given_as_it_was(edited: Edited) -> None:
    answer = edited.kb.search("DD#A1", as_of=edited.then)
    assert answer.verdict == "ANSWERABLE" and answer.results[0].id == "DD#A1"
    assert answer.results[0].named and "platypus" in answer.results[0].snippet
    whole = edited.kb.search("DD", granularity="document", as_of=edited.then).results[0]
    assert (whole.id, whole.granularity, whole.title) == ("DD", "DOCUMENT", "Quokka lore")
    # Fields are those of then: Bob is no author any more.
    assert edited.kb.search("who is the second author of DD#A1?", as_of=edited.then).verdict == "ANSWERABLE"
    assert edited.kb.search("who is the second author of DD#A1?").verdict == "EVIDENCE_INSUFFICIENT"


def test_hard_conditions_hold_for_old_texts(edited: Edited) -> None:
    for options in ({"states": ["REFUTED"]}, {"kind": "THEOREM"}, {"only_language": "zh"}, {"granularity": "argument"}):
        answer = edited.kb.search("quokka secret", as_of=edited.then, **options)
        assert answer.results == (), options
    found = edited.kb.search("quokka secret", as_of=edited.then, states=["SOURCE_CLAIM"], kind="AXIOM")
    assert found.results[0].id == "DD#A1"
    assert {result.kind for result in found.results} == {"AXIOM"}


def test_the_status_is_that_of_then(edited: Edited) -> None:
    for query in ("marsupial carries", "EE#E1"):
        assert edited.kb.search(query).results[0].version_status == "DEPRECATED"
        for moment in (edited.then, edited.before_prune):
            answer = edited.kb.search(query, as_of=moment)
            assert (answer.results[0].id, answer.results[0].version_status) == ("EE#E1", "ACTIVE")
        assert edited.kb.search(query, as_of=now()).results[0].version_status == "DEPRECATED"


def test_an_old_answer_replays(edited: Edited) -> None:
    from oam_rdf.query.search import replay

    with edited.kb.snapshot() as snapshot:
        for options in ({}, {"as_of": edited.then}, {"k": 1, "offset": 1}, {"directions": ["VERSION.EARLIER"]},
                        {"route": "SPARSE_ONLY", "granularity": "document", "language": "en"}):  # fmt: skip
            answer = edited.kb.search("quokka wombat emu", **options)
            certificate = edited.kb.trace(answer.retrieval_id)
            again = replay(snapshot, certificate)
            assert again.certificate["results"] == certificate["results"], options
            assert again.verdict == answer.verdict and again.certificate["query_plan"] == certificate["query_plan"]


def test_a_difference_is_of_statements(edited: Edited) -> None:
    found = edited.kb.diff("DD")
    changes = [(change.kind, change.old, change.new) for change in found.changes]
    assert changes == [
        ("changed", "Quokka lore", "New lore"),
        ("added", "", "A new opening."),
        ("changed", "**Axiom A1.** The quokka secret is platypus.",
         "**Axiom A1.** The thing turned out to be an echidna, after all."),
        ("removed", "**Axiom A3.** The dingo howls at night.", ""),
    ]  # fmt: skip
    assert found.unchanged == 3  # a heading, A2 whole, the wombat


def test_the_difference_of_one_statement(edited: Edited) -> None:
    found = edited.kb.diff("DD#A1")
    (change,) = found.changes
    assert change.kind == "changed" and "platypus" in change.old and "echidna" in change.new
    assert OLD[change.old_start : change.old_end] == change.old and NEW[change.new_start : change.new_end] == change.new
    assert edited.kb.diff(found.old, found.new).to_json() == found.to_json()
    with pytest.raises(NotFound, match="'DD' was edited 1 times, this did not change"):
        edited.kb.diff("DD#A2")
    with pytest.raises(NotFound, match="no edit of its document is kept"):
        edited.kb.diff("EE#E1")


def test_navigation_leads_to_what_it_said_earlier(edited: Edited) -> None:
    for name in ("DD#A1", "DD"):
        found = edited.kb.navigate(name, "VERSION.EARLIER")
        (node,) = found.nodes
        assert node.id.startswith(f"{name}@") and node.version_status == "HISTORICAL" and found.dead_ends == ()
        assert node.relations == ("previousVersion",)
        assert edited.kb.diff(node.id, name).changes
        assert [edit.version for edit in edited.kb.versions(name).edits] == [node.id]
    nowhere = edited.kb.navigate("DD#A2", "VERSION.EARLIER")
    assert nowhere.nodes == () and nowhere.note == "no earlier version of DD#A2 is kept"
    assert edited.kb.navigate("DD", "VERSION.EARLIER", steps=1).more is False


def test_a_text_that_came_back_has_two_intervals(tmp_path: Path) -> None:
    world = Edited(tmp_path)
    world.write("dd.md", OLD)
    world.ingest()
    back = now()
    world.write("dd.md", NEW.replace("echidna", "numbat"))
    world.ingest()
    for moment, word in (
        (world.then, "platypus"),
        (world.before_prune, "echidna"),
        (back, "platypus"),
        (now(), "numbat"),
    ):
        first = world.kb.search("Axiom A1 platypus echidna numbat", as_of=moment).results[0]
        assert first.id == "DD#A1" and word in first.snippet, moment
    assert len(world.kb.versions("DD").edits) == 3
    world.kb.close()
