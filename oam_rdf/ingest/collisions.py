"""Ids must be unique in the whole knowledge base (segmentation.md, "A collision is refused with both places named")."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from oam_rdf.ingest.candidate import Candidate, claims, pack
from oam_rdf.ingest.catalogue import Catalogue
from oam_rdf.ingest.identity import keep_ids, local_ids
from oam_rdf.ingest.publication import Publication
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.shared_titles import place
from oam_rdf.model import Issue


@dataclass(slots=True)
class Collisions:
    """Finds candidates that claim an id which another source defines, and refuses the later one."""

    catalogue: Catalogue
    publication: Publication
    report: IngestReport

    def sort_out(self, candidates: list[Candidate]) -> list[Candidate]:
        """The candidates that may land, those that moved joined to the document that they replace.

        A document's own id wins over the same id inside another document's text: that is a mention, which defines nothing.
        """
        # Whoever has the id already keeps it; else the order of places decides, not that in which the files were named.
        candidates = sorted(
            candidates, key=lambda one: (one.previous is None or one.previous.id != one.id, *place(one))
        )
        documents: dict[str, Candidate] = {}
        for candidate in candidates:
            documents.setdefault(candidate.id, candidate)
        kept: list[Candidate] = []
        taken: dict[str, str] = {}
        replaced = {candidate.previous.graph for candidate in candidates if candidate.previous}
        for candidate in candidates:
            first = documents[candidate.id]
            if first is not candidate and first.sha256 == candidate.sha256:
                self._skip(candidate, first.file.path)
                continue
            if first is not candidate:
                self._refuse(candidate, candidate.id, candidate.document().document.line, first.file.path)
                continue
            if not self._joined(candidate):
                continue
            demote(candidate, documents.keys() | self.catalogue.by_id.keys())
            document = candidate.document()
            for key, line in claims(document):
                # A stored text that took a document's id for its own is encoded again, as a mention (see Run._relinked).
                own = key == document.id
                other = "" if own else taken.get(key) or self.catalogue.claimed(key, document.id, replaced)
                if other:
                    self._refuse(candidate, key, line, other)
                    break
            else:
                for key, line in claims(document):
                    taken[key] = f"{candidate.file.path}:{line}" if line else candidate.file.path
                kept.append(candidate)
        return kept

    def _joined(self, candidate: Candidate) -> bool:
        """Join a candidate to the stored document of its id, unless that one's source is still there."""
        stored = self.catalogue.by_id.get(candidate.id)
        if stored is None or (candidate.previous is not None and candidate.previous.id == stored.id):
            return True
        if stored.there:
            if stored.sha256 == candidate.sha256:
                self._skip(candidate, stored.path)
                return False
            self._refuse(candidate, candidate.id, candidate.document().document.line, stored.path)
            return False
        candidate.previous, candidate.kind = stored, "changed"  # moved and edited at once
        candidate.packed = pack(keep_ids(candidate.document(), self.publication.known(stored.id)))
        self.report.vanished = [path for path in self.report.vanished if path != stored.path]
        return True

    def _skip(self, candidate: Candidate, other: str) -> None:
        """A copy, byte for byte: there is nothing in it that the other does not say."""
        message, hint = f"the same bytes as {other}", "nothing is missing; keep one of the two"
        self.report.skipped += 1
        self.report.issues.append(Issue("note", "skipped-copy", message, file=candidate.file.path, hint=hint))

    def _refuse(self, candidate: Candidate, key: str, line: int, other: str) -> None:
        message = f"the id {key!r} is also defined in {other}"
        self.report.refuse(candidate.file.path, "id-collision", message, line, "give one of the two another id")


def demote(candidate: Candidate, document_ids: Set[str]) -> None:
    """Corpus-wide ids of a candidate that are the ids of documents become local ones."""
    document = candidate.document()
    mentions = {item.id for item in document.objects if item.global_id and item.id in document_ids}
    if mentions:
        candidate.packed = pack(local_ids(document, mentions))
