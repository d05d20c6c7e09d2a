"""A source file as parsers see it: the text with every code point in place, its lines, and its place in messages."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from oam_rdf.errors import ParseError
from oam_rdf.model import Issue

_CONTROL = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(slots=False)
class Source:
    """``text`` is the Original decoded and otherwise untouched: BOM, CR and all, so offsets are the Original's."""

    text: str
    path: str  # POSIX path relative to the ingest root
    sha256: str
    issues: list[Issue] = field(default_factory=list)

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line; a line ends with LF (CRLF included), line 1 is index 0."""
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def line(self, offset: int) -> int:
        """1-based line of an offset."""
        return bisect_right(self.line_starts, offset)

    def line_span(self, line: int) -> tuple[int, int]:
        """Offsets of the 1-based ``line`` without its line break; past the end: the empty span there."""
        starts = self.line_starts
        if line > len(starts):
            return len(self.text), len(self.text)
        start = starts[line - 1]
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return start, end - 1 if end > start and self.text[end - 1] == "\r" else end

    def place(self, line: int = 0) -> str:
        """``path`` or ``path:line`` for an error."""
        return f"{self.path}:{line}" if line else self.path

    def issue(self, code: str, message: str, *, line: int = 0, hint: str = "", severity: str = "warning") -> None:
        """Notes something that a person should hear of; the document lands all the same."""
        self.issues.append(Issue(severity, code, message, self.path, line, hint))

    @property
    def stem(self) -> str:
        """File name without its last extension."""
        return PurePosixPath(self.path).stem


def decode(data: bytes, path: str) -> Source:
    """The text of a file, strictly UTF-8 (a BOM is kept as the first character).

    :raises ParseError: for an empty file, a binary one, another encoding or bytes that are no UTF-8, with the line.
    """
    if not data.strip(b" \t\r\n\x0b\x0c").removeprefix(b"\xef\xbb\xbf"):
        raise ParseError("the file is empty", place=path, hint="delete it or give it content")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ParseError("the file is UTF-16", place=f"{path}:1", hint="save it as UTF-8")
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        kind = "looks binary" if data.count(b"\0") > 1 or len(data) < 64 else "is damaged"
        raise ParseError(
            f"a NUL character at byte {nul}: the file {kind}",
            place=f"{path}:{line}",
            hint="leave binary files out of the folder, or remove the character",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise ParseError(
            f"byte 0x{data[error.start]:02x} is not UTF-8 ({error.reason})",
            place=f"{path}:{line}:{column}",
            hint="save the file as UTF-8",
        ) from error
    if len(_CONTROL.findall(text[:4096])) > 16:
        raise ParseError("control characters: the file looks binary", place=f"{path}:1", hint="leave it out")
    return Source(text, path, hashlib.sha256(data).hexdigest())
