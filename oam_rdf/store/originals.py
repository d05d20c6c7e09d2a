"""Originals: content-addressed, never altered; what every SourceSpan points into."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from oam_rdf.errors import Damaged
from oam_rdf.store.files import write_atomic


def digest(data: bytes) -> str:
    """SHA-256 in hex: the name of an Original."""
    return hashlib.sha256(data).hexdigest()


class Originals:
    """The folder ``originals/ab/<sha256><suffix>``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, sha256: str) -> Path | None:
        """The stored file of that hash, or None."""
        folder = self.folder / sha256[:2]
        try:
            names = os.listdir(folder)  # noqa: PTH208 — a pattern would be compiled anew for every hash
        except FileNotFoundError:
            return None
        name = min((name for name in names if name.startswith(sha256)), default="")
        return folder / name if name else None

    def add(self, data: bytes, suffix: str) -> Path:
        """Store the bytes under their hash (once) and return the path."""
        sha256 = digest(data)
        found = self.find(sha256)
        if found is not None:
            return found
        path = self.folder / sha256[:2] / f"{sha256}{suffix.lower()}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
        return path

    def read(self, sha256: str) -> bytes:
        """The bytes, checked against their hash. Raises :class:`Damaged`."""
        path = self.find(sha256)
        if path is None:
            raise Damaged(
                f"the Original sha256-{sha256} is missing", place=str(self.folder), hint="restore it from a backup"
            )
        data = path.read_bytes()
        if digest(data) != sha256:
            raise Damaged(
                "the Original was altered after it was stored", place=str(path), hint="restore it from a backup"
            )
        return data

    def check(self) -> tuple[int, list[str]]:
        """How many files were checked, and the paths whose bytes do not match their name."""
        checked, wrong = 0, []
        for path in sorted(self.folder.glob("??/*")):
            if path.name.startswith("."):
                continue  # left by a kill while writing; not yet an Original
            checked += 1
            if digest(path.read_bytes()) != path.name[:64]:
                wrong.append(str(path))
        return checked, wrong
