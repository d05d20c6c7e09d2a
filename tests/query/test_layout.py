"""The shape of an answer: laid out from stored facts, the ranking as it was."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from query_world import World, said

from oam_rdf.errors import UsageError
from oam_rdf.model import Evidence
from oam_rdf.query.plan import Form, Plan
from oam_rdf.query.search import search
from oam_rdf.resources import schemas_dir

SHAPES = ("timeline", "comparison", "evidence table")


@pytest.fixture
def tides(world: World) -> World:
    """Four notes on tides: dated by validity, by creation, by the document of a statement, and not at all."""
    world.add("OLD", "The tide follows the moon.", title="Old tides", valid_from="1687-07-05T00:00:00Z", version="1")
    world.add("NEW", "The tide follows the coast.", title="New tides", created="1905-03-01T00:00:00Z", version="2")
    world.add(
        "MID",
        said(
            "K1",
            "The tide follows the moon and the sun, as gauges show.",
            state="OBSERVATION",
            evidence=(
                Evidence("measurement", "passed", "Harbour gauge book, 1842"),
                Evidence("finite_computational_check", "failed", "doi:10.1/tide"),
            ),
        ),
        said("K2", "The tide of the open sea is small.", state="CONJECTURE"),
        title="Tides between",
        valid_from="1842-01-01T00:00:00Z",
    )
    world.add("NONE", "The tide is never late.", title="Undated")
    return world


def ids(answer: Any) -> list[str]:
    return [result.id for result in answer.results]


def test_a_shape_changes_no_result_and_no_order(tides: World) -> None:
    snapshot = tides.snapshot()
    plain = search(snapshot, "tide")
    assert "layout" not in plain.to_json() and plain.layout == {}
    for shape in SHAPES:
        answer = search(snapshot, "tide", shape=shape)
        assert ids(answer) == ids(plain) and answer.layout["shape"] == shape
        assert answer.to_json()["layout"] == answer.certificate["layout"]
        assert [r.scores for r in answer.results] == [r.scores for r in plain.results]


def test_a_timeline_is_in_order_of_the_recorded_dates_and_says_which_field(tides: World) -> None:
    answer = search(tides.snapshot(), "tide", shape="timeline")
    rows = answer.layout["rows"]
    assert [row["date"][:4] for row in rows] == sorted(row["date"][:4] for row in rows) and len(rows) >= 3
    fields = {row["id"].partition("#")[0]: (row["field"], row["of"], row["date"][:10]) for row in rows}
    assert fields["OLD"] == ("oam:validFrom", "OLD", "1687-07-05")
    assert fields["NEW"] == ("dcterms:created", "NEW", "1905-03-01")
    assert fields["MID"] == ("oam:validFrom", "MID", "1842-01-01")  # of its document
    assert {row["id"].partition("#")[0] for row in answer.layout["undated"]} == {"NONE"}
    assert {row["position"] for row in (*rows, *answer.layout["undated"])} == {r.position for r in answer.results}


def test_a_comparison_has_what_the_graph_says_of_each_object(tides: World) -> None:
    answer = search(tides.snapshot(), "compare OLD and MID", granularity="DOCUMENT")
    layout = answer.layout
    assert layout["shape"] == "comparison"  # the words of the query ask for it
    assert [(item["position"], item["id"]) for item in layout["objects"]] == [(1, "MID"), (2, "OLD")]  # as ranked
    rows = {row["attribute"]: row for row in layout["rows"]}
    assert rows["version"]["values"] == ["", "1"] and rows["version"]["differs"]
    assert rows["date"]["values"] == ["1842-01-01T00:00:00Z", "1687-07-05T00:00:00Z"]
    assert rows["evidence"]["values"] == [2, 0]
    assert rows["state"]["values"] == ["CONJECTURE 1, OBSERVATION 1", ""]
    assert rows["granularity"]["values"] == ["DOCUMENT", "DOCUMENT"] and not rows["granularity"]["differs"]
    assert layout["date_fields"] == ["oam:validFrom", "oam:validFrom"]


def test_without_two_names_all_results_are_compared(tides: World) -> None:
    answer = search(tides.snapshot(), "tide", shape="comparison")
    assert [item["id"] for item in answer.layout["objects"]] == ids(answer)


@pytest.mark.parametrize("granularity", ["", "DOCUMENT", "STATEMENT"])
def test_an_evidence_table_has_kind_outcome_and_reference_of_each_claim(tides: World, granularity: str) -> None:
    answer = search(tides.snapshot(), "tide moon sun", shape="evidence table", granularity=granularity)
    (row,) = answer.layout["rows"]
    assert row["claim"].endswith("K1") and row["state"] == "OBSERVATION"
    assert [(e["kind"], e["outcome"], e["reference"], e["artifact"]) for e in row["evidence"]] == [
        ("measurement", "passed", "Harbour gauge book, 1842", False),
        ("finite_computational_check", "failed", "doi:10.1/tide", False),
    ]
    found = next(r for r in answer.results if r.position == row["position"])
    assert found.document == "MID"
    others = {r.position for r in answer.results if r.document != "MID"}
    assert others <= {item["position"] for item in answer.layout["without"]}


def test_what_is_hidden_is_in_no_layout(tides: World) -> None:
    tides.add(
        "SECRET",
        said("S", "The tide of the secret harbour.", evidence=(Evidence("measurement", "passed", "secret book"),)),
        visibility="CONFIDENTIAL",
    )
    snapshot = tides.each_clearance()["PUBLIC"]
    for shape in SHAPES:
        assert "ecret" not in json.dumps(search(snapshot, "tide", shape=shape).to_json(certificate=True)["layout"])


def test_a_layout_is_in_the_schema_and_told(tides: World) -> None:
    schema = json.loads((schemas_dir() / "certificate.schema.json").read_text("utf-8"))
    for shape in SHAPES:
        answer = search(tides.snapshot(), "tide", shape=shape)
        jsonschema.Draft202012Validator(schema).validate(answer.certificate)
        assert "/layout/shape" in {said["pointer"] for said in answer.explanation()}


def test_a_shape_that_is_none(tides: World) -> None:
    snapshot = tides.snapshot()
    with pytest.raises(UsageError, match=r"unknown shape 'pie'.*timeline"):
        search(snapshot, "tide", shape="pie")
    answer = search(snapshot, Plan(text="tide", language="en", form=Form(shape="pie")))
    assert answer.layout == {}
    assert {"part": "form.shape", "value": "pie"}.items() <= answer.certificate["uncertainty"]["unknown_values"][
        0
    ].items()
