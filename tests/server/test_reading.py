"""Search, navigation, certificates, sources and versions over HTTP, on the sample documents."""

from __future__ import annotations

import http.client
import json
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from server_client import Ask, Reply, client, serving

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_server.app import create_app

JSON = {"Content-Type": "application/json"}


def search(read: Ask, q: str, **options: object) -> Any:
    reply = read("/search?" + urlencode({"q": q, **options}))
    assert (reply.status, reply.type) == (200, "application/json"), reply.body
    return reply.json()


def post(read: Ask, path: str, body: object) -> Reply:
    return read(path, method="POST", body=json.dumps(body).encode(), headers=JSON)


def ids(answer: Any) -> list[str]:
    return [result["id"] for result in answer["results"]]


# -- search -----------------------------------------------------------------------------------------------------------


def test_search_by_get_and_post(read: Ask) -> None:
    answer = search(read, "費馬最後定理", k=3)
    assert any(identifier.startswith("FERMAT") for identifier in ids(answer))
    assert len(answer["results"]) <= 3
    assert answer["clearance"] == "PUBLIC"
    assert "certificate" not in answer
    posted = post(read, "/search", {"q": "費馬最後定理", "k": 3, "language": None})
    assert posted.status == 200
    assert ids(posted.json()) == ids(answer)


def test_the_options_arrive(read: Ask) -> None:
    explained = search(read, "Euler conjecture", explain="true", ui="zh-Hant", route="SPARSE_ONLY", granularity="document")
    assert explained["certificate"]["retrieval_id"] == explained["retrieval_id"]
    assert explained["explanation"]
    assert explained["route"] == ["SPARSE_ONLY"]
    assert {result["granularity"] for result in explained["results"]} == {"DOCUMENT"}
    refuted = search(read, "conjecture", state="refuted,unresolved")
    assert {result["epistemic_state"] for result in refuted["results"]} <= {"REFUTED", "UNRESOLVED"}
    assert refuted["results"]
    first, second = search(read, "planets", k=1), search(read, "planets", k=1, offset=1)
    assert (len(ids(first)), ids(first) == ids(second)) == (1, False)
    directed = search(read, "ORBIT-2", direction="VERSION.LATEST", explain=1)
    assert [item["value"] for item in directed["certificate"]["query_plan"]["navigation"]["directions"]] == ["VERSION.LATEST"]
    assert search(read, "planets", version="active", as_of="2020-01-01", include_history="false", lang="en")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("k", "0"), ("k", "ten"), ("k", "1.5"), ("k", "101"), ("offset", "-1"), ("route", "FASTEST"),
        ("direction", "SIDEWAYS"), ("state", "TRUE"), ("granularity", "WORD"), ("language", "english language"),
        ("as_of", "yesterday"), ("version", "v9"), ("explain", "perhaps"), ("include_history", "2"), ("ui", "fr"),
        ("visibility", "SECRET"), ("q", "x\x00y"), ("q", "x" * 10_001), ("kk", "1"), ("path", "../../etc/passwd"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named(read: Ask, parameter: str, value: str) -> None:
    for reply in (
        read("/search?" + urlencode({"q": "x", parameter: value} if parameter != "q" else {"q": value})),
        post(read, "/search", {"q": "x", parameter: value}),
    ):
        assert (reply.status, reply.type) == (400, "application/problem+json")
        assert reply.json()["parameter"] == parameter
        assert parameter in reply.json()["detail"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", JSON, 400), (b"{}", JSON, 400), (b"[]", JSON, 400), (b'{"q": ', JSON, 400), (b'{"q": 5}', JSON, 400),
        (b'{"q": "\xff"}', JSON, 400), (b'{"q": "\\ud800"}', JSON, 400), (b'{"q": ["a", "b"]}', JSON, 400),
        (b'{"q": {"a": 1}}', JSON, 400), (b'{"q": "x", "k": true}', JSON, 400), (b'{"q": "x", "k": 1e9}', JSON, 400),
        (b'{"q": "x", "q": "y"}', JSON, 400), (b'{"q": "x", "k": NaN}', JSON, 400), (b"[" * 100_000, JSON, 400),
        (b"q=x", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        (b'{"q": "x"}', {"Content-Type": "text/plain"}, 415),
        (b'{"q": "' + b"x" * (2 << 20) + b'"}', JSON, 413),
    ],
)  # fmt: skip
def test_wrong_bodies(read: Ask, body: bytes, headers: dict[str, str], status: int) -> None:
    reply = read("/search", method="POST", body=body, headers=headers)
    assert (reply.status, reply.type) == (status, "application/problem+json")


def test_given_twice_or_missing(read: Ask) -> None:
    assert read("/search?q=a&q=b").json()["parameter"] == "q"
    assert read("/search").json()["parameter"] == "q"
    assert read("/search?q=a&k=1&k=2").json()["parameter"] == "k"
    assert read("/search?q=a&epistemic=REFUTED&state=REFUTED").status == 400
    assert read("/search?q=%FF%FE").status in (200, 400)
    assert read("/search?q=x", headers={"Accept": "text/turtle"}).status == 406


# -- the other verbs --------------------------------------------------------------------------------------------------


def test_navigate(read: Ask) -> None:
    walked = read("/navigate?" + urlencode({"start": "orbit 2", "direction": "VERSION.LATEST"}))
    assert walked.status == 200
    assert [node["id"] for node in walked.json()["nodes"]] == ["ORBIT-3", "ORBIT-4", "ORBIT-5"]
    one = post(read, "/navigate", {"start": "ORBIT-2", "direction": "VERSION.LATER", "steps": 1})
    assert [node["id"] for node in one.json()["nodes"]] == ["ORBIT-3"]
    assert post(read, "/navigate", {"start": "NOBODY-1", "direction": "VERSION.LATER"}).status == 404
    wrong = post(read, "/navigate", {"start": "ORBIT-2", "direction": "SIDEWAYS"})
    assert (wrong.status, wrong.json()["parameter"]) == (400, "direction")
    assert post(read, "/navigate", {"start": "ORBIT-2", "direction": "VERSION.LATER", "steps": 0}).status == 400
    both = post(read, "/navigate", {"start": "ORBIT-2", "direction": "VERSION.LATER*1 / VERSION.EARLIER*1"}).json()
    assert [leg["direction"] for leg in both["legs"]] == ["VERSION.LATER", "VERSION.EARLIER"] and both["loop"] is None
    for _ in range(3):
        body = {"start": "ORBIT-2", "direction": "VERSION.LATER", "trail_id": "t1", "fallback": "operator tags"}
        looped = post(read, "/navigate", body).json()
    assert looped["loop"]["flagged"] and looped["loop"]["kind"] == "repeat"
    assert post(read, "/navigate", {"start": "ORBIT-2", "direction": "VERSION.LATER", "trail_id": " "}).status == 400
    assert post(read, "/navigate", {"start": "../../etc", "direction": "VERSION.LATER"}).status == 400


def test_trace_source_version(read: Ask) -> None:
    answer = search(read, "Euler conjecture")
    certificate = read("/trace/" + answer["retrieval_id"])
    assert certificate.json()["query"] == "Euler conjecture"
    assert read("/trace/OAM-R-0000000000000000").status == 404
    identifier = next(found for found in ids(answer) if "#" in found)
    source = read("/source/" + quote(identifier, safe="") + "?context=10")
    assert (source.status, source.json()["intact"], source.json()["id"]) == (200, True, identifier)
    assert source.json()["quotes"]
    assert read("/source/ORBIT-1?context=far").json()["parameter"] == "context"
    chain = read("/version/ORBIT-2").json()
    assert [version["id"] for version in chain["versions"]] == ["ORBIT-1", "ORBIT-2", "ORBIT-3", "ORBIT-4", "ORBIT-5"]
    iri = quote("http://oam.localhost/doc/ORBIT-2", safe="")
    assert read("/version/" + iri).json()["heads"] == chain["heads"]


@pytest.mark.parametrize(
    "path",
    [
        "/source/..%2f..%2fetc%2fpasswd", "/source/../../etc/passwd", "/source/..%5c..%5cetc", "/source?path=..%2f..%2fetc",
        "/trace/%00", "/version/a%09b", "/source/%20", "/source/" + "x" * 10_001, "/source", "/version/ORBIT-1?depth=2",
        "/source/file/%2e%2e/x",
    ],
)  # fmt: skip
def test_an_id_is_not_a_path(read: Ask, path: str) -> None:
    reply = read(path)
    assert (reply.status, reply.type) == (400, "application/problem+json")
    assert b"root:" not in reply.body


def test_absolute_paths_are_just_unknown_ids(read: Ask) -> None:
    for path in ("/source/%2fetc%2fpasswd", "/source//etc/passwd", "/version/file:%2f%2f%2fetc%2fpasswd"):
        assert read(path).status == 404


# -- access -----------------------------------------------------------------------------------------------------------


def test_the_public_sees_no_internal_document(read: Ask, base: Path) -> None:
    hidden, absent = read("/source/EDITORIAL-NOTES"), read("/source/EDITORIAL-NOTEZ")
    assert (hidden.status, absent.status) == (404, 404)
    assert hidden.json()["detail"].replace("NOTES", "NOTEZ") == absent.json()["detail"]
    for route in ("/version/EDITORIAL-NOTES", "/navigate?start=EDITORIAL-NOTES&direction=SOURCE.BACK"):
        assert read(route).status == 404
    for options in ({}, {"direction": "SOURCE.BACK"}, {"include_history": 1}, {"visibility": "INTERNAL"}):
        found = search(read, "British spelling house style", explain=1, **options)
        assert "EDITORIAL" not in json.dumps(found["results"]) + json.dumps(found["certificate"])
    query = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(CONTAINS(STR(?s), 'EDITORIAL') || CONTAINS(STR(?o), 'EDITORIAL')) }"
    counted = read("/sparql?" + urlencode({"query": query})).json()["results"]["bindings"]
    assert counted[0]["n"]["value"] == "0"
    # The same server with a higher clearance, and a certificate made there, which the public one does not know.
    app = create_app(base, clearance="INTERNAL")
    with serving(app) as port:
        internal = client(port)
        assert internal("/source/EDITORIAL-NOTES").status == 200
        answer = search(internal, "British spelling house style")
        assert [found for found in ids(answer) if found.startswith("EDITORIAL")]
        assert read("/trace/" + answer["retrieval_id"]).status == 404
    app.extensions["oam"].close()


# -- life of the server -----------------------------------------------------------------------------------------------


def test_sparql_over_the_whole(read: Ask) -> None:
    query = "SELECT ?t { ?d a oam:Document ; dcterms:identifier 'FERMAT' ; dcterms:title ?t }"
    rows = read("/sparql?" + urlencode({"query": query})).json()["results"]["bindings"]
    assert [(row["t"]["value"], row["t"]["xml:lang"]) for row in rows] == [("費馬最後定理", "zh-Hant")]
    ready = read("/ready").json()
    assert (ready["documents"], "root" in ready) == (17, False)


def test_fifty_searches_on_ten_connections_right_after_start(base: Path) -> None:
    app = create_app(base)
    seen: list[int] = []

    def searcher(port: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(5):
            connection.request("GET", "/search?q=Euler")
            response = connection.getresponse()
            response.read()
            seen.append(response.status)
        connection.close()

    with serving(app) as port:
        threads = [threading.Thread(target=searcher, args=(port,)) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    app.extensions["oam"].close()
    assert seen == [200] * 50


def test_an_empty_and_a_missing_knowledge_base(tmp_path: Path) -> None:
    KnowledgeBase.init(tmp_path / "empty").close()
    for folder in ("empty", "missing"):
        app = create_app(tmp_path / folder)
        with serving(app) as port:
            ask = client(port)
            assert ask("/health").status == 200
            for path in ("/ready", "/search?q=x", "/source/x", "/sparql?query=ASK%7B%7D"):
                reply = ask(path)
                assert (reply.status, reply.type) == (503, "application/problem+json"), (path, reply.body)
                assert "retry-after" in reply.headers
                assert str(tmp_path) not in reply.body.decode()
        app.extensions["oam"].close()


def test_a_new_document_is_found_by_the_next_request(base: Path, read: Ask, tmp_path: Path) -> None:
    assert not ids(search(read, "zyzzogeton"))
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "weevil.md").write_text("---\nid: WEEVIL\n---\n# Weevils\n\nA zyzzogeton is a leafhopper of South America.\n")
    statuses: list[int] = []
    done = threading.Event()

    def keep_asking() -> None:
        while not done.is_set():
            statuses.append(read("/search?q=Euler").status)
            statuses.append(read("/sparql?query=ASK%7B%3Fs%20%3Fp%20%3Fo%7D").status)

    asking = threading.Thread(target=keep_asking)
    asking.start()
    try:
        with KnowledgeBase.open(base) as writer:
            report = writer.ingest([folder], IngestOptions(workers=1))
    finally:
        done.set()
        asking.join()
    assert report.added == 1
    assert set(statuses) == {200}
    assert any(found.startswith("WEEVIL") for found in ids(search(read, "zyzzogeton")))
    rows = read("/sparql?" + urlencode({"query": "SELECT ?d { ?d dcterms:identifier 'WEEVIL' }"})).json()
    assert len(rows["results"]["bindings"]) == 1
