"""Which files an ingest means, and why the others are left out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from oam_rdf.errors import NotFound
from oam_rdf.ingest.parse import EXTENSIONS
from oam_rdf.model import Issue

_SKIPPED_FOLDERS = frozenset((".git", ".obsidian", "node_modules", "__pycache__", ".venv"))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read: ``path`` is POSIX and relative to ``root``."""

    root: Path
    path: str

    @property
    def absolute(self) -> Path:
        return self.root / self.path


def scan(inputs: Iterable[Path], known_roots: Iterable[Path] = ()) -> Iterator[SourceFile | Issue]:
    """Files below the inputs in sorted order, and an :class:`Issue` for each one that is left out.

    A folder is a root; a single file belongs to the known root that holds it, else to its own folder. A symbolic link that
    leads out of its root is not followed (hazard 81). Raises :class:`NotFound` for an input that does not exist.
    """
    roots = sorted((root.resolve() for root in known_roots), key=lambda root: -len(root.parts))
    for given in inputs:
        if not given.exists():
            raise NotFound("no such file or folder", place=str(given), hint="check the path")
        resolved = given.resolve()
        if resolved.is_dir():
            yield from _folder(resolved)
        else:
            root = next((root for root in roots if resolved.is_relative_to(root)), resolved.parent)
            yield from _file(root, resolved, named=True)


def _folder(root: Path) -> Iterator[SourceFile | Issue]:
    for current, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith("."))
        for name in list(folders):
            folder = Path(current) / name
            if folder.is_symlink():
                folders.remove(name)
                yield _skip(root, folder, "symlink", "a linked folder is not followed", "ingest the folder itself")
        for name in sorted(names):
            yield from _file(root, Path(current) / name, named=False)


def _file(root: Path, path: Path, *, named: bool) -> Iterator[SourceFile | Issue]:
    if path.is_symlink() and not path.resolve().is_relative_to(root):
        yield _skip(root, path, "symlink", "the link leads out of the folder", "copy the file into the folder")
    elif not path.is_file():
        yield _skip(root, path, "not-a-file", "neither a file nor a folder", "remove it or repair the link")
    elif path.name.startswith(".") and not named:
        yield _skip(root, path, "hidden", "hidden file", "name it on the command line to ingest it", severity="note")
    elif path.suffix.lower().removeprefix(".") not in EXTENSIONS:
        kinds = "Markdown, reStructuredText, text, JSON, RDF, YAML (proposals) and TSV (status histories) are read"
        yield _skip(
            root, path, "unknown-type", f"no reader for '{path.suffix or path.name}' files", kinds, severity="note"
        )
    else:
        yield SourceFile(root, path.relative_to(root).as_posix())


def _skip(root: Path, path: Path, code: str, message: str, hint: str, severity: str = "warning") -> Issue:
    return Issue(severity, f"skipped-{code}", message, file=path.relative_to(root).as_posix(), hint=hint)
