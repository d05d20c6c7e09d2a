"""The conversion report: in = landed + unchanged + skipped + refused, and nothing vanishes silently (formats.md)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from oam_rdf.model import Issue


@dataclass(slots=True)
class IngestReport:
    """What one ingest did. Counts are documents unless the name says otherwise."""

    found: int = 0  # files below the inputs
    added: int = 0
    changed: int = 0
    renamed: int = 0
    unchanged: int = 0
    relinked: int = 0  # untouched documents whose references resolve now
    pruned: int = 0
    skipped: int = 0
    refused: int = 0
    objects: Counter[str] = field(default_factory=Counter)  # by granularity, of what landed
    relations: int = 0
    unresolved: int = 0
    vanished: list[str] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    revision_before: int = 0
    revision: int = 0
    generation: int | None = None
    content_hash: str = ""
    seconds: float = 0.0
    dry_run: bool = False

    @property
    def landed(self) -> int:
        return self.added + self.changed + self.renamed

    @property
    def balanced(self) -> bool:
        """Every file found is accounted for."""
        return self.found == self.landed + self.unchanged + self.skipped + self.refused

    def refuse(self, path: str, code: str, message: str, line: int, hint: str) -> None:
        """Count a refused document and say why."""
        self.refused += 1
        self.issues.append(Issue("error", code, message, file=path, line=line, hint=hint))

    @property
    def exit_code(self) -> int:
        """1 when a document did not land or something was found that needs a person."""
        return 1 if self.refused or any(issue.severity in ("error", "warning") for issue in self.issues) else 0

    def to_json(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        return {
            "found": self.found,
            "added": self.added,
            "changed": self.changed,
            "renamed": self.renamed,
            "unchanged": self.unchanged,
            "relinked": self.relinked,
            "pruned": self.pruned,
            "skipped": self.skipped,
            "refused": self.refused,
            "balanced": self.balanced,
            "objects": dict(sorted(self.objects.items())),
            "relations": self.relations,
            "unresolved": self.unresolved,
            "vanished": self.vanished,
            "revision_before": self.revision_before,
            "revision": self.revision,
            "generation": self.generation,
            "content_hash": self.content_hash,
            "seconds": round(self.seconds, 3),
            "dry_run": self.dry_run,
            "issues": [
                {
                    "severity": issue.severity,
                    "code": issue.code,
                    "message": issue.message,
                    "file": issue.file,
                    "line": issue.line,
                    "hint": issue.hint,
                }
                for issue in self.issues
            ],
        }
