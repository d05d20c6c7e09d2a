"""Decision D7: a claimed strong state is accepted only with evidence whose recorded outcome is a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import Evidence, Issue

#: Evidence kinds that can carry each strong state. A finite check never becomes a proof.
CARRIERS: dict[str, frozenset[str]] = {
    "FORMALLY_PROVED": frozenset({"formal_proof"}),
    "MACHINE_CHECKED": frozenset({"formal_proof", "symbolic_check"}),
    "REPRODUCED": frozenset(
        {"experiment", "measurement", "finite_computational_check", "property_check", "symbolic_check", "formal_proof"}
    ),
}
_EVIDENCE_HINT = "add evidence:: KIND | passed | REFERENCE"


@dataclass(frozen=True, slots=True)
class Settled:
    """A state after decision D7: notations ("" = default), the source's own word where it says more, and why."""

    state: str = ""
    state_label: str = ""
    verification: str = ""
    issues: tuple[Issue, ...] = ()


def settle(
    claimed: str, verification: str, evidence: Sequence[Evidence], profile: Profile, *, file: str = "", line: int = 0
) -> Settled:
    """The state and verification that a source's words and evidence justify.

    ``claimed`` and ``verification`` are the source's words. An unknown word never fails and is never forced (decision
    D3): it stays beside the default state. FORMALLY_PROVED and MACHINE_CHECKED need a passed proof, REPRODUCED two
    passed runs with different references; an external record makes the verification SOURCE_CLAIMED, stored bytes
    ARTIFACT_PRESENT. With neither the state is SOURCE_CLAIM with the claimed word beside it.
    """
    issues: list[Issue] = []

    def warn(code: str, message: str, hint: str) -> None:
        issues.append(Issue("warning", code, message, file, line, hint))

    checked = notation("verification", verification) if verification else ""
    if verification and not checked:
        warn("unknown-label", f"unknown verification {verification!r}", "kept as written")
    state = profile.word("epistemic-state", claimed) if claimed else ""
    label = claimed if claimed and claimed != state else ""
    if claimed and not state:
        warn("unknown-label", f"unknown epistemic state {claimed!r}", "kept as the source's label")
    if state in CARRIERS:
        passed = [e for e in evidence if e.outcome == "passed" and e.kind in CARRIERS[state] and e.reference.strip()]
        wanted = 2 if state == "REPRODUCED" else 1
        if len({e.reference.strip() for e in passed}) < wanted:
            needs = "two independent passed runs" if wanted == 2 else "a passed " + " or ".join(sorted(CARRIERS[state]))
            warn("unproven-state", f"{claimed} needs {needs}: kept as SOURCE_CLAIM with the label", _EVIDENCE_HINT)
            return Settled("SOURCE_CLAIM", claimed, _capped(checked, evidence), tuple(issues))
        earned = "ARTIFACT_PRESENT" if any(e.artifact for e in passed) else "SOURCE_CLAIMED"
        return Settled(state, label, _capped(checked, evidence) or earned, tuple(issues))
    return Settled(state, label, _capped(checked, evidence), tuple(issues))


def _capped(verification: str, evidence: Sequence[Evidence]) -> str:
    """What the source says of its verification, never more than its evidence shows."""
    if verification in ("", "NOT_TESTED", "SOURCE_CLAIMED"):
        return verification
    passed = [e for e in evidence if e.outcome == "passed"]
    if any(e.artifact for e in passed):
        return "ARTIFACT_PRESENT" if verification == "ARTIFACT_PRESENT" or len(passed) < 2 else verification
    return "SOURCE_CLAIMED"


def read_evidence(written: str, profile: Profile) -> Evidence | None:
    """``formal_proof | passed | doi:10.…`` as an :class:`Evidence`, None if kind or outcome is unknown."""
    kind, _, rest = written.partition("|")
    outcome, _, reference = rest.partition("|")
    known_kind, known_outcome = notation("evidence-kind", kind), profile.word("outcome", outcome)
    if not known_kind or not known_outcome or not reference.strip():
        return None
    return Evidence(known_kind, known_outcome, reference.strip())
