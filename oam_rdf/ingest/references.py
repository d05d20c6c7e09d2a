"""Resolving references as people write them to the objects of the knowledge base (segmentation.md)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from oam_rdf.index import name_table
from oam_rdf.index.name_table import ALIAS, IDENTIFIER, TEXTS, TITLE, TITLED, NameTable, keys, path_names
from oam_rdf.ingest.naming import collapsed
from oam_rdf.model import ParsedDocument
from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.text.normalise import id_key, link_key

_LOOSE = ALIAS + 1  # weaker than any kind of name

_EXTRACTS = f"""
SELECT ?document ?id ?file WHERE {{
  ?document <{OAM}about> ?id . OPTIONAL {{ ?document <{OAM}aboutFile> ?file }}
}}"""

_DEFINED = f"""
SELECT ?document ?name WHERE {{
  ?document <{OAM}defines> ?concept . ?concept a <{OAM}Concept> ; <{DCTERMS}isPartOf> ?document .
  {{ ?concept <{DCTERMS}title> ?name }} UNION {{ ?concept <{OAM}alias> ?name }}
}}"""

#: A concept that more works than this define names none of them (formats.md, "In" 3).
MANY = 6


class References:
    """Names → objects. Ambiguous names of the same strength resolve to nothing rather than to a guess.

    The id of a work is an alias of its extract: it means the extract only where the work itself is not stored.
    """

    def __init__(self, minter: Minter) -> None:
        self.minter = minter
        self._names: dict[str, dict[int, set[str]]] = {}
        self._stored: NameTable | None = None
        self._replaced: set[str] = set()
        self._about: dict[str, tuple[str, ...]] = {}  # extract -> names of its work
        self._extracts: dict[str, set[str]] = {}  # id of a work -> its extracts
        self._defined: dict[str, set[str]] = {}  # name of a concept -> documents that define it

    def load(self, live: LiveStore, without: Iterable[str] = (), names: NameTable | None = None) -> None:
        """Names of everything stored, except of the documents in ``without`` (their ids), which are being replaced.

        ``names`` are those of what ``live`` holds, if they were read before.
        """
        self._replaced = {self.minter.document(document_id) for document_id in without}
        self._stored = name_table.build(live.select) if names is None else names
        keep = self._keep
        for row in live.select(_EXTRACTS):
            if keep(row["document"].value):
                file = (row["file"].value,) if row["file"] else ()
                self._add_extract(row["document"].value, (row["id"].value, *file))
        for row in live.select(_DEFINED):
            if keep(row["document"].value):
                self._defined.setdefault(link_key(row["name"].value), set()).add(row["document"].value)

    def _keep(self, iri: str) -> bool:
        return iri not in self._replaced and iri.split("#", 1)[0] not in self._replaced

    def add(self, document: ParsedDocument) -> None:
        """Names of a document that is about to land."""
        for item in document.objects:
            named = item.granularity == "DOCUMENT" or item.author_id or item.global_id
            if not named:  # an entry of a list: its title is no name, but the id that the list gives it is
                for alias in item.aliases if item.granularity == "SECTION" else ():
                    self._add(self.minter.object(document.id, item), alias, ALIAS)
                continue
            iri = self.minter.object(document.id, item)
            identifier = item.id if item.global_id else f"{document.id}#{item.id}" if item.id else document.id
            called = identifier == collapsed(item.title) and not item.author_id and document.media_type in TEXTS
            self._add(iri, identifier, TITLED if called and item.granularity == "DOCUMENT" else IDENTIFIER)
            if item.granularity != "DOCUMENT" and item.axes.get("provenanceType"):
                continue  # what an extractor calls an entry is a name inside its extract only
            if item.title:
                self._add(iri, item.title, TITLE)
            for alias in item.aliases:
                self._add(iri, alias, ALIAS)
        own = self.minter.document(document.id)
        self._add_path(own, document.path)
        if document.about:
            self._add_extract(own, document.about)
        defined = {r.target for r in document.relations if r.local and r.type == "defines"}
        for item in document.objects:
            if item.id in defined and item.type == "Concept":
                for name in (item.title, *item.aliases):
                    self._defined.setdefault(link_key(name), set()).add(own)

    def _add_extract(self, iri: str, names: tuple[str, ...]) -> None:
        self._about[iri] = names
        self._extracts.setdefault(link_key(names[0]), set()).add(iri)

    def _add_path(self, iri: str, path: str) -> None:
        for name in path_names(path):
            self._add(iri, name, ALIAS)

    def _add(self, iri: str, name: str, kind: int) -> None:
        for key in keys(name):
            self._names.setdefault(key, {}).setdefault(kind, set()).add(iri)

    def _called(self, key: str) -> dict[int, set[str]]:
        """Kind of name -> the objects that go by a key, stored and arriving."""
        found = {kind: set(objects) for kind, objects in self._names.get(key, {}).items()}
        for kind, iri in self._stored.find(key) if self._stored else ():
            if self._keep(iri):
                found.setdefault(kind, set()).add(iri)
        return found

    def _bearers(self, called: Mapping[int, set[str]]) -> Iterator[str]:
        """The documents with a title, of what goes by it: no parts of documents, and no extracts of works."""
        prefix = self.minter.document("")
        for iri in called.get(TITLED, set()) | called.get(TITLE, set()):
            if iri.startswith(prefix) and "#" not in iri and iri not in self._about:
                yield iri

    def contested(self) -> set[str]:
        """Documents whose id is a title that a document which is about to land bears, too, and bore not before."""
        found: set[str] = set()
        for key, arriving in self._names.items():
            if not arriving.keys() & {TITLED, TITLE}:
                continue
            called = self._called(key)
            bearers = set(self._bearers(called))
            stored = self._stored.find(key) if self._stored else ()
            before = {iri for kind, iri in stored if kind in (TITLED, TITLE)}
            if called.get(TITLED) and len(bearers) > 1 and not bearers <= before:
                found |= called[TITLED]
        return found

    def candidates(self, reference: str) -> Sequence[str]:
        """All objects that the strongest reading of a reference can mean, sorted."""
        return self._reading(reference)[0]

    def _reading(self, reference: str, without: Container[str] = ()) -> tuple[Sequence[str], int]:
        """What a reference means, ``without`` some objects, and the strength of that reading."""
        written = _bare(reference)
        if not written or written.startswith("#"):
            return (), _LOOSE  # "#x" names a part of the document that says so, which lacks it
        for key in ("=" + link_key(written), "~" + id_key(written)):
            if len(key) == 1:
                continue
            called = self._called(key)
            for kind, found in sorted(called.items()):
                meant = found | set(self._bearers(called)) if kind == TITLED else found
                if left := sorted(iri for iri in meant if iri not in without):
                    return left, kind
        if "#" in written:
            # A heading or block of a document we know: the document itself is what can be pointed at.
            whole, kind = self._reading(written.split("#", 1)[0], without)
            return (whole, kind) if len(whole) == 1 else ((), _LOOSE)
        return (), _LOOSE

    def resolve(self, reference: str) -> str | None:
        """The one object meant, or None when nothing or more than one fits; a work rather than its extract."""
        found, kind = self._reading(reference)
        if len(found) != 1:
            return None
        return found[0] if kind <= TITLED else self.of_work(found[0])

    def work(self, extract: str) -> str | None:
        """The stored work that a document is about; None if there is none, or it is about none."""
        for name in self._about.get(extract, ()):
            found, _ = self._reading(name, self._about)
            if len(found) == 1:
                return found[0]
        return None

    def of_work(self, iri: str) -> str:
        """What stands for a document in relations between works: the work that it is about, if stored, else itself."""
        return self.work(iri) or iri

    def concept(self, name: str, asking: str) -> Sequence[str | None]:
        """What a name that may be a work's id or a concept's name means where the document ``asking`` writes it.

        One or several works that define a concept of that name, never merged and without the asking one; ``(None,)`` where
        nothing fits or more than :data:`MANY` do.
        """
        found, kind = self._reading(name)
        if len(found) == 1 and kind <= TITLED:
            return (found[0],)
        own = self.of_work(asking)
        extracts = self._extracts.get(link_key(name), set())
        if len(extracts) == 1:
            return (self.of_work(next(iter(extracts))),)
        works = {self.of_work(iri) for iri in self._defined.get(link_key(name), ())} - {own}
        if works:
            return sorted(works) if len(works) <= MANY else (None,)
        return (self.resolve(name),)

    def meanings(self, reference: str) -> set[str]:
        """Everything that a reference can mean, whatever the strength, with extracts of works and works of extracts."""
        written = _bare(reference)
        found: set[str] = set()
        for key in ("=" + link_key(written), "~" + id_key(written)):
            for objects in self._called(key).values():
                found |= objects
            if found:
                break
        found |= self._extracts.get(link_key(written), set())
        return found | {self.of_work(iri) for iri in found}


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
