"""Tags: who carries which operator, how surely, and for whom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_store import GraphStore
from hypothesis import given, settings
from hypothesis import strategies as st

from oam_rdf.errors import Damaged
from oam_rdf.index.tag_table import Tags, TagTable
from oam_rdf.namespaces import OAM, concept


def _own(s: GraphStore, name: str, clearance: str = "RESTRICTED") -> dict[str, tuple[float, bool]]:
    facets, tags = s.tagged(clearance)
    return {t.notation: (round(t.confidence, 2), t.reliable) for t in tags.own(facets.row(s.iri(name)))}


def test_confidence_review_and_rejection() -> None:
    s = GraphStore()
    s.document("A")
    s.tag("A", "REP.FORMALIZE", 0.6)
    s.tag("A", "REP.COMPRESS", 0.59)
    s.tag("A", "SCOPE.MERGE", 0.2, review="REVIEWED")
    s.tag("A", "SCOPE.SCAN", 0.9, review="REJECTED")
    s.tag("A", "META", None)  # a source that gives no number states it outright
    assert _own(s, "A") == {
        "REP.FORMALIZE": (0.6, True),
        "REP.COMPRESS": (0.59, False),
        "SCOPE.MERGE": (0.2, True),
        "META": (1.0, True),
    }
    # A second tagger is surer; a rejection takes only its own tag away.
    s.tag("A", "REP.COMPRESS", 0.8)
    s.tag("A", "SCOPE.SCAN", 0.3)
    own = _own(s, "A")
    assert own["REP.COMPRESS"] == (0.8, True) and own["SCOPE.SCAN"] == (0.3, False)


def test_the_short_form_counts_only_where_no_node_speaks() -> None:
    s = GraphStore()
    s.document("A", "B")
    for name in "AB":
        s.add(s.iri(name), OAM + "hasOperator", concept("operator", "REP.FORMALIZE"), f"{name}/annotation/import")
    s.add(s.iri("B"), OAM + "hasRole", concept("role", "CODE"), "B/assertion")
    s.tag("A", "REP.FORMALIZE", 0.9, review="REJECTED")
    assert _own(s, "A") == {} and _own(s, "B") == {"REP.FORMALIZE": (1.0, True), "CODE": (1.0, True)}


def test_a_review_in_another_graph_counts_for_those_who_see_it() -> None:
    s = GraphStore()
    s.document("A")
    doubted, trusted = s.tag("A", "REP.FORMALIZE", 0.9), s.tag("A", "META", 0.1)
    s.add(doubted, OAM + "reviewStatus", concept("review-status", "REJECTED"), "A/assessment/internal")
    s.add(trusted, OAM + "reviewStatus", concept("review-status", "REVIEWED"), "A/assessment/internal")
    s.restrict("A/assessment/internal", "INTERNAL")
    assert _own(s, "A", "PUBLIC") == {"REP.FORMALIZE": (0.9, True), "META": (0.1, False)}
    assert _own(s, "A", "INTERNAL") == {"META": (0.1, True)}


def test_hidden_tags_and_objects_are_not_there() -> None:
    s = GraphStore()
    s.document("A")
    s.document("S", level="CONFIDENTIAL")
    s.tag("S", "META", 0.9)
    s.tag("A", "META", 0.9, graph="A/annotation/x/internal")
    s.restrict("A/annotation/x/internal", "INTERNAL")
    for clearance, names in (("PUBLIC", []), ("INTERNAL", ["A"]), ("RESTRICTED", ["A", "S"])):
        facets, tags = s.tagged(clearance)
        assert [facets.identifiers[int(r)] for r in np.flatnonzero(tags.mask(["META"]))] == names
        assert len(tags) == len(names)


def _tree() -> GraphStore:
    s = GraphStore()
    s.document("A", "B")
    s.part("A#S", "Section")
    s.part("A#H1", above="A#S")
    s.part("B#H1")
    s.tag("A", "REP.FORMALIZE", 0.5)
    s.tag("A#S", "META", 0.9)
    s.tag("A#H1", "REP.FORMALIZE", 0.8)
    s.tag("A#H1", "CODE", 0.7, scheme="role")
    return s


def test_parts_inherit() -> None:
    s = _tree()
    facets, tags = s.tagged()
    part = facets.row(s.iri("A#H1"))
    found = {
        (t.scheme, t.notation): (round(t.confidence, 2), facets.identifiers[t.owner]) for t in tags.effective(part)
    }
    assert found == {
        ("operator", "META"): (0.9, "A#S"),
        ("operator", "REP.FORMALIZE"): (0.8, "A#H1"),
        ("role", "CODE"): (0.7, "A#H1"),
    }
    assert [t.notation for t in tags.effective(facets.row(s.iri("A")))] == ["REP.FORMALIZE"]


def test_scores_coverage_and_masks() -> None:
    s = _tree()
    facets, tags = s.tagged()
    rows = [facets.row(s.iri(name)) for name in ("A", "A#S", "A#H1", "B", "B#H1")]
    scores = tags.operator_scores(rows, {"REP.FORMALIZE": 1.0, "META": 0.5})
    assert scores == pytest.approx([0.5 / 1.5, (0.5 + 0.45) / 1.5, (0.8 + 0.45) / 1.5, 0, 0])
    assert tags.operator_scores(rows, {}).tolist() == [0] * 5 and tags.operator_scores([], {"META": 1}).shape == (0,)
    # Reliable: the section's META, its part; the document's .5 is not.
    assert tags.coverage(rows) == pytest.approx(2 / 5) and tags.coverage([]) == 0
    assert tags.reliable[rows].tolist() == [False, True, True, False, False]
    assert tags.mask(["REP.FORMALIZE"])[rows].tolist() == [True, True, True, False, False]
    assert tags.mask(["REP.FORMALIZE"], reliable_only=True)[rows].tolist() == [False, False, True, False, False]
    assert tags.mask(["REP"])[rows].tolist() == [True, True, True, False, False]  # the family finds its modes
    assert tags.mask(["REP.COMPRESS", "CODE"]).sum() == 0 and tags.mask(["CODE"], scheme="role").sum() == 1
    assert tags.mask([]).sum() == 0


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["META", "REP.FORMALIZE"]), st.integers(0, 10)), max_size=12)
)
def test_a_score_is_the_best_confidence_upwards(given_tags: list[tuple[int, str, int]]) -> None:
    s = GraphStore()
    names = ["A", "A#S", "A#S1", "A#H1", "A#H2", "B", "B#H1", "C"]
    above = {"A#S": "A", "A#S1": "A#S", "A#H1": "A#S1", "A#H2": "A", "B#H1": "B"}
    s.document("A", "B", "C")
    for name, whole in above.items():
        s.part(name, above=whole)
    for place, notation, confidence in given_tags:
        s.tag(names[place], notation, confidence / 10)
    facets, tags = s.tagged()
    for name in names:
        chain = [name]
        while chain[-1] in above:
            chain.append(above[chain[-1]])
        for notation in ("META", "REP.FORMALIZE"):
            best = max((c / 10 for p, n, c in given_tags if n == notation and names[p] in chain), default=0.0)
            assert float(tags.strength(notation)[facets.row(s.iri(name))]) == pytest.approx(best)


def test_saved_opened_and_damaged(tmp_path: Path) -> None:
    s = _tree()
    facets, _, table = s.tables()
    table.save(tmp_path / "tags")
    again: Tags = TagTable.open(tmp_path / "tags", len(facets)).view(facets, facets.visible("PUBLIC"), "PUBLIC")
    assert len(again) == 4 and again.mask(["REP"]).sum() == 3
    with pytest.raises(Damaged, match="the facets hold 9"):
        TagTable.open(tmp_path / "tags", 9)
    (tmp_path / "tags" / "owner.npy").unlink()
    with pytest.raises(Damaged):
        TagTable.open(tmp_path / "tags", len(facets))


def test_no_tags_at_all() -> None:
    s = GraphStore()
    s.document("A")
    facets, tags = s.tagged()
    assert len(tags) == 0 and tags.coverage([0]) == 0 and not tags.mask(["META"]).any() and tags.effective(0) == []
    assert tags.operator_scores([0], {"META": 1.0}).tolist() == [0]
    assert len(GraphStore().tagged()[1]) == 0 and len(facets) == 1
