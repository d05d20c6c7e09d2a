"""The conversion report: in = landed + unchanged + skipped + refused, and nothing vanishes silently (formats.md)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from oam_rdf.ingest.anchoring import ABSENT, EXACT, NORMALISED, UNANCHORED, placed
from oam_rdf.ingest.report_files import FileEntry
from oam_rdf.model import Issue, ParsedDocument
from oam_rdf.store.document_quads import Anchors

#: How a quote can have been found, the best first.
ANCHORINGS = (EXACT, NORMALISED, UNANCHORED)


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
    status_events: int = 0
    status_waiting: int = 0  # ids of status events whose document is not here yet
    quotes: Counter[str] = field(default_factory=Counter)  # by anchoring, of the documents that were encoded
    files: list[FileEntry] = field(default_factory=list)  # that land or are unchanged; see report_files.entries
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

    def land(self, entry: FileEntry) -> None:
        """Count what a file that lands says of statuses, and keep what became of it."""
        self.files.append(entry)
        if entry.outcome == "relinked":
            return
        waiting = [(target, line) for name, target, line in entry.unresolved if name == "status of"]
        self.status_events += entry.status_events
        self.status_waiting += len(waiting)
        for target, line in waiting:
            message = f"the status history speaks of {target!r}, which is not, or not uniquely, known here"
            hint = "kept, and joined to the document when it arrives"
            self.issues.append(Issue("note", "unresolved-target", message, file=entry.path, line=line, hint=hint))

    def anchored(self, document: ParsedDocument, anchors: Anchors) -> None:
        """Count the quotes of a document by how they were found, each time they occur; name those that were not."""
        absent = 0
        for quote, line in placed(document):
            anchoring = anchors.get(quote)
            how = anchoring.how if anchoring else UNANCHORED
            self.quotes[how] += 1
            if anchoring is None or how != UNANCHORED:
                continue
            if anchoring.reason == ABSENT:
                absent += 1
                continue
            message = f"{anchoring.reason}: {quote.text[:60]!r}"
            self.issues.append(
                Issue("note", "unanchored-quote", message, document.path, line, "kept as a quote without a place")
            )
        if absent:
            message = f"{ABSENT}: {absent} quotes have no place yet"
            hint = "ingest it; they are looked up then"
            line = document.document.line
            self.issues.append(Issue("note", "unanchored-quote", message, document.path, line, hint))

    @property
    def unknown_labels(self) -> int:
        """Words that no scheme knows; each is kept as its source writes it."""
        return sum(issue.code == "unknown-label" for issue in self.issues)

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
            "status_events": self.status_events,
            "status_waiting": self.status_waiting,
            "quotes": {how: self.quotes[how] for how in ANCHORINGS},
            "unknown_labels": self.unknown_labels,
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
