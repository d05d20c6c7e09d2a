"""The state machine of epistemic states: what may become what, and what that needs (decision D7)."""

from __future__ import annotations

import pytest

from oam_rdf.ingest.states import CARRIERS
from oam_rdf.ontology import Ontology

TOP = {
    "DEFINITION", "OBSERVATION", "SOURCE_CLAIM", "HYPOTHESIS", "CONJECTURE", "DERIVED", "FORMALLY_PROVED",
    "MACHINE_CHECKED", "REPRODUCED", "REFUTED", "UNRESOLVED",
}  # fmt: skip
STRONG = ("FORMALLY_PROVED", "MACHINE_CHECKED", "REPRODUCED", "REFUTED")


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return Ontology.load()


@pytest.mark.parametrize(("source", "target"), [
    ("SOURCE_CLAIM", "CONJECTURE"), ("CONJECTURE", "FORMALLY_PROVED"), ("FORMALLY_PROVED", "MACHINE_CHECKED"),
    ("TESTABLE_HYPOTHESIS", "REPRODUCED"), ("STRUCTURAL_CONJECTURE", "METAPHYSICAL_CONJECTURE"), ("REFUTED", "UNRESOLVED"),
    ("HYPOTHESIS", "TESTABLE_HYPOTHESIS"), ("DERIVED", "METAPHORICAL_PROJECTION"),
])  # fmt: skip
def test_allowed(ontology: Ontology, source: str, target: str) -> None:
    assert ontology.transition(source, target)


@pytest.mark.parametrize(("source", "target"), [
    ("REFUTED", "FORMALLY_PROVED"), ("REFUTED", "REPRODUCED"), ("REFUTED", "SOURCE_CLAIM"), ("DEFINITION", "REFUTED"),
    ("DEFINITION", "FORMALLY_PROVED"), ("OBSERVED_FIRST_PERSON", "FORMALLY_PROVED"), ("OBSERVATION", "DEFINITION"),
    ("REPRODUCED", "FORMALLY_PROVED"), ("STRUCTURAL_CONJECTURE", "DEFINITION"), ("REFUTED", "DERIVED"),
])  # fmt: skip
def test_not_allowed(ontology: Ontology, source: str, target: str) -> None:
    assert ontology.transition(source, target) is None


def test_strong_states_need_evidence_as_importers_ask_for_it(ontology: Ontology) -> None:
    for (_, target), row in ontology.transitions.items():
        assert bool(row.evidence or row.relations) == (target in STRONG)
        if target in CARRIERS:
            assert row.evidence == CARRIERS[target] and row.outcome == "passed"
            assert row.runs == (2 if target == "REPRODUCED" else 1)
        if target == "REFUTED":
            assert row.relations == {"counterexampleTo", "contradicts"}


def test_whoever_takes_back_what_was_established_answers_for_it(ontology: Ontology) -> None:
    for (source, target), row in ontology.transitions.items():
        if source in STRONG and target != "MACHINE_CHECKED":
            assert row.agent == "REVIEWER", (source, target)
        if ontology.weaker_than(target, source):
            assert row.agent == "REVIEWER", (source, target)


def test_every_state_can_be_reached_and_none_is_a_trap(ontology: Ontology) -> None:
    assert {source for source, _ in ontology.transitions} == TOP == {target for _, target in ontology.transitions}
    assert len(ontology.transitions) < len(TOP) * (len(TOP) - 1)


def test_a_change_within_a_state_needs_nothing(ontology: Ontology) -> None:
    for state in ontology.notations("epistemic-state"):
        row = ontology.transition(state, state)
        assert row is not None and not row.evidence and not row.agent
