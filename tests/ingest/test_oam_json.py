"""OAM JSON (paper §11): the example unchanged, lists, JSON Lines, unknown words, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oam_rdf.errors import ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.oam_json import NO_SPAN
from oam_rdf.ingest.parse import parse
from oam_rdf.model import ParsedDocument

KO: dict[str, Any] = {"knowledge_object_id": "KO-1", "granularity": "statement", "content": "甲。"}


def read(value: Any, path: str = "folder/file.json") -> ParsedDocument:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return parse(text.encode("utf-8", "surrogatepass"), path, profiles.load("default"))


def test_the_papers_own_json_unchanged(shared: Path) -> None:
    paper = (shared / "spec" / "seeds" / "operator-assisted-memory.txt").read_text(encoding="utf-8")
    example = paper[paper.index('{ "knowledge_object_id"') :].split("```")[0]
    document = read(example, "ko.json")
    assert not [i for i in document.issues if i.severity != "note"]
    head, item = document.objects
    assert (document.id, head.id, item.id, item.global_id) == ("ko", "", "KO-00042", True)
    assert item.state == "STRUCTURAL_CONJECTURE" and item.verification == "NOT_TESTED"
    assert item.span_labels == ("SPAN-021", "SPAN-028") and item.no_source == NO_SPAN and item.spans == ()
    assert [(o.notation, o.confidence, o.annotator) for o in item.operators] == [
        ("REP.FORMALIZE", 0.91, "model+human"),
        ("META.CRITIQUE", 0.84, ""),
    ]
    assert item.roles == ("HYPOTHESIS", "FRAMEWORK") and item.visibility == "INTERNAL"
    assert (item.version, item.version_status, item.status_label) == ("0.1", "ACTIVE", "active")
    assert item.valid_from == "2026-07-31T00:00:00Z" and item.language == "zh-Hant"
    assert (
        item.extra["representations.dense_embedding_ref"] == "emb://..."
        and item.extra["provenance.tcf_version"] == "2.1.0"
    )
    assert {(r.source, r.type, r.target) for r in document.relations} == {
        ("KO-00042", "derived_from", "DOC-009"),
        ("KO-00042", "supersedes", "KO-OLD-001"),
        ("KO-00042", "depends_on", "KO-00011"),
    }
    (passage,) = document.passages
    assert (passage.start, passage.end, passage.text, passage.object) == (-1, -1, "...", "KO-00042")
    assert "knowledge invariant" in document.terms


def test_list_and_lines_with_their_lines() -> None:
    two = dict(KO, knowledge_object_id="KO-2")
    for text in (f"[\n{json.dumps(KO)},\n{json.dumps(two)}\n]", f"\n{json.dumps(KO)}\n{json.dumps(two)}\n"):
        document = read(text, "x.jsonl")
        assert [(o.id, o.line) for o in document.objects[1:]] == [("KO-1", 2), ("KO-2", 3)]


def test_unknown_words_are_kept_and_reported() -> None:
    document = read(
        dict(
            KO, operators=[{"family": "foo", "mode": "bar", "confidence": None}, "rep:formalize"], knowledge_role=["GURU"],
            relations=[{"type": "resembles", "target": "KO-3"}, {"type": "superseded_by", "target": "KO-4"}, {"x": 1}],
            epistemic_status={"state": "HUNCH"}, access={"visibility": "secret"}, surprise={"a": [1]}, granularity="blob",
        )
    )  # fmt: skip
    item = document.objects[1]
    assert [(o.notation, o.source_label) for o in item.operators] == [
        ("UNKNOWN_OPERATOR", "foo.bar"),
        ("REP.FORMALIZE", "rep:formalize"),
    ]
    assert (item.state, item.state_label) == ("", "HUNCH") and item.extra["unknown role"] == "GURU"
    assert item.visibility == "RESTRICTED", "an unknown audience is the narrowest one"
    assert item.extra["surprise"] == '{"a": [1]}'
    assert [(r.type, r.source_label) for r in document.relations] == [
        ("related_to", "resembles"),
        ("superseded_by", ""),
    ]
    assert sum(i.code == "unknown-label" for i in document.issues) == 6


def test_a_claimed_proof_without_evidence_stays_a_claim() -> None:
    item = read(dict(KO, epistemic_status={"state": "FORMALLY_PROVED", "verification": "REPRODUCED"})).objects[1]
    assert (item.state, item.state_label, item.verification) == ("SOURCE_CLAIM", "FORMALLY_PROVED", "SOURCE_CLAIMED")


def test_items_that_are_no_objects_are_counted_and_the_rest_lands() -> None:
    document = read([KO, {"id": "x"}, 3, dict(KO, knowledge_object_id=" ")])
    assert len(document.objects) == 2 and sum(i.code == "not-an-object" for i in document.issues) == 3


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('{"a": \n oops}', "f.json:2:2", "not valid JSON"),
        ('{"knowledge_object_id": "KO-1",\n "content": "\\ud800"}', "f.json:2", "lone surrogate"),
        ('{"a": 1}', "f.json:1", "no knowledge object"),
        ('{"knowledge_object_id": "K", "x": NaN}', "f.json", "NaN"),
        ("[" * 100_000, "f.json", "nested"),
        (f"[{json.dumps(KO)},\n{json.dumps(KO)}]", "f.json:2", "defined on line 1"),
        (f"[{json.dumps(KO)}", "f.json:1", "not closed"),
    ],
)
def test_bad_json(text: str, place: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text, "f.json")
    assert caught.value.place.startswith(place) and words in caught.value.message and caught.value.hint


def test_duplicate_keys_are_reported() -> None:
    document = read('{"knowledge_object_id": "KO-1", "content": "a", "content": "b"}')
    assert document.objects[1].content == "a" and document.issues[0].code == "duplicate-key"


def test_what_has_no_meaning_here_is_named() -> None:
    value = dict(
        KO, surprise=1, representations={"language": "??", "dense": "x"}, provenance={"tcf_version": "2"},
        operators=[{"family": "REP", "mode": "FORMALIZE", "note": "n", "review_status": "odd", "parameters": 3}],
        relations=[{"type": "cites", "target": "K", "evidence": "p. 3", "verdict": "perhaps", "confidence": "high"}],
        evidence=[{"kind": "formal_proof", "outcome": "passed", "reference": "doi:10.1/x", "by": "us"}],
    )  # fmt: skip
    document = read(value)
    (left,) = (i.message for i in document.issues if i.code == "kept-as-written")
    names = set(left.partition(": ")[2].split(", "))
    assert names == {"surprise", "representations.dense", "provenance.tcf_version", "operators.note",
                     "operators.parameters", "relations.evidence", "evidence.by"}  # fmt: skip
    messages = " ".join(i.message for i in document.issues)
    assert all(word in messages for word in ("'??'", "'odd'", "'perhaps'", "confidence 'high'"))
    assert not [i for i in read(KO).issues if i.code == "kept-as-written"]
