"""RDF files: formats, bases, blank nodes, dateTimes, and nothing fetched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, serialize
from pyoxigraph import parse as parse_rdf

from oam_rdf.errors import Forbidden, OamError, ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.model import ParsedDocument


def read(text: str, path: str) -> ParsedDocument:
    return parse(text.encode(), path, profiles.load("default"))


def quads(document: ParsedDocument) -> str:
    """The N-Quads without the comments about places."""
    return "".join(line + "\n" for line in document.rdf.splitlines() if not line.startswith("# "))


TURTLE = """@prefix : <http://e.x/> . @prefix dct: <http://purl.org/dc/terms/> .
:a dct:title "標題"@zh-Hant ; dct:description "描述。"@zh-Hant ; :b [ :c "d" ], [ :c "e" ] ; :r <part> .
"""


def test_blank_nodes_become_the_same_iris_each_time_and_relative_iris_the_documents() -> None:
    one, two = read(TURTLE, "x/data set.ttl"), read(TURTLE, "x/data set.ttl")
    assert one.rdf == two.rdf and "_:" not in one.rdf
    assert "<http://oam.localhost/doc/data%20set#genid-" in one.rdf and "<http://oam.localhost/doc/part>" in one.rdf
    assert one.id == "data set" and one.terms == ("標題",)
    (passage,) = one.passages
    assert (passage.start, passage.text, passage.language, passage.heading) == (-1, "標題\n描述。", "zh-Hant", "標題")


def test_a_blank_node_named_twice_is_one_iri() -> None:
    rdf = read("@prefix : <http://e.x/> . _:k :b _:k ; :c [] .", "f.ttl").rdf
    quads = list(parse_rdf(rdf, RdfFormat.N_QUADS))
    assert len({q.subject for q in quads}) == 1 and sum(q.subject == q.object for q in quads) == 1


def test_every_format_gives_the_same_quads() -> None:
    quad = Quad(NamedNode("http://e.x/a"), NamedNode("http://e.x/b"), Literal("c", language="zh-Hant"))
    wanted = serialize([quad], format=RdfFormat.N_QUADS)
    assert wanted is not None
    for extension, form in (("ttl", RdfFormat.TURTLE), ("trig", RdfFormat.TRIG), ("nt", RdfFormat.N_TRIPLES),
                            ("nq", RdfFormat.N_QUADS), ("rdf", RdfFormat.RDF_XML), ("jsonld", RdfFormat.JSON_LD)):  # fmt: skip
        data = serialize([quad], format=form)
        assert data is not None
        assert quads(read(data.decode(), f"f.{extension}")) == wanted.decode(), extension


def test_json_with_a_context_is_json_ld() -> None:
    text = json.dumps({"@context": {"n": "http://e.x/n"}, "@id": "http://e.x/a", "n": "v"})
    assert quads(read(text, "f.json")) == '<http://e.x/a> <http://e.x/n> "v" .\n'


@pytest.mark.parametrize("extension", ["nt", "nq"])
def test_hazard_43_a_relative_iri_in_a_line_format_is_refused(extension: str) -> None:
    with pytest.raises(ParseError) as caught:
        read('<http://e.x/a> <http://e.x/b> "c" .\n<rel/a> <http://e.x/b> "c" .\n', f"f.{extension}")
    assert caught.value.place.startswith(f"f.{extension}:2") and caught.value.hint == "write absolute IRIs"


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=40))
@settings(max_examples=100, deadline=None)
def test_hazard_45_literals_survive(value: str) -> None:
    quad = Quad(NamedNode("http://e.x/a"), NamedNode("http://e.x/b"), Literal(value))
    data = serialize([quad], format=RdfFormat.TURTLE)
    assert data is not None
    document = parse(data, "f.ttl", profiles.load("default"))
    assert list(parse_rdf(document.rdf, RdfFormat.N_QUADS)) == [quad]


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        ("2026-07-31T00:00:00Z", True),
        ("2026-07-31T00:00:00+08:00", True),
        ("2026-07-31T00:00:00", False),
        ("2026-7-31", False),
        ("31 July", False),
    ],
)
def test_hazard_46_naive_datetimes_are_refused_with_their_line(value: str, fine: bool) -> None:
    text = f'@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n<http://e.x/a> <http://e.x/t>\n"{value}"^^xsd:dateTime .\n'
    if fine:
        assert value in read(text, "f.ttl").rdf
    else:
        with pytest.raises(ParseError) as caught:
            read(text, "f.ttl")
        assert caught.value.place.startswith("f.ttl:3")


@pytest.mark.parametrize(
    "context",
    ["file:///etc/passwd", "http://169.254.169.254/", ["http://127.0.0.1:9/c"], {"@import": "http://127.0.0.1:9/c"},
     {"t": {"@id": "http://e.x/t", "@context": "file:///etc/passwd"}}],
)  # fmt: skip
def test_hazard_58_contexts_are_never_fetched(context: object) -> None:
    with pytest.raises(Forbidden) as caught:
        read(json.dumps({"@context": context, "a": {"t": "x"}}), "f.jsonld")
    assert caught.value.place == "f.jsonld:1"


@pytest.mark.parametrize("text", ["", "   ", "@prefix : <http://e.x/> .", "<http://e.x/a> <b", "{", "[" * 50_000])
@pytest.mark.parametrize("extension", ["ttl", "jsonld", "nq", "rdf"])
def test_bad_rdf_is_a_clear_error(text: str, extension: str) -> None:
    with pytest.raises(OamError) as caught:
        read(text, f"f.{extension}")
    assert caught.value.place.startswith(f"f.{extension}") and caught.value.hint


def test_external_entities_are_not_read() -> None:
    text = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://e.x/">'
        '<rdf:Description rdf:about="http://e.x/a"><x:b>&e;</x:b></rdf:Description></rdf:RDF>'
    )
    try:
        assert "root:" not in read(text, "f.rdf").rdf
    except ParseError as error:
        assert error.place.startswith("f.rdf")


# -- visibility ------------------------------------------------------------------------------------------------------

HEAD = """@prefix oam: <https://w3id.org/oam/ns#> . @prefix vis: <https://w3id.org/oam/visibility/> .
@prefix dcterms: <http://purl.org/dc/terms/> . @prefix : <http://e.x/> . @prefix doc: <http://oam.localhost/doc/> .
"""


@pytest.mark.parametrize(
    ("said", "level"),
    [
        ("", ""),
        (":a oam:visibility vis:INTERNAL .", "INTERNAL"),
        (":g { :a :b :c } :g oam:visibility vis:CONFIDENTIAL .", "CONFIDENTIAL"),
        (":g { :a :b :c . :a oam:visibility vis:INTERNAL } :d oam:visibility vis:PUBLIC .", "INTERNAL"),
        (':a oam:visibility "internal" .', "INTERNAL"),
        (":a <http://other.x/visibility> :Internal .", "INTERNAL"),
        (':a dcterms:accessRights "內部" .', "INTERNAL"),
        (":a oam:visibility vis:INTERNAL , vis:RESTRICTED .", "RESTRICTED"),
        (":a oam:visibility :nobody .", "RESTRICTED"),
        (":a oam:visibility [ :x 1 ] .", "RESTRICTED"),
        ("# visibility: internal\n:a :b 1 .", "INTERNAL"),
    ],
)
def test_the_narrowest_visibility_anywhere_in_the_file_holds_for_it(said: str, level: str) -> None:
    document = read(f"{HEAD}:x :y :z .\n{said}", "f.trig")
    assert document.document.visibility == level
    reported = [i for i in document.issues if "visibility" in i.message]
    assert bool(reported) == ("nobody" in said or "[" in said) and all(i.line for i in reported if "nobody" in said)


def test_a_key_of_json_ld_that_no_context_explains_counts_too() -> None:
    text = json.dumps({"@context": {"n": "http://e.x/n"}, "@id": "http://e.x/a", "n": "v", "visibility": "internal"})
    assert read(text, "f.jsonld").document.visibility == "INTERNAL"


@pytest.mark.parametrize("name", ["assertion", "assertion/internal", "provenance", "annotation/import"])
@pytest.mark.parametrize("base", ["http://oam.localhost/", "https://elsewhere.example/kb/"])
def test_graphs_of_a_knowledge_base_are_to_be_loaded(name: str, base: str) -> None:
    for text in (f"<{base}graph/D/{name}> {{ <http://e.x/a> <http://e.x/b> 1 }}",
                 f"<{base}graph/D/{name}> <http://e.x/b> 1 ."):  # fmt: skip
        with pytest.raises(ParseError) as caught:
            read(f"\n{text}", "f.trig")
        assert "oam load" in caught.value.hint and caught.value.place == "f.trig:2"


# -- which document it is --------------------------------------------------------------------------------------------

OWN = """doc:TTL-1 a oam:Document ; dcterms:identifier "TTL-1" ; dcterms:title "A title"@en ; oam:alias "T1" .
<http://oam.localhost/doc/TTL-1#S1> a oam:Statement ; dcterms:identifier "TTL-1#S1" ;
  dcterms:isPartOf doc:TTL-1 ; oam:content "It holds."@en ; oam:noSource "said so" ;
  oam:epistemicState <https://w3id.org/oam/epistemic-state/SOURCE_CLAIM> .
<http://oam.localhost/ko/KO-9> a oam:Statement ; dcterms:identifier "KO-9" ;
  dcterms:isPartOf doc:TTL-1 ; oam:content "Corpus-wide."@en ; oam:noSource "said so" ;
  oam:epistemicState <https://w3id.org/oam/epistemic-state/SOURCE_CLAIM> .
"""


def test_the_document_that_a_file_describes_is_the_document() -> None:
    document = read(HEAD + OWN, "x/some file.ttl")
    head = document.document
    assert (document.id, head.title, head.language, head.aliases, head.line) == ("TTL-1", "A title", "en", ("T1",), 3)
    assert "some%20file" not in document.rdf
    assert {p.object: p.text for p in document.passages} == {"": "A title", "S1": "It holds.", "KO-9": "Corpus-wide."}


def test_a_relative_document_gets_the_iri_of_its_identifier_and_its_parts_follow() -> None:
    document = read(
        HEAD + '<> a oam:Document ; dcterms:identifier "D 2" ; dcterms:title "T" .\n<#S1> :of <> .', "f.ttl"
    )
    assert document.id == "D 2" and "doc/f" not in document.rdf
    assert "<http://oam.localhost/doc/D%202#S1> <http://e.x/of> <http://oam.localhost/doc/D%202> ." in document.rdf
    assert "# 4 <http://oam.localhost/doc/D%202#S1>" in document.rdf


def test_a_document_elsewhere_keeps_its_terms_and_its_iri_as_an_alias() -> None:
    document = read(
        HEAD + '<http://e.x/o> a oam:Document ; dcterms:identifier "O" .\n<http://e.x/o#C> :in <http://e.x/o> .',
        "f.ttl",
    )
    assert document.id == "O" and document.document.aliases == ("http://e.x/o",)
    assert "<http://e.x/o#C> <http://e.x/in> <http://oam.localhost/doc/O> ." in document.rdf


def test_several_documents_or_none_leave_the_file_its_own_name() -> None:
    two = '<http://e.x/1> a oam:Document ; dcterms:identifier "A" . <http://e.x/2> a oam:Document ; dcterms:identifier "B" .'
    for text in (two, ":a :b :c ."):
        assert read(HEAD + text, "f.ttl").id == "f"
    assert read(HEAD + OWN + two, "f.ttl").id == "TTL-1", "the one under the base"


def test_blank_nodes_have_the_same_iris_in_any_order() -> None:
    lines = [
        ":a :b [ :c 1 ; :d [ :e 2 ] ] .",
        ":a :b [ :c 1 ; :d [ :e 3 ] ] .",
        ":a :l ( 1 1 2 ) .",
        "_:x :k _:y . _:y :k _:x .",
    ]
    one, other = (read("@prefix : <http://e.x/> .\n" + "\n".join(order), "f.ttl").rdf for order in (lines, lines[::-1]))
    plain = [sorted(line for line in rdf.split("\n") if not line.startswith("#")) for rdf in (one, other)]
    assert plain[0] == plain[1] and len(plain[0]) == 18
    more = read("@prefix : <http://e.x/> .\n:z :b [ :c 9 ] .\n" + "\n".join(lines), "f.ttl").rdf
    assert set(plain[0]) <= set(more.split("\n")), "what is said elsewhere does not rename them"


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2, st.integers(0, 1)), min_size=1, max_size=8), st.randoms())
@settings(max_examples=100, deadline=None)
def test_isomorphic_files_give_the_same_quads(edges: list[tuple[int, int, int]], random: Any) -> None:
    names = list(range(5))
    random.shuffle(names)
    shuffled = list(edges)
    random.shuffle(shuffled)
    found = []
    for order, name in ((edges, list(range(5))), (shuffled, names)):
        text = "".join(f"_:n{name[a]} <http://e.x/p{p}> _:n{name[b]} .\n" for a, b, p in order)
        found.append(read(text, "f.nt").rdf)
    assert found[0] == found[1]


def test_a_file_made_to_hurt_is_named_in_time() -> None:
    nodes = range(40)
    text = "".join(f"_:n{a} <http://e.x/p> _:n{b} .\n" for a in nodes for b in nodes if a != b)
    assert "_:" not in read(text, "f.nt").rdf


def test_what_has_no_place_is_reported() -> None:
    document = read("@prefix : <http://e.x/> .\n:g { :a :b :c . :a :says <<( :x :y :z )>> }", "f.trig")
    assert [i.code for i in document.issues] == ["only-in-original", "only-in-original"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("f.ttl", "@prefix k: <http://e.x/> .\n\nk:other k:of k:a .\nk:a k:b 1 ."),
        ("f.trig", "PREFIX k: <http://e.x/>\nk:g {\n  k:o k:of k:q .\n  k:a k:b 1 .\n}"),
        ("f.nt", "\n\n\n<http://e.x/a> <http://e.x/b> \"1\" ."),
        ("f.jsonld", '{"@context": {"k": "http://e.x/"},\n\n\n"@id": "k:a", "k:b": 1}'),
        ("f.rdf", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n xmlns:k="http://e.x/">\n\n'
                  '<rdf:Description rdf:about="http://e.x/a" k:b="1"/></rdf:RDF>'),
    ],
)  # fmt: skip
def test_each_subject_has_its_line(path: str, text: str) -> None:
    assert "# 4 <http://e.x/a>\n" in read(text, path).rdf


def test_a_refused_statement_is_named_with_its_line_and_an_internal_file_stays_internal(tmp_path: Path) -> None:
    base = KnowledgeBase.init(tmp_path / "kb")
    sources = tmp_path / "in"
    sources.mkdir()
    (sources / "good.ttl").write_text(HEAD + OWN + "doc:TTL-1 oam:visibility vis:INTERNAL .\n")
    bad = "\n\ndoc:B#x a oam:Document .\n".replace("doc:B#x", "<http://oam.localhost/doc/B>")
    nothing = "<http://oam.localhost/doc/B#S1> a oam:Statement ; dcterms:isPartOf <http://oam.localhost/doc/B> .\n"
    (sources / "bad.ttl").write_text(
        HEAD + bad + '<http://oam.localhost/doc/B> dcterms:identifier "B" ; dcterms:title "B" .\n' + nothing
    )
    report = base.ingest([sources], IngestOptions(workers=1))
    refused = [i for i in report.issues if i.severity == "error"]
    assert refused and {(i.file, i.line) for i in refused} == {("bad.ttl", 7)}
    found, _ = base.sparql(
        "SELECT ?d WHERE { ?d a <https://w3id.org/oam/ns#Document> }", format="tsv", clearance="INTERNAL")  # fmt: skip
    assert found.decode().split() == ["?d", "<http://oam.localhost/doc/TTL-1>"]
    found, _ = base.sparql("SELECT ?s WHERE { ?s ?p ?o }", format="tsv", clearance="PUBLIC")
    assert "TTL-1" not in found.decode()
    assert not base.search("It holds", clearance="PUBLIC").to_json()["results"]
    (hit,) = base.search("It holds", clearance="INTERNAL").to_json()["results"][:1]
    assert "TTL-1#S1" in json.dumps(hit)
