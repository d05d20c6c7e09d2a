"""A retrieval certificate as a document (paper §10): every value of it is kept as a field, none is interpreted.

A foreign certificate is a source like any other: what it says of scores and results is its own claim. Certificates of this
knowledge base live in ``certificates.sqlite`` and never come through here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from oam_rdf.ingest.language import detect
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.model import DOCUMENT, KnowledgeObject, ParsedDocument, Passage


def is_certificate(value: Any) -> bool:
    """Whether a JSON value has the shape of §10."""
    return isinstance(value, dict) and isinstance(value.get("retrieval_id"), str) and "result" in value


def document(source: Source, profile: Profile, value: dict[str, Any], line: int, visibility: str) -> ParsedDocument:
    """The certificate as a document: its id, its query as title, every leaf as a field, its explanation searchable."""
    query = str(value.get("query", ""))
    language = detect(query, profile.language or "en")
    head = KnowledgeObject(
        id="",
        granularity=DOCUMENT,
        title=query or value["retrieval_id"],
        language=language,
        line=line,
        visibility=visibility,
        extra=dict(fields(value)),
    )
    written = value.get("explanation")
    text = "\n".join(map(str, written)) if isinstance(written, list) else str(written or query)
    return ParsedDocument(
        id=value["retrieval_id"],
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type="application/json",
        profile=profile.name,
        language=language,
        objects=(head,),
        passages=(Passage("", -1, -1, "", text, detect(text, language), lead=True),) if text else (),
        issues=tuple(source.issues),
    )


def fields(value: Any, path: str = "certificate") -> Iterator[tuple[str, str]]:
    """(path, value as JSON text, strings bare) of every leaf: ``certificate.result.scores.sparse``, ``certificate.route.0``."""
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from fields(part, f"{path}.{name}")
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from fields(part, f"{path}.{number}")
    else:
        yield path, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
