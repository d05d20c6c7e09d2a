"""What the two ends of a relation are: objects of its own document, or whatever its references mean."""

from __future__ import annotations

from oam_rdf.ingest.references import References
from oam_rdf.model import ParsedDocument, Relation
from oam_rdf.store.document_quads import Resolved
from oam_rdf.store.minter import Minter


def ends(document: ParsedDocument, relation: Relation, references: References, minter: Minter) -> Resolved:
    """The relation with its target, and with what it starts from if that is said by reference; None, "" = not known yet."""
    source = (references.resolve(relation.subject) or "") if relation.subject else ""
    if relation.local:
        item = next((item for item in document.objects if item.id == relation.target), None)
        return Resolved(relation, minter.object(document.id, item) if item else None, source)
    found = (references.resolve(name) for name in (relation.target, *relation.also))
    return Resolved(relation, next((iri for iri in found if iri), None), source)
