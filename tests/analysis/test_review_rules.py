"""Decisions on tags and edges, applied to quads: by what they are about, the latest one, any number of times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.analysis.queue import KINDS
from oam_rdf.namespaces import OA, OAM, RDF, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store.review import REJECTED, REVIEWED, STATUS, Decided, Decisions, instant

G = "http://oam.localhost/graph/D/annotation/"
H1 = "http://oam.localhost/doc/D#H1"
FORMAL, CRITIQUE = concept("operator", "REP.FORMALIZE"), concept("operator", "META.CRITIQUE")
UNKNOWN = concept("operator", "UNKNOWN_OPERATOR")


def tag(name: str, body: str, run: str, label: str = "", short: bool = True) -> list[Quad]:
    node, graph = NamedNode(f"{H1}.{name}"), NamedNode(G + run)
    quads = [
        Quad(node, NamedNode(RDF + "type"), NamedNode(OAM + "OperatorTag"), graph),
        Quad(node, NamedNode(OA + "hasTarget"), NamedNode(H1), graph),
        Quad(node, NamedNode(OA + "hasBody"), NamedNode(body), graph),
    ]
    if label:
        quads.append(Quad(node, NamedNode(OAM + "sourceLabel"), Literal(label), graph))
    if short:
        quads.append(Quad(NamedNode(H1), NamedNode(OAM + "hasOperator"), NamedNode(body), graph))
    return quads


def made(body: str, status: str, time: str = "2026-01-01T00:00:00Z", label: str = "") -> Decided:
    return Decided(f"{H1}.review", H1, "LOW_CONFIDENCE", status, "ann", time, body, label)


def facts(quads: list[Quad]) -> set[tuple[str, str, str]]:
    return {
        (q.subject.value.rpartition("#")[2], q.predicate.value.rpartition("#")[2], q.object.value.rpartition("/")[2])
        for q in quads
    }  # type: ignore[union-attr]


def test_a_rejected_tag_meets_its_decision_again_whatever_run_makes_it() -> None:
    ruled = Decisions([made(FORMAL, REJECTED)])
    for run, name in (("run1", "cue-1"), ("run2", "model-9f-2"), ("import", "op1")):
        got = facts(ruled.applied(tag(name, FORMAL, run) + tag("other", CRITIQUE, run)))
        assert (f"H1.{name}", "reviewStatus", "REJECTED") in got
        assert ("H1", "hasOperator", "REP.FORMALIZE") not in got and ("H1", "hasOperator", "META.CRITIQUE") in got


def test_a_confirmed_tag_counts_as_an_operator_and_a_later_word_holds() -> None:
    unsure = tag("cue-1", FORMAL, "run", short=False)
    assert ("H1", "hasOperator", "REP.FORMALIZE") in facts(Decisions([made(FORMAL, REVIEWED)]).applied(unsure))
    changed = Decisions([made(FORMAL, REVIEWED), made(FORMAL, REJECTED, "2026-01-02T00:00:00Z")])
    got = facts(changed.applied(Decisions([made(FORMAL, REVIEWED)]).applied(unsure)))
    assert ("H1.cue-1", "reviewStatus", "REJECTED") in got and not [f for f in got if f[1] == "hasOperator"]
    assert len([f for f in got if f[1] == "reviewStatus"]) == 1


def test_an_unknown_word_is_decided_by_that_word_alone() -> None:
    quads = tag("op1", UNKNOWN, "import", "dream:lucid") + tag("op2", UNKNOWN, "import", "walk:slow")
    got = facts(Decisions([made(UNKNOWN, REJECTED, label="dream:lucid")]).applied(quads))
    assert ("H1.op1", "reviewStatus", "REJECTED") in got and ("H1.op2", "reviewStatus", "REJECTED") not in got
    assert ("H1", "hasOperator", "UNKNOWN_OPERATOR") in got  # the other one still bears it


@given(
    st.lists(st.sampled_from([FORMAL, CRITIQUE, UNKNOWN]), max_size=5),
    st.lists(
        st.tuples(st.sampled_from([FORMAL, CRITIQUE, UNKNOWN]), st.sampled_from([REVIEWED, REJECTED])), max_size=4
    ),
)
def test_applying_twice_changes_nothing(bodies: list[str], rulings: list[tuple[str, str]]) -> None:
    quads = [q for number, body in enumerate(bodies) for q in tag(f"op{number}", body, f"run{number % 2}")]
    ruled = Decisions([made(body, status, f"2026-01-0{n + 1}T00:00:00Z") for n, (body, status) in enumerate(rulings)])
    once = ruled.applied(quads)
    assert set(ruled.applied(once)) == set(once)
    assert {q for q in once if q.predicate != STATUS and "hasOperator" not in q.predicate.value} == {
        q for q in quads if "hasOperator" not in q.predicate.value
    }


def test_times_are_compared_as_times() -> None:
    assert instant("2026-01-01T00:00:00.1Z") > instant("2026-01-01T00:00:00.06687Z")
    assert instant("2026-01-01T08:00:00+08:00") == instant("2026-01-01T00:00:00Z")
    assert instant("never") < instant("0002-01-01T00:00:00Z")


def test_the_kinds_are_those_of_the_scheme_in_its_order() -> None:
    assert Ontology.load().ordered("review-kind") == KINDS
