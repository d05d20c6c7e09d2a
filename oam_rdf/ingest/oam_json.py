"""OAM JSON (paper §11): one knowledge object, a list of them, or JSON Lines; the paper's own example unchanged.

A file is one document named after the file; its objects have corpus-wide ids. Span labels without offsets are kept
as labels with a reason (D2), unknown operators and states with their own words (D3), every other key in ``extra``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest import dates
from oam_rdf.ingest.draft import visibility
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

NO_SPAN = "span label without offsets"
NO_SOURCE = "OAM JSON without source spans"

_SPACE = re.compile(r"[\s\ufeff]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_GRANULARITY = {"DOCUMENT": DOCUMENT, "SECTION": SECTION, "STATEMENT": STATEMENT, "ARGUMENT": "ARGUMENT"}
_KNOWN = frozenset({
    "knowledge_object_id", "granularity", "content", "title", "operators", "knowledge_role", "relations", "version",
    "epistemic_status", "access", "statement_kind", "aliases", "evidence",
})  # fmt: skip


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """A JSON file as a document. ``statements`` makes no difference: every object is said.

    :raises ParseError: for JSON that cannot be read, lone surrogates, or a file without any knowledge object.
    """
    objects: list[KnowledgeObject] = []
    relations: list[Relation] = []
    terms: dict[str, None] = {}
    seen: dict[str, int] = {}
    for value, line in _values(source):
        reader = _Object(source, profile, line)
        try:
            item = reader.read(value)
        except _Skipped as skipped:
            source.issue("not-an-object", str(skipped), line=line, hint="see §11 of the paper for the shape")
            continue
        if item.id in seen:
            raise ParseError(
                f"{item.id!r} is defined on line {seen[item.id]} already", place=source.place(line),
                hint="give one of the two another id",
            )  # fmt: skip
        seen[item.id] = line
        objects.append(item)
        relations += reader.relations
        terms |= dict.fromkeys(reader.terms)
    if not objects:
        raise ParseError(
            "no knowledge object in this file", place=source.place(1), hint='each needs a "knowledge_object_id"'
        )
    text = "\n".join(item.content for item in objects)
    language = next((item.language for item in objects if item.language), "") or detect(text, profile.language or "en")
    head = KnowledgeObject(id="", granularity=DOCUMENT, title=source.stem, language=language, line=1, extra={})
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
    )


# -- reading JSON, strictly and with lines ---------------------------------------------------------------------------


def _values(source: Source) -> Iterator[tuple[Any, int]]:
    """Each top-level object with its line: one value, the members of one list, or values one after another."""
    text = source.text
    decoder = json.JSONDecoder(object_pairs_hook=_pairs(source), parse_constant=_constant(source))
    at = _skip(text, 0)
    in_list = text.startswith("[", at)
    if in_list:
        at = _skip(text, at + 1)
    while at < len(text):
        if in_list and text[at] == "]":
            return
        line = source.line(at)
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            where = f"{source.place(error.lineno)}:{error.colno}"
            raise ParseError(f"not valid JSON: {error.msg}", place=where, hint="correct it there") from error
        except RecursionError as error:
            raise ParseError("JSON nested too deeply", place=source.place(line), hint="flatten it") from error
        _no_surrogates(source, text[at:end], value, line)
        yield value, line
        at = _skip(text, end)
        if in_list and at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
        elif in_list and (at >= len(text) or text[at] != "]"):
            raise ParseError("the list is not closed", place=source.place(source.line(at)), hint="end it with ]")


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _pairs(source: Source) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, value in pairs:
            if name in out:
                source.issue("duplicate-key", f"the key {name!r} occurs twice in one object: the first one counts",
                             hint="remove one of the two")  # fmt: skip
            else:
                out[name] = value
        return out

    return build


def _constant(source: Source) -> Callable[[str], float]:
    def refuse(name: str) -> float:
        raise ParseError(f"{name} is no JSON number", place=source.place(), hint="write null or a number")

    return refuse


def _no_surrogates(source: Source, raw: str, value: Any, line: int) -> None:
    """Half a character (``"\\ud800"``) cannot be stored in any Unicode text."""
    if "\\u" not in raw or not _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        return
    for match in re.finditer(r'"', raw):
        try:
            text, _ = scanstring(raw, match.end(), True)
        except ValueError:
            continue
        if _SURROGATE.search(text):
            line += raw.count("\n", 0, match.start())
            break
    raise ParseError("a lone surrogate (half a character)", place=source.place(line), hint="write the whole character")


# -- one object ------------------------------------------------------------------------------------------------------


class _Skipped(ValueError):
    """A value that is no knowledge object."""


class _Object:
    def __init__(self, source: Source, profile: Profile, line: int) -> None:
        self.source, self.profile, self.line = source, profile, line
        self.relations: list[Relation] = []
        self.terms: list[str] = []
        self.extra: dict[str, str] = {}

    def read(self, value: Any) -> KnowledgeObject:
        if not isinstance(value, dict):
            raise _Skipped(f"a {type(value).__name__} where a knowledge object should be")
        identifier = value.get("knowledge_object_id")
        if not isinstance(identifier, str) or not identifier.strip():
            raise _Skipped("an object without knowledge_object_id")
        identifier = identifier.strip()
        granularity = self._granularity(value.get("granularity"))
        content = self._text(value, "content")
        representations = self._map(value, "representations")
        self.terms = [str(t) for t in self._list(representations, "sparse_terms")]
        language = tag(str(representations.get("language") or ""), content) or detect(content, self.profile.language)
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
        access = self._map(value, "access")
        original = str(provenance.get("original_document") or "")
        if original:
            self._relate(identifier, "derived_from", original)
        for entry in self._list(value, "relations"):
            self._relation(identifier, entry)
        self._keep_rest(value, representations, provenance, version, epistemic, access)
        shown = str(access.get("visibility") or "")
        return KnowledgeObject(
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
            visibility=visibility(shown, self.source, self.line) if shown else "",
            no_source=NO_SPAN if labels else NO_SOURCE,
            span_labels=labels,
            operators=tuple(self._operators(value)),
            aliases=tuple(str(a) for a in self._list(value, "aliases")),
            evidence=evidence,
            extra=self.extra,
        )

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
            yield OperatorTag(
                notation=known or OPEN_OPERATORS[0],
                confidence=self._confidence(entry.get("confidence")),
                annotator=str(entry.get("annotator") or ""),
                model_version=str(entry.get("model_version") or ""),
                review_status=notation("review-status", str(entry.get("review_status") or "")),
                source_label="" if known == written else written,
                order=order if isinstance(order, int) and not isinstance(order, bool) else None,
                parameters={str(k): str(v) for k, v in parameters.items()} if isinstance(parameters, dict) else {},
            )

    def _relation(self, identifier: str, entry: Any) -> None:
        if not isinstance(entry, dict) or not entry.get("type") or not entry.get("target"):
            self.source.issue("bad-relation", f"a relation without type or target in {identifier}", line=self.line,
                              hint='write {"type": "depends_on", "target": "KO-1"}')  # fmt: skip
            return
        written = str(entry["type"])
        known = relation(written)
        if not known:
            self._unknown("relation", written)
        verdict = str(entry.get("verdict") or "ok")
        self._relate(
            identifier, known or "related_to", str(entry["target"]), self._confidence(entry.get("confidence")),
            "" if known == written else written, verdict if notation("verdict", verdict) else "pending",
        )  # fmt: skip

    def _relate(
        self, source: str, kind: str, target: str, confidence: float | None = None, label: str = "", verdict: str = "ok"
    ) -> None:
        self.relations.append(
            Relation(source, kind, target, self.line, confidence, verdict=verdict, source_label=label)
        )

    def _evidence(self, value: dict[str, Any]) -> Iterator[Evidence]:
        for entry in self._list(value, "evidence"):
            if isinstance(entry, dict):
                kind = notation("evidence-kind", str(entry.get("kind") or entry.get("evidence_type") or ""))
                outcome = self.profile.word("outcome", str(entry.get("outcome") or entry.get("status") or ""))
                reference = str(entry.get("reference") or entry.get("id") or "")
                if kind and outcome and reference:
                    yield Evidence(kind, outcome, reference)
                    continue
            self._unknown("evidence", json.dumps(entry, ensure_ascii=False))
            self.extra["evidence"] = json.dumps(value.get("evidence"), ensure_ascii=False)

    def _confidence(self, value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
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
        for name, kept in value.items():
            if name not in _KNOWN and name not in names:
                self.extra[name] = _as_text(kept)

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
