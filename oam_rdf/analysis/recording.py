"""An execution as PROV: in the document of the check the activity and what it gave, with the claim what it means for it.

All of it is as narrow as the narrower of check and claim. The program that ran is the agent behind the evidence, by the hash of
its file: however often it is run, and by whomever, two runs of one program are not independent of each other (decision D7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyoxigraph import Quad, Store

from oam_rdf.analysis.assess import EVIDENCE, Piece
from oam_rdf.analysis.execution import Outcome, Registered
from oam_rdf.analysis.proposals import FOR, INFLUENCED, PASSED, PROPOSAL, PROPOSED, Proposal, proposed
from oam_rdf.analysis.writing import Change, digest, named
from oam_rdf.errors import NotFound
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import PROV, RDFS, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.places import Place, narrowed, place
from oam_rdf.store.projection import graph_levels
from oam_rdf.store.terms import (
    ASSOCIATED,
    ATTRIBUTED,
    DERIVED,
    GENERATED,
    IDENTIFIER,
    TESTS,
    TITLE,
    TYPE,
    boolean,
    moment,
    n,
    oam,
    text,
)  # fmt: skip

_LABEL, _USED, _MADE = n(RDFS + "label"), n(PROV + "used"), n(PROV + "generated")
_AT, _SOFTWARE = n(PROV + "generatedAtTime"), n(PROV + "SoftwareAgent")


@dataclass(frozen=True, slots=True)
class Executed:
    """A run that was recorded. ``proposal`` is what it proposes for each claim, by IRI."""

    check: Registered
    outcome: Outcome
    run: str
    evidence: str
    proposals: dict[str, Proposal]
    revision: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.check.id, "outcome": self.outcome.outcome, "reason": self.outcome.reason,
            "output_sha256": self.outcome.sha256, "expected_sha256": self.check.procedure.output,
            "started": self.outcome.started, "ended": self.outcome.ended, "run": self.run, "evidence": self.evidence,
            "claims": list(self.check.claims), "revision": self.revision,
            "proposals": [
                {"claim": claim, "state": one.state, "missing": one.missing} for claim, one in self.proposals.items()
            ],
        }  # fmt: skip


def record(live: LiveStore, minter: Minter, check: Registered, outcome: Outcome, agent: str) -> Executed:
    """Write an execution, in one revision. ``agent`` is who had it run."""
    agent = named(agent, "running a check")
    ontology, store = Ontology.load(), live.store
    home = place(store, check.iri)
    if home is None:
        raise NotFound("no document describes it", place=check.iri, hint="`oam search` finds ids")
    claims = {claim: where for claim in check.claims if (where := place(store, claim)) is not None}
    narrow = _Narrow(store, [home, *claims.values()])
    mark = digest(check.node, outcome.started, agent)
    run, node = minter.run(mark), minter.dependent(check.iri, f"run-{mark}")
    change = Change(store, minter)
    _activity(change, narrow.at(home), check, outcome, run, agent)
    _evidence(change, narrow.at(home), check, outcome, run, node)
    proposals: dict[str, Proposal] = {}
    for claim, where in claims.items() if outcome.outcome == PASSED else ():
        new = Piece(node, check.procedure.kind, PASSED, node, False, frozenset((run, _program(minter, check))))
        quads = [Quad(n(claim), EVIDENCE, n(node), n(narrow.at(where).assessment))]
        found = proposed(store, claim, new, ontology)
        if found is not None:
            proposals[claim] = found
            quads += _proposal(minter, narrow.at(where), claim, found, outcome, run, node, mark)
        change.add(narrow.at(where), quads)
        change.add(narrow.at(home), [Quad(n(node), TESTS, n(claim), n(narrow.at(home).assessment))])
    revision = change.commit(live, f"evidence run {check.id} by {agent}, run {mark}, {outcome.outcome}")
    return Executed(check, outcome, run, node, proposals, revision)


class _Narrow:
    """The places of some documents, each as narrow as the narrowest of them."""

    def __init__(self, store: Store, places: list[Place]) -> None:
        self.levels = graph_levels(store)
        self.most = max(map(self._level, places))

    def _level(self, where: Place) -> int:
        return self.levels.get(f"{where.head}/assertion/{where.level}".removesuffix("/"), 0)

    def at(self, where: Place) -> Place:
        return narrowed(where, VISIBILITIES[self.most]) if self.most > self._level(where) else where


def _program(minter: Minter, check: Registered) -> str:
    return minter.agent(f"sha256-{dict(check.procedure.inputs)[check.procedure.command[1]]}")


def _activity(change: Change, where: Place, check: Registered, outcome: Outcome, run: str, agent: str) -> None:
    """Who ran what on which bytes, from when to when, and how it ended."""
    label = " ".join(check.procedure.command)
    change.activity(where, run, "execution", agent, outcome.ended, used=check.node, reason=outcome.reason, label=label)
    minter, node, graph = change.minter, n(run), n(where.provenance)
    quads = [
        Quad(node, n(PROV + "startedAtTime"), moment(outcome.started), graph),
        Quad(node, oam("outcome"), n(concept("outcome", outcome.outcome)), graph),
        Quad(node, _MADE, n(minter.original(outcome.sha256)), graph),
    ]
    for _, sha256 in check.procedure.inputs:
        quads.append(Quad(node, _USED, n(minter.original(sha256)), graph))
    for name in outcome.software:
        software = n(minter.agent(name))
        quads += [
            Quad(node, ASSOCIATED, software, graph),
            Quad(software, TYPE, _SOFTWARE, graph),
            Quad(software, _LABEL, text(name), graph),
        ]
    change.add(where, quads)


def _evidence(change: Change, where: Place, check: Registered, outcome: Outcome, run: str, node: str) -> None:
    """What the run gave, as evidence that the check has; it reaches as far as the procedure says and no further."""
    minter, procedure, graph, subject = change.minter, check.procedure, n(where.assessment), n(node)
    program, path = n(_program(minter, check)), procedure.command[1]
    title = f"{path}: {outcome.outcome}, {outcome.reason}"
    quads = [
        Quad(n(check.iri), EVIDENCE, subject, graph),
        Quad(subject, TYPE, oam("EvidenceArtifact"), graph),
        Quad(subject, IDENTIFIER, text(f"{check.id}#{node.rpartition('#')[2]}"), graph),
        Quad(subject, TITLE, text(title), graph),
        Quad(subject, oam("evidenceKind"), n(concept("evidence-kind", procedure.kind)), graph),
        Quad(subject, oam("outcome"), n(concept("outcome", outcome.outcome)), graph),
        Quad(subject, oam("contentHash"), text(f"sha256:{outcome.sha256}"), graph),
        Quad(subject, GENERATED, n(run), graph),
        Quad(subject, ATTRIBUTED, program, graph),
        Quad(subject, _AT, moment(outcome.ended), graph),
        Quad(subject, DERIVED, n(check.node), graph),
        Quad(program, TYPE, _SOFTWARE, graph),
        Quad(program, _LABEL, text(path), graph),
    ]
    if procedure.quantification or procedure.universal is not None:
        scope = n(minter.dependent(node, "scope"))
        quads += [Quad(subject, oam("claimScope"), scope, graph), Quad(scope, TYPE, oam("ClaimScope"), graph)]
        if procedure.quantification:
            quads.append(Quad(scope, oam("quantification"), text(procedure.quantification), graph))
        if procedure.universal is not None:
            quads.append(Quad(scope, oam("universalProof"), boolean(procedure.universal), graph))
    change.add(where, quads)


def _proposal(
    minter: Minter, where: Place, claim: str, found: Proposal, outcome: Outcome, run: str, evidence: str, mark: str
) -> list[Quad]:
    node, graph = n(minter.dependent(claim, f"proposal-{mark}")), n(where.assessment)
    return [
        Quad(node, TYPE, PROPOSAL, graph),
        Quad(node, FOR, n(claim), graph),
        Quad(node, PROPOSED, n(concept("epistemic-state", found.state)), graph),
        Quad(node, GENERATED, n(run), graph),
        Quad(node, ATTRIBUTED, n(minter.agent(outcome.software[0])), graph),
        Quad(node, _AT, moment(outcome.ended), graph),
        Quad(node, INFLUENCED, n(evidence), graph),
    ]
