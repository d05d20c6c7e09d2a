"""What a validation comes to: what counts, what a baseline accepts, the exit code, and the same in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oam_rdf.errors import NothingChecked
from oam_rdf.namespaces import SHAPES
from oam_rdf.store.shapes_report import ShapeResult, ValidationReport

LINT = "ShapesLint"  # the "component" of what is wrong with the shapes themselves: no baseline accepts it
SEVERITIES = ("Violation", "Warning", "Info")  # most severe first


@dataclass(frozen=True, slots=True)
class Validation:
    """A validation report and where its data came from. ``checks`` counts the findings of each whole-graph check that ran;
    ``accepted`` are the fingerprints of a baseline, ``fail_on`` the mildest severity that fails."""

    report: ValidationReport
    sources: tuple[str, ...]
    triples: int
    checks: Mapping[str, int] = field(default_factory=dict)
    accepted: frozenset[str] = frozenset()
    fail_on: str = "Violation"
    revision: int | None = None

    def known(self, finding: ShapeResult) -> bool:
        """Whether the baseline accepts it."""
        return finding.component != LINT and finding.fingerprint in self.accepted

    @property
    def failing(self) -> tuple[ShapeResult, ...]:
        """Findings that count: severe enough and not in the baseline; whatever is wrong with the shapes always counts."""
        counted = SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return tuple(
            f for f in self.report.results if f.component == LINT or (f.severity in counted and not self.known(f))
        )

    @property
    def acceptable(self) -> tuple[ShapeResult, ...]:
        """Findings that a baseline may accept: all but what is wrong with the shapes."""
        return tuple(finding for finding in self.report.results if finding.component != LINT)

    @property
    def exit_code(self) -> int:
        """0 passes, 1 findings that count, 4 nothing was checked, which is never a pass."""
        return 4 if not self.report.checked else 1 if self.failing else 0

    @property
    def resolved(self) -> int:
        """How many findings of the baseline are gone."""
        return len(self.accepted - {finding.fingerprint for finding in self.report.results})

    def to_json(self) -> dict[str, Any]:
        return {
            "sources": list(self.sources),
            "triples": self.triples,
            "exit_code": self.exit_code,
            "fail_on": self.fail_on,
            "revision": self.revision,
            "graph_checks": dict(sorted(self.checks.items())),
            "accepted": sum(map(self.known, self.report.results)),
            **self.report.to_json(),
        }

    def to_text(self, lang: str = "en") -> str:
        return text(self, lang)

    def require(self) -> Validation:
        """Itself. :raises NothingChecked: when no shape met a node."""
        if not self.report.checked:
            raise NothingChecked(
                f"no shape met a node in {len(self.sources)} sources with {self.triples} triples",
                hint="is it in the oam: vocabulary? a check that met nothing is not a pass",
            )
        return self


def text(found: Validation, lang: str = "en") -> str:
    """Lines for a terminal; messages in ``lang`` where the shapes have them, else in English."""
    report, known = found.report, sum(map(found.known, found.report.results))
    verdict = {0: "passes", 1: "fails", 4: "nothing was checked, which is not a pass"}[found.exit_code]
    counts = {name: sum(r.severity == name for r in report.results) for name in ("Violation", "Warning", "Info")}
    lines = [
        f"{verdict}: {counts['Violation']} violations, {counts['Warning']} warnings, {counts['Info']} notes"
        + (f" ({known} accepted by the baseline)" if known else "")
        + f"; {report.checked} focus nodes in {found.triples} triples of {len(found.sources)} sources, "
        f"engine {report.engine}, {report.seconds:.2f} s"
    ]
    for result in report.results:
        place = f"{result.place}: " if result.place else ""
        accepted = " (accepted)" if found.known(result) else ""
        lines.append(f"{place}{result.severity}{accepted}: {result.message(lang)}")
        about = [f"path {result.path}" if result.path else "", f"value {result.value}" if result.value else ""]
        detail = ", ".join(filter(None, [f"shape {result.rule} ({result.component})", *about]))
        lines.append(f"  <{result.focus}>\n  {detail}")
    if found.resolved:
        lines.append(f"{found.resolved} findings of the baseline are gone: write it again with --write-baseline")
    lines += ["", *_table(found)]
    if report.unmatched:
        lines.append("shapes that met nothing: " + ", ".join(shape.removeprefix(SHAPES) for shape in report.unmatched))
    if report.idle:
        lines.append("constraints whose path led nowhere: " + ", ".join(s.removeprefix(SHAPES) for s in report.idle))
    return "\n".join(lines)


def _table(found: Validation) -> list[str]:
    report = found.report
    met = {shape: count for shape, count in report.focus_nodes.items() if count}
    rows = [
        (
            shape.removeprefix(SHAPES),
            str(count),
            f"{report.shape_seconds[shape]:.3f}" if shape in report.shape_seconds else "",
        )
        for shape, count in sorted(met.items())
    ]
    width = max((len(row[0]) for row in rows), default=0)
    head = f"{'shape':<{width}}  focus nodes" + ("  seconds" if report.shape_seconds else "")
    lines = [head, *(f"{name:<{width}}  {count:>11}" + (f"  {cost:>7}" if cost else "") for name, count, cost in rows)]
    if found.checks:
        lines.append(
            "whole-graph checks: " + ", ".join(f"{name} {count}" for name, count in sorted(found.checks.items()))
        )
    return lines if rows or found.checks else []
