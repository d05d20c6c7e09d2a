"""The TCF graph of a document: laid out for people, the same in every syntax, the same in every run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from kb_world import World
from pyoxigraph import parse
from rdflib import Dataset, Graph
from rdflib.compare import isomorphic

from oam_rdf.errors import NotFound, UsageError
from oam_rdf.resources import sample_dir
from oam_rdf.store.rdf_formats import FORMATS, TRIPLES

RDFLIB = {
    "turtle": "turtle",
    "trig": "trig",
    "nquads": "nquads",
    "ntriples": "nt",
    "jsonld": "json-ld",
    "rdfxml": "xml",
}
STRANGE = """---
id: ODD.1
title: "Line one\\n} <x> . @prefix evil: <http://evil/> ."
---
# Text

**Axiom A1 (quote " and \\ and # hash).** A "quoted" \\ text with <angle> {brace} .

- depends_on [[ODD.1#T1.2]]

**Theorem T1.2.** 甲 follows from A1.

- contradicts [[Nowhere]]
"""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("tcf"))
    assert world.kb.ingest([sample_dir() / "documents"]).refused == 0
    world.write("odd.md", STRANGE)
    world.ingest()
    return world


def ids(world: World) -> list[str]:
    return [row[0] for row in world.select("SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }")]


def triples(body: bytes, fmt: str) -> set[str]:
    return {str(quad.triple) for quad in parse(body, format=FORMATS[fmt])}


def blocks(text: str) -> list[str]:
    return [block for block in text.split("\n\n") if block.strip()]


def test_every_syntax_holds_the_same_graph_and_both_libraries_read_it(sample: World) -> None:
    documents = ids(sample)
    assert len(documents) == 19
    for identifier in documents:
        said = {fmt: sample.kb.export(identifier, fmt, tcf=True) for fmt in FORMATS}
        wanted = triples(said["ntriples"], "ntriples")
        assert wanted
        reference = Graph().parse(data=said["ntriples"], format="nt")
        for fmt, body in said.items():
            assert triples(body, fmt) == wanted, (identifier, fmt)
            assert body == sample.kb.export(identifier, fmt, tcf=True)
            if fmt in TRIPLES:
                assert isomorphic(Graph().parse(data=body, format=RDFLIB[fmt]), reference), (identifier, fmt)
            else:
                dataset = Dataset().parse(data=body.decode(), format=RDFLIB[fmt])
                assert sum(1 for _ in dataset.quads()) == len(wanted)


def test_a_fresh_ingest_gives_the_same_bytes(sample: World, worlds: Callable[[str], World]) -> None:
    other = worlds("other")
    other.kb.ingest([sample_dir() / "documents"])
    other.write("odd.md", STRANGE)
    other.ingest()
    for fmt in FORMATS:
        assert other.kb.export(None, fmt, tcf=True) == sample.kb.export(None, fmt, tcf=True)
    # Of the exports that can be loaded again only the moment of the commit differs.
    one, two = (world.kb.export(None, "nquads").splitlines() for world in (sample, other))
    assert one != two
    assert [q for q in one if b"committedAt" not in q] == [q for q in two if b"committedAt" not in q]


def test_what_is_in_it_and_what_is_not(sample: World) -> None:
    text = sample.kb.export("COMBUSTION-2", "turtle", tcf=True).decode()
    for part in ("oam:epistemicState epi:REFUTED", "a oam:EpistemicAssessment", "oam:hasOperator op:SCOPE.SHIFT",
                 "a oam:OperatorTag", "oam:sourcePath \"combustion-2.md\"", "a prov:Activity", "a oam:SourceSpan"):  # fmt: skip
        assert part in text
    for part in ("atRevision", "committedAt", "ingestRoot", "inferred", "oam:refines"):
        assert part not in text
    inferred = sample.select("SELECT ?p { GRAPH ?g { ?s ?p ?o } FILTER(CONTAINS(STR(?g), '/inferred')) } LIMIT 1")
    assert inferred, "there is something inferred that could have come along"


def test_the_order_is_a_readers(sample: World) -> None:
    text = sample.kb.export("COMBUSTION-2", "turtle", tcf=True).decode()
    groups = re.findall(r"^# (.+)\n# -+$", text, re.MULTILINE)
    assert groups == ["Documents", "Sections", "Axioms", "Statements", "Originals and provenance"]
    found = blocks(text)
    heads = [block for block in found if block.startswith("# ") and "---" not in block]
    # The title in its own language above the object, else its id; its span, tags and assessment right below.
    (axiom,) = (block for block in heads if "doc:COMBUSTION-2\\#A1 a " in block)
    assert axiom.startswith("# 質量守恆\ndoc:COMBUSTION-2\\#A1 a oam:Statement ;\n\tdcterms:identifier")
    assert "\ndoc:COMBUSTION-2\\#A1.span a oam:SourceSpan" in axiom
    (hypothesis,) = (block for block in heads if "doc:COMBUSTION-2\\#H1 a " in block)
    assert hypothesis.startswith("# COMBUSTION-2#H1\n")
    assert [line.split()[0].rpartition("#")[2] for line in hypothesis.splitlines() if " a oam:" in line] == [
        "H1", "H1.span", "H1.state1",
    ]  # fmt: skip
    assert '"拉瓦節" , "氧" , "燃燒" , "質量守恆"' in text  # values as a list
    # In the order of the text, not of the ids: O1 stands before K1.
    assert text.index("\\#O1 a ") < text.index("\\#K1 a ") < text.index("\\#K2 a ")


def test_prefixes_are_those_that_are_written(sample: World) -> None:
    for identifier in ids(sample):
        text = sample.kb.export(identifier, "turtle", tcf=True).decode()
        head = re.findall(r"^@prefix ([\w-]+): ", text, re.MULTILINE)
        assert head == sorted(head) and "oam" in head
        body = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text.partition("\n\n")[2])
        body = "\n".join(line for line in body.splitlines() if not line.startswith("#"))
        assert set(re.findall(r"(?<![\w<:/.\\])([a-z-]+):[^ /]", body)) >= set(head), identifier


def test_relation_nodes_have_their_verdict_and_their_place(sample: World) -> None:
    text = sample.kb.export("s3", "turtle", tcf=True).decode()
    (block,) = (block for block in blocks(text) if block.startswith("# 三個元素的對稱群 S3"))
    assert "a oam:Relation" in block and "oam:verdict verdict:ok" in block
    text = sample.kb.export("ODD.1", "turtle", tcf=True).decode()
    assert 'oam:targetLabel "Nowhere"' in text


def test_no_title_breaks_out_of_its_comment(sample: World) -> None:
    body = sample.kb.export("ODD.1", "turtle", tcf=True)
    graph = Graph().parse(data=body, format="turtle")
    assert "http://evil/" not in {str(iri) for _, iri in graph.namespaces()}
    assert triples(body, "turtle") == triples(sample.kb.export("ODD.1", "ntriples", tcf=True), "ntriples")
    assert b"\n# Line one } <x> . @prefix evil" in body or b"\n# Line one\\n}" in body


def test_a_statement_comes_with_its_head_and_relations(sample: World) -> None:
    whole = triples(sample.kb.export("COMBUSTION-2", "ntriples", tcf=True), "ntriples")
    part = triples(sample.kb.export("COMBUSTION-2#K1", "ntriples", tcf=True), "ntriples")
    assert part < whole
    text = sample.kb.export("COMBUSTION-2#K1", "turtle", tcf=True).decode()
    for wanted in ("doc:COMBUSTION-2 a oam:Document", "# 新的說法\n", "\\#K1.span a ", "\\#K1.op1 a ", "a oam:Original",
                   "doc:COMBUSTION-2\\#O1 oam:supports doc:COMBUSTION-2\\#K1"):  # fmt: skip
        assert wanted in text
    for other in ("\\#A1 a ", "\\#O1 a ", "從稱量出發", "\\#X1"):
        assert other not in text
    several = sample.kb.export(["COMBUSTION-2#K1", "GROUP"], "nquads")
    assert b"/doc/GROUP#D1" in several and b"COMBUSTION-2#X1" not in several
    section = sample.kb.export("COMBUSTION-2#sec-57b647d6", "turtle", tcf=True).decode()
    assert "\\#A1 a " in section and "\\#K1.op1 a " in section and "\\#O1 a " not in section


def test_the_tcf_document_comes_with_its_paper(worlds: Callable[[str], World]) -> None:
    world = worlds("papers")
    world.write("p.md", "---\nid: P-1\n---\n# Paper\n\n**Claim K1.** Water is wet.\n")
    world.write("q.md", "---\nid: P-1.tcf\nderived_from: P-1\n---\n# Compressed\n\n**Axiom A1.** Wetness.\n")
    world.ingest()
    both = world.kb.export("P-1", "turtle", tcf=True).decode()
    assert "# Compressed\n" in both and "Wetness." in both and "# Paper\n" in both
    assert both.index("# Paper") < both.index("# Compressed")
    assert b"Wetness" not in world.kb.export("P-1", "turtle")
    assert b"Water" not in world.kb.export("P-1.tcf", "turtle", tcf=True)


def test_what_xml_cannot_say_is_refused_by_name(worlds: Callable[[str], World]) -> None:
    world = worlds("xml")
    world.write("a.ttl", '<http://e.x/a> <http://e.x/p/12> "x" ; <http://e.x/q> "a\\u0001b" .')
    world.ingest()
    with pytest.raises(UsageError, match=r"RDF/XML cannot write the property|U\+0001"):
        world.kb.export(None, "rdfxml", tcf=True)
    assert world.kb.export(None, "turtle", tcf=True)


def test_selections_on_the_command_line(sample: World) -> None:
    listed = sample.sources / "ids.txt"
    listed.write_text("GROUP\n\nCOMBUSTION-2#K1\nGROUP\n")
    want = sample.kb.export(["GROUP", "COMBUSTION-2#K1"], "turtle", tcf=True)
    assert sample.oam("export", "--from", str(listed), "--tcf").stdout.encode() == want
    assert sample.oam("export", "GROUP", "COMBUSTION-2#K1", "--tcf").stdout.encode() == want
    found = sample.sources / "found.json"
    found.write_text(sample.oam("search", "--json", "燃素").stdout)
    assert "COMBUSTION" in sample.oam("export", "--from", str(found), "--format", "nquads").stdout
    folder = sample.sources / "out"
    sample.oam("export", "ODD.1", "--tcf", "-o", f"{folder}/")
    assert (folder / "ODD.1.ttl").read_bytes() == sample.kb.export("ODD.1", "turtle", tcf=True)
    assert "say --all" in sample.oam("export", check=2).stderr
    assert "say --all" in sample.oam("export", "GROUP", "--all", check=2).stderr
    assert "is not" in sample.oam("export", "GROUP", "--tcf", "--format", "index.md", check=2).stderr
    with pytest.raises(NotFound):
        sample.kb.export("NO-SUCH", "turtle", tcf=True)
