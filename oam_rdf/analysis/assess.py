"""Changing what an object counts as: an assessment with agent, reason, evidence and time (decisions D5, D6, D7).

The current state is one triple and is replaced; assessments are only ever added. The table of transitions
(``ontology/transitions.ttl``) says which change needs which evidence and whose word; what is missing is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, Triple, serialize

from oam_rdf.analysis.writing import Change, digest, named, now, one, values
from oam_rdf.errors import NotFound, Refused, UsageError
from oam_rdf.namespaces import DCTERMS, OAM, PROV, SCHEMES, concept
from oam_rdf.ontology import Ontology, Transition
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.places import Place, place
from oam_rdf.store.shacl import Validator
from oam_rdf.store.terms import ATTRIBUTED, GENERATED, TYPE, moment, n, oam, text

STATE, VERIFICATION, EVIDENCE = oam("epistemicState"), oam("verification"), oam("hasEvidence")
_KIND, _OUTCOME, _CITED = oam("evidenceKind"), oam("outcome"), n(DCTERMS + "bibliographicCitation")
_WORK, _ARTIFACT = oam("ExternalWork"), oam("EvidenceArtifact")
_NO_STATE = {OAM + name for name in ("Concept", "Term", "Symbol", "SourceSpan", "EvidenceArtifact")}  # decision D17
UNTOLD = "SOURCE_CLAIM"  # what an object without a state counts as when one is given to it
#: States that rest on evidence of a pass: outside evidence makes them SOURCE_CLAIMED (decision D7).
_STRONG = ("FORMALLY_PROVED", "MACHINE_CHECKED", "REPRODUCED")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence. ``node`` is "" for one that comes with the change; ``external``: a record from elsewhere."""

    node: str
    kind: str
    outcome: str
    reference: str
    external: bool = True
    makers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Assessed:
    """A change of state that was made. ``before`` is "" where the object had no state."""

    object: str
    before: str
    after: str
    node: str
    time: str
    revision: int = 0


def written(word: str, ontology: Ontology) -> Piece | None:
    """``formal_proof | passed | doi:10.…`` as a piece of evidence, None if it is not written so.

    :raises UsageError: if it is, with a kind or outcome that no scheme has.
    """
    if word.count("|") < 2:
        return None
    kind, outcome, reference = (part.strip() for part in word.split("|", 2))
    found = [ontology.concept(scheme, name) for scheme, name in (("evidence-kind", kind), ("outcome", outcome))]
    if found[0] is None or found[1] is None or not reference:
        bad = next((name for name, c in zip((kind, outcome), found, strict=True) if c is None), "an empty reference")
        known = ", ".join(sorted(ontology.notations("evidence-kind" if found[0] is None else "outcome")))
        raise UsageError(f"evidence {word!r}: {bad!r} is not known", hint=f"one of {known}")
    return Piece("", found[0].notation, found[1].notation, reference)


def set_state(
    live: LiveStore,
    minter: Minter,
    iri: str,
    state: str,
    *,
    agent: str,
    reason: str,
    evidence: Sequence[Piece | str] = (),
    at: str = "",
    ontology: Ontology | None = None,
    validator: Validator | None = None,
) -> Assessed:
    """Give the object ``iri`` the state of this notation; ``evidence`` are new pieces, or IRIs of what is here.

    :raises Refused: if the table does not allow it, or evidence or agent are missing: the message names them.
    :raises UsageError: if state, reason or evidence cannot be used as given.
    """
    change, done = changed(
        live.store, minter, iri, state, agent=agent, reason=reason, evidence=evidence, at=at, ontology=ontology,
        validator=validator,
    )  # fmt: skip
    revision = change.commit(live, f"epistemic set {iri} {done.after} by {agent.strip()}")
    return replace(done, revision=revision)


def changed(
    store: Store,
    minter: Minter,
    iri: str,
    state: str,
    *,
    agent: str,
    reason: str,
    evidence: Sequence[Piece | str] = (),
    at: str = "",
    ontology: Ontology | None = None,
    validator: Validator | None = None,
) -> tuple[Change, Assessed]:
    """What :func:`set_state` writes, not written yet; raises what it raises."""
    ontology, at = ontology or Ontology.load(), at or now()
    wanted = ontology.concept("epistemic-state", state)
    if wanted is None:
        known = ", ".join(sorted(ontology.notations("epistemic-state")))
        raise UsageError(f"unknown epistemic state {state!r}", hint=f"one of {known}")
    if not reason.strip():
        raise UsageError("a change of state needs its reason", hint="--reason TEXT")
    where, subject = _place(store, iri), n(iri)
    before = one(values(store, subject, STATE)).removeprefix(SCHEMES["epistemic-state"])
    new = [piece for piece in evidence if isinstance(piece, Piece)]
    named_here = [piece for piece in evidence if isinstance(piece, str)]
    attached, others = _sorted(store, named_here)
    own = [piece_of(store, node) for node in values(store, subject, EVIDENCE)]
    pieces = {piece.node or piece.reference: piece for piece in (*own, *attached, *new)}
    row = ontology.transition(before or UNTOLD, wanted.notation)
    _check(
        row,
        before or UNTOLD,
        wanted.notation,
        list(pieces.values()),
        _relations(store, subject, others),
        agent,
        ontology,
    )
    agent = named(agent, "a change of state")
    mark = digest(iri, wanted.notation, agent, at)
    node, graph = n(minter.dependent(iri, f"state-{mark}")), n(where.assessment)
    change = Change(store, minter)
    for kind in ("assessment", "annotation"):
        change.take(where, _stated(store, subject, where, kind))
    quads = [
        Quad(subject, STATE, n(wanted.iri), graph),
        Quad(node, TYPE, oam("EpistemicAssessment"), graph),
        Quad(node, oam("assesses"), subject, graph),
        Quad(node, oam("assessedAs"), n(wanted.iri), graph),
        Quad(node, ATTRIBUTED, n(minter.agent(agent)), graph),
        Quad(node, n(PROV + "generatedAtTime"), moment(at), graph),
        Quad(node, oam("reason"), text(reason.strip()), graph),
    ]
    if before:
        quads.append(Quad(node, oam("changedFrom"), n(concept("epistemic-state", before)), graph))
    quads += _evidence(minter, iri, node, graph, attached, new, others)
    earned = [piece for piece in pieces.values() if row and piece.kind in row.evidence]
    if wanted.notation in _STRONG and earned and not values(store, subject, VERIFICATION):
        level = "SOURCE_CLAIMED" if all(piece.external for piece in earned) else "ARTIFACT_PRESENT"
        quads.append(Quad(subject, VERIFICATION, n(concept("verification", level)), graph))
    change.add(where, quads)
    _gate(store, change, {iri, node.value}, validator or Validator())
    return change, Assessed(iri, before, wanted.notation, node.value, at)


def _place(store: Store, iri: str) -> Place:
    types = set(values(store, n(iri), TYPE))
    where = place(store, iri)
    if where is None:
        raise NotFound("no document describes it", place=iri, hint="`oam search` finds ids")
    if bad := sorted(types & _NO_STATE):
        name = bad[0].rpartition("#")[2]
        raise UsageError(f"a {name} carries no epistemic state", place=iri, hint="name the statement that it is about")
    return where


def _stated(store: Store, subject: NamedNode, where: Place, kind: str) -> Iterable[Quad]:
    """The current-state triples in the document's graphs of a kind (those of taggers hold what they minted)."""
    prefix = f"{where.head}/{kind}"
    for quad in store.quads_for_pattern(subject, STATE, None, None):
        if isinstance(quad.graph_name, NamedNode) and quad.graph_name.value.startswith(prefix):
            yield quad


def _sorted(store: Store, nodes: Sequence[str]) -> tuple[list[Piece], list[str]]:
    """What is here, as pieces of evidence and as other objects (a counterexample)."""
    pieces, others = [], []
    for iri in nodes:
        types = set(values(store, n(iri), TYPE))
        if types & {_WORK.value, _ARTIFACT.value}:
            pieces.append(piece_of(store, iri))
        else:
            others.append(iri)
    return pieces, others


def piece_of(store: Store, iri: str) -> Piece:
    node = n(iri)
    makers = frozenset((*values(store, node, GENERATED), *values(store, node, ATTRIBUTED)))
    return Piece(
        iri, one(values(store, node, _KIND)).removeprefix(SCHEMES["evidence-kind"]),
        one(values(store, node, _OUTCOME)).removeprefix(SCHEMES["outcome"]), one(values(store, node, _CITED)) or iri,
        _ARTIFACT.value not in values(store, node, TYPE), makers,
    )  # fmt: skip


def _relations(store: Store, subject: NamedNode, others: Sequence[str]) -> frozenset[str]:
    """Local names of the stated relations that join the object to something else; with ``others``, to one of these."""
    found = set()
    for quad in (
        *store.quads_for_pattern(None, None, subject, None),
        *store.quads_for_pattern(subject, None, None, None),
    ):
        other = quad.object if quad.subject == subject else quad.subject
        if isinstance(other, NamedNode) and (not others or other.value in others):
            inward = quad.object == subject
            name = quad.predicate.value.rpartition("#")[2]
            if inward or name == "contradicts":  # a counterexample to it, not by it
                found.add(name)
    return frozenset(found)


def _check(
    row: Transition | None,
    before: str,
    after: str,
    pieces: Sequence[Piece],
    relations: frozenset[str],
    agent: str,
    ontology: Ontology,
) -> None:
    if row is None:
        ways = sorted(name for name in ontology.notations("epistemic-state") if ontology.transition(before, name))
        raise Refused(
            f"no transition leads from {before} to {after}",
            hint="from there lead ways to " + ", ".join(ways) or "nowhere",
        )
    missing = []
    if row.agent and not agent.strip():
        missing.append(f"an agent in the role {row.agent} (--by NAME)")
    missing += filter(None, [lacking(row, pieces, relations)])
    if missing:
        raise Refused(
            f"{before} becomes {after} only with {', and '.join(missing)}",
            hint='give evidence as --evidence "KIND | OUTCOME | REFERENCE" or by its id',
        )


def lacking(row: Transition, pieces: Sequence[Piece], relations: frozenset[str] = frozenset()) -> str:
    """The evidence that a transition needs and that is not among the pieces, "" if there is enough."""
    fits = [p for p in pieces if p.kind in row.evidence and (not row.outcome or p.outcome == row.outcome)]
    wanted = max(row.runs, 1)
    elsewhere = wanted > 1 and any(piece.external and not piece.makers for piece in fits)  # it reports the replication
    if not row.evidence or independent(fits) >= wanted or elsewhere or row.relations & relations:
        return ""
    kinds = " or ".join(sorted(row.evidence))
    outcome = f" with outcome {row.outcome}" if row.outcome else ""
    runs = f"{wanted} independent pieces of evidence" if wanted > 1 else "a piece of evidence"
    other = f", or a relation {' or '.join(sorted(row.relations))}" if row.relations else ""
    return f"{runs} of kind {kinds}{outcome}{other}; there is {independent(fits)}"


def independent(pieces: Sequence[Piece]) -> int:
    """How many pieces no run and no agent stands behind two of; without makers, how many references."""
    taken: set[str] = set()
    count = 0
    for piece in sorted(pieces, key=lambda p: (len(p.makers), p.node, p.reference)):
        mine = piece.makers or {piece.reference.casefold()}
        if not mine & taken:
            taken |= mine
            count += 1
    return count


def _evidence(
    minter: Minter,
    iri: str,
    node: NamedNode,
    graph: NamedNode,
    here: Sequence[Piece],
    new: Sequence[Piece],
    others: Sequence[str],
) -> list[Quad]:
    """The evidence that the assessment rests on, and the record of what comes with it."""
    quads, influenced = [], n(PROV + "wasInfluencedBy")
    for piece in here:
        quads += [Quad(n(iri), EVIDENCE, n(piece.node), graph), Quad(node, influenced, n(piece.node), graph)]
    for piece in new:
        made = n(minter.dependent(iri, f"evidence-{digest(piece.kind, piece.outcome, piece.reference)}"))
        quads += [
            Quad(n(iri), EVIDENCE, made, graph),
            Quad(node, influenced, made, graph),
            Quad(made, TYPE, _WORK, graph),
            Quad(made, _KIND, n(concept("evidence-kind", piece.kind)), graph),
            Quad(made, _OUTCOME, n(concept("outcome", piece.outcome)), graph),
            Quad(made, _CITED, text(piece.reference), graph),
        ]
    quads += [Quad(node, influenced, n(other), graph) for other in others]
    return quads


def _gate(store: Store, change: Change, focus: set[str], validator: Validator) -> None:
    """The shapes have the last word: what they would refuse now and did not before is refused."""
    around: set[Triple] = set()
    todo = list(focus | {q.object.value for q in change.new if q.predicate == EVIDENCE})  # type: ignore[union-attr]
    for iri in todo:
        for quad in (
            *store.quads_for_pattern(n(iri), None, None, None),
            *store.quads_for_pattern(None, None, n(iri), None),
        ):
            around.add(quad.triple)
            if quad.predicate in (EVIDENCE, oam("assesses")):
                other = quad.object if quad.predicate == EVIDENCE else quad.subject
                if isinstance(other, NamedNode):
                    around |= {found.triple for found in store.quads_for_pattern(other, None, None, None)}
            for end in (quad.subject, quad.object):
                if isinstance(end, NamedNode):
                    around |= {found.triple for found in store.quads_for_pattern(end, TYPE, None, None)}
    after = (around - {quad.triple for quad in change.gone}) | {quad.triple for quad in change.new}
    bad, old = (_violations(validator, triples, focus) for triples in (after, around))
    fresh = {key: message for key, message in bad.items() if key not in old}
    if fresh:
        raise Refused(min(fresh.values()), place=min(focus, key=len), hint="nothing was written")


def _violations(validator: Validator, triples: Iterable[Triple], focus: set[str]) -> dict[tuple[str, str], str]:
    data = serialize(sorted(triples, key=str), format=RdfFormat.N_TRIPLES) or b""
    report = validator.validate(data.decode(), focus=focus)
    return {(r.focus, r.shape): f"{r.message()} ({r.rule})" for r in report.results if r.blocks}
