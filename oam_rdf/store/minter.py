"""The only place that makes IRIs of data (ontology.md, "IRIs")."""

from __future__ import annotations

import re
from dataclasses import dataclass

from oam_rdf.model import KnowledgeObject
from oam_rdf.namespaces import encode_id


@dataclass(frozen=True, slots=True)
class Minter:
    """IRIs below one base. Ids are percent-encoded Unicode, so 資料庫, C++ and C# never collide."""

    base: str

    def document(self, document_id: str) -> str:
        return f"{self.base}doc/{encode_id(document_id)}"

    def part(self, document_id: str, local: str) -> str:
        """A section, argument or statement: a fragment of its document ("" = the document itself)."""
        return f"{self.document(document_id)}#{encode_id(local)}" if local else self.document(document_id)

    def corpus_wide(self, author_id: str) -> str:
        return f"{self.base}ko/{encode_id(author_id)}"

    def object(self, document_id: str, item: KnowledgeObject) -> str:
        return self.corpus_wide(item.id) if item.global_id else self.part(document_id, item.id)

    def dependent(self, owner: str, name: str) -> str:
        """A span, tag, relation, assessment or evidence node: a named fragment of the object it is about."""
        return f"{owner}.{name}" if "#" in owner else f"{owner}#{name}"

    def original(self, sha256: str) -> str:
        return f"{self.base}original/sha256-{sha256}"

    def graph(self, document_id: str, name: str, visibility: str = "") -> str:
        """``name`` is assertion, annotation/import, assessment, provenance, inferred or history."""
        suffix = f"/{visibility.lower()}" if visibility else ""
        return f"{self.base}graph/{encode_id(document_id)}/{name}{suffix}"

    def system_graph(self) -> str:
        """Holds the revision; no document can have it, because a document's graphs have a further segment."""
        return f"{self.base}graph/system"

    def knowledge_base(self) -> str:
        return f"{self.base}kb"

    def run(self, digest: str) -> str:
        return f"{self.base}run/{digest}"

    def agent(self, name: str) -> str:
        return f"{self.base}agent/{encode_id(name)}"

    def prefixes(self) -> dict[str, str]:
        """Prefixes of data, as exports write them and queries may use them."""
        return {name: f"{self.base}{path}/" for name, path in (("doc", "doc"), ("ko", "ko"), ("orig", "original"))}


_GRAPH_NAME = re.compile(r"graph/([^/]+)/(assertion|annotation|assessment|provenance|inferred|history)(/|$)")


def document_segment(graph_iri: str) -> str | None:
    """The encoded document id of a document's graph, or None for any other graph."""
    found = _GRAPH_NAME.search(graph_iri)
    return found.group(1) if found else None
