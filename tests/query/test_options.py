"""Options that are none, questions for fields, and verdicts while a channel is off."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from query_world import World, said

from oam_rdf.errors import UsageError
from oam_rdf.query.asked import asked
from oam_rdf.query.plan import Plan
from oam_rdf.query.search import search


@pytest.mark.parametrize(
    ("options", "message", "choice"),
    [
        ({"route": "FASTEST"}, "unknown route 'FASTEST'", "SPARSE_ONLY"),
        ({"route": "SPARSE_ONLY FASTEST"}, "unknown route 'FASTEST'", "HYBRID"),
        ({"route": "SPARSE_ONLY DENSE_ONLY"}, "exclude each other", "HYBRID"),
        ({"granularity": "word"}, "unknown granularity 'WORD'", "STATEMENT"),
        ({"language": "english language"}, "is no language tag", "zh-Hant"),
        ({"only_language": "zh_TW"}, "is no language tag", "zh-Hant"),
        ({"kind": "WORD"}, "unknown kind 'WORD'", "AXIOM"),
        ({"visibility": ["SECRET"]}, "unknown visibility 'SECRET'", "PUBLIC"),
        ({"version": "newest"}, "unknown version mode 'newest'", "active"),
        ({"scorer": "magic"}, "unknown scorer 'magic'", "bm25"),
        ({"idf": "magic"}, "unknown idf 'magic'", "classic"),
        ({"weights": {"words": 1.0}}, "unknown weight 'words'", "lexical"),
        ({"directions": ["SIDEWAYS"]}, "unknown direction 'SIDEWAYS'", "VERSION.LATEST"),
        ({"half_life": -3}, "half-life is -3", "0 to switch"),
        ({"rerank": "magic"}, "unknown reranker 'magic'", "st:NAME"),
        ({"states": ["TRUE"]}, "unknown epistemic state 'TRUE'", "REFUTED"),
    ],
)
def test_an_option_that_is_none_names_the_choices(
    world: World, options: dict[str, Any], message: str, choice: str
) -> None:
    world.add("D", "A pendulum swings.")
    snapshot = world.snapshot()
    with pytest.raises(UsageError) as error:
        search(snapshot, "pendulum", **options)
    assert message in str(error.value) and choice in str(error.value)


def test_a_plan_is_checked_like_options(world: World) -> None:
    world.add("D", "A pendulum swings.")
    snapshot = world.snapshot()
    for data in (
        {"route": ["FASTEST"]}, {"form": {"granularity": "WORD"}}, {"language": "no tag"}, {"scorer": "magic"},
        {"version": {"mode": "newest"}}, {"condition": {"kind": ["WORD"]}},
    ):  # fmt: skip
        with pytest.raises(UsageError):
            search(snapshot, Plan.from_json({"text": "pendulum", **data}))


def test_good_options_are_taken(world: World) -> None:
    world.add("D", said("H", "A pendulum swings."))
    snapshot = world.snapshot()
    for options in (
        {"route": "sparse_only"}, {"route": "HYBRID+VERSION_TRACE"}, {"granularity": "source_span"}, {"kind": ""},
        {"language": "zh-Hant-TW"}, {"visibility": ["public"]}, {"scorer": "bm25"},
    ):  # fmt: skip
        assert search(snapshot, "pendulum", **options).certificate["route"]  # type: ignore[arg-type]


def test_explanations_in_an_unknown_language_are_refused(world: World) -> None:
    world.add("D", "Ein Pendel schwingt.", language="de")
    answer = search(world.snapshot(), "Pendel", language="de")
    assert answer.certificate["explanation"]
    for tag in ("fr", "", "english", "xx-Hant"):
        with pytest.raises(UsageError, match="zh-Hant, zh-Hans, en"):
            answer.explanation(tag)
    assert answer.explanation("zh-CN") == answer.explanation("zh-Hans") != answer.explanation("zh-TW")
    assert answer.explanation("en-GB") == answer.explanation("EN")


def test_directions_join_those_of_the_query(world: World) -> None:
    world.add("DOC-1", "A pendulum swings.")
    world.add("DOC-2", "A pendulum swings on.", relations=(("supersedes", "DOC-1"),))
    snapshot = world.snapshot()
    plain = search(snapshot, "DOC-1")
    led = search(snapshot, "DOC-1", directions=["version.latest"])
    assert (plain.results[0].id, led.results[0].id) == ("DOC-1", "DOC-2")
    navigation = led.certificate["query_plan"]["navigation"]
    assert [e["value"] for e in navigation["directions"]] == ["VERSION.LATEST"]
    assert [e["value"] for e in navigation["start"]] == ["DOC-1"]
    both = search(snapshot, "latest version of DOC-1", directions=["DEPENDENCY.UPSTREAM"])
    values = [e["value"] for e in both.certificate["query_plan"]["navigation"]["directions"]]
    assert values == ["DEPENDENCY.UPSTREAM", "VERSION.LATEST"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("who is the third author of EIP-1559", "creator[3]"),
        ("Who is the 3rd author of EIP-1559?", "creator[3]"),
        ("the 12th co-author of EIP-1559", "creator[12]"),
        ("name the seventh listed author of EIP-1559", "creator[7]"),
        ("author number 3 of EIP-1559", "creator[3]"),
        ("EIP-1559 author #2", "creator[2]"),
        ("author two of EIP-1559", "creator[2]"),
        ("of the authors of EIP-1559, who is the fourth?", "creator[4]"),
        ("second creator of EIP-1559", "creator[2]"),
        ("EIP-1559 的第三位作者是誰？", "creator[3]"),
        ("EIP-1559 第 3 個 author", "creator[3]"),
        ("EIP-1559 的作者中第十二位是誰", "creator[12]"),
        ("EIP-1559 的第二十一位作者", "creator[21]"),
        ("list the authors of EIP-1559", "creator"),
        ("the authors of the second version of EIP-1559", "creator"),
        ("When was EIP-1559 created?", "created"),
        ("what is the status of EIP-1559", "status"),
        ("EIP-1559 是什麼版本", "version"),
        ("what version is EIP-1559?", "version"),
    ],
)
def test_the_field_that_is_asked_for(text: str, field: str) -> None:
    assert [entry.value for entry in asked(text)] == [field]


@pytest.mark.parametrize(
    "text",
    ["latest version of EIP-1559", "which version of Python does PEP-563 need", "EIP-1559 authority and status quo"],
)
def test_no_field_is_asked_for(text: str) -> None:
    assert asked(text) == ()


def test_seven_authors_have_a_third(world: World) -> None:
    """Hazard 74, with the document of the example."""
    world.add("EIP-1559", "A fee market.", creators=tuple(f"Author {n}" for n in range(7)))
    world.add("EIP-1", "A process.", creators=("Ann", "Bob"))
    snapshot = world.snapshot()
    for rank, verdict in (("third", "ANSWERABLE"), ("7th", "ANSWERABLE"), ("eighth", "EVIDENCE_INSUFFICIENT")):
        assert search(snapshot, f"who is the {rank} author of EIP-1559").verdict == verdict
    none = search(snapshot, "who is author number 3 of EIP-1?")
    assert none.verdicts[0]["facts"] == {"object": "EIP-1", "field": "creator", "number": 3, "stored": 2}


QUERIES = ("quokka platypus", "the quokka of Zeilberger", '"quokka platypus" pendulum', "袋鼠與鴨嘴獸", "pendulum")


@pytest.mark.parametrize("part", ["lexical", "passages", "originals"])
def test_no_claim_about_words_that_were_not_looked_up(world: World, part: str) -> None:
    world.add("D", said("H", "The pendulum of the quokka platypus swings."))
    world.add("Z", said("H", "袋鼠與鴨嘴獸。"), language="zh-Hant")
    snapshot = world.snapshot()
    snapshot.close()
    folder = world.root / part if part == "originals" else snapshot.generation.path / part
    shutil.rmtree(folder)
    folder.mkdir()
    broken = world.snapshot(generation=snapshot.generation)  # type: ignore[arg-type]
    for query in QUERIES:
        answer = search(broken, query)
        claimed = [item for item in answer.verdicts if item["verdict"] == "UNANSWERABLE_FROM_CORPUS"]
        assert part in answer.degraded and not claimed, (query, answer.verdicts)
        assert answer.verdict != "ANSWERABLE" or part == "originals", query


def test_no_claim_about_words_on_the_dense_route(world: World) -> None:
    world.add("D", said("H", "The pendulum of the quokka platypus swings."))
    answer = search(world.snapshot(), "quokka platypus", route="DENSE_ONLY")
    assert answer.verdicts[0]["reason"] == "no channel could search for it"
    assert all(item["verdict"] != "UNANSWERABLE_FROM_CORPUS" for item in answer.verdicts)


def test_a_plan_with_a_direction_that_is_none(world: World) -> None:
    world.add("D", "A pendulum swings.")
    with pytest.raises(UsageError, match="unknown direction 'SIDEWAYS'"):
        search(world.snapshot(), Plan.from_json({"text": "pendulum", "navigation": {"directions": ["SIDEWAYS"]}}))


def test_a_reranker_that_is_absent_marks_its_own_search_only(world: World) -> None:
    for name in ("D", "E"):
        world.add(name, f"A pendulum swings in {name}.")
    snapshot = world.snapshot()
    asked = search(snapshot, "pendulum", rerank="st:/no/such/model")
    assert asked.results and "rerank" in asked.degraded and "rerank" in asked.certificate["degraded"]
    after = search(snapshot, "pendulum")
    assert "rerank" not in after.degraded and "rerank" not in after.certificate["degraded"]


def test_the_classic_idf_is_an_option_and_is_traced(world: World) -> None:
    for name in "ABC":
        world.add(name, f"A pendulum swings in tower {name}." + (" Slowly." if name == "A" else ""))
    snapshot = world.snapshot()
    asked = {"scorer": "idf_coverage", "route": "SPARSE_ONLY"}
    smooth, classic = (search(snapshot, "pendulum slowly", idf=form, **asked) for form in ("", "classic"))
    assert classic.results[0].id.partition("#")[0] == "A"
    assert smooth.certificate["channels"]["lexical"]["idf"] == "smooth"
    noted = classic.certificate["channels"]["lexical"]
    assert noted["idf"] == "classic" and {t["term"]: t["idf"] for t in noted["terms"]}["pendulum"] == 0
    assert classic.certificate["query_plan"]["idf"] == "classic"
    again = search(snapshot, Plan.from_json(classic.certificate["query_plan"]))
    assert [r.raw_scores for r in again.results] == [r.raw_scores for r in classic.results]
    assert search(snapshot, "pendulum", scorer="bm25", idf="classic").certificate["channels"]["lexical"]["idf"] == ""
