"""What the path of a file says of its document, by the rules of the profile (``[[paths]]``)."""

from __future__ import annotations

from dataclasses import replace

from oam_rdf.ingest.profiles import Profile, filled
from oam_rdf.model import ParsedDocument, Relation


def with_path(document: ParsedDocument, profile: Profile) -> ParsedDocument:
    """The document with the id and the relations of the first rule that fits its path; an id in the header stays."""
    for rule in profile.paths:
        match = rule.pattern.search(document.path)
        if match is None:
            continue
        said = tuple(Relation("", name, filled(target, match), 1) for name, target in rule.relations)
        own = document.id if document.document.author_id or not rule.id else filled(rule.id, match)
        given = document.own_id or bool(rule.id)
        return replace(document, id=own, relations=(*document.relations, *said), own_id=given)
    return document
