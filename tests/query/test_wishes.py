"""What a query asks for beside its matter: exclusions, dates, standing, relations, source, language, number and shape."""

from __future__ import annotations

import pytest
from compile_world import made, values
from opencc import OpenCC

from oam_rdf.query.compile import compile_query
from oam_rdf.query.plan import Entry
from oam_rdf.query.snapshot import Snapshot

simplified = OpenCC("t2s").convert
snapshot = pytest.fixture(scope="module")(made)


@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("papers on breathing but not meditation", ["meditation"]),
        ("breathing, excluding the yoga tradition, in sport", ["yoga tradition"]),
        ("metrics without averages", ["averages"]),
        ("呼吸理論，不要冥想", ["冥想"]),
        ("排除實驗的呼吸研究", ["實驗"]),
        ("除了冥想之外的方法", ["冥想"]),
        ("metadata rules except PEP-241", ["PEP-241"]),
    ],
)
def test_what_is_not_wanted(snapshot: Snapshot, query: str, excluded: list[str]) -> None:
    plan = compile_query(query, snapshot)
    assert values(plan.lexical.exclude) == excluded and plan.lexical.ids == ()
    assert not set(values(plan.lexical.include)) & set(excluded)
    assert all(not e.hard and e.origin.startswith("rule:exclusion") for e in plan.lexical.exclude)


def test_what_is_excluded_asks_for_nothing(snapshot: Snapshot) -> None:
    plan = compile_query("theories of breathing but not criticism", snapshot)
    assert plan.query_type == "SEMANTIC" and plan.navigation.directions == ()
    assert values(plan.operator.exclude) == ["META.CRITIQUE"]
    newest = compile_query("呼吸理論，不要舊版", snapshot)
    assert newest.version.mode == Entry("default", "rule:old versions excluded", 0.8)
    # "Without proof" says how far a claim is established.
    assert compile_query("claims without proof", snapshot).lexical.exclude == ()


@pytest.mark.parametrize(
    ("query", "as_of"),
    [
        ("the rule as of 2021-07-01", "2021-07-01"),
        ("the rule on 2021-07-01", "2021-07-01"),
        ("the rule on 1 July 2021", "2021-07-01"),
        ("the rule on July 1st, 2021", "2021-07-01"),
        ("the rule as of March 2020", "2020-03-31"),
        ("截至 2019 年的規定", "2019-12-31"),
        ("在 2021 年 7 月 1 日的規定", "2021-07-01"),
        ("2021年7月1日時的規定", "2021-07-01"),
        ("截至 2024 年 2 月", "2024-02-29"),
        ("what happened in 2021", ""),
        ("the crisis of 2021-07-01", ""),
        ("on 2021-13-45", ""),
        ("as of yesterday", ""),
    ],
)
def test_dates_that_are_plainly_said(snapshot: Snapshot, query: str, as_of: str) -> None:
    plan = compile_query(query, snapshot)
    assert plan.version.as_of == as_of
    assert ("VERSION_TRACE" in plan.routes) is bool(as_of)


@pytest.mark.parametrize(
    ("query", "preferred"),
    [
        ("which theorems are proved", "FORMALLY_PROVED"),
        ("哪些命題已證明", "FORMALLY_PROVED"),
        ("仍只是猜想的命題", "CONJECTURE"),
        ("claims that are still conjectural", "CONJECTURE"),
        ("already refuted ideas", "REFUTED"),
        ("with experiments on animals", "experiment"),
        ("有實驗支持的主張", "experiment"),
        ("尚無定論的問題", "UNRESOLVED"),
        ("independently reproduced findings", "REPRODUCED"),
        ("未經檢驗的說法", "NOT_TESTED"),
    ],
)
def test_standing_and_evidence(snapshot: Snapshot, query: str, preferred: str) -> None:
    for text in (query, simplified(query)):
        plan = compile_query(text, snapshot)
        assert preferred in values(plan.epistemic.prefer) and plan.query_type == "EPISTEMIC"
        evidence = preferred.islower()
        assert ("GRAPH_LOCAL" in plan.routes) is evidence
        assert ("tests" in values(plan.graph.relations)) is evidence


@pytest.mark.parametrize(
    ("query", "relation"),
    [
        ("which papers depend on KINV-00042", "depends_on"),
        ("哪些論文依賴 KINV-00042", "depends_on"),
        ("which papers use KINV-00042", "uses"),
        ("哪些文件引用了 PEP-241", "cites"),
        ("哪些理論支持 KINV-00042", "supports"),
        ("papers that were translated from KINV-00042", "translates"),
    ],
)
def test_relations(snapshot: Snapshot, query: str, relation: str) -> None:
    for text in (query, simplified(query)):
        plan = compile_query(text, snapshot)
        assert relation in values(plan.graph.relations) and plan.query_type == "RELATIONAL"
        assert plan.routes == ("HYBRID", "GRAPH_LOCAL") and plan.graph.hops == 1


def test_relations_in_a_row_are_hops(snapshot: Snapshot) -> None:
    plan = compile_query("which papers cite the work that PEP-241 depends on", snapshot)
    assert plan.query_type == "RELATIONAL" and plan.graph.hops == 2
    # A verb that is content elsewhere is a relation only beside a name.
    assert compile_query("tools that use colour", snapshot).graph.relations == ()


def test_source_language_number_and_shape(snapshot: Snapshot) -> None:
    source = compile_query("KINV-00042 的原文", snapshot)
    assert source.source.require_original == Entry("true", "rule:source asked", 0.8) and "SOURCE_TRACE" in source.routes
    chinese, english = (
        compile_query("breathing, only Chinese sources", snapshot),
        compile_query("呼吸，只要英文資料", snapshot),
    )
    assert (chinese.language, values(chinese.condition.language)) == ("zh", ["zh"])
    assert (english.language, values(english.condition.language)) == ("en", ["en"])
    assert compile_query("in traditional Chinese only", snapshot).language == "zh-Hant"
    assert compile_query("a history of English spelling", snapshot).condition.language == ()
    for text, k in (
        ("top 5 results on breathing", 5),
        ("關於呼吸的前三篇", 3),
        ("給我十二個", 12),
        ("list seven papers", 7),
    ):
        assert compile_query(text, snapshot).form.k == k
    for text, shape in (
        ("compare PEP-241 and KINV-00042", "comparison"), ("呼吸與冥想的異同", "comparison"),
        ("a timeline of calculus", "timeline"),
        ("整理成年表", "timeline"), ("an evidence table for breathing", "evidence table"), ("breathing", "list"),
    ):  # fmt: skip
        assert compile_query(text, snapshot).form.shape == shape
    assert compile_query("整個語料庫的主要主題", snapshot).form.diversity == 0.3
    conditions = compile_query(
        "breathing in the field of sport medicine, for older adults, open access", snapshot
    ).condition
    assert values(conditions.domain) == ["sport medicine"] and values(conditions.population) == ["older adults"]
    assert values(conditions.rights) == ["open access"]
