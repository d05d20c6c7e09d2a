"""Nothing a caller may not see appears anywhere (decision D16, hazard 66): one test drives every way out."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from query_world import World, said

from oam_rdf.errors import NotFound, OamError, UsageError
from oam_rdf.model import VISIBILITIES
from oam_rdf.ontology import Ontology
from oam_rdf.query.certificate import Certificates
from oam_rdf.query.navigate import navigate
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.source import source
from oam_rdf.query.versions import chain

# A word, id or title per level; none of them may show below its level.
MARKS = {"INTERNAL": "zirkonium", "CONFIDENTIAL": "quarzite", "RESTRICTED": "obsidian"}


@pytest.fixture
def secrets(world: World) -> dict[str, Snapshot]:
    world.add("OPEN-1", "Common minerals are described here.", said("H", "Feldspar is common."), title="Minerals")
    world.add("OPEN-2", "Granite holds feldspar.", relations=(("depends_on", "OPEN-1"),))
    for level, word in MARKS.items():
        world.add(
            f"SEC-{word}", f"Common minerals and {word} feldspar.", title=f"About {word}", visibility=level,
            relations=(("supersedes", "OPEN-1"), ("depends_on", "OPEN-2"), ("contradicts", "OPEN-2")),
            aliases=(f"alias {word}",),
        )  # fmt: skip
    # A statement more restricted than its document: the Original is one file for everybody.
    world.add(
        "MIXED",
        "Feldspar before.",
        said("S", "The obsidian feldspar statement.", visibility="RESTRICTED"),
        "Feldspar after.",
    )
    # An open document that points at a restricted one.
    world.add(
        "LEAKY", "Feldspar points on.", relations=(("depends_on", "SEC-obsidian"), ("superseded_by", "SEC-obsidian"))
    )
    return world.each_clearance()


def outputs(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Everything that can be asked, as text."""
    queries = ["feldspar", "common minerals", "OPEN-1", "MIXED", "OPEN-1 最新版本", "SEC-1234", *MARKS.values()]
    queries += [f"SEC-{word}" for word in MARKS.values()] + [f'"{word} feldspar"' for word in MARKS.values()]
    for query in queries:
        for options in ({}, {"include_history": True}, {"version": "active"}, {"states": ["REFUTED"]}, {"k": 1}):
            answer = search(snapshot, query, **options)
            text = json.dumps(answer.to_json(certificate=True), ensure_ascii=False)
            yield f"search {query} {options}", text.replace(json.dumps(query, ensure_ascii=False)[1:-1], "QUERY")
    ids = ["OPEN-1", "OPEN-2", "MIXED", "LEAKY", "OPEN-1#H", "MIXED#sec-1"]
    for name in ids:
        for direction in Ontology.load().directions:
            yield f"navigate {name} {direction}", json.dumps(navigate(snapshot, name, direction).to_json())
        yield f"chain {name}", json.dumps(chain(snapshot, name).to_json())
        yield f"source {name}", json.dumps(source(snapshot, name, 200).to_json())


@pytest.mark.parametrize("clearance", VISIBILITIES)
def test_no_way_out(secrets: dict[str, Snapshot], clearance: str) -> None:
    hidden = [word for level, word in MARKS.items() if VISIBILITIES.index(level) > VISIBILITIES.index(clearance)]
    seen = set()
    for what, text in outputs(secrets[clearance]):
        for word in hidden:
            if f"search {word}" in what or f"SEC-{word}" in what or f'"{word} ' in what:
                # The query itself is echoed, its plan and missing terms too; no result and no count may come of it.
                answer = json.loads(text)
                assert all(word not in json.dumps(r) for r in answer["results"]), what
                assert word not in json.dumps(answer["certificate"]["excluded"]), what
                continue
            assert word not in text, (what, word)
        seen |= {word for word in MARKS.values() if word in text and word not in what}
    assert seen == set(MARKS.values()) - set(hidden)  # what may be seen is seen: the test looks in the right places


def test_absent_and_hidden_look_the_same(secrets: dict[str, Snapshot]) -> None:
    public = secrets["PUBLIC"]
    for call in (
        lambda name: navigate(public, name, "VERSION.LATER"),
        lambda name: chain(public, name),
        lambda name: source(public, name),
    ):
        messages = []
        for name in (
            "SEC-obsidian",
            "SEC-nothing",
            "alias obsidian",
            "http://oam.localhost/doc/SEC-obsidian",
            "MIXED#S",
        ):
            with pytest.raises(NotFound) as error:
                call(name)
            messages.append(str(error.value).replace(name, "NAME"))
        assert len(set(messages)) == 1
    one, two = (search(public, f"SEC-{name}").certificate for name in ("obsidian", "olivines"))
    for key in ("total", "results", "excluded", "constraints", "channels", "gate", "query_plan", "explanation"):
        assert json.dumps(one[key]).replace("obsidian", "olivines") == json.dumps(two[key])


def test_hidden_documents_change_no_number(world: World) -> None:
    """N, df, scores and totals are those of a knowledge base that never had them."""
    world.add("A", "Feldspar and mica.")
    world.add("B", "Feldspar only.")
    alone = search(world.snapshot(), "feldspar mica")
    for number in range(5):
        world.add(f"S{number}", "Mica mica mica.", visibility="INTERNAL")
    beside = search(world.snapshot("PUBLIC"), "feldspar mica")
    assert [r.raw_scores for r in alone.results] == [r.raw_scores for r in beside.results]
    assert alone.certificate["channels"]["lexical"] == beside.certificate["channels"]["lexical"]
    assert alone.certificate["constraints"] == beside.certificate["constraints"]


def test_a_hidden_successor_supersedes_nothing_for_those_who_cannot_see_it(secrets: dict[str, Snapshot]) -> None:
    for clearance, status in (("PUBLIC", "ACTIVE"), ("INTERNAL", "SUPERSEDED")):
        result = search(secrets[clearance], "OPEN-1").results[0]
        assert result.version_status == status
        (version, *_) = chain(secrets[clearance], "OPEN-1").versions
        assert version.version_status == status


def test_a_restricted_statement_is_cut_out_of_its_document_without_a_trace(secrets: dict[str, Snapshot]) -> None:
    view = source(secrets["PUBLIC"], "MIXED").to_json()
    (quote,) = view["quotes"]
    assert quote["exact"] == "# MIXED\n\nFeldspar before.\n\nFeldspar after.\n\n"
    assert (quote["start"], quote["end"], view["length"], "redacted" in quote) == (None, None, None, False)
    assert "obsidian" in source(secrets["RESTRICTED"], "MIXED").quotes[0].exact
    assert source(secrets["RESTRICTED"], "MIXED#S").matches is True
    assert source(secrets["RESTRICTED"], "MIXED").length is not None


def test_certificates_do_not_exist_below_their_clearance(world: World) -> None:
    world.add("A", "Feldspar.")
    certificates = Certificates(world.root / "certificates.sqlite")
    internal = search(world.snapshot("INTERNAL"), "feldspar", certificates=certificates)
    public = search(world.snapshot("PUBLIC"), "feldspar", certificates=certificates)
    loaded = certificates.load(internal.retrieval_id, "CONFIDENTIAL")
    assert loaded == json.loads(json.dumps(internal.certificate))
    messages = []
    for name in (internal.retrieval_id, "OAM-R-0000000000000000"):
        with pytest.raises(NotFound) as error:
            certificates.load(name, "PUBLIC")
        messages.append(str(error.value).replace(name, "ID"))
    assert len(set(messages)) == 1
    assert [c["retrieval_id"] for c in certificates.recent(clearance="PUBLIC")] == [public.retrieval_id]
    assert len(list(certificates.recent(clearance="RESTRICTED"))) == 2
    certificates.close()


def test_unknown_clearances_are_refused(world: World) -> None:
    world.add("A", "Feldspar.")
    generation = world.publish()
    with pytest.raises(UsageError):
        Snapshot(world.root, generation, "public")
    with pytest.raises(OamError):
        Certificates(world.root / "none.sqlite").load("x", "ROOT")
