"""No export shows what its clearance may not see, in any format (decision D16)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.errors import NotFound
from oam_rdf.model import VISIBILITIES
from oam_rdf.query.export import FORMATS, NAMES

# Word -> the clearance from which on it may be seen. The public files below name some of them in relations only.
SECRETS = {
    "zirconium": "INTERNAL", "SECRET-DOC": "INTERNAL", "tellurium": "CONFIDENTIAL", "KO-HIDDEN": "INTERNAL",
    "osmium": "INTERNAL", "KO-DEEP": "RESTRICTED", "iridium": "RESTRICTED", "hushed": "INTERNAL",
}  # fmt: skip
RECORDS = [
    {
        "knowledge_object_id": "KO-OPEN", "content": "Neon is public.",
        "relations": [
            {"type": "depends_on", "target": "KO-HIDDEN", "confidence": 0.7, "note": "osmium", "verdict": "ok"},
            {"type": "superseded_by", "target": "KO-DEEP"},
            {"type": "uses", "target": "KO-ALSO"},
        ],
        "provenance": {"original_document": "KO-DEEP"},
    },
    {"knowledge_object_id": "KO-ALSO", "content": "Argon is public.", "relations": [{"type": "cites", "target": "KO-OPEN"}]},
]  # fmt: skip
HIDDEN = {
    "knowledge_object_id": "KO-HIDDEN", "title": "About osmium", "content": "Osmium.", "hushed": {"key": "hushed"},
    "operators": [{"family": "REP", "mode": "FORMALIZE", "annotator": "hushed"}], "access": {"visibility": "internal"},
    "relations": [{"type": "supports", "target": "KO-OPEN"}],
}  # fmt: skip
DEEP = {"knowledge_object_id": "KO-DEEP", "content": "Iridium.", "access": {"visibility": "restricted"}}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("access"))
    made.write("records.json", json.dumps(RECORDS))
    made.write("hidden.json", json.dumps(HIDDEN))
    made.write("deep.json", json.dumps(DEEP))
    made.write(
        "secret.md",
        "---\nid: SECRET-DOC\ntitle: On zirconium\nvisibility: INTERNAL\nsupersedes: OPEN\ntags: [zirconium, shared]\n"
        "series: zirconium papers\n---\n\n**Claim C1.** Zirconium.\n",
    )
    made.write(
        "open.md",
        "---\nid: OPEN\ntags: [shared, air]\n---\n# Open\n\n**Claim C1.** Helium.\n\n"
        "**Axiom A1.** Tellurium.\n\n- visibility:: confidential\n- depends_on [[OPEN#C1]]\n",
    )
    report = made.ingest()
    assert report.refused == 0, report.issues
    return made


def shown(world: World, clearance: str) -> dict[str, str]:
    found = {}
    for name in NAMES:
        if name in ("tcf-lite", "verdicts"):
            continue  # of one document each
        for tcf in (False, True):
            if tcf and name not in FORMATS:
                continue
            body = world.kb.export(None, name, tcf=tcf, clearance=clearance)
            found[f"{name} tcf={tcf}"] = body.decode() + json.dumps(body.decode())
    return found


@pytest.mark.parametrize("clearance", VISIBILITIES)
def test_no_format_shows_what_is_above_its_clearance(world: World, clearance: str) -> None:
    allowed = VISIBILITIES.index(clearance)
    everything = shown(world, clearance)
    assert len(everything) == len(NAMES) - 2 + len(FORMATS) == 25
    for name, text in everything.items():
        for word, level in SECRETS.items():
            if VISIBILITIES.index(level) > allowed:
                assert word.casefold() not in text.casefold(), (name, word)
    # The check is able to fail: whoever may see it sees it.
    for word in SECRETS:
        if VISIBILITIES.index(SECRETS[word]) <= allowed:
            assert any(word.casefold() in text.casefold() for text in everything.values()), word
    assert "neon" in everything["oam-json tcf=False"].casefold()


def test_relations_that_lead_to_what_is_hidden_are_as_if_never_written(world: World) -> None:
    def relations(clearance: str) -> object:
        return json.loads(world.kb.export("KO-OPEN", "oam-json", clearance=clearance)).get("relations")

    assert relations("RESTRICTED") == RECORDS[0]["relations"]
    assert relations("INTERNAL") == [RECORDS[0]["relations"][0], RECORDS[0]["relations"][2]]  # type: ignore[index]
    assert relations("PUBLIC") == [RECORDS[0]["relations"][2]]  # type: ignore[index]
    for query in ("SELECT * { ?s ?p ?o }", "SELECT * { GRAPH ?g { ?s ?p ?o } }"):
        said = world.kb.sparql(query, clearance="PUBLIC")[0].decode().casefold()
        assert not [word for word in SECRETS if word.casefold() in said]


def test_hidden_and_absent_are_the_same(world: World) -> None:
    for hidden in ("SECRET-DOC", "OPEN#A1", "KO-HIDDEN", "KO-DEEP"):
        for name in ("turtle", "oam-json", "graph.json"):
            with pytest.raises(NotFound) as caught:
                world.kb.export(["OPEN", hidden], name, clearance="PUBLIC")
            with pytest.raises(NotFound) as absent:
                world.kb.export(["OPEN", "NOTHING"], name, clearance="PUBLIC")
            assert str(caught.value).replace(hidden, "NOTHING") == str(absent.value)


def test_originals_that_hold_something_hidden_stay(world: World, tmp_path: Path) -> None:
    world.kb.export(None, "trig", originals=tmp_path / "public", clearance="PUBLIC")
    copied = b"".join(path.read_bytes() for path in (tmp_path / "public").rglob("*") if path.is_file())
    assert b"Neon" in copied and b"Tellurium" not in copied and b"Zirconium" not in copied
    world.kb.export(None, "trig", originals=tmp_path / "all")
    assert b"Tellurium" in b"".join(path.read_bytes() for path in (tmp_path / "all").rglob("*") if path.is_file())
