"""A backup holds whatever people put into a knowledge base, and a restore brings it back into force."""

from __future__ import annotations

from pathlib import Path

from kb_world import World

from oam_rdf.knowledge_base import KnowledgeBase

#: Name in the knowledge base -> what somebody wrote there.
PUT = {
    "words.txt": "繞射柵\n",
    "synonyms.toml": '[optics]\ng1 = ["diffraction grating", "ruled plate"]\n',
    "ontology/ways.ttl": "@prefix oam: <https://w3id.org/oam/ns#> .\n"
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
    "<http://example.org/d> a skos:Concept , oam:Direction ; skos:inScheme <https://w3id.org/oam/direction> ;\n"
    '  skos:notation "OPTICS.BACK" ; skos:prefLabel "optics back"@en ; oam:step oam:dependsOn .\n',
    "ontology/notes/why.md": "kept with the Turtle\n",
    "profiles/lab.toml": 'language = "en"\n',
    "status-histories/eips.tsv": "id\tstatus\n",
    "README": "ours\n",
    ".hidden": "also ours\n",
}
TEXT = "---\nid: GRATING\n---\n# Optics\n\nA diffraction grating parts light. 繞射柵分光。\n"
#: What a restore makes anew, or must not take over.
MADE = {"published", "lock"}


def fill(world: World) -> None:
    for name, text in PUT.items():
        path = world.kb.layout.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    world.write("grating.md", TEXT)
    assert world.ingest().exit_code == 0
    world.kb.navigate("GRATING", "OPTICS.BACK", trail_id="mine")
    world.kb.search("grating")


def names(root: Path) -> set[str]:
    """Files below a folder, generations and locks aside; a store's files are its own business."""
    found = {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
    shown = {path for path in found if path.parts[0] not in (*MADE, "live", "history")}
    return {path.as_posix() for path in shown if not path.name.endswith(("-wal", "-shm"))}


def test_whatever_lies_in_the_folder_is_saved_and_restored(world: World, tmp_path: Path) -> None:
    fill(world)
    world.kb.close()
    before = names(world.kb.layout.root)
    assert before >= {*PUT, "oam.toml", "log.md", "trails.sqlite", "certificates.sqlite"}
    world.kb.backup(tmp_path / "saved")
    assert names(tmp_path / "saved") == before
    assert not (tmp_path / "saved" / "published").exists() and not (tmp_path / "saved" / "lock").exists()
    with KnowledgeBase.restore(tmp_path / "saved", tmp_path / "again") as kb:
        assert names(kb.layout.root) >= before
        for name, text in PUT.items():
            assert (kb.layout.root / name).read_text("utf-8") == text, name
        found = kb.search("ruled plate")
        assert [result.id for result in found.results] == ["GRATING"] and found.results[0].matched
        assert kb.search("繞射柵").results[0].matched[0]["term"] == "繞射柵"
        assert kb.navigate("GRATING", "OPTICS.BACK", trail_id="mine").loop is not None  # the trail goes on
        assert kb.doctor().clean


def test_a_backup_inside_the_folder_holds_no_other_backup(world: World) -> None:
    fill(world)
    root = world.kb.layout.root
    for name in ("saved-1", "saved/2"):
        world.kb.backup(root / name)
        assert (root / name / "words.txt").is_file() and (root / name / "ontology" / "notes" / "why.md").is_file()
    copies = [path.relative_to(root / "saved" / "2") for path in (root / "saved" / "2").rglob("*") if path.is_file()]
    assert [path for path in copies if path.parts[0].startswith("saved")] == []
