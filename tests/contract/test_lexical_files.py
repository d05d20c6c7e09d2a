"""The other half of the contract: generations on disk, read-only opening, damage, and other processes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from contract.lexical_world import BOTH, CHINESE, ENGLISH, NAMES, World, document, found, made
from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index.passages import PassageTable


@pytest.fixture(params=NAMES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(made(request.param), tmp_path)


def hashes(folder: Path) -> dict[str, tuple[str, int]]:
    return {p.name: (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns) for p in folder.iterdir()}


def test_older_generations_are_never_altered(world: World) -> None:
    world.commit(CHINESE)
    states = {1: hashes(world.path(1))}
    for number, (added, removed) in enumerate(((ENGLISH, ()), ((), ("bees", "釀造")), (CHINESE[:2], ())), 2):
        world.commit(added, removed)
        states[number] = hashes(world.path(number))
    assert all(hashes(world.path(number)) == state for number, state in states.items())


def test_opening_and_searching_write_nothing(world: World) -> None:
    world.commit(BOTH).close()
    before = hashes(world.path())
    world.path().chmod(0o555)
    try:
        index = world.open()
        assert found(index, "itgc") == ["釀造"]
        index.close()
    finally:
        world.path().chmod(0o755)
    assert hashes(world.path()) == before


AS_ANOTHER = """
import os, sys
from pathlib import Path
folder, name = sys.argv[1:]
from contract.lexical_world import BOTH, found
from oam_rdf.index.base import backend
from oam_rdf.index.passages import PassageTable
made = backend(name)
table = PassageTable.empty().splice([], BOTH)
made.open(Path(folder), table).search("x")  # what Python loads on first use may not be theirs to read
os.setgid(65534); os.setuid(65534)
try:
    open(folder + "/new", "w")
except OSError:
    print(found(made.open(Path(folder), table), "itgc"))
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_reads_an_unwritable_folder(world: World) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        elsewhere = World(world.backend, Path(folder))
        elsewhere.commit(BOTH).close()
        elsewhere.path().chmod(0o555)
        run = run_script(AS_ANOTHER, str(elsewhere.path()), world.backend.name)
    assert run == "['釀造']\n"


SEEDED = """
import sys
from pathlib import Path
from contract.lexical_world import BOTH, QUERIES, World, picture
from oam_rdf.index.base import backend
world = World(backend(sys.argv[2]), Path(sys.argv[1]))
world.commit(BOTH[:5])
index = world.commit(BOTH[4:], [BOTH[0].id])
print([picture(index, q, scorer=s) for q in QUERIES for s in ("bm25", "idf_coverage")])
"""


def run_script(script: str, *arguments: str, seed: str = "0") -> str:
    tests = Path(__file__).parents[1]
    path = os.pathsep.join((str(tests), str(tests.parent)))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hash_seeds_change_nothing(world: World) -> None:
    outputs = {run_script(SEEDED, str(world.folder / seed), world.backend.name, seed=seed) for seed in ("0", "1")}
    assert len(outputs) == 1 and len(next(iter(outputs))) > 1000


def test_a_target_in_use_is_refused(world: World) -> None:
    (world.folder / "t").mkdir()
    (world.folder / "t" / "file").touch()
    with pytest.raises(UsageError, match="empty folder"):
        world.backend.publish(None, world.folder / "t", (), (), world.documents.__getitem__)


def test_drift_from_the_passage_table_is_damage(world: World) -> None:
    """Hazard 11."""
    world.commit(BOTH)
    table = world.table
    for other in (
        table.splice(["bees"], []),
        table.splice(["bees"], [document("bee", "a", "b")]),
        table.splice(["KO-7"], [document("bees", "a"), document("clocks", "a", "b")]),
        PassageTable.empty(),
    ):
        with pytest.raises(Damaged, match="the lexical index and the passage table differ"):
            world.backend.open(world.path(), other)


@pytest.mark.parametrize("how", ["cut", "garbled", "gone"])
def test_every_damaged_file_is_named_with_the_way_out(world: World, how: str) -> None:
    world.commit(BOTH[:3])
    world.commit(BOTH[3:], ["潮汐"])
    for path in sorted(world.path().iterdir()):
        whole = path.read_bytes()
        path.unlink()  # never through a hard link
        if how == "cut":
            path.write_bytes(whole[: len(whole) // 2])
        elif how == "garbled":
            path.write_bytes(bytes(byte ^ 0x55 for byte in whole[:-1]))
        needed = path.suffix not in (".pos", ".toc") and whole
        try:
            index = world.open()
            assert (found(index, "clock") and not needed) or path.suffix in (".seg", ".json", ""), path.name
        except Damaged as error:
            assert "oam reindex" in str(error) and str(world.path()) in str(error), path.name
        path.write_bytes(whole)
    assert found(world.open(), "clock")


def test_a_damaged_previous_generation_is_reported_before_anything_is_made(world: World) -> None:
    world.commit(BOTH)
    next(p for p in sorted(world.path().iterdir()) if p.suffix in (".json", ".toc")).write_bytes(b"{")
    with pytest.raises(Damaged, match="oam reindex"):
        world.commit([document("d1", "x")])
