"""A baseline: the findings that a project has accepted for now, by fingerprint, so that CI fails on new ones only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from oam_rdf.errors import ConfigError, NotFound
from oam_rdf.store.files import write_atomic
from oam_rdf.store.shapes_report import ShapeResult

_VERSION = 1


def read(path: Path) -> dict[str, str]:
    """Fingerprint -> what it was, as written by :func:`write`.

    :raises NotFound: if there is no such file. :raises ConfigError: if it is not a baseline.
    """
    hint = "write one with --write-baseline FILE"
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["version"] != _VERSION:
            raise ConfigError(f"a baseline of version {data['version']}", place=str(path), hint=hint)
        return {str(row["fingerprint"]): str(row["finding"]) for row in data["accepted"]}
    except FileNotFoundError as error:
        raise NotFound("no such baseline", place=str(path), hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"not a baseline: {error!r}", place=str(path), hint=hint) from error


def write(path: Path, findings: Iterable[ShapeResult]) -> int:
    """Accept these findings; returns how many. Sorted, one a line, so that a diff shows what was accepted when."""
    rows = {f.fingerprint: f"{f.severity} {f.rule} {f.focus} {f.value}".rstrip() for f in findings}
    lines = [
        json.dumps({"fingerprint": key, "finding": text}, ensure_ascii=False)
        for key, text in sorted(rows.items(), key=lambda row: (row[1], row[0]))
    ]
    body = ",\n  ".join(lines)
    accepted = f"[\n  {body}\n ]" if lines else "[]"
    write_atomic(path, f'{{"version": {_VERSION},\n "accepted": {accepted}}}\n'.encode())
    return len(rows)
