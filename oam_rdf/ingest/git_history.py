"""Status histories out of a git repository: what the headers of a folder's files said of their status over time.

The line of first parents is read, oldest first: what the checked-out branch itself said, and when it began to say so.
Only the ``git`` executable reads the repository; nothing is checked out, fetched or run, and no hook or filter applies.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from oam_rdf.errors import FeatureMissing, OamError, UsageError
from oam_rdf.ingest import visibility
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.run import Progress, silent

MAX_COMMITS = 100_000  # of the line of first parents
MAX_BYTES = 256 * 1024  # of a file in which its header is looked for
_HEADER = 4000  # characters that hold the header of a file without front matter
_READ = {".md", ".markdown", ".mdown", ".rst", ".rest", ".txt", ".text", ".yaml", ".yml"}
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_RFC822 = re.compile(r"\ufeff?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*){2,}")
_TOP = (
    "git",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "--no-pager",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A file as one commit left it; ``blob`` is "" where the commit removed it."""

    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class Commit:
    """``time`` is the committer's, zoned."""

    hash: str
    time: str
    changes: tuple[Change, ...]


@dataclass(slots=True)
class History:
    """Rows (id, time, status, commit) in order; ``unread`` versions of files could not be read; ``level`` is the narrowest
    visibility that any of them had."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    unread: int = 0
    level: str = ""

    def table(self) -> str:
        """The rows as a status history file."""
        said = f"# visibility: {self.level}\n" if self.level else ""
        lines = ["id\ttime\tstatus\tcommit", *("\t".join(" ".join(cell.split()) for cell in row) for row in self.rows)]
        return said + "\n".join(lines) + "\n"


def kept_history(target: Path, folder: Path, profile: Profile, progress: Progress = silent) -> Path:
    """Write the status history of ``folder`` to a file below ``target``, the same name each time; its path.

    :raises UsageError: if the folder is in no repository, or no file in it ever stated a status.
    :raises FeatureMissing: if there is no ``git``.
    """
    history = read(folder, profile, progress)
    if not history.rows:
        raise UsageError("no file here ever stated a status", place=str(folder), hint="name the profile of the corpus")
    resolved = folder.resolve()
    mark = hashlib.sha256(str(resolved).encode()).hexdigest()[:8]
    target.mkdir(parents=True, exist_ok=True)
    file = target / f"{resolved.name}-history-{mark}.tsv"
    text = history.table()
    if not file.is_file() or file.read_text("utf-8") != text:
        file.write_text(text, "utf-8")
    return file


def read(folder: Path, profile: Profile, progress: Progress = silent) -> History:
    """The status history of the files below ``folder``. Errors as :func:`kept_history`."""
    if shutil.which("git") is None:
        raise FeatureMissing("there is no git here", hint="install git, or give a status history as a TSV file")
    top = _git(folder, "rev-parse", "--show-toplevel")
    if top is None:
        raise UsageError("no git repository", place=str(folder), hint="name a folder of a clone with its history")
    counted = _git(folder, "rev-list", "--count", "--first-parent", f"--max-count={MAX_COMMITS}", "HEAD", "--", ".")
    if not (counted or "").strip().isdigit():
        raise UsageError("the repository has no commit", place=str(folder), hint="commit the files first")
    total = int(counted or 0)
    reader = _Reader(folder, profile)
    try:
        for number, commit in enumerate(_commits(folder), 1):
            reader.commit(commit)
            if number % 100 == 0 or number == total:
                progress("history", min(number, total), total)
    finally:
        reader.close()
    return reader.history


class _Reader:
    """Follows every file's id and status; a status that did not change makes no row."""

    def __init__(self, folder: Path, profile: Profile) -> None:
        self.profile = profile
        self.history = History()
        self.files: dict[str, tuple[str, str]] = {}  # path -> (id, status)
        self.word: dict[str, str] = {}  # id -> status
        self.known: dict[tuple[str, str], tuple[str, str] | None] = {}
        self.blobs = subprocess.Popen(
            [*_TOP, "-C", str(folder), "cat-file", "--batch"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip

    def commit(self, commit: Commit) -> None:
        touched: dict[str, None] = {}
        for change in commit.changes:
            before = self.files.pop(change.path, None)
            if before is not None:
                touched[before[0]] = None
            said = self._said(change) if change.blob else None
            if said is not None:
                self.files[change.path] = said
                touched[said[0]] = None
        if not touched:
            return
        # A file that was moved states its status elsewhere; of two files with one id the first path counts.
        now: dict[str, str] = {}
        for path in sorted(self.files):
            identifier, word = self.files[path]
            if identifier in touched:
                now.setdefault(identifier, word)
        for identifier in sorted(touched):
            word = now.get(identifier, "")
            if word != self.word.get(identifier, ""):
                self.word[identifier] = word
                self.history.rows.append((identifier, commit.time, word, commit.hash))

    def close(self) -> None:
        self.blobs.kill()
        self.blobs.wait()

    def _said(self, change: Change) -> tuple[str, str] | None:
        """``(id, status)`` of one version of a file, None if it cannot be read."""
        suffix = PurePosixPath(change.path).suffix.lower()
        try:
            text = self._blob(change.blob).decode("utf-8", errors="ignore")
        except OSError as error:
            raise OamError(f"git stopped: {error}", hint="run `git fsck` in the repository") from error
        head, path = _header(text, suffix), change.path
        if suffix in (".txt", ".text") and _RFC822.match(head):
            path = str(PurePosixPath(path).with_suffix(".rst"))
        key = (path, hashlib.sha256(head.encode()).hexdigest())
        if key not in self.known:
            self.known[key] = self._parsed(head, path)
        return self.known[key]

    def _parsed(self, head: str, path: str) -> tuple[str, str] | None:
        try:
            document = parse(head.encode(), path, self.profile)
        except OamError:
            self.history.unread += 1
            return None
        level = document.document.visibility
        if level:
            self.history.level = visibility.narrowest((self.history.level, level))
        return document.id, document.document.status_label

    def _blob(self, name: str) -> bytes:
        stdin, stdout = self.blobs.stdin, self.blobs.stdout
        assert stdin and stdout
        stdin.write(name.encode() + b"\n")
        stdin.flush()
        answer = stdout.readline().split()
        if len(answer) != 3 or answer[1] != b"blob":
            raise OSError(f"{name} is not there")
        left = int(answer[2]) + 1
        data = _exactly(stdout, min(left, MAX_BYTES))
        left -= len(data)
        while left:
            left -= len(_exactly(stdout, min(left, MAX_BYTES)))
        return data.removesuffix(b"\n")


def _header(text: str, suffix: str) -> str:
    """The part of a file that its header stands in: the rest changes far more often and says nothing of the status."""
    if suffix in (".yaml", ".yml"):
        return text
    if front := _FRONT.match(text):
        return front[0] + "\n"
    if suffix not in (".md", ".markdown", ".mdown") and (fields := _RFC822.match(text)):
        return fields[0]
    return text if len(text) <= _HEADER else text[:_HEADER].rpartition("\n")[0] or text[:_HEADER]


def _commits(folder: Path) -> Iterator[Commit]:
    """Commits of the line of first parents that changed something below the folder, oldest first."""
    command = [
        *_TOP, "-C", str(folder), "log", "--first-parent", "-m", "--reverse", f"--max-count={MAX_COMMITS}", "--raw",
        "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative", "-z", "--format=%x01%H %cI",
        "HEAD", "--", ".",
    ]  # fmt: skip
    log = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment())
    try:
        head, time = "", ""
        changes: list[Change] = []
        meta: list[str] = []
        for token in _tokens(log.stdout):
            word = token.lstrip("\n")
            if word.startswith("\x01"):
                if head and changes:
                    yield Commit(head, time, tuple(changes))
                head, _, time = word[1:].strip().partition(" ")
                changes = []
            elif word.startswith(":"):
                meta = word.split()
            elif meta:
                if PurePosixPath(token).suffix.lower() in _READ and meta[1] in ("100644", "100755", "000000"):
                    changes.append(Change(token, "" if meta[1] == "000000" else meta[3]))
                meta = []
        if head and changes:
            yield Commit(head, time, tuple(changes))
        if log.wait() != 0:
            reason = log.stderr.read().decode("utf-8", "replace").strip() if log.stderr else ""
            raise OamError(f"git log failed: {reason}", place=str(folder), hint="run `git fsck` in the repository")
    finally:
        log.kill()
        log.wait()


def _tokens(stream: IO[bytes] | None) -> Iterator[str]:
    """What stands between the NULs of a stream."""
    rest = b""
    while stream is not None and (chunk := stream.read(1 << 16)):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from (part.decode("utf-8", "surrogateescape") for part in whole)
    if rest:
        yield rest.decode("utf-8", "surrogateescape")


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise OSError("half an answer")
    return data


def _git(folder: Path, *arguments: str) -> str | None:
    """What git answers, None if it fails."""
    try:
        done = subprocess.run(
            [*_TOP, "-C", str(folder), *arguments], capture_output=True, timeout=120, check=False, env=_environment()
        )
    except subprocess.TimeoutExpired as error:
        raise OamError(
            "git did not answer within two minutes", place=str(folder), hint="try it on a smaller folder"
        ) from error
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _environment() -> dict[str, str]:
    """The user's environment without what would point git elsewhere, make it ask, or fetch."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
