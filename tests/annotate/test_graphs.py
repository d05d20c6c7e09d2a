"""Tags lie in graphs of their own, can be made again byte for byte, and touch nothing that a source or a person said."""

from __future__ import annotations

from pathlib import Path

import pytest
from annotate_world import HEAT, AnnotateWorld
from click.testing import CliRunner

from oam_rdf.annotate.rules import RuleSet
from oam_rdf.annotate.run import AnnotateOptions, Annotator
from oam_rdf.cli.annotate import annotate as command
from oam_rdf.cli.output import Context
from oam_rdf.errors import NotFound
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.resources import ontology_dir


@pytest.fixture
def heat(world: AnnotateWorld) -> AnnotateWorld:
    world.ingest()
    return world


def test_documents_sections_statements_and_new_sentences_are_tagged(heat: AnnotateWorld) -> None:
    report = heat.annotate()
    tags = {(concept, rule) for _, concept, rule in heat.tags()}
    assert {
        ("role/DEFINITION", "definitions-heading"),
        ("statement-kind/DEFINITION", "definition-naming"),
        ("epistemic-state/HYPOTHESIS", "state-of-hypothesis"),
        ("operator/ABSTRACTION.DOWN", "example-opening"),
        ("operator/TIME.HISTORICAL", "historical-date"),
    } <= tags
    assert report.minted == 3  # the definition, the example, the dated sentence; not the kettle, nor a mere suggestion
    texts = [text for (text,) in heat.select("SELECT ?c { ?o oam:content ?c }")]
    assert not [text for text in texts if "kettle" in text or "Which motion" in text]


def test_what_the_author_said_is_not_proposed_again(heat: AnnotateWorld) -> None:
    heat.annotate()
    assert ("HEAT#X1", "role/COUNTEREXAMPLE", "relation-counterexample") in heat.tags()
    heat.ingest(text=HEAT.replace("- counterexample_to", "- role:: COUNTEREXAMPLE\n- counterexample_to"))
    heat.annotate()
    assert ("HEAT#X1", "role/COUNTEREXAMPLE", "relation-counterexample") not in heat.tags()


def test_a_minted_sentence_has_the_id_it_would_have_had(heat: AnnotateWorld, tmp_path: Path) -> None:
    heat.annotate()
    query = "SELECT ?id ?c { ?o prov:wasGeneratedBy ?r ; a oam:Statement ; dcterms:identifier ?id ; oam:content ?c }"
    minted = heat.select(query)
    assert len(minted) == 3
    (tmp_path / "all").mkdir()
    everything = AnnotateWorld(tmp_path / "all")
    (everything.sources / "heat.md").write_text(HEAT, encoding="utf-8")
    everything.kb.ingest([everything.sources], IngestOptions(statements="all", workers=1))
    assert set(minted) <= set(everything.select("SELECT ?id ?c { ?o dcterms:identifier ?id ; oam:content ?c }"))
    everything.kb.close()


def test_a_state_is_proposed_and_never_set(heat: AnnotateWorld) -> None:
    heat.annotate()
    states = heat.select('SELECT ?s { ?o dcterms:identifier "HEAT#H1" ; oam:epistemicState ?s }')
    assert states == [("https://w3id.org/oam/epistemic-state/SOURCE_CLAIM",)]
    assert not heat.select("SELECT ?o { ?o oam:hasRole ?r }")


def test_other_graphs_stay_as_they_were(heat: AnnotateWorld) -> None:
    before = {part: heat.graphs(part) for part in ("/assertion", "/assessment", "/annotation/import", "/inferred")}
    heat.annotate()
    assert {part: heat.graphs(part) for part in before} == before
    assert len(heat.select("SELECT ?r { ?g oam:atRevision ?r }")) == 1


def test_the_same_rules_on_the_same_text_give_the_same_graph(heat: AnnotateWorld) -> None:
    heat.annotate()
    first, revision = heat.graphs("/annotation/"), heat.kb.status().revision
    again = heat.annotate()
    assert (again.tagged, again.unchanged, heat.kb.status().revision) == (0, 1, revision)
    heat.annotate(again=True)
    assert heat.graphs("/annotation/") == first
    assert heat.kb.status().revision == revision + 1


def test_new_rules_replace_the_graph_whole(heat: AnnotateWorld, tmp_path: Path) -> None:
    heat.annotate()
    (old,) = heat.graphs("/annotation/")
    (tmp_path / "cues").mkdir()
    (tmp_path / "cues" / "states.ttl").write_bytes((ontology_dir() / "cues" / "states.ttl").read_bytes())
    fewer = RuleSet.load(tmp_path / "cues")
    Annotator(heat.kb.layout, heat.kb.config, rules=fewer).annotate(AnnotateOptions())
    graphs = heat.graphs("/annotation/")
    assert old not in graphs and len(graphs) == 1
    assert not [triple for triples in heat.graphs("/provenance").values() for triple in triples if old in triple]
    assert heat.kb.doctor().clean


def test_everything_is_in_order_and_comes_back_from_an_export(heat: AnnotateWorld, tmp_path: Path) -> None:
    heat.annotate()
    assert heat.kb.doctor().clean
    assert heat.kb.validate().report.conforms
    file, originals = tmp_path / "all.trig", tmp_path / "originals"
    file.write_bytes(heat.kb.export(None, "trig", originals=originals))
    other = KnowledgeBase.init(tmp_path / "other")
    other.load(file, originals)
    assert other.status().content_hash == heat.kb.status().content_hash
    assert other.doctor().clean
    other.close()
    minted = next(name for name, concept, _ in heat.tags() if concept == "statement-kind/DEFINITION" and "#st-" in name)
    assert heat.kb.source(minted).to_json()
    heat.kb.reindex()
    assert heat.kb.doctor().clean


def test_an_edit_drops_the_tags_and_tagging_again_finds_the_same_ids(heat: AnnotateWorld) -> None:
    heat.annotate()
    before = heat.tags()
    heat.ingest(text=HEAT + "\nA last line that says nothing.\n")
    assert not heat.tags()  # spans of the old Original would point into the wrong text
    assert heat.kb.doctor().clean
    heat.annotate()
    assert heat.tags() == before


def test_a_restricted_document_has_restricted_tags(world: AnnotateWorld) -> None:
    world.ingest(text=HEAT.replace("title:", "visibility: INTERNAL\ntitle:"))
    world.annotate()
    assert world.tags()
    with world.kb.snapshot("PUBLIC") as snapshot:
        assert len(snapshot.store) == 0 or not [
            quad for quad in snapshot.store if "HEAT" in str(quad) or "annotation" in str(quad)
        ]
    assert world.kb.status(clearance="PUBLIC").tags["reliable"] == 0
    assert world.kb.doctor().clean


def test_coverage_counts_objects_with_a_reliable_tag(heat: AnnotateWorld) -> None:
    assert heat.kb.status().tag_coverage == 0
    heat.annotate()
    status = heat.kb.status()
    tagged = {
        target
        for (target,) in heat.select("""SELECT ?o { ?t oa:hasTarget ?o ; oam:confidence ?c FILTER(?c >= 0.6) }""")
    }
    objects = sum(status.objects.values())
    assert status.tag_coverage == pytest.approx(len(tagged) / objects, abs=1e-4)
    assert 0 < status.operator_coverage < status.tag_coverage
    assert status.to_json()["tags"]["reliable"] == status.tags["reliable"] > 0


def test_the_command_says_what_it_found_and_a_dry_run_writes_nothing(heat: AnnotateWorld) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        obj = Context(kb=str(heat.kb.layout.root), quiet=True)
        done = CliRunner().invoke(command, arguments, obj=obj, standalone_mode=False)
        assert done.exception is None or isinstance(done.exception, NotFound), done.exception
        return done.return_value if done.exception is None else 2, done.output

    revision = heat.kb.status().revision
    code, output = run("--dry-run")
    assert code == 0 and "statement-kind QUESTION (question)" in output and "nothing written" in output
    assert heat.kb.status().revision == revision and not heat.tags()
    code, output = run("heat", "--json")
    assert code == 0 and '"rule": "example-opening"' in output
    assert run("nowhere")[0] == 2
