"""Checks that can be run, written in the test."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from kb_world import World

CLAIM = """---
id: SUMS
title: Sums
---
# Sums

**Claim C1.** The sum of the first hundred odd numbers is ten thousand.

**Claim C2.** The product of two odd numbers is odd.
"""
PROGRAM = "print(sum(range(1, 200, 2)))\n"
PRINTED = b"10000\n"


def sha(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def declaration(name: str, program: str, printed: bytes = PRINTED, **more: Any) -> dict[str, Any]:
    """The declaration of a program that lies beside it as ``<name>.py``."""
    return {
        "check_id": f"CHECK-{name}", "checks": "SUMS#C1", "evidence_kind": "finite_computational_check",
        "command": ["python", f"{name}.py"], "inputs": [{"path": f"{name}.py", "sha256": sha(program)}],
        "output": {"sha256": sha(printed)}, "limits": {"seconds": 1, "memory_mb": 64}, **more,
    }  # fmt: skip


def register(world: World, name: str, program: str, printed: bytes = PRINTED, **more: Any) -> str:
    """Write declaration and program into the world; returns the id. Ingest is the caller's."""
    world.write(f"{name}.py", program)
    world.write(f"{name}.json", json.dumps(declaration(name, program, printed, **more), indent=2))
    return f"CHECK-{name}"
