"""JSON shapes, each read from a file written here: what becomes of it, what survives, what is refused or reported."""

from __future__ import annotations

import json
from typing import Any

import json_samples as samples
import pytest

from oam_rdf.errors import ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.model import KnowledgeObject, ParsedDocument, Relation


def read(value: Any, path: str = "folder/file.json") -> ParsedDocument:
    content = value if isinstance(value, str) else samples.text(value)
    return parse(content.encode(), path, profiles.load("default"))


def edges(document: ParsedDocument) -> set[tuple[str, str, str]]:
    return {(relation.source, relation.type, relation.target) for relation in document.relations}


def part(document: ParsedDocument, local: str) -> KnowledgeObject:
    return next(item for item in document.objects if item.id == local)


def codes(document: ParsedDocument) -> set[str]:
    return {issue.code for issue in document.issues}


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict) and value:
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list) and value:
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


@pytest.mark.parametrize("name", samples.every_shape())
def test_every_leaf_of_every_shape_is_kept_somewhere(name: str) -> None:
    value = samples.every_shape()[name]
    if isinstance(value, dict) and not any(key.endswith("sha256") for key in value) and "digest" not in value:
        value = {**value, "an unknown key": {"deep": ["kept Ⅳ", 17.5, None]}}
    document = read(samples.lines(value) if isinstance(value, list) else value,
                    "a/file.jsonl" if isinstance(value, list) else "a/file.json")  # fmt: skip
    said = [document.id, document.document.title, *document.document.aliases]
    for item in document.objects:
        said += [*item.extra.values(), item.content, item.title, item.id, item.author_id, item.state_label, item.formula,
                 item.status_label, item.version, *item.aliases]  # fmt: skip
    for relation in document.relations:
        said += [relation.target, relation.subject, relation.type, str(relation.confidence)]
        said += [text for component, number in relation.coupling for text in (component, repr(number))]
    missing = [leaf for leaf in leaves(value) if leaf not in said]
    assert not missing
    for item in document.objects:
        for span in item.spans:
            assert parse  # the words stand where the span says
            written = samples.lines(value) if isinstance(value, list) else samples.text(value)
            assert written[span.start : span.end] in (item.content, item.title)


@pytest.mark.parametrize("name", samples.every_shape())
def test_a_shape_is_told_by_its_keys_and_not_by_its_name_or_folder(name: str) -> None:
    value = samples.every_shape()[name]
    content = samples.lines(value) if isinstance(value, list) else samples.text(value)
    one, other = read(content, "x/promotion-receipt.json"), read(content, "papers.json")
    assert [item.id for item in one.objects] == [item.id for item in other.objects]
    assert edges(one) == edges(other) and one.nodes == other.nodes


# -- 3M --------------------------------------------------------------------------------------------------------------


def test_a_candidate_is_a_proposal_that_goes_by_the_hash_of_its_manifest() -> None:
    value = samples.candidate(supersedes_candidate_manifest_sha256="ab" * 32)
    document = read(value)
    assert document.id == "pearl-2030-01-05" and document.document.aliases == (value["manifest_sha256"],)
    (event,) = document.nodes
    assert (event.kind, event.at, event.made) == ("proposal", "2030-01-05T00:00:00Z", ("",))
    assert edges(document) == {("", "supersedes", "ab" * 32)}
    assert document.document.status_label == "CANDIDATE_UNPROMOTED" and document.document.version_status == ""
    assert [(c.kind, c.target, c.found != "") for c in document.hashes] == [
        ("own", "", True), ("file", "runs/pearl-2030-01-05/shards/part_4.npz", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "key"),
    [("candidate", "manifest_sha256"), ("verification", "verification_sha256"), ("review", "review_sha256"),
     ("audit", "audit_sha256"), ("receipt", "receipt_sha256"), ("graph", "graph_sha256"),
     ("dataset", "manifest_sha256"), ("release", "document_sha256"), ("citation", "citation_sha256")],
)  # fmt: skip
def test_a_record_that_was_altered_is_refused_with_both_hashes(name: str, key: str) -> None:
    value = samples.every_shape()[name]
    with pytest.raises(ParseError) as error:
        read({**value, "added": 1})
    stated, computed = value[key], samples.hashed({k: v for k, v in value.items() if k not in (key, "dag_valid")} |
                                                  {"added": 1}, key)[key]  # fmt: skip
    assert stated in error.value.message and computed in error.value.message
    line = 1 + samples.text({**value, "added": 1}).split(stated)[0].count("\n")
    assert error.value.place == f"folder/file.json:{line}"


def test_verification_review_and_promotion_are_events_of_their_own() -> None:
    candidate = samples.candidate()
    checked, reviewed, promoted = (
        read(make(candidate)) for make in (samples.verification, samples.review, samples.receipt)
    )
    assert [(n.kind, n.at, n.outcome, n.agents) for d in (checked, reviewed, promoted) for n in d.nodes] == [
        ("verification", "2030-01-06T00:00:00Z", "passed", ()),
        ("review", "", "passed", ()),
        ("promotion", "2030-03-01T08:00:00+08:00", "", (("diver_a", "REVIEWER"), ("diver_b", "REVIEWER"))),
    ]
    manifest = candidate["manifest_sha256"]
    assert ("", "verifies", manifest) in edges(checked) and ("", "verifies", manifest) in edges(reviewed)
    assert ("", "promotes", manifest) in edges(promoted)
    assert {"no-agent"} <= codes(checked) and {"no-agent", "no-time"} <= codes(reviewed)
    assert not [r for d in (checked, reviewed) for r in d.relations if r.type == "promotes"]


def test_a_check_that_failed_verifies_nothing_and_an_audit_objects() -> None:
    candidate, other = samples.candidate(), samples.candidate("pearl-2")
    failed = read(samples.verification(candidate, valid=False))
    assert ("", "tests", candidate["manifest_sha256"]) in edges(failed)
    assert not [r for r in failed.relations if r.type == "verifies"] and failed.nodes[0].outcome == "failed"
    audit = read(samples.audit((candidate, False), (other, True)))
    assert edges(audit) == {
        ("", "tests", candidate["manifest_sha256"]), ("", "critiques", candidate["manifest_sha256"]),
        ("", "verifies", other["manifest_sha256"]),
    }  # fmt: skip


def test_a_supersession_runs_between_manifests_by_their_hashes() -> None:
    old, new = samples.candidate(), samples.candidate("pearl-2")
    document = read(samples.superseded(old, new))
    (relation,) = document.relations
    assert (relation.subject, relation.type, relation.target) == (
        old["manifest_sha256"], "superseded_by", new["manifest_sha256"],
    )  # fmt: skip
    assert [(n.kind, n.at) for n in document.nodes] == [("correction", "2030-02-01T00:00:00Z")]


def test_a_provenance_graph_is_on_prov_and_a_receipt_node_promotes_nothing() -> None:
    document = read(samples.graph(samples.candidate()))
    links = {(n.author_id, p.rpartition("#")[2], o.removeprefix("node-")) for n in document.nodes for p, o in n.links}
    assert links == {
        ("move:1", "used", "data:1"), ("run:1", "hadPlan", "data:1"), ("data:2", "wasGeneratedBy", "move:1"),
        ("plan:1", "wasDerivedFrom", "data:2"), ("plan:1", "wasAttributedTo", "look:1"),
        ("up:1", "wasAssociatedWith", "look:1"),
    }  # fmt: skip
    assert {n.author_id: n.kind for n in document.nodes if n.type == "Activity"} == {
        "move:1": "migration", "look:1": "review", "up:1": "", "run:1": "execution",
    }  # fmt: skip


def test_a_provenance_graph_says_what_is_wrong_with_its_edges() -> None:
    value = samples.graph(samples.candidate())
    bare = {k: v for k, v in value.items() if k not in ("graph_sha256", "dag_valid")}
    bare["edges"] = [*value["edges"], {"source": "data:1", "target": "nobody", "relation": "INPUT_TO"},
                     {"source": "data:2", "target": "data:1", "relation": "WHISPERED_TO"}]  # fmt: skip
    document = read(samples.hashed(bare, "graph_sha256"))
    assert {"dangling-edge", "unknown-label", "provenance-cycle"} <= codes(document)


# -- OCME ------------------------------------------------------------------------------------------------------------


def test_a_knowledge_object_keeps_its_conditions_limits_and_dependencies() -> None:
    document = read(samples.knowledge_object())
    head, claim = document.document, part(document, "statement")
    assert (document.id, head.title, head.aliases, head.version) == (
        "mko-odd-sum",
        "奇數和",
        ("Sum of odd numbers",),
        "0.2.0",
    )
    assert (claim.kind, claim.state, claim.formula) == ("THEOREM", "DERIVED", "n^2")
    assert claim.conditions == ("a1",) and [part(document, e).content for e in claim.exceptions] == [
        "有限檢查不是證明。"
    ]
    assert ("", "depends_on", "mko-square") in edges(document)
    assert part(document, "p1").status_label == "human_proof_available"


def test_a_finite_check_is_never_a_proof_whatever_it_says_of_itself() -> None:
    check = read(samples.evidence("finite_computational_check"))
    assert edges(check) == {("", "tests", "mko-odd-sum"), ("", "supports", "mko-odd-sum")}
    assert {item.state for item in check.objects} == {""} and check.document.verification == "SOURCE_CLAIMED"
    assert [(e.kind, e.universal) for e in check.document.evidence] == [("finite_computational_check", False)]
    boast = read(samples.evidence("finite_computational_check", universal=True))
    assert "finite-not-universal" in codes(boast) and boast.document.evidence[0].universal is None
    assert boast.document.extra["claim_scope.universal_proof"] == "true"
    assert not [r for r in boast.relations if r.type == "verifies"] and {i.state for i in boast.objects} == {""}


@pytest.mark.parametrize("status", ["failed", "pending", "inconclusive", "never heard of"])
def test_a_proof_that_did_not_pass_proves_nothing(status: str) -> None:
    document = read(samples.evidence("formal_proof", status=status))
    assert edges(document) == {("", "tests", "mko-odd-sum")} and {item.state for item in document.objects} == {""}


def test_a_passed_proof_verifies_and_an_altered_one_is_refused() -> None:
    value = samples.evidence("formal_proof")
    document = read(value)
    assert edges(document) == {("", "verifies", "mko-odd-sum")} and document.document.state == "FORMALLY_PROVED"
    assert document.document.verification == "SOURCE_CLAIMED"  # the script is not here
    assert document.nodes[0].agents == (("abacus 3", "VERIFIER"),)
    with pytest.raises(ParseError, match=value["digest"]["canonical_payload_sha256"]):
        read({**value, "status": "failed"})
    with pytest.raises(ParseError, match="the id says"):
        read({**value, "id": "evidence-sha256-" + "0" * 64})


def test_entries_refer_to_each_other_and_a_learning_path_is_an_order() -> None:
    atlas = read(samples.ATLAS)
    assert Relation("atlas-tide", "depends_on", "atlas-sea", 12, local=True) in atlas.relations
    assert {("atlas-tide", "depends_on", "atlas-moon"), ("atlas-tide", "mentions", "mko-tide")} <= edges(atlas)
    assert part(atlas, "atlas-sea").extra["depth"] == "4" and part(atlas, "atlas-sea").aliases == ("atlas-sea",)
    paths = read(samples.PATHS)
    assert ("path-a.mko-tide", "read_after", "path-a.mko-sea") in edges(paths)
    assert "dangling-edge" in codes(paths) and not [r for r in paths.relations if r.type == "supersedes"]


def test_a_shape_that_nobody_knows_is_reported_by_its_name_and_one_without_a_name_is_refused() -> None:
    document = read(samples.every_shape()["named"])
    assert any("'tide-table-1.0'" in issue.message for issue in document.issues)
    with pytest.raises(ParseError, match="no knowledge object"):
        read({"rows": [1, 2]})


# -- registers, ledgers, edges ---------------------------------------------------------------------------------------


def test_register_entries_point_to_their_papers_and_claim_their_hashes() -> None:
    value = samples.registry()
    document = read(value, "library/papers.json")
    assert document.id == "library/papers" and [o.title for o in document.objects[1:]] == ["On tides", "On currents"]
    first = document.relations[0]
    assert (first.source, first.type, first.target, first.also) == (
        "TIDE-01",
        "mentions",
        "TIDE-01",
        ("papers/tides.md",),
    )
    assert document.objects[1].created == "2030-01-01T00:00:00Z" and document.objects[2].line == 13
    assert [(c.kind, c.target, c.strict) for c in document.hashes] == [
        ("original", "papers/tides.md", False), ("original", "papers/currents.md", False),
    ]  # fmt: skip


def test_register_entries_that_are_wrong_are_named() -> None:
    value = {"items": [{"id": "A", "hash": "sha256:beef"}, {"id": "A", "hash": None}, "loose", {"hash": "0" * 64}]}
    document = read(value)
    assert {"bad-hash", "duplicate-id", "not-an-item", "no-id"} <= codes(document)
    assert document.document.extra["items.2"] == "loose"


def test_a_programme_is_an_order_of_reading_and_supersedes_nothing() -> None:
    document = read(samples.PROGRAMME)
    assert document.id == "SEA" and document.document.extra["season"] == "winter"
    assert edges(document) == {
        ("TIDE-02", "mentions", "TIDE-02"), ("TIDE-01", "mentions", "TIDE-01"), ("TIDE-02", "read_after", "TIDE-01"),
    }  # fmt: skip
    assert part(document, "TIDE-02").order == 2 and part(document, "TIDE-02").extra["is_checkpoint"] == "true"


def test_statuses_of_a_ledger_are_kept_mapped_and_never_upgraded() -> None:
    document = read(samples.LEDGER)
    got = {o.id: (o.state, o.state_label, o.verification) for o in document.objects[1:]}
    assert got == {
        "C-1": ("SOURCE_CLAIM", "PROVED_IN_NOTEBOOK", "SOURCE_CLAIMED"),
        "C-2": ("CONJECTURE", "CONJECTURED", ""),
        "C-3": ("FORMALLY_PROVED", "PROVED_BY_MACHINE", "SOURCE_CLAIMED"),
        "C-4": ("UNRESOLVED", "NOT_PROVED", ""),
        "G-1": ("UNRESOLVED", "open", ""),
        "G-2": ("SOURCE_CLAIM", "closed_by_C-2", ""),
    }
    assert (
        part(document, "C-1").axes == {"formality": "INFORMAL"} and part(document, "C-1").extra["scope"] == "open sea"
    )
    assert part(document, "G-1").extra["blocking"] == "true" and document.document.extra["keeper"] == "the harbour"
    assert "unproven-state" in codes(document)


@pytest.mark.parametrize("status", ["UNPROVED", "UNPROVEN", "NOT_PROVEN", "not proved", "DISPROVED", "未證明", "OPEN"])
def test_a_status_that_denies_a_proof_is_no_proof(status: str) -> None:
    evidence = [{"kind": "formal_proof", "outcome": "passed", "reference": "doi:10.1000/x"}]
    document = read({"claim_id": "C", "statement": "s", "status": status, "evidence": evidence})
    assert part(document, "C").state not in ("FORMALLY_PROVED", "MACHINE_CHECKED", "DERIVED")
    assert part(document, "C").state_label == status


@pytest.mark.parametrize("shape", ["one", "list", "lines", "under"])
def test_a_ledger_comes_alone_in_a_list_on_lines_or_under_a_key(shape: str) -> None:
    claims = samples.LEDGER["claims"]
    content = {"one": samples.text(claims[0]), "list": samples.text(claims), "lines": samples.lines(claims),
               "under": samples.text({"claims": claims})}[shape]  # fmt: skip
    document = read(content, "l.jsonl" if shape == "lines" else "l.json")
    assert [o.id for o in document.objects[1:]] == ["C-1", "C-2", "C-3", "C-4"][: 1 if shape == "one" else 4]


def test_couplings_are_kept_to_the_digit_and_nothing_walks_an_edge_that_nobody_accepted() -> None:
    document = read([samples.edge(), samples.edge("e2", verdict="ok", relation="supports", note="calm")])
    first, second = document.relations
    assert (first.subject, first.type, first.target, first.verdict) == ("SEA", "related_to", "TIDE-01", "pending")
    assert dict(first.coupling) == samples.edge()["coupling"] and first.confidence == 0.75
    assert (second.type, second.verdict) == ("supports", "ok")
    assert document.document.extra["edges.1.note"] == "calm"


def test_couplings_that_are_wrong_are_named_with_their_edge() -> None:
    def changed(**values: Any) -> dict[str, Any]:
        return {**samples.edge()["coupling"], **values}

    def without(name: str) -> dict[str, Any]:
        return {k: v for k, v in samples.edge()["coupling"].items() if k != name}

    wrong = [samples.edge(f"ok{n}") for n in range(6)]
    wrong += [samples.edge("less", coupling=without("echo")), samples.edge("more", coupling=changed(gust=0.1)),
              samples.edge("word", coupling=changed(lag="NaN")), samples.edge("high", coupling=changed(lag=1.5)),
              samples.edge("none", coupling=None), samples.edge("sure", confidence=3)]  # fmt: skip
    said = " | ".join(issue.message for issue in read(wrong).issues)
    for phrase in ("edge less lacks echo", "edge more has gust besides", "lag of edge word is 'NaN'", "lag of edge high is 1.5",
                   "edge none has no object of couplings", "the confidence of edge sure"):  # fmt: skip
        assert phrase in said
    text = samples.text([samples.edge("inf")]).replace("-0.3", "1e999")
    assert any("inf, no finite number" in issue.message for issue in read(text).issues)
    with pytest.raises(ParseError, match="NaN is no JSON number"):
        read(samples.text([samples.edge("nan")]).replace("-0.3", "NaN"))
    eight = [samples.edge(str(n), coupling=without("echo")) for n in range(3)]
    assert any("share 8 coupling names, not 9" in issue.message for issue in read(eight).issues)


def test_leaves_that_would_share_a_name_are_all_kept() -> None:
    value = {
        "schema": "x",
        "a.b": 1,
        "a": {"b": 2, "b.c": []},
        "representations": {"sparse_terms": "not a list"},
        "": {"": 0},
    }
    extra = read(value).document.extra
    assert sorted(extra.values()) == sorted(["x", "1", "2", "[]", "not a list", "0"])
    assert "representations.sparse_terms" not in extra  # the codec would take it for terms of an index
