"""A hidden part leaves no trace in what is shown around it (decision D16)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from oam_rdf.errors import Damaged
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.redact import widened

TEXT = """---
id: DD
---
# Minerals

Feldspar is common.

**Axiom A1.** Obsidian is glass.

- visibility:: internal
- status:: refuted

Quartz is hard.

## Lists

- One item.
- **Axiom A2.** Onyx is banded.
  - visibility:: internal
- Another item.

**Axiom A3.** Mica is flaky.
"""
OPEN = """---
id: DD
---
# Minerals

Feldspar is common.

Quartz is hard.

## Lists

- One item.
- Another item.

**Axiom A3.** Mica is flaky.
"""


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "dd.md").write_text(TEXT, "utf-8")
    made = KnowledgeBase.init(tmp_path / "kb")
    made.ingest([sources], IngestOptions(workers=1))
    yield made
    made.close()


def test_the_document_reads_as_if_it_had_never_been_there(kb: KnowledgeBase) -> None:
    view = kb.source("DD", clearance="PUBLIC").to_json()
    (quote,) = view["quotes"]
    assert quote["exact"] == OPEN
    assert (quote["start"], quote["end"], view["length"], view["matches"]) == (None, None, None, None)
    assert not {"redacted", "hidden"} & set(quote) and "…" not in quote["exact"]
    assert kb.source("DD").quotes[0].exact == TEXT and kb.source("DD").length == len(TEXT)
    bare = kb.source(f"sha256-{view['original']}", clearance="PUBLIC").to_json()
    assert bare["quotes"] == view["quotes"] and bare["length"] is None


def test_the_surroundings_close_up(kb: KnowledgeBase) -> None:
    (quote,) = kb.source("DD#A3", context=50, clearance="PUBLIC").quotes
    assert quote.exact == "**Axiom A3.** Mica is flaky." and quote.prefix == OPEN[: OPEN.index("**Axiom A3")][-50:]
    assert quote.start is not None and TEXT[quote.start : quote.end] == quote.exact
    assert kb.source("DD#A3", context=0, clearance="PUBLIC").quotes[0].prefix == ""


def test_describing_lines_are_found_by_nobody_below(kb: KnowledgeBase) -> None:
    for query in ("visibility internal", "status refuted", "Onyx banded", "obsidian glass"):
        answer = kb.search(query, clearance="PUBLIC")
        shown = json.dumps([result.to_json() for result in answer.results])
        assert not any(word in shown for word in ("internal", "refuted", "Onyx", "Obsidian")), query
    assert "refuted" in json.dumps(kb.search("status refuted").to_json())


def test_an_altered_original_with_a_hidden_part_is_not_shown(kb: KnowledgeBase) -> None:
    path = next(path for path in kb.layout.originals.glob("??/*"))
    path.write_bytes(path.read_bytes().replace(b"Feldspar is common.\n\n", b""))
    with pytest.raises(Damaged, match="altered"):
        kb.source("DD", clearance="PUBLIC")
    assert kb.source("DD").intact is False


@pytest.mark.parametrize(
    ("text", "inside", "left"),
    [
        ("A. SECRET. B.", "SECRET.", "A. B."),
        ("SECRET. B.", "SECRET.", "B."),
        ("A.\n\nSECRET.\n", "SECRET.", "A.\n\n"),
        ("## SECRET\n\nB.", "SECRET", "B."),
        ("> 1. SECRET\n> 2. B", "SECRET", "> 2. B"),
        ("SECRET\n\n- key:: value\n- dependsOn [[X]], [[Y]]\n- see [[X]]\n\nB", "SECRET", "- see [[X]]\n\nB"),
        ("SECRET\n\n## Next\n", "SECRET", "## Next\n"),
        ("SECRET", "SECRET", ""),
    ],
)
def test_what_goes_with_a_hidden_span(text: str, inside: str, left: str) -> None:
    at = text.index(inside)
    kept, last = "", 0
    for low, high in widened(text, [(at, at + len(inside))]):
        kept, last = kept + text[last:low], high
    assert kept + text[last:] == left
