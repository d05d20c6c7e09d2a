"""Two small corpora of our own and a folder of generations, for the contract of the lexical backends."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from oam_rdf.errors import FeatureMissing
from oam_rdf.index.base import Backend, LexicalChannel, backend
from oam_rdf.index.passages import IndexedDocument, PassageTable
from oam_rdf.model import Passage

NAMES = ("whoosh", "tantivy")


def made(name: str) -> Backend:
    """The backend, or a skip that says why it is not here."""
    try:
        return backend(name)
    except FeatureMissing as error:
        pytest.skip(str(error))


def document(
    identifier: str,
    *texts: str,
    title: str = "",
    heading: str = "",
    terms: tuple[str, ...] = (),
    language: str = "zh-Hant",
) -> IndexedDocument:
    """A document of one passage for each text."""
    passages, at = [], 0
    for text in texts:
        passages.append(Passage("s1", at, at + len(text), heading, text, language, lead=at == 0))
        at += len(text) + 1
    return IndexedDocument(identifier, title or identifier, language, tuple(passages), terms)


CHINESE = (
    document(
        "潮汐",
        "潮汐是月球與太陽的引力造成的海面升降。滿月與新月時引力相加，形成大潮。",
        "感潮河段的水位每日漲落兩次，船隻須查潮汐表才能過閘。",
        title="潮汐與引力",
        heading="海面升降",
        terms=("潮汐", "引力", "大潮", "感潮河段"),
    ),
    document(
        "釀造",
        "醬油的釀造從製麴開始：黃豆與小麥接種麴菌，加鹽水發酵數月。",
        "發酵槽的編號是 TK-0042，溫度由gen-itgc控制器記錄，韌體版本 v4.0。",
        title="醬油釀造",
        heading="發酵",
        terms=("釀造", "醬油", "發酵", "麴菌"),
    ),
    document(
        "橋梁",
        "懸索橋以主纜承重，橋塔把力傳到基礎；風大時橋面會顫振。",
        "檢修紀錄 KB-00317 指出：主纜外層鏽蝕，發酵一詞在此無關，僅為除錯用。",
        title="懸索橋的檢修",
        heading="主纜",
        terms=("懸索橋", "主纜", "橋塔"),
    ),
    document("KB-00317", "紀錄本身：主纜、橋塔、主纜、主纜，三處鏽蝕。", title="檢修紀錄", heading="紀錄"),
)
ENGLISH = (
    document(
        "bees",
        "Worker bees dance to tell the others where nectar was found; the dance angles follow the sun.",
        "A hive-scale under the box logs weight every hour, and the logs show when a swarm left.",
        title="How bees dance",
        heading="Foraging",
        language="en",
    ),
    document(
        "clocks",
        "A pendulum clock keeps time by a swinging weight. Warm weather lengthens the rod and the clock runs slow.",
        "Clock KO-7 was regulated twice; clock KO-8 never ran, and no clock of this series chimes.",
        title="Pendulum clocks",
        heading="Regulation",
        language="en",
    ),
    document(
        "bread",
        "Sourdough rises slowly: wild yeast works through the night while the baker sleeps.",
        "Baking by weight, not by cups, keeps every loaf the same; see recipe KO7 and the user_profile.py script.",
        title="Sourdough baking",
        heading="Dough",
        language="en",
    ),
    document("KO-7", "Regulation record of one clock: running slow, rod shortened.", title="Record", language="en"),
)
BOTH = (*CHINESE, *ENGLISH)

#: query -> ids of the documents that must be found, best first, by IDF+Coverage over :data:`BOTH`.
GOLDEN = {
    "潮汐表": ["潮汐"],
    "潮汐 引力": ["潮汐"],
    "发酵": ["橋梁", "釀造"],
    "主纜鏽蝕": ["KB-00317", "橋梁"],
    "KB-00317": ["KB-00317", "橋梁"],
    "查一下gen-itgc的溫度": ["釀造"],
    "GENITGC": ["釀造"],
    "v4.0": ["釀造"],
    "ko 7": ["KO-7", "clocks"],
    "dancing bee": ["bees"],
    "user_profile.py": ["bread"],
    "userprofilepy": ["bread"],
    "running clocks": ["KO-7", "clocks"],
    "weights": ["bees", "bread", "clocks"],
    "量子色動力學 zebra": [],
}
QUERIES = (
    *GOLDEN,
    "引力",
    "感潮河段",
    "醬油與麴菌的發酵",
    "橋塔 主纜 風",
    "KO-7",
    "the clock ran slow",
    "every night the logs show weight",
    "swarm 發酵 KO-8 gen-itgc 主纜 zebra",
    "紀錄",
    "月",
    "",
)


class World:
    """A set of documents that one backend publishes generation by generation into a folder."""

    def __init__(self, backend: Backend, folder: Path) -> None:
        self.backend, self.folder = backend, folder
        self.documents: dict[str, IndexedDocument] = {}
        self.table = PassageTable.empty()
        self.generation = 0

    def path(self, generation: int | None = None) -> Path:
        return self.folder / f"{self.generation if generation is None else generation:03}"

    def commit(self, added: Iterable[IndexedDocument] = (), removed: Iterable[str] = ()) -> LexicalChannel:
        added, removed = list(added), list(removed)
        previous = self.path() if self.generation else None
        self.generation += 1
        self.backend.publish(previous, self.path(), removed, added, self.documents.__getitem__)
        self.table = self.table.splice(removed, added)
        for gone in removed:
            self.documents.pop(gone, None)
        self.documents.update((d.id, d) for d in added)
        return self.open()

    def open(self) -> LexicalChannel:
        return self.backend.open(self.path(), self.table)


def found(index: LexicalChannel, query: str, **options: object) -> list[str]:
    """Document ids of the rows found, best first, each once."""
    result = index.search(query, **options)  # type: ignore[arg-type]
    return list(dict.fromkeys(index.passages.document_id(int(row)) for row in result.rows))


def picture(index: LexicalChannel, query: str, **options: object) -> dict[str, object]:
    """All that a search says, in comparable form."""
    result = index.search(query, **options)  # type: ignore[arg-type]
    return {
        "query": query,
        "rows": result.rows.tolist(),
        "scores": result.scores.tolist(),
        "terms": result.terms,
        "scorer": result.scorer,
        "total": result.total,
        "pins": result.pins.tolist(),
        "fields": result.fields,
        "plan": result.plan,
        "matches": index.matches(result.rows.tolist(), result),
    }
