"""What a profile would make of one file, without touching a knowledge base: ``oam profile test``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from oam_rdf.errors import NotFound, ParseError
from oam_rdf.ingest import headers, kep_yaml, markdown, plain, profiles, rdf, visibility, yaml_front
from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.profiles import Profile, key
from oam_rdf.ingest.shadow import blank, shadow
from oam_rdf.ingest.source import Source, decode
from oam_rdf.ingest.status_words import known
from oam_rdf.ingest.vocabulary import relation
from oam_rdf.ingest.yaml_front import Field
from oam_rdf.model import DOCUMENT, Issue, ParsedDocument

#: Attribute of a profile -> where a draft keeps what was read.
_READ = {
    "id": ("author_id", "title", "version"), "title": ("title", "author_id", "version"), "version": ("version",),
    "date": ("created",), "creators": ("creators",), "subjects": ("subjects",), "language": ("language",),
    "aliases": ("aliases",), "state": ("state",), "roles": ("roles",), "kind": ("kind",), "verification": ("verification",),
    "operators": ("operators",), "evidence": ("evidence",), "valid_from": ("valid_from",),
    "deprecated_at": ("deprecated_at",), "visibility": ("visibility",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One header field. ``target`` is the attribute or relation it is mapped to ("" = unknown, kept verbatim); ``read`` is
    what the values become; ``how``: attribute, relation, kept or unknown."""

    name: str
    line: int
    values: tuple[str, ...]
    how: str
    target: str
    read: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A relation that would be stated, with the line and the local id of what states it ("" = the document)."""

    line: int
    relation: str
    target: str
    source: str


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A labelled statement: its line, author's id, kind and state, "" where it names none."""

    line: int
    author_id: str
    kind: str
    state: str


@dataclass(frozen=True, slots=True)
class Fit:
    """How many of the file's header fields a profile names, whether it knows the status word, and its references in the
    text; the order of fits is by these."""

    profile: str
    fields: int
    status: bool
    citations: int

    @property
    def score(self) -> int:
        return 10 * self.fields + 5 * self.status + min(self.citations, 5)


@dataclass(frozen=True, slots=True)
class Trial:
    """What would land. ``status_known``: whether the profile names the status word, with or without a version status."""

    file: str
    profile: str
    media_type: str
    id: str
    title: str
    version: str
    language: str
    aliases: tuple[str, ...]
    status: str
    version_status: str
    status_known: bool
    visibility: str
    fields: tuple[FieldRow, ...]
    references: tuple[ReferenceRow, ...]
    labelled: tuple[LabelRow, ...]
    objects: dict[str, int]
    status_events: int
    issues: tuple[Issue, ...]
    best: str  # the shipped profile that fits best
    fits: tuple[Fit, ...]

    @property
    def unknown(self) -> list[str]:
        """Names of the header fields that are kept verbatim because nothing names them."""
        return [row.name for row in self.fields if row.how == "unknown"]

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("fields", "references", "labelled", "issues", "fits"):
            data[name] = [asdict(row) for row in data[name]]
        return {**data, "unknown_fields": self.unknown}


def trial(file: Path, name: str = "") -> Trial:
    """What the profile ``name`` ("" = the shipped one that fits best) would make of ``file``.

    :raises NotFound: if there is no such file.
    :raises ParseError: if nothing of it could land, with its line; of kind Skipped if nothing in it is ours.
    """
    if not file.is_file():
        raise NotFound("no such file", place=str(file), hint="check the path")
    data = file.read_bytes()
    # What the profile says of paths is about the folders above, too.
    path = PurePosixPath(*file.resolve().parts[-4:]).as_posix().lstrip("/")
    source = decode(data, path)
    fits = sorted((_fit(data, path, each) for each in profiles.names()), key=_rank)
    chosen = profiles.load(name or fits[0].profile)
    document = parse(data, path, chosen)
    head = document.document
    return Trial(
        file=str(file),
        profile=chosen.name,
        media_type=document.media_type,
        id=document.id,
        title=head.title,
        version=head.version,
        language=document.language,
        aliases=head.aliases,
        status=head.status_label,
        version_status=head.version_status,
        status_known=known(chosen, head.status_label) if head.status_label else False,
        visibility=head.visibility or "PUBLIC",
        fields=tuple(_row(one, chosen, path) for one in header(source, chosen)),
        references=tuple(
            sorted((ReferenceRow(r.line, r.type, r.target, r.source) for r in document.relations), key=_by_line)
        ),
        labelled=tuple(_labelled(document)),
        objects=dict(sorted(Counter(item.granularity for item in document.objects).items())),
        status_events=len(document.events),
        issues=document.issues,
        best=fits[0].profile,
        fits=tuple(fits),
    )


def header(source: Source, profile: Profile) -> Sequence[Field]:
    """The header fields of a file as its parser reads them; none for JSON, RDF and tables, which have no header."""
    extension = PurePosixPath(source.path).suffix.lower().removeprefix(".")
    if extension in ("txt", "text") and plain.looks_like_markdown(source.text):
        extension = "md"
    if extension in ("md", "markdown", "mdown"):
        front = yaml_front.read(source)
        structure = blank(shadow(source.text), 0, front.end)
        return [*front.fields, *headers.bold(source, structure, markdown.blocks(structure), profile)]
    if extension in ("rst", "rest"):
        return headers.rfc822(source)[0]
    if extension in ("yaml", "yml"):
        return kep_yaml.read(source)
    if extension in ("txt", "text"):
        return headers.plain(source, plain.blocks(shadow(source.text)), profile)
    return []


def _row(one: Field, profile: Profile, path: str) -> FieldRow:
    """A field as it would be read on its own."""
    draft, scratch = Draft(DOCUMENT), Source("", path, "")
    target = draft.apply(one.name, one.values, one.line, profile, scratch)
    read: list[str] = [f"{kind} {reference}" for kind, reference, *_ in draft.relations]
    if target == "status" and draft.status_label:
        none = "no version status" if known(profile, draft.status_label) else "unknown word"
        read.append(f"{draft.status_label} → {draft.version_status or none}")
    for attribute in _READ.get(target, ()):
        value = getattr(draft, attribute)
        values = value if isinstance(value, list) else [value] if value else []
        read += [str(getattr(each, "notation", "") or getattr(each, "reference", "") or each) for each in values]
    how = "unknown" if not target else "relation" if relation(target) == target else "attribute"
    if target in ("keep", "summary"):
        how = "kept" if target == "keep" else "attribute"
    return FieldRow(one.name, one.line, one.values, how, target, tuple(read))


def _labelled(document: ParsedDocument) -> list[LabelRow]:
    return [
        LabelRow(item.line, item.author_id, item.kind, item.state)
        for item in document.objects
        if item.granularity == "STATEMENT" and (item.author_id or item.kind or item.state)
    ]


def _fit(data: bytes, path: str, name: str) -> Fit:
    profile = profiles.load(name)
    source = decode(data, path)
    try:
        fields = header(source, profile)
    except ParseError:
        fields = []
    mapped = [one for one in fields if key(one.name) in profile.fields or visibility.named(one.name, profile)]
    words = [one.values[0] for one in mapped if profile.field(one.name) == "status" and one.values]
    if PurePosixPath(path).suffix.lower().removeprefix(".") in rdf.FORMATS:
        return Fit(name, 0, False, 0)
    found = sum(len(rule.pattern.findall(source.text[:200_000])) for rule in profile.citations)
    return Fit(name, len(mapped), bool(words) and known(profile, words[0]), found)


def _rank(fit: Fit) -> tuple[int, bool, str]:
    return -fit.score, fit.profile != "default", fit.profile


def _by_line(row: ReferenceRow) -> tuple[int, str, str]:
    return row.line, row.relation, row.target
