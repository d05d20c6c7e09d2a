"""What changed is spliced into the last generation; a rebuild gives the same bytes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.ingest import tables
from oam_rdf.store import publish

FOLDERS = ("facets", "graph", "tags", "names", "passages")
IDS = ("A-001", "B", "C", "D", "E")


def derived(world: World) -> dict[str, bytes]:
    """The tables of the current generation."""
    number = publish.current_number(world.kb.layout)
    assert number is not None
    root = publish.folder(world.kb.layout, number)
    paths = [path for name in FOLDERS for path in sorted((root / name).iterdir())]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in (*paths, root / "hashes.json")}


def text(chance: random.Random, name: str) -> str:
    """A document that says things about others, with what moves rows of other documents: successors, levels, names."""
    head = [f"id: {name}", f'title: "{chance.choice(("Lattice", "Graph", "Flow"))} {name}"']
    if chance.random() < 0.4:
        head.append(f"supersedes: {chance.choice(IDS)}")
    if chance.random() < 0.3:
        head.append(f"visibility: {chance.choice(('internal', 'restricted'))}")
    if chance.random() < 0.5:
        head.append(f"lang: {chance.choice(('en', 'zh-Hant'))}")
    if chance.random() < 0.4:
        head.append(f"tags: [{chance.choice(('order', 'paths'))}, shared]")
    body = [f"# {name}", f"See [[{chance.choice(IDS)}]] and [[{chance.choice(IDS)}#S1]]."]
    for number in range(chance.randint(1, 3)):
        body.append(
            f"## Part {number}\n\n**Theorem {number + 1}.** Every {chance.choice(('flow', 'cut'))} ends in {number}."
        )
    if chance.random() < 0.4:
        body.append(f"**K-{chance.randint(100, 102)}**: A claim of the whole corpus in {name}.")
    return "---\n" + "\n".join(head) + "\n---\n" + "\n\n".join(body) + "\n"


def turtle(chance: random.Random) -> str:
    """RDF that says things of objects that other documents describe."""
    one, other = chance.choice(IDS), chance.choice(IDS)
    return f"""
@prefix oam: <https://w3id.org/oam/ns#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix doc: <http://oam.localhost/doc/> .
doc:R a oam:Document ; dct:identifier "R" ; dct:title "What others are" .
<http://oam.localhost/doc/R#s> a oam:Statement ; dct:identifier "R#s" ; dct:isPartOf doc:R ; oam:content "They agree."@en .
doc:{one} dct:title "Called {chance.randint(1, 9)} elsewhere" ; oam:refines doc:{other} ; oam:alias "{one} abroad" .
<http://oam.localhost/doc/{other}#S1> oam:refines doc:{one} .
"""


def change(world: World, chance: random.Random) -> None:
    kind = chance.choice(("edit", "edit", "edit", "rdf", "rename", "remove", "other id"))
    files = sorted(world.sources.glob("*.md"))
    if kind == "rdf":
        world.write("r.ttl", turtle(chance))
    elif kind == "edit" or len(files) < 3:
        name = chance.choice(IDS)
        world.write(f"{name}.md", text(chance, name))
    elif kind == "rename":
        file = chance.choice(files)
        file.rename(file.with_name(f"moved-{chance.randint(0, 99)}-{file.name}"))
    elif kind == "remove":
        chance.choice(files).unlink()
    else:
        file = chance.choice(files)
        file.write_text(text(chance, f"N{chance.randint(0, 9)}"))


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_changes_a_rebuild_gives_the_same_bytes(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_SHARE", 1e9)  # so small a world would always be made anew
    spliced: list[int] = []
    splice = tables._spliced
    monkeypatch.setattr(tables, "_spliced", lambda *given: spliced.append(1) or splice(*given))
    world, chance = World(tmp_path), random.Random(seed)
    for name in IDS[:4]:
        world.write(f"{name}.md", text(chance, name))
    world.ingest()
    for step in range(5):
        for _ in range(chance.randint(1, 2)):
            change(world, chance)
        world.ingest(prune=chance.random() < 0.5)
        found = derived(world)
        world.kb.reindex()
        anew = derived(world)
        assert found.keys() == anew.keys()
        assert [name for name in anew if found[name] != anew[name]] == [], (seed, step)
        assert world.kb.doctor().clean
    assert len(spliced) >= 3


def test_a_file_that_takes_another_id_leaves_nothing_behind(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("a.md", "---\nid: OLD\n---\n# Alpha\n\nA text about lattices.\n")
    world.ingest()
    world.write("a.md", "---\nid: NEW\n---\n# Alpha\n\nA text about graphs.\n")
    world.ingest()
    with world.kb.snapshot() as snapshot:
        assert snapshot.passages.documents == ["NEW"]
    assert world.kb.doctor().clean


def test_a_damaged_table_is_not_spliced_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_SHARE", 1e9)
    world = World(tmp_path)
    for name in ("a", "b", "c", "d", "e"):
        world.write(f"{name}.md", f"---\nid: {name}\n---\n# {name}\n\n**Theorem 1.** About {name}.\n")
    world.ingest()
    number = publish.current_number(world.kb.layout)
    assert number is not None
    file = publish.folder(world.kb.layout, number) / "facets" / "created.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    world.write("a.md", "---\nid: a\n---\n# a\n\n**Theorem 1.** About another a.\n")
    world.ingest()
    found = derived(world)
    world.kb.reindex()
    assert found == derived(world)
