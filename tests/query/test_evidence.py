"""Source spans and evidence as what is asked for."""

from __future__ import annotations

import json

import jsonschema
import pytest
from query_world import World, said

from oam_rdf.model import Evidence
from oam_rdf.query.search import replay, search
from oam_rdf.resources import schemas_dir

GAUGE = Evidence("measurement", "passed", "Harbour gauge book, 1842")
CHECK = Evidence("formal_proof", "passed", "proof of the tide theorem", artifact=True)


@pytest.fixture
def tides(world: World) -> World:
    world.add("A", said("K1", "The tide follows the moon.", evidence=(GAUGE, CHECK)), said("K2", "The tide is salt."))
    world.add("B", said("K3", "The tide follows the sun a little.", evidence=(GAUGE,)), "The tide of the coast.")
    return world


def test_source_spans_are_exact(tides: World) -> None:
    snapshot = tides.snapshot()
    answer = search(snapshot, "tide", granularity="SOURCE_SPAN")
    assert len(answer.results) == 3
    for result in answer.results:
        (span,) = result.spans
        assert result.granularity == "SOURCE_SPAN"
        text = snapshot.original(span["original"])
        assert text[span["start"] : span["end"]] == span["exact"] and "tide" in span["exact"]
        assert text[: span["start"]].count("\n") + 1 == span["line"]
    order = [result.id for result in search(snapshot, "tide", granularity="STATEMENT").results]
    assert [result.id for result in answer.results] == order
    assert all(not result.spans for result in search(snapshot, "tide").results)


def test_evidence_is_found_by_the_statements_that_have_it(tides: World) -> None:
    snapshot = tides.snapshot()
    answer = search(snapshot, "tide", granularity="EVIDENCE_ARTIFACT")
    shown = {
        (r.granularity, r.evidence["kind"], r.title, tuple(h["id"] for h in r.evidence_of)) for r in answer.results
    }
    assert shown == {
        ("EXTERNAL_WORK", "measurement", GAUGE.reference, ("A#K1",)),
        ("EVIDENCE_ARTIFACT", "formal_proof", CHECK.reference, ("A#K1",)),
        ("EXTERNAL_WORK", "measurement", GAUGE.reference, ("B#K3",)),
    }
    assert answer.verdict == "ANSWERABLE" and answer.total == 3
    for result in answer.results:
        assert result.matched == () and result.ranks == {}  # those are of the statement
        (holder,) = result.evidence_of
        assert holder["ranks"]["lexical"] >= 1 and holder["matched"]
    certificate = answer.certificate
    assert set(certificate["granularity"]["evidence"]["statements"]) == {"A#K1", "B#K3"}
    told = {sentence["pointer"]: sentence["text"] for sentence in answer.explanation()}
    assert "came by the statement" in told["/results/0/evidence_of/0"]
    schema = json.loads((schemas_dir() / "certificate.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(certificate)
    again = replay(snapshot, certificate)
    assert [r.id for r in again.results] == [r.id for r in answer.results]


def test_the_window_counts_evidence(tides: World) -> None:
    snapshot = tides.snapshot()
    whole = [r.id for r in search(snapshot, "tide", granularity="EVIDENCE_ARTIFACT").results]
    answer = search(snapshot, "tide", granularity="EVIDENCE_ARTIFACT", k=1, offset=1)
    assert [r.id for r in answer.results] == whole[1:2] and answer.results[0].position == 2
    below = [item["id"] for item in answer.certificate["excluded"] if "position" in item]
    assert below == whole[2:]


def test_hidden_evidence_is_not_found(tides: World) -> None:
    tides.add("C", said("S", "The tide of the secret harbour.", evidence=(CHECK,)), visibility="CONFIDENTIAL")
    each = tides.each_clearance()
    public = search(each["PUBLIC"], "tide secret", granularity="EVIDENCE_ARTIFACT")
    assert {h["id"] for r in public.results for h in r.evidence_of} == {"A#K1", "B#K3"}
    inside = search(each["CONFIDENTIAL"], "tide secret", granularity="EVIDENCE_ARTIFACT")
    assert "C#S" in {h["id"] for r in inside.results for h in r.evidence_of}
