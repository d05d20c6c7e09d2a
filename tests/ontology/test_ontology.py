"""What the program reads out of the vocabulary: directions, relations, the order of strength, labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.errors import ConfigError
from oam_rdf.namespaces import CITO, DCTERMS, OAM, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.paths import Alternative, Inverse, Predicate, Sequence, branches, invert
from oam_rdf.paths import Path as HopPath

CANONICAL = """
    ABSTRACT.UP CONCRETE.DOWN SOURCE.BACK DERIVATION.FORWARD EVIDENCE.STRONGER EVIDENCE.WEAKER VERSION.EARLIER
    VERSION.LATER CRITIQUE.OPPOSING COUNTEREXAMPLE.NEAREST DEPENDENCY.UPSTREAM DEPENDENCY.DOWNSTREAM
    REP.ORIGINAL REP.COMPRESSED PERSPECTIVE.FIRST_PERSON PERSPECTIVE.PUBLIC_EVIDENCE
"""  # paper §3
FURTHER = """
    VERSION.LATEST EPISTEMIC.MORE_RIGOROUS APPLICATION.DOWN IMPLEMENTATION.NEAREST
"""  # decision D1


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return Ontology.load()


def test_twenty_directions_sixteen_of_them_the_papers(ontology: Ontology) -> None:
    assert {n for n, d in ontology.directions.items() if d.canonical} == set(CANONICAL.split())
    assert {n for n, d in ontology.directions.items() if not d.canonical} == set(FURTHER.split())


def test_every_direction_has_cues_in_three_languages(ontology: Ontology) -> None:
    for direction in ontology.directions.values():
        assert {"en", "zh-Hant", "zh-Hans"} <= {cue.language for cue in direction.cues}, direction.notation


def test_the_steps_of_the_version_directions_are_each_others_inverse(ontology: Ontology) -> None:
    earlier, later = ontology.directions["VERSION.EARLIER"], ontology.directions["VERSION.LATER"]
    assert invert(earlier.step) == later.step == ontology.directions["VERSION.LATEST"].step
    assert ontology.directions["VERSION.LATEST"].order == "head"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("DEPENDENCY.UPSTREAM", "DEPENDENCY.DOWNSTREAM"),
        ("SOURCE.BACK", "DERIVATION.FORWARD"),
        ("REP.ORIGINAL", "REP.COMPRESSED"),
    ],
)
def test_paired_directions_lead_back(ontology: Ontology, one: str, other: str) -> None:
    assert set(branches(invert(ontology.directions[one].step))) == set(branches(ontology.directions[other].step))


def test_down_leads_back_from_up_and_reaches_evidence_too(ontology: Ontology) -> None:
    up = set(branches(invert(ontology.directions["ABSTRACT.UP"].step)))
    down = set(branches(ontology.directions["CONCRETE.DOWN"].step))
    assert down - up == {((OAM + "tests", True),), ((OAM + "hasEvidence", False),)}
    assert not up - down


@pytest.mark.parametrize(("alias", "notation"), [
    ("IMPLEMENTATION.DOWN", "IMPLEMENTATION.NEAREST"), ("COUNTEREXAMPLE", "COUNTEREXAMPLE.NEAREST"),
    ("SUPERSEDES", "VERSION.EARLIER"), ("ABSTRACTION.UP", "ABSTRACT.UP"), ("version.latest", "VERSION.LATEST"),
])  # fmt: skip
def test_labels_of_the_papers_that_are_not_concepts(ontology: Ontology, alias: str, notation: str) -> None:
    direction = ontology.direction(alias)
    assert direction is not None and direction.notation == notation


def test_a_step_in_sparql(ontology: Ontology) -> None:
    assert ontology.directions["DEPENDENCY.DOWNSTREAM"].step.to_sparql() == f"^<{OAM}dependsOn>"
    assert "/<http://www.w3.org/ns/oa#hasSource>" in ontology.directions["SOURCE.BACK"].step.to_sparql()


@pytest.mark.parametrize(("text", "notation"), [
    ("REP.FORMALIZE", "REP.FORMALIZE"), ("IOP:REP:FORMALIZE", "REP.FORMALIZE"), ("rep:formalize", "REP.FORMALIZE"),
    ("iop:rep:formalize", "REP.FORMALIZE"), ("role.critique", "ROLE.CRITIQUE"),
])  # fmt: skip
def test_spellings_of_an_operator(ontology: Ontology, text: str, notation: str) -> None:
    concept = ontology.concept("operator", text)  # decision D4
    assert concept is not None and concept.notation == notation


def test_an_unknown_label_is_none_not_an_error(ontology: Ontology) -> None:
    assert ontology.concept("operator", "DREAM.LUCID") is None  # decision D3
    assert ontology.direction("SIDEWAYS") is None


def test_the_order_of_strength(ontology: Ontology) -> None:
    weaker = ontology.weaker_than
    for chain in (  # vocabulary.md, "weakerThan"
        ("CONJECTURE", "TESTABLE_HYPOTHESIS", "EXPERIMENT", "REPRODUCED"), ("SOURCE_CLAIM", "OBSERVATION", "REPRODUCED"),
        ("HYPOTHESIS", "TESTABLE_HYPOTHESIS"), ("CONJECTURE", "DERIVED", "FORMALLY_PROVED", "MACHINE_CHECKED"),
        ("SOURCE_CLAIMED", "ARTIFACT_PRESENT", "REPRODUCED", "INDEPENDENTLY_REVIEWED"),
    ):  # fmt: skip
        for index, low in enumerate(chain):
            for high in chain[index + 1 :]:
                assert weaker(low, high) and not weaker(high, low), (low, high)
    for one, other in (("FORMALLY_PROVED", "REPRODUCED"), ("REFUTED", "CONJECTURE"), ("HYPOTHESIS", "CONJECTURE")):
        assert not weaker(one, other) and not weaker(other, one)  # decision D5: incomparable


def test_the_order_is_strict_and_takes_iris(ontology: Ontology) -> None:
    for concept in ontology.concepts.values():
        assert not ontology.weaker_than(concept.iri, concept.notation)
    assert ontology.weaker_than(
        SCHEMES["epistemic-state"] + "STRUCTURAL_CONJECTURE", SCHEMES["verification"] + "REPRODUCED"
    )


def test_relations_with_their_super_properties(ontology: Ontology) -> None:
    relations = ontology.relations
    assert OAM + "refines" in relations["extends"].super_properties
    assert OAM + "contradicts" in relations["counterexample_to"].super_properties
    assert (
        CITO + "supports" in relations["verifies"].external and DCTERMS + "replaces" in relations["supersedes"].external
    )
    assert relations["superseded_by"].inverse and relations["superseded_by"].iri == relations["supersedes"].iri
    for relation in relations.values():
        assert relation.iri == OAM + "relatesTo" or OAM + "relatesTo" in relation.super_properties
        assert relation.iri not in relation.super_properties


def test_camel_case_of_the_paper_name_is_the_iri(ontology: Ontology) -> None:
    for name, relation in ontology.relations.items():
        head, *rest = name.split("_")
        camel = OAM + head + "".join(word.capitalize() for word in rest)
        assert relation.inverse or camel == relation.iri or name in ("requires", "replaces", "example_of")


def test_how_invalidation_travels(ontology: Ontology) -> None:
    travels = {name: relation.propagates for name, relation in ontology.relations.items()
               if relation.propagates and not relation.inverse}  # fmt: skip
    assert travels == {"depends_on": "backward", "requires": "backward", "derived_from": "backward",
                       "translates": "backward", "implements": "backward", "supports": "forward"}  # decision D9  # fmt: skip


def test_symmetric_relations(ontology: Ontology) -> None:
    assert {n for n, r in ontology.relations.items() if r.symmetric} == {
        "same_claim_as", "alternative_to", "contrasts_with", "parallel_to", "related_to"}  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "label"), [("en", "conjecture"), ("zh-Hant", "猜想"), ("zh-tw", "猜想"), ("fr", "conjecture")]
)
def test_labels_fall_back_to_english(ontology: Ontology, tag: str, label: str) -> None:
    assert ontology.label("epistemic-state", "CONJECTURE", tag) == label
    assert ontology.label(SCHEMES["epistemic-state"] + "CONJECTURE", lang=tag) == label
    assert ontology.label("http://example.org/x#unknown") == "unknown"


def test_visibility_from_the_widest_audience_to_the_narrowest(ontology: Ontology) -> None:
    assert ontology.ordered("visibility") == ("PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")


def test_cues_longest_first(ontology: Ontology) -> None:
    lengths = [len(cue.phrase) for cue in ontology.cues()]
    assert lengths == sorted(lengths, reverse=True)
    deeper = {cue.notation for cue in ontology.cues() if cue.phrase == "更深入" and cue.language == "zh-Hant"}
    assert len(deeper) >= 4  # paper §19.10: it may mean any of these, and the compiler says so


def test_loading_is_cached() -> None:
    assert Ontology.load() is Ontology.load()


@pytest.mark.parametrize(("turtle", "message"), [
    ("dir:UP a skos:Concept .", "notation"),
    ('dir:UP a skos:Concept ; skos:notation "UP" .', "one oam:step"),
    ('dir:UP a skos:Concept ; skos:notation "UP" ; oam:step [ sh:zeroOrMorePath oam:x ] .', "unknown kind"),
    ('dir:UP a skos:Concept ; skos:notation "UP" ; oam:step _:a . _:a sh:inversePath _:a .', "contains itself"),
    ('dir:UP a skos:Concept ; skos:notation "UP" ; oam:step [ sh:alternativePath oam:x ] .', "broken RDF list"),
    ('epi:A a skos:Concept ; skos:notation "A" ; oam:weakerThan epi:B .'
     ' epi:B a skos:Concept ; skos:notation "B" ; oam:weakerThan epi:A .', "cycle"),
    ("dir:UP a skos:Concept", "unexpected"),
])  # fmt: skip
def test_a_damaged_vocabulary_is_refused_with_a_reason(tmp_path: Path, turtle: str, message: str) -> None:
    prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in (
        ("oam", OAM), ("dir", SCHEMES["direction"]), ("epi", SCHEMES["epistemic-state"]),
        ("skos", "http://www.w3.org/2004/02/skos/core#"), ("sh", "http://www.w3.org/ns/shacl#")))  # fmt: skip
    (tmp_path / "core.ttl").write_text(prefixes + turtle, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Ontology(tmp_path)
    assert message.lower() in str(caught.value).lower()


def test_an_absent_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        Ontology(tmp_path)


PREDICATES = st.sampled_from("abc").map(lambda name: Predicate(f"http://e.x/{name}"))
HOPS: st.SearchStrategy[HopPath] = st.recursive(
    PREDICATES,
    lambda inner: inner.map(Inverse) | st.lists(inner, min_size=1, max_size=3).map(tuple).map(Alternative)
    | st.lists(inner, min_size=1, max_size=3).map(tuple).map(Sequence),
    max_leaves=6,
)  # fmt: skip


@given(HOPS)
def test_inverting_twice_walks_the_same_branches(path: HopPath) -> None:
    assert set(branches(invert(invert(path)))) == set(branches(path))
    turned = {tuple((iri, not against) for iri, against in reversed(branch)) for branch in branches(path)}
    assert set(branches(invert(path))) == turned


@given(HOPS)
def test_sparql_of_a_path_means_its_branches(path: HopPath) -> None:
    from pyoxigraph import NamedNode, Quad, QuerySolutions, Store

    store, nodes = Store(), [NamedNode(f"http://e.x/{n}") for n in range(4)]
    edges = {("a", 0, 1), ("b", 1, 2), ("c", 2, 0), ("a", 3, 0), ("b", 0, 3)}
    for name, start, end in edges:
        store.add(Quad(nodes[start], NamedNode(f"http://e.x/{name}"), nodes[end]))
    reached = set()
    for branch in branches(path):
        here = {0}
        for iri, against in branch:
            name = iri[-1]
            here = {s if against else e for n, s, e in edges if n == name and (e if against else s) in here}
        reached |= here
    rows = store.query(f"SELECT ?x WHERE {{ {nodes[0]} {path.to_sparql()} ?x }}")
    assert isinstance(rows, QuerySolutions)
    assert {row["x"] for row in rows} == {nodes[n] for n in reached}
