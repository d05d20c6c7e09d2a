"""The vocabulary is complete, labelled in three languages, and the same on both sides: Turtle and Python."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, parse

from oam_rdf.namespaces import OAM, ONTOLOGY, OWL, PREFIXES, RDF, RDFS, SCHEMES, SKOS
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir, shapes_dir

PACKAGE = Path(__file__).resolve().parents[2] / "oam_rdf"

# Declared for imports that the program does not read yet; everything else must be in use.
RESERVED = {
    "Concept", "Term", "Symbol", "Model", "Primitive", "Axiom", "Theorem", "Definition", "Proof", "KnowledgeInvariant",
    "HistoricalVersion", "evidenceSpan", "tcfVersion", "schemaVersion", "branchesFrom", "merges", "safetyLevel",
    "appliesTo", "validForVersion", "requires", "domain", "sourceField", "propagates", "denotes", "formula",
    "denseEmbeddingRef", "sparseTerm", "granularityOf", "independentOf", "previousEvent", "quantification",
    "EvaluationResult", "measuredBy", "measuredValue", "ofSystem", "onQueryType", "sampleSize",
}  # fmt: skip

STATES = """
    DEFINITION OBSERVATION SOURCE_CLAIM HYPOTHESIS CONJECTURE DERIVED FORMALLY_PROVED MACHINE_CHECKED REPRODUCED
    REFUTED UNRESOLVED
"""  # paper §1.7
TWELVE = """
    defines depends_on supports contradicts refines implements tests translates supersedes derived_from
    same_claim_as counterexample_to
"""  # paper §1.4
WIDER = """
    operationalizes related_to is_example_of contrasts_with part_of alternative_to extends applies uses
    critiques verifies generalizes specializes formalizes renames parallel_to cites see_also mentions
"""

FAMILIES = """
    SCOPE META REP TIME REL RHYTHM STRUCT INTERO ACTION REPORT ABSTRACTION EVIDENCE ROLE PERSPECTIVE
"""


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return Ontology.load()


@pytest.fixture(scope="module")
def quads() -> list[Quad]:
    files = [*ontology_dir().glob("*.ttl"), *ontology_dir().glob("schemes/*.ttl")]
    return [quad for file in files for quad in parse(path=str(file), format=RdfFormat.TURTLE)]


def test_every_term_and_concept_is_labelled_and_defined(ontology: Ontology, quads: list[Quad]) -> None:
    found: dict[str, set[str]] = {}
    for quad in quads:
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
            name = quad.predicate.value.removeprefix(SKOS)
            if name in ("prefLabel", "definition"):
                assert quad.object.value.strip()
                found.setdefault(quad.subject.value, set()).add(f"{name} {quad.object.language}")
    wanted = {"prefLabel en", "prefLabel zh-hant", "prefLabel zh-hans", "definition en", "definition zh-hant"}
    schemes = {"https://w3id.org/oam/" + name for name in SCHEMES}
    for iri in (*ontology.terms, *ontology.concepts, *schemes):
        assert found.get(iri, set()) >= wanted, iri


def test_a_label_is_given_once_for_each_language(quads: list[Quad]) -> None:
    labels = Counter(
        (quad.subject, quad.object.language)
        for quad in quads
        if quad.predicate.value == SKOS + "prefLabel" and isinstance(quad.object, Literal)
    )
    assert not [key for key, count in labels.items() if count > 1]


def test_chinese_labels_are_chinese(ontology: Ontology) -> None:
    for concept in ontology.concepts.values():
        for lang in ("zh-Hant", "zh-Hans"):
            assert re.search(r"[\u4e00-\u9fff]", concept.labels[lang]), concept.iri
        assert concept.labels["en"].isascii() or "–" in concept.labels["en"]


def test_notations_are_unique_within_their_scheme_and_end_the_iri(ontology: Ontology) -> None:
    for concept in ontology.concepts.values():
        assert concept.iri == SCHEMES[concept.scheme] + concept.notation
    assert len({(c.scheme, key) for c in ontology.concepts.values() for key in (c.notation, *c.aliases)}) == sum(
        1 + len(c.aliases) for c in ontology.concepts.values()
    )


def test_every_scheme_that_python_names_is_there_and_no_other(ontology: Ontology, quads: list[Quad]) -> None:
    declared = {
        quad.subject.value
        for quad in quads
        if quad.object == NamedNode(SKOS + "ConceptScheme") and isinstance(quad.subject, NamedNode)
    }
    assert declared == {space.rstrip("/") for space in SCHEMES.values()}
    for scheme in SCHEMES:
        assert ontology.notations(scheme), scheme


def test_both_sides_know_the_same_prefixes() -> None:
    for file in (*ontology_dir().rglob("*.ttl"), *shapes_dir().rglob("*.ttl"), *shapes_dir().rglob("*.rq")):
        text = file.read_text(encoding="utf-8")
        for name, iri in re.findall(r"^(?:@prefix|PREFIX) (\w+):\s+<([^>]+)>", text, re.MULTILINE):
            assert PREFIXES.get(name, iri) == iri, f"{file.name} binds {name}: otherwise than namespaces.py"


def used_terms(text: str) -> set[str]:
    """Names of this vocabulary that a file uses: ``oam:x``, ``OAM + "x"``, ``oam("x")``, ``{OAM}x``."""
    found = re.findall(r"""(?<![\w:])oam:(\w+)|OAM \+ "(\w+)"|\boam\("(\w+)"\)|\{OAM\}(\w+)""", text)
    return {"".join(groups) for groups in found}


def test_every_term_in_code_and_shapes_is_declared(ontology: Ontology) -> None:
    files = [*PACKAGE.rglob("*.py"), *shapes_dir().rglob("*.ttl"), *shapes_dir().rglob("*.rq"),
             *ontology_dir().rglob("*.ttl"), *ontology_dir().rglob("*.trig")]  # fmt: skip
    assert len(files) > 40
    for file in files:
        undeclared = {OAM + name for name in used_terms(file.read_text(encoding="utf-8"))} - ontology.terms
        # Prose in docstrings may name a misspelling on purpose.
        assert not undeclared - {OAM + "KnowlegdeObject"}, f"{file.name}: {sorted(undeclared)}"


def test_every_declared_term_is_used_or_reserved(ontology: Ontology) -> None:
    relations = {relation.iri for relation in ontology.relations.values()}
    words: set[str] = set()
    for file in (*PACKAGE.rglob("*.py"), *shapes_dir().rglob("*.ttl"), *(ontology_dir() / "schemes").glob("*.ttl"),
                 *ontology_dir().glob("*.ttl")):  # fmt: skip
        text = file.read_text(encoding="utf-8")
        text = re.sub(r"^oam:\w+ a owl:", "", text, flags=re.MULTILINE)  # its own declaration is no use
        words.update(re.findall(r"\w+", text))
    idle = {iri.removeprefix(OAM) for iri in ontology.terms - relations} - words
    assert idle <= RESERVED, sorted(idle - RESERVED)


def test_no_term_carries_a_version_and_every_module_does(ontology: Ontology, quads: list[Quad]) -> None:
    assert not [iri for iri in (*ontology.terms, *ontology.concepts) if re.search(r"/\d+\.\d+", iri)]
    versions = {q.subject.value: q.object.value for q in quads
                if q.predicate.value == OWL + "versionIRI" and isinstance(q.subject, NamedNode)
                and isinstance(q.object, NamedNode)}  # fmt: skip
    assert versions == {iri: f"{iri}/0.1.0" for iri in versions}
    modules = ["core", "relations", "operators", "provenance", "epistemic", "version", "navigation", "access",
               "evaluation"]  # fmt: skip
    assert versions.keys() == {ONTOLOGY.rstrip("/"), *(ONTOLOGY + name for name in modules)}


def test_every_module_is_imported(quads: list[Quad]) -> None:
    root = NamedNode(ONTOLOGY.rstrip("/"))
    imported = {q.object for q in quads if q.subject == root and q.predicate.value == OWL + "imports"}
    declared = {q.subject for q in quads if q.object == NamedNode(OWL + "Ontology")}
    assert imported == declared - {root}


def test_the_core_imports_no_alignment_and_each_alignment_parses() -> None:
    files = list((ontology_dir() / "alignments").glob("*.ttl"))
    assert len(files) >= 3
    for file in files:
        assert list(parse(path=str(file), format=RdfFormat.TURTLE))
    for file in ontology_dir().glob("*.ttl"):
        assert "alignments" not in re.sub(r"#.*", "", file.read_text(encoding="utf-8"))


def test_the_papers_states_and_relations_are_there(ontology: Ontology) -> None:
    assert set(STATES.split()) == {n for n in ontology.notations("epistemic-state")
                           if not ontology.broader[SCHEMES["epistemic-state"] + n]}  # fmt: skip
    assert set((TWELVE + WIDER).split()) <= ontology.relations.keys()


def test_at_least_forty_logical_axioms(quads: list[Quad]) -> None:
    axioms = {RDFS + "subClassOf", RDFS + "subPropertyOf", RDFS + "domain", RDFS + "range", OWL + "disjointWith",
              OWL + "propertyDisjointWith", OWL + "members"}  # fmt: skip
    kinds = {
        OWL + kind for kind in ("FunctionalProperty", "SymmetricProperty", "IrreflexiveProperty", "AsymmetricProperty")
    }
    beyond = [q for q in quads if q.predicate.value in axioms - {RDFS + "subClassOf", RDFS + "subPropertyOf"}
              or (q.predicate.value == RDF + "type" and isinstance(q.object, NamedNode) and q.object.value in kinds)
              or (q.predicate.value == RDFS + "subClassOf" and isinstance(q.object, BlankNode))]  # fmt: skip
    assert len(beyond) >= 40  # besides the taxonomy itself


@pytest.mark.parametrize("family", FAMILIES.split())
def test_an_operator_family_has_modes_below_it(ontology: Ontology, family: str) -> None:
    modes = [n for n in ontology.notations("operator") if n.startswith(family + ".")]
    assert len(modes) >= 2
    for mode in modes:
        assert SCHEMES["operator"] + family in ontology.broader[SCHEMES["operator"] + mode]
