"""A summary that poses as the original is never returned as one, whichever way one asks (paper §19.6)."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from kb_world import World
from sample_answers import Hashed

from oam_rdf.errors import NotFound
from oam_rdf.query.selection import Wanted

PREFIXES = """@prefix oam: <https://w3id.org/oam/ns#> .
@prefix op: <https://w3id.org/oam/operator/> .
@prefix act: <https://w3id.org/oam/activity-kind/> .
@prefix epi: <https://w3id.org/oam/epistemic-state/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix doc: <http://oam.localhost/doc/> .
@prefix orig: <http://oam.localhost/original/> .
"""
FULL = """---
id: FULL
title: Report on the lighthouse
operators: [REP.ORIGINAL]
---
# Report on the lighthouse

**Claim F1.** The lamp of the lighthouse turned once a minute for ninety years.
"""
NOTE = """---
id: NOTE
title: Note on the lighthouse
derived_from: "[[DIGEST]]"
---
# Note on the lighthouse

**Claim N1.** The lamp turned for ninety years.

- derived_from:: [[DIGEST]]
"""
DIGEST = """---
id: DIGEST
title: Digest of the lighthouse report
derived_from: "[[FULL]]"
operators: [{operators}]
---
# Digest of the lighthouse report

**Claim S1.** In short, the lamp of the lighthouse turned for ninety years.

- derived_from:: [[FULL#F1]]
"""
OBJECT = """doc:MACHINE a oam:Document ; dcterms:identifier "MACHINE" ; dcterms:title "What a program made"@en .
<http://oam.localhost/doc/MACHINE#run> a prov:Activity ; oam:activityKind act:summarisation .
<http://oam.localhost/doc/MACHINE#digest> a oam:Statement ; dcterms:identifier "MACHINE#digest" ; dcterms:isPartOf doc:MACHINE ;
  oam:content "In short, the lamp of the lighthouse turned for ninety years."@en ; oam:epistemicState epi:SOURCE_CLAIM ;
  oam:noSource "a program made it" ; oam:derivedFrom doc:FULL ; oam:hasOperator op:REP.ORIGINAL ;
  {mark} .
doc:NOTE oam:derivedFrom <http://oam.localhost/doc/MACHINE#digest> .
<http://oam.localhost/doc/NOTE#N1> oam:derivedFrom <http://oam.localhost/doc/MACHINE#digest> .
doc:ELSEWHERE a oam:GeneratedText ; oam:derivedFrom doc:FULL ; dcterms:description "In short, the lamp turned."@en .
"""
MADE = """doc:DIGEST a oam:GeneratedText ; oam:derivedFrom doc:FULL ."""
LIE = """doc:LIE a oam:Document ; dcterms:identifier "LIE" ; dcterms:title "A claim about originals"@en .
doc:DIGEST oam:hasOperator op:REP.ORIGINAL .
<http://oam.localhost/doc/DIGEST#S1> oam:hasOperator op:REP.ORIGINAL .
doc:FULL prov:wasDerivedFrom {sha} ; oam:derivedFrom doc:DIGEST .
doc:NOTE prov:wasDerivedFrom {sha} .
"""


def by_program(world: World) -> None:
    mark = "a oam:GeneratedText ; prov:wasGeneratedBy <http://oam.localhost/doc/MACHINE#run>"
    world.write("machine.ttl", PREFIXES + OBJECT.format(mark=mark))
    world.ingest()


def as_document(world: World) -> None:
    world.write("digest.md", DIGEST.format(operators="REP.COMPRESSED, REP.ORIGINAL"))
    world.ingest()


def by_a_lie(world: World) -> None:
    """Nothing in the document gives it away; one file marks it, another says that it is what the report was made from."""
    text = DIGEST.format(operators="REP.ORIGINAL")
    while sha256(text.encode()).hexdigest() > sha256(FULL.encode()).hexdigest():
        text += "\n"  # of two Originals of one document the first by name would count
    world.write("digest.md", text)
    world.write("made.ttl", PREFIXES + MADE)
    world.ingest()
    original = next(p for p in world.kb.layout.originals.rglob("*.md") if b"Digest of" in p.read_bytes())
    world.write("lie.ttl", PREFIXES + LIE.format(sha=f"orig:sha256-{original.stem}"))
    world.ingest()


Plant = Callable[[World], None]


@pytest.fixture(params=[by_program, as_document, by_a_lie], ids=lambda plant: plant.__name__)
def planted(world: World, request: pytest.FixtureRequest) -> World:
    world.write("full.md", FULL)
    world.write("note.md", NOTE)
    world.ingest()
    request.param(world)
    world.kb._embedder = Hashed()
    world.kb.embed()
    assert {row[0] for row in world.select("SELECT ?i { ?o dcterms:identifier ?i }")} >= {"FULL", "NOTE"} | {
        summary(world)
    }
    return world


def summary(world: World) -> str:
    return "DIGEST" if world.sources.joinpath("digest.md").exists() else "MACHINE#digest"


def hashes(world: World) -> set[str]:
    """Originals that hold the summary's words."""
    files = world.kb.layout.originals.rglob("*.md")
    return {f"sha256-{file.stem}" for file in files if b"In short" in file.read_bytes()}


def is_summary(world: World, name: str) -> bool:
    return name == summary(world) or name.startswith("DIGEST#") or name in hashes(world)


EXPRESSIONS = (
    "REP.ORIGINAL", "REP.ORIGINAL*1", "REP.ORIGINAL*2", "SOURCE.BACK", "SOURCE.BACK*1", "SOURCE.BACK*2",
    "REP.ORIGINAL / SOURCE.BACK", "SOURCE.BACK / REP.ORIGINAL", "SOURCE.BACK*1 / SOURCE.BACK*1",
    "DERIVATION.FORWARD / SOURCE.BACK", "DERIVATION.FORWARD / REP.ORIGINAL",
)  # fmt: skip


@pytest.mark.parametrize("fallback", ["none", "operator tags", "similarity"])
def test_no_walk_ends_on_it(planted: World, fallback: str) -> None:
    looked_at = 0
    for start in ("NOTE", "NOTE#N1", "FULL", "FULL#F1", summary(planted)):
        for expression in EXPRESSIONS:
            found = planted.kb.navigate(start, expression, fallback=fallback)
            looked_at += len(found.nodes)
            wrong = [node.id for node in found.nodes if is_summary(planted, node.id)]
            assert not wrong, (start, expression, wrong)
            assert not [name for name in found.heads if is_summary(planted, name)], (start, expression)
            assert not [miss for miss in found.near_misses if is_summary(planted, miss.target)]
    assert looked_at > 20
    back = planted.kb.navigate("NOTE", "REP.ORIGINAL*2")
    assert [node.id for node in back.nodes] == ["FULL"] and back.passed == (summary(planted),)
    assert "FULL" in [node.id for node in planted.kb.navigate("NOTE", "SOURCE.BACK").nodes]


def test_a_search_that_requires_an_original_leaves_it_out(planted: World) -> None:
    question = "lamp of the lighthouse turned for ninety years in short"
    free = planted.kb.search(question, k=20)
    assert any(is_summary(planted, r.id) for r in free.results)  # it is found where nobody asks for an Original
    required = planted.kb.search(question, k=20, require_original=True)
    for options in ({"directions": ["REP.ORIGINAL"]}, {"directions": ["SOURCE.BACK"]}, {"granularity": "SOURCE_SPAN"}):
        answer = planted.kb.search("NOTE lamp of the lighthouse", k=20, require_original=True, **options)
        required_too = [r.id for r in answer.results if is_generated(planted, r.id)]
        assert not required_too, options
    assert required.results and not [r.id for r in required.results if is_generated(planted, r.id)]
    for result in free.results:
        if is_generated(planted, result.id):
            assert not result.source_available and result.span is None and result.spans == ()


def is_generated(world: World, name: str) -> bool:
    """Whether it is the summary and marked as made by a program: what an author shortened is a source of its own words."""
    return is_summary(world, name) and bool(world.select("SELECT ?o { ?o a oam:GeneratedText }"))


def test_the_graph_channel_does_not_bring_it_in(planted: World) -> None:
    for direction in ("REP.ORIGINAL", "SOURCE.BACK"):
        answer = planted.kb.search("NOTE", k=20, directions=[direction])
        reached = [r.id for r in answer.results if "graph" in r.ranks]
        assert not [name for name in reached if is_summary(planted, name)], direction


def test_its_source_is_what_it_was_made_from_or_nothing(planted: World) -> None:
    view = planted.kb.source(summary(planted))
    marked = is_generated(planted, summary(planted))
    assert view.generated is marked
    if marked:
        assert view.quotes == () and view.original == "" and view.no_source == "generated text stands in no Original"
        for name in hashes(planted) if planted.sources.joinpath("digest.md").exists() else ():
            with pytest.raises(NotFound, match="generated text"):
                planted.kb.source(name)
    (quote,) = planted.kb.source("FULL#F1").quotes
    assert quote.exact in FULL and planted.kb.source("FULL").path == "full.md"


def test_p_trace_counts_it_as_not_traced(planted: World) -> None:
    found = planted.kb.traceability(Wanted((summary(planted),), parts=True))
    if is_generated(planted, summary(planted)):
        assert found.traced == 0 and found.reasons == {"generated text": found.checked}
    others = planted.kb.traceability(Wanted(("FULL", "FULL#F1", "NOTE", "NOTE#N1")))
    assert (others.checked, others.p_trace) == (4, 1.0)


def test_an_export_does_not_call_it_an_original(planted: World) -> None:
    if not is_generated(planted, summary(planted)):
        return
    written = planted.kb.export([summary(planted)], "oam-json").decode()
    assert "In short" in written and "original_document" not in written and "source_spans" not in written
    assert '"original_document": "FULL"' in planted.kb.export(["FULL"], "oam-json").decode()


@pytest.mark.parametrize("claim", ["doc:DIGEST a oam:Original ; oam:length 5 .", "doc:DIGEST a oam:GeneratedText ."])
def test_the_gate_refuses_what_is_a_lie_on_its_face(world: World, claim: str) -> None:
    world.write("full.md", FULL)
    world.write("lie.ttl", PREFIXES + claim)
    assert world.ingest().refused == 1


def test_a_direction_of_ones_own_may_bar_too(planted: World) -> None:
    folder = planted.kb.layout.ontology
    folder.mkdir()
    (folder / "ways.ttl").write_text(
        PREFIXES + "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        "<http://example.org/d> a skos:Concept , oam:Direction ; skos:inScheme <https://w3id.org/oam/direction> ;\n"
        '  skos:notation "MADE.FROM" ; skos:prefLabel "made from"@en ; oam:step oam:derivedFrom ;\n'
        "  oam:neverEndsOn op:REP.ORIGINAL .\n",
        "utf-8",
    )
    assert planted.kb.navigate("NOTE", "MADE.FROM").nodes == ()
