"""What a validation found and what it looked at: a check that met nothing is never a pass (hazard 50)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from oam_rdf.namespaces import SHAPES

BLOCKING = "Violation"  # decision of the gate: a Violation refuses, a Warning or Info lands and is shown


@dataclass(frozen=True, slots=True)
class ShapeResult:
    """One finding. ``focus``, ``shape`` are IRIs, ``path`` is a SPARQL property path ("" = the node itself), ``value``
    is the offending term in N-Triples syntax ("" = none), ``component`` the constraint component's local name,
    ``severity`` Violation, Warning or Info, ``messages`` the shape's messages by language (en, zh-Hant). ``file`` and
    ``line`` (1-based, 0 = unknown) say where the source speaks of the focus node."""

    focus: str
    path: str
    value: str
    shape: str
    component: str
    severity: str
    messages: Mapping[str, str] = field(compare=False)
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over shape, focus node, path, value and component: the same from any engine, in any order.

        Blank nodes have no name that lasts, so they count as one.
        """
        parts = (self.shape, self.focus, self.path, self.value, self.component)
        lasting = ("_:" if part.startswith("_:") else part for part in parts)
        return hashlib.sha256("\0".join(lasting).encode()).hexdigest()

    @property
    def rule(self) -> str:
        """The shape as people name it: without the namespace of the shapes that ship."""
        return self.shape.removeprefix(SHAPES)

    @property
    def place(self) -> str:
        """``file:line``, ``file``, or "" where nothing is known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file

    @property
    def blocks(self) -> bool:
        return self.severity == BLOCKING

    def message(self, lang: str = "en") -> str:
        return self.messages.get(lang) or self.messages.get("en") or self.component

    def to_json(self) -> dict[str, object]:
        return {
            "focus": self.focus,
            "path": self.path,
            "value": self.value,
            "shape": self.shape,
            "component": self.component,
            "severity": self.severity,
            "messages": dict(self.messages),
            "file": self.file,
            "line": self.line,
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """``focus_nodes`` counts, for every shape with a target, the nodes it met; ``engine`` says who looked. ``idle`` are
    property shapes of shapes that met something whose path led to no value anywhere; ``shape_seconds`` is filled when it
    was asked for."""

    results: tuple[ShapeResult, ...]
    focus_nodes: Mapping[str, int] = field(default_factory=dict)
    engine: str = ""
    seconds: float = 0.0
    idle: tuple[str, ...] = ()
    shape_seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def conforms(self) -> bool:
        """True when nothing blocks. True also of nothing at all: ask :attr:`checked` before calling it a pass."""
        return not any(result.blocks for result in self.results)

    @property
    def checked(self) -> int:
        """Focus nodes met, summed over shapes. Zero means that nothing was checked (exit code 4)."""
        return sum(self.focus_nodes.values())

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Shapes that met no focus node, by IRI."""
        return tuple(sorted(shape for shape, count in self.focus_nodes.items() if not count))

    def to_json(self) -> dict[str, object]:
        return {
            "conforms": self.conforms,
            "checked": self.checked,
            "engine": self.engine,
            "seconds": round(self.seconds, 4),
            "focus_nodes": dict(sorted(self.focus_nodes.items())),
            "unmatched": list(self.unmatched),
            "unmatched_constraints": list(self.idle),
            "shape_seconds": {shape: round(cost, 4) for shape, cost in sorted(self.shape_seconds.items())},
            "results": [result.to_json() for result in self.results],
        }

    def to_text(self, lang: str = "en") -> str:
        """For people: a header with engine and counts, one paragraph a finding, then the shapes that met nothing."""
        blocking = sum(result.blocks for result in self.results)
        verdict = "nothing was checked" if not self.checked else "conforms" if self.conforms else "does not conform"
        lines = [
            f"{verdict}: {blocking} violations, {len(self.results) - blocking} other findings, "
            f"{self.checked} focus nodes, engine {self.engine}, {self.seconds:.3f} s"
        ]
        for result in self.results:
            about = ", ".join(
                part
                for part in (
                    f"path {result.path}" if result.path else "",
                    f"value {result.value}" if result.value else "",
                )
                if part
            )
            lines.append(
                f"{result.severity}: {result.message(lang)}\n  focus node <{result.focus}>\n"
                f"  shape <{result.shape}> ({result.component}){', ' + about if about else ''}"
            )
        if self.unmatched:
            lines.append("shapes that met nothing: " + ", ".join(s.rpartition("/")[2] for s in self.unmatched))
        return "\n".join(lines)


def ordered(results: list[ShapeResult]) -> tuple[ShapeResult, ...]:
    """Blocking ones first, then by focus node, shape and value, so that two engines and two runs read alike."""
    return tuple(sorted(set(results), key=lambda r: (not r.blocks, r.focus, r.shape, r.component, r.value)))
