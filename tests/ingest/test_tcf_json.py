"""TCF-lite and verdict files: parsing, and the way out through the graph, for whatever a file may hold."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import tcf_samples
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store
from tcf_samples import EXTRACTS, TCF, VERDICTS, same_json

from oam_rdf.ingest import profiles
from oam_rdf.ingest.ends import ends
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.references import References
from oam_rdf.model import OTHER, STATEMENT, ParsedDocument
from oam_rdf.namespaces import DEFAULT_BASE
from oam_rdf.ontology import Ontology
from oam_rdf.resources import schemas_dir
from oam_rdf.store.codec import Codec
from oam_rdf.store.minter import Minter
from oam_rdf.store.tcf_lite import tcf_lite
from oam_rdf.store.verdict_file import verdicts

MINTER = Minter(DEFAULT_BASE)


def read(value: Any, path: str = "folder/file.json") -> ParsedDocument:
    return parse(json.dumps(value).encode(), path, profiles.load("default"))


def stored(document: ParsedDocument) -> Store:
    references = References(MINTER)
    references.add(document)
    resolved = [ends(document, relation, references, MINTER) for relation in document.relations]
    store = Store()
    store.extend(Codec(MINTER, Ontology.load()).encode(document, resolved, root="/r").quads())
    return store


def schema(name: str) -> dict[str, Any]:
    return dict(json.loads((schemas_dir() / f"{name}.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", EXTRACTS)
def test_a_fixture_is_read(name: str) -> None:
    written = tcf_samples.value(name)
    document = read(written, name)
    assert document.id == f"{written['id']}.tcf" and document.about == (written["id"], written["source_file"])
    assert document.media_type == "application/json" and document.extraction and document.extraction.agent
    kinds = [item.type for item in document.objects if item.type]
    for key, kind in (
        ("primitives", "Primitive"),
        ("axioms", "Axiom"),
        ("theorems", "Theorem"),
        ("concepts", "Concept"),
    ):
        assert kinds.count(kind) == len(written[key])
    assert all(item.axes["provenanceType"] == "extracted" for item in document.objects)
    assert all(
        item.granularity == (STATEMENT if item.type in ("Axiom", "Theorem") else OTHER) for item in document.objects[1:]
    )
    proposals = [relation for relation in document.relations if relation.concept]
    assert len(proposals) == len(written["external_refs"]) and {r.verdict for r in proposals} == {"pending"}
    assert not [issue for issue in document.issues if issue.severity != "note"]
    jsonschema.Draft202012Validator(schema("tcf-lite")).validate(written)


def test_the_verdicts_are_read() -> None:
    written = tcf_samples.value(VERDICTS)
    document = parse(tcf_samples.content(VERDICTS), VERDICTS, profiles.load("default"))
    assert [(a.source, a.target, a.verdict, a.round, a.line) for a in document.audits] == [
        ("FIX-1", "ORDER-1", "ok", 2, 3), ("FIX-1", "COLOUR-1", "wrong", 1, 4), ("COLOUR-1", "ORDER-1", "weak", 1, 5),
        ("COLOUR-1", "FIX-1", "wrong", 1, 6),
    ]  # fmt: skip
    assert any("grid of points" in passage.text for passage in document.passages)
    jsonschema.Draft202012Validator(schema("verdicts")).validate(written)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("tcf-lite", {"tcf_extract_version": "0.1"}),
        ("tcf-lite", {"tcf_extract_version": "0.1", "id": "P", "canonical_status": "final"}),
        ("tcf-lite", {"tcf_extract_version": "0.1", "id": "P", "external_refs": [{"target": "Q", "type": "mentions"}]}),
        ("verdicts", {"audited": {"A->B": {"verdict": "maybe"}}}),
        ("verdicts", {"audited": {"A": {"verdict": "ok"}}}),
    ],
)
def test_the_schemas_refuse(name: str, wrong: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema(name))
    validator.check_schema(schema(name))
    assert list(validator.iter_errors(wrong))


def test_unknown_words_are_kept_and_reported() -> None:
    document = read({
        "tcf_extract_version": "0.1", "id": "P", "canonical_status": "final", "extraction_date": "soon",
        "primitives": [{"symbol": "s", "kind": "blob"}, 3], "concepts": [{"name": "c", "role": "invents"}],
        "axioms": [{"id": "a"}, {"id": "a"}],
        "external_refs": [{"type": "uses"}, {"target": "Q", "type": "beats", "confidence": 7}],
    })  # fmt: skip
    codes = [issue.code for issue in document.issues]
    assert codes.count("unknown-label") == 4 and {"bad-date", "not-an-object", "duplicate-id"} <= set(codes)
    assert codes.count("bad-relation") == 1 and codes.count("bad-confidence") == 1
    (beats,) = (r for r in document.relations if r.concept)
    assert (beats.type, beats.source_label, beats.confidence, beats.verdict) == ("related_to", "beats", None, "pending")


ODD = """[
{"tcf_extract_version": "0.1", "id": "P",
 "canonical_status": "final",
 "extraction_date": "soon",
 "primitives": [{"symbol": "s", "description": "}, [",
    "kind": "blob"},
   3],
 "concepts": [{"name": "c \\" {",
    "role": "invents", "role": "adores"}],
 "axioms": [
    {"id": "a"},
    {"name": "again",
     "id": "a"}],
 "theorems": [{"id": "t", "statement": "S.", "evidence": "Words.",
    "from_axioms": ["a",
      "b"]}],
 "dag": [
    {"kind": "axiom",
     "id": "ghost", "depends_on": [
       "t"]},
    7],
 "external_refs": [
    {"type": "uses"},
    {"target": "Q",
     "type": "beats",
     "confidence":
        7}]
}]
"""


def test_every_issue_names_the_line_of_its_value() -> None:
    document = parse(ODD.encode(), "odd.json", profiles.load("default"))
    found = {(issue.code, issue.line) for issue in document.issues}
    assert found == {
        ("unknown-label", 3), ("bad-date", 4), ("unknown-label", 6), ("not-an-object", 7), ("unknown-label", 9),
        ("duplicate-key", 9), ("duplicate-id", 13), ("dangling-id", 16), ("dangling-id", 19), ("not-an-object", 21),
        ("bad-relation", 23), ("unknown-label", 25), ("bad-confidence", 27),
    }  # fmt: skip
    assert all(str(issue).startswith(f"odd.json:{issue.line}: ") for issue in document.issues)
    lines = {item.author_id or item.title: item.line for item in document.objects[1:]}
    assert lines == {"s": 5, 'c " {': 8, "a": 12, "t": 14}
    edges = {(r.type, r.target): r.line for r in document.relations}
    assert edges == {("derived_from", "P"): 2, ("depends_on", "a"): 15, ("depends_on", "#b"): 16,
                     ("required_by", "#ghost"): 20, ("related_to", "Q"): 24}  # fmt: skip


def test_ids_that_the_program_gives_itself_are_not_taken() -> None:
    document = read({"tcf_extract_version": "0.1", "id": "P",
                     "axioms": [{"id": name} for name in ("rel1", "a.b", "a#b", "span", "quote2", "relation")]})  # fmt: skip
    ids = [item.id for item in document.objects[1:]]
    assert ids == ["entry-rel1", "a_b", "a_b-2", "entry-span", "entry-quote2", "relation"]
    assert [item.author_id for item in document.objects[1:]] == ["rel1", "a.b", "a#b", "span", "quote2", "relation"]


@settings(max_examples=150, deadline=None)
@given(value=TCF)
def test_whatever_comes_in_goes_out(value: dict[str, Any]) -> None:
    found = tcf_lite(stored(read(value)), MINTER, value["id"].strip() + ".tcf")
    assert same_json(found, value)


@pytest.mark.parametrize(
    "value",
    [
        {"external_refs": [{"target": "Q", "type": t, "confidence": c}]}
        for t, c in (("uses", 0.875), ("used_by", 1), ("requires", 1.0), ("Uses", True), (None, -0.0), ("uses", None))
    ]
    + [
        {"theorems": [{"id": "t", "from_axioms": axioms}], "axioms": [{"id": "a"}, {"id": "b"}], "dag": dag}
        for axioms, dag in (
            (["b", "a"], []), ([], [{"id": "t", "depends_on": ["a"]}]), (None, [{"id": "t", "kind": "lemma"}]),
            (["a", "a"], [{"id": "x"}, {"id": "t", "depends_on": ["t", "y"]}, {"id": "t"}, 5]),
        )
    ]
    + [
        {"title": "A (TCF)"}, {"title": None, "language": "zh-TW"}, {"concepts": []}, {"notes": "a: b: c", "n:m": "x"},
        {"extraction_date": "2026-05-01T10:00:00+08:00"}, {"extraction_date": "2026 年 5 月"}, {"id": " P "},
        {"axioms": [{"id": "a", "formula": "f"}], "canonical_status": "Superseded"},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_awkward_comes_back(value: dict[str, Any]) -> None:
    written = {"tcf_extract_version": "0.1", "id": "P"} | value
    assert same_json(tcf_lite(stored(read(written)), MINTER, "P.tcf"), written)


_words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
_odd = st.none() | st.integers(-2, 2) | _words
AUDITS = st.fixed_dictionaries(
    {
        "audited": st.dictionaries(
            st.sampled_from(["A->B", "A->B->C", "A", "->", " A -> B"]) | _words,
            _odd | st.fixed_dictionaries(
                {}, optional={"verdict": st.sampled_from(["ok", "weak", "wrong", "WRONG"]) | _odd, "reason": _odd,
                              "round": _odd | st.booleans(), "by": _odd},
            ),
            max_size=5,
        )
    },
    optional={"note": _odd},
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(value=AUDITS)
def test_whatever_verdicts_come_in_go_out(value: dict[str, Any]) -> None:
    assert same_json(verdicts(stored(read(value)), MINTER, "file"), value)
