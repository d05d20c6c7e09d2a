"""Which backend a knowledge base publishes and reads, and what happens where its package is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import oam_rdf.index
from oam_rdf.errors import ConfigError
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.store.layout import Config

pytest.importorskip("tantivy", reason="the extra `tantivy` is not installed")

TIDES = (
    "---\nid: TIDE-0001\ntitle: Tides\nlanguage: en\n---\n\nThe moon raises the tides; at new moon they are highest.\n"
)
CLOCKS = "---\nid: CLOCK-0001\ntitle: Clocks\nlanguage: en\n---\n\nA pendulum clock runs slow in warm weather.\n"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "tides.md").write_text(TIDES)
    return folder


@pytest.fixture
def choose(tmp_path: Path) -> Iterator[Callable[[str], KnowledgeBase]]:
    """Open the knowledge base with another backend in its ``oam.toml``."""
    opened: list[KnowledgeBase] = []

    def chosen(name: str) -> KnowledgeBase:
        path = tmp_path / "kb"
        kb = KnowledgeBase.open(path) if path.exists() else KnowledgeBase.init(path)
        text = kb.layout.config.read_text("utf-8")
        kb.layout.config.write_text(text.replace(f'lexical = "{kb.config.lexical}"', f'lexical = "{name}"'), "utf-8")
        kb.close()
        opened.append(KnowledgeBase.open(path))
        return opened[-1]

    yield chosen
    for kb in opened:
        kb.close()


def ingest(kb: KnowledgeBase, sources: Path) -> None:
    kb.ingest([sources], IngestOptions(workers=1))


def published(kb: KnowledgeBase) -> Path:
    return kb.layout.published / kb.layout.current.read_text().strip().zfill(6)


def folders(kb: KnowledgeBase) -> set[str]:
    return {"lexical", "tantivy"} & {path.name for path in published(kb).iterdir()}


def backend_of(kb: KnowledgeBase) -> tuple[str, str]:
    """Class of the open index, and why the channel is degraded."""
    with kb.snapshot() as snapshot:
        return type(snapshot.lexical).__name__, snapshot.degraded.get("lexical", "")


def first(kb: KnowledgeBase, query: str) -> str:
    with kb.snapshot() as snapshot:
        assert snapshot.lexical is not None
        rows = snapshot.lexical.search(query).rows
        return snapshot.passages.document_id(int(rows[0])) if len(rows) else ""


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make the package impossible to import from here on."""

    def remove() -> None:
        monkeypatch.setitem(sys.modules, "tantivy", None)
        for name in ("lexical_tantivy", "tantivy_files", "tantivy_writer"):
            monkeypatch.delitem(sys.modules, f"oam_rdf.index.{name}", raising=False)
            monkeypatch.delattr(oam_rdf.index, name, raising=False)

    return remove


def test_the_default_publishes_no_tantivy_folder(choose: Callable[[str], KnowledgeBase], sources: Path) -> None:
    kb = choose("whoosh")
    ingest(kb, sources)
    assert folders(kb) == {"lexical"} and backend_of(kb) == ("LexicalIndex", "")


def test_the_configured_backend_publishes_and_answers(choose: Callable[[str], KnowledgeBase], sources: Path) -> None:
    kb = choose("tantivy")
    ingest(kb, sources)
    assert folders(kb) == {"tantivy"} and backend_of(kb) == ("TantivyIndex", "")
    assert json.loads((published(kb) / "manifest.json").read_bytes())["lexical"] == "tantivy"
    (sources / "clocks.md").write_text(CLOCKS)
    ingest(kb, sources)
    assert [first(kb, q) for q in ("pendulum", "moon", "TIDE-0001", "zebra")] == [
        "CLOCK-0001",
        "TIDE-0001",
        "TIDE-0001",
        "",
    ]
    answer = kb.search("pendulum clock")
    assert answer.results and answer.results[0].id == "CLOCK-0001" and "lexical" not in answer.degraded


def test_a_change_of_backend_takes_every_document_along(choose: Callable[[str], KnowledgeBase], sources: Path) -> None:
    ingest(choose("whoosh"), sources)
    (sources / "clocks.md").write_text(CLOCKS)
    kb = choose("tantivy")
    ingest(kb, sources)
    assert folders(kb) == {"tantivy"} and [first(kb, q) for q in ("pendulum", "moon")] == ["CLOCK-0001", "TIDE-0001"]
    kb = choose("whoosh")
    kb.reindex()
    assert folders(kb) == {"lexical"} and [first(kb, q) for q in ("pendulum", "moon")] == ["CLOCK-0001", "TIDE-0001"]


def test_without_the_package_the_channel_is_off_with_its_reason(
    choose: Callable[[str], KnowledgeBase], sources: Path, absent: Callable[[], None]
) -> None:
    ingest(choose("tantivy"), sources)
    absent()
    kb = choose("tantivy")
    name, reason = backend_of(kb)
    assert name == "NoneType" and "oam-rdf[tantivy]" in reason
    assert "lexical" in kb.search("tides").degraded


def test_without_the_package_the_default_publishes_and_answers_and_says_so(
    choose: Callable[[str], KnowledgeBase], sources: Path, absent: Callable[[], None]
) -> None:
    absent()
    kb = choose("tantivy")
    ingest(kb, sources)
    name, reason = backend_of(kb)
    assert folders(kb) == {"lexical"} and name == "LexicalIndex" and "oam-rdf[tantivy]" in reason
    assert first(kb, "moon") == "TIDE-0001"


def test_a_damaged_folder_is_made_anew_by_the_next_publication(
    choose: Callable[[str], KnowledgeBase], sources: Path
) -> None:
    kb = choose("tantivy")
    ingest(kb, sources)
    meta = published(kb) / "tantivy" / "meta.json"
    meta.write_bytes(meta.read_bytes()[:40])
    kb = choose("tantivy")
    name, reason = backend_of(kb)
    assert name == "NoneType" and "oam reindex" in reason
    kb.reindex()
    assert backend_of(kb) == ("TantivyIndex", "") and first(kb, "moon") == "TIDE-0001"


def test_a_config_names_a_backend_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "oam.toml"
    path.write_text('lexical = "lucene"\n')
    with pytest.raises(ConfigError, match="whoosh"):
        Config.load(path)
    path.write_text(Config(lexical="tantivy").dump())
    assert Config.load(path).lexical == "tantivy"
