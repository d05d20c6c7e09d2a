"""RDF files: formats, bases, blank nodes, dateTimes, and nothing fetched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, serialize
from pyoxigraph import parse as parse_rdf

from oam_rdf.errors import Forbidden, OamError, ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.model import ParsedDocument


def read(text: str, path: str) -> ParsedDocument:
    return parse(text.encode(), path, profiles.load("default"))


TURTLE = """@prefix : <http://e.x/> . @prefix dct: <http://purl.org/dc/terms/> .
:a dct:title "標題"@zh-Hant ; dct:description "描述。"@zh-Hant ; :b [ :c "d" ], [ :c "e" ] ; :r <part> .
"""


def test_blank_nodes_become_the_same_iris_each_time_and_relative_iris_the_documents() -> None:
    one, two = read(TURTLE, "x/data set.ttl"), read(TURTLE, "x/data set.ttl")
    assert one.rdf == two.rdf and "_:" not in one.rdf
    assert "<http://oam.localhost/doc/data%20set#genid-1>" in one.rdf and "<http://oam.localhost/doc/part>" in one.rdf
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
        assert read(data.decode(), f"f.{extension}").rdf == wanted.decode(), extension


def test_json_with_a_context_is_json_ld() -> None:
    text = json.dumps({"@context": {"n": "http://e.x/n"}, "@id": "http://e.x/a", "n": "v"})
    assert read(text, "f.json").rdf == '<http://e.x/a> <http://e.x/n> "v" .\n'


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
