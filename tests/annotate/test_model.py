"""A model behind the real chat protocol: what it says is checked, what it invents is counted, what fails is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from annotate_world import HEAT, AnnotateWorld
from chat_server import ChatServer, Reply, said

from oam_rdf.annotate.model import ModelOptions
from oam_rdf.errors import UsageError


def lines(body: dict[str, Any]) -> dict[str, int]:
    """Text of each line that the model was sent → its number."""
    rows = [row.partition("] ") for row in body["messages"][1]["content"].splitlines()]
    return {text: int(number.removeprefix("[")) for number, _, text in rows}


def number(body: dict[str, Any], words: str) -> int:
    return next(line for text, line in lines(body).items() if words in text)


def tag(line: int, label: str, quote: str, scheme: str = "role", confidence: Any = 0.8) -> dict[str, Any]:
    return {"line": line, "scheme": scheme, "label": label, "confidence": confidence, "quote": quote}


def answer(tags: list[Any], relations: list[Any] | None = None, fence: bool = False) -> Any:
    text = json.dumps({"tags": tags, "relations": relations or []})
    return said(f"```json\n{text}\n```" if fence else text)


def options(server: ChatServer, **more: Any) -> ModelOptions:
    return ModelOptions(server.endpoint, "small-1", **more)


@pytest.fixture
def heat(world: AnnotateWorld) -> AnnotateWorld:
    world.ingest()
    return world


def test_answers_are_checked_against_schemes_objects_and_text(heat: AnnotateWorld) -> None:
    def reply(_: int, body: dict[str, Any]) -> Reply:
        kettle, smallest = number(body, "kettle"), number(body, "smallest parts")
        tags = [
            tag(kettle, "analogy", "kettle stands"),  # a label in lower case is known
            tag(kettle, "HOLD", "kettle", "operator"),  # two families have it
            tag(kettle, "WIDGET", "kettle"),  # invented
            tag(kettle, "MODEL", "kettle", "colour"),  # invented scheme
            tag(999, "MODEL", "kettle"),
            tag(kettle, "MODEL", "the teapot"),  # quote is not there
            tag(kettle, "MODEL", ""),
            tag(kettle, "MODEL", "kettle", confidence=7),
            "nonsense",
        ]
        edges = [
            {"line": kettle, "type": "supports", "target": smallest, "confidence": 0.7, "quote": "kettle stands"},
            {"line": kettle, "type": "supports", "target": smallest, "confidence": 0.5, "quote": "kettle stands"},
            {"line": kettle, "type": "admires", "target": smallest, "confidence": 0.9, "quote": "kettle stands"},
            {"line": kettle, "type": "supports", "target": "NOWHERE", "confidence": 0.9, "quote": "kettle stands"},
        ]
        return 200, {}, answer(tags, edges, fence=True), 0

    with ChatServer(reply) as server:
        report = heat.annotate(model=options(server, key="secret"))
        assert server.keys == ["Bearer secret"]
        sent = server.requests[0]
    assert sent["model"] == "small-1" and [m["role"] for m in sent["messages"]] == ["system", "user"]
    assert report.exit_code == 0 and report.requests == 1 and report.relations == 1
    assert report.hallucinated == {"role: WIDGET": 1, "colour: MODEL": 1, "relation: admires": 1}
    assert report.dropped == {
        "unknown label": 3, "unknown object": 2, "quote not in the text": 2, "confidence not from 0 to 1": 1,
        "malformed": 1, "relation below 0.6": 1,
    }  # fmt: skip
    by_model = {(concept, rule) for _, concept, rule in heat.tags() if rule == "model"}
    assert by_model == {("role/ANALOGY", "model"), ("operator/MULTIPLE_PLAUSIBLE", "model")}
    assert heat.select("SELECT ?l { ?t oam:sourceLabel ?l ; oam:rule 'model' }") == [("HOLD",)]
    # The relation is a node to be judged, and no edge.
    assert len(heat.select("SELECT ?r { ?r a oam:Relation ; oam:verdict <https://w3id.org/oam/verdict/pending> }")) == 1
    assert not heat.select("SELECT ?a { ?a oam:supports ?b }")
    assert len(heat.graphs("/annotation/")) == 2
    assert heat.kb.doctor().clean and heat.kb.validate().report.conforms
    everything = str(heat.graphs(""))
    assert "secret" not in everything and "secret" not in repr(options(server, key="secret"))


def test_it_waits_as_told_and_tries_again_after_nonsense(heat: AnnotateWorld) -> None:
    replies: list[Reply] = [
        (429, {"Retry-After": "1"}, {"error": {"message": "slow down"}}, 0),
        (200, {}, said("I would rather talk about the weather."), 0),
        (200, {}, answer([]), 0),
    ]
    with ChatServer(lambda n, _: replies[n - 1]) as server:
        report = heat.annotate(model=options(server))
        assert len(server.requests) == 3
        assert server.times[1] - server.times[0] >= 1
    assert report.failed == 0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ((200, {}, said("{broken"), 0.0), "no JSON"),
        ((200, {}, "<html>", 0.0), "no JSON"),
        ((500, {}, {"error": {}}, 0.0), "HTTP 500"),
        ((200, {}, answer([]), 1.0), "no answer within"),
    ],
)
def test_a_model_that_fails_is_said_and_the_rules_land_all_the_same(
    heat: AnnotateWorld, reply: Reply, reason: str
) -> None:
    with ChatServer(lambda *_: reply) as server:
        report = heat.annotate(model=options(server, attempts=2, timeout=0.3))
    assert report.failed == 1 and report.exit_code == 1
    assert reason in report.issues[0].message
    assert heat.tags() and not [tag for tag in heat.tags() if tag[2] == "model"]
    assert heat.annotate().unchanged == 1  # the rules have done their part


def test_a_wrong_key_stops_at_once(heat: AnnotateWorld) -> None:
    with ChatServer(lambda *_: (401, {}, {"error": {}}, 0)) as server:
        with pytest.raises(UsageError, match="HTTP 401"):
            heat.annotate(model=options(server))
        assert len(server.requests) == 1
    with pytest.raises(UsageError, match="http or https"):
        heat.annotate(model=ModelOptions("file:///etc", "small-1"))


def test_what_is_not_public_is_not_sent(world: AnnotateWorld) -> None:
    world.ingest(text=HEAT.replace("title:", "visibility: INTERNAL\ntitle:"))
    with ChatServer(lambda *_: (200, {}, answer([]), 0)) as server:
        report = world.annotate(model=options(server))
        assert server.requests == []
    assert report.withheld > 0


def test_a_run_of_the_model_leaves_the_tags_of_the_rules(heat: AnnotateWorld) -> None:
    heat.annotate()
    rules = heat.graphs("/annotation/")
    with ChatServer(lambda _, body: (200, {}, answer([tag(number(body, "kettle"), "ANALOGY", "kettle")]), 0)) as server:
        heat.annotate(model=options(server))
        first = heat.graphs("/annotation/")
        heat.annotate(model=options(server), again=True)
    assert rules.items() <= first.items() and len(first) == 2
    assert heat.graphs("/annotation/") == first
