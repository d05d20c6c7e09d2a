"""Generations: what readers see is never changed; a new one is published whole and CURRENT moves to it.

Layout of ``published/000042``: ``store/`` (Oxigraph snapshot by hard links), ``projections/``, ``passages/``, ``lexical/``,
``dense/``, ``facets/``, ``hashes.json``, ``manifest.json``, ``checksums.json``, ``lock`` (shared by its readers).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.store.files import sync_folder, sync_tree, write_atomic
from oam_rdf.store.layout import Layout

CHECKSUMS = "checksums.json"
_STORES = ("store", "projections", "history")
_NAMED = 3  # absent files of a folder that are named
KEPT = 5  # generations kept beside the pinned ones, so that a certificate can be replayed


@dataclass
class Generation:
    """One published generation, held by a shared lock until :meth:`close`."""

    number: int
    path: Path
    manifest: dict[str, Any]
    _fd: int

    @property
    def revision(self) -> int:
        """The revision of the live store that it shows."""
        return int(self.manifest["revision"])

    def close(self) -> None:
        """Let go of it; idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Generation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def current_number(layout: Layout) -> int | None:
    """Number of the generation that CURRENT names; None before the first publication."""
    try:
        return int(layout.current.read_text().strip())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise Damaged(
            "CURRENT does not hold a number", place=str(layout.current), hint="run `oam doctor --repair`"
        ) from error


def folder(layout: Layout, number: int) -> Path:
    return layout.published / f"{number:06d}"


def current(layout: Layout) -> Generation:
    """Open the generation that CURRENT names. Raises :class:`UsageError` where nothing was published yet."""
    for _ in range(100):
        number = current_number(layout)
        if number is None:
            raise UsageError(
                "this knowledge base is empty", place=str(layout.root), hint="fill it with `oam ingest FOLDER`"
            )
        try:
            return open_generation(layout, number)
        except UsageError:
            continue  # it was replaced and deleted between reading CURRENT and locking it: look again
    raise Damaged(
        "CURRENT names a generation that is not there", place=str(layout.current), hint="run `oam doctor --repair`"
    )


def open_generation(layout: Layout, number: int) -> Generation:
    """Open one generation by its number; raises :class:`UsageError` when it is gone."""
    path = folder(layout, number)
    try:
        fd = os.open(path / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise UsageError(f"generation {number} is not kept any more", place=str(path)) from error
    fcntl.flock(fd, fcntl.LOCK_SH)
    try:
        # Deleted and possibly made anew while we waited: then our lock is on a file that nobody sees.
        if os.fstat(fd).st_ino != (path / "lock").stat().st_ino:
            raise FileNotFoundError
        manifest = json.loads((path / "manifest.json").read_bytes())
    except FileNotFoundError as error:
        os.close(fd)
        raise UsageError(f"generation {number} is not kept any more", place=str(path)) from error
    except ValueError as error:
        os.close(fd)
        raise Damaged(
            "manifest is not JSON", place=str(path / "manifest.json"), hint="run `oam doctor --repair`"
        ) from error
    return Generation(number, path, manifest, fd)


def publish(layout: Layout, fill: Callable[[Path, Path | None], dict[str, Any]]) -> int:
    """Publish the next generation. ``fill(new folder, previous folder or None)`` writes it and returns its manifest.

    The caller holds the write lock. Killed at any point, CURRENT names either the old generation or the new one.
    """
    layout.published.mkdir(exist_ok=True)
    for leftover in layout.published.glob(".new-*"):
        shutil.rmtree(leftover)
    previous = current_number(layout)
    number = (previous or 0) + 1
    while folder(layout, number).exists():  # renamed into place by a writer that was killed before it moved CURRENT
        number += 1
    temporary = layout.published / f".new-{number:06d}"
    temporary.mkdir()
    manifest = fill(temporary, folder(layout, previous) if previous is not None else None)
    manifest["generation"] = number
    (temporary / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False))
    write_checksums(temporary, folder(layout, previous) if previous is not None else None)
    (temporary / "lock").touch()
    sync_tree(temporary)
    temporary.rename(folder(layout, number))
    sync_folder(layout.published)
    write_atomic(layout.current, f"{number}\n".encode())
    prune(layout)
    return number


def write_checksums(path: Path, previous: Path | None = None) -> None:
    """Write ``checksums.json``: the SHA-256 of every file of a generation that is derived here.

    The stores are left out: the engine checks their blocks itself, and their quads are compared with the live store. A file
    that is linked from the ``previous`` generation keeps the checksum that it was published with.
    """
    known: dict[str, str] = {}
    if previous is not None:
        with contextlib.suppress(OSError, ValueError):
            known = json.loads((previous / CHECKSUMS).read_bytes())
    found = {
        name: known[name]
        if previous is not None and name in known and _linked(previous / name, path / name)
        else _sha256(path / name)
        for name in derived(path)
    }
    (path / CHECKSUMS).write_text(json.dumps(found, indent=0, sort_keys=True))


def derived(path: Path) -> list[str]:
    """Files of a generation that have a checksum, by their names relative to it, sorted."""
    files = (file.relative_to(path) for file in path.rglob("*") if file.is_file())
    names = (file for file in files if file.parts[0] not in (*_STORES, CHECKSUMS, "lock"))
    return sorted(file.as_posix() for file in names)


def altered(path: Path, folders: Collection[str] = ()) -> tuple[int, list[str]]:
    """How many files of a generation, or of some of its folders, were compared with their checksums, and what is wrong: a
    sentence for each.

    A generation of an earlier program has none; then nothing is compared.
    """
    try:
        known: dict[str, str] = json.loads((path / CHECKSUMS).read_bytes())
    except FileNotFoundError:
        return 0, []
    except ValueError:
        return 0, [f"{CHECKSUMS} is not JSON"]
    if folders:
        known = {name: digest for name, digest in known.items() if name.split("/", 1)[0] in folders}
    wrong: list[str] = []
    gone: dict[str, list[str]] = {}
    for name, digest in sorted(known.items()):
        try:
            if _sha256(path / name) != digest:
                wrong.append(f"{name}: its bytes are not those that were published")
        except FileNotFoundError:
            part, _, file = name.rpartition("/")
            gone.setdefault(part, []).append(file)
        except OSError as error:
            wrong.append(f"{name}: {error.strerror or error}")
    for part, files in gone.items():
        named = ", ".join(files[:_NAMED]) + (" …" if len(files) > _NAMED else "")
        wrong.append(f"{part or 'generation'}: {len(files)} files are not there: {named}")
    return len(known), wrong


def _linked(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pinned(layout: Layout) -> set[int]:
    """Generations that a file ``published/pin-000042`` keeps."""
    return {int(path.name.removeprefix("pin-")) for path in layout.published.glob("pin-*")}


def kept(layout: Layout) -> tuple[int, ...]:
    """Numbers of the generations that are there, oldest first."""
    return tuple(sorted(int(path.name) for path in layout.published.glob("*[0-9]") if path.name.isdigit()))


def pin(layout: Layout, number: int) -> None:
    """Keep a generation until :func:`unpin`. :raises UsageError: if it is gone."""
    mark = layout.published / f"pin-{number:06d}"
    new = not mark.exists()
    mark.touch()
    try:
        # Marked first and looked for afterwards: a clean-up looks at the marks once more when it holds the lock.
        open_generation(layout, number).close()
    except UsageError:
        if new:
            mark.unlink(missing_ok=True)
        raise


def unpin(layout: Layout, number: int) -> bool:
    """Leave a generation to the next clean-up; whether it was pinned."""
    mark = layout.published / f"pin-{number:06d}"
    was = mark.exists()
    mark.unlink(missing_ok=True)
    return was


def prune(layout: Layout) -> list[int]:
    """Delete generations that are neither recent, pinned, nor being read; returns the numbers deleted."""
    now = current_number(layout)
    numbers = sorted(int(path.name) for path in layout.published.iterdir() if path.name.isdigit())
    recent = {number for number in numbers if now is not None and number <= now}
    keep = set(sorted(recent)[-KEPT:]) | pinned(layout)
    deleted = []
    for number in numbers:
        if number in keep:
            continue
        path = folder(layout, number)
        try:
            fd = os.open(path / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            shutil.rmtree(path, ignore_errors=True)
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue  # somebody reads it: a later publication deletes it
        else:
            if number in pinned(layout):  # pinned since
                continue
            (path / "lock").unlink()
            shutil.rmtree(path, ignore_errors=True)
            deleted.append(number)
        finally:
            os.close(fd)
    return deleted
