"""A knowledge base made of text written in the test, and short questions about it."""

from __future__ import annotations

from pathlib import Path

from oam_rdf.annotate.report import AnnotateReport
from oam_rdf.annotate.run import AnnotateOptions
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

PREFIXES = """
PREFIX oam: <https://w3id.org/oam/ns#> PREFIX oa: <http://www.w3.org/ns/oa#> PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX dcterms: <http://purl.org/dc/terms/>
"""

HEAT = """---
id: HEAT
title: Notes on heat
---
# Notes on heat

## Definitions

Heat is the name for what flows from the hotter body to the colder one. The kettle stands on the shelf.

**Hypothesis H1.** Heat is a motion of the smallest parts.

## Open questions

Which motion is it? For example, the metal of a bell trembles.

## 歷史

1798 年，倫福德在慕尼黑量出鑽孔時不斷生出的熱。

**主張 X1。** 冰融化時吸熱而溫度不變。

- counterexample_to:: [[HEAT#H1]]
"""


class AnnotateWorld:
    """A folder of sources and the knowledge base made of it."""

    def __init__(self, root: Path) -> None:
        self.sources = root / "sources"
        self.sources.mkdir()
        self.kb = KnowledgeBase.init(root / "kb")

    def ingest(self, name: str = "heat.md", text: str = HEAT) -> None:
        (self.sources / name).write_text(text, encoding="utf-8")
        report = self.kb.ingest([self.sources], IngestOptions(workers=1))
        assert not report.refused

    def annotate(self, **options: object) -> AnnotateReport:
        return self.kb.annotate(AnnotateOptions(**options))  # type: ignore[arg-type]

    def select(self, query: str) -> list[tuple[str, ...]]:
        """Rows over the union of all graphs, terms as text, sorted."""
        with self.kb.snapshot() as snapshot:
            rows = snapshot.store.query(PREFIXES + query, use_default_graph_as_union=True)
            return sorted(tuple(term.value if term else "" for term in row) for row in rows)  # type: ignore[union-attr]

    def tags(self) -> set[tuple[str, str, str]]:
        """(object, concept, rule) of every tag."""
        query = """SELECT ?id ?body ?rule WHERE {
          ?tag oa:hasTarget ?object ; oa:hasBody ?body ; oam:rule ?rule . ?object dcterms:identifier ?id }"""
        root = "https://w3id.org/oam/"
        return {(name, body.removeprefix(root), rule) for name, body, rule in self.select(query)}

    def graphs(self, part: str) -> dict[str, set[str]]:
        """Graph name → its triples as text, for the graphs whose name holds ``part``."""
        with self.kb.snapshot() as snapshot:
            found: dict[str, set[str]] = {}
            for quad in snapshot.store:
                if part in quad.graph_name.value:  # type: ignore[union-attr]
                    found.setdefault(quad.graph_name.value, set()).add(str(quad.triple))  # type: ignore[union-attr]
            return found
