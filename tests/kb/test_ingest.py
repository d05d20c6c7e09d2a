"""What an ingest does to a knowledge base: idempotence, edits, renames, removals, collisions, refusals."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from kb_world import World

from oam_rdf.errors import UsageError
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology
from oam_rdf.store.shapes_extract import changed_since

FIVE = """---
id: TIDES
title: On tides
---

# On tides

The Moon raises two bulges of water on opposite sides of the Earth. Spring tides come at new moon and at full moon.
The Sun raises a tide of its own that is less than half as high. In the Bay of Fundy the range reaches sixteen metres.
A tide mill grinds while the basin runs empty.
"""


def test_the_same_input_twice_changes_nothing(world: World) -> None:
    world.write("tides.md", FIVE)
    first = world.ingest()
    assert (first.added, first.revision, first.balanced) == (1, 1, True)
    second = world.ingest()
    assert (second.unchanged, second.revision, second.content_hash) == (1, 1, first.content_hash)
    assert second.generation is None


def test_one_of_five_statements_is_edited(world: World) -> None:
    path = world.write("tides.md", FIVE)
    world.ingest(statements="all")
    before = dict(world.select("SELECT ?i ?c { ?s a oam:Statement ; dcterms:identifier ?i ; oam:content ?c }"))
    assert len(before) == 5
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))
    time.sleep(1.1)
    path.write_text(FIVE.replace("sixteen metres", "seventeen metres at most"))
    report = world.ingest(statements="all")
    assert report.changed == 1
    after = dict(world.select("SELECT ?i ?c { ?s a oam:Statement ; dcterms:identifier ?i ; oam:content ?c }"))
    assert set(after) == set(before)  # the edited one keeps its id too
    assert sum(after[key] != before[key] for key in before) == 1
    diff = world.kb.diff("TIDES")
    assert (diff.count("changed"), diff.count("added"), diff.count("removed")) == (1, 0, 0)
    assert diff.unchanged >= 4  # headings are compared as well
    now = world.kb.search("range in the Bay of Fundy", k=1).results[0]
    then = world.kb.search("range in the Bay of Fundy", k=1, as_of=moment).results[0]
    assert "seventeen" in now.snippet
    assert "sixteen" in then.snippet
    assert "seventeen" not in then.snippet


def test_a_renamed_file_keeps_its_id(world: World) -> None:
    world.write("first.md", "# Sundials\n\nA gnomon casts the shadow.\n")
    world.ingest()
    (identifier,) = world.select("SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }")
    (world.sources / "first.md").rename(world.sources / "second.md")
    report = world.ingest()
    assert (report.renamed, report.added, report.vanished) == (1, 0, [])
    assert world.select("SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }") == [identifier]
    assert world.select("SELECT ?p { ?g oam:sourcePath ?p }") == [("second.md",)]


def test_a_vanished_source_is_reported_and_pruned_only_on_demand(world: World) -> None:
    world.write("keep.md", "# Keep\n\nThis one stays.\n")
    path = world.write("gone.md", "# Gone\n\nThis one goes.\n")
    world.ingest()
    path.unlink()
    report = world.ingest()
    assert (report.vanished, report.pruned, report.revision) == (["gone.md"], 0, 1)
    report = world.ingest(prune=True)
    assert report.pruned == 1
    assert world.select("SELECT ?t { ?d a oam:Document ; dcterms:title ?t ; oam:versionStatus vs:DEPRECATED }") == [
        ("Gone",)
    ] or (
        world.select("SELECT ?t { ?d a oam:Document ; dcterms:title ?t ; oam:versionStatus vs:DEPRECATED }")[0][
            0
        ].startswith("Gone")
    )
    assert world.ingest(prune=True).pruned == 0
    assert world.kb.doctor().clean


def test_two_files_that_claim_one_id_are_a_collision(world: World) -> None:
    world.write("a.md", "---\nid: SAME\n---\n# A\n\nOne.\n")
    world.write("b.md", "---\nid: SAME\n---\n# B\n\nTwo.\n")
    report = world.ingest()
    assert (report.added, report.refused, report.exit_code) == (1, 1, 1)
    (issue,) = [issue for issue in report.issues if issue.code == "id-collision"]
    assert issue.file == "b.md"
    assert "a.md" in issue.message


def test_a_corpus_wide_id_defined_twice_is_a_collision_with_both_places(world: World) -> None:
    world.write("a.md", "# A\n\n**KINV-00042**: the count is stable over replays.\n")
    world.write("b.md", "# B\n\nIntro.\n\n**KINV-00042**: another claim altogether.\n")
    report = world.ingest()
    assert report.refused == 1
    (issue,) = [issue for issue in report.issues if issue.code == "id-collision"]
    assert issue.file == "b.md"
    assert issue.line == 5
    assert "a.md:3" in issue.message


def test_a_refused_document_names_line_node_and_shape_and_the_others_land(world: World) -> None:
    world.write("good.md", "# Good\n\nThis lands.\n")
    world.write(
        "bad.md",
        "# Bad\n\n**Claim C1.** All swans are white.\n\n- valid_from:: 2020-01-01\n- deprecated_at:: 2010-01-01\n",
    )
    report = world.ingest()
    assert (report.added, report.refused, report.exit_code) == (1, 1, 1)
    (issue,) = [issue for issue in report.issues if issue.severity == "error"]
    assert (issue.file, issue.line) == ("bad.md", 3)
    assert "#C1>" in issue.message
    assert "shape" in issue.message
    strict = world.ingest(strict=True)
    assert strict.refused == 1


def test_the_order_of_ingest_never_decides_what_lands(worlds: Callable[[str], World]) -> None:
    claim = "---\nid: SWANS\n---\n# Swans\n\n**Claim C1.** All swans are white.\n\n- state:: REFUTED\n"
    counter = (
        "---\nid: PERTH\n---\n# Perth\n\n**Counterexample X1.** The swans of Perth are black.\n\n"
        "- counterexample_to:: [[SWANS#C1]]\n- role:: COUNTEREXAMPLE\n"
    )
    hashes = []
    for name, order in (
        ("together", ()),
        ("claim first", (claim, counter)),
        ("counterexample first", (counter, claim)),
    ):
        world = worlds(name)
        for number, text in enumerate(order):
            world.write(f"{'swans' if text is claim else 'perth'}.md", text)
            report = world.ingest()
            assert report.refused == 0, report.issues
            # Alone, the refuted claim lands with a warning that says what it waits for.
            assert (report.exit_code == 1) is (text is claim and number == 0)
        world.write("swans.md", claim)
        world.write("perth.md", counter)
        hashes.append(world.ingest().content_hash)
        assert world.kb.validate().exit_code == 0
    assert len(set(hashes)) == 1


def test_strict_lands_nothing(world: World) -> None:
    world.write("good.md", "# Good\n\nThis would land.\n")
    world.write(
        "bad.md",
        "# Bad\n\n**Claim C1.** All swans are white.\n\n- valid_from:: 2020-01-01\n- deprecated_at:: 2010-01-01\n",
    )
    report = world.ingest(strict=True)
    assert (report.added, report.refused, report.revision, report.balanced) == (0, 2, 0, True)


def test_a_document_read_again_keeps_how_its_statements_were_cut(world: World) -> None:
    world.write("new.md", "---\nid: NEW\nsupersedes: OLD\n---\n# New\n\nOne plain sentence. Another plain one.\n")
    world.ingest(statements="all")
    statements = "SELECT ?s { ?s a oam:Statement }"
    count = len(world.select(statements))
    world.write("old.md", "---\nid: OLD\n---\n# Old\n\nThe older text.\n")
    assert world.kb.ingest([world.sources / "old.md"], IngestOptions(workers=1)).relinked == 1
    # Said to be cut as before: asked for that again, nothing changes; asked for the default, it is cut anew.
    report = world.kb.ingest([world.sources / "new.md"], IngestOptions(workers=1, statements="all"))
    assert (report.unchanged, report.changed) == (1, 0)
    assert world.kb.ingest([world.sources / "new.md"], IngestOptions(workers=1)).changed == 1
    assert len(world.select(statements)) < count


def test_a_dry_run_writes_nothing(world: World) -> None:
    world.write("good.md", "# Good\n\nThis would land.\n")
    report = world.ingest(dry_run=True)
    assert (report.added, report.revision) == (1, 0)
    assert not list(world.kb.layout.originals.rglob("*.md"))


def test_a_reference_resolves_when_its_target_arrives(worlds: Callable[[str], World]) -> None:
    later = "---\nid: NEW\nsupersedes: OLD\n---\n# New\n\nThe newer text.\n"
    old = "---\nid: OLD\n---\n# Old\n\nThe older text.\n"
    one, two = worlds("one"), worlds("two")
    one.write("new.md", later)
    assert one.ingest().unresolved == 1
    one.write("old.md", old)
    report = one.ingest()
    assert report.relinked == 1
    edges = "SELECT ?a ?b { ?x oam:supersedes ?y . ?x dcterms:identifier ?a . ?y dcterms:identifier ?b }"
    assert one.select(edges) == [("NEW", "OLD")]
    two.write("new.md", later)
    two.write("old.md", old)
    # Two ways to the same state have the same hash.
    assert two.ingest().content_hash == report.content_hash


def test_a_cycle_of_supersedes_lands_with_a_warning(world: World) -> None:
    for name, other in (("A", "B"), ("B", "C"), ("C", "A")):
        world.write(f"{name}.md", f"---\nid: {name}\nsupersedes: {other}\n---\n# {name}\n\nText of {name}.\n")
    report = world.ingest()
    assert (report.added, report.exit_code) == (3, 1)
    assert world.kb.versions("A").conflict == "VERSION_CONFLICT"
    assert world.kb.navigate("A", "VERSION.LATEST").conflict == "VERSION_CONFLICT"


def test_ids_of_han_and_symbols_never_collide(world: World) -> None:
    titles = ("資料庫", "圖神經網路", "🌟", "C++", "C#")
    for number, title in enumerate(titles):
        world.write(f"{number}.md", f"---\ntitle: '{title}'\n---\n\n第 {number} 篇的正文。\n")
    assert world.ingest().added == len(titles)
    found = world.select("SELECT DISTINCT ?d { ?d a oam:Document }")
    assert len(found) == len(titles)


@pytest.mark.parametrize(
    "title", ['x") } UNION { ?s <http://e.x/secret> ?o FILTER(?o != "`', 'He said "hi"\\nC:\\temp\\ ends "']
)
def test_a_title_full_of_syntax_is_text(world: World, title: str) -> None:
    quoted = title.replace("'", "''")
    world.write("a.md", f"---\nid: ODD\ntitle: '{quoted}'\n---\n\nBody.\n")
    world.ingest()
    for fmt in ("turtle", "trig", "nquads", "jsonld"):
        assert world.kb.export("ODD", fmt)
    body, _ = world.kb.sparql("SELECT ?t { ?d a oam:Document ; dcterms:title ?t }", format="json")
    import json

    assert json.loads(body)["results"]["bindings"][0]["t"]["value"] == title


@pytest.mark.parametrize("together", [True, False])
def test_an_id_that_is_a_documents_own_is_a_mention_elsewhere(world: World, together: bool) -> None:
    world.write("a.md", "---\nid: NOTE-1\n---\n# A\n\nNOTE-0002: what the next note will be about.\n")
    if not together:
        assert world.ingest().refused == 0
        assert world.select("SELECT ?i { ?s a oam:Statement ; dcterms:identifier ?i }") == [("NOTE-0002",)]
    world.write("b.md", "---\nid: NOTE-0002\n---\n# B\n\nHere it is.\n")
    assert world.ingest().refused == 0
    assert world.kb.versions("NOTE-0002").versions[0].title == "B"
    assert world.select("SELECT ?i { ?s a oam:Statement ; dcterms:identifier ?i }") == [("NOTE-1#NOTE-0002",)]


def test_an_unbroken_query_finds_the_passage_that_holds_it_as_written(world: World) -> None:
    # Without the rule the parts win: they occur more often, and in a shorter text.
    parts = "user.py profile.py: user profile py, " * 6
    world.write("parts.md", f"---\nid: PARTS\n---\n# One\n\n{parts}\n")
    filler = "Many other words stand here that speak of files, of folders and of how they are named. " * 6
    world.write("whole.md", f"---\nid: WHOLE\n---\n# Two\n\n{filler}Then user_profile.py is read. {filler}\n")
    for number in range(6):
        world.write(
            f"other{number}.md", f"---\nid: OTHER-{number}\n---\n# Other\n\nA user has a profile, number {number}.\n"
        )
    world.ingest()
    first, second = world.kb.search("user_profile.py", k=2, route="SPARSE_ONLY").results
    assert (first.document, second.document) == ("WHOLE", "PARTS")
    assert first.ranks["lexical"] == 1


def test_tags_stay_while_the_text_stays(world: World) -> None:
    from oam_rdf.annotate.run import AnnotateOptions

    path = world.write(
        "a.md",
        "---\nid: A\n---\n# A\n\nA prime is defined as a number with exactly two divisors. For example, 7 is one.\n",
    )
    world.ingest()
    world.kb.annotate(AnnotateOptions())
    count = "SELECT (COUNT(DISTINCT ?t) AS ?n) { ?t oa:hasTarget ?o }"
    before = world.select(count)
    assert before != [("0",)]
    path.rename(world.sources / "b.md")
    assert world.ingest().renamed == 1
    assert world.select(count) == before
    (world.sources / "b.md").write_text("---\nid: A\n---\n# A\n\nNothing of the kind.\n")
    world.ingest()
    assert world.select(count) != before
    assert world.kb.doctor().clean


@pytest.mark.parametrize("said", ['"abc"', "2.5", "-1", "99999999", '"' + 5000 * "9" + '"'])
def test_what_a_source_says_of_revisions_is_only_said(world: World, said: str) -> None:
    world.write("b.md", "---\nid: B\n---\n# Lamp\n\nThe lamp burns.\n")
    world.ingest()
    (graph,) = (row[0] for row in world.select("SELECT DISTINCT ?g { ?g oam:atRevision ?r }"))
    world.write(
        "a.ttl",
        "@prefix oam: <https://w3id.org/oam/ns#> .\n"
        f'<http://e.test/x> oam:revision {said} ; <http://purl.org/dc/terms/title> "X"@en ; oam:atRevision {said} .\n',
    )
    assert world.ingest().landed == 1
    world.write("b.md", "---\nid: B\n---\n# Lamp\n\nThe lamp burns oil.\n")
    third = world.ingest()
    assert (third.revision, third.generation is not None) == (3, True)
    with world.kb.snapshot() as snapshot:
        changed, now = changed_since(snapshot.store, 2)
        assert now == 3
        assert graph in {node.value for node in changed}
        with pytest.raises(UsageError, match="not reached"):
            changed_since(snapshot.store, 4)
    assert world.kb.doctor().clean


@pytest.mark.parametrize("said", ['"abc"', "2.5", '"' + 5000 * "9" + '"'])
def test_the_round_of_an_audit_that_is_no_number_stops_nobody(world: World, said: str) -> None:
    world.write(
        "a.ttl",
        "@prefix oam: <https://w3id.org/oam/ns#> .\n"
        "<http://e.test/audit> oam:recordedIn <http://e.test/d> ; oam:auditSource <http://e.test/a> ;\n"
        f'  oam:auditTarget <http://e.test/b> ; oam:auditVerdict "ok" ; oam:round {said} .\n',
    )
    assert world.ingest().landed == 1
    world.write("b.md", "# Lamp\n\nThe lamp burns.\n")
    assert (world.ingest().revision, world.kb.doctor().clean) == (2, True)


@pytest.mark.parametrize("said", ['"abc"', "2.5", "<http://e.test/x>", '"' + 5000 * "9" + '"'])
def test_whatever_a_source_says_with_our_words_the_next_ingest_is_published(world: World, said: str) -> None:
    """Each property of the vocabulary with a value of no kind: refused, or landed and harmless."""
    words = sorted(term for term in Ontology.load().terms if term.removeprefix(OAM)[0].islower())
    for number, word in enumerate(words):
        name = f'<http://purl.org/dc/terms/title> "entry {number}"@en'
        world.write(f"{number}.ttl", f"<http://e.test/{number}> <{word}> {said} ; {name} .\n")
    report = world.ingest()
    assert report.landed + report.refused == len(words)
    assert report.landed > 100
    world.write("b.md", "# Lamp\n\nThe lamp burns.\n")
    assert (world.ingest().revision, world.kb.doctor().clean) == (report.revision + 1, True)
    assert world.kb.search("lamp").results[0].document
    assert world.kb.status().quads
