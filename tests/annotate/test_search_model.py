"""``oam search --model``: a language model adds to the plan over the real protocol, or does not, and the answer says so."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Reply, said
from sample_answers import run_oam

from oam_rdf.errors import UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.replay import run_again

QUERY = "planets round the Sun"
PROPOSED = {"query_type": "EPISTEMIC", "semantic": "heliocentric orbits", "epistemic": {"prefer": ["REFUTED"]}}


@pytest.fixture
def kb(sample: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> KnowledgeBase:
    monkeypatch.setattr(KnowledgeBase, "open", lambda _: sample)  # its embedder has no name to load it by
    for name in ("OAM_MODEL", "OAM_MODEL_ENDPOINT", "OAM_MODEL_KEY"):
        monkeypatch.delenv(name, raising=False)
    return sample


def server_that_says(content: Any, status: int = 200) -> ChatServer:
    def reply(number: int, body: dict[str, Any]) -> Reply:
        return status, {}, said(json.dumps(content)), 0.0

    return ChatServer(reply)


def plan_of(stdout: str) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads(stdout)["certificate"]["query_plan"]
    return plan


def test_what_the_model_adds_is_in_the_plan_and_marked(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAM_MODEL_KEY", "open sesame")
    with server_that_says(PROPOSED) as server:
        done = run_oam(
            kb, "search", QUERY, "--model", "tiny", "--model-endpoint", server.endpoint, "--json", "--explain"
        )
    assert done.exit_code == 0 and done.stderr == "" and "open sesame" not in done.stdout
    assert [r["messages"][1]["content"] for r in server.requests] == [QUERY] and server.keys == ["Bearer open sesame"]
    plan = plan_of(done.stdout)
    wished = {entry["value"]: entry for entry in plan["epistemic"]["prefer"]}["REFUTED"]
    assert (wished["origin"], wished["hard"]) == ("model:tiny", False)
    assert plan["semantic"]["value"] == "heliocentric orbits" and plan["query_type"] == "EPISTEMIC"
    certificate = json.loads(done.stdout)["certificate"]
    assert certificate["scoring"]["weights"]["epistemic"] > 0
    with kb.snapshot() as snapshot:  # a replay asks nobody: the server is gone
        assert run_again(snapshot, certificate).same


def test_a_dead_endpoint_costs_nothing_but_is_said(kb: KnowledgeBase) -> None:
    with socket.socket() as taken:  # bound and not listening: whoever connects is refused
        taken.bind(("127.0.0.1", 0))
        asked = ("--model", "tiny", "--model-endpoint", f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        text = run_oam(kb, "search", QUERY, *asked, "--ui", "zh-Hant")
        data = run_oam(kb, "search", QUERY, *asked, "--json", "--explain")
        ids = run_oam(kb, "search", QUERY, *asked, "--format", "ids")
    plain = run_oam(kb, "search", QUERY, "--format", "ids")
    assert text.exit_code == data.exit_code == ids.exit_code == 0
    first = text.stdout.splitlines()[0]
    assert first.startswith("回答的風險：rules alone made the plan: http") and "cannot be reached" in first
    assert "憑證 OAM-R-" in text.stdout.splitlines()[1] and ids.stdout == plain.stdout != ""
    assert "cannot be reached" in ids.stderr and "cannot be reached" in data.stderr
    risks = plan_of(data.stdout)["answerability_risk"]
    assert [r["origin"] for r in risks] == ["model:tiny"]
    said_so = [s for s in json.loads(data.stdout)["explanation"] if "rules alone made the plan" in s["text"]]
    assert [s["pointer"] for s in said_so] == ["/uncertainty/answerability_risk/0"]


def test_a_refused_key_and_a_plan_that_is_none_leave_the_rules_plan(kb: KnowledgeBase) -> None:
    for content, status, reason in (
        ({}, 401, "HTTP 401"),
        ({"access": {"clearance": "RESTRICTED"}}, 200, "may not set"),
    ):
        with server_that_says(content, status) as server:
            done = run_oam(kb, "search", QUERY, "--model", "tiny", "--model-endpoint", server.endpoint)
        assert done.exit_code == 0 and reason in done.stdout.splitlines()[0] and len(server.requests) == 1


def test_the_environment_alone_asks_no_model(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    with server_that_says(PROPOSED) as server:
        monkeypatch.setenv("OAM_MODEL", "tiny")
        monkeypatch.setenv("OAM_MODEL_ENDPOINT", server.endpoint)
        run_oam(kb, "search", QUERY)
        assert server.requests == []
        run_oam(kb, "search", QUERY, "--model", "other")  # one of the two is named, the environment has the rest
        assert [r["model"] for r in server.requests] == ["other"]


def test_what_does_not_go_together_is_refused(kb: KnowledgeBase, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("text: planets\n", "utf-8")
    named = ("--model", "tiny", "--model-endpoint", "http://127.0.0.1:9/v1")
    for arguments in (
        (QUERY, "--model", "tiny"),
        ("--plan", str(plan), *named),
        (QUERY, "--interactive", *named),
        (QUERY, "--interactive", "-o", str(tmp_path / "out")),
    ):
        with pytest.raises(UsageError):
            run_oam(kb, "search", *arguments)


def test_a_plan_can_be_made_changed_and_searched(kb: KnowledgeBase) -> None:
    plan = kb.plan("陳景潤證明了什麼？", language="zh")
    assert plan.language == "zh" and plan.query_type and plan.routes
    assert kb.search(plan, k=3).certificate["results"] == kb.search("陳景潤證明了什麼？", k=3).certificate["results"]
    with pytest.raises(UsageError):
        kb.plan("x", language="no tag")


@pytest.mark.parametrize("form", [("--format", "text"), ("--format", "ids"), ("--format", "text", "--explain")])
def test_output_goes_to_a_file(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # for the screen; a file holds text alone
    target = tmp_path / "answer.txt"
    done = run_oam(kb, "search", QUERY, *form, "-o", str(target))
    assert done.exit_code == 0 and done.stdout == "" and str(target) in done.stderr
    monkeypatch.delenv("FORCE_COLOR")
    written, shown = target.read_text("utf-8"), run_oam(kb, "search", QUERY, *form).stdout
    assert "\x1b" not in written and written.count("\n") == shown.count("\n") > 0
    assert written.splitlines()[-1:] == shown.splitlines()[-1:]


def test_json_in_a_file_is_json(kb: KnowledgeBase, tmp_path: Path) -> None:
    target = tmp_path / "answer.json"
    run_oam(kb, "search", QUERY, "--json", "-o", str(target))
    assert json.loads(target.read_text("utf-8"))["query"] == QUERY
