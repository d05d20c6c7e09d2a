"""Provenance chains and P_trace: what traces to characters of an Original, and why the rest does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tcf_samples
from click.testing import Result
from kb_world import World
from sample_answers import run_oam

from oam_rdf import __version__
from oam_rdf.analysis.decide import Ruling
from oam_rdf.annotate.run import AnnotateOptions
from oam_rdf.errors import NotFound, UsageError
from oam_rdf.query.selection import Wanted, select
from oam_rdf.query.source import source
from oam_rdf.query.tracing import REASONS, traceability

HEAT = """---
id: HEAT
title: Caloric
---
# Caloric

**Hypothesis H1.** Heat is a fluid 🌡.

- evidence:: experiment | failed | Boring of cannon, 1798

**Claim C1.** For example, iron gives the fluid off.
"""
HIDDEN = """---
id: VAULT
visibility: CONFIDENTIAL
---
# Vault

**Claim V1.** Nobody else reads this.
"""
FOREIGN = """@prefix oam: <https://w3id.org/oam/ns#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix oa: <http://www.w3.org/ns/oa#> .
@prefix doc: <http://oam.localhost/doc/> .
@prefix epi: <https://w3id.org/oam/epistemic-state/> .
doc:TABLE a oam:Document ; dcterms:identifier "TABLE" ; dcterms:title "A table"@en .
"""
STATEMENT = """<http://oam.localhost/doc/TABLE#{name}> a oam:Statement ; dcterms:identifier "TABLE#{name}" ;
  dcterms:isPartOf doc:TABLE ; oam:content "{content}"@en ; oam:epistemicState epi:SOURCE_CLAIM ; {source} .
"""
SPAN = """prov:wasQuotedFrom <http://oam.localhost/doc/TABLE#{name}.span> .
<http://oam.localhost/doc/TABLE#{name}.span> a oam:SourceSpan ; oa:hasSource <http://oam.localhost/original/sha256-{sha}> ;
  oa:start {start} ; oa:end {end}"""


@pytest.fixture
def heat(world: World) -> World:
    world.write("heat.md", HEAT)
    world.write("vault.md", HIDDEN)
    assert world.ingest().exit_code == 0
    return world


def oam(world: World, *arguments: str) -> Result:
    return run_oam(world.kb, *arguments)


def original(world: World, name: str) -> Path:
    """The stored bytes of a document's Original."""
    return next(world.kb.layout.originals.rglob(f"{world.kb.source(name).original}*"))


def reasons(world: World, wanted: Wanted | None = None) -> dict[str, int]:
    return world.kb.traceability(wanted or Wanted()).reasons


def test_the_chain_from_statement_to_reviewer(heat: World) -> None:
    heat.kb.annotate(AnnotateOptions())
    heat.kb.curation.set_state("HEAT#H1", "HYPOTHESIS", by="ann", reason="a guess")
    found = heat.kb.provenance("HEAT#H1", context=9)
    assert found.traced.traces and found.traced.how == "own words"
    assert found.source is not None
    (quote,) = found.source.quotes
    assert quote.start is not None and HEAT[quote.start : quote.end] == found.text == quote.exact
    (file,) = found.files
    assert (file.state, file.path, file.profile, file.document) == ("", "heat.md", "default", "HEAT")
    assert file.media_type == "text/markdown" and file.committed and file.root == str(heat.sources)
    ingest = found.activities[0]
    assert ingest.kind == "ingestion" and ingest.recorded == "here" and ingest.time == file.committed
    assert [(a.name, a.software, a.version) for a in ingest.agents] == [(f"oam-rdf-{__version__}", True, __version__)]
    assert [(one.state, one.agent, one.reason) for one in found.assessments][-1] == ("HYPOTHESIS", "ann", "a guess")
    assert [(item.kind, item.outcome) for item in found.evidence] == [("experiment", "failed")]
    tagged = heat.kb.provenance("HEAT#C1")
    assert {a.kind for a in tagged.activities} == {"ingestion", "annotation"}
    assert tagged.decisions == () and tagged.assessments == ()
    json.dumps(found.to_json())


def test_a_decision_on_a_tag_is_in_the_chain(world: World) -> None:
    tagged = {
        "knowledge_object_id": "KO-7", "granularity": "statement", "content": "Dreams can be steered.",
        "operators": [{"family": "REP", "mode": "FORMALIZE", "confidence": 0.3, "annotator": "a model"}],
        "provenance": {"source_spans": ["SPAN-1"]},
    }  # fmt: skip
    world.write("ko.json", json.dumps(tagged))
    world.ingest()
    (entry,) = world.kb.curation.queue(("LOW_CONFIDENCE",))
    world.kb.curation.decide([Ruling(entry.key, "accept", "ann lee", reason="it does")])
    found = world.kb.provenance("KO-7")
    (decision,) = found.decisions
    assert (decision.agent, decision.reason) == ("ann lee", "it does")
    assert "reviewed REP.FORMALIZE" in oam(world, "provenance", "KO-7").stdout
    assert (found.traced.reason, found.traced.detail != "") == ("no span", True)


def test_p_trace_counts_every_reason_once(heat: World) -> None:
    sha = heat.kb.source("HEAT#H1").original
    at = HEAT.index("Heat is")
    rows = {
        "right": ("Heat is a fluid", SPAN.format(name="right", sha=sha, start=at, end=at + 15)),
        "differs": ("Heat is motion", SPAN.format(name="differs", sha=sha, start=at, end=at + 15)),
        "outside": ("Nothing", SPAN.format(name="outside", sha=sha, start=9_000, end=9_010)),
        "bare": ("Nobody says where", 'oam:noSource "from memory"'),
    }
    text = FOREIGN + "".join(STATEMENT.format(name=n, content=c, source=s) for n, (c, s) in rows.items())
    text += "<http://oam.localhost/doc/TABLE#made> a oam:GeneratedText ; prov:wasDerivedFrom doc:HEAT .\n"
    made = SPAN.format(name="made", sha=sha, start=at, end=at + 15)
    heat.write("table.ttl", text + STATEMENT.format(name="made", content="Heat is a fluid", source=made))
    report = heat.ingest()
    assert not report.refused, [str(issue) for issue in report.issues]
    found = heat.kb.traceability(Wanted(("TABLE",), parts=True))
    assert (found.checked, found.traced) == (6, 2)  # the document itself and "right"
    assert found.p_trace == pytest.approx(2 / 6)
    assert found.reasons == {
        "generated text": 1, "no span": 1, "span outside the Original": 1, "text differs": 1,
    }  # fmt: skip
    by_id = {item.id: item for item in found.objects}
    assert by_id["TABLE#bare"].detail == "from memory" and by_id["TABLE#right"].traces
    assert [item.traces for item in found.objects] == [False] * 4 + [True] * 2
    assert list(found.reasons) == [reason for reason in REASONS if reason in found.reasons]
    # The passage of an object that is quoted from another document's Original is shown from there.
    view = heat.kb.source("TABLE#right")
    assert (view.original, view.path, view.quotes[0].exact) == (sha, "heat.md", "Heat is a fluid")


def test_an_altered_and_a_lost_original_are_told_apart(heat: World) -> None:
    assert reasons(heat) == {}
    path = original(heat, "HEAT")
    kept = path.read_bytes()
    path.write_bytes(kept.replace(b"fluid", b"solid"))
    heat.kb.close()
    assert reasons(heat) == {"hash differs": 2}
    found = heat.kb.provenance("HEAT#H1")
    assert [file.state for file in found.files] == ["hash differs"] and not found.traced.traces
    path.unlink()
    heat.kb.close()
    assert reasons(heat) == {"Original missing": 2}
    assert heat.kb.provenance("HEAT#H1").source is None
    path.write_bytes(kept)
    heat.kb.close()
    assert reasons(heat) == {}


def test_quotes_of_another_work_trace_where_they_were_found(world: World) -> None:
    for name in tcf_samples.EVERYTHING:
        world.write(name, tcf_samples.content(name))
    report = world.ingest()
    found = world.kb.traceability(Wanted(("ORDER-1.tcf",), parts=True), limit=1_000)
    by_id = {item.id: item for item in found.objects}
    for name, how in (("ORDER-1.tcf#ax-1", "quote"), ("ORDER-1.tcf", "whole document")):
        assert (by_id[name].traces, by_id[name].how) == (True, how)
    every = world.kb.traceability(Wanted(), limit=1_000)
    assert every.reasons["unanchored quote"] == report.quotes["unanchored"] == 1
    lost = next(item for item in every.objects if item.reason == "unanchored quote")
    assert lost.detail.startswith("the quote does not stand in")
    extraction = next(a for a in world.kb.provenance("ORDER-1.tcf#ax-1").activities if a.recorded == "source")
    assert [agent.name for agent in extraction.agents] == ["reading group on order"] and extraction.time
    # The paper is edited behind the back of the knowledge base: its quotes bear nothing out any more.
    path = next(world.kb.layout.originals.rglob(f"{by_id['ORDER-1.tcf#ax-1'].places[0].original}*"))
    path.write_bytes(path.read_bytes() + b" ")
    world.kb.close()
    again = world.kb.traceability(Wanted(("ORDER-1.tcf#ax-1", "ORDER-1.tcf")))
    assert again.reasons == {"hash differs": 1}


def test_a_clearance_counts_what_it_sees(heat: World) -> None:
    assert heat.kb.traceability(Wanted()).checked == 3
    assert heat.kb.traceability(Wanted(), clearance="PUBLIC").checked == 2
    with pytest.raises(NotFound):
        heat.kb.provenance("VAULT#V1", clearance="PUBLIC")
    with pytest.raises(NotFound):
        heat.kb.traceability(Wanted(("VAULT",), parts=True), clearance="PUBLIC")


def test_selections(heat: World) -> None:
    kb = heat.kb
    assert kb.traceability(Wanted(kinds=("hypothesis",))).checked == 1
    assert kb.traceability(Wanted(states=("SOURCE_CLAIM",))).checked >= 1
    assert kb.traceability(Wanted(granularities=("DOCUMENT",))).checked == 2
    assert kb.traceability(Wanted(("HEAT",), parts=True, granularities=("STATEMENT",))).checked == 2
    assert kb.traceability(Wanted(query="iron fluid", k=1)).checked == 1
    with pytest.raises(UsageError, match="unknown statement-kind"):
        kb.traceability(Wanted(kinds=("POEM",)))
    with kb.snapshot() as snapshot:
        chosen = select(snapshot, Wanted(("HEAT#H1", "heat#h1")))
        assert traceability(snapshot, chosen).checked == 1
        assert source(snapshot, "HEAT#H1").generated is False


def test_on_the_command_line(heat: World) -> None:
    shown = oam(heat, "provenance", "HEAT#H1")
    for words in ("traces to its Original", "characters", "its bytes have this hash", "heat.md", "software oam-rdf-",
                  "reviewed by nobody", "Boring of cannon"):  # fmt: skip
        assert words in shown.stdout, words
    assert "可追溯至原文" in oam(heat, "provenance", "HEAT#H1", "--ui", "zh-Hant").stdout
    assert "字节与哈希值相符" in oam(heat, "provenance", "HEAT#H1", "--ui", "zh-Hans").stdout
    assert json.loads(oam(heat, "provenance", "HEAT#H1", "--json").stdout)["traced"]["traces"] is True
    every = oam(heat, "provenance", "--all")
    assert every.return_value == 0 and "P_trace = 1.0000: 3 of 3 checked" in every.stdout
    data = json.loads(oam(heat, "provenance", "HEAT", "--parts", "--limit", "1", "--json").stdout)
    assert (data["checked"], data["p_trace"], data["shown"]) == (3, 1.0, 1)
    nothing = oam(heat, "provenance", "--state", "REFUTED")
    assert nothing.return_value == 4 and "Nothing was checked" in nothing.stdout
    assert json.loads(oam(heat, "provenance", "--state", "REFUTED", "--json").stdout)["p_trace"] is None
    for wrong in ((), ("HEAT", "--all"), ("--parts", "--all")):
        with pytest.raises(UsageError):
            oam(heat, "provenance", *wrong)
