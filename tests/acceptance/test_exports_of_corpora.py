"""Every document of two public corpora goes out in every syntax: read by both libraries, one graph, the same bytes twice."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse, serialize
from rdflib import BNode, Dataset

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.store.rdf_formats import FORMATS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("exports")]

# (format, whether the merged graph): what researchers read, and what can be loaded again.
KINDS = (("turtle", True), ("trig", False), ("nquads", False), ("jsonld", False))
RDFLIB = {"turtle": "turtle", "trig": "trig", "nquads": "nquads", "jsonld": "json-ld"}


@pytest.mark.parametrize(
    ("corpus", "folder", "profile"), [("peps", "files", "peps"), ("pldst-zh-hant", "vault", "pldst")]
)
def test_every_document(shared: Path, tmp_path: Path, corpus: str, folder: str, profile: str) -> None:
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        kb.ingest([shared / "corpora" / corpus / folder], IngestOptions(profile=profile))
        body, _ = kb.sparql("SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }", format="json")
        ids = sorted(row["i"]["value"] for row in json.loads(body)["results"]["bindings"])
        assert len(ids) == kb.status().documents > 30
        spent: Counter[str] = Counter()
        triples = 0
        for identifier in ids:
            for fmt, tcf in KINDS:
                began = time.perf_counter()
                body = kb.export(identifier, fmt, tcf=tcf)
                spent[fmt] += time.perf_counter() - began  # type: ignore[assignment]
                assert body == kb.export(identifier, fmt, tcf=tcf), (identifier, fmt)
                quads = list(parse(body, format=FORMATS[fmt]))
                triples += len(quads)
                assert _rdflib(body, RDFLIB[fmt]) == _rdflib(
                    serialize(quads, format=RdfFormat.N_QUADS) or b"", "nquads"
                )
        print(json.dumps({"corpus": corpus, "documents": len(ids), "triples": triples,
                          "seconds": {fmt: round(seconds, 1) for fmt, seconds in spent.items()}}))  # fmt: skip


def _rdflib(body: bytes, fmt: str) -> set[tuple[object, ...]]:
    """The quads as rdflib reads them. Nothing of ours is a blank node, so equal sets are isomorphic graphs."""
    found = set(Dataset().parse(data=body.decode(), format=fmt).quads())
    assert found and not [quad for quad in found for term in quad if isinstance(term, BNode)]
    return {(s, p, o, str(g) if g is not None else "") for s, p, o, g in found}
