"""The JSON Schemas that ship: listed, printed, and true of what the program reads and writes."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator
from kb_world import World

from oam_rdf.errors import UsageError
from oam_rdf.query import plan as plans
from oam_rdf.query.plan import Plan
from oam_rdf.resources import schemas_dir

SHIPPED = sorted(path.name.removesuffix(".schema.json") for path in schemas_dir().glob("*.schema.json"))
PLAN = json.loads((schemas_dir() / "plan.schema.json").read_text("utf-8"))
VALID = Draft202012Validator(PLAN)


def test_they_are_schemas_and_the_verb_lists_them(world: World) -> None:
    assert {"certificate", "oam-object", "plan"} <= set(SHIPPED)
    listed = world.oam("schema").stdout.splitlines()
    assert [line.split("\t")[0] for line in listed] == SHIPPED and all(line.split("\t")[1] for line in listed)
    assert list(json.loads(world.oam("schema", "--json").stdout)) == SHIPPED
    for name in SHIPPED:
        schema = json.loads((schemas_dir() / f"{name}.schema.json").read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"].endswith("2020-12/schema") and schema["$id"].endswith(f"/{name}.schema.json")
    assert json.loads(world.oam("schema", "plan").stdout) == PLAN
    assert "one of" in world.oam("schema", "nothing", check=2).stderr


def test_the_schema_of_the_plan_names_every_field() -> None:
    paper = {"semantic_intent", "operators", "version_preference", "epistemic_preference"}
    assert set(PLAN["properties"]) == {field.name for field in fields(Plan)} | paper
    hints = get_type_hints(Plan)
    for name in plans._PARTS:
        kind: Any = hints[name] if not get_args(hints[name]) else get_args(hints[name])[0]
        own = {field.name for field in fields(kind)}
        spelt = set(PLAN["properties"][name]["properties"])
        assert spelt - own <= {"direction", "relation", "prefer_active"} and own <= spelt, name


@pytest.mark.parametrize(
    "text", ["", "PEP 241 取代了什麼？", "更抽象的群論 2020 年以前", "what contradicts H1, proved only"]
)
def test_plans_that_are_written_fit(world: World, text: str) -> None:
    world.write("a.md", "# A\n\nText.\n")
    world.ingest()
    assert not list(VALID.iter_errors(world.kb.plan(text).to_json()))


@pytest.mark.parametrize(
    ("data", "good"),
    [
        ({"text": "x", "operator": {"prefer": ["REP.FORMALIZE"]}, "form": {"k": 3}}, True),
        ({"semantic": {"intent": "breathing"}, "route": {"type": "hybrid_graph"}}, True),
        ({"navigation": {"direction": ["ABSTRACT.UP"]}, "graph": {"relation": ["depends_on"]}}, True),
        ({"semantic_intent": "x", "operators": ["META.CRITIQUE"], "version_preference": "latest_active"}, True),
        ({"lexical": {"include": [{"value": "a", "confidence": 0.5, "hard": True}]}}, True),
        ({"colour": "red"}, False),
        ({"form": {"k": "three"}}, False),
        ({"lexical": {"include": [{"value": "a", "confidence": 2}]}}, False),
        ({"lexical": {"include": [{"confidence": 1}]}}, False),
        ({"graph": {"depth": 1}}, False),
    ],
)  # fmt: skip
def test_the_schema_and_the_reader_agree(data: dict[str, Any], good: bool) -> None:
    assert VALID.is_valid(data) is good
    if good:
        Plan.from_json(data)
    else:
        with pytest.raises(UsageError):
            Plan.from_json(data)
