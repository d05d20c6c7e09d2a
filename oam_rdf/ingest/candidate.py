"""A document on its way in."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oam_rdf.errors import OamError, ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.catalogue import StoredFile
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.scan import SourceFile
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.model import Issue, ParsedDocument
from oam_rdf.ontology import in_force


@dataclass(slots=True)
class Candidate:
    """``packed`` is the compressed pickle: a large corpus must not sit in memory as objects.

    ``kind`` is added, changed, renamed or relinked. ``own_id`` is False where its id is a title or the name of its file,
    and has not been in the store so far.
    """

    file: SourceFile
    sha256: str
    previous: StoredFile | None
    kind: str
    packed: bytes
    id: str
    issues: tuple[Issue, ...] = ()
    own_id: bool = True
    rdf_base: str = ""  # by which an RDF file was read, "" if none was given
    segmentation: str = ""  # by which a stored document was read again, "" = as the run says

    def document(self) -> ParsedDocument:
        return unpack(self.packed)


def pack(document: ParsedDocument) -> bytes:
    return zlib.compress(pickle.dumps(document, pickle.HIGHEST_PROTOCOL), 1)


def unpack(packed: bytes) -> ParsedDocument:
    document: ParsedDocument = pickle.loads(zlib.decompress(packed))
    return document


@dataclass(frozen=True, slots=True)
class ParseJob:
    """What a worker needs to parse one file."""

    absolute: str
    path: str
    profile: str
    statements: str
    base: str
    limit: int
    vocabulary: str = ""  # folder of the knowledge base's own Turtle
    rdf_base: str = ""  # of relative IRIs in RDF files that state no base, "" = as the profile says


def parse_file(job: ParseJob) -> tuple[bytes, Issue | None]:
    """In a worker process: the packed document, or why the file is refused (an error) or skipped (a note)."""
    with in_force(Path(job.vocabulary) if job.vocabulary else None):
        return _parsed(job)


def _parsed(job: ParseJob) -> tuple[bytes, Issue | None]:
    try:
        size = Path(job.absolute).stat().st_size
        if size > job.limit:
            raise ParseError(
                f"{size:,} bytes is more than the limit of {job.limit:,}",
                place=job.path,
                hint="split it, or raise max_file_bytes in oam.toml",
            )
        data = Path(job.absolute).read_bytes()
        profile = profiles.load(job.profile, job.rdf_base)
        return pack(parse(data, job.path, profile, statements=job.statements, base=job.base)), None
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        return b"", Issue("error", "unreadable", reason, file=job.path, hint="check its permissions")
    except Skipped as left:
        return b"", Issue("note", left.code, left.message, file=job.path, line=0, hint=left.hint)
    except OamError as error:
        line = next((int(part) for part in error.place.removeprefix(job.path).split(":") if part.isdigit()), 0)
        return b"", Issue("error", "unparsable", error.message, file=job.path, line=line, hint=error.hint)


def claims(document: ParsedDocument) -> Iterator[tuple[str, int]]:
    """Ids that must be unique in the whole knowledge base: the document's and the corpus-wide ones, with their lines."""
    yield document.id, document.document.line
    for item in document.objects:
        if item.global_id:
            yield item.id, item.line
