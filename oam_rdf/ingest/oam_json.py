"""OAM JSON (paper §11): one knowledge object, a list of them, or JSON Lines; the paper's own example unchanged.

A file is one document named after the file; its objects have corpus-wide ids. Span labels without offsets are kept
as labels with a reason (D2), unknown operators and states with their own words (D3), every other key in ``extra``. What the
model has no place for (spellings, order, keys inside a tag or a relation) is kept as the difference to what
:mod:`oam_rdf.store.oam_object` would write, so that an export equals what was read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest import certificate_json, dates, visibility
from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.language import detect, tag
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.states import settle
from oam_rdf.ingest.vocabulary import OPEN_OPERATORS, notation, relation
from oam_rdf.model import (
    DOCUMENT,
    SECTION,
    STATEMENT,
    Evidence,
    KnowledgeObject,
    OperatorTag,
    ParsedDocument,
    Passage,
    Relation,
)
from oam_rdf.store import oam_object

NO_SPAN = "span label without offsets"
NO_SOURCE = "OAM JSON without source spans"

_GRANULARITY = {"DOCUMENT": DOCUMENT, "SECTION": SECTION, "STATEMENT": STATEMENT, "ARGUMENT": "ARGUMENT"}
_KNOWN = frozenset({
    "knowledge_object_id", "granularity", "content", "title", "operators", "knowledge_role", "relations", "version",
    "epistemic_status", "access", "statement_kind", "aliases", "evidence",
})  # fmt: skip

_OPERATOR = frozenset({"family", "mode", "parameters", "order", "confidence", "annotator", "model_version",
                       "review_status"})  # fmt: skip
_RELATION = frozenset({"type", "target", "confidence", "verdict"})
_EVIDENCE = frozenset({"kind", "evidence_type", "outcome", "status", "reference", "id"})


def parse(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """A JSON file as a document. ``rows`` are its top-level values with their lines.

    :raises ParseError: for JSON that cannot be read, lone surrogates, or a file without any knowledge object.
    """
    readers: list[_Object] = []
    objects: list[KnowledgeObject] = []
    relations: list[Relation] = []
    terms: dict[str, None] = {}
    seen: dict[str, int] = {}
    around = ""  # what a value that is no object says of who may see the file
    certificates: list[tuple[dict[str, Any], int]] = []
    for value, line in rows:
        if certificate_json.is_certificate(value):
            certificates.append((value, line))
            around = visibility.narrowest((around, visibility.in_value(value, source, line)))
            continue
        reader = _Object(source, profile, line)
        try:
            item = reader.read(value)
        except _Skipped as skipped:
            source.issue("not-an-object", str(skipped), line=line, hint="see §11 of the paper for the shape")
            around = visibility.narrowest((around, visibility.in_value(value, source, line)))
            continue
        if item.id in seen:
            raise ParseError(
                f"{item.id!r} is defined on line {seen[item.id]} already", place=source.place(line),
                hint="give one of the two another id",
            )  # fmt: skip
        seen[item.id] = line
        objects.append(item)
        readers.append(reader)
        relations += reader.relations
        terms |= dict.fromkeys(reader.terms)
    if len(certificates) == 1 and not objects:
        return certificate_json.document(source, profile, *certificates[0], around)
    for _, line in certificates:
        source.issue("not-an-object", "a certificate is read alone", line=line, hint="give it a file of its own")
    if not objects:
        raise ParseError(
            "no knowledge object in this file", place=source.place(1), hint='each needs a "knowledge_object_id"'
        )
    text = "\n".join(item.content for item in objects)
    language = next((item.language for item in objects if item.language), "") or detect(text, profile.language or "en")
    head = KnowledgeObject(id="", granularity=DOCUMENT, title=source.stem, language=language, line=1,
                           visibility=around, extra={})  # fmt: skip
    objects = [
        replace(
            item,
            order=place if len(objects) > 1 else None,
            remainder=reader.remainder(replace(
                item, language=item.language or language, visibility=visibility.narrowest((item.visibility, around))
            )),
        )
        for place, (reader, item) in enumerate(zip(readers, objects, strict=True), 1)
    ]  # fmt: skip
    passages = tuple(
        Passage(section="", start=-1, end=-1, heading=item.title, text=item.content, language=item.language or language,
                lead=index == 0, object=item.id)
        for index, item in enumerate(item for item in objects if item.content)
    )  # fmt: skip
    return ParsedDocument(
        id=source.stem,
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type="application/json",
        profile=profile.name,
        language=language,
        objects=(head, *objects),
        relations=tuple(relations),
        passages=passages,
        terms=tuple(terms),
        issues=tuple(source.issues),
        own_id=False,
    )


# -- one object ------------------------------------------------------------------------------------------------------


class _Skipped(ValueError):
    """A value that is no knowledge object."""


class _Object:
    def __init__(self, source: Source, profile: Profile, line: int) -> None:
        self.source, self.profile, self.line = source, profile, line
        self.relations: list[Relation] = []
        self.terms: list[str] = []
        self.extra: dict[str, str] = {}
        self.left: list[str] = []  # names of what is read nowhere
        self.value: dict[str, Any] = {}
        self.unread: list[list[Any]] = []  # [place, value] of relations that are none

    def read(self, value: Any) -> KnowledgeObject:
        if not isinstance(value, dict):
            raise _Skipped(f"a {type(value).__name__} where a knowledge object should be")
        self.value = value
        identifier = value.get("knowledge_object_id")
        if not isinstance(identifier, str) or not identifier.strip():
            raise _Skipped("an object without knowledge_object_id")
        identifier = identifier.strip()
        granularity = self._granularity(value.get("granularity"))
        content = self._text(value, "content")
        representations = self._map(value, "representations")
        self.terms = [str(t) for t in self._list(representations, "sparse_terms")]
        written = str(representations.get("language") or "")
        language = tag(written, content) or detect(content, self.profile.language)
        if written and not tag(written, content):
            self._unknown("language", written)
        provenance = self._map(value, "provenance")
        labels = tuple(str(label) for label in self._list(provenance, "source_spans"))
        version = self._map(value, "version")
        status = str(version.get("status") or "")
        epistemic = self._map(value, "epistemic_status")
        evidence = tuple(self._evidence(value))
        settled = settle(
            str(epistemic.get("state") or ""), str(epistemic.get("verification") or ""), evidence, self.profile,
            file=self.source.path, line=self.line,
        )  # fmt: skip
        self.source.issues.extend(settled.issues)
        shown = value.get("access")
        access: dict[str, Any] = shown if isinstance(shown, dict) else {}
        original = str(provenance.get("original_document") or "")
        if original:
            self.relations.append(Relation(identifier, "derived_from", original, self.line, order=0))
        for place, entry in enumerate(self._list(value, "relations")):
            self._relation(identifier, place, entry)
        operators = tuple(self._operators(value))
        item = KnowledgeObject(
            id=identifier,
            granularity=granularity,
            title=self._text(value, "title"),
            content=content,
            language=language,
            line=self.line,
            global_id=True,
            author_id=identifier,
            kind=self._word("statement-kind", value.get("statement_kind")),
            roles=tuple(dict.fromkeys(r for w in self._list(value, "knowledge_role") if (r := self._word("role", w)))),
            state=settled.state,
            state_label=settled.state_label,
            verification=settled.verification,
            version=str(version.get("semantic_version") or ""),
            version_status=self.profile.word("version-status", status) if status else "",
            status_label=status,
            valid_from=self._moment(version, "valid_from"),
            deprecated_at=self._moment(version, "deprecated_at"),
            visibility=visibility.in_value(value, self.source, self.line),
            no_source=NO_SPAN if labels else NO_SOURCE,
            span_labels=labels,
            operators=operators,
            aliases=tuple(str(a) for a in self._list(value, "aliases")),
            evidence=evidence,
            extra=self.extra,
        )
        self._keep_rest(value, representations, provenance, version, epistemic, access)
        return item

    def _granularity(self, written: Any) -> str:
        word = str(written or STATEMENT).upper()
        if word not in _GRANULARITY or word == DOCUMENT:
            # The file is the document; an object inside it that calls itself one is the largest part of it.
            if word != DOCUMENT:
                self._unknown("granularity", written)
            self.extra["granularity"] = str(written)
            return SECTION if word == DOCUMENT else STATEMENT
        return _GRANULARITY[word]

    def _operators(self, value: dict[str, Any]) -> Iterator[OperatorTag]:
        for entry in self._list(value, "operators"):
            if isinstance(entry, str):
                entry = {"family": entry}
            if not isinstance(entry, dict):
                self._unknown("operator", entry)
                continue
            written = ".".join(str(entry[k]) for k in ("family", "mode") if entry.get(k))
            known = notation("operator", written)
            if not known:
                self._unknown("operator", written)
            parameters = entry.get("parameters")
            order = entry.get("order")
            review = notation("review-status", str(entry.get("review_status") or ""))
            if entry.get("review_status") and not review:
                self._unknown("review status", entry["review_status"])
            if parameters is not None and not isinstance(parameters, dict):
                self.left.append("operators.parameters")
            self._leftover("operators", entry, _OPERATOR)
            yield OperatorTag(
                notation=known or OPEN_OPERATORS[0],
                confidence=self._confidence(entry.get("confidence")),
                annotator=str(entry.get("annotator") or ""),
                model_version=str(entry.get("model_version") or ""),
                review_status=review,
                source_label="" if known == written else written,
                order=order if isinstance(order, int) and not isinstance(order, bool) else None,
                parameters={str(k): str(v) for k, v in parameters.items()} if isinstance(parameters, dict) else {},
            )

    def remainder(self, item: KnowledgeObject) -> str:
        """What of the value an export of ``item`` would say otherwise (see :mod:`oam_rdf.store.oam_object`)."""
        return oam_object.remainder(self.value, item, self.relations, self.unread)

    def _relation(self, identifier: str, place: int, entry: Any) -> None:
        if not isinstance(entry, dict) or not entry.get("type") or not entry.get("target"):
            self.source.issue("bad-relation", f"a relation without type or target in {identifier}", line=self.line,
                              hint='write {"type": "depends_on", "target": "KO-1"}')  # fmt: skip
            self.unread.append([place, entry])
            return
        written = str(entry["type"])
        known = relation(written)
        if not known:
            self._unknown("relation", written)
        verdict = notation("verdict", str(entry.get("verdict") or "ok"))
        if not verdict:
            self._unknown("verdict", str(entry["verdict"]))
        self._leftover("relations", entry, _RELATION)
        made = Relation(
            identifier,
            known or "related_to",
            str(entry["target"]),
            self.line,
            self._confidence(entry.get("confidence")),
            verdict=verdict or "pending",
            source_label="" if known == written else written,
            order=place + 1,
        )
        self.relations.append(replace(made, remainder=oam_object.relation_remainder(entry, made)))

    def _evidence(self, value: dict[str, Any]) -> Iterator[Evidence]:
        for entry in self._list(value, "evidence"):
            if isinstance(entry, dict):
                kind = notation("evidence-kind", str(entry.get("kind") or entry.get("evidence_type") or ""))
                outcome = self.profile.word("outcome", str(entry.get("outcome") or entry.get("status") or ""))
                reference = str(entry.get("reference") or entry.get("id") or "")
                if kind and outcome and reference:
                    yield Evidence(kind, outcome, reference)
                    self._leftover("evidence", entry, _EVIDENCE)
                    continue
            self._unknown("evidence", json.dumps(entry, ensure_ascii=False))
            self.extra["evidence"] = json.dumps(value.get("evidence"), ensure_ascii=False)

    def _confidence(self, value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"confidence {value!r} is no number: left out"
            self.source.issue("bad-confidence", message, line=self.line, hint="write a number in [0, 1]")
            return None
        if not 0 <= value <= 1:
            self.source.issue("bad-confidence", f"confidence {value} is not in [0, 1]: left out", line=self.line)
            return None
        return float(value)

    def _moment(self, version: dict[str, Any], name: str) -> str:
        written = str(version.get(name) or "")
        if not written:
            return ""
        when = dates.moment(written)
        if not when:
            self.source.issue("bad-date", f"{name} {written!r} is no date", line=self.line, hint="write 2026-07-31")
            self.extra[f"version.{name}"] = written
        elif not dates.has_zone(written):
            self.source.issue("utc-assumed", f"{name} {written!r} has no zone: taken as UTC", line=self.line,
                              severity="note")  # fmt: skip
        return when

    def _word(self, scheme: str, written: Any) -> str:
        if not written:
            return ""
        known = self.profile.word(scheme, str(written))
        if not known:
            self._unknown(scheme, written)
            name = f"unknown {scheme}"
            self.extra[name] = f"{self.extra[name]}\n{written}" if name in self.extra else str(written)
        return known

    def _unknown(self, what: str, written: Any) -> None:
        self.source.issue("unknown-label", f"unknown {what} {written!r}", line=self.line, hint="kept as written")

    def _keep_rest(self, value: dict[str, Any], *groups: dict[str, Any]) -> None:
        """What the model has no place for, under its dotted name, as JSON unless it is text."""
        names = ("representations", "provenance", "version", "epistemic_status", "access")
        used = {
            "representations": {"language"}, "provenance": {"original_document", "source_spans"},
            "version": {"semantic_version", "status", "valid_from", "deprecated_at"},
            "epistemic_status": {"state", "verification"}, "access": {"visibility"},
        }  # fmt: skip
        for name, group in zip(names, groups, strict=True):
            for inner, kept in group.items():
                if inner not in used[name]:
                    self.extra[f"{name}.{inner}"] = _as_text(kept)
        if "sparse_terms" in groups[0]:
            self.extra["representations.sparse_terms"] = json.dumps(self.terms, ensure_ascii=False)
        for name, kept in value.items():
            if name not in _KNOWN and name not in names:
                self.extra[name] = _as_text(kept)
        if value.get("access") and not isinstance(value["access"], dict):
            self.extra["access"] = _as_text(value["access"])
        # Sparse terms are in the index, and words about visibility have been obeyed.
        access = groups[-1]
        obeyed = set() if any(map(visibility.named, access)) else {f"access.{inner}" for inner in access}
        obeyed |= {name for name in self.extra if visibility.named(name.rpartition(".")[2])}
        kept_only = [name for name in self.extra if name not in obeyed | {"representations.sparse_terms"}]
        names_left = ", ".join(dict.fromkeys([*kept_only, *self.left]))
        if names_left:
            self.source.issue("kept-as-written", f"kept as written: {names_left}", line=self.line,
                              severity="note", hint="no meaning is read from it")  # fmt: skip

    def _leftover(self, where: str, entry: dict[str, Any], read: frozenset[str]) -> None:
        self.left += [f"{where}.{name}" for name in entry if name not in read and not visibility.named(name)]

    def _text(self, value: dict[str, Any], name: str) -> str:
        written = value.get(name)
        if written is None or isinstance(written, str):
            return written or ""
        self._unknown(name, type(written).__name__)
        return _as_text(written)

    def _map(self, value: dict[str, Any], name: str) -> dict[str, Any]:
        found = value.get(name)
        if found is None or isinstance(found, dict):
            return found or {}
        self.extra[name] = _as_text(found)
        self._unknown(name, type(found).__name__)
        return {}

    def _list(self, value: dict[str, Any], name: str) -> list[Any]:
        found = value.get(name)
        return found if isinstance(found, list) else [] if found is None else [found]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
