"""What the graphs of one document say, by subject: values in a fixed order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode, Store

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.namespaces import OAM, RDF
from oam_rdf.store.minter import Minter
from oam_rdf.store.selection import Selection

_TYPE = RDF + "type"


def only_document(selection: Selection) -> str:
    """The id of the one document that is selected. :raises UsageError: for none or several."""
    chosen = list(selection.chosen or ())
    if len(chosen) != 1:
        raise UsageError("this format is that of one document", hint="name one: oam export PAPER-1.tcf --format tcf-lite")
    return unquote(chosen[0])


def as_file(value: Any) -> bytes:
    """JSON for people and programs: two spaces, no escapes, a last line break."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


class DocumentFacts:
    """Reads a document's assertion graphs; ``iri`` is the document's own.

    :raises NotFound: when there is no document of that id.
    """

    def __init__(self, store: Store, minter: Minter, document_id: str) -> None:
        self.iri = minter.document(document_id)
        own = minter.graph(document_id, "assertion")
        self._facts: dict[str, dict[str, list[NamedNode | Literal]]] = {}
        for name in [g.value for g in store.named_graphs() if isinstance(g, NamedNode)]:
            if name != own and not name.startswith(own + "/"):
                continue
            for quad in store.quads_for_pattern(None, None, None, NamedNode(name)):
                if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode | Literal):
                    said = self._facts.setdefault(quad.subject.value, {})
                    said.setdefault(quad.predicate.value, []).append(quad.object)
        if self.iri not in self._facts:
            raise NotFound(f"no document {document_id!r} here", hint="`oam search` finds ids")
        for said in self._facts.values():
            for values in said.values():
                values.sort(key=str)

    def texts(self, subject: str, predicate: str) -> list[str]:
        """Values as text, IRIs and literals alike."""
        return [value.value for value in self._facts.get(subject, {}).get(predicate, ())]

    def text(self, subject: str, predicate: str) -> str:
        """The first value, "" if there is none."""
        return next(iter(self.texts(subject, predicate)), "")

    def language(self, subject: str, predicate: str) -> str:
        """The language of the first value, "" if it has none."""
        first = next(iter(self._facts.get(subject, {}).get(predicate, ())), None)
        return (first.language or "") if isinstance(first, Literal) else ""

    def number(self, subject: str, name: str) -> int | None:
        """An integer of a property of ours."""
        value = self.text(subject, OAM + name)
        return int(value) if value else None

    def of_type(self, name: str) -> Iterator[str]:
        """Subjects of a class of ours, in order of IRI."""
        return (s for s in sorted(self._facts) if OAM + name in self.texts(s, _TYPE))

    def subjects(self) -> Iterator[str]:
        return iter(sorted(self._facts))
