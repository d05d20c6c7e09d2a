"""Can the corpus answer? Decided on typed facts, never on a similarity threshold (retrieval.md "Gate", hazard 74)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from pyoxigraph import NamedNode
from whoosh.lang.stopwords import stoplists

from oam_rdf.namespaces import DCTERMS, OAM, PAV
from oam_rdf.query.asked_status import status_asked
from oam_rdf.query.asof import in_force_then, status_then
from oam_rdf.query.generated import sourced
from oam_rdf.query.substitute import LATER, successors
from oam_rdf.query.together import HALF, LITTLE, together
from oam_rdf.query.trace import Candidate, State
from oam_rdf.query.unknown import is_function
from oam_rdf.query.unknown import unknown as unknown_words
from oam_rdf.text.normalise import index_key

ORDER = (
    "UNANSWERABLE_FROM_CORPUS",
    "VERSION_CONFLICT",
    "EVIDENCE_INSUFFICIENT",
    "PARTIALLY_ANSWERABLE",
    "ANSWERABLE",
)  # and NO_RETRIEVAL, alone, where nothing was asked of the corpus
_PROBABLE = 0.6
_READ = 10  # candidates whose text is read as evidence
_FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?\Z")
_FIELDS = {
    "creator": (DCTERMS + "creator",),
    "created": (DCTERMS + "created", OAM + "validFrom"),
    "version": (PAV + "version",),
    "status": (OAM + "versionStatus", OAM + "sourceStatus", OAM + "epistemicState"),
}


def gate(state: State) -> State:
    """List every verdict that applies, in :data:`ORDER`, each with the facts that decided it; the first counts."""
    if "NO_RETRIEVAL" in state.plan.routes:
        reason = next(iter(state.step("route").get("reasons", ())), "nothing was to be retrieved")
        only: list[dict[str, Any]] = [{"verdict": "NO_RETRIEVAL", "reason": reason, "facts": {}}]
        return state.note("gate", verdict="NO_RETRIEVAL", verdicts=only, read=0)
    facts: list[tuple[str, str, dict[str, Any]]] = []
    shown = state.candidates
    texts = [_evidence(state, candidate) for candidate in shown[:_READ]]
    facts += _absent(state, texts)
    facts += _empty(state)
    facts += _versions(state)
    facts += _only_history(state)
    facts += _fields(state)
    facts += _contradictions(state, shown[:_READ])
    if not any(verdict in ORDER[:3] for verdict, _, _ in facts) and shown and not _sources(state, shown):
        facts.append(("EVIDENCE_INSUFFICIENT", "no result resolves to its source", {}))
    facts.sort(key=lambda fact: ORDER.index(fact[0]))
    verdicts = [{"verdict": verdict, "reason": reason, "facts": data} for verdict, reason, data in facts]
    verdict = facts[0][0] if facts else "ANSWERABLE"
    return state.note("gate", verdict=verdict, verdicts=verdicts, read=len(texts))


def _evidence(state: State, candidate: Candidate) -> str:
    snapshot = state.snapshot
    if candidate.history:
        return index_key(candidate.history.searched)
    parts = [state.name(candidate.row), state.name(candidate.document), snapshot.facets.titles[candidate.document]]
    parts += snapshot.facets.aliases(candidate.document)
    if candidate.passage >= 0:
        parts += [snapshot.passages.heading(candidate.passage), snapshot.text(candidate.passage)]
    # What a superseded hit said counts: it is why its head is here.
    parts += [state.name(row) + " " + snapshot.facets.titles[row] for s in candidate.substitutions for row in s.path]
    return index_key("\n".join(parts))


def _absent(state: State, texts: list[str]) -> Iterable[tuple[str, str, dict[str, Any]]]:
    plan = state.plan
    unknown = [entry.value for entry in plan.entities if entry.origin == "rule:id-pattern"]
    unknown += [entry.value for entry in plan.lexical.ids if entry.value not in state.ids]
    if unknown:
        whole = not state.ids and not plan.lexical.exact_terms
        verdict = "UNANSWERABLE_FROM_CORPUS" if whole else "PARTIALLY_ANSWERABLE"
        yield verdict, "an id that the query names does not exist here", {"ids": unknown}
    sure = [e for e in (*plan.lexical.exact_terms, *plan.entities) if e.value not in unknown]
    missing = [e for e in sure if not any(index_key(e.value) in text for text in texts)]
    terms = _terms(state)
    if missing and not state.ids:
        # A capitalised word is only probably a name: the corpus not knowing it is a fact, its absence from the
        # best passages alone is not (they may be in another language).
        known = {t["term"] for t in terms if t["known"]}
        certain = [e for e in missing if e.confidence > _PROBABLE or not set(index_key(e.value).split()) & known]
        verdict = "UNANSWERABLE_FROM_CORPUS" if len(certain) == len(sure) else "PARTIALLY_ANSWERABLE"
        if not _read_all(state):
            verdict = "EVIDENCE_INSUFFICIENT"
        facts = {"terms": [e.value for e in missing], "of": [e.value for e in sure]}
        yield verdict, "no candidate contains what the query names", facts
    if not _read_all(state) or state.ids or not _own_language(state):
        return
    strange = unknown_words(plan.text, terms)
    if strange.mostly:
        named = {"terms": list(strange.names), "share": round(strange.share, 2)}
        yield "UNANSWERABLE_FROM_CORPUS", "most of what the query names occurs nowhere in the corpus", named
    held = together(state) if plan.query_type in ("SEMANTIC", "EXACT") and not strange.mostly else None
    if held is not None and held.share < HALF:
        named = {"terms": list(held.missing), "share": round(held.share, 2)}
        if held.share < LITTLE:
            yield "UNANSWERABLE_FROM_CORPUS", "no candidate holds a third of what the query names", named
        else:
            yield "PARTIALLY_ANSWERABLE", "no candidate holds half of what the query names", named
    same = [r for r in state.rankings if r.channel == "lexical" and len(r.rows)]
    if terms and not any(t["known"] for t in terms):
        reason = "no word of the query occurs in the documents of its language"
        yield "UNANSWERABLE_FROM_CORPUS", reason, {"terms": [t["term"] for t in terms], "hits": len(same)}


def _terms(state: State) -> list[dict[str, Any]]:
    """The query's words and whether anything that was searched, an old text among it, holds them."""
    old = set(state.step("as_of").get("words", ()))
    return [{**term, "known": term["known"] or term["term"] in old} for term in state.step("lexical").get("terms", ())]


def _read_all(state: State) -> bool:
    """Whether words were looked up in all that the caller may see: only then can one be said to occur nowhere."""
    return state.ran("lexical") and not {"lexical", "originals", "history"} & set(state.snapshot.degraded)


def _own_language(state: State) -> bool:
    return bool(state.groups) and state.groups[0] == state.plan.language.lower().partition("-")[0]


def _empty(state: State) -> Iterable[tuple[str, str, dict[str, Any]]]:
    if state.candidates or not state.snapshot.visible.any():
        if not state.candidates:
            yield "UNANSWERABLE_FROM_CORPUS", "there is nothing to search", {}
        return
    reasons: dict[str, int] = {}
    for item in state.excluded:
        reasons[str(item["reason"])] = reasons.get(str(item["reason"]), 0) + 1
    without = int(state.step("lexical").get("excluded", 0))
    if not without and not reasons:
        if state.rankings or _read_all(state):
            yield "UNANSWERABLE_FROM_CORPUS", "nothing in the corpus matches", {}
        else:
            off = sorted({"lexical", "dense", "passages"} & set(state.snapshot.degraded))
            yield "EVIDENCE_INSUFFICIENT", "no channel could search for it", {"off": off}
        return
    if before := state.step("as_of").get("reason"):
        yield "VERSION_CONFLICT", str(before), {"as_of": state.plan.version.as_of}
    facts = {
        "would_have_found": max(without, len(state.excluded)),
        "removed_by": reasons,
        "constraints": sorted(state.blocked),
    }
    only_version = set(state.blocked) <= {"version", "as_of", "committed later"}
    verdict = "VERSION_CONFLICT" if only_version else "EVIDENCE_INSUFFICIENT"
    yield verdict, "a hard condition leaves nothing", facts


def _versions(state: State) -> Iterable[tuple[str, str, dict[str, Any]]]:
    leading = [c for c in state.candidates if c.row in state.ids.values()] or list(state.candidates[:1])
    for candidate in leading:
        if candidate.conflict:
            origin = candidate.substitutions[0].path[0] if candidate.substitutions else candidate.row
            heads = [state.name(row) for row in candidate.heads]
            facts = {"object": state.name(origin), "kind": candidate.conflict, "heads": heads}
            yield "VERSION_CONFLICT", f"the versions form a {candidate.conflict}", facts
            return
    status = state.snapshot.version_status
    if state.plan.version.as_of or state.plan.version.mode.value == "history" or state.ids:
        return
    shown = state.candidates[: state.plan.form.k]
    if shown and all(status[c.row] in ("SUPERSEDED", "HISTORICAL", "DEPRECATED") for c in shown):
        yield "VERSION_CONFLICT", "only history is available", {"ids": [state.name(c.row) for c in shown[:5]]}


def _only_history(state: State) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """At least half of what the query names, by idf, stands in superseded texts alone: the head is shown, but it does not
    say it."""
    index, found, plan = state.snapshot.lexical, state.lexical, state.plan
    if index is None or found is None or plan.version.as_of or plan.version.mode.value == "history" or state.ids:
        return
    substituted = [c for c in state.candidates[: plan.form.k] if c.substitutions]
    if not substituted or any(entry.value in LATER for entry in plan.navigation.directions):
        return
    visible, status = state.snapshot.visible_passages, state.snapshot.version_status
    past = status.mask(("SUPERSEDED", "HISTORICAL", "DEPRECATED"))
    whole, gone = 0.0, []
    for term, rows in index.holding(found):
        if term.key in stoplists["en"] or is_function(term.key):
            continue
        held = state.snapshot.passage_document[rows[visible[rows]]]
        if len(held):
            whole += term.idf
            if past[held].all():
                gone.append((term, np.unique(held).tolist()))
    if gone and sum(term.idf for term, _ in gone) >= whole / 2:
        said = sorted({state.name(row) for _, rows in gone for row in rows})
        heads = sorted({state.name(c.row) for c in substituted})
        facts = {"terms": [term.key for term, _ in gone], "said by": said[:5], "heads": heads[:5]}
        yield "VERSION_CONFLICT", "only superseded texts say it", facts


def _fields(state: State) -> Iterable[tuple[str, str, dict[str, Any]]]:
    for entry in state.plan.form.asked:
        match = _FIELD.match(entry.value)
        if match is None or not state.ids:
            continue
        field, number = match.group(1), int(match.group(2) or 1)
        for name, row in state.ids.items():
            values = _values(state, row, field)
            facts = {"object": name, "field": field, "number": number, "stored": len(values)}
            if len(values) < number:
                yield "EVIDENCE_INSUFFICIENT", "the field that is asked for is not stored", facts


def _values(state: State, row: int, field: str) -> list[str]:
    """Values of a field on the object or, where it says none, on its document."""
    snapshot = state.snapshot
    if field == "status" and (then := status_asked(state, row)) is not None:
        return [then.status] if then.known else []
    if field == "successor":
        new, old = snapshot.edges
        return [state.name(int(r)) for r in new[old == row]]
    for owner in dict.fromkeys((row, int(snapshot.facets.document[row]))):
        if owner < 0:
            continue
        subject, store = NamedNode(snapshot.facets.iris[owner]), snapshot.store
        version = in_force_then(state, owner) if int(snapshot.facets.document[owner]) == owner else None
        if version is not None and snapshot.history is not None:
            subject, store = NamedNode(version.iri), snapshot.history
        values = [
            str(quad.object)
            for predicate in _FIELDS.get(field, ())
            for quad in store.quads_for_pattern(subject, NamedNode(predicate), None)
        ]
        if values:
            return sorted(set(values))
    # Every object has a version status; ACTIVE is not written but meant.
    return ["ACTIVE"] if field == "status" else []


def _contradictions(state: State, shown: tuple[Candidate, ...]) -> Iterable[tuple[str, str, dict[str, Any]]]:
    snapshot, predicate = state.snapshot, NamedNode(OAM + "contradicts")
    living = [c for c in shown if c.history is None]  # an old text may say something else than the present edges
    rows = {c.row for c in living} | {c.document for c in living if c.document >= 0}
    status = status_then(state, successors(state))
    active = {row for row in rows if status[row] == "ACTIVE"}
    pairs = set()
    for row in sorted(active):
        for quad in snapshot.store.quads_for_pattern(NamedNode(snapshot.facets.iris[row]), predicate, None):
            other = snapshot.facets.row(str(getattr(quad.object, "value", "")))
            if other in active and other != row:
                pairs.add((state.name(min(row, other)), state.name(max(row, other))))
    if pairs:
        yield (
            "PARTIALLY_ANSWERABLE",
            "active sources contradict each other",
            {"pairs": [list(p) for p in sorted(pairs)]},
        )


def _sources(state: State, shown: tuple[Candidate, ...]) -> bool:
    """Whether any of the best results resolves: a span, an Original, or text of its own."""
    has = sourced(state.snapshot)
    return any(c.history or has[c.row] or (c.passage >= 0 and state.snapshot.text(c.passage)) for c in shown[:_READ])


def finish(state: State) -> State:
    """Keep only the window's candidates once the gate has spoken."""
    form = state.plan.form
    return replace(state, candidates=state.candidates[form.offset : form.offset + form.k])
