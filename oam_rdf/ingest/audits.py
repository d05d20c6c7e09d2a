"""Which audit holds for a proposed relation (formats.md, "In" 4).

Audits live in the documents that record them and are looked up whenever a proposal is encoded, as references are; so a
verdict outlives every re-ingest of either side, and it does not matter what arrives first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from oam_rdf.ingest.references import References
from oam_rdf.model import VISIBILITIES, Audit, ParsedDocument, Relation
from oam_rdf.namespaces import OAM, SCHEMES
from oam_rdf.store.document_quads import Decision
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.projection import graph_levels
from oam_rdf.store.terms import whole

_CAUTION = ("ok", "pending", "weak", "wrong")  # of two verdicts of one round the later one here holds

_STORED = f"""
SELECT ?graph ?node ?document ?source ?target ?verdict ?reason ?round WHERE {{
  GRAPH ?graph {{
    ?node <{OAM}recordedIn> ?document ; <{OAM}auditSource> ?source ; <{OAM}auditTarget> ?target ;
      <{OAM}auditVerdict> ?verdict .
    OPTIONAL {{ ?node <{OAM}reason> ?reason }}
    OPTIONAL {{ ?node <{OAM}round> ?round }}
  }}
}}"""


class Audits:
    """All audits that are stored or about to land, by the pair of objects that they are about."""

    def __init__(self, minter: Minter, references: References) -> None:
        self.minter, self.references = minter, references
        self._decisions: list[Decision] = []
        self._by_pair: dict[tuple[str, str], Decision] | None = None

    def __len__(self) -> int:
        return len(self._decisions)

    def load(self, live: LiveStore, without: Iterable[str] = ()) -> None:
        """Audits of everything stored, except of the documents in ``without`` (their ids), which are being replaced.

        What a person decided lies in an assessment graph, which is not.
        """
        replaced = {self.minter.document(document_id) for document_id in without}
        rows = [
            row
            for row in live.select(_STORED)
            if row["document"].value not in replaced or "/assessment" in row["graph"].value
        ]
        levels = graph_levels(live.store) if rows else {}
        for row in rows:
            audit = Audit(
                "", row["source"].value, row["target"].value, row["verdict"].value.removeprefix(SCHEMES["verdict"]),
                row["reason"].value if row["reason"] else "", whole(row["round"].value) if row["round"] else None,
            )  # fmt: skip
            level = VISIBILITIES[levels.get(row["graph"].value, 0)]
            self._decisions.append(Decision(audit, row["node"].value, level))

    def add(self, document: ParsedDocument) -> None:
        """Audits of a document that is about to land."""
        level = document.document.visibility or "PUBLIC"
        for audit in document.audits:
            self._decisions.append(Decision(audit, self.minter.part(document.id, audit.id), level))

    def pairs(self) -> dict[tuple[str, str], Decision]:
        """The decision that holds for each pair of objects; computed once all audits are there."""
        if self._by_pair is None:
            self._by_pair = {}
            for decision in sorted(self._decisions, key=_strength):
                for pair in self._ends(decision):
                    self._by_pair[pair] = decision
        return self._by_pair

    def decide(self, relation: Relation, source: str, target: str | None) -> Decision | None:
        """The audit that holds for a relation. What an author states plainly is no proposal, and no audit undoes it."""
        return self.pairs().get((source, target)) if target and proposed(relation) else None

    def _ends(self, decision: Decision) -> Iterator[tuple[str, str]]:
        targets = self._meanings(decision.audit.target)
        for source in self._meanings(decision.audit.source):
            for target in targets:
                yield source, target

    def _meanings(self, reference: str) -> set[str]:
        """What a reference can mean: one of our own IRIs, as a review names its ends, means itself."""
        return {reference} if reference.startswith(self.minter.base) else self.references.meanings(reference)


def proposed(relation: Relation) -> bool:
    """Whether a relation waits for, or came with, a verdict."""
    return relation.verdict != "ok" or (relation.order is not None and not relation.local)


def _strength(decision: Decision) -> tuple[int, int, str]:
    audit = decision.audit
    return audit.round or 0, _CAUTION.index(audit.verdict), decision.node
