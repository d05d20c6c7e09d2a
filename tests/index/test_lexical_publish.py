"""From generation to generation: nothing old is altered, order never matters, damage is found."""

from __future__ import annotations

import hashlib
import random
from itertools import permutations
from pathlib import Path

import pytest
from index_corpus import Corpus, document, found

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.lexical import FIELDS, LexicalIndex, publish
from oam_rdf.index.lexical_schema import INDEX_NAME
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.postings import PostingReader, open_whoosh, read_blocks

DOCUMENTS = [
    document("d1", "發展中國家的研究", "研究生命起源", terms=("發展中國家",)),
    document("d2", "發展中的國家與生命", title="生命起源", terms=("生命起源", "國家")),
    document("d3", "完成pre-A輪融資 gen-itgc", terms=("pre-A輪", "融資")),
    document("d4", "又一個pre-A輪，研究生命", terms=("研究生",)),
]
QUERIES = ["發展中國家", "生命起源", "研究生", "pre-A輪融資", "itgc", "國家 研究", "生命", "發展", "起源"]


def hashes(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        p.name: (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns) for p in sorted(folder.iterdir())
    }


def picture(index: LexicalIndex) -> list[object]:
    out: list[object] = []
    for query in QUERIES:
        for scorer in ("bm25", "idf_coverage"):
            r = index.search(query, scorer=scorer)
            out.append((query, r.rows.tolist(), r.scores.tolist(), r.terms, [index.matched(int(x), r) for x in r.rows]))
    return out


def test_the_previous_generation_is_never_altered(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit(DOCUMENTS[:3])
    states = {1: hashes(corpus.path(1))}
    corpus.commit([DOCUMENTS[3]])  # enters a word that re-cuts d1
    assert corpus.reread == ["d1"]
    states[2] = hashes(corpus.path(2))
    corpus.commit([document("d2", "全新的文字")])
    states[3] = hashes(corpus.path(3))
    corpus.commit([], ["d1", "d3"])
    for generation, state in states.items():
        assert hashes(corpus.path(generation)) == state
    inodes = {p.stat().st_ino for p in corpus.path(3).glob("*.seg")}
    assert not list(tmp_path.glob("*/*WRITELOCK")) and not list(tmp_path.glob("*/*.tmp"))
    assert inodes


def test_unchanged_segments_are_shared_by_hard_links(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit([document(f"d{i}", f"word{i} 文字") for i in range(50)])
    corpus.commit([document("x", "word 新字")])
    first = {p.name: p.stat().st_ino for p in corpus.path(1).glob("*.seg")}
    second = {p.name: p.stat().st_ino for p in corpus.path(2).glob("*.seg")}
    assert first.items() <= second.items() and len(second) == 2


def test_only_what_the_table_of_contents_names_is_linked(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit(DOCUMENTS[:2])
    (corpus.path() / f"{INDEX_NAME}_abandoned.seg").write_bytes(b"left by a crash")
    index = corpus.commit([DOCUMENTS[2]])
    assert not (corpus.path() / f"{INDEX_NAME}_abandoned.seg").exists()
    assert found(index, "itgc") == ["d3"]


def test_order_of_ingestion_never_matters(tmp_path: Path) -> None:
    pictures = []
    for n, order in enumerate(permutations(DOCUMENTS)):
        corpus = Corpus(tmp_path / str(n))
        rng = random.Random(n)
        index = None
        waiting = list(order)
        while waiting:
            batch = [waiting.pop() for _ in range(rng.randint(1, len(waiting)))]
            index = corpus.commit([*batch, document(f"passing{len(waiting)}", "生命起源", terms=("命起", "的研究"))])
            index = corpus.commit([], [i for i in corpus.documents if i.startswith("passing")])
        assert index is not None
        pictures.append(picture(index))
    assert all(p == pictures[0] for p in pictures)
    at_once = Corpus(tmp_path / "at-once").commit(DOCUMENTS)
    assert picture(at_once) == pictures[0]


def test_a_word_that_leaves_is_uncut_everywhere(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit([document("text", "甲論證書與救援機制"), document("words", "x", terms=("證書", "救援機制"))])
    index = corpus.commit([], ["words"])
    assert corpus.reread == ["text"]
    assert picture(index) == picture(Corpus(tmp_path / "fresh").commit([document("text", "甲論證書與救援機制")]))
    assert len(index.dictionary) == 0


def test_a_document_that_was_cut_anew_still_takes_its_words_along(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit([document("text", "甲論證書", terms=("甲論",))])
    corpus.commit([document("words", "x", terms=("證書",))])
    assert corpus.reread == ["text"]
    index = corpus.commit([], ["text"])
    assert index.dictionary.words == {"证书"}


def test_editing_and_removing_leave_no_stale_hits(tmp_path: Path) -> None:
    """Hazards 6 and 11: each document at most once, and nothing that is gone."""
    corpus = Corpus(tmp_path)
    corpus.commit([document("d1", "舊的內容 oldword"), document("d2", "其他 oldword")])
    corpus.commit([document("d1", "新的內容 newword")])
    corpus.commit([document("d1", "新的內容 newword")])
    index = corpus.commit([document("d3", "又 newword")], ["d2"])
    assert found(index, "oldword") == []
    assert found(index, "newword") == ["d1", "d3"]
    assert index.search("newword").terms[0].df == 2
    index = corpus.commit([document("d2", "重來 oldword")])
    assert found(index, "oldword") == ["d2"]


def test_many_small_publications_leave_few_segments(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    for i in range(25):
        index = corpus.commit([document(f"d{i:02}", f"共同 word{i}", "second 段")])
    assert len(list(corpus.path().glob("*.seg"))) <= 7
    assert found(index, "共同") == [f"d{i:02}" for i in range(25)]
    assert [found(index, f"word{i}") for i in (0, 12, 24)] == [["d00"], ["d12"], ["d24"]]
    index = corpus.commit([], [f"d{i:02}" for i in range(24)])
    assert found(index, "共同") == ["d24"]


def test_an_empty_index_and_an_empty_publication(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    assert found(corpus.commit(), "x") == []
    assert found(corpus.commit([document("d1", "x")]), "x") == ["d1"]
    assert found(corpus.commit([], ["never there"]), "x") == ["d1"]
    assert found(corpus.commit([], ["d1"]), "x") == []
    assert found(corpus.commit([document("empty", terms=("詞語",))]), "詞語") == []


def test_opening_and_searching_write_nothing(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit(DOCUMENTS).close()
    before = hashes(corpus.path())
    mode = corpus.path().stat().st_mode
    corpus.path().chmod(0o555)
    try:
        index = LexicalIndex.open(corpus.path(), corpus.table)
        assert found(index, "itgc") == ["d3"]
        index.close()
    finally:
        corpus.path().chmod(mode)
    assert hashes(corpus.path()) == before


def test_a_target_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "file").touch()
    with pytest.raises(UsageError, match="empty folder"):
        publish(None, tmp_path / "t", (), (), DOCUMENTS.__getitem__)  # type: ignore[arg-type]


def test_drift_from_the_passage_table_is_damage(tmp_path: Path) -> None:
    """Hazard 11."""
    corpus = Corpus(tmp_path)
    corpus.commit(DOCUMENTS)
    for table in (
        corpus.table.splice(["d1"], []),
        corpus.table.splice(["d1"], [document("d0", "a", "b")]),
        corpus.table.splice(["d3"], [document("d1", "a"), document("d2", "a", "b")]),
        PassageTable.empty(),
    ):
        with pytest.raises(Damaged, match="differ"):
            LexicalIndex.open(corpus.path(), table)


@pytest.mark.parametrize("name", ["lexical.json", "dictionary.tsv", "_LEX_1.toc"])
def test_a_missing_or_broken_file_is_damage(tmp_path: Path, name: str) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit(DOCUMENTS)
    path = corpus.path() / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"\xff\t\n")
    with pytest.raises(Damaged):
        LexicalIndex.open(corpus.path(), corpus.table)
    path.unlink()
    with pytest.raises(Damaged):
        LexicalIndex.open(corpus.path(), corpus.table)


def test_a_broken_segment_is_damage(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit(DOCUMENTS)
    segment = next(corpus.path().glob("*.seg"))
    segment.write_bytes(segment.read_bytes()[:200])
    with pytest.raises(Damaged):
        LexicalIndex.open(corpus.path(), corpus.table)
    segment.unlink()
    with pytest.raises(Damaged):
        LexicalIndex.open(corpus.path(), corpus.table)


def test_block_reading_equals_whoosh_s_own_walk(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.commit([document(f"d{i:03}", "common " * (i % 5 + 1) + f"word{i}") for i in range(400)])
    corpus.commit([document("more", "common")], ["d007"])
    reader = open_whoosh(corpus.path()).reader()
    for leaf, _ in reader.leaf_readers():
        for term in (b"common", b"word3", b"more"):
            if ("body", term) not in leaf:
                continue
            ids, weights = read_blocks(leaf.postings("body", term))
            walk, expected = leaf._terms.matcher("body", term, leaf.schema["body"].format), []
            while walk.is_active():
                expected.append((walk.id(), walk.weight()))
                walk.next()
            assert list(zip(ids.tolist(), weights.tolist(), strict=True)) == expected
    assert len(PostingReader(reader).get("body", "common").rows) == 401
    assert set(FIELDS) == {"id", "title", "heading", "body"}


def test_a_term_whose_every_entry_was_deleted_is_simply_not_found(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    many = [document(f"m{number}", f"filler number {number}", language="en") for number in range(30)]
    corpus.commit([*many, document("z", "a lonely zebra grazes", language="en")])
    index = corpus.commit([document("y", "a quiet yak", language="en", terms=("zebra 斑馬",))], ["z"])
    assert found(index, "zebra") == []
    # A word that enters the dictionary is looked for in what is there: also where nothing is left of it.
    index = corpus.commit([document("x", "斑馬 zebra", terms=("斑馬", "zebra"))], ["y"])
    assert found(index, "zebra") == ["x"]
