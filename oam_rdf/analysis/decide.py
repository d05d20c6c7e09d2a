"""What people decide about entries of the review queue, written down and carried out (paper §6.3; hazard 89).

Accepting a tag makes it reliable, rejecting it takes it out of filters, changing it puts another concept in its place; a
proposed edge gets its verdict, and with ``ok`` it is walked; a flagged object, a stale file and a missing place are marked as
looked at. A state changes only where a run proposed it and somebody accepts that, or puts another state in its place, by the
rules of every change (:mod:`oam_rdf.analysis.assess`). Each decision is a node with reviewer, time and reason in the
assessment graph.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.analysis import assess
from oam_rdf.analysis.proposals import INFLUENCED, PROPOSAL
from oam_rdf.analysis.queue import Entry, decisions
from oam_rdf.analysis.writing import Change, digest, named, now, values
from oam_rdf.errors import NotFound, UsageError
from oam_rdf.namespaces import OA, concept
from oam_rdf.ontology import Ontology
from oam_rdf.store import review
from oam_rdf.store.inference import infer
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.places import Place, place
from oam_rdf.store.review import Decided, Decisions, judged
from oam_rdf.store.terms import ATTRIBUTED, GENERATED, TYPE, integer, moment, n, oam, text, whole

ACTIONS = ("accept", "reject", "change")
_VERDICTS = {"accept": "ok", "reject": "wrong"}
_STATUS = {"accept": review.REVIEWED, "reject": review.REJECTED, "change": review.REJECTED}

_GRAPHS = 1000  # more than a document has


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision as a reviewer gives it. ``change`` is the concept or verdict to put in place; ``at`` "" = now."""

    key: str
    action: str
    reviewer: str
    change: str = ""
    reason: str = ""
    at: str = ""
    where: str = ""  # file and row, for messages


@dataclass(frozen=True, slots=True)
class Ruled:
    """What was written."""

    made: int
    revision: int = 0


def decide(
    live: LiveStore,
    minter: Minter,
    entries: Mapping[str, Entry],
    rulings: Sequence[Ruling],
    ontology: Ontology | None = None,
) -> Ruled:
    """Write the decisions on ``entries`` (by key) and what follows from them, in one revision.

    :raises UsageError: if one cannot be used, naming its row; then nothing is written.
    """
    if not rulings:
        return Ruled(0)
    desk = _Desk(live.store, minter, ontology or Ontology.load())
    for ruling in rulings:
        entry = entries.get(ruling.key)
        if entry is None:
            raise NotFound(
                f"no entry {ruling.key!r} waits for a decision", place=ruling.where,
                hint="what it is about has changed, or it was decided: export the queue again, or --decided to decide anew",
            )  # fmt: skip
        desk.rule(entry, ruling)
    desk.carry_out()
    who = ", ".join(sorted({ruling.reviewer for ruling in rulings}))
    return Ruled(len(rulings), desk.change.commit(live, f"review by {who}, {len(rulings)} decisions"))


class _Desk:
    def __init__(self, store: Store, minter: Minter, ontology: Ontology) -> None:
        self.store, self.minter, self.ontology = store, minter, ontology
        self.change = Change(store, minter)
        self.made: list[Decided] = decisions(store)
        self.documents: dict[str, Place] = {}
        self.runs: set[tuple[str, str]] = set()

    def rule(self, entry: Entry, ruling: Ruling) -> None:
        reviewer = named(ruling.reviewer, f"the decision on {entry.id}")
        if ruling.action not in ACTIONS:
            hint = "one of " + ", ".join(ACTIONS)
            raise UsageError(f"unknown decision {ruling.action!r}", place=ruling.where, hint=hint)
        # A proposed edge belongs to the documents that propose it, which need not be that of its beginning.
        places = [place(self.store, iri) for iri in entry.nodes if entry.target] or [place(self.store, entry.iri)]
        where = places[0]
        if where is None:
            raise NotFound(f"no document describes {entry.id}", place=ruling.where, hint="export the queue again")
        at = ruling.at or now()
        mark = digest(entry.key, reviewer, at)
        node, graph = n(self.minter.dependent(entry.iri, f"review-{mark}")), n(where.assessment)
        status, changed, verdict = _STATUS[ruling.action], "", ""
        if entry.kind == "UNAUDITED_EDGE":
            verdict = self._verdict(ruling)
            status = review.REVIEWED if verdict == "ok" else review.REJECTED
        elif ruling.action == "change":
            changed = self._concept(entry, ruling)
        proposal = entry.kind == "PROPOSED_STATE"
        quads = [
            Quad(node, TYPE, review.DECISION, graph),
            Quad(node, review.REVIEWS, n(entry.iri), graph),
            Quad(node, oam("reviewKind"), n(concept("review-kind", entry.kind)), graph),
            Quad(node, review.STATUS, n(status), graph),
            Quad(node, ATTRIBUTED, n(self.minter.agent(reviewer)), graph),
            Quad(node, review.AT, moment(at), graph),
        ]
        # A decision about a concept is one on a tag: what a tagger thinks of the state is another matter.
        for name, value in (("aboutConcept", "" if proposal else entry.concept), ("changedTo", changed)):
            if value:
                quads.append(Quad(node, oam(name), n(value), graph))
        for name, words in (("sourceLabel", entry.label), ("reason", ruling.reason.strip())):
            if words:
                quads.append(Quad(node, oam(name), text(words), graph))
        if verdict:
            quads += self._audit(entry, node, graph, where, verdict)
        self.change.add(where, quads)
        self.made += review.decided(quads)
        self.documents |= {one.head: one for one in places if one is not None}
        run = self._run(where, reviewer, at)
        if proposal:
            if ruling.action != "reject":
                self._assess(entry, changed or entry.concept, ruling, reviewer, at, where)
        elif changed:
            self._replace(entry, changed, mark, reviewer, graph, where, run)
        elif entry.kind == "NEEDS_REVIEW" and not entry.concept:
            subject = n(entry.iri)
            old = [
                quad
                for quad in self.store.quads_for_pattern(subject, review.STATUS, None, None)
                if f"{where.head}/assessment" in quad.graph_name.value  # type: ignore[union-attr]
            ]
            self.change.take(where, old)
            self.change.add(where, [Quad(subject, review.STATUS, n(status), graph)])

    def _assess(self, entry: Entry, state: str, ruling: Ruling, reviewer: str, at: str, where: Place) -> None:
        """Carry a proposal out. :raises Refused: if the table, or the shapes, do not allow it; then nothing is written."""
        reason = ruling.reason.strip() or f"proposed after run {entry.label}"
        # What fewer people may see than the claim is not named where they all see it; it counts all the same.
        open_to_all = Quad(n(entry.nodes[0]), TYPE, PROPOSAL, n(where.assessment)) in self.store
        evidence = values(self.store, n(entry.nodes[0]), INFLUENCED) if open_to_all else []
        change, _ = assess.changed(
            self.store, self.minter, entry.iri, self.ontology.concepts[state].notation, agent=reviewer, reason=reason,
            evidence=evidence, at=at, ontology=self.ontology,
        )  # fmt: skip
        self.change.merge(change)

    def _verdict(self, ruling: Ruling) -> str:
        wanted = ruling.change if ruling.action == "change" else _VERDICTS[ruling.action]
        if self.ontology.concept("verdict", wanted) is None or wanted == "pending":
            raise UsageError(
                f"{wanted!r} is no verdict", place=ruling.where, hint="change an edge to ok, weak or wrong"
            )
        return wanted

    def _concept(self, entry: Entry, ruling: Ruling) -> str:
        """The concept to put in place, of the scheme of the old one."""
        old = self.ontology.concepts.get(entry.concept)
        if old is None:
            raise UsageError(f"{entry.id} has no tag to change", place=ruling.where, hint="accept or reject it")
        new = self.ontology.concept(old.scheme, ruling.change)
        if new is None or new.iri == old.iri:
            raise UsageError(
                f"{ruling.change!r} is no other concept of the scheme {old.scheme}", place=ruling.where,
                hint="write its notation, such as REP.FORMALIZE for an operator",
            )  # fmt: skip
        return new.iri

    def _audit(self, entry: Entry, node: NamedNode, graph: NamedNode, where: Place, verdict: str) -> list[Quad]:
        """The decision as an audit of the edge, which the importer looks up whenever it encodes the document again."""
        base, _, segment = where.head.rpartition("graph/")
        rounds = [d.round for d in self.made if (d.source, d.target) == (entry.iri, entry.target)]
        stored = [
            whole(quad.object.value) or 0  # type: ignore[union-attr]
            for name in entry.nodes
            for quad in self.store.quads_for_pattern(n(name), review.ROUND, None, None)
        ]
        return [
            Quad(node, TYPE, oam("EdgeAudit"), graph),
            Quad(node, oam("recordedIn"), n(f"{base}doc/{segment}"), graph),
            Quad(node, oam("auditSource"), text(entry.iri), graph),
            Quad(node, oam("auditTarget"), text(entry.target), graph),
            Quad(node, oam("auditVerdict"), n(concept("verdict", verdict)), graph),
            Quad(node, review.ROUND, integer(max([0, *rounds, *stored]) + 1), graph),
        ]

    def _run(self, where: Place, reviewer: str, at: str) -> NamedNode:
        """The sitting, told of once in each document."""
        run = n(self.minter.run(digest("review", reviewer, at)))
        if (run.value, where.provenance) not in self.runs:
            self.runs.add((run.value, where.provenance))
            self.change.activity(where, run.value, "review", reviewer, at)
        return run

    def _replace(
        self, entry: Entry, changed: str, mark: str, reviewer: str, graph: NamedNode, where: Place, run: NamedNode
    ) -> None:
        """The reviewer's own tag in place of a rejected one."""
        operator = changed.startswith(concept("operator", ""))
        node, target = n(self.minter.dependent(entry.iri, f"tag-{mark}")), n(entry.iri)
        quads = [
            Quad(node, TYPE, oam("OperatorTag" if operator else "ConceptTag"), graph),
            Quad(node, review.TARGET, target, graph),
            Quad(node, review.BODY, n(changed), graph),
            Quad(node, n(OA + "motivatedBy"), n(OA + "classifying"), graph),
            Quad(node, GENERATED, run, graph),
            Quad(node, review.STATUS, n(review.REVIEWED), graph),
            Quad(node, oam("annotator"), text(reviewer), graph),
            Quad(node, ATTRIBUTED, n(self.minter.agent(reviewer)), graph),
        ]
        if operator:
            quads.append(Quad(target, review.HAS_OPERATOR, n(changed), graph))
        self.change.add(where, quads)

    def carry_out(self) -> None:
        """Bring the tags and proposed edges of the documents concerned to what is decided now."""
        standing = Decisions(sorted(self.made, key=lambda made: (review.instant(made.time), made.node)))
        names = sorted(graph.value for graph in self.store.named_graphs() if isinstance(graph, NamedNode))
        for where in self.documents.values():
            own = [
                name for name in names[bisect_left(names, where.head) :][:_GRAPHS] if name.startswith(f"{where.head}/")
            ]
            marked = [quad for name in own if "/annotation" in name for quad in self._quads(name)]
            after, before = standing.applied(marked), set(marked)
            self.change.take(where, before - set(after))
            self.change.add(where, [quad for quad in after if quad not in before])
            stated = [quad for name in own if "/assertion" in name for quad in self._quads(name)]
            self._judge(where, stated, standing)

    def _quads(self, graph: str) -> Iterable[Quad]:
        return self.store.quads_for_pattern(None, None, None, n(graph))

    def _judge(self, where: Place, stated: Sequence[Quad], standing: Decisions) -> None:
        """Verdicts on what the document's own source proposes, as encoding it again would write them."""
        after = set(stated)
        by_graph: dict[str, list[Quad]] = {}
        for quad in stated:
            by_graph.setdefault(quad.graph_name.value, []).append(quad)  # type: ignore[union-attr]
        for quads in by_graph.values():
            nodes = {q.subject for q in quads if q.predicate == TYPE and q.object == oam("Relation")}
            about: dict[NamedNode, dict[str, NamedNode]] = {}
            for quad in quads:
                if quad.subject in nodes and isinstance(quad.object, NamedNode):
                    about.setdefault(quad.subject, {})[quad.predicate.value] = quad.object  # type: ignore[arg-type]
            for node, row in about.items():
                made = standing.edge_of(row)
                proposed = row.get(oam("verdict").value) == n(concept("verdict", "pending")) or (
                    oam("decidedBy").value in row
                )
                if made is not None and proposed and row.get(oam("decidedBy").value) != n(made.node):
                    gone, new = judged(quads, node, made)
                    after = (after - gone) | new
        if after == set(stated):
            return
        self.change.take(where, set(stated) - after)
        self.change.add(where, sorted(after - set(stated), key=str))
        before, now_inferred = set(infer(stated, self.ontology)), set(infer(after, self.ontology))
        self.change.take(where, before - now_inferred)
        self.change.add(where, sorted(now_inferred - before, key=str))
