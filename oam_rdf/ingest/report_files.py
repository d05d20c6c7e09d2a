"""The conversion report file by file: what became of each, and what of it waits or was left out (formats.md, "In")."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from oam_rdf.errors import UsageError
from oam_rdf.model import Issue, ParsedDocument

if TYPE_CHECKING:
    from oam_rdf.ingest.report import IngestReport

#: Kinds of file that a report can be written as.
SUFFIXES = (".json", ".md", ".markdown", ".txt")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What one file became. ``outcome``: added, changed, renamed, relinked, unchanged, skipped or refused."""

    path: str
    outcome: str
    root: str = ""
    id: str = ""
    media_type: str = ""
    objects: Counter[str] = field(default_factory=Counter)
    relations: int = 0
    spans: int = 0
    works: int = 0
    status_events: int = 0
    unresolved: tuple[tuple[str, str, int], ...] = ()  # (relation, or "status of", target as written, line)

    @staticmethod
    def of(
        document: ParsedDocument, outcome: str, root: str, targets: Sequence[str | None], events: Sequence[str | None]
    ) -> FileEntry:
        """A document that lands. ``targets`` and ``events``: what its relations and status events resolved to."""
        open_relations = [
            (relation.type, relation.target, relation.line)
            for relation, target in zip(document.relations, targets, strict=True)
            if target is None
        ]
        waiting: dict[str, int] = {}
        for event, found in zip(document.events, events, strict=True):
            if found is None:
                waiting.setdefault(event.of, event.line)
        return FileEntry(
            path=document.path,
            outcome=outcome,
            root=root,
            id=document.id,
            media_type=document.media_type,
            objects=Counter(item.granularity for item in document.objects),
            relations=len(document.relations),
            spans=sum(len(item.spans) for item in document.objects),
            works=len(document.works),
            status_events=len(document.events),
            unresolved=(*open_relations, *(("status of", name, line) for name, line in waiting.items())),
        )

    def to_json(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in self.__slots__}
        data["objects"] = dict(sorted(self.objects.items()))
        data["unresolved"] = [
            {"relation": relation, "target": target, "line": line} for relation, target, line in self.unresolved
        ]
        return data


def entries(report: IngestReport) -> list[FileEntry]:
    """Every file of the report by path: those that land or are unchanged, and those that its issues refuse or skip."""
    issues: dict[str, str] = {}
    for issue in report.issues:
        outcome = "refused" if issue.severity == "error" else "skipped" if issue.code.startswith("skipped-") else ""
        if outcome and issue.file:
            issues[issue.file] = "refused" if outcome == "refused" else issues.get(issue.file, outcome)
    known = {entry.path for entry in report.files}
    found = [FileEntry(path, outcome) for path, outcome in issues.items() if path not in known]
    for entry in report.files:
        refused = issues.get(entry.path) == "refused" and entry.outcome not in ("relinked", "unchanged")
        found.append(FileEntry(entry.path, "refused", entry.root, entry.id) if refused else entry)
    return sorted(found, key=lambda entry: (entry.path, entry.root))


def render(report: IngestReport, file: str) -> str:
    """The whole report as JSON, Markdown or plain text, as the name of ``file`` ends.

    :raises UsageError: for any other ending.
    """
    suffix = PurePath(file).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"a report is not written as {suffix or 'this'}", place=file, hint="end it in .json, .md or .txt"
        )
    listed = entries(report)
    if suffix == ".json":
        data = {**report.to_json(), "files": [entry.to_json() for entry in listed]}
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return "\n".join(_markdown(report, listed) if suffix != ".txt" else _text(report, listed)) + "\n"


def _totals(report: IngestReport) -> list[tuple[str, Any]]:
    data = report.to_json()
    left_out = ("issues", "objects", "vanished", "files")
    plain = [
        (name, value) for name, value in data.items() if name not in left_out and not isinstance(value, dict | list)
    ]
    nested = [
        (f"{name} {key}", value)
        for name, values in data.items()
        if isinstance(values, dict)
        for key, value in values.items()
        if not isinstance(value, dict | list)
    ]
    return plain + nested


def _row(entry: FileEntry) -> str:
    objects = ", ".join(f"{count} {name.lower()}" for name, count in sorted(entry.objects.items()))
    extra = [f"{entry.works} cited works"] * bool(entry.works) + [f"{entry.status_events} status events"] * bool(
        entry.status_events
    )
    return "; ".join(part for part in (objects, *extra) if part)


def _markdown(report: IngestReport, listed: Iterable[FileEntry]) -> list[str]:
    lines = ["# Conversion report", "", "| what | |", "|--|--|"]
    lines += [f"| {name.replace('_', ' ')} | {value} |" for name, value in _totals(report)]
    lines += ["", "## Files", "", "| file | outcome | id | objects | relations | spans | unresolved |"]
    lines.append("|--|--|--|--|--|--|--|")
    unresolved: list[str] = []
    for entry in listed:
        cells = (entry.path, entry.outcome, entry.id, _row(entry), entry.relations, entry.spans, len(entry.unresolved))
        lines.append("| " + " | ".join(_cell(str(cell)) for cell in cells) + " |")
        unresolved += [f"- {entry.path}:{line}: {name} {target}" for name, target, line in entry.unresolved]
    lines += ["", "## Unresolved", "", *(unresolved or ["none"]), "", "## Notes, warnings and errors", ""]
    return [*lines, *([f"- {issue.severity}: {issue}" for issue in _issues(report)] or ["none"])]


def _text(report: IngestReport, listed: Iterable[FileEntry]) -> list[str]:
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in _totals(report)]
    lines.append("")
    for entry in listed:
        about = "; ".join(part for part in (entry.id, _row(entry)) if part)
        lines.append(f"{entry.outcome}: {entry.path}" + (f" ({about})" if about else ""))
        lines += [f"    unresolved, line {line}: {name} {target}" for name, target, line in entry.unresolved]
    return [*lines, "", *(f"{issue.severity}: {issue}" for issue in _issues(report))]


def _issues(report: IngestReport) -> list[Issue]:
    """All but the unresolved targets, which stand with their files."""
    return [issue for issue in report.issues if issue.code != "unresolved-target"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
