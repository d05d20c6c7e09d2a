"""What people do to a whole knowledge base: invalidate, assess, decide; and that it outlives what machines do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tcf_samples
from kb_world import World

from oam_rdf.analysis.decide import Ruling, decide
from oam_rdf.analysis.queue import Entry
from oam_rdf.annotate.run import AnnotateOptions
from oam_rdf.errors import NotFound, Refused, UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.vocabulary.named import named_queries, named_query

HEAT = """---
id: A
title: Caloric
---
# Caloric

**Hypothesis H1.** Heat is a fluid.

**Claim C1.** The fluid is conserved.

- depends_on:: [[A#H1]]

**Claim C2.** A cooled body gives fluid off. For example, iron does.

- depends_on:: [[A#C1]]
"""
ENGINES = """---
id: B
title: Engines
---
# Engines

**Claim E1.** An engine needs a cold body.

- derived_from:: [[A#C2]]

**Claim E2.** Work was measured.

- supports:: [[B#E1]]

**Claim X1.** Boring makes heat without end.

- counterexample_to:: [[A#H1]]
"""


@pytest.fixture
def heat(world: World) -> World:
    world.write("a.md", HEAT)
    world.write("b.md", ENGINES)
    assert world.ingest().exit_code == 0
    return world


def refute(world: World) -> None:
    world.kb.curation.set_state("A#H1", "REFUTED", by="ann", reason="heat without end", evidence=["B#X1"])


def waiting(world: World, *kinds: str) -> dict[str, str]:
    """Id -> key of what waits."""
    return {entry.id: entry.key for entry in world.kb.curation.queue(kinds)}


def test_apply_flags_with_both_paths_and_undo_restores_the_hash(heat: World) -> None:
    refute(heat)
    before, states = heat.kb.status().content_hash, heat.select("SELECT ?o ?s { ?o oam:epistemicState ?s } ORDER BY ?o")
    done = heat.kb.curation.invalidate("A#H1", by="ann", reason="its basis fell")
    assert set(waiting(heat, "NEEDS_REVIEW")) == {"A#C1", "A#C2", "B#E1"}
    (flag,) = heat.kb.curation.flags("B#E1")
    assert [edge.target.rpartition("/")[2] for edge in flag.path] == ["A#C1", "A#C2", "B#E1"]
    assert [iri.rpartition("/")[2] for iri in flag.alternatives] == ["B#E2"]
    assert heat.kb.status().content_hash != before
    assert heat.select("SELECT ?o ?s { ?o oam:epistemicState ?s } ORDER BY ?o") == states, "no state changes by itself"
    assert heat.kb.validate().report.conforms and heat.kb.doctor().clean
    activity = "SELECT ?a ?u ?r { ?run prov:wasAssociatedWith ?a ; prov:used ?u ; oam:reason ?r ; prov:endedAtTime ?t }"
    assert heat.select(activity) == [
        ("http://oam.localhost/agent/ann", "http://oam.localhost/doc/A#H1", "its basis fell")
    ]
    assert heat.kb.curation.invalidate("A#H1", by="ann").objects == (), "what is flagged is not flagged again"
    assert len(heat.kb.curation.undo(done.run, by="bob").objects) == 3
    assert heat.kb.status().content_hash == before and not waiting(heat, "NEEDS_REVIEW")
    with pytest.raises(NotFound):
        heat.kb.curation.undo(done.run, by="bob")


def test_what_stands_is_previewed_and_not_flagged(heat: World) -> None:
    assert len(heat.kb.curation.impact("A#H1").dependants) == 3
    with pytest.raises(Refused, match="neither superseded"):
        heat.kb.curation.invalidate("A#H1", by="ann")
    refute(heat)
    with pytest.raises(UsageError, match="answers for it"):
        heat.kb.curation.invalidate("A#H1", by=" ")


def test_flags_outlive_reingest_and_a_looked_at_object_is_flagged_again_only_by_a_later_run(heat: World) -> None:
    refute(heat)
    heat.kb.curation.invalidate("A#H1", by="ann")
    heat.write("b.md", ENGINES + "\nA line more.\n")
    heat.ingest()
    keys = waiting(heat, "NEEDS_REVIEW")
    assert set(keys) == {"A#C1", "A#C2", "B#E1"} and heat.kb.curation.flags("B#E1")[0].path
    heat.kb.curation.decide([Ruling(keys["B#E1"], "accept", "bob", reason="E2 bears it")])
    assert set(waiting(heat, "NEEDS_REVIEW")) == {"A#C1", "A#C2"}
    heat.write("b.md", ENGINES)
    heat.ingest()
    assert set(waiting(heat, "NEEDS_REVIEW")) == {"A#C1", "A#C2"}
    heat.kb.curation.set_state("A#C2", "REFUTED", by="ann", reason="x", evidence=["experiment | failed | own bench"])
    heat.kb.curation.invalidate("A#C2", by="ann")
    assert "B#E1" in waiting(heat, "NEEDS_REVIEW")
    assert heat.kb.doctor().clean


def test_who_may_not_see_the_path_learns_nothing_of_a_flag(world: World) -> None:
    world.write("a.md", HEAT.replace("title:", "visibility: INTERNAL\ntitle:"))
    world.write("b.md", ENGINES.replace("- derived_from:: [[A#C2]]\n", ""))
    world.write(
        "c.md",
        "---\nid: C\nvisibility: INTERNAL\n---\n# C\n\n**Claim L1.** Inner.\n\n- depends_on:: [[A#C2]]\n- supports:: [[B#E2]]\n",
    )
    world.ingest()
    refute(world)
    world.kb.curation.invalidate("A#H1", by="ann")
    assert {"B#E2", "B#E1", "C#L1"} <= set(waiting(world, "NEEDS_REVIEW"))
    with world.kb.snapshot("PUBLIC") as snapshot:
        text = "\n".join(map(str, snapshot.store))
    assert "NEEDS_REVIEW" not in text and "flag-" not in text and "doc/A" not in text
    assert world.kb.curation.queue(clearance="PUBLIC") == []
    assert world.kb.doctor().clean
    world.write("b.md", ENGINES.replace("- derived_from:: [[A#C2]]\n", "") + "\nMore.\n")
    world.ingest()
    with world.kb.snapshot("PUBLIC") as snapshot:
        assert "NEEDS_REVIEW" not in "\n".join(map(str, snapshot.store))


# -- states ---------------------------------------------------------------------------------------------------------


def test_the_table_is_enforced_and_says_what_is_missing(heat: World) -> None:
    curation = heat.kb.curation
    with pytest.raises(Refused, match="formal_proof with outcome passed; there is 0"):
        curation.set_state("A#C1", "FORMALLY_PROVED", by="ann", reason="r")
    with pytest.raises(Refused, match="2 independent pieces"):
        curation.set_state("A#C1", "REPRODUCED", by="ann", reason="r", evidence=["formal_proof | failed | x"])
    with pytest.raises(Refused, match="counterexampleTo"):
        curation.set_state("A#C1", "REFUTED", by="ann", reason="r", evidence=["B#X1"])  # it is one to H1
    with pytest.raises(UsageError, match="reason"):
        curation.set_state("A#C1", "CONJECTURE", by="ann", reason="")
    with pytest.raises(UsageError, match="answers for it"):
        curation.set_state("A#C1", "CONJECTURE", by="", reason="r")
    with pytest.raises(UsageError, match="unknown epistemic state"):
        curation.set_state("A#C1", "CERTAIN", by="ann", reason="r")
    curation.set_state("A#C1", "FORMALLY_PROVED", by="ann", reason="r", evidence=["formal_proof | passed | doi:10.1/x"])
    with pytest.raises(Refused, match="no transition leads from FORMALLY_PROVED to OBSERVATION"):
        curation.set_state("A#C1", "OBSERVATION", by="ann", reason="r")
    with pytest.raises(Refused, match="REVIEWER"):
        curation.set_state("A#C1", "CONJECTURE", by="", reason="r")
    assert heat.select("SELECT ?v { ?o dcterms:identifier 'A#C1' ; oam:verification ?v }") == [
        ("https://w3id.org/oam/verification/SOURCE_CLAIMED",)
    ]
    assert heat.kb.validate().report.conforms


def test_states_are_replaced_assessments_added_and_both_outlive_reingest_and_restore(
    heat: World, tmp_path: Path
) -> None:
    curation = heat.kb.curation
    curation.set_state("A#C1", "CONJECTURE", by="ann", reason="guess")
    curation.set_state(
        "A#C1", "FORMALLY_PROVED", by="bob", reason="proof", evidence=["formal_proof | passed | doi:10.1/x"]
    )

    def seen(kb: KnowledgeBase) -> list[tuple[str, str, str, str, tuple[str, ...]]]:
        told = kb.curation.history("A#C1")
        assert told.state == "FORMALLY_PROVED" and all(one.time for one in told.assessments)
        return [(one.before, one.state, one.agent, one.reason, one.evidence) for one in told.assessments]

    wanted = [("SOURCE_CLAIM", "CONJECTURE", "ann", "guess", ()),
              ("CONJECTURE", "FORMALLY_PROVED", "bob", "proof", ("doi:10.1/x",))]  # fmt: skip
    assert seen(heat.kb) == wanted
    one = "SELECT ?s { ?o dcterms:identifier 'A#C1' ; oam:epistemicState ?s }"
    assert len(heat.select(one)) == 1
    heat.write("a.md", HEAT + "\nOne more line.\n")
    heat.ingest()
    assert seen(heat.kb) == wanted and len(heat.select(one)) == 1
    assert heat.kb.validate().report.conforms and heat.kb.doctor().clean
    file, originals = tmp_path / "all.trig", tmp_path / "originals"
    file.write_bytes(heat.kb.export(None, "trig", originals=originals))
    with KnowledgeBase.init(tmp_path / "other") as other:
        other.load(file, originals)
        assert seen(other) == wanted and other.status().content_hash == heat.kb.status().content_hash


def test_a_sentence_that_only_a_tagger_made_an_object_keeps_its_state(world: World) -> None:
    text = "---\nid: H\ntitle: On heat\n---\n# On heat\n\nFor example, the metal of a bell trembles.\n"
    world.write("h.md", text)
    world.ingest()
    world.kb.annotate()
    query = (
        "SELECT ?id ?s { ?o prov:wasGeneratedBy ?r ; a oam:Statement ; dcterms:identifier ?id ; oam:epistemicState ?s }"
    )
    ((name, state),) = world.select(query)
    assert state.endswith("SOURCE_CLAIM")
    world.kb.curation.set_state(name, "OBSERVATION", by="ann", reason="seen")
    for edited in (text, text + "\nA last line.\n", text + "\nAnother.\n"):
        world.write("h.md", edited)
        world.ingest()
        world.kb.annotate(AnnotateOptions(again=True))
        ((_, state),) = world.select(query)
        assert state.endswith("OBSERVATION") and world.kb.doctor().clean
    assert [one.state for one in world.kb.curation.history(name).assessments] == ["OBSERVATION"]


def test_claims_are_listed_by_filter_with_all_counts(heat: World) -> None:
    refute(heat)
    curation = heat.kb.curation
    curation.set_state("A#C1", "STRUCTURAL_CONJECTURE", by="ann", reason="r")
    plain, everything = curation.claims(), {"SOURCE_CLAIM": 4, "REFUTED": 1, "STRUCTURAL_CONJECTURE": 1}
    assert plain.counts == everything and set(plain.listed) == {"SOURCE_CLAIM"} and plain.total == 4
    assert [claim.id for claim in curation.claims(filters=["only_verified", "show_refuted"]).claims] == ["A#H1"]
    assert set(curation.claims(filters=["include-conjectures"]).listed) == {"SOURCE_CLAIM", "STRUCTURAL_CONJECTURE"}
    assert curation.claims("A").counts == {"REFUTED": 1, "STRUCTURAL_CONJECTURE": 1, "SOURCE_CLAIM": 1}
    assert any(claim.id == "B#E1" for claim in curation.claims("engine needs a cold body").claims)
    with pytest.raises(UsageError, match="unknown filter"):
        curation.claims(filters=["only_true"])


def test_shipped_questions_are_answered_with_narrower_states(heat: World) -> None:
    curation = heat.kb.curation
    curation.set_state("A#C1", "STRUCTURAL_CONJECTURE", by="ann", reason="r")
    curation.set_state(
        "A#C1", "STRUCTURAL_CONJECTURE", by="ann", reason="tried", evidence=["experiment | inconclusive | bench 7"]
    )
    refute(heat)
    answers = {name: heat.select(one.text) for name, one in named_queries().items()}
    (row,) = answers["conjectures-with-experiment"]
    assert row[0].endswith("A#C1") and row[3].endswith("inconclusive")
    assert [row[1] for row in answers["refuted"]] == ["http://oam.localhost/doc/B#X1"]
    assert len(answers["state-changes"]) == 3 and answers["verified"] == []
    with pytest.raises(NotFound) as missing:
        named_query("nothing")
    assert "verified" in missing.value.hint


# -- the queue ------------------------------------------------------------------------------------------------------

TAGS = {
    "knowledge_object_id": "KO-7", "granularity": "statement", "content": "Dreams can be steered.",
    "operators": [
        {"family": "DREAM", "mode": "LUCID", "confidence": 0.9},
        {"family": "REP", "mode": "FORMALIZE", "confidence": 0.3, "annotator": "a model"},
        {"family": "META", "mode": "CRITIQUE", "confidence": 0.4, "annotator": "a model"},
    ],
    "provenance": {"source_spans": ["SPAN-1"]},
}  # fmt: skip


def operators(world: World) -> set[str]:
    rows = world.select("SELECT ?op { ?o dcterms:identifier 'KO-7' ; oam:hasOperator ?op }")
    return {row[0].rpartition("/")[2] for row in rows}


def tags(world: World) -> dict[str, bool]:
    with world.kb.snapshot() as snapshot:
        assert snapshot.tags is not None
        row = next(n for n, name in enumerate(snapshot.facets.identifiers) if name == "KO-7")
        return {tag.notation: tag.reliable for tag in snapshot.tags.own(row) if tag.scheme == "operator"}


def test_decisions_on_tags_hold_after_reingest_retagging_and_restore(world: World, tmp_path: Path) -> None:
    world.write("ko.json", json.dumps(TAGS))
    world.ingest()
    entries = world.kb.curation.queue()
    kinds = {(entry.kind, entry.concept.rpartition("/")[2]): entry.key for entry in entries}
    assert {("UNKNOWN_OPERATOR", "UNKNOWN_OPERATOR"), ("LOW_CONFIDENCE", "REP.FORMALIZE"), ("LOW_CONFIDENCE", "META.CRITIQUE"),
            ("UNANCHORED", "")} == set(kinds)  # fmt: skip
    done = world.kb.curation.decide(
        [
            Ruling(kinds["UNKNOWN_OPERATOR", "UNKNOWN_OPERATOR"], "change", "ann", "META.CONTROL"),
            Ruling(kinds["LOW_CONFIDENCE", "REP.FORMALIZE"], "accept", "ann", reason="it does"),
            Ruling(kinds["LOW_CONFIDENCE", "META.CRITIQUE"], "reject", "ann", at="2026-01-01T00:00:00+00:00"),
            Ruling(kinds["UNANCHORED", ""], "accept", "ann"),
        ]
    )
    assert done.made == 4
    after = {"META.CONTROL": True, "REP.FORMALIZE": True}

    def holds(kb_world: World) -> None:
        assert kb_world.kb.curation.queue() == []
        assert tags(kb_world) == after and operators(kb_world) == set(after)
        assert kb_world.kb.doctor().clean and kb_world.kb.validate().report.conforms

    holds(world)
    world.kb.annotate(AnnotateOptions(again=True))
    holds(world)
    edited = TAGS | {"content": "Dreams can be steered at will.", "operators": [*TAGS["operators"][::-1]]}  # type: ignore[index]
    world.write("ko.json", json.dumps(edited))
    world.ingest()
    holds(world)
    file, originals = tmp_path / "all.nq", tmp_path / "originals"
    file.write_bytes(world.kb.export(None, "nquads", originals=originals))
    (tmp_path / "w2").mkdir()
    other = World(tmp_path / "w2")
    other.kb.load(file, originals)
    holds(other)
    assert other.kb.status().content_hash == world.kb.status().content_hash
    other.kb.close()
    times = world.select("SELECT ?t { ?d a oam:ReviewDecision ; prov:generatedAtTime ?t ; prov:wasAttributedTo ?a }")
    assert len(times) == 4


def test_a_reviewer_may_think_again(world: World) -> None:
    world.write("ko.json", json.dumps(TAGS))
    world.ingest()
    key = next(e.key for e in world.kb.curation.queue(["LOW_CONFIDENCE"]) if e.concept.endswith("REP.FORMALIZE"))
    world.kb.curation.decide([Ruling(key, "reject", "ann")])
    assert "REP.FORMALIZE" not in operators(world) and "REP.FORMALIZE" not in tags(world)
    assert [entry.key for entry in world.kb.curation.queue(["LOW_CONFIDENCE"], decided=True)] == [key]
    with pytest.raises(NotFound):
        world.kb.curation.decide([Ruling(key, "accept", "bob")])
    world.kb.curation.decide([Ruling(key, "accept", "bob")], revise=True)
    assert "REP.FORMALIZE" in operators(world) and tags(world)["REP.FORMALIZE"]
    assert world.kb.doctor().clean
    world.ingest()
    assert tags(world)["REP.FORMALIZE"]


def test_another_taggers_tag_meets_the_decision(world: World) -> None:
    text = "---\nid: H\ntitle: On heat\n---\n# On heat\n\n## Examples\n\nFor example, the metal of a bell trembles.\n"
    world.write("h.md", text)
    world.ingest()
    world.kb.annotate()
    with world.kb.snapshot() as snapshot:
        found = [q for q in snapshot.store if "hasOperator" in str(q.predicate) and "ABSTRACTION.DOWN" in str(q.object)]
    assert found, "a reliable tag has its short form"
    # Reliable tags are not in the queue; a rejection written for the pair still holds for whatever run makes it.
    target, body = found[0].subject.value, found[0].object.value  # type: ignore[union-attr]
    entry = Entry("LOW_CONFIDENCE", target, "x", "", concept=body)
    with world.kb._publication("review", 5.0) as publication:
        decide(publication.live, world.kb.minter, {entry.key: entry}, [Ruling(entry.key, "reject", "ann")])
        publication.finish()
    world.kb.annotate(AnnotateOptions(again=True))
    with world.kb.snapshot() as snapshot:
        left = [q for q in snapshot.store if "hasOperator" in str(q.predicate) and "ABSTRACTION.DOWN" in str(q.object)]
        assert not [q for q in left if q.subject.value == target]  # type: ignore[union-attr]


def test_a_judged_edge_is_walked_and_stays_judged(world: World) -> None:
    for name in (*tcf_samples.EXTRACTS, *tcf_samples.PAPERS):
        world.write(name, tcf_samples.content(name))
    world.ingest()
    wait = {(e.id, e.target_id): e.key for e in world.kb.curation.queue(["UNAUDITED_EDGE"])}
    assert ("FIX-1", "ORDER-1") in wait and ("ORDER-1", "FIX-1") in wait
    assert not world.kb.navigate("FIX-1", "DEPENDENCY.UPSTREAM").nodes
    world.kb.curation.decide([
        Ruling(wait["FIX-1", "ORDER-1"], "accept", "ann", reason="it says so"),
        Ruling(wait["ORDER-1", "FIX-1"], "change", "ann", "weak"),
    ])  # fmt: skip

    def verdicts() -> set[str]:
        return {row[0].rpartition("/")[2] for row in world.select(
            "SELECT ?v { ?n oam:relationSource ?s ; oam:relationTarget ?t ; oam:verdict ?v . ?s dcterms:identifier 'FIX-1' . "
            "?t dcterms:identifier 'ORDER-1' }")}  # fmt: skip

    hashed = world.kb.status().content_hash
    assert verdicts() == {"ok"}
    assert [n.id for n in world.kb.navigate("FIX-1", "DEPENDENCY.UPSTREAM").nodes][:1] == ["ORDER-1"]
    assert world.kb.doctor().clean and world.kb.validate().report.conforms
    assert world.ingest().relinked == 0, "encoding it again would give the same"
    assert world.kb.status().content_hash == hashed
    value = tcf_samples.value("fix-1.tcf.json") | {"notes": "edited"}
    world.write("fix-1.tcf.json", json.dumps(value, ensure_ascii=False))
    world.ingest()
    again = {(e.id, e.target_id): e.key for e in world.kb.curation.queue(["UNAUDITED_EDGE"], decided=True)}
    assert set(again) == {("FIX-1", "ORDER-1"), ("ORDER-1", "FIX-1")}
    assert verdicts() == {"ok"} and ("FIX-1", "ORDER-1") not in {
        (e.id, e.target_id) for e in world.kb.curation.queue(["UNAUDITED_EDGE"])
    }
    assert [n.id for n in world.kb.navigate("FIX-1", "DEPENDENCY.UPSTREAM").nodes][:1] == ["ORDER-1"]
    world.kb.curation.decide([Ruling(again["FIX-1", "ORDER-1"], "reject", "bob")], revise=True)
    assert verdicts() == {"wrong"} and not world.kb.navigate("FIX-1", "DEPENDENCY.UPSTREAM").nodes
    assert world.kb.doctor().clean and world.kb.validate().report.conforms and world.ingest().relinked == 0


def test_a_planted_wrong_edge_reaches_three_hops_until_it_is_judged(world: World) -> None:
    """FIX-1 was said to depend on ORDER-1; two papers rest on FIX-1. Judged wrong, the edge carries nothing."""
    for name in (*tcf_samples.EXTRACTS, *tcf_samples.PAPERS):
        world.write(name, tcf_samples.content(name))
    world.write("n.md", "---\nid: N\n---\n# N\n\n- depends_on:: [[FIX-1]]\n")
    world.write("m.md", "---\nid: M\n---\n# M\n\n- depends_on:: [[N]]\n")
    world.ingest()
    wait = {(e.id, e.target_id): e.key for e in world.kb.curation.queue(["UNAUDITED_EDGE"])}
    world.kb.curation.decide([Ruling(wait["FIX-1", "ORDER-1"], "accept", "ann")])

    def concerned() -> dict[str, int]:
        found = world.kb.curation.impact("ORDER-1").dependants
        return {d.iri.rpartition("/")[2]: d.depth for d in found if d.iri.rpartition("/")[2] in ("FIX-1", "N", "M")}

    assert concerned() == {"FIX-1": 1, "N": 2, "M": 3}
    world.write("verdict.json", json.dumps({"audited": {"FIX-1->ORDER-1": {"verdict": "wrong", "round": 9}}}))
    world.ingest()
    assert concerned() == {}


def test_a_stale_file_waits_until_it_was_looked_at_or_ingested(heat: World) -> None:
    assert not waiting(heat, "STALE")
    heat.write("a.md", HEAT + "\nEdited.\n")
    (key,) = waiting(heat, "STALE").values()
    heat.kb.curation.decide([Ruling(key, "accept", "ann", reason="a typo")])
    assert not waiting(heat, "STALE")
    heat.write("a.md", HEAT + "\nEdited again.\n")
    assert set(waiting(heat, "STALE")) == {"A"}
    heat.ingest()
    assert not waiting(heat, "STALE")


def test_one_bad_ruling_and_nothing_is_written(world: World) -> None:
    world.write("ko.json", json.dumps(TAGS))
    world.ingest()
    key = world.kb.curation.queue(["LOW_CONFIDENCE"])[0].key
    revision = world.kb.status().revision
    for bad, message in (
        (Ruling("000000000000", "accept", "ann"), "waits for a decision"),
        (Ruling(key, "accept", ""), "answers for it"),
        (Ruling(key, "maybe", "ann"), "unknown decision"),
        (Ruling(key, "change", "ann", "NO.SUCH"), "no other concept"),
    ):
        with pytest.raises(UsageError, match=message):
            world.kb.curation.decide([Ruling(key, "accept", "ann"), bad])
    assert world.kb.status().revision == revision
