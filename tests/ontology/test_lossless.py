"""The paper's own examples load without loss: the object of §11 and the certificate of §10."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oam_rdf.ingest import certificate_json, profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology


def example(shared: Path, start: str) -> str:
    paper = (shared / "spec" / "seeds" / "operator-assisted-memory.txt").read_text(encoding="utf-8")
    return paper[paper.index(start) :].split("```")[0]


def unsaid(value: Any, trig: str) -> set[str]:
    """The leaves of a JSON value that the TriG does not hold, as they are or as what they became."""
    ontology, missing = Ontology.load(), set()
    for leaf in leaves(value):
        shown = {str(leaf), str(leaf).upper(), f"{leaf}T00:00:00Z"}  # a date gets a time and a zone
        if relation := ontology.relations.get(str(leaf)):
            shown.add(relation.iri.rpartition("#")[2])
        if not any(word in trig for word in shown):
            missing.add(str(leaf))
    return missing


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, list) else [value]


def test_every_label_of_the_json_of_section_11_is_in_the_trig(shared: Path, tmp_path: Path) -> None:
    text = example(shared, '{ "knowledge_object_id"')
    assert not [i for i in parse(text.encode(), "ko.json", profiles.load("default")).issues if i.severity == "error"]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ko.json").write_text(text, encoding="utf-8")
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        kb.ingest([tmp_path / "in"])
        trig = kb.export(None, "trig").decode()
    missing = unsaid(json.loads(text), trig)
    assert "oam:Statement" in trig  # its granularity is its class; NOT_TESTED is the default, meant where none is written
    assert missing <= {"statement", "NOT_TESTED"}


def test_the_certificate_of_section_10_uses_the_keys_that_ours_has(shared: Path, tmp_path: Path) -> None:
    theirs = json.loads(example(shared, '{ "retrieval_id"'))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("# 呼吸\n\n本文取代舊稿，並陳述可檢驗的呼吸理論。\n", encoding="utf-8")
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        kb.ingest([tmp_path / "in"])
        answer = kb.search("呼吸理論")
        ours = kb.trace(answer.to_json()["retrieval_id"])
    assert theirs.keys() <= ours.keys()
    assert theirs["result"].keys() <= ours["result"].keys()
    ontology = Ontology.load()
    # A channel that took no part in a retrieval has no score in it; the names are those of the paper.
    assert theirs["result"]["scores"].keys() <= ontology.notations("signal")
    assert ours["result"]["scores"].keys() <= ontology.notations("signal") | {"fused", "utility", "freshness", "final"}
    assert set(theirs["route"]) <= ontology.notations("route")
    for operator in theirs["query_plan"]["operators"]:
        assert ontology.concept("operator", operator)


def test_the_certificate_of_section_10_loads_without_loss(shared: Path, tmp_path: Path) -> None:
    text = example(shared, '{ "retrieval_id"')
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "certificate.json").write_text(text, encoding="utf-8")
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        assert kb.ingest([tmp_path / "in"]).added == 1
        theirs = json.loads(text)
        body, _ = kb.sparql("SELECT ?f { doc:OAM-R-00042 oam:sourceField ?f }", format="json")
        fields = {row["f"]["value"] for row in json.loads(body)["results"]["bindings"]}
        wanted = {f"{path}: {value}" for path, value in certificate_json.fields(theirs)}
        assert fields == wanted
        assert len(wanted) == len(leaves(theirs)) >= 20
        assert kb.search("respiration and methodological critique", k=1).results[0].document == "OAM-R-00042"
        assert kb.doctor().clean


def test_our_own_certificates_come_back_as_foreign_ones(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("# Tides\n\nThe Moon pulls the sea.\n", encoding="utf-8")
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        kb.ingest([tmp_path / "in"])
        made = kb.trace(kb.search("Moon").retrieval_id)
        (tmp_path / "in" / "made.json").write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
        report = kb.ingest([tmp_path / "in"])
        assert (report.added, report.refused) == (1, 0), report.issues
