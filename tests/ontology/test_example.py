"""The worked example loads, validates, and answers the questions that it was made for."""

from __future__ import annotations

import hashlib

import pytest
from pyoxigraph import NamedNode, QuerySolutions, RdfFormat, Store, serialize

from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir
from oam_rdf.store.graph_checks import check_graph
from oam_rdf.store.shacl import Validator

TEXT = "The parallel postulate follows from the others. Beltrami's model shows it does not."
D = "http://oam.localhost/doc/GEOM-1#"


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store()
    store.load(path=str(ontology_dir() / "examples" / "parallel-postulate.trig"), format=RdfFormat.TRIG)
    return store


def select(store: Store, query: str) -> list[dict[str, str]]:
    rows = store.query(
        query,
        use_default_graph_as_union=True,
        prefixes={
            "oam": "https://w3id.org/oam/ns#",
            "oa": "http://www.w3.org/ns/oa#",
            "prov": "http://www.w3.org/ns/prov#",
        },
    )
    assert isinstance(rows, QuerySolutions)
    return [{v.value: str(getattr(row[v], "value", row[v])) for v in rows.variables} for row in rows]


@pytest.mark.parametrize("engine", ["shacl", "pyshacl"])
def test_the_example_validates(store: Store, engine: str) -> None:
    triples = serialize({quad.triple for quad in store}, format=RdfFormat.N_TRIPLES)
    assert triples is not None
    report = Validator(engine).validate(triples.decode())
    assert report.conforms and not report.results, report.to_text()
    assert report.checked > 40


def test_each_span_holds_the_words_of_its_statement(store: Store) -> None:
    rows = select(
        store,
        """SELECT ?text ?start ?end ?source WHERE {
        ?s oam:content ?text ; prov:wasQuotedFrom ?span . ?span oa:start ?start ; oa:end ?end ; oa:hasSource ?source }""",
    )
    assert len(rows) == 2
    for row in rows:
        assert TEXT[int(row["start"]) : int(row["end"])] == row["text"]
        assert row["source"].endswith(hashlib.sha256(TEXT.encode()).hexdigest())


def test_the_opposing_view_is_one_hop_away(store: Store) -> None:
    step = Ontology.load().directions["CRITIQUE.OPPOSING"].step.to_sparql()
    assert select(store, f"SELECT DISTINCT ?x WHERE {{ {NamedNode(D + 'claim')} {step} ?x }}") == [{"x": D + "model"}]


def test_the_source_is_the_original(store: Store) -> None:
    step = Ontology.load().directions["SOURCE.BACK"].step.to_sparql()
    rows = select(store, f"SELECT DISTINCT ?x WHERE {{ {NamedNode(D + 'claim')} ({step})+ ?x . ?x a oam:Original }}")
    assert len(rows) == 1


def test_the_graph_checks_find_the_open_reference_and_nothing_else(store: Store) -> None:
    found = [(r.shape.rpartition("/")[2], r.focus.rpartition("/")[2]) for r in check_graph(store)]
    assert found == [("unresolved-relation", "GEOM-1#model")]


# -- a knowledge invariant with 3M events -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def invariant() -> Store:
    store = Store()
    store.load(path=str(ontology_dir() / "examples" / "invariant.trig"), format=RdfFormat.TRIG)
    return store


@pytest.mark.parametrize("engine", ["shacl", "pyshacl"])
def test_the_invariant_validates(invariant: Store, engine: str) -> None:
    triples = serialize({quad.triple for quad in invariant}, format=RdfFormat.N_TRIPLES)
    assert triples is not None
    report = Validator(engine).validate(triples.decode())
    assert not report.results, report.to_text()
    assert report.focus_nodes["https://w3id.org/oam/shapes/KnowledgeInvariant"] == 1


def test_its_events_are_separate_and_in_order(invariant: Store) -> None:
    rows = select(
        invariant,
        """SELECT ?kind (COUNT(?before) AS ?n) WHERE { ?event oam:activityKind ?kind .
        OPTIONAL { ?event oam:previousEvent+ ?before } } GROUP BY ?event ?kind ORDER BY ?n""",
    )
    names = [row["kind"].rpartition("/")[2] for row in rows]
    assert names == ["proposal", "execution", "execution", "review", "promotion"]


def test_without_the_second_run_it_is_no_invariant(invariant: Store) -> None:
    evidence = "http://oam.localhost/doc/ROUND#wheel"
    triples = {quad.triple for quad in invariant if getattr(quad.object, "value", "") != evidence}
    report = Validator().validate((serialize(triples, format=RdfFormat.N_TRIPLES) or b"").decode())
    assert {r.shape.rpartition("/")[2] for r in report.results} == {"KnowledgeInvariant", "Reproduced"}
