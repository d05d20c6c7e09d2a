"""The ontology answers what it was made for, and stops answering when the one thing that an answer rests on is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, Store, serialize

from oam_rdf.errors import ConfigError
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir
from oam_rdf.store.shacl import Validator
from oam_rdf.vocabulary.competency import Question, ask, questions, store, without
from oam_rdf.vocabulary.source import Source, read

FOLDER = ontology_dir() / "competency"
QUESTIONS = {question.name: question for question in questions(FOLDER)}


@pytest.fixture(scope="module")
def source() -> Source:
    return read(ontology_dir())


@pytest.fixture
def loaded(source: Source) -> Store:
    return store(source, FOLDER)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_the_rows_are_exact_and_rest_on_one_statement(question: Question, loaded: Store) -> None:
    assert question.rows and ask(loaded, question) == question.rows
    assert without(loaded, question.needs) == 1
    assert not ask(loaded, question) & question.rows


def test_there_are_enough_of_them_and_each_is_put_in_both_languages() -> None:
    assert len(QUESTIONS) >= 30
    assert len({question.query.split("\n\n")[1] for question in QUESTIONS.values()}) == len(QUESTIONS)
    for question in QUESTIONS.values():
        assert question.english.endswith("?") and question.chinese.endswith("？")


def test_they_cover_the_families_of_section_13_and_the_types_of_section_17() -> None:
    covered = frozenset().union(*(question.covers for question in QUESTIONS.values()))
    families, types = (Ontology.load().notations(scheme) for scheme in ("query-family", "query-type"))
    assert len(families) == 8 and len(types) == 13
    assert covered == families | types


def test_the_data_are_in_order(loaded: Store) -> None:
    data = Store()
    data.bulk_load(path=str(FOLDER / "competency.trig"), format=RdfFormat.TRIG)
    triples = (serialize({quad.triple for quad in data}, format=RdfFormat.N_TRIPLES) or b"").decode()
    report = Validator().validate(triples)
    assert not report.results and report.checked > 100, report.to_text()


def test_some_questions_rest_on_an_axiom_and_not_on_data(source: Source) -> None:
    axioms = set(source.triples)
    assert sum(question.needs in axioms for question in QUESTIONS.values()) >= 8


@pytest.mark.parametrize(("head", "message"), [
    ("# Question: What?\n# 問題：何？\n# Covers: exact\n# Needs: ko:A oam:uses ko:B .", "Row"),
    ("# Question: What?\n# 問題：何？\n# Covers: exact\n# Needs: ko:A oam:uses\n# Row: A", "no Turtle"),
    ("# Question: What?\n# 問題：何？\n# Covers: exact\n# Needs: ko:A oam:uses ko:B , ko:C .\n# Row: A", "2 statements"),
])  # fmt: skip
def test_an_incomplete_head_is_refused(tmp_path: Path, head: str, message: str) -> None:
    (tmp_path / "q.rq").write_text(head + "\n\nSELECT * WHERE { ?s ?p ?o }", encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        questions(tmp_path)
