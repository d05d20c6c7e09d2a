"""The contract that every backend of the lexical channel meets (``oam_rdf/index/base.py``).

One half asks each backend by itself, the other compares backends: same rows, order, scores, matches and pins.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.lexical_world import BOTH, CHINESE, ENGLISH, GOLDEN, NAMES, QUERIES, World, document, found, made, picture
from oam_rdf.errors import UsageError
from oam_rdf.index.base import LexicalChannel, backend
from oam_rdf.index.lexical_schema import FIELDS

SCORERS = ("auto", "bm25", "idf_coverage")


@pytest.fixture(params=NAMES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(made(request.param), tmp_path)


@pytest.fixture(scope="module", params=NAMES)
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LexicalChannel:
    """Both corpora, read only."""
    return World(made(request.param), tmp_path_factory.mktemp(request.param)).commit(BOTH)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LexicalChannel, LexicalChannel]]:
    """The same documents in both backends, published in several generations with deletions and replacements."""
    opened = []
    for name in NAMES:
        world = World(made(name), tmp_path_factory.mktemp(name))
        world.commit(
            [*CHINESE, document("gone", "發酵 clock 主纜", terms=("發酵槽",)), document("bees", "an old text")]
        )
        world.commit(ENGLISH, ["gone"])
        opened.append(world.commit([document("late", "引力 clock weight 發酵 發酵", terms=("海面",), title="Weight")]))
    yield opened[0], opened[1]
    for one in opened:
        one.close()


def rows_of(index: LexicalChannel, *identifiers: str) -> np.ndarray:
    """Mask of the passages of some documents."""
    table = index.passages
    return np.array([table.document_id(row) in identifiers for row in range(len(table))], bool)


# -- each backend --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", GOLDEN)
def test_golden_answers(index: LexicalChannel, query: str) -> None:
    assert found(index, query, scorer="idf_coverage") == GOLDEN[query]


def test_the_worked_example_of_idf_and_coverage(world: World) -> None:
    """Decision D21 by hand: N = 4, df(alpha) = 4, df(omega) = 1, df(linked) = 0 and known by its stem in one text."""
    index = world.commit(
        [
            document("a", "alpha omega"),
            document("b", "alpha linking"),
            document("c", "alpha"),
            document("d", "Alpha, alpha, and more alpha"),
        ]
    )
    result = index.search("alpha omega linked unheard", scorer="idf_coverage")
    alpha, rare = np.log(1 + 4 / 4), np.log(1 + 4 / 1)
    whole = alpha + 2 * rare
    expected = [
        0.6 * (alpha + rare) / whole + 0.25 * 2 / 3,
        0.6 * (alpha + 0.9 * rare) / whole + 0.25 * 2 / 3,
        0.6 * alpha / whole + 0.25 / 3,
        0.6 * alpha / whole + 0.25 / 3,
    ]
    assert result.rows.tolist() == [0, 1, 2, 3]
    assert result.scores.tolist() == pytest.approx(expected, abs=1e-6)
    assert [(t.key, t.df, t.known) for t in result.terms] == [
        ("alpha", 4, True),
        ("omega", 1, True),
        ("linked", 1, True),
        ("unheard", 0, False),
    ]
    assert [str(m) for m in index.matches([1], result)[0]] == ["alpha (literal: body)", "linked (stem: body)"]


def test_the_classic_idf_by_hand(world: World) -> None:
    """Decision D21: log(N/df), and 0/0 = 0. What every text holds weighs nothing, and is covered all the same."""
    index = world.commit([document("a", "alpha omega"), document("b", "alpha omega"), document("c", "alpha")])
    result = index.search("alpha omega", scorer="idf_coverage", idf_form="classic")
    assert [(t.key, t.idf) for t in result.terms] == [("alpha", 0.0), ("omega", pytest.approx(np.log(3 / 2)))]
    assert result.scores.tolist() == pytest.approx([0.85, 0.85, 0.125], abs=1e-6)
    everywhere = index.search("alpha", scorer="idf_coverage", idf_form="classic", k=2)
    assert everywhere.scores.tolist() == pytest.approx([0.25, 0.25]) and everywhere.total == 3
    smooth = index.search("alpha omega", scorer="idf_coverage")
    assert (
        smooth.scores.tolist() == index.search("alpha omega", scorer="idf_coverage", idf_form="smooth").scores.tolist()
    )
    assert smooth.scores[2] > result.scores[2]
    same = [index.search("alpha omega", scorer="bm25", idf_form=form).scores.tolist() for form in ("smooth", "classic")]
    assert same[0] == same[1]  # BM25 has an idf of its own


def test_scores_stay_in_range_and_ties_go_by_row(index: LexicalChannel) -> None:
    for query in QUERIES:
        result = index.search(query, scorer="idf_coverage")
        scores, rows = result.scores.tolist(), result.rows.tolist()
        assert all(0 < score <= 0.85 + 1e-6 for score in scores)
        assert sorted(zip((-s for s in scores), rows, strict=True)) == list(
            zip((-s for s in scores), rows, strict=True)
        )
        assert result.total == len(rows)


@pytest.mark.parametrize("scorer", SCORERS)
def test_k_cuts_the_ranking_and_nothing_else(index: LexicalChannel, scorer: str) -> None:
    for query, k in itertools.product(QUERIES, (0, 1, 3, 500)):
        whole, cut = index.search(query, scorer=scorer), index.search(query, scorer=scorer, k=k)
        assert cut.rows.tolist() == whole.rows[:k].tolist() and cut.scores.tolist() == whole.scores[:k].tolist()
        assert (cut.total, cut.terms, cut.pins.tolist()) == (whole.total, whole.terms, whole.pins.tolist())


def test_k_cuts_inside_many_ties(world: World) -> None:
    """More equal scores than any margin: the first rows are returned, not whichever the engine met first."""
    documents = [document(f"d{i:03}", "same" + (" and more" if i % 50 == 7 else "")) for i in range(400)]
    world.commit(documents[100:])  # later rows first, so that an engine's own order is not that of the rows
    index = world.commit(documents[:100])
    for k in (1, 8, 9, 60):
        expected = [7, 57, 107, 157, 207, 257, 307, 357] + [i for i in range(400) if i % 50 != 7]
        assert index.search("same more", scorer="idf_coverage", k=k).rows.tolist() == expected[:k]
        assert index.search("same more", scorer="idf_coverage", k=k).total == 400


def test_a_query_of_many_terms(world: World) -> None:
    """More terms than one number can tell apart."""
    words = [f"word{i}ing" for i in range(60)]
    index = world.commit([document(f"d{i:02}", " ".join(words[: i + 1])) for i in range(60)])
    result = index.search(" ".join(words), scorer="idf_coverage")
    assert result.rows.tolist() == list(range(59, -1, -1)) and result.scores[0] == pytest.approx(0.85)
    assert [len(found) for found in index.matches([59, 3], result)] == [60, 4]


def test_unknown_terms_and_empty_queries(index: LexicalChannel) -> None:
    result = index.search("zebra 主纜", scorer="idf_coverage")
    assert [(t.key, t.known, t.idf > 0) for t in result.terms] == [("zebra", False, False), ("主缆", True, True)]
    assert result.scores.max() == pytest.approx(0.85)  # an unknown term is dropped from the denominator too
    for query in ("", " 。，", "\0", "zebra", "鑿"):
        for scorer in SCORERS:
            nothing = index.search(query, scorer=scorer)
            assert (len(nothing.rows), len(nothing.scores), nothing.total, len(nothing.pins)) == (0, 0, 0, 0)


def test_an_empty_index(world: World) -> None:
    nothing = world.commit()
    assert found(nothing, "clock") == [] and nothing.search("clock", k=3).total == 0
    assert found(world.commit([document("empty", terms=("詞語",))]), "詞語") == []
    assert found(world.commit([document("d1", "詞語")]), "詞語") == ["d1"]
    assert found(world.commit([], ["d1", "empty", "never here"]), "詞語") == []
    assert found(world.commit([document("d1", "詞語")]), "詞語") == ["d1"]


def test_deletion_and_replacement(world: World) -> None:
    first = world.commit(BOTH)
    assert found(first, "sourdough") == ["bread"]
    second = world.commit([document("bread", "rye bread only", language="en")], ["釀造"])
    assert found(second, "sourdough") == [] and found(second, "rye") == ["bread"]
    assert found(second, "醬油") == [] and found(second, "發酵") == ["橋梁"]
    fresh = World(world.backend, world.folder / "fresh").commit(world.documents.values())
    for query, scorer in itertools.product(QUERIES, SCORERS):
        assert picture(second, query, scorer=scorer) == picture(fresh, query, scorer=scorer)
    assert found(first, "sourdough") == ["bread"], "an open index keeps showing its own generation"
    assert found(world.backend.open(world.path(1), first.passages), "sourdough") == ["bread"]


def test_a_word_that_enters_or_leaves_cuts_old_texts_anew(world: World) -> None:
    world.commit([document("d1", "發展中國家的研究"), document("d2", "國家研究", terms=("國家",))])
    longer = world.commit([document("d3", "其他", terms=("發展中國家",))])
    assert [t.key for t in longer.search("發展中國家").terms] == ["发展中国家"]
    result = longer.search("發展中國家", scorer="idf_coverage")
    assert [str(m) for m in longer.matches([0], result)[0]] == ["发展中国家 (literal: body)"]
    shorter = world.commit([], ["d3"])
    fresh = World(world.backend, world.folder / "fresh").commit(world.documents.values())
    for query, scorer in itertools.product(("發展中國家", "國家", "研究", "發展"), SCORERS):
        assert picture(shorter, query, scorer=scorer) == picture(fresh, query, scorer=scorer)


def test_the_order_of_ingestion_changes_nothing(world: World) -> None:
    pictures = []
    for number, order in enumerate(itertools.islice(itertools.permutations(BOTH[:4]), 0, 24, 9)):
        apart = World(world.backend, world.folder / str(number))
        for one in order[:-1]:
            apart.commit([one])
        index = apart.commit([order[-1]])
        pictures.append([picture(index, q, scorer=s) for q in QUERIES for s in SCORERS])
    whole = World(world.backend, world.folder / "whole").commit(BOTH[:4])
    pictures.append([picture(whole, q, scorer=s) for q in QUERIES for s in SCORERS])
    assert len(pictures) == 4 and all(one == pictures[0] for one in pictures)


def test_many_small_publications(world: World) -> None:
    """Segments are merged on the way; entries keep their rows."""
    for i in range(14):
        index = world.commit([document(f"d{i % 11:02}", f"common word{i} " + "again " * (i % 4))])
    fresh = World(world.backend, world.folder / "fresh").commit(world.documents.values())
    for query, scorer in itertools.product(
        ("common", "word1", "word13 common", "again word7", "common again"), SCORERS
    ):
        assert picture(index, query, scorer=scorer) == picture(fresh, query, scorer=scorer)
    assert found(index, "word2") == [] and found(index, "word13") == ["d02"]


def test_identifiers(world: World) -> None:
    index = world.commit(
        [
            document("KINV-00042", "庫存紀錄"),
            document("p1", "西門子S7協議與 SK-II 無關，見EML-IOT-2026-v4.0一節；算子Δ_OT作用於此"),
            document("p2", "an identifier KINV-00043 that is another, S70 and SK-III as well"),
        ]
    )
    for query, first in {
        "請查KINV-00042的狀態": "KINV-00042",
        "kinv00042": "KINV-00042",
        "ＫＩＮＶ－０００４２": "KINV-00042",
        "用S7連線": "p1",
        "SK-II是什麼": "p1",
        "有關EML-IOT-2026-v4.0的規定": "p1",
        "Δ_OT怎麼算": "p1",
        "S70": "p2",
    }.items():
        assert found(index, query, scorer="idf_coverage")[0] == first, query
        assert found(index, query, scorer="bm25")[0] == first, query


def test_pins(world: World) -> None:
    """Decision D22: every term as written and one of them rare, within what may be returned."""
    texts = ["common words" + (" rarity" if i in (7, 8) else "") + (" rarities" if i == 9 else "") for i in range(60)]
    index = world.commit([document(f"d{i:02}", text) for i, text in enumerate(texts)])
    for scorer in SCORERS:
        assert index.search("common rarity", scorer=scorer).pins.tolist() == [7, 8]
        assert index.search("common", scorer=scorer).pins.tolist() == []
        assert index.search("common rarity zebra", scorer=scorer).pins.tolist() == []
        mask = np.arange(60) != 7
        assert index.search("common rarity", scorer=scorer, mask=mask).pins.tolist() == [8]
        assert index.search("common rarity", scorer=scorer, visible=mask).pins.tolist() == [8]
        assert index.search("common rarity", scorer=scorer, k=1).pins.tolist() == [7, 8]
    many = World(world.backend, world.folder / "many").commit(
        [document(f"d{i:03}", "scarce" if i < 21 else "other") for i in range(500)]
    )
    assert many.search("scarce", scorer="idf_coverage").pins.tolist() == []


#: A document without text that brings every word of the others into the dictionary.
VOCABULARY = document("words", terms=tuple(sorted({term for d in BOTH for term in d.terms})))


@pytest.fixture(scope="module", params=NAMES)
def known(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, LexicalChannel]:
    """Both corpora, with a dictionary that does not change with what is hidden."""
    world = World(made(request.param), tmp_path_factory.mktemp(request.param))
    return request.param, world.commit([*BOTH, VOCABULARY])


HIDDEN = [
    frozenset(h) for h in ([BOTH[0].id], [BOTH[1].id, BOTH[5].id], [d.id for d in CHINESE[1:]], [d.id for d in BOTH])
]


@settings(max_examples=40, deadline=None)
@given(hidden=st.sampled_from(HIDDEN), query=st.sampled_from(QUERIES))
def test_what_is_hidden_moves_nothing(known: tuple[str, LexicalChannel], hidden: frozenset[str], query: str) -> None:
    """Decision D16: every figure is as if the hidden documents were not there."""
    index, apart = known[1], _without(known[0], hidden)
    visible = ~rows_of(index, *hidden)
    back = np.flatnonzero(visible)  # row there -> row here
    for scorer in SCORERS:
        here, there = index.search(query, visible=visible, scorer=scorer), apart.search(query, scorer=scorer)
        assert here.terms == there.terms and here.total == there.total and here.scorer == there.scorer
        assert here.rows.tolist() == back[there.rows].tolist() and here.scores.tolist() == there.scores.tolist()
        assert here.pins.tolist() == back[there.pins].tolist()


_APART: dict[tuple[str, frozenset[str]], LexicalChannel] = {}


def _without(name: str, hidden: frozenset[str]) -> LexicalChannel:
    """An index that never saw the hidden documents."""
    if (name, hidden) not in _APART:
        with tempfile.TemporaryDirectory() as folder:
            kept = [d for d in (*BOTH, VOCABULARY) if d.id not in hidden]
            _APART[name, hidden] = World(backend(name), Path(folder)).commit(kept)
    return _APART[name, hidden]


def test_a_mask_limits_what_is_returned_and_no_statistic(index: LexicalChannel) -> None:
    mask = rows_of(index, "橋梁", "clocks")
    for query, scorer in itertools.product(QUERIES, SCORERS):
        whole, part = index.search(query, scorer=scorer), index.search(query, scorer=scorer, mask=mask)
        kept = mask[whole.rows]
        assert part.rows.tolist() == whole.rows[kept].tolist() and part.scores.tolist() == whole.scores[kept].tolist()
        assert part.terms == whole.terms and part.total == int(kept.sum())


def test_fields(index: LexicalChannel) -> None:
    assert found(index, "clock", fields=("title",), scorer="idf_coverage") == ["clocks"]
    assert found(index, "KO-7", fields=("id",), scorer="idf_coverage") == ["KO-7"]
    assert index.search("clock", fields=("body", "title")).fields == ("title", "body")
    assert found(index, "clock", fields=(), scorer="idf_coverage") == []


def test_bad_arguments_are_refused(index: LexicalChannel) -> None:
    for options, message in (
        ({"scorer": "tfidf"}, "scorer"),
        ({"fields": ("person",), "scorer": "idf_coverage"}, "field"),
        ({"mask": np.ones(3, bool)}, "mask"),
        ({"visible": np.ones(3, bool), "scorer": "idf_coverage"}, "mask"),
    ):
        with pytest.raises(UsageError, match=message):
            index.search("x", **options)  # type: ignore[arg-type]


def test_frequencies_reach_bm25(world: World) -> None:
    index = world.commit([document("a", "echo and other words here"), document("b", "echo echo echo echo words")])
    assert found(index, "echo", scorer="bm25") == ["b", "a"]
    assert found(index, "echo", scorer="idf_coverage") == ["a", "b"]


# -- one against the other -----------------------------------------------------------------------------------------


WORDS = (
    "clock", "clocks", "weight", "gen-itgc", "KO-7", "ko7", "v4.0", "發酵", "主纜", "引力", "潮汐", "月", "海面",
    "懸索橋的檢修", "感潮河段", "zebra", "log", "logs", "running", "查潮汐表", "user_profile",
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
    glue=st.sampled_from((" ", "", "，")),
    seed=st.integers(0, 2**20),
    masked=st.booleans(),
    hidden=st.booleans(),
    fields=st.sets(st.sampled_from(FIELDS), min_size=1).map(lambda s: tuple(sorted(s))),
    k=st.sampled_from((None, None, 1, 5)),
    scorer=st.sampled_from(("idf_coverage", "idf_coverage", "bm25")),
)
def test_backends_agree_on_everything(
    pair: tuple[LexicalChannel, LexicalChannel],
    words: list[str],
    glue: str,
    seed: int,
    masked: bool,
    hidden: bool,
    fields: tuple[str, ...],
    k: int | None,
    scorer: str,
) -> None:
    chance = np.random.default_rng(seed)
    size = len(pair[0].passages)
    mask = chance.random(size) < 0.6 if masked else None
    visible = chance.random(size) < 0.7 if hidden else None
    options = {"mask": mask, "visible": visible, "fields": fields, "k": k, "scorer": scorer}
    first, second = (picture(one, glue.join(words), **options) for one in pair)
    assert first.pop("scores") == pytest.approx(second.pop("scores"), abs=1e-5)
    assert first == second


TEXTS = st.lists(st.sampled_from((*WORDS, "發酵槽", "鏽蝕", "slow", "Weights")), max_size=12).map(" ".join)


@settings(max_examples=12, deadline=None)
@given(
    texts=st.lists(st.lists(TEXTS, max_size=3), min_size=1, max_size=5),
    terms=st.lists(st.sampled_from(("發酵槽", "主纜", "潮汐表", "引力")), max_size=3),
    order=st.randoms(use_true_random=False),
)
def test_backends_agree_on_generated_documents(texts: list[list[str]], terms: list[str], order: object) -> None:
    documents = [document(f"d{i}", *some, terms=tuple(terms[i:])) for i, some in enumerate(texts)]
    shuffled = list(documents)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        whole = World(backend("whoosh"), Path(folder, "w")).commit(documents)
        other = World(made("tantivy"), Path(folder, "t"))
        half = len(shuffled) // 2
        other.commit([document("d0", "replaced later 主纜"), document("x", "removed 引力", terms=("力學",))])
        other.commit(shuffled[:half], ["x"])
        index = other.commit(shuffled[half:])
        for query in ("主纜 clock", "發酵槽", "KO-7 weights", "潮汐表 引力 slow zebra", "v4.0 月"):
            for scorer in ("idf_coverage", "bm25"):
                assert picture(whole, query, scorer=scorer) == picture(index, query, scorer=scorer)
