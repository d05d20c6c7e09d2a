"""YAML files: the metadata of a Kubernetes Enhancement Proposal is a document; any other YAML is skipped with its reason.

A proposal is a folder with a ``kep.yaml`` and perhaps a ``README.md``: the YAML is the proposal itself (``KEP-2400``),
the README a document of its own that is part of it (``[[paths]]`` in the profile ``keps``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from oam_rdf.errors import ParseError
from oam_rdf.ingest import yaml_front
from oam_rdf.ingest.assemble import Assembly
from oam_rdf.ingest.profiles import Profile, filled, key
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.status_words import known, report_unknown
from oam_rdf.ingest.yaml_front import Field
from oam_rdf.model import ParsedDocument

# The shape, never the file's name: a number, or what only such metadata have beside a title and a status.
_OWN = {"kepnumber", "owningsig", "participatingsigs", "latestmilestone"}
_LOOKS = re.compile(r"^(?:kep-number|owning-sig)[ \t]*:", re.MULTILINE)
_NUMBER = re.compile(r"0*[1-9]\d*\Z")


def is_kep(fields: tuple[Field, ...]) -> bool:
    """Whether the fields are the metadata of a proposal."""
    names = {key(one.name) for one in fields}
    return "kepnumber" in names or ({"title", "status"} <= names and bool(_OWN & names))


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """The metadata of a proposal as a document. ``statements`` makes no difference: they state no sentences.

    :raises Skipped: for YAML that is something else.
    :raises ParseError: for such metadata that cannot be read, with the line.
    """
    fields = read(source)
    unnumbered = next((one for one in fields if key(one.name) == "kepnumber" and not _numbered(one)), None)
    if unnumbered is not None:
        # A placeholder (NNNN, 0) that many proposals share is no id: the folder's name tells them apart.
        fields = tuple(one for one in fields if one is not unnumbered)
        fields = (*fields, Field("kep-number", (_folder_id(source, profile),), unnumbered.line))
        written = unnumbered.values[0] if unnumbered.values else ""
        source.issue("no-number", f"kep-number {written!r} is no number: the folder's name is the id", line=unnumbered.line,
                     hint="write the proposal's number")  # fmt: skip
    for one in fields:
        if profile.field(one.name) == "status" and one.values and not known(profile, one.values[0]):
            report_unknown(source, profile, one.values[0], one.line)
        elif not profile.field(one.name) and key(one.name) not in profile.fields:
            source.issue("unknown-field", f"the field {one.name!r} is not in the profile {profile.name}", line=one.line,
                         severity="note", hint="kept as written")  # fmt: skip
    document = Assembly(
        source, profile, "application/yaml", source.text, [], list(fields), body=len(source.text)
    ).result()
    return _with_folder(source, profile, document, fields)


def read(source: Source) -> tuple[Field, ...]:
    """The fields of a proposal's YAML. :raises Skipped: for other YAML. :raises ParseError: for broken metadata."""
    before = len(source.issues)
    try:
        fields = yaml_front.whole(source)
    except ParseError as error:
        if _LOOKS.search(source.text):
            raise
        del source.issues[before:]
        reason = f"YAML that is no proposal's metadata, and cannot be read: {error.message}"
        raise Skipped(reason, code="other-yaml", place=error.place, hint=error.hint) from error
    if not is_kep(fields):
        names = ", ".join(repr(one.name) for one in fields[:5]) or "none"
        raise Skipped(
            f"YAML that is no proposal's metadata (keys: {names})", code="other-yaml", place=source.place(),
            hint="metadata of a proposal have kep-number, title and status",
        )  # fmt: skip
    return fields


def _numbered(one: Field) -> bool:
    return bool(one.values and _NUMBER.match(one.values[0].strip()))


def _folder_id(source: Source, profile: Profile) -> str:
    folder = PurePosixPath(source.path).parent.name or source.stem
    return f"{profile.id_prefix}{folder}"


def _with_folder(
    source: Source, profile: Profile, document: ParsedDocument, fields: tuple[Field, ...]
) -> ParsedDocument:
    """With the number of the folder, if it is another one, as an alias: it is what other proposals refer to."""
    for rule in profile.paths:
        match = rule.pattern.search(source.path)
        expected = filled(rule.id, match) if match and rule.id else ""
        if expected and expected != document.id and document.document.author_id:
            line = next((one.line for one in fields if profile.field(one.name) == "id"), 1)
            source.issue("number-differs", f"the id is {document.id!r}, the folder says {expected!r}", line=line,
                         hint="the number in the file is the id, the folder's an alias")  # fmt: skip
            head = replace(document.document, aliases=(*document.document.aliases, expected))
            return replace(document, objects=(head, *document.objects[1:]))
    return document
