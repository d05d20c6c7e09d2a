"""What the readers of JSON shapes share: a document is built entry by entry, anchored where its words stand in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from oam_rdf.ingest import dates, visibility
from oam_rdf.ingest.language import detect
from oam_rdf.ingest.naming import Names, collapsed
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.model import (
    DOCUMENT,
    SECTION,
    STATEMENT,
    HashClaim,
    KnowledgeObject,
    ParsedDocument,
    Passage,
    ProvNode,
    Relation,
    Span,
)

NO_SPAN = "a JSON value that stands in no one place of the file"
#: Field names by which the codec knows something of its own; a leaf of that name is kept under another.
_TAKEN = frozenset({"representations.sparse_terms", "representations.dense_embedding_ref", "provenance.tcf_version"})
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')


def leaves(value: Any, used: Collection[str] = ()) -> dict[str, str]:
    """Every leaf of a JSON value by its dotted path, as JSON text, strings bare; ``used`` are paths that are left out.

    >>> leaves({"a": {"b": [1, "x"]}, "c": None}, {"c"})
    {'a.b.0': '1', 'a.b.1': 'x'}
    """
    found: dict[str, str] = {}
    for path, leaf in _walk(value, "", frozenset(used)):
        name = f"value.{path}" if path in _TAKEN else path
        number = 1
        while name in found:  # {"a.b": 1, "a": {"b": 2}}
            number += 1
            name = f"{path} ({number})"
        found[name] = leaf if isinstance(leaf, str) else json.dumps(leaf, ensure_ascii=False)
    return found


def _walk(value: Any, path: str, used: frozenset[str]) -> Iterator[tuple[str, Any]]:
    if path and path in used:
        return
    parts: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    if not parts:
        yield path or "value", value
    for name, part in parts:
        yield from _walk(part, f"{path}.{name}" if path else str(name), used)


def text(value: Any) -> str:
    """A JSON value as text: "" for null, strings trimmed, anything else as JSON."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def word(value: Any) -> str:
    """A JSON value that should be an id, a name or a hash: the trimmed string, or a number as written; "" for the rest."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return collapsed(str(value))


def mapping(value: Any) -> dict[str, Any]:
    """The object that should stand there, or an empty one."""
    return value if isinstance(value, dict) else {}


def rows_of(value: Any) -> list[Any]:
    """The list that should stand there; a single value is a list of one."""
    return value if isinstance(value, list) else [] if value is None else [value]


class Builder:
    """Collects what one file says. ``line`` is where its value begins."""

    def __init__(self, source: Source, profile: Profile, value: Any, line: int = 1) -> None:
        self.source, self.profile, self.line = source, profile, line
        self.visibility = visibility.in_value(value, source, line)
        self.language = detect(source.text, profile.language or "en")
        self.names = Names()
        self.objects: list[KnowledgeObject] = []
        self.relations: list[Relation] = []
        self.nodes: list[ProvNode] = []
        self.hashes: list[HashClaim] = []
        self.passages: list[Passage] = []
        self._at = 0

    # -- places ------------------------------------------------------------------------------------------------------

    def find(self, words: str, *, ahead: bool = True) -> Span | None:
        """Where ``words`` stand as a whole JSON string, at or after the last place found, else anywhere before it.

        ``ahead`` moves that place on. None for words that the file spells with escapes, or not at all.
        """
        if not words or not _PLAIN.fullmatch(words):
            return None
        quoted = f'"{words}"'
        at = self.source.text.find(quoted, self._at)
        if at < 0:
            at = self.source.text.find(quoted)
        elif ahead:
            self._at = at + 1
        return Span(at + 1, at + 1 + len(words)) if at >= 0 else None

    def place(self, words: str) -> int:
        """The 1-based line of :meth:`find`, else that of the value."""
        span = self.find(words)
        return self.source.line(span.start) if span else self.line

    def moment(self, written: Any, name: str, line: int = 0) -> str:
        """A time as zoned xsd:dateTime text, "" with an issue if it is none (decision "Numbers and ids")."""
        words = word(written)
        if not words:
            return ""
        when = dates.moment(words)
        if not when:
            self.issue("bad-date", f"{name} {words!r} is no date", line=line, hint="write 2026-07-31")
        elif not dates.has_zone(words):
            message = f"{name} {words!r} has no zone: taken as UTC"
            self.issue("utc-assumed", message, line=line, severity="note")
        return when

    def issue(self, code: str, message: str, *, line: int = 0, hint: str = "", severity: str = "warning") -> None:
        self.source.issue(code, message, line=line or self.line, hint=hint, severity=severity)

    # -- parts -------------------------------------------------------------------------------------------------------

    def section(self, wanted: str, title: str, words: str = "", *, line: int = 0, **more: Any) -> str:
        """An entry that claims nothing, such as a row of a register; returns its local id. ``words`` are searchable."""
        return self._add(SECTION, wanted, title or wanted, "", words or title or wanted, line, more)

    def statement(self, wanted: str, content: str, *, line: int = 0, **more: Any) -> str:
        """An entry that claims something; returns its local id."""
        return self._add(STATEMENT, wanted, "", content, content, line, more)

    def amend(self, local: str, **more: Any) -> None:
        """Says more of an object that is there."""
        self.objects = [replace(item, **more) if item.id == local else item for item in self.objects]

    def _add(
        self, kind: str, wanted: str, title: str, content: str, words: str, line: int, more: dict[str, Any]
    ) -> str:
        local = self.names.take(wanted)
        span = self.find(content or title)
        language = detect(content or title, self.language)
        item = KnowledgeObject(
            id=local,
            granularity=kind,
            title=collapsed(title),
            content=content,
            language=language,
            spans=(span,) if span else (),
            no_source="" if span else NO_SPAN,
            line=line or (self.source.line(span.start) if span else self.line),
        )
        self.objects.append(replace(item, **more))
        if words.strip():
            self.passages.append(Passage("", -1, -1, collapsed(title), words, detect(words, language), object=local))
        return local

    def relate(self, source: str, kind: str, target: str, *, line: int = 0, **more: Any) -> None:
        """A relation from a local id ("" = the document) to what a reference means; nothing for an empty reference."""
        if target.strip():
            self.relations.append(Relation(source, kind, target, line or self.line, **more))

    def document(self, identifier: str, title: str, *, lead: str = "", **more: Any) -> ParsedDocument:
        """The document with all that was collected. ``identifier`` "" = the file's path without its extension."""
        given = bool(collapsed(identifier))
        identifier = collapsed(identifier) or self.source.path.rpartition(".")[0] or self.source.path
        title = collapsed(title) or identifier
        head = KnowledgeObject(
            id="",
            granularity=DOCUMENT,
            title=title,
            language=detect(title, self.language),
            line=self.line,
            visibility=self.visibility,
        )
        head = replace(head, **more)
        first = Passage("", -1, -1, "", lead or title, detect(lead or title, self.language), lead=True)
        return ParsedDocument(
            id=identifier,
            path=self.source.path,
            sha256=self.source.sha256,
            length=len(self.source.text),
            media_type="application/json",
            profile=self.profile.name,
            language=head.language or self.language,
            objects=(head, *self.objects),
            relations=tuple(self.relations),
            passages=(first, *self.passages),
            terms=tuple(dict.fromkeys(t for t in (title, *(o.title for o in self.objects)) if t)),
            issues=tuple(self.source.issues),
            nodes=tuple(self.nodes),
            hashes=tuple(self.hashes),
            own_id=given,
        )
