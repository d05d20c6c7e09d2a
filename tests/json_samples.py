"""JSON files of every shape that is read, written here, with hashes that are computed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

GENESIS = "0" * 64


def canonical(value: Any, ascii_only: bool = True) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only).encode()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hashed(value: dict[str, Any], key: str) -> dict[str, Any]:
    """The object with its own hash under ``key``."""
    return {**value, key: sha(canonical(value))}


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def chain(count: int = 5, release: str = "PEARL-2.0.0") -> list[dict[str, Any]]:
    events, before = [], GENESIS
    for number in range(1, count + 1):
        event = {"check": f"rule_{number}", "passed": number != 3, "previous_hash_sha256": before,
                 "release_id": release, "sequence": number}  # fmt: skip
        events.append(hashed(event, "event_hash_sha256"))
        before = events[-1]["event_hash_sha256"]
    return events


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value, sort_keys=True) + "\n" for value in values)


SHARD = b"PK\x03\x04 nine numbers of a grid"


def candidate(name: str = "pearl-2030-01-05", *, shard: bytes = SHARD, **more: Any) -> dict[str, Any]:
    value = {
        "schema": "pearl-candidate-1.0", "candidate_id": name, "status": "CANDIDATE_UNPROMOTED", "dataset_id": "pearls",
        "shards": [{"shard_index": 4, "file_path": f"runs/{name}/shards/part_4.npz", "file_sha256": sha(shard)}],
        "created_on": "2030-01-05", **more,
    }  # fmt: skip
    return hashed(value, "manifest_sha256")


def verification(of: dict[str, Any], valid: bool = True, **more: Any) -> dict[str, Any]:
    value = {"candidate_id": of["candidate_id"], "candidate_manifest_sha256": of["manifest_sha256"],
             "verification": {"valid": valid, "checks": {"count_ok": valid}}, "verified_on": "2030-01-06", **more}  # fmt: skip
    return hashed(value, "verification_sha256")


def review(of: dict[str, Any], valid: bool = True, **more: Any) -> dict[str, Any]:
    value = {"candidate_id": of["candidate_id"], "candidate_manifest_sha256": of["manifest_sha256"], "valid": valid,
             "checks": {"range_ok": valid}, **more}  # fmt: skip
    return hashed(value, "review_sha256")


def superseded(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "pearl-supersession-1.0", "as_of": "2030-02-01", "status": "SUPERSEDED_UNPROMOTED",
            "superseded_manifest_sha256": old["manifest_sha256"],
            "replacement_manifest_sha256": new["manifest_sha256"]}  # fmt: skip


def receipt(of: dict[str, Any]) -> dict[str, Any]:
    value = {"promotion_id": "promotion:7", "candidate_manifest_sha256": of["manifest_sha256"], "approval_threshold": 2,
             "approval_count": 2, "reviewers": ["diver_a", "diver_b"], "promoted_at": "2030-03-01T08:00:00+08:00"}  # fmt: skip
    return hashed(value, "receipt_sha256")


def audit(*entries: tuple[dict[str, Any], bool]) -> dict[str, Any]:
    value = {"as_of": "2030-02-02", "valid": all(sound for _, sound in entries),
             "entries": [{"candidate_manifest_sha256": c["manifest_sha256"], "valid": v} for c, v in entries]}  # fmt: skip
    return hashed(value, "audit_sha256")


def graph(of: dict[str, Any]) -> dict[str, Any]:
    value = {
        "schema": "pearl-graph-0.9",
        "nodes": [
            {"node_id": "data:1", "node_type": "DATASET_MANIFEST", "content_sha256": of["manifest_sha256"]},
            {"node_id": "move:1", "node_type": "SCHEMA_MIGRATION", "content_sha256": sha(b"m")},
            {"node_id": "data:2", "node_type": "DATASET_MANIFEST", "content_sha256": sha(b"d2")},
            {"node_id": "plan:1", "node_type": "DATASET_PROPOSAL", "content_sha256": sha(b"p")},
            {"node_id": "look:1", "node_type": "DATASET_REVIEW", "content_sha256": sha(b"l")},
            {"node_id": "up:1", "node_type": "PROMOTION_RECEIPT", "content_sha256": sha(b"u")},
            {"node_id": "run:1", "node_type": "WORKFLOW_RUN", "content_sha256": sha(b"r")},
        ],
        "edges": [
            {"source": "data:1", "target": "move:1", "relation": "INPUT_TO"},
            {"source": "data:1", "target": "run:1", "relation": "EXECUTED_AS"},
            {"source": "move:1", "target": "data:2", "relation": "PRODUCED"},
            {"source": "data:2", "target": "plan:1", "relation": "PROPOSED_AS"},
            {"source": "plan:1", "target": "look:1", "relation": "REVIEWED_BY"},
            {"source": "look:1", "target": "up:1", "relation": "AUTHORIZED"},
        ],
    }  # fmt: skip
    return {**hashed(value, "graph_sha256"), "dag_valid": True}


def knowledge_object(name: str = "mko-odd-sum", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "mko-v9", "id": name, "type": "theorem", "version": "0.2.0", "language": "zh-Hant",
        "titles": {"zh-Hant": "奇數和", "en": "Sum of odd numbers"},
        "statement": {"zh-Hant": "前 n 個奇數之和等於 n 的平方。"},
        "assumptions": [{"id": "a1", "zh-Hant": "n 為正整數。"}],
        "dependencies": [{"id": "mko-square"}],
        "proofs": [{"id": "p1", "status": "human_proof_available", "summary_zh": "以點陣圖逐層加上拐角即得。"}],
        "verification": {"warning_zh": "有限檢查不是證明。", "evidence_refs": []},
        "formula": {"tex": "n^2"}, **more,
    }  # fmt: skip


def evidence(kind: str, subject: str = "mko-odd-sum", status: str = "passed", universal: bool | None = None,
             **more: Any) -> dict[str, Any]:  # fmt: skip
    proof = kind == "formal_proof"
    body = {
        "schema_version": "evidence-v9", "subject_id": subject, "evidence_type": kind, "status": status,
        "claim_scope": {"quantification": "all n" if proof else "n up to 100",
                        "universal_proof": proof if universal is None else universal,
                        "statement_zh": "對所有 n 成立。" if proof else "對 1 至 100 成立。"},
        "producer": {"id": "abacus", "version": "3"}, "limitations": ["只涵蓋正整數。"],
        "sources": [{"role": "script", "path": "checks/odd.py", "sha256": sha(b"print(1)")}], **more,
    }  # fmt: skip
    digest = sha(canonical(body, ascii_only=False))
    return {"id": f"evidence-sha256-{digest}", **body,
            "digest": {"algorithm": "sha256", "canonical_payload_sha256": digest}}  # fmt: skip


def runnable(program: str = "print(7)\n", printed: bytes = b"7\n", **more: Any) -> dict[str, Any]:
    return {
        "check_id": "CHECK-SEVEN", "title": "Seven", "statement": "Three and four make seven.", "checks": "TIDE-01#A1",
        "evidence_kind": "finite_computational_check", "quantification": "one sum", "universal_proof": False,
        "command": ["python", "seven.py", "-v"], "inputs": [{"path": "seven.py", "sha256": sha(program.encode())}],
        "output": {"sha256": f"sha256:{sha(printed)}"}, "limits": {"seconds": 2, "memory_mb": 64}, **more,
    }  # fmt: skip


PAPER = "---\nid: TIDE-01\n---\n# On tides\n\nThe moon pulls the sea.\n"


def registry(paper: str = PAPER) -> dict[str, Any]:
    return {"items": [
        {"id": "TIDE-01", "title": "On tides", "source_file": "papers/tides.md", "language": "en",
         "authorship": "one diver", "created": "2030-01-01", "hash": f"sha256:{sha(paper.encode())}"},
        {"id": "TIDE-02", "title": "On currents", "source_file": "papers/currents.md", "language": "en",
         "hash": f"sha256:{sha(b'other')}", "shelf": {"row": 3}},
    ]}  # fmt: skip


PROGRAMME = {"id": "SEA", "type": "course", "status": "active", "season": "winter", "iterations": [
    {"sequence": 2, "id": "TIDE-02", "iteration_type": "paper", "is_checkpoint": True},
    {"sequence": 1, "id": "TIDE-01", "iteration_type": "paper", "is_checkpoint": False},
]}  # fmt: skip

LEDGER = {"claims": [
    {"claim_id": "C-1", "statement": "Every tide ebbs.", "status": "PROVED_IN_NOTEBOOK", "scope": "open sea",
     "formalized": False, "evidence": []},
    {"claim_id": "C-2", "statement": "Sand drifts north.", "status": "CONJECTURED", "evidence": ["a hunch"]},
    {"claim_id": "C-3", "statement": "Seven is prime.", "status": "PROVED_BY_MACHINE",
     "evidence": [{"kind": "formal_proof", "outcome": "passed", "reference": "doi:10.1000/seven"}]},
    {"claim_id": "C-4", "statement": "Waves never meet.", "status": "NOT_PROVED", "mood": "grim"},
], "gaps": [
    {"gap_id": "G-1", "description": "What of lakes?", "status": "open", "blocking": True},
    {"gap_id": "G-2", "description": "And rivers?", "status": "closed_by_C-2", "blocking": False},
], "keeper": "the harbour"}  # fmt: skip

NAMES = ("pull", "push", "heat", "lag", "drag", "echo", "flow", "grip", "turn")


def edge(name: str = "e1", source: str = "SEA", target: str = "TIDE-01", **more: Any) -> dict[str, Any]:
    coupling = {part: round(0.1 * at - 0.3, 2) for at, part in enumerate(NAMES)}
    return {"edge_id": name, "source": source, "target": target, "coupling": coupling, "confidence": 0.75, **more}


ATLAS = {"schema_version": "atlas-v9", "title_zh": "海的地圖", "entries": [
    {"id": "atlas-sea", "title_zh": "海", "prerequisites": [], "depth": 4},
    {"id": "atlas-tide", "title_zh": "潮", "prerequisites": ["atlas-sea", "atlas-moon"], "target_mko_id": "mko-tide"},
]}  # fmt: skip
PATHS = {"schema_version": "paths-v9", "paths": [
    {"id": "path-a", "title": "To the tide", "nodes": [{"object_id": "mko-sea", "position": 1},
                                                      {"object_id": "mko-tide", "position": 2}],
     "edges": [{"from": "mko-sea", "to": "mko-tide", "relation": "required_before"},
               {"from": "mko-sea", "to": "mko-sun", "relation": "required_before"}]},
]}  # fmt: skip


def every_shape() -> dict[str, Any]:
    """One value of each shape, by a name for messages; JSON Lines as a list."""
    first, second = candidate(), candidate("pearl-2030-02-01")
    return {
        "chain": chain(), "candidate": first, "verification": verification(first), "review": review(first),
        "superseded": superseded(first, second), "audit": audit((first, False), (second, True)),
        "correction": {"as_of": "2030-02-01", "reason": "The count was off.",
                       "replacements": [superseded(first, second)]},
        "receipt": receipt(first), "graph": graph(first),
        "dataset": hashed({"dataset_id": "pearls", "shards": first["shards"], "schema_version": "1"}, "manifest_sha256"),
        "release": hashed({"release_id": "PEARL-2.0.0", "payload_checksums": {"a/b.txt": sha(b"x")}}, "document_sha256"),
        "citation": hashed({"citation_id": "PEARLS-1", "title": "Pearls", "manifest_sha256": sha(b"x")},
                           "citation_sha256"),
        "conformance": {"release_id": "PEARL-2.0.0", "conformance": {"passed": True, "check_count": 5, "checks": {}}},
        "object": knowledge_object(), "proof": evidence("formal_proof"),
        "check": evidence("finite_computational_check"), "runnable": runnable(), "registry": registry(), "programme": PROGRAMME,
        "ledger": LEDGER, "edges": [edge(), edge("e2", "TIDE-01", "TIDE-02")], "atlas": ATLAS, "paths": PATHS,
        "named": {"schema": "tide-table-1.0", "rows": [{"at": 1, "height": 2.5}]},
    }  # fmt: skip
