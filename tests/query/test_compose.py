"""Directions one after the other: routes over all legs, what is said of edges, dead ends, near misses, stand-ins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_world import World, said

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.model import OperatorTag, Relation
from oam_rdf.ontology import Ontology
from oam_rdf.query.compose import compose
from oam_rdf.query.expression import parse

OWN = """
@prefix oam: <https://w3id.org/oam/ns#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix own: <http://example.org/own/> .

own:lesson a skos:Concept , oam:Direction ;
  skos:inScheme <https://w3id.org/oam/direction> ;
  skos:notation "LESSON.BACK" ;
  skos:prefLabel "what to read first"@en , "先讀什麼"@zh-Hant ;
  oam:order "near" ;
  oam:step [ sh:alternativePath ( oam:readAfter [ sh:inversePath oam:uses ] ) ] .
own:grade a skos:Concept ; skos:inScheme own:grades ; skos:prefLabel "grade"@en .
"""


@pytest.fixture
def claims(world: World) -> World:
    world.add("CASE", said("S", "This case.", state="CONJECTURE"), relations=(("S", "is_example_of", "MID#S"),))
    world.add("MID", said("S", "The middle.", state="CONJECTURE"), relations=(("S", "specializes", "TOP#S"),))
    world.add("TOP", said("S", "The top.", state="CONJECTURE"))
    world.add("PROOF", said("S", "A proof.", state="FORMALLY_PROVED"), relations=(("S", "supports", "TOP#S"),))
    world.add("HINT", said("S", "A hint.", state="SOURCE_CLAIM"), relations=(("S", "supports", "MID#S"),))
    return world


def relate(world: World, name: str, *relations: Relation) -> None:
    """Give a document relations that have more to say than a triple."""
    from dataclasses import replace

    document = world.documents[name]
    world.documents[name] = replace(document, relations=(*document.relations, *relations))


def test_legs_follow_each_other_with_routes(claims: World) -> None:
    snapshot = claims.snapshot()
    found = compose(snapshot, "CASE#S", "ABSTRACT.UP*2 / EVIDENCE.STRONGER")
    assert found.direction == "ABSTRACT.UP*2 / EVIDENCE.STRONGER"
    assert [n.id for n in found.nodes] == ["PROOF#S"]
    (way,) = found.nodes[0].ways
    assert way.route == ("CASE#S", "MID#S", "TOP#S", "PROOF#S")
    assert [(h.relation, h.leg) for h in way.hops] == [("isExampleOf", 1), ("specializes", 1), ("^supports", 2)]
    first, second = found.legs
    assert (first.starts, first.arrivals, first.dead_ends) == (1, 2, ())
    # From the middle a weaker hint leads on, which the direction does not look for.
    assert second.dead_ends == ("MID#S",) and second.passed == ("HINT#S",) and found.dead_ends == ("MID#S",)
    one = compose(snapshot, "CASE#S", "abstract.up * 1／EVIDENCE.STRONGER ＊")
    assert one.nodes == () and one.legs[1].dead_ends == ("MID#S",)


def test_a_leg_is_the_plain_walk_from_every_arrival(claims: World) -> None:
    snapshot = claims.snapshot()
    whole = compose(snapshot, "TOP#S", "CONCRETE.DOWN / ABSTRACT.UP")
    by_hand = set()
    for node in compose(snapshot, "TOP#S", "CONCRETE.DOWN").nodes:
        by_hand |= set(compose(snapshot, node.id, "ABSTRACT.UP").route)
    assert set(whole.route) == by_hand == {"MID#S", "TOP#S"}
    assert [way.route for node in whole.nodes if node.id == "TOP#S" for way in node.ways] == [
        ("TOP#S", "MID#S", "TOP#S"), ("TOP#S", "MID#S", "CASE#S", "MID#S", "TOP#S"),
    ]  # fmt: skip


def test_a_plain_direction_stays_as_it_is(claims: World) -> None:
    snapshot = claims.snapshot()
    plain, steps = compose(snapshot, "CASE#S", "ABSTRACT.UP", 1), compose(snapshot, "CASE#S", "ABSTRACT.UP*1")
    assert plain.route == steps.route == ("MID#S",) and plain.more and steps.more
    assert (plain.direction, steps.direction) == ("ABSTRACT.UP", "ABSTRACT.UP*1")
    assert compose(snapshot, "CASE#S", "ABSTRACT.UP*").route == ("MID#S", "TOP#S")
    assert plain.nodes[0].ways[0].route == ("CASE#S", "MID#S")


def test_of_a_chain_only_its_ends_go_on(world: World) -> None:
    for name, old in {"V1": "", "V2": "V1", "V3": "V2"}.items():
        world.add(name, f"text {name}", relations=(("supersedes", old), ("depends_on", f"B{name}")) if old else ())
        world.add(f"B{name}", "a base")
    snapshot = world.snapshot()
    assert compose(snapshot, "V1", "VERSION.LATEST / DEPENDENCY.UPSTREAM").route == ("BV3",)
    # What nothing supersedes is its own latest version.
    assert compose(snapshot, "V3", "VERSION.LATEST / DEPENDENCY.UPSTREAM").route == ("BV3",)
    assert compose(snapshot, "V1", "VERSION.LATER / DEPENDENCY.UPSTREAM").route == ("BV2", "BV3")


def test_confidences_verdicts_and_near_misses(claims: World) -> None:
    relate(
        claims, "CASE",
        Relation("S", "is_example_of", "MID#S", verdict="ok", confidence=0.8),
        Relation("S", "specializes", "TOP#S", verdict="pending", confidence=0.7),
        Relation("S", "implements", "HINT#S", verdict="wrong", confidence=0.6),
        Relation("S", "cites", "PROOF#S", verdict="pending", confidence=0.9),
    )  # fmt: skip
    relate(claims, "PROOF", Relation("S", "supports", "MID#S", verdict="weak", confidence=0.5))
    snapshot = claims.snapshot()
    found = compose(snapshot, "CASE#S", "ABSTRACT.UP*1 / EVIDENCE.STRONGER")
    assert found.route == ()  # candidates are never walked
    misses = {(m.leg, m.source, m.target): m for m in found.near_misses}
    assert set(misses) == {(1, "CASE#S", "TOP#S"), (1, "CASE#S", "HINT#S"), (2, "MID#S", "PROOF#S")}
    assert misses[1, "CASE#S", "TOP#S"].note == "candidate edge, not audited"
    assert misses[1, "CASE#S", "HINT#S"].note == "candidate edge, judged wrong"
    weak = misses[2, "MID#S", "PROOF#S"]
    assert (weak.relation, weak.verdict, weak.confidence) == ("^supports", "weak", 0.5)
    hop = compose(snapshot, "CASE#S", "ABSTRACT.UP").nodes[0].ways[0].hops[0]
    assert (hop.confidence, hop.verdict) == (0.8, "ok")
    assert compose(snapshot, "MID#S", "ABSTRACT.UP").nodes[0].ways[0].hops[0].confidence is None


def test_a_candidate_of_a_narrower_relation_counts_and_hidden_ones_do_not(world: World) -> None:
    world.add("OLD", "An old view.")
    world.add("NEW", "A new view.")
    relate(world, "NEW", Relation("", "counterexample_to", "OLD", verdict="pending", confidence=0.9))
    world.add("SECRET", "A secret.", visibility="INTERNAL")
    relate(world, "SECRET", Relation("", "critiques", "OLD", verdict="pending", confidence=0.9))
    by_clearance = world.each_clearance()
    told = {c: [m.source + m.target for m in compose(s, "OLD", "CRITIQUE.OPPOSING").near_misses]
            for c, s in by_clearance.items()}  # fmt: skip
    # The candidate may begin a step by two of its branches; it is told once.
    assert told["PUBLIC"] == ["OLDNEW"] and sorted(told["RESTRICTED"]) == ["OLDNEW", "OLDSECRET"]
    assert "SECRET" not in str(
        compose(by_clearance["PUBLIC"], "OLD", "CRITIQUE.OPPOSING / CRITIQUE.OPPOSING").to_json()
    )


def test_stand_ins_only_where_asked_for(world: World) -> None:
    world.add("DOC", said("A", "A plain claim."), said("B", "A first-person report.",
              operators=(OperatorTag("PERSPECTIVE.FIRST_PERSON_REPORT", 0.9),)))  # fmt: skip
    snapshot = world.snapshot()
    assert compose(snapshot, "DOC#A", "PERSPECTIVE.FIRST_PERSON").nodes == ()
    found = compose(snapshot, "DOC#A", "PERSPECTIVE.FIRST_PERSON", fallback="operator tags")
    assert found.route == ("DOC#B",) and found.fallback == "operator tags" == found.nodes[0].fallback
    assert found.nodes[0].relations == ("~PERSPECTIVE.FIRST_PERSON_REPORT",)
    assert found.nodes[0].ways[0].hops[0].fallback == "operator tags"
    both = compose(snapshot, "DOC#A", "PERSPECTIVE.FIRST_PERSON / VERSION.LATEST", fallback="operator tags")
    assert both.route == ("DOC#B",) and both.fallback == "operator tags" and both.legs[1].fallback == "operator tags"
    # Versions stand for no operator, and a counterexample needs the edge itself.
    for direction in ("VERSION.EARLIER", "COUNTEREXAMPLE.NEAREST"):
        assert compose(snapshot, "DOC#A", direction, fallback="similarity").route == ()


def test_typed_edges_come_before_stand_ins(world: World) -> None:
    report = {"operators": (OperatorTag("PERSPECTIVE.FIRST_PERSON_REPORT", 0.9),)}
    world.add("DOC", said("A", "A claim."), said("B", "One report.", **report), said("C", "Another.", **report),
              relations=(("A", "uses", "DOC#C"),))  # fmt: skip
    found = compose(world.snapshot(), "DOC#A", "PERSPECTIVE.FIRST_PERSON", fallback="operator tags")
    assert found.route == ("DOC#C",) and found.fallback == "none"


def test_a_direction_in_ones_own_turtle_needs_no_code(world: World) -> None:
    world.add("ONE", "first")
    world.add("TWO", "second", relations=(("read_after", "ONE"),))
    world.add("TOOL", "tool", relations=(("uses", "ONE"),))
    snapshot = world.snapshot()
    with pytest.raises(UsageError, match=r"unknown direction 'LESSON.BACK'"):
        compose(snapshot, "TWO", "LESSON.BACK")
    folder = world.root / "ontology"
    folder.mkdir()
    (folder / "own.ttl").write_text(OWN)
    assert compose(snapshot, "TWO", "lesson.back").route == ("ONE", "TOOL")
    assert compose(snapshot, "TWO", "LESSON.BACK*1 / DERIVATION.FORWARD").direction.startswith("LESSON.BACK*1")
    assert "LESSON.BACK" not in Ontology.load().directions
    (folder / "own.ttl").write_text(OWN + "broken")
    with pytest.raises(ConfigError, match=r"own\.ttl"):
        compose(snapshot, "TWO", "LESSON.BACK")
    (folder / "own.ttl").write_text(OWN.replace("oam:order", "oam:step oam:uses ; oam:order"))
    with pytest.raises(ConfigError, match="needs one oam:step"):
        compose(snapshot, "TWO", "LESSON.BACK")


def test_work_is_bounded_and_what_is_left_out_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("HUB", *(said(f"S{n}", f"claim {n}") for n in range(60)),
              relations=tuple((f"S{n}", "depends_on", f"HUB#S{m}") for n in range(60) for m in range(60)))  # fmt: skip
    snapshot = world.snapshot()
    whole = compose(snapshot, "HUB#S0", "DEPENDENCY.UPSTREAM*1 / DEPENDENCY.DOWNSTREAM*1 / DEPENDENCY.UPSTREAM*1")
    assert not whole.truncated and len(whole.nodes) == 60
    for limit, value in (("HOPS", 500), ("SOURCES", 5)):
        with monkeypatch.context() as patched:
            patched.setattr(f"oam_rdf.query.compose.{limit}", value)
            assert compose(snapshot, "HUB#S0", "DEPENDENCY.UPSTREAM*1 / DEPENDENCY.DOWNSTREAM*1").truncated


@pytest.mark.parametrize(
    "wrong",
    ["", "/", "ABSTRACT.UP /", "ABSTRACT.UP*0", "ABSTRACT.UP*-1", "ABSTRACT.UP**2", "ABSTRACT.UP 2", "SIDEWAYS",
     "ABSTRACT.UP*99999", "/".join(["ABSTRACT.UP"] * 17), "ABSTRACT.UP*9999999"],
)  # fmt: skip
def test_what_is_no_expression_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        parse(wrong, Ontology.load())


def test_hops_twice_are_refused(claims: World) -> None:
    snapshot = claims.snapshot()
    for expression in ("ABSTRACT.UP*2", "ABSTRACT.UP / ABSTRACT.UP"):
        with pytest.raises(UsageError, match="hops"):
            compose(snapshot, "CASE#S", expression, 2)
    with pytest.raises(UsageError, match="unknown fallback"):
        compose(snapshot, "CASE#S", "ABSTRACT.UP", fallback="guess")
    with pytest.raises(UsageError, match=r"leg 2 of 2: unknown direction 'NOWHERE'"):
        compose(snapshot, "CASE#S", "ABSTRACT.UP / NOWHERE")


legs = st.tuples(st.sampled_from(sorted(Ontology.load().directions)), st.one_of(st.none(), st.integers(1, 10_000)))


@given(st.lists(legs, min_size=1, max_size=16), st.sampled_from(["/", " / ", "／"]))
def test_an_expression_reads_back_what_it_says(parts: list[tuple[str, int | None]], sign: str) -> None:
    text = sign.join(name + ("" if hops is None else f"*{hops}") for name, hops in parts)
    found = parse(text, Ontology.load())
    assert [(leg.direction.notation, leg.hops) for leg in found] == parts
    assert parse(" / ".join(map(str, found)), Ontology.load()) == found


@given(st.text(alphabet="AB.UP*/0123 ", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text, Ontology.load())
    except UsageError as error:
        assert error.hint
