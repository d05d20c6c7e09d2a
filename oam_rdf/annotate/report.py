"""What a tagging did: documents, tags by concept and rule with examples, what was dropped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oam_rdf.annotate.rules import RELIABLE, Proposal
from oam_rdf.model import Issue

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Example:
    """One tag as people may look it up."""

    object: str
    confidence: float
    rule: str
    cue: str

    def to_json(self) -> dict[str, Any]:
        return {"object": self.object, "confidence": self.confidence, "rule": self.rule, "cue": self.cue}


@dataclass(slots=True)
class AnnotateReport:
    """Counts of one ``oam annotate``; ``documents = tagged + unchanged + failed``."""

    documents: int = 0
    tagged: int = 0  # their annotation graph was written, or would be in a dry run
    unchanged: int = 0
    failed: int = 0
    objects: int = 0  # that carry a tag
    minted: int = 0  # sentences that became objects
    tags: Counter[str] = field(default_factory=Counter)  # "scheme NOTATION" -> tags
    rules: Counter[str] = field(default_factory=Counter)
    reliable: int = 0
    suggestions: int = 0
    relations: int = 0  # candidates by a model
    dropped: Counter[str] = field(default_factory=Counter)  # answers of a model that were not used, by reason
    hallucinated: Counter[str] = field(default_factory=Counter)  # labels that no scheme has
    withheld: int = 0  # objects not sent to a model, because they are not public
    requests: int = 0
    examples: dict[str, list[Example]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    runs: dict[str, str] = field(default_factory=dict)  # tagger -> run
    dry_run: bool = False
    revision: int = 0
    generation: int | None = None
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """1 when a document failed or a shape refused it; what a model invented is no failure of ours."""
        return 1 if self.failed or any(issue.severity == "error" for issue in self.issues) else 0

    def count(self, document: str, proposals: list[Proposal], minted: int) -> None:
        """Count the tags of one document."""
        self.tagged += 1
        self.minted += minted
        self.objects += len({proposal.target for proposal in proposals})
        for proposal in proposals:
            concept = f"{proposal.scheme} {proposal.notation}"
            self.tags[concept] += 1
            self.rules[proposal.rule] += 1
            if proposal.confidence >= RELIABLE:
                self.reliable += 1
            else:
                self.suggestions += 1
            shown = self.examples.setdefault(concept, [])
            if len(shown) < _EXAMPLES:
                local = proposal.target
                name = local if "://" in local else f"{document}#{local}" if local else document
                shown.append(Example(name, proposal.confidence, proposal.rule, proposal.cue))

    def to_json(self) -> dict[str, Any]:
        """Plain data for ``--json``, counts highest first."""
        simple = (
            "documents", "tagged", "unchanged", "failed", "objects", "minted", "reliable", "suggestions", "relations",
            "withheld", "requests", "runs", "dry_run", "revision", "generation", "seconds",
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in simple},
            "concepts": [
                {"concept": name, "tags": count, "examples": [e.to_json() for e in self.examples.get(name, ())]}
                for name, count in _ranked(self.tags)
            ],
            "rules": dict(_ranked(self.rules)),
            "dropped": dict(_ranked(self.dropped)),
            "hallucinated": dict(_ranked(self.hallucinated)),
            "issues": [
                {
                    "severity": i.severity,
                    "code": i.code,
                    "message": i.message,
                    "file": i.file,
                    "line": i.line,
                    "hint": i.hint,
                }
                for i in self.issues
            ],
        }


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
