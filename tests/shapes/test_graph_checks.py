"""Each whole-graph check finds what it is for, and nothing in a graph that is in order."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, RdfFormat, Store

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.namespaces import OAM, SHAPES
from oam_rdf.store.graph_checks import check_graph, checks

PREFIXES = """@prefix : <http://oam.localhost/doc/> .
@prefix g: <http://oam.localhost/graph/> .
@prefix oam: <https://w3id.org/oam/ns#> .
@prefix vs: <https://w3id.org/oam/version-status/> .
@prefix vis: <https://w3id.org/oam/visibility/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
"""


def graph(trig: str) -> Store:
    store = Store()
    store.load((PREFIXES + trig).encode(), format=RdfFormat.TRIG)
    return store


def found(trig: str, name: str) -> set[tuple[str, str]]:
    """(focus, value) of the findings of one check, without the base."""
    results = check_graph(graph(trig), [name])
    assert all(r.shape == f"{SHAPES}queries/{name}" and r.messages.keys() >= {"en", "zh-Hant"} for r in results)
    return {(r.focus.rpartition("/")[2], r.value.rpartition("/")[2].rstrip(">")) for r in results}


def test_every_check_says_problem_and_solution() -> None:
    assert len(checks()) >= 7
    for check in checks().values():
        assert check.problem.endswith(".") and check.solution.endswith(".")
        assert check.severity in ("Violation", "Warning", "Info")


def test_a_cycle_across_graphs() -> None:
    cycle = (
        "g:a { :a oam:supersedes :b } g:b { :b oam:supersedes :c } g:c { :c oam:supersedes :a . :d oam:supersedes :c }"
    )
    assert found(cycle, "supersession-cycle") == {("a", "b"), ("b", "c"), ("c", "a")}
    assert found("g:a { :a oam:supersedes :a }", "supersession-cycle") == {("a", "a")}
    assert not found("g:a { :c oam:supersedes :b . :b oam:supersedes :a }", "supersession-cycle")


def test_a_fork_has_two_heads() -> None:
    assert found("g:a { :b oam:supersedes :a . :c oam:supersedes :a }", "supersession-fork") == {("a", "b"), ("a", "c")}
    later = "g:a { :b oam:supersedes :a . :c oam:supersedes :a . :d oam:supersedes :c }"
    assert found(later, "supersession-fork") == {("a", "b"), ("a", "c")}
    below = "g:a { :b oam:supersedes :a . :c oam:supersedes :a . :c oam:supersedes :b . :d oam:supersedes :b }"
    assert found(below, "supersession-fork") == {("b", "c"), ("b", "d")}  # where the ways part, not where they began


@pytest.mark.parametrize("trig", [
    "g:a { :b oam:supersedes :a . :c oam:supersedes :a , :b }",
    "g:a { :b oam:supersedes :a . :c oam:supersedes :a . :d oam:supersedes :b , :c }",
    "g:a { :c oam:supersedes :a , :b }",
])  # fmt: skip
def test_a_long_way_round_or_a_merge_is_no_fork(trig: str) -> None:
    assert not found(trig, "supersession-fork")


def test_mutual_dependency() -> None:
    assert found("g:a { :a oam:dependsOn :b } g:b { :b oam:dependsOn :a , :c }", "mutual-dependency") == {
        ("a", "b"), ("b", "a")}  # fmt: skip


def test_a_relation_to_something_that_is_gone() -> None:
    trig = "g:a { :a a oam:Document ; oam:dependsOn :b , :gone ; oam:extends :lost } g:b { :b a oam:Document }"
    assert found(trig, "dangling-target") == {("a", "gone"), ("a", "lost")}


def test_an_unresolved_reference() -> None:
    trig = """g:a { :r a oam:Relation ; oam:relationSource :a ; oam:relationType oam:cites ; oam:targetLabel "PEP 8" .
        :q a oam:Relation ; oam:relationSource :a ; oam:relationType oam:cites ; oam:targetLabel "B" ; oam:relationTarget :b }"""
    assert found(trig, "unresolved-relation") == {("a", '"PEP 8"')}


def test_two_statuses_in_one_graph_but_not_in_two() -> None:
    assert {f for f, _ in found("g:a { :a oam:versionStatus vs:ACTIVE , vs:SUPERSEDED }", "version-status-twice")} == {
        "a"
    }
    assert not found(
        "g:a { :a oam:versionStatus vs:HISTORICAL } g:b { :a oam:versionStatus vs:SUPERSEDED }", "version-status-twice"
    )


SECRET = """
    g:secret { :s dcterms:identifier "S" . :t dcterms:identifier "T" ; oam:dependsOn :s }
    g:inner { :i dcterms:identifier "I" }
    g:about { g:secret oam:visibility vis:CONFIDENTIAL }
    g:about2 { g:inner oam:visibility vis:INTERNAL }
"""


@pytest.mark.parametrize(("trig", "leaks"), [
    ("g:open { :a oam:dependsOn :s }", {("a", "s")}),
    ("g:inner { :i oam:cites :s }", {("i", "s")}),
    ("g:secret { :s oam:cites :i }", set()),
    ("g:open { :a oam:cites :b }", set()),
    ('g:told { :p dcterms:identifier "P" } g:about3 { g:told oam:visibility vis:PUBLIC } g:open { :a oam:cites :p }', set()),
])  # fmt: skip
def test_a_wider_graph_names_a_narrower_object(trig: str, leaks: set[tuple[str, str]]) -> None:
    assert found(SECRET + trig, "visibility-leak") == leaks


def test_a_history_of_two_thousand_versions_is_checked_in_seconds() -> None:
    store, supersedes = Store(), NamedNode(OAM + "supersedes")
    node = [NamedNode(f"http://oam.localhost/doc/{number}") for number in range(2001)]
    store.bulk_extend(Quad(later, supersedes, earlier) for earlier, later in pairwise(node))
    started = time.perf_counter()
    assert not check_graph(store, ["supersession-cycle", "supersession-fork"])
    assert time.perf_counter() - started < 5


def test_an_unknown_check_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no such graph check: orphans"):
        check_graph(Store(), ["orphans"])


def test_a_query_without_its_head_is_refused(tmp_path: Path) -> None:
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "x.rq").write_text("# Problem: none.\nSELECT * { ?s ?p ?o }", encoding="utf-8")
    with pytest.raises(ConfigError, match="Severity, Solution"):
        checks(tmp_path)
