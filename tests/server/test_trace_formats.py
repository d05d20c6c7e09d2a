"""``/trace/{id}`` in what Accept asks for."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
import rdflib
from rdflib.namespace import PROV, RDF
from server_client import Ask


@pytest.fixture(scope="module")
def identifier(read: Ask) -> str:
    return str(read("/search?" + urlencode({"q": "Euler conjecture"})).json()["retrieval_id"])


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/json", "text/html;q=0.9, application/*;q=0.8", "text/turtle;q=0"]
)
def test_json_unless_rdf_is_asked_for(read: Ask, identifier: str, accept: str) -> None:
    reply = read("/trace/" + identifier, headers={"Accept": accept} if accept else None)
    if accept == "text/turtle;q=0":
        assert reply.status == 406 and "text/turtle" in reply.json()["available"]
    else:
        assert (reply.status, reply.type) == (200, "application/json") and reply.json()["retrieval_id"] == identifier
        assert reply.headers["vary"] == "Accept"


@pytest.mark.parametrize(
    ("accept", "media_type", "parser"),
    [
        ("text/turtle", "text/turtle", "turtle"),
        ("application/ld+json", "application/ld+json", "json-ld"),
        ("application/trig", "application/trig", "trig"),
        ("application/n-triples", "application/n-triples", "nt"),
        ("application/json;q=0.2, text/turtle;q=0.9", "text/turtle", "turtle"),
    ],
)
def test_prov_o(read: Ask, identifier: str, accept: str, media_type: str, parser: str) -> None:
    reply = read("/trace/" + identifier, headers={"Accept": accept})
    assert (reply.status, reply.type) == (200, media_type) and reply.headers["vary"] == "Accept"
    graph = rdflib.Dataset(default_union=True)
    graph.parse(data=reply.body, format=parser)
    (activity,) = graph.subjects(RDF.type, PROV.Activity)
    assert str(activity).endswith("retrieval/" + identifier)
    assert len(list(graph.objects(None, PROV.hadMember))) == len(read("/trace/" + identifier).json()["results"])


def test_what_is_not_on_offer(read: Ask, identifier: str) -> None:
    reply = read("/trace/" + identifier, headers={"Accept": "application/pdf"})
    assert (reply.status, reply.type) == (406, "application/problem+json")
    assert "text/turtle" in json.dumps(reply.json())
    missing = read("/trace/OAM-R-0000000000000000", headers={"Accept": "text/turtle"})
    assert (missing.status, missing.type) == (404, "application/problem+json")
