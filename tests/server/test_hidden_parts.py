"""A document with a hidden part over HTTP: nothing counts or marks what is not shown."""

from __future__ import annotations

from pathlib import Path

from server_client import client, serving

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_server.app import create_app

OPEN = "---\nid: DD\n---\n# Minerals\n\nFeldspar is common.\n\n{}Quartz is hard.\n"


def test_source_of_a_document_with_a_hidden_part(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    hidden = "**Axiom A1.** Obsidian is glass.\n\n- visibility:: internal\n\n"
    (sources / "dd.md").write_text(OPEN.format(hidden), "utf-8")
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        kb.ingest([sources], IngestOptions(workers=1))
    app = create_app(tmp_path / "kb")
    with serving(app) as port:
        read = client(port)
        view = read("/source/DD").json()
        (quote,) = view["quotes"]
        assert quote["exact"] == OPEN.format("") and "redacted" not in quote
        assert (quote["start"], quote["end"], view["length"]) == (None, None, None)
        assert read("/source/DD%23A1").status == 404
        empty = read("/search?q=").json()
        assert (empty["verdict"], empty["results"], empty["route"]) == ("NO_RETRIEVAL", [], ["NO_RETRIEVAL"])
        assert read("/search?q=x&route=SPARSE_ONLY,DENSE_ONLY").status == 400
    app.extensions["oam"].close()
