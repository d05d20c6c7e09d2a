"""A tiny set in BEIR layout, read, ingested, searched and measured."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ir_measures")
pytest.importorskip("bm25s")

import peers
import tuning
from beir import read
from library import identifier, markdown, open_library
from losses import blame, examine
from measures import compare, estimate, evaluate
from systems import SYSTEMS, rows, run

DOCUMENTS = [
    (
        "en:1",
        'Tides *and* "waves": [notes]',
        "The moon raises tides twice a day. A neap tide is the weakest one.",
        "en",
    ),
    ("en:2", "", "Copper (Cu29) conducts heat better than iron does, and silver better than both.", "en"),
    ("en:3", "#hash --- title", "A comet's tail points away from the sun whatever its path.", "en"),
    ("zh:1", "潮汐", "月球使海水每天漲落兩次,小潮是最弱的一次。", "zh"),
    ("zh:2", "", "銅(Cu29)比鐵更會導熱,銀又勝過兩者。", "zh"),
    ("zh:3", "彗星", "彗星的尾巴總是背著太陽。", "zh"),
]
QUERIES = {"en:q1": "which tide is the weakest", "en:q2": "does Cu29 conduct heat", "zh:q1": "哪一種潮最弱"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    (root / "qrels").mkdir(parents=True)
    corpus = [{"_id": i, "title": t, "text": x, "metadata": {"lang": lang}} for i, t, x, lang in DOCUMENTS]
    (root / "corpus.jsonl").write_text("\n".join(json.dumps(d, ensure_ascii=False) for d in corpus), "utf-8")
    asked = "\n".join(json.dumps({"_id": i, "text": t}, ensure_ascii=False) for i, t in QUERIES.items())
    (root / "queries.jsonl").write_text(asked, "utf-8")
    head = "query-id\tcorpus-id\tscore\n"
    (root / "qrels" / "en-en.tsv").write_text(head + "en:q1\ten:1\t1\nen:q2\ten:2\t1\nen:q2\ten:3\t0\n")
    (root / "qrels" / "zh-en.tsv").write_text(head + "zh:q1\ten:1\t1\n")
    (root / "qrels" / "train.tsv").write_text(head + "en:q2\ten:2\t2\n")
    return root


def test_reader_gives_tasks_with_their_pools(folder: Path) -> None:
    dataset = read(folder)
    tasks = {task.name: task for task in dataset.tasks()}
    assert set(tasks) == {"en-en", "en-en mixed", "zh-en", "zh-en mixed", "train"}
    assert tasks["zh-en"].search.pool == "en" and tasks["zh-en mixed"].search.pool == ""
    assert tasks["en-en"].qrels == {"en:q1": {"en:1": 1}, "en:q2": {"en:2": 1}}  # grade 0 judges nothing
    assert tasks["zh-en"].search.queries == {"zh:q1": QUERIES["zh:q1"]}
    assert [d.id for d in dataset.in_pool("zh")] == ["zh:1", "zh:2", "zh:3"]
    assert len(dataset.tasks(("en-en",), limit=1)[0].qrels) == 1


def test_reader_says_where_a_judgement_is_wrong(folder: Path) -> None:
    (folder / "qrels" / "bad.tsv").write_text("query-id\tcorpus-id\tscore\nen:q1\ten:9\t1\n")
    with pytest.raises(ValueError, match=r"bad.tsv:2: there is no document 'en:9'"):
        read(folder)


def test_titles_with_marks_are_quoted_and_ids_hold_no_number(folder: Path) -> None:
    document = read(folder).documents[0]
    assert markdown(document).splitlines()[2] == r'title: "Tides *and* \"waves\": [notes]"'
    assert identifier("en:1") != identifier("en:2")
    assert identifier("1891").isalpha()


def test_pipeline_lands_every_document_and_finds_the_gold(folder: Path, tmp_path: Path) -> None:
    dataset = read(folder)
    library = open_library(dataset, tmp_path / "work", words=True)
    assert sorted(library.documents.values()) == sorted(d.id for d in dataset.documents)
    task = dataset.tasks(("en-en",))[0]
    place = tmp_path / "work" / "runs"
    found = run(SYSTEMS["BM25"], task.search, library, place)
    assert {query: documents[0][0] for query, documents in found.items()} == {"en:q1": "en:1", "en:q2": "en:2"}
    assert all(name.startswith("en:") for documents in found.values() for name, _ in documents)
    mixed = run(SYSTEMS["BM25"], dataset.tasks(("en-en",))[1].search, library, place)
    assert "zh:2" in [name for name, _ in mixed["en:q2"]]  # the pool had kept it out
    assert evaluate(task.qrels, found)["nDCG@10"].tolist() == [1.0, 1.0]
    # A run that was cut off is taken up again, one of other settings is not.
    path = place / "en@en.BM25.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]) + lines[2][:20], "utf-8")
    assert run(SYSTEMS["BM25"], task.search, library, place) == found
    assert [row["q"] for row in rows(place, task.search, "BM25")] == ["en:q1", "en:q2"]
    hybrid = run(SYSTEMS["hybrid"], task.search, library, place)
    assert hybrid == found  # without vectors, words alone
    grid = tuning.grid(task, place)
    assert grid["RRF 60, best passage"]["1.0"]["nDCG@10"] == 1.0
    assert grid["RRF 60, best passage"]["0.0"]["nDCG@10"] == 0.0
    loss = examine(task, "en:q1", library, 0.0, "BM25", found)
    assert loss.gold == "en:1" and loss.stage == "none" and "place 1, lexical 1" in loss.certificate
    again = open_library(dataset, tmp_path / "work", words=True)
    assert again.facts["ingest seconds"] == 0.0
    library.kb.close()
    again.kb.close()


def test_peer_finds_chinese_by_characters_and_pairs(folder: Path) -> None:
    dataset = read(folder)
    mixed = dataset.tasks(("zh-en",))[1]
    assert peers.run("bm25s", dataset, mixed.search)["zh:q1"][0][0] == "zh:1"
    own = dataset.tasks(("en-en",))[0]
    assert peers.run("bm25s stemmed", dataset, own.search)["en:q2"][0][0] == "en:2"


def test_measures_agree_with_the_formulas() -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"z": 1}}
    found = {"a": [("w", 2.0), ("x", 1.0)], "b": [("x", 3.0), ("w", 2.0), ("y", 1.0)]}
    values = evaluate(qrels, found)
    ideal = 1 + 1 / log2(3)
    assert values["nDCG@10"] == pytest.approx([1 / log2(3), (1 + 1 / log2(4)) / ideal, 0.0])
    assert values["RR"] == pytest.approx([0.5, 1.0, 0.0])
    assert values["R@10"] == pytest.approx([1.0, 1.0, 0.0])


def test_interval_and_paired_test_tell_a_difference_from_none() -> None:
    chance = np.random.default_rng(7)
    base = chance.random(200)
    better = np.clip(base + 0.05 + chance.normal(0, 0.05, 200), 0, 2)
    told = compare(better, base)
    assert told.low > 0 and told.p < 0.001 and told.n == 200
    same = compare(base + chance.choice([-0.1, 0.1], 200), base)
    assert same.p > 0.01
    many = chance.random(5000)  # drawn in several portions
    assert compare(many, many).p == 1.0
    mean = estimate(base)
    assert mean.low < mean.mean < mean.high
    # The normal interval of the mean, which a bootstrap of 200 values comes close to.
    assert mean.high - mean.low == pytest.approx(2 * 1.96 * base.std() / 200**0.5, rel=0.1)


@pytest.mark.parametrize(
    ("path", "reference", "stage"),
    [
        ([("recall", 1), ("fuse", 7), ("locate", 7)], 1, "fuse"),
        ([("recall", None), ("fuse", None)], 2, "recall"),
        ([("recall", 1), ("fuse", 2), ("substitute", None)], 1, "substitute"),
        ([("recall", 1), ("fuse", 1)], 1, "none"),
    ],
)
def test_blame_falls_on_the_costliest_step(path: list[tuple[str, int | None]], reference: int, stage: str) -> None:
    assert blame(path, reference, {"dense": 1}, "")[0] == stage
