"""A consistent copy of a knowledge base, and the way back."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.store.layout import Layout
from oam_rdf.store.live import open_store
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.originals import Originals


def backup(layout: Layout, target: Path, *, wait: float = 30.0) -> int:
    """Copy everything that cannot be rebuilt to the new folder ``target``; returns the number of Originals copied.

    Side indexes and generations are left out: :func:`restore` makes them anew. What people put beside them (words, synonyms,
    Turtle, profiles, anything) comes along; folders that are knowledge bases or backups themselves do not. Raises
    :class:`UsageError` when ``target`` is not new or empty.
    """
    if target.exists() and any(target.iterdir()):
        raise UsageError("the folder is not empty", place=str(target), hint="name a new folder")
    copy = Layout(target)
    with WriteLock(layout.lock, verb="backup", wait=wait):
        target.mkdir(parents=True, exist_ok=True)
        _copy_others(layout, target)
        for name in ("live", "history"):
            source = layout.root / name
            if source.is_dir():
                store = open_store(source)
                store.flush()
                store.backup(str(target / name))
                del store
        originals = _copy_originals(layout.originals, copy.originals)
        for source, destination in (
            (layout.embeddings, copy.embeddings),
            (layout.certificates, copy.certificates),
            (layout.trails, copy.trails),
        ):
            if source.exists():
                # SQLite's own copy: a plain one could miss what is still in the write-ahead log.
                with sqlite3.connect(source) as db, sqlite3.connect(destination) as out:
                    db.backup(out)
    return originals


def restore(source: Path, target: Path) -> int:
    """Copy a backup to the new folder ``target``; the caller publishes it; returns the number of Originals checked.

    Raises :class:`Damaged` if an Original does not have the hash in its name.
    """
    if not Layout(source).config.is_file():
        raise UsageError("this is not a backup: it has no oam.toml", place=str(source))
    if target.exists() and any(target.iterdir()):
        raise UsageError("the folder is not empty", place=str(target), hint="name a new folder")
    checked, wrong = Originals(Layout(source).originals).check()
    if wrong:
        raise Damaged("an Original in the backup does not have its hash", place=wrong[0], hint="use another backup")
    shutil.copytree(source, target, dirs_exist_ok=True)
    return checked


def _copy_others(layout: Layout, target: Path) -> None:
    """All that is neither rebuilt nor copied in a way of its own: what is new here one day is not forgotten."""
    databases = [layout.embeddings.name, layout.certificates.name, layout.trails.name]
    ours = {path.name for path in (layout.live, layout.history, layout.originals, layout.published)}
    ours |= {layout.lock.name, layout.journal.name}
    ours |= {name + tail for name in databases for tail in ("", "-wal", "-shm", "-journal")}

    def left_out(folder: str, names: list[str]) -> set[str]:
        inside = [name for name in names if (Path(folder) / name / layout.config.name).is_file()]
        own = ours if Path(folder) == layout.root else set()
        return {*inside, *own, *(name for name in names if (Path(folder) / name).resolve() == target.resolve())}

    shutil.copytree(layout.root, target, symlinks=True, ignore=left_out, dirs_exist_ok=True)


def _copy_originals(source: Path, target: Path) -> int:
    count = 0
    for path in sorted(source.glob("??/*")):
        if not path.name.startswith("."):
            destination = target / path.parent.name / path.name
            destination.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, destination)
            count += 1
    return count
