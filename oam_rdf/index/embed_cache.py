"""Files made once for a user: a folder per content, written atomically, checked when it is opened."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from oam_rdf.errors import Damaged
from oam_rdf.resources import cache_folder

_MANIFEST = "manifest.json"


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The whole folder ``name`` of the cache; ``make`` fills it where it is not there, or not as it was written.

    Several processes may do so at once: each fills a folder of its own, and one of them gets the name.
    :class:`Damaged` where nothing can be written there.
    """
    target = cache_folder() / name
    if is_whole(target):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=target.parent))
        try:
            make(fresh)
            _seal(fresh)
            _place(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        hint = "free some space, or set OAM_CACHE to a folder that can be written"
        raise Damaged(f"the cache cannot be written: {error}", place=str(target), hint=hint) from error
    return target


def is_whole(folder: Path) -> bool:
    """Are all files that were made there, with the content they had?"""
    try:
        hashes = json.loads((folder / _MANIFEST).read_bytes())
        return bool(hashes) and all(_sha256(folder / name) == digest for name, digest in hashes.items())
    except (OSError, ValueError, AttributeError):
        return False


def _seal(folder: Path) -> None:
    """Bring every file to the disk, and its hash into the manifest: what has the name after a crash is whole."""
    hashes = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
        hashes[path.name] = _sha256(path)
    with (folder / _MANIFEST).open("w", encoding="ascii") as file:
        json.dump(hashes, file, indent=0)
        file.flush()
        os.fsync(file.fileno())
    folder.chmod(0o755)


def _place(fresh: Path, target: Path) -> None:
    """Give ``fresh`` the name, unless another process was first with a whole one."""
    for _ in range(10):
        try:
            fresh.rename(target)  # fails where there is a folder already
            return
        except OSError:
            if is_whole(target):
                return
        with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix=".old-", dir=target.parent) as away:
            target.rename(Path(away) / "old")
    raise OSError(f"{target} is in the way")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
