"""The score vector of paper §5, generation utility (§5.2) and freshness (decision D27) give the final order.

Pinned candidates stay first and language groups stay apart; inside a group ``final`` decides:
``(λ · Σ wᵢ partᵢ / Σ wᵢ + (1 − λ) · utility) · freshness``. ``relevance`` is what fusion gave, divided by the best of the
group; parts of weight 0 are shown and move nothing.
"""

from __future__ import annotations

from dataclasses import replace

from oam_rdf.index.columns import Column
from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.asof import status_then
from oam_rdf.query.constrain import with_narrower
from oam_rdf.query.freshness import freshness, now, off
from oam_rdf.query.generated import sourced
from oam_rdf.query.pairs import NOWHERE, pairs
from oam_rdf.query.substitute import successors
from oam_rdf.query.trace import Candidate, State

PARTS = ("operator", "graph", "provenance", "epistemic", "version")
LOW_COVERAGE = 0.2  # decision D11
_CONTEXT = 20  # code points below which a text gives no context
_DEPENDS = (OAM + "hasCondition", OAM + "hasException")


def score(state: State) -> State:
    """Give every candidate its parts, utility, freshness and final score, and order them."""
    if not state.candidates:
        return state
    weights, coverage = _weights(state)
    scorer = _Scorer(state, weights)
    off_because = off(state)
    moment = 0.0 if off_because else now(state)
    scored = [scorer(candidate, moment) for candidate in state.candidates]
    scored.sort(key=lambda c: (-c.pin, c.group, -c.final))  # stable: equal scores keep their fused order
    ordered = _inject(scored, state.plan.form.offset, state.plan.form.k)
    return replace(state, candidates=tuple(ordered)).note(
        "score",
        weights={name: round(value, 4) for name, value in weights.items()},
        retrieval=state.plan.scoring.retrieval,
        reason=state.plan.scoring.reason,
        tag_coverage=coverage,
        half_life=0 if off_because else state.plan.scoring.half_life,
        freshness_off=off_because,
        until=moment,
    )


def _inject(scored: list[Candidate], offset: int, k: int) -> list[Candidate]:
    """What expansion found takes the last places of the window, and none where fewer than five are shown."""
    found = [c for c in scored if not c.injected]
    extra = [c for c in scored if c.injected]
    if k < 5 or not extra:
        return found + extra
    place = max(0, min(len(found), offset + k - len(extra)))
    return found[:place] + extra + found[place:]


def _weights(state: State) -> tuple[dict[str, float], float]:
    """The plan's weights; that of operators shrinks where few candidates carry a reliable tag (decision D11)."""
    scoring = state.plan.scoring
    weights = {"relevance": scoring.relevance, **{name: float(getattr(scoring, name)) for name in PARTS}}
    tags = state.snapshot.tags
    rows = [c.row for c in state.candidates if c.row >= 0]
    coverage = round(tags.coverage(rows), 4) if tags is not None and rows else 0.0
    if coverage < LOW_COVERAGE:
        weights["operator"] *= coverage / LOW_COVERAGE
    return weights, coverage


class _Scorer:
    def __init__(self, state: State, weights: dict[str, float]) -> None:
        self.state, self.weights = state, weights
        self.best = {(r.channel, r.group): float(r.scores[0]) for r in state.rankings if len(r.scores)}
        self.top: dict[int, float] = {}
        for candidate in state.candidates:
            self.top[candidate.group] = max(candidate.score, self.top.get(candidate.group, 0.0))
        self.status: Column = status_then(state, successors(state))
        epistemic = [entry.value for entry in state.plan.epistemic.prefer]
        self.preferred = with_narrower("epistemic-state", _known(epistemic)) if _known(epistemic) else set()
        operators = (*state.plan.operator.require, *state.plan.operator.prefer)
        self.wanted = {entry.value: entry.confidence for entry in operators}
        tags = state.snapshot.tags
        rows = [max(c.row, 0) for c in state.candidates]
        scores = tags.operator_scores(rows, self.wanted) if tags is not None and self.wanted else None
        self.operator = {} if scores is None else dict(zip(rows, map(float, scores), strict=True))

    def __call__(self, candidate: Candidate, moment: float) -> Candidate:
        parts = self.parts(candidate)
        asked = {name: weight for name, weight in self.weights.items() if weight > 0 and name in parts}
        whole = sum(asked.values())
        retrieval = sum(weight * parts[name] for name, weight in asked.items()) / whole if whole else 0.0
        utility, fresh = self.utility(candidate, parts), freshness(self.state, candidate, moment)
        share = self.state.plan.scoring.retrieval
        final = (share * retrieval + (1.0 - share) * utility) * fresh
        return replace(candidate, parts=parts, utility=utility, freshness=fresh, final=final)

    def parts(self, candidate: Candidate) -> dict[str, float]:
        state, plan, row = self.state, self.state.plan, candidate.row
        parts: dict[str, float] = {}
        for channel, name in (("lexical", "sparse"), ("dense", "dense")):
            best = self.best.get((channel, candidate.group), 0.0)
            if channel in candidate.scores and best > 0:
                parts[name] = max(0.0, min(1.0, candidate.scores[channel] / best))
        top = self.top.get(candidate.group, 0.0)
        parts["relevance"] = candidate.score / top if top else 0.0
        if self.wanted:
            parts["operator"] = self.operator.get(max(row, 0), 0.0)
        if candidate.reach is not None:
            parts["graph"] = candidate.reach.score
        elif candidate.substitutions:
            parts["graph"] = 0.8 ** (len(candidate.substitutions[0].path) - 1)
        elif self.weights.get("graph", 0.0) > 0:
            parts["graph"] = 0.0
        parts["provenance"] = self.provenance(candidate)
        if self.preferred:
            old = candidate.history
            parts["epistemic"] = epistemic(
                old.object.state if old else state.snapshot.facets.column("epistemic_state")[row], self.preferred
            )
        asked = plan.version.mode.value == "history" or bool(plan.version.as_of)
        status = self.status[row]
        parts["version"] = 1.0 if asked or status == "ACTIVE" else 0.5 if not status else 0.0
        return parts

    def provenance(self, candidate: Candidate) -> float:
        """1 a span of its own resolves, 0.5 the document only, 0 nothing."""
        snapshot, row = self.state.snapshot, candidate.row
        if candidate.history is not None:
            return 1.0
        if not sourced(snapshot)[row]:
            return 0.0
        spanned = candidate.passage >= 0 and int(snapshot.passages.start[candidate.passage]) >= 0
        return 1.0 if spanned or snapshot.spans_of(row) else 0.5

    def utility(self, candidate: Candidate, parts: dict[str, float]) -> float:
        """Share of five facts that make a result usable as evidence (paper §5.2), in [0, 1]."""
        snapshot, row = self.state.snapshot, candidate.row
        old = candidate.history
        resolvable = old is not None or bool(sourced(snapshot)[row])
        if old is not None:
            length = old.end - old.start
        elif candidate.passage >= 0:
            length = int(snapshot.passages.end[candidate.passage]) - int(snapshot.passages.start[candidate.passage])
            length = length or len(snapshot.passages.inline_text(candidate.passage))
        else:
            length = 0
        facts = (
            parts["provenance"] == 1.0,
            self.complete(row),
            resolvable,
            length >= _CONTEXT,
            parts["version"] == 1.0,
        )
        return sum(facts) / len(facts)

    def complete(self, row: int) -> bool:
        """Whether every condition and exception of the object can be shown with it."""
        return all(NOWHERE not in pairs(self.state.snapshot, predicate).get(row, ()) for predicate in _DEPENDS)


def _known(names: list[str]) -> list[str]:
    """Those that are epistemic states: a preference may also name a kind of evidence or a role (paper §2.1)."""
    ontology = Ontology.load()
    return [name for name in names if ontology.concept("epistemic-state", name) is not None]


def epistemic(state: str, preferred: set[str]) -> float:
    """Decision D5: 1 the preference is met, 0.5 incomparable, 0 weaker than all that is preferred."""
    ontology = Ontology.load()
    if state in preferred or any(ontology.weaker_than(wanted, state) for wanted in preferred):
        return 1.0
    return 0.0 if any(ontology.weaker_than(state, wanted) for wanted in preferred) else 0.5
