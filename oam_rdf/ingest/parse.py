"""One file's bytes → a :class:`ParsedDocument`: which parser reads which file. Pure: no store, no network, no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from oam_rdf.errors import ParseError
from oam_rdf.ingest import json_files, kep_yaml, markdown, plain, rdf, rst, status_table
from oam_rdf.ingest.paths_said import with_path
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source, decode
from oam_rdf.model import ParsedDocument
from oam_rdf.namespaces import DEFAULT_BASE

_Parser = Callable[..., ParsedDocument]

_PARSERS: dict[str, _Parser] = {
    "md": markdown.parse,
    "markdown": markdown.parse,
    "mdown": markdown.parse,
    "rst": rst.parse,
    "rest": rst.parse,
    "json": json_files.parse,
    "jsonl": json_files.parse,
    "ndjson": json_files.parse,
    "txt": plain.parse,
    "text": plain.parse,
    "yaml": kep_yaml.parse,
    "yml": kep_yaml.parse,
    "tsv": status_table.parse,
}

#: Every extension that is read, without the dot.
EXTENSIONS: frozenset[str] = frozenset(_PARSERS) | frozenset(rdf.FORMATS)


def parse(
    data: bytes, path: str, profile: Profile, *, statements: str = "said", base: str = DEFAULT_BASE
) -> ParsedDocument:
    """Reads one source file.

    ``path`` is POSIX and relative to the ingest root; its extension picks the parser, except that a text file full of
    Markdown is read as Markdown and JSON with a ``@context`` as JSON-LD. ``statements`` is ``said`` (objects only
    where something is said of a statement) or ``all``; ids are the same either way. ``base`` is the knowledge base's
    base IRI, for RDF files.

    :raises ParseError: when nothing of the file can land, with ``path:line`` and a way out. Lesser trouble is in
        ``ParsedDocument.issues``. Its kind :class:`Skipped` says that a YAML or TSV file holds nothing that is read.
    :raises Forbidden: for a JSON-LD file whose context would have to be fetched.
    """
    if statements not in ("said", "all"):
        raise ValueError(f"statements must be 'said' or 'all', not {statements!r}")
    extension = PurePosixPath(path).suffix.lower().removeprefix(".")
    if extension not in EXTENSIONS:
        known = " ".join(sorted(f".{e}" for e in EXTENSIONS))
        raise ParseError(f"files of kind .{extension or '?'} are not read", place=path, hint=f"read are: {known}")
    source = decode(data, path)
    try:
        document = _dispatch(source, extension, profile, statements, base)
    except RecursionError as error:
        raise ParseError("nested too deeply", place=path, hint="flatten its lists, quotes or brackets") from error
    return replace(with_path(document, profile), issues=tuple(source.issues))


def is_rdf(data: bytes, path: str) -> bool:
    """Whether a file, if it can be read at all, is read as RDF."""
    extension = PurePosixPath(path).suffix.lower().removeprefix(".")
    return extension in rdf.FORMATS or (extension == "json" and _in_context(decode(data, path)))


def _in_context(source: Source) -> bool:
    return '"@context"' in source.text[:10_000]


def _dispatch(source: Source, extension: str, profile: Profile, statements: str, base: str) -> ParsedDocument:
    if extension == "json" and _in_context(source):
        extension = "jsonld"
    if extension in rdf.FORMATS:
        return rdf.parse(source, profile, extension, statements=statements, base=base)
    if extension in ("txt", "text") and plain.looks_like_markdown(source.text):
        extension = "md"
    return _PARSERS[extension](source, profile, statements=statements)
