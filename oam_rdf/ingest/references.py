"""Resolving references as people write them to the objects of the knowledge base (segmentation.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from oam_rdf.model import ParsedDocument
from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.text.normalise import id_key, link_key

# Stronger kinds win: an identifier before a title, a title before an alias or file name.
_IDENTIFIER, _TITLE, _ALIAS, _LOOSE = range(4)

_STORED = f"""
SELECT ?object ?name ?kind WHERE {{
  {{ ?object a <{OAM}Document> }} UNION {{ ?object <{OAM}authorId> ?any }}
  {{ ?object <{DCTERMS}identifier> ?name BIND(0 AS ?kind) }}
  UNION {{ ?object <{DCTERMS}title> ?name BIND(1 AS ?kind) }}
  UNION {{ ?object <{OAM}alias> ?name BIND(2 AS ?kind) }}
}}"""

_PATHS = f"""
SELECT ?path ?object WHERE {{
  ?graph <{OAM}sourcePath> ?path .
  GRAPH ?graph {{ ?object a <{OAM}Document> }}
}}"""


class References:
    """Names → objects. Ambiguous names of the same strength resolve to nothing rather than to a guess."""

    def __init__(self, minter: Minter) -> None:
        self.minter = minter
        self._names: dict[str, dict[int, set[str]]] = {}

    def load(self, live: LiveStore, without: Iterable[str] = ()) -> None:
        """Names of everything stored, except of the documents in ``without`` (their ids), which are being replaced."""
        skipped = tuple(self.minter.document(document_id) for document_id in without)
        replaced = set(skipped)

        def keep(iri: str) -> bool:
            return iri not in replaced and iri.split("#", 1)[0] not in replaced

        for row in live.select(_STORED):
            iri = row["object"].value
            if keep(iri):
                self._add(iri, row["name"].value, int(row["kind"].value))
        for row in live.select(_PATHS):
            if keep(row["object"].value):
                self._add_path(row["object"].value, row["path"].value)

    def add(self, document: ParsedDocument) -> None:
        """Names of a document that is about to land."""
        for item in document.objects:
            named = item.granularity == "DOCUMENT" or item.author_id or item.global_id
            if not named:
                continue
            iri = self.minter.object(document.id, item)
            identifier = item.id if item.global_id else f"{document.id}#{item.id}" if item.id else document.id
            self._add(iri, identifier, _IDENTIFIER)
            if item.title:
                self._add(iri, item.title, _TITLE)
            for alias in item.aliases:
                self._add(iri, alias, _ALIAS)
        self._add_path(self.minter.document(document.id), document.path)

    def _add_path(self, iri: str, path: str) -> None:
        pure = PurePosixPath(path)
        self._add(iri, pure.stem, _ALIAS)
        self._add(iri, pure.with_suffix("").as_posix(), _ALIAS)
        self._add(iri, path, _ALIAS)

    def _add(self, iri: str, name: str, kind: int) -> None:
        self._names.setdefault("=" + link_key(name), {}).setdefault(kind, set()).add(iri)
        loose = id_key(name)
        if loose:
            self._names.setdefault("~" + loose, {}).setdefault(kind, set()).add(iri)

    def candidates(self, reference: str) -> Sequence[str]:
        """All objects that the strongest reading of a reference can mean, sorted."""
        written = _bare(reference)
        if not written:
            return ()
        for key in ("=" + link_key(written), "~" + id_key(written)):
            if len(key) == 1:
                continue
            readings = self._names.get(key)
            if readings:
                return sorted(readings[min(readings)])
        if "#" in written:
            # A heading or block of a document we know: the document itself is what can be pointed at.
            whole = self.candidates(written.split("#", 1)[0])
            return whole if len(whole) == 1 else ()
        return ()

    def resolve(self, reference: str) -> str | None:
        """The one object meant, or None when nothing or more than one fits."""
        found = self.candidates(reference)
        return found[0] if len(found) == 1 else None


def _bare(reference: str) -> str:
    written = reference.strip()
    for opening, closing in (("[[", "]]"), ("《", "》"), ("<", ">")):
        if written.startswith(opening) and written.endswith(closing):
            written = written[len(opening) : -len(closing)]
    written = written.split("|", 1)[0].strip()
    if written.endswith((".md", ".rst", ".markdown")) or written.startswith(("./", "../")):
        written = written.removeprefix("./")
        while written.startswith("../"):
            written = written[3:]
    return written
