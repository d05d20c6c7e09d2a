"""``/export/{id}``: RDF and OAM JSON by content negotiation, the same bytes as the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rdflib import Dataset
from server_client import Ask, client, serving

from oam_rdf.knowledge_base import KnowledgeBase
from oam_server.app import create_app
from oam_server.export import OFFERED, PARAMS

PARSERS = {
    "turtle": "turtle",
    "trig": "trig",
    "nquads": "nquads",
    "ntriples": "nt",
    "jsonld": "json-ld",
    "rdfxml": "xml",
}


@pytest.mark.parametrize("media", OFFERED)
@pytest.mark.parametrize("tcf", [False, True])
def test_every_type_on_offer_is_what_the_command_line_writes(read: Ask, base: Path, media: str, tcf: bool) -> None:
    name = OFFERED[media]
    reply = read("/export/COMBUSTION-2" + ("?tcf=1" if tcf else ""), headers={"Accept": media})
    if tcf and name == "oam-json":
        assert reply.status == 406 and media not in reply.json()["available"]
        return
    assert (reply.status, reply.type, reply.headers["vary"]) == (200, media, "Accept")
    with KnowledgeBase.open(base) as kb:
        assert reply.body == kb.export("COMBUSTION-2", name, tcf=tcf, clearance="PUBLIC")
    if name in PARSERS:
        assert len(Dataset(default_union=True).parse(data=reply.body, format=PARSERS[name])) > 50
    else:
        assert {item["knowledge_object_id"] for item in reply.json()} >= {"COMBUSTION-2", "COMBUSTION-2#A1"}


def test_the_command_line_gives_the_same(read: Ask, base: Path) -> None:
    command = [sys.executable, "-m", "oam_rdf.cli", "--kb", str(base), "export", "GROUP#D1", "--tcf"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert read("/export/GROUP%23D1?tcf").body == done.stdout


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (None, "text/turtle"), ("*/*", "text/turtle"), ("text/html, */*;q=0.1", "text/turtle"),
        ("application/*", "application/trig"), ("application/json;q=0.9, text/turtle;q=0.2", "application/json"),
        ("application/rdf+xml, text/turtle;q=0.9", "application/rdf+xml"),
    ],
)  # fmt: skip
def test_negotiation(read: Ask, accept: str | None, media: str) -> None:
    reply = read("/export/GROUP", headers={"Accept": accept} if accept else None)
    assert (reply.status, reply.type) == (200, media)
    if media.startswith("text/"):
        assert reply.headers["content-type"] == f"{media}; charset=utf-8"


def test_the_tag_is_of_the_content(read: Ask) -> None:
    one = read("/export/GROUP")
    tag = one.headers["etag"]
    assert tag == read("/export/GROUP").headers["etag"]
    again = read("/export/GROUP", headers={"If-None-Match": tag})
    assert (again.status, again.body, again.headers["etag"], again.headers["vary"]) == (304, b"", tag, "Accept")
    others = [
        read("/export/GROUP", headers={"Accept": "application/trig"}), read("/export/GROUP?tcf=1"),
        read("/export/GROUP?tcf=1", headers={"Accept": "application/trig"}), read("/export/SYM-GROUP"),
    ]  # fmt: skip
    assert len({tag, *(reply.headers["etag"] for reply in others)}) == 5
    assert read("/export/GROUP", headers={"If-None-Match": others[0].headers["etag"]}).status == 200


def test_a_format_may_stand_in_the_address(read: Ask) -> None:
    reply = read("/export/KO-S3?format=oam-json")
    assert (reply.status, reply.type) == (200, "application/json")
    assert reply.json()["knowledge_object_id"] == "KO-S3"
    bad = read("/export/KO-S3?format=yaml")
    assert bad.status == 400 and "turtle" in bad.body.decode().lower()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/export", 400), ("/export/NO-SUCH", 404), ("/export/EDITORIAL-NOTES", 404),
        ("/export/EDITORIAL-NOTES%23K1?tcf=1", 404), ("/export/GROUP?depth=2", 400), ("/export/GROUP?tcf=perhaps", 400),
        ("/export/..%2f..%2fetc%2fpasswd", 400),
    ],
)  # fmt: skip
def test_what_is_refused(read: Ask, path: str, status: int) -> None:
    reply = read(path)
    assert (reply.status, reply.type) == (status, "application/problem+json")
    if status == 404:
        assert reply.json()["detail"].startswith("no object is called")
    refused = read("/export/GROUP", headers={"Accept": "text/html"})
    assert refused.status == 406 and "text/turtle" in refused.json()["available"]
    assert read("/export/GROUP", method="POST").status == 405


def test_who_may_see_more_gets_more(base: Path) -> None:
    app = create_app(base, clearance="INTERNAL")
    with serving(app) as port:
        assert client(port)("/export/EDITORIAL-NOTES").status == 200
    app.extensions["oam"].close()


def test_openapi_tells_of_every_route_and_of_this_one_in_full(read: Ask, base: Path) -> None:
    told = read("/openapi.json").json()
    assert told["openapi"].startswith("3.1") and len(told["paths"]) >= 15
    for path, methods in told["paths"].items():
        for method, said in methods.items():
            assert said["summary"] and said["responses"], (path, method)
            assert read(path.replace("{id}", "NO-SUCH"), method=method.upper()).status != 405
    export = told["paths"]["/export/{id}"]["get"]
    assert set(export["responses"]["200"]["content"]) == set(OFFERED)
    assert [p["name"] for p in export["parameters"]] == ["id", *(param.name for param in PARAMS)]
    ids = [said["operationId"] for methods in told["paths"].values() for said in methods.values()]
    assert len(ids) == len(set(ids))
    assert json.dumps(told) == json.dumps(read("/openapi.json").json())
