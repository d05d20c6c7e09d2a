"""A knowledge object while its header, attributes and relations are being read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from oam_rdf.ingest import dates, language, links, visibility
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.states import read_evidence, settle
from oam_rdf.ingest.vocabulary import OPEN_OPERATORS, notation, relation
from oam_rdf.model import ARGUMENT, STATEMENT, Evidence, KnowledgeObject, OperatorTag, Relation, Span

_LIST = re.compile(r"[,，、;；\n]")
_MAIL = re.compile(r"\s*<[^<>]*@[^<>]*>|\s*\([^()\s]+@[^()\s]+\)")
_OUTSIDE_BRACKETS = re.compile(r"[,，、;；](?![^(（<]*[)）>])|\s+and\s+|\n")
_OPERATOR = re.compile(r"(?P<name>[A-Za-z_][\w.:]*)\s*(?:[(（:]?\s*(?P<confidence>[01](?:\.\d+)?)\s*[)）]?)?\Z")
# "EML-XX-2026-00 Title v0.1": an id, a title and a version in one string.
_COMPOUND = re.compile(
    r"(?P<id>(?=\S*\d)[A-Z][A-Z0-9]*(?:-[A-Za-z0-9.]+)+)\s+(?P<title>\S.*?)(?:\s+(?P<version>[vV]\d+(?:\.\d+)*))?\Z"
)


@dataclass(slots=True)
class Draft:
    """Mutable twin of :class:`KnowledgeObject` plus the relations it states. Source words until :meth:`freeze`."""

    granularity: str
    id: str = ""
    parent: str = ""
    title: str = ""
    language: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    line: int = 0
    global_id: bool = False
    author_id: str = ""
    kind: str = ""
    roles: list[str] = field(default_factory=list)
    state: str = ""
    verification: str = ""
    version: str = ""
    version_status: str = ""
    status_label: str = ""
    valid_from: str = ""
    deprecated_at: str = ""
    visibility: str = ""
    operators: list[OperatorTag] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    created: str = ""
    creators: list[str] = field(default_factory=list)
    subjects: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)  # local ids
    exceptions: list[str] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)
    relations: list[tuple[str, str, int, float | None, str]] = field(default_factory=list)
    audience_lines: set[int] = field(default_factory=set)  # lines on which its visibility was read

    def relate(self, kind: str, target: str, line: int, confidence: float | None = None, label: str = "") -> None:
        """Adds a relation from this object, once per type and target."""
        if target and all((kind, target) != known[:2] for known in self.relations):
            self.relations.append((kind, target, line, confidence, label))

    def apply(self, name: str, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> str:
        """Reads one header field or attribute; returns what it was read as ("" = kept verbatim only)."""
        target = "visibility" if visibility.named(name, profile) else profile.field(name)
        values = tuple(v.strip() for v in values if v.strip())
        if not values:
            return target
        if target and relation(target) == target:
            self._relations(target, name, values, line, profile, source)
            return target
        reader = getattr(self, f"_read_{target}", None) if target else None
        if reader is not None:
            reader(values, line, profile, source)
            return target
        self._keep(name, values)
        if not target and any("[[" in value for value in values):  # a link is never lost (hazard 39)
            for value in values:
                for reference in links.in_value(value, profile) if "[[" in value else ():
                    self.relate("related_to", reference, line, label=name)
        return target

    def freeze(self, source: Source, profile: Profile) -> KnowledgeObject:
        """The finished object: decision D7 applied, spans quoted."""
        settled = settle(self.state, self.verification, self.evidence, profile, file=source.path, line=self.line)
        source.issues.extend(settled.issues)
        quoted = self.granularity in (STATEMENT, ARGUMENT)
        return KnowledgeObject(
            id=self.id,
            granularity=self.granularity,
            parent=self.parent,
            title=self.title,
            content="\n".join(source.text[a:b] for a, b in self.spans) if quoted else "",
            language=self.language,
            spans=tuple(Span(a, b) for a, b in self.spans),
            line=self.line,
            global_id=self.global_id,
            author_id=self.author_id,
            kind=self.kind,
            roles=tuple(dict.fromkeys(self.roles)),
            state=settled.state,
            state_label=settled.state_label,
            verification=settled.verification,
            version=self.version,
            version_status=self.version_status,
            status_label=self.status_label,
            valid_from=self.valid_from,
            deprecated_at=self.deprecated_at,
            visibility=self.visibility,
            operators=tuple(self.operators),
            aliases=tuple(dict.fromkeys(a for a in self.aliases if a and a != self.title)),
            created=self.created,
            creators=tuple(dict.fromkeys(self.creators)),
            subjects=tuple(dict.fromkeys(self.subjects)),
            evidence=tuple(self.evidence),
            conditions=tuple(dict.fromkeys(self.conditions)),
            exceptions=tuple(dict.fromkeys(self.exceptions)),
            extra=dict(self.extra),
        )

    def stated_relations(self) -> list[Relation]:
        """The relations as the model has them."""
        return [
            Relation(self.id, kind, target, line, confidence, source_label=label)
            for kind, target, line, confidence, label in self.relations
        ]

    # -- one reader per attribute --------------------------------------------------------------------------------

    def _keep(self, name: str, values: tuple[str, ...]) -> None:
        self.extra[name] = "\n".join([self.extra[name], *values] if name in self.extra else values)

    def _relations(
        self, kind: str, name: str, values: tuple[str, ...], line: int, profile: Profile, source: Source
    ) -> None:
        for value in values:
            references = links.in_value(value, profile)
            if not references and value:
                self._keep(name, (value,))
            for reference in references:
                if links.unsafe(reference, source.path):
                    source.issue("path-outside", f"{name}: {reference!r} is a path outside the folder", line=line,
                                 hint="nothing was read from there; name a document instead")  # fmt: skip
                    continue
                self.relate(links.turned(kind, value), reference, line)

    def _read_id(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        written = values[0].strip("*` ")
        compound = _COMPOUND.match(written)
        if compound:
            written = compound["id"]
            self.title = self.title or compound["title"]
            self.version = self.version or (compound["version"] or "")
        if not self.author_id:
            self.author_id = profile.identifier(written)
            if profile.id_alias and written.isdigit():
                self.aliases.append(f"{profile.id_alias}{int(written)}")
        elif profile.identifier(written) != self.author_id:
            self.aliases.append(written)

    def _read_title(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        compound = _COMPOUND.match(values[0])
        if not self.title and compound and compound["version"] and not self.author_id:
            self.author_id, self.title = compound["id"], compound["title"]
            self.version = self.version or compound["version"]
        elif not self.title:
            self.title = values[0]
        else:
            self.aliases += values

    def _read_version(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.version = self.version or values[0]

    def _read_status(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        label = values[0]
        status = profile.word("version-status", label)
        if not status and self.granularity == STATEMENT and profile.word("epistemic-state", label):
            self.state = self.state or label
            return
        self.status_label, self.version_status = label, status

    def _moment(self, values: tuple[str, ...], line: int, source: Source, what: str) -> str:
        when = dates.moment(values[0])
        if not when:
            source.issue("bad-date", f"{what} {values[0]!r} is no date", line=line, hint="write 2026-07-31")
            self._keep(what, values)
        elif not dates.has_zone(values[0]):
            source.issue("utc-assumed", f"{what} {values[0]!r} has no zone: taken as UTC", line=line, severity="note")
        return when

    def _read_date(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.created = self.created or self._moment(values, line, source, "date")

    def _read_valid_from(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.valid_from = self._moment(values, line, source, "valid_from")

    def _read_deprecated_at(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.deprecated_at = self._moment(values, line, source, "deprecated_at")

    def _read_creators(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        names = [_MAIL.sub("", part).strip() for value in values for part in _OUTSIDE_BRACKETS.split(value)]
        self.creators += [name for name in names if name]

    def _read_subjects(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        parts = [part.strip().lstrip("#") for value in values for part in _LIST.split(value)]
        self.subjects += [part for part in parts if part]

    def _read_language(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        written = language.tag(values[0], source.text)
        if written:
            self.language = written
        else:
            hint = "write zh-Hant, zh-Hans or en"
            source.issue("unknown-label", f"unknown language {values[0]!r}", line=line, hint=hint)
            self._keep("language", values)

    def _read_aliases(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.aliases += values

    def _read_state(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.state = values[0]

    def _read_verification(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.verification = values[0]

    def _read_kind(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        known = profile.word("statement-kind", values[0])
        if known:
            self.kind = known
        else:
            hint = "kept in the header"
            source.issue("unknown-label", f"unknown statement kind {values[0]!r}", line=line, hint=hint)
            self._keep("kind", values)

    def _read_roles(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        for word in (part.strip() for value in values for part in _LIST.split(value)):
            known = profile.word("role", word.removeprefix("ROLE."))
            if known:
                self.roles.append(known)
            elif word:
                source.issue("unknown-label", f"unknown role {word!r}", line=line, hint="kept in the header")
                self._keep("role", (word,))

    def _read_operators(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        for word in (part.strip(" `") for value in values for part in _LIST.split(value)):
            if word:
                self.operators.append(operator(word, source, line))

    def _read_evidence(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        for value in values:
            evidence = read_evidence(value, profile)
            if evidence is not None:
                self.evidence.append(evidence)
            else:
                source.issue("unknown-label", f"evidence {value!r} is not read", line=line,
                             hint="write KIND | passed | REFERENCE: formal_proof | passed | doi:10.1000/x")  # fmt: skip
                self._keep("evidence", (value,))

    def _read_visibility(self, values: tuple[str, ...], line: int, profile: Profile, source: Source) -> None:
        self.restrict((visibility.read(value, source, line) for value in values), line)

    def restrict(self, levels: Iterable[str], line: int) -> None:
        """Says who may see it, once more: the narrowest of all that is said holds."""
        self.visibility = visibility.narrowest((self.visibility, *levels))
        self.audience_lines.add(line)


def operator(word: str, source: Source, line: int) -> OperatorTag:
    """``REP.FORMALIZE 0.9`` as a tag; an unknown operator keeps its word (decision D3)."""
    parts = _OPERATOR.match(word)
    name = parts["name"] if parts else word
    confidence = float(parts["confidence"]) if parts and parts["confidence"] else None
    if confidence is not None and confidence > 1:
        confidence = None
    known = notation("operator", name)
    if not known:
        hint = "kept as UNKNOWN_OPERATOR for review"
        source.issue("unknown-label", f"unknown operator {name!r}", line=line, hint=hint)
        return OperatorTag(OPEN_OPERATORS[0], confidence, source_label=name, parameters={})
    return OperatorTag(known, confidence, source_label="" if known == name else name, parameters={})
