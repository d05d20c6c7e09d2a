"""Nobody sees above their clearance, through any channel, count or error (decision D16, hazard 66)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from kb_world import World
from pyoxigraph import Store

from oam_rdf.errors import NotFound, OamError
from oam_rdf.model import VISIBILITIES

SECRETS = {"INTERNAL": "zirconium", "CONFIDENTIAL": "beryllium", "RESTRICTED": "californium"}


@pytest.fixture
def layered(world: World) -> World:
    world.write(
        "open.md", "---\nid: OPEN\n---\n# Open\n\nThe open page speaks of helium and cites [[SECRET-INTERNAL]].\n"
    )
    for level, word in SECRETS.items():
        world.write(
            f"{level.lower()}.md",
            f"---\nid: SECRET-{level}\ntitle: About {word}\nvisibility: {level}\nsupersedes: OPEN\n---\n\n"
            f"Helium was replaced by {word}.\n\n**Claim C1.** Only {word} will do.\n",
        )
    records = [
        {"knowledge_object_id": "KO-0001", "content": "Neon is public.", "access": {"visibility": "public"}},
        {"knowledge_object_id": "KO-0002", "content": "Argon hides zirconium.", "access": {"visibility": "internal"}},
    ]
    world.write("records.json", json.dumps(records, indent=1))
    report = world.ingest()
    assert report.refused == 0, report.issues
    return world


def hidden_from(clearance: str) -> list[str]:
    place = VISIBILITIES.index(clearance)
    return (
        [word for level, word in SECRETS.items() if VISIBILITIES.index(level) > place]
        + [f"SECRET-{level}" for level in SECRETS if VISIBILITIES.index(level) > place]
        + (["KO-0002", "Argon"] if clearance == "PUBLIC" else [])
    )


CHANNELS: dict[str, Callable[[World, str], object]] = {
    "search": lambda w, c: [
        w.kb.search(q, k=50, clearance=c).to_json(certificate=True)
        for q in ("helium", "replaced", "claim", "hides", "OPEN", "neon public")
    ],
    "history": lambda w, c: w.kb.search("helium", k=50, include_history=True, clearance=c).to_json(certificate=True),
    "explanation": lambda w, c: w.kb.search("helium page", k=50, clearance=c).explanation("en"),
    "navigate": lambda w, c: [
        w.kb.navigate("OPEN", d, clearance=c).to_json()
        for d in (
            "VERSION.LATEST",
            "VERSION.LATER",
            "DEPENDENCY.UPSTREAM",
            "SOURCE.BACK",
            "ABSTRACT.UP",
            "CONCRETE.DOWN",
        )
    ],
    "composed": lambda w, c: [
        w.kb.navigate("OPEN", text, fallback="similarity", trail_id="t", clearance=c).to_json()
        for text in ("CRITIQUE.OPPOSING / SOURCE.BACK", "PERSPECTIVE.FIRST_PERSON / VERSION.LATEST", "CONCRETE.DOWN")
    ],
    "conflicts": lambda w, c: [w.kb.conflicts(i, clearance=c).to_json() for i in ("", "OPEN")],
    "evidence": lambda w, c: w.kb.evidence("OPEN", clearance=c).to_json(),
    "versions": lambda w, c: w.kb.versions("OPEN", clearance=c).to_json(),
    "source": lambda w, c: [w.kb.source(i, context=5000, clearance=c).to_json() for i in ("OPEN", "KO-0001")],
    "sparql": lambda w, c: w.kb.sparql("SELECT * { ?s ?p ?o }", clearance=c)[0].decode(),
    "graphs": lambda w, c: w.kb.sparql("SELECT * { GRAPH ?g { ?s ?p ?o } }", clearance=c)[0].decode(),
    "export": lambda w, c: w.kb.export(None, "trig", clearance=c).decode(),
    "status": lambda w, c: w.kb.status(clearance=c).to_json(),
}


@pytest.mark.parametrize("clearance", VISIBILITIES)
@pytest.mark.parametrize("channel", sorted(CHANNELS))
def test_no_channel_leaks(layered: World, channel: str, clearance: str) -> None:
    said = json.dumps(CHANNELS[channel](layered, clearance), ensure_ascii=False)
    # The open page's own words name SECRET-INTERNAL: what a source says in public cannot be taken back.
    said = said.replace("cites [[SECRET-INTERNAL]]", "")
    if channel in ("sparql", "export", "graphs"):
        said = said.replace('"SECRET-INTERNAL"', "")  # its unresolved reference, as written in the open page
    for secret in hidden_from(clearance):
        assert secret.casefold() not in said.casefold(), (channel, clearance, secret)


@pytest.mark.parametrize("clearance", VISIBILITIES)
def test_absent_and_hidden_look_the_same(layered: World, clearance: str) -> None:
    for level in SECRETS:
        calls: list[Callable[[str], object]] = [
            lambda i: layered.kb.source(i, clearance=clearance),
            lambda i: layered.kb.versions(i, clearance=clearance),
            lambda i: layered.kb.navigate(i, "VERSION.LATEST", clearance=clearance),
            lambda i: layered.kb.paths("OPEN", i, clearance=clearance).to_json(),
            lambda i: layered.kb.conflicts(i, clearance=clearance).to_json(),
            lambda i: layered.kb.evidence(i, clearance=clearance).to_json(),
            lambda i: layered.kb.export(i, clearance=clearance),
        ]
        for call in calls:
            if VISIBILITIES.index(level) > VISIBILITIES.index(clearance):
                with pytest.raises(NotFound) as hidden:
                    call(f"SECRET-{level}")
                with pytest.raises(NotFound) as absent:
                    call("SECRET-NOTHING")
                wanted = str(absent.value).replace("SECRET-NOTHING", f"SECRET-{level}")
                assert str(hidden.value) == wanted
            else:
                assert call(f"SECRET-{level}")


def test_a_hidden_successor_supersedes_nothing(layered: World) -> None:
    (first, *_) = layered.kb.search("helium", k=5, clearance="PUBLIC").results
    assert (first.document, first.version_status, first.successors) == ("OPEN", "ACTIVE", ())
    assert layered.kb.search("helium", k=5, clearance="RESTRICTED").results


def test_a_certificate_is_not_found_below_its_clearance(layered: World) -> None:
    made = layered.kb.search("helium", clearance="CONFIDENTIAL").retrieval_id
    assert layered.kb.trace(made, clearance="CONFIDENTIAL")
    for clearance in ("PUBLIC", "INTERNAL"):
        with pytest.raises(OamError):
            layered.kb.trace(made, clearance=clearance)


def test_projections_exist_only_where_something_is_hidden(layered: World, worlds: Callable[[str], World]) -> None:
    with layered.kb.snapshot() as snapshot:
        names = sorted(path.name for path in (snapshot.generation.path / "projections").iterdir())
        sizes = [len(Store.read_only(str(snapshot.generation.path / "projections" / name))) for name in names]
    assert names == ["confidential", "internal", "public"]
    assert sizes == sorted(sizes, reverse=True)
    plain = worlds("plain")
    plain.write("a.md", "# A\n\nNothing to hide.\n")
    plain.ingest()
    with plain.kb.snapshot() as snapshot:
        assert not (snapshot.generation.path / "projections").exists()


def test_an_edit_that_removes_a_secret_does_not_show_it_in_the_old_text(world: World) -> None:
    path = world.write("a.md", "---\nid: A\nvisibility: INTERNAL\n---\n# A\n\nOnce it said beryllium.\n")
    world.ingest()
    path.write_text("---\nid: A\n---\n# A\n\nNow it says nothing of the kind.\n")
    world.ingest()
    chain = json.dumps(world.kb.versions("A", clearance="PUBLIC").to_json())
    then = world.kb.search("beryllium", k=5, include_history=True, as_of="2026-01-01T00:00:00Z", clearance="PUBLIC")
    assert "beryllium" not in json.dumps([result.to_json() for result in then.results])
    with pytest.raises(OamError):
        world.kb.diff("A", clearance="PUBLIC")
    assert "@" not in chain


def test_the_language_of_a_hidden_text_is_not_told(worlds: Callable[[str], World]) -> None:
    told = []
    for name in ("with", "without"):
        world = worlds(name)
        world.write("a.md", "---\nid: A\nlanguage: de\nvisibility: PUBLIC\n---\n# Brot\n\nHefe verwandelt Zucker in Gas.\n")
        if name == "with":
            world.write("b.md", "---\nid: B\nlanguage: en\nvisibility: CONFIDENTIAL\n---\n# Bread\n\nYeast makes gas.\n")
        world.ingest()
        certificate = world.kb.search("Brot Hefe", clearance="PUBLIC").certificate
        assert '"en"' not in json.dumps(certificate)
        told.append(certificate["query_plan"]["language"])
    assert told == ["de", "de"]
