"""OAM JSON in, graph, OAM JSON out: equal as JSON, whatever the object says (formats.md, "Out")."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.namespaces import OAM, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import Codec, Resolved
from oam_rdf.store.json_patch import difference, patched, same
from oam_rdf.store.minter import Minter
from oam_rdf.store.oam_json import document, lines
from oam_rdf.store.selection import Selection

MINTER = Minter("http://oam.localhost/")
WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
NAMES = st.sampled_from(["KO-1", "KO-2", "甲", "C++", "x y", "KO-1#a", "12"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
CONFIDENCE = st.none() | st.floats(0, 1) | st.sampled_from([0, 1, 2, "high", True])


def some(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the keys, and some that nobody knows."""
    unknown = st.dictionaries(WORDS.filter(lambda name: name not in fields), JSON, max_size=2)
    return st.builds(lambda known, other: other | known, st.fixed_dictionaries({}, optional=fields), unknown)


def words(*known: str) -> st.SearchStrategy[str]:
    return st.sampled_from(known) | WORDS


OPERATOR = some({
    "family": words("REP", "META", "rep:formalize"), "mode": words("FORMALIZE", "CRITIQUE"), "parameters": JSON,
    "order": st.integers(0, 5) | WORDS, "confidence": CONFIDENCE, "annotator": WORDS, "review_status": words("REVIEWED"),
})  # fmt: skip
RELATION = some({
    "type": words("depends_on", "superseded_by", "Depends On", "resembles"), "target": NAMES,
    "confidence": CONFIDENCE, "verdict": words("ok", "OK", "weak", "wrong", "perhaps"),
})  # fmt: skip
EVIDENCE = some(
    {"kind": words("formal_proof", "measurement"), "outcome": words("passed", "failed"), "reference": WORDS}
)
OBJECT = some({
    "granularity": words("statement", "Section", "ARGUMENT", "document", "blob"), "title": WORDS | JSON,
    "content": WORDS | JSON, "statement_kind": words("THEOREM", "lemma"), "aliases": st.lists(WORDS, max_size=3) | JSON,
    "representations": some({
        "language": words("zh-Hant", "en", "ZH_hant"), "sparse_terms": st.lists(WORDS, max_size=4) | JSON,
        "dense_embedding_ref": WORDS | JSON,
    }) | JSON,
    "operators": st.lists(OPERATOR | words("REP.FORMALIZE") | JSON, max_size=3),
    "knowledge_role": st.lists(words("HYPOTHESIS", "FRAMEWORK", "framework"), max_size=4) | JSON,
    "relations": st.lists(RELATION | JSON, max_size=4),
    "provenance": some({
        "original_document": NAMES, "source_spans": st.lists(WORDS, max_size=3) | JSON, "tcf_version": WORDS | JSON,
    }) | JSON,
    "version": some({
        "semantic_version": words("0.1") | JSON, "status": words("active", "Superseded"),
        "valid_from": words("2026-07-31", "2026-07-31T08:00:00+08:00", "yesterday"),
    }) | JSON,
    "epistemic_status": some({
        "state": words("CONJECTURE", "conjecture", "SOURCE_CLAIM"), "verification": words("NOT_TESTED", "not tested"),
    }) | JSON,
    "evidence": st.lists(EVIDENCE | JSON, max_size=2) | JSON,
    "access": some({"visibility": words("public", "Internal", "RESTRICTED")}) | JSON,
})  # fmt: skip


def stored(text: str, resolve: Iterable[str] = ()) -> Selection:
    """The selection of a file's document as it lies in the graph; ``resolve``: ids of objects that targets lead to."""
    parsed = parse(text.encode(), "file.json", profiles.load("default"))
    known = {item.id: MINTER.object(parsed.id, item) for item in parsed.objects[1:]}
    known |= {name: MINTER.document(name) for name in resolve}
    relations = [Resolved(relation, known.get(relation.target)) for relation in parsed.relations]
    codec = Codec(MINTER, Ontology.load())
    store = Store()
    store.bulk_extend(codec.encode(parsed, relations, root="/").quads())
    return Selection(store, None, MINTER)


def out(value: Any, resolve: Iterable[str] = ()) -> Any:
    return json.loads(document(stored(json.dumps(value, ensure_ascii=False), resolve)))


@settings(max_examples=80, deadline=None)
@given(OBJECT, st.sets(NAMES.filter(lambda name: "#" not in name)))
def test_any_object_comes_back_equal(value: dict[str, Any], resolve: set[str]) -> None:
    value["knowledge_object_id"] = "KO-7"
    assert same(out(value, resolve), value)


@settings(max_examples=20, deadline=None)
@given(st.lists(OBJECT, min_size=2, max_size=4))
def test_a_list_keeps_its_order(values: list[dict[str, Any]]) -> None:
    for place, value in enumerate(values):
        value["knowledge_object_id"] = f"L-{(place * 7) % 10}"
    assert same(out(values), values)
    selection = stored("\n".join(json.dumps(value) for value in values))
    assert same([json.loads(line) for line in lines(selection).splitlines()], values)


def test_nothing_is_repeated_that_the_graph_does_not_carry() -> None:
    """A claimed proof without evidence goes out as a claim, and what was judged since goes out as judged."""
    claim = {
        "knowledge_object_id": "KO-7",
        "epistemic_status": {"state": "FORMALLY_PROVED", "verification": "REPRODUCED"},
    }
    assert out(claim)["epistemic_status"] == {
        "state": "SOURCE_CLAIM", "verification": "SOURCE_CLAIMED", "claimed_state": "FORMALLY_PROVED",
    }  # fmt: skip
    for said in ({}, {"epistemic_status": {"state": "conjecture"}}):
        selection = stored(json.dumps({"knowledge_object_id": "KO-7", "content": "x", **said}))
        (old,) = selection.store.quads_for_pattern(None, NamedNode(OAM + "epistemicState"), None)
        selection.store.remove(old)
        refuted = NamedNode(concept("epistemic-state", "REFUTED"))
        selection.store.add(Quad(old.subject, old.predicate, refuted, old.graph_name))
        assert json.loads(document(selection))["epistemic_status"]["state"] == "REFUTED"


def test_an_audit_outlives_what_was_written() -> None:
    selection = stored(json.dumps({
        "knowledge_object_id": "KO-7", "relations": [{"type": "uses", "target": "KO-1", "verdict": "ok"}],
    }), ["KO-1"])  # fmt: skip
    (old,) = selection.store.quads_for_pattern(None, NamedNode(OAM + "verdict"), None)
    selection.store.remove(old)
    selection.store.add(Quad(old.subject, old.predicate, NamedNode(concept("verdict", "wrong")), old.graph_name))
    assert json.loads(document(selection))["relations"] == [{"type": "uses", "target": "KO-1", "verdict": "wrong"}]


@given(JSON, JSON)
def test_a_patch_makes_the_one_of_the_other(old: Any, new: Any) -> None:
    before = json.dumps(old)
    steps = list(difference(old, new))
    assert same(patched(json.loads(before), steps), new) and (not steps) == same(old, new)
