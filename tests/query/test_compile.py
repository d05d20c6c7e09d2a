"""The deterministic compiler: types, names, directions and the paper's two plans, in three languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from compile_world import made, values
from hypothesis import given
from hypothesis import strategies as st
from opencc import OpenCC
from test_plan import paper

from oam_rdf.errors import ConfigError
from oam_rdf.ontology import Ontology
from oam_rdf.query.compile import compile_query, language_of
from oam_rdf.query.cues import GAP
from oam_rdf.query.directions import relations_of
from oam_rdf.query.families import ROUTES, families
from oam_rdf.query.plan import Entry, Plan
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import index_key

FIRST = "找出比舊 IMS 更嚴謹、但仍保留知識導航概念的新版理論。"
SECOND = "從這篇理論往下找第一個可執行 MVP。"
simplified = OpenCC("t2s").convert
snapshot = pytest.fixture(scope="module")(made)


@pytest.mark.parametrize(
    ("query", "number"), [(FIRST, 1), (SECOND, 2), (simplified(FIRST), 1), (simplified(SECOND), 2)]
)
def test_the_papers_queries_compile_to_the_papers_plans(snapshot: Snapshot, query: str, number: int) -> None:
    """Paper §2.1: ours contains all that the paper's holds, except the paraphrase, which rules cannot make."""
    ours, theirs = compile_query(query, snapshot), paper(number)
    folded = {index_key(value) for value in values(ours.lexical.include)}
    assert folded >= {index_key(value) for value in values(theirs.lexical.include)}
    for part, name in (
        ("operator", "require"), ("navigation", "directions"), ("graph", "relations"), ("epistemic", "prefer"),
        ("epistemic", "exclude"),
    ):  # fmt: skip
        wanted = values(getattr(getattr(theirs, part), name))
        assert set(values(getattr(getattr(ours, part), name))) >= set(wanted), (part, name)
    assert set(ours.routes) >= set(theirs.routes)
    assert ours.version.mode.value == theirs.version.mode.value and not ours.version.mode.hard
    assert ours.semantic == Entry(query, "rule:text")
    if number == 2:  # "this" names nothing here: said, not guessed
        assert ours.navigation.start == () and any("names no object" in v for v in values(ours.answerability_risk))
    assert Plan.from_yaml(ours.to_yaml()) == ours == Plan.from_json(ours.to_json())


TYPES = [
    ("KINV-00042 是什麼？", "EXACT"),
    ("哪些理論討論 AI 如何維持可修訂知識？", "SEMANTIC"),
    ("找比這篇更具體的實作。", "DIRECTIONAL"),
    ("哪些論文依賴「Original 最高來源」？", "RELATIONAL"),
    ("這 2,000 篇理論主要形成哪些研究群？", "GLOBAL"),
    ("哪些命題仍只是猜想，但已經有 3M 實驗？", "EPISTEMIC"),
    ("內視分類學從 v1 到重構版改了什麼？", "VERSION"),
    ("找出反對「宇宙呼吸律」的重構內容。", "NEGATIVE"),
    ("What does pkg-info say?", "EXACT"),
    ("TCF v2.1", "EXACT"),
    ("Δ_OT", "EXACT"),
    ("How do living things keep time?", "SEMANTIC"),
    ("the sphere packing conjecture", "SEMANTIC"),
    ("a more general statement than KINV-00042", "DIRECTIONAL"),
    ("Which documents cite PEP-0241?", "RELATIONAL"),
    ("What are the main themes of these papers?", "GLOBAL"),
    ("Which claims are still unproved?", "EPISTEMIC"),
    ("What changed between v1 and v2?", "VERSION"),
    ("objections to the theory of cosmic breathing", "NEGATIVE"),
]


@pytest.mark.parametrize(("query", "kind"), TYPES)
def test_the_types_of_paper_13(snapshot: Snapshot, query: str, kind: str) -> None:
    for text in (query, simplified(query)):
        assert compile_query(text, snapshot).query_type == kind


def test_every_type_has_its_default_routes_as_data() -> None:
    rows = families()
    assert {kind: row.default for kind, row in rows.items()} == {
        "EXACT": {"SPARSE_ONLY"},
        "SEMANTIC": {"HYBRID"},
        "DIRECTIONAL": {"OPERATOR_FILTERED", "GRAPH_LOCAL"},
        "RELATIONAL": {"GRAPH_LOCAL", "HYBRID"},
        "GLOBAL": {"GRAPH_GLOBAL", "HYBRID"},
        "EPISTEMIC": {"HYBRID"},
        "VERSION": {"VERSION_TRACE", "SOURCE_TRACE"},
        "NEGATIVE": {"OPERATOR_FILTERED", "GRAPH_LOCAL"},
    }
    assert rows["DIRECTIONAL"].without_start == {"HYBRID"} and rows["EPISTEMIC"].with_evidence == {"GRAPH_LOCAL"}
    assert set(ROUTES) == Ontology.load().notations("route")


def test_a_family_without_routes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oam_rdf.query import families as module

    (tmp_path / "schemes").mkdir()
    file = tmp_path / "schemes" / "query-families.ttl"
    head = "@prefix oam: <https://w3id.org/oam/ns#> .\n@prefix route: <https://w3id.org/oam/route/> .\n<http://e.x/a> "
    monkeypatch.setattr(module, "ontology_dir", lambda: tmp_path)
    for body, message in (
        ('oam:alias "A" .', "no default route"),
        ("oam:defaultRoute route:FAST .", "'FAST' is no route"),
    ):
        file.write_text(head + body, encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            module._load.__wrapped__()


def test_ids_names_and_quotes(snapshot: Snapshot) -> None:
    for text in ("What is PEP-241?", "pep 241 的內容", "ＰＥＰ－241", "see pkg-info", "「PEP-241」是什麼"):
        (entry,) = compile_query(text, snapshot).lexical.ids
        assert entry.origin == "rule:id-index" and not entry.hard
    # A page that is called by a word is not an exact id: its head must be able to stand in.
    for text in ("呼吸律", "呼吸律是什麼？", "什麼是呼吸律"):
        named = compile_query(text, snapshot)
        assert named.lexical.ids == () and values(named.entities) == ["呼吸律"] and named.query_type == "EXACT"
    unknown = compile_query("PEP 9999 says what?", snapshot)
    assert values(unknown.entities) == ["PEP 9999"] and unknown.answerability_risk
    quoted = compile_query("論文依賴「Original 最高來源」與 “free will”", snapshot)
    assert values(quoted.lexical.exact_terms) == ["Original 最高來源", "free will"]
    codes = compile_query("S7 與 EML-IOT-2026-v4.0 和 gen_itgc", snapshot)
    assert values(codes.lexical.include)[:3] == ["S7", "EML-IOT-2026-v4.0", "gen_itgc"] and codes.version.id == ()


def test_quoted_words_are_no_cues(snapshot: Snapshot) -> None:
    plan = compile_query("誰寫過「反對最新版本」這句話", snapshot)
    assert plan.navigation.directions == () and plan.lexical.exact_terms


@pytest.mark.parametrize(
    ("query", "directions"),
    [
        ("latest version of PEP-241", ["VERSION.LATEST"]),
        ("PEP-241 的最新版本", ["VERSION.LATEST"]),
        ("the predecessor of PEP-241", ["VERSION.EARLIER"]),
        ("PEP-241 被誰取代", ["VERSION.LATER"]),
        ("附上 PEP-241 的出處", ["SOURCE.BACK"]),
        ("go EPISTEMIC.MORE_RIGOROUS from KINV-00042", ["EPISTEMIC.MORE_RIGOROUS"]),
        ("IMPLEMENTATION.DOWN of KINV-00042", ["IMPLEMENTATION.NEAREST"]),
    ],
)
def test_directions_and_their_start(snapshot: Snapshot, query: str, directions: list[str]) -> None:
    for text in (query, simplified(query)):
        plan = compile_query(text, snapshot)
        assert values(plan.navigation.directions) == directions
        assert values(plan.navigation.start) == values(plan.lexical.ids) != []
        assert plan.version.mode.value == ("history" if directions == ["VERSION.EARLIER"] else "default")


def test_a_title_starts_a_direction_without_being_an_id(snapshot: Snapshot) -> None:
    plan = compile_query("《呼吸律》的反例", snapshot)
    assert values(plan.navigation.start) == ["呼吸律"] and plan.lexical.ids == ()


def test_words_inside_words_are_no_cues(snapshot: Snapshot) -> None:
    assert compile_query("the translatest versionist", snapshot).navigation.directions == ()
    # One English word is content: it switches nothing.
    assert compile_query("historical development of calculus", snapshot).version.mode.value == "default"
    assert compile_query("observations of the night sky", snapshot).query_type == "SEMANTIC"


def test_deeper_is_ambiguous_and_says_so(snapshot: Snapshot) -> None:
    """Paper §19.10."""
    for text in ("更深入", "deeper"):
        plan = compile_query(text, snapshot)
        assert len(plan.navigation.directions) >= 4 and all(e.confidence == 0.5 for e in plan.navigation.directions)
        assert plan.graph.relations == ()  # none is guessed
        (note,) = plan.notes
        assert note.startswith(text) and all(name in note for name in values(plan.navigation.directions))
        answer = search(snapshot, text)
        assert list(answer.certificate["uncertainty"]["notes"]) == [note]
        for language, word in (("zh-Hant", "歧義"), ("zh-Hans", "歧义"), ("en", "ambiguous")):
            assert any(word in s["text"] and note in s["text"] for s in answer.explanation(language))


def test_an_ambiguous_word_is_read_by_what_stands_beside_it(snapshot: Snapshot) -> None:
    beside = compile_query("從 KINV-00042 往下找實作", snapshot)
    assert values(beside.navigation.directions) == ["APPLICATION.DOWN", "IMPLEMENTATION.NEAREST"] and not beside.notes
    alone = compile_query("從 KINV-00042 往下", snapshot)
    assert set(values(alone.navigation.directions)) == {"APPLICATION.DOWN", "CONCRETE.DOWN"} and alone.notes


def test_operators_by_notation_and_by_label(snapshot: Snapshot) -> None:
    """Decision D4."""
    for text in ("REP.FORMALIZE 的文章", "IOP:REP:FORMALIZE 的文章"):
        plan = compile_query(text, snapshot)
        assert values(plan.operator.require) == ["REP.FORMALIZE"] and not plan.operator.require[0].hard
        assert "OPERATOR_FILTERED" in plan.routes
    assert "INTERO.BREATH" in values(compile_query("找出內視分類學中更嚴謹的呼吸理論", snapshot).operator.prefer)


def test_no_retrieval_only_for_what_is_asked_of_the_program(snapshot: Snapshot) -> None:
    for text in ("有多少文件？", "how many documents are there?", "status", "索引狀態", "is the index ready?"):
        assert compile_query(text, snapshot).routes == ("NO_RETRIEVAL",)
    for text in (
        "PEP-241 status",
        "how many documents does 《呼吸律》 cite",
        "the status of women in science",
        "系統狀態機的設計",
    ):
        assert "NO_RETRIEVAL" not in compile_query(text, snapshot).routes
    assert compile_query("", snapshot).routes == ()


def test_every_direction_and_family_has_cues_in_all_three_languages() -> None:
    cues = Ontology.load().cues()
    assert all(cue.phrase == cue.phrase.strip() and GAP * 2 not in cue.phrase for cue in cues)
    for scheme, fewest in (("direction", 3), ("query-family", 1)):
        for notation in Ontology.load().notations(scheme) - {
            "exact-lookup",
            "semantic-lookup",
            "global-query",
            "negative-query",
        }:
            for language in ("en", "zh-Hant", "zh-Hans"):
                mine = [cue for cue in cues if (cue.scheme, cue.notation, cue.language) == (scheme, notation, language)]
                assert len(mine) > fewest, (notation, language)


def test_relations_of_directions() -> None:
    assert relations_of("VERSION.LATEST") == ("supersedes",)
    assert relations_of("EPISTEMIC.MORE_RIGOROUS") == ("refines", "supersedes")  # formalizes is a kind of refines
    assert relations_of("SIDEWAYS") == ()


@given(st.text(max_size=60))
def test_language_by_script(text: str) -> None:
    assert language_of(text, ["en", "zh-Hant"]) in ("en", "zh", "ja", "ko")


def test_languages() -> None:
    assert [language_of(t, ["en"]) for t in ("word", "字", "かな", "한글", "")] == ["en", "zh", "ja", "ko", "en"]
    assert language_of("Wort", ["de"]) == "de"


def test_a_question_about_the_world_is_no_navigation(snapshot: Snapshot) -> None:
    for text in (
        "Who was the successor of the emperor?",
        "哪一支軍隊反對國王？",
        "which river depends on the glacier?",
    ):
        plan = compile_query(text, snapshot)
        assert (plan.query_type, plan.navigation.directions, plan.graph.relations) == ("SEMANTIC", (), ())
    for text in ("Who objects to KINV-00042?", "哪一篇論文反對這個說法？", "which theories depend on this claim?"):
        assert compile_query(text, snapshot).query_type != "SEMANTIC"


def test_a_hint_leads_only_where_something_is_named(snapshot: Snapshot) -> None:
    led = compile_query("KINV-00042 in code", snapshot)
    assert led.query_type == "DIRECTIONAL" and values(led.navigation.directions) == ["IMPLEMENTATION.NEAREST"]
    assert compile_query("clean code in large teams", snapshot).navigation.directions == ()
    # Beside a sure cue a hint adds nothing.
    assert values(compile_query("latest version of the code of KINV-00042", snapshot).navigation.directions) == [
        "VERSION.LATEST"
    ]
