"""Everything outside a document that its encoding depends on: what its references mean, which audits judge its proposals,
where its quotes stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from oam_rdf.ingest.anchoring import Anchorer
from oam_rdf.ingest.audits import Audits
from oam_rdf.ingest.candidate import Candidate
from oam_rdf.ingest.catalogue import Catalogue
from oam_rdf.ingest.ends import ends
from oam_rdf.ingest.references import References
from oam_rdf.ingest.relinking import Relinking
from oam_rdf.model import ParsedDocument, Relation
from oam_rdf.store.document_quads import Resolved
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals
from oam_rdf.store.projection import graph_levels

_JSON = (".json", ".jsonl", ".ndjson")  # what can hold audits


@dataclass(slots=True)
class Linking:
    """Made anew for the candidates that are to land, out of them and of what is stored."""

    minter: Minter
    references: References
    audits: Audits
    anchorer: Anchorer

    @staticmethod
    def of(
        candidates: Iterable[Candidate],
        references: References,
        catalogue: Catalogue,
        live: LiveStore,
        originals: Originals,
    ) -> Linking:
        """``references`` are those of the candidates and the store."""
        minter, arriving = catalogue.minter, list(candidates)
        audits = Audits(minter, references)
        without = {candidate.id for candidate in arriving}
        audits.load(live, without | {candidate.previous.id for candidate in arriving if candidate.previous})
        for candidate in arriving:
            if candidate.file.path.lower().endswith(_JSON):  # unpacking thousands of others would take seconds
                audits.add(candidate.document())
        anchorer = Anchorer(
            minter,
            originals,
            references,
            {minter.document(candidate.id): candidate for candidate in arriving},
            {minter.document(name): file for name, file in catalogue.by_id.items()},
            graph_levels(live.store),
        )
        return Linking(minter, references, audits, anchorer)

    def stale(self, live: LiveStore, catalogue: Catalogue, candidates: Iterable[Candidate]) -> set[str]:
        """Ids of stored documents that would be encoded otherwise now."""
        owners = {file.graph: file.id for file in catalogue.files}
        relinking = Relinking(live, self.minter, self.references, self.audits, owners)
        return relinking.stale(self.minter.document(candidate.id) for candidate in candidates)

    def ends(self, document: ParsedDocument) -> list[Resolved]:
        """The relations of a document with what they start from and lead to, each at least once and in order."""
        own = self.minter.document(document.id)
        return [resolved for relation in document.relations for resolved in self._ends(document, relation, own)]

    def _ends(self, document: ParsedDocument, relation: Relation, own: str) -> Iterable[Resolved]:
        if document.about and relation.target == document.about[0] and relation.type == "derived_from":
            return [Resolved(relation, self.references.work(own))]
        source = self.references.of_work(own) if relation.of_work else ""
        if not relation.concept:
            plain = ends(document, relation, self.references, self.minter)
            source = source or plain.source
            begins = source or self._start(document, relation, own)
            return [Resolved(relation, plain.target, source, self.audits.decide(relation, begins, plain.target))]
        return [
            Resolved(relation, target, source, self.audits.decide(relation, source or own, target))
            for target in self.references.concept(relation.target, own)
        ]

    def _start(self, document: ParsedDocument, relation: Relation, own: str) -> str:
        if not relation.source:
            return own
        item = next((item for item in document.objects if item.id == relation.source), None)
        return self.minter.object(document.id, item) if item else own
