"""The SPARQL protocol over HTTP: media types, refusals, limits."""

from __future__ import annotations

import time
from urllib.parse import quote, urlencode

import pyoxigraph as ox
import pytest
from server_client import EX, RUNAWAY, STATEMENTS, Ask, Reply

SELECT = "SELECT ?o { ?s ?p ?o } ORDER BY ?o LIMIT 2"
ASK = "ASK { ?s ?p ?o }"
CONSTRUCT = f"CONSTRUCT {{ ?s ?p ?o }} {{ VALUES ?s {{ <{EX}s1> }} ?s ?p ?o }}"
DESCRIBE = f"DESCRIBE <{EX}s1>"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

JSON, XML, CSV, TSV = (
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
)
TURTLE, NT, LD, RDFXML = "text/turtle", "application/n-triples", "application/ld+json", "application/rdf+xml"
COMBINED = "application/sparql-results+json,text/turtle;q=0.9,*/*;q=0.1"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


def get(ask: Ask, query: str, accept: str | None = None, **more: str) -> Reply:
    headers = {} if accept is None else {"Accept": accept}
    return ask("/sparql?" + urlencode({"query": query, **more}), headers=headers)


@pytest.mark.parametrize(
    ("query", "accept", "expected"),
    [
        (SELECT, None, JSON), (ASK, None, JSON), (CONSTRUCT, None, TURTLE), (DESCRIBE, None, TURTLE),
        (SELECT, "*/*", JSON), (CONSTRUCT, "*/*", TURTLE),
        (SELECT, COMBINED, JSON), (ASK, COMBINED, JSON), (CONSTRUCT, COMBINED, TURTLE), (DESCRIBE, COMBINED, TURTLE),
        (SELECT, BROWSER, "application/xml"), (CONSTRUCT, BROWSER, "application/xml"),
        (SELECT, XML, XML), (SELECT, CSV, CSV), (SELECT, TSV, TSV), (ASK, XML, XML), (ASK, CSV, CSV),
        (SELECT, "application/json", "application/json"), (CONSTRUCT, "application/json", "application/json"),
        (CONSTRUCT, NT, NT), (CONSTRUCT, LD, LD), (CONSTRUCT, RDFXML, RDFXML), (DESCRIBE, "text/n3", "text/n3"),
        (SELECT, f"{JSON};q=0.5, {XML};q=0.9", XML),
        (SELECT, f"{JSON};q=0, */*;q=0.1", XML),
        (SELECT, "text/*", CSV), (CONSTRUCT, "text/*;q=0.3, application/*;q=0.2", TURTLE),
        (SELECT, "application/sparql-results+json;charset=utf-8", JSON),
        (SELECT, "APPLICATION/SPARQL-RESULTS+XML", XML),
        (SELECT, "nonsense", JSON), (SELECT, "", JSON),
        (SELECT, "text/turtle, application/sparql-results+xml;q=0.1", XML),
        (CONSTRUCT, "application/sparql-results+json, application/rdf+xml;q=0.1", RDFXML),
    ],
)  # fmt: skip
def test_the_media_type_fits_the_query_form(ask: Ask, query: str, accept: str | None, expected: str) -> None:
    reply = get(ask, query, accept)
    assert (reply.status, reply.type) == (200, expected)
    assert reply.headers["vary"] == "Accept"
    if expected.startswith("text/"):
        assert "charset=utf-8" in reply.headers["content-type"]
    starts = {JSON: b'{"head"', XML: b"<?xml", CSV: b"", TSV: b"?o", TURTLE: b"<http", LD: b"[{", RDFXML: b"<?xml"}
    assert reply.body.startswith(starts.get(expected, b""))


@pytest.mark.parametrize(
    ("query", "accept", "available"),
    [
        (SELECT, "text/turtle", JSON), (ASK, "text/turtle", JSON), (CONSTRUCT, JSON, TURTLE), (SELECT, "image/png", JSON),
        (SELECT, "*/*;q=0", JSON),
    ],
)  # fmt: skip
def test_406_only_when_nothing_fits_and_it_says_what_would(ask: Ask, query: str, accept: str, available: str) -> None:
    reply = get(ask, query, accept)
    assert (reply.status, reply.type) == (406, "application/problem+json")
    assert available in reply.json()["available"]


def test_format_parameters_overrule_accept(ask: Ask) -> None:
    assert get(ask, SELECT, JSON, format="csv").type == CSV
    assert get(ask, CONSTRUCT, "text/turtle", format="xml").type == RDFXML
    assert get(ask, SELECT, None, format="turtle").status == 406
    assert get(ask, CONSTRUCT, None, format="turtle").type == TURTLE
    assert get(ask, SELECT, None, format=XML).type == XML
    assert get(ask, SELECT, None, output="json", results="json").type == JSON
    wrong = get(ask, SELECT, None, format="excel")
    assert (wrong.status, wrong.json()["parameter"]) == (400, "format")


def test_all_three_ways_to_send_a_query(ask: Ask) -> None:
    direct = ask("/sparql", method="POST", body=SELECT.encode(), headers={"Content-Type": "application/sparql-query"})
    form = ask("/query", method="POST", body=urlencode({"query": SELECT}).encode(), headers=FORM)
    assert direct.body == form.body == get(ask, SELECT).body
    assert [row["o"]["value"] for row in direct.json()["results"]["bindings"]] == ["statement 0", "statement 1"]
    utf8 = ask("/sparql?query=" + quote("SELECT ('知識' AS ?x) {}"))
    assert utf8.json()["results"]["bindings"][0]["x"]["value"] == "知識"
    assert ask("/sparql?query=" + quote(SELECT), method="HEAD").status == 200


def test_graph_lists(ask: Ask) -> None:
    count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"

    def counted(**lists: str) -> str:
        value: str = get(ask, count, **lists).json()["results"]["bindings"][0]["n"]["value"]
        return value

    assert counted() == str(STATEMENTS)
    assert counted(**{"default-graph-uri": EX + "g0"}) == str(STATEMENTS // 2)
    assert counted(**{"named-graph-uri": EX + "g0"}) == "0"
    assert counted(**{"default-graph": "strict"}) == "0"
    both = f"/sparql?{urlencode({'query': count})}" + "".join(f"&default-graph-uri={quote(EX)}g{i}" for i in (0, 1))
    assert ask(both).json()["results"]["bindings"][0]["n"]["value"] == str(STATEMENTS)
    body = urlencode({"query": count, "default-graph-uri": EX + "g1"}).encode()
    assert ask("/sparql", method="POST", body=body, headers=FORM).status == 200


@pytest.mark.parametrize(
    ("path", "status", "member", "value"),
    [
        ("/sparql?query=" + quote("SELECT ?s {\n ?s ?p }"), 400, "line", 2),
        ("/sparql?query=" + quote("SELECT ?s {\n ?s ex:a ?p }"), 400, "column", 5),
        ("/sparql?query=a&query=b", 400, "parameter", "query"),
        ("/sparql?query=", 400, "line", 1),
        ("/sparql?format=json", 400, "parameter", "query"),
        ("/sparql?query=ASK%7B%7D&default-graph-url=x", 400, "parameter", "default-graph-url"),
        ("/sparql?query=ASK%7B%7D&timeout=soon", 400, "parameter", "timeout"),
        ("/sparql?query=ASK%7B%7D&timeout=nan", 400, "parameter", "timeout"),
        ("/sparql?query=ASK%7B%7D&default-graph=all", 400, "parameter", "default-graph"),
        ("/sparql?query=ASK%7B%7D&default-graph-uri=relative", 400, "status", 400),
        ("/sparql?update=" + quote("CLEAR ALL"), 403, "parameter", "update"),
    ],
)
def test_mistakes_are_named(ask: Ask, path: str, status: int, member: str, value: object) -> None:
    reply = ask(path)
    assert (reply.status, reply.type) == (status, "application/problem+json")
    assert reply.json()[member] == value


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b'{"query": "ASK {}"}', 415),
        ("text/plain", b"ASK {}", 415),
        ("", b"ASK {}", 415),
        ("application/sparql-update", b"CLEAR ALL", 403),
        ("application/sparql-query", b"SELECT '\xff' {}", 400),
        ("application/sparql-query", b"# " + b"x" * (2 << 20), 413),
        ("application/x-www-form-urlencoded", b"query=" + b"x" * (2 << 20), 413),
        ("application/x-www-form-urlencoded", b"update=CLEAR+ALL", 403),
        ("application/x-www-form-urlencoded", b"", 400),
    ],
)
def test_bodies_that_are_no_query(ask: Ask, kind: str, body: bytes, status: int) -> None:
    reply = ask("/sparql", method="POST", body=body, headers={"Content-Type": kind} if kind else {})
    assert (reply.status, reply.type) == (status, "application/problem+json")
    if status == 415:
        assert "application/sparql-query" in reply.headers["accept-post"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://127.0.0.1:9200/> { ?s ?p ?o } }",
        "SELECT * { sErViCe SILENT <http://169.254.169.254/> { ?s ?p ?o } }",
        "SELECT * { \\u0053ERVICE <http://127.0.0.1:9200/> { ?s ?p ?o } }",
        "LOAD <file:///etc/passwd>",
        "SELECT * FROM <http://169.254.169.254/> { ?s ?p ?o }",
        "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
        "INSERT DATA { <http://a> <http://b> 1 }",
        "DROP ALL",
    ],
)
def test_nothing_is_fetched_and_nothing_changed(ask: Ask, query: str) -> None:
    replies = [get(ask, query), ask("/query", method="POST", body=urlencode({"query": query}).encode(), headers=FORM)]
    for reply in replies:
        assert (reply.status, reply.type) == (403, "application/problem+json")
        assert "Traceback" not in reply.body.decode()
    for name in ("default-graph-uri", "named-graph-uri"):
        assert get(ask, ASK, **{name: "http://127.0.0.1:9200/"}).status == 403
        assert get(ask, ASK, **{name: "file:///etc/passwd"}).status == 403


def test_a_runaway_query_is_cancelled_and_the_next_one_answered(ask: Ask) -> None:
    started = time.perf_counter()
    reply = get(ask, RUNAWAY)
    assert time.perf_counter() - started < 3
    assert (reply.status, reply.type) == (503, "application/problem+json")
    assert int(reply.headers["retry-after"]) > 0
    assert get(ask, ASK).json()["boolean"] is True
    assert get(ask, RUNAWAY, timeout="0.2").json()["detail"].endswith("within 0.2 s")


def test_a_huge_result_is_refused_before_the_200(ask: Ask) -> None:
    reply = get(ask, "SELECT * { ?s ?p ?o . ?a ?b ?o }", XML)
    assert (reply.status, reply.type) == (503, "application/problem+json")
    assert "larger than" in reply.json()["detail"]


@pytest.mark.parametrize(("accept", "expected"), [(None, TURTLE), (LD, LD), (BROWSER, "application/xml"), (NT, NT)])
def test_a_get_without_query_describes_the_service(ask: Ask, port: int, accept: str | None, expected: str) -> None:
    reply = ask("/sparql", headers={} if accept is None else {"Accept": accept})
    assert (reply.status, reply.type) == (200, expected)
    formats = {TURTLE: ox.RdfFormat.TURTLE, LD: ox.RdfFormat.JSON_LD, NT: ox.RdfFormat.N_TRIPLES}
    triples = set(ox.parse(reply.body, format=formats.get(expected, ox.RdfFormat.RDF_XML)))
    text = {str(quad.object) for quad in triples}
    assert f"<http://127.0.0.1:{port}/sparql>" in text
    assert any(value.endswith("UnionDefaultGraph>") for value in text)
    assert ask("/sparql", headers={"Accept": "image/png"}).status == 406


def test_other_methods_are_refused(ask: Ask) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        reply = ask("/sparql", method=method)
        assert (reply.status, reply.type) == (405, "application/problem+json")
        assert "GET" in reply.headers["allow"]
