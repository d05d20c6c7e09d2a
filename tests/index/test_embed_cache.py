"""Files made once: damage is found, and two processes may make them at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from oam_rdf.errors import Damaged
from oam_rdf.index.embed_cache import cache_folder, is_whole, made_once


def _make(folder: Path) -> None:
    (folder / "a").write_bytes(b"alpha" * 1000)
    (folder / "b").write_bytes(b"beta")


def _never(_: Path) -> None:
    raise AssertionError("made again")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OAM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_made_once(cache: Path) -> None:
    folder = made_once("x", _make)
    assert folder == cache / "x" and made_once("x", _never) == folder and is_whole(folder)
    assert sorted(path.name for path in cache.iterdir()) == ["x"]  # nothing is left lying about


@pytest.mark.parametrize("damage", ["flip", "cut", "gone", "manifest", "file"])
def test_damage_is_found_and_mended(cache: Path, damage: str) -> None:
    folder = made_once("x", _make)
    data = bytearray((folder / "a").read_bytes())
    if damage == "flip":
        data[2500] ^= 1
        (folder / "a").write_bytes(data)
    elif damage == "cut":
        (folder / "a").write_bytes(data[:-1])
    elif damage == "gone":
        (folder / "b").unlink()
    elif damage == "manifest":
        (folder / "manifest.json").write_text("{}")
    else:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.write_text("a file")
    assert not is_whole(folder)
    with pytest.raises(AssertionError, match="made again"):
        made_once("x", _never)
    assert is_whole(made_once("x", _make)) and (folder / "a").read_bytes() == b"alpha" * 1000
    assert sorted(path.name for path in cache.iterdir()) == ["x"]


def test_a_failed_making_leaves_nothing(cache: Path) -> None:
    with pytest.raises(AssertionError):
        made_once("x", _never)
    assert not list(cache.iterdir())


def test_where_nothing_can_be_written(cache: Path) -> None:
    cache.write_text("a file in the way")
    with pytest.raises(Damaged, match="OAM_CACHE"):
        made_once("x", _make)


def test_the_folder_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OAM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "oam-rdf"


_PROGRAM = """
import sys, time
from pathlib import Path
from oam_rdf.index.embed_cache import made_once, is_whole
def make(folder):
    for name in "abc":
        (folder / name).write_bytes(name.encode() * 100_000)
        time.sleep(.05)
for turn in range(4):
    folder = made_once(f"x{turn}", make)
    assert is_whole(folder), folder
    print((folder / "c").stat().st_size)
"""


def test_processes_at_once(cache: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", _PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in running:
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert out.split() == ["100000"] * 4
    assert sorted(path.name for path in cache.iterdir()) == ["x0", "x1", "x2", "x3"]
