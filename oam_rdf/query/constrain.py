"""Hard constraints as masks over objects and passages; applied again after every stage that adds candidates.

Access first, then what the caller demands (decisions D8, D16). A soft entry never removes anything. Version ``active``
is checked only after substitution: the words of a query may occur in the old version alone (hazard 71).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from oam_rdf.errors import UsageError
from oam_rdf.index.columns import Array
from oam_rdf.index.facet_table import END
from oam_rdf.index.facets import micros
from oam_rdf.namespaces import SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.query import conditions
from oam_rdf.query.evidence import ASKED, has_evidence
from oam_rdf.query.generated import sourced
from oam_rdf.query.plan import Entries
from oam_rdf.query.trace import RELIABLE_ONLY, SOFT, WIDENED, Candidate, HistoricalText, ObjectThen, State
from oam_rdf.query.widen import widened

FINE = ("STATEMENT", "ARGUMENT", "EVIDENCE_ARTIFACT", "OTHER")
_AFTER = ("version", "granularity")  # looked at when objects are chosen and heads substituted, not at recall


def constrain(state: State) -> State:
    """Compute the masks. Adds ``allowed``, ``passages``, ``blocked`` and how many objects each constraint removes."""
    snapshot, facets = state.snapshot, state.snapshot.facets
    visible = snapshot.visible
    keeps = {name: mask for name, mask in _masks(state) if not mask.all()}
    allowed = visible.copy()
    for mask in keeps.values():
        allowed &= mask
    early = visible.copy()
    for name, mask in keeps.items():
        if name not in _AFTER:
            early &= mask
    shown = snapshot.visible_passages
    passages = shown.copy()
    if early.sum() < visible.sum():
        hit = np.zeros(len(passages), dtype=bool)
        where, rows = snapshot.statements
        hit[where[early[rows]]] = True
        document = snapshot.passage_document
        hit |= (document >= 0) & early[np.maximum(document, 0)]
        owners = snapshot.inline_owner
        hit = np.where(owners >= 0, early[np.maximum(owners, 0)], hit)
        passages &= hit
    blocked = {name: visible & ~mask for name, mask in keeps.items()}
    return replace(state, allowed=allowed, passages=passages, blocked=blocked).note(
        "constrain",
        objects=int(visible.sum()),
        allowed=int(allowed.sum()),
        removed={name: int(mask.sum()) for name, mask in blocked.items()},
        passages=int(passages.sum()),
        language=facets.column("language").values if "language" in blocked else [],
    )


def admit(state: State) -> State:
    """Drop candidates that the masks do not admit and list them with the constraint that removed them.

    Access removals are dropped without a word (decision D16).
    """
    kept: list[Candidate] = []
    excluded = list(state.excluded)
    for candidate in state.candidates:
        reason = _reason(state, candidate)
        if reason is None:
            kept.append(candidate)
        elif reason:
            excluded.append({"id": state.name(_row(candidate)), "reason": reason, "score": round(candidate.score, 6)})
    return replace(state, candidates=tuple(kept), excluded=tuple(excluded))


def prove(state: State) -> None:
    """The end of the pipeline: no candidate that access or a hard constraint forbids. :raises AssertionError: if one is."""
    for candidate in state.candidates:
        if _reason(state, candidate) is not None:
            raise AssertionError(f"{state.name(_row(candidate))} reached the end although a hard constraint forbids it")


def removed_by(state: State, row: int) -> list[str]:
    """Constraints that remove an object, access never among them."""
    return [name for name, mask in state.blocked.items() if mask[row]]


def refused_then(state: State, old: HistoricalText) -> list[str]:
    """Hard constraints that an object of an old text does not meet, by what was said of it then."""
    plan, item = state.plan, old.object
    required, barred = _values(plan.epistemic.require), _values(plan.epistemic.exclude)
    languages, kinds = _values(plan.condition.language), _values(plan.condition.kind)
    visibilities = _values(plan.condition.visibility)
    wanted = plan.form.granularity.upper()
    when = plan.version.moment or 0
    begins, ends = item.begins or old.document.begins, item.ends or old.document.ends
    checks = {
        "state": not required or item.state in with_narrower("epistemic-state", required),
        "state excluded": not barred or item.state not in with_narrower("epistemic-state", barred),
        "language": not languages or any(speaks(item.language, language) for language in languages),
        "visibility": not visibilities or item.visibility in {name.upper() for name in visibilities},
        "kind": not kinds or item.kind in {name.upper() for name in kinds},
        "version": not (plan.version.mode.value == "active" and plan.version.mode.hard) or not _out(item, old.document),
        "as_of": (not begins or micros(begins) <= when) and (not ends or when < micros(ends)),
        "granularity": not wanted or item.granularity in (FINE if wanted == "SOURCE_SPAN" else (wanted,)),
    }
    return [name for name, met in checks.items() if not met]


def _out(item: ObjectThen, document: ObjectThen) -> bool:
    return any(one.status not in ("", "ACTIVE") for one in (item, document))


def _row(candidate: Candidate) -> int:
    return candidate.row if candidate.row >= 0 else candidate.document


def _reason(state: State, candidate: Candidate) -> str | None:
    row = _row(candidate)
    if not state.snapshot.visible[row]:
        return ""
    if candidate.history:
        return ", ".join(refused_then(state, candidate.history)) or None
    if candidate.row >= 0 and state.blocked and not state.allowed[row]:
        return ", ".join(removed_by(state, row))
    return None


def _kept(state: State, name: str) -> list[str]:
    """Hard values of a condition that rescue has not relaxed."""
    values = _values(getattr(state.plan.condition, name))
    return [value for value in values if state.relaxed.get((f"condition.{name}", value), 0) < SOFT]


def _values(entries: Entries) -> list[str]:
    return [entry.value for entry in entries if entry.hard]


def _masks(state: State) -> Iterable[tuple[str, Array]]:
    plan, facets, snapshot = state.plan, state.snapshot.facets, state.snapshot
    required, barred = _values(plan.epistemic.require), _values(plan.epistemic.exclude)
    if required:
        yield "state", facets.mask("epistemic_state", with_narrower("epistemic-state", required))
    if barred:
        yield "state excluded", ~facets.mask("epistemic_state", with_narrower("epistemic-state", barred))
    if languages := _kept(state, "language"):
        column = facets.column("language")
        names = {name for name in column.values for wanted in languages if speaks(name, wanted)}
        yield "language", column.mask(names)
    if visibilities := _values(plan.condition.visibility):
        yield "visibility", facets.mask("visibility", [name.upper() for name in visibilities])
    if kinds := _kept(state, "kind"):
        yield "kind", facets.mask("kind", [name.upper() for name in kinds])
    yield from _operators(state)
    for name in conditions.PREDICATES:
        entries = [e for e in getattr(plan.condition, name) if e.hard]
        kept = [e.value for e in entries if state.relaxed.get((f"condition.{name}", e.value), 0) < SOFT]
        if kept:
            yield name, conditions.mask(snapshot, name, kept)
    if plan.source.require_original is not None and plan.source.require_original.hard:
        yield "original", sourced(snapshot)
    if plan.version.mode.value == "active" and plan.version.mode.hard:
        yield "version", snapshot.version_status.mask(["ACTIVE"])
    if plan.version.as_of:
        yield "as_of", in_force(state)
    if plan.form.granularity:
        wanted = plan.form.granularity.upper()
        mask = facets.mask("granularity", FINE if wanted == "SOURCE_SPAN" else wanted)
        yield "granularity", mask | has_evidence(snapshot) if wanted == ASKED else mask


def _operators(state: State) -> Iterable[tuple[str, Array]]:
    """Hard operators, as far as rescue has not relaxed them. Without the table of tags nothing is known to meet them."""
    tags, operator = state.snapshot.tags, state.plan.operator
    none = np.zeros(len(state.snapshot.facets), dtype=bool)
    for entry in (e for e in operator.require if e.hard):
        level = state.relaxed.get(("operator.require", entry.value), 0)
        if level < SOFT:
            names = widened(entry.value) if level >= WIDENED else (entry.value,)
            meets = none if tags is None else tags.mask(names)
            yield f"operator {entry.value}", meets if level < RELIABLE_ONLY or tags is None else meets | ~tags.reliable
    for entry in (e for e in operator.exclude if e.hard):
        level = state.relaxed.get(("operator.exclude", entry.value), 0)
        if level < SOFT:
            meets = none if tags is None else tags.mask((entry.value,), reliable_only=level >= RELIABLE_ONLY)
            yield f"not operator {entry.value}", ~meets


def speaks(tag: str, wanted: str) -> bool:
    """Whether a language tag is of the wanted one: ``zh-Hant`` is ``zh``, ``zh`` is not ``zh-Hant``."""
    return tag.lower() == wanted.lower() or tag.lower().startswith(wanted.lower() + "-")


def with_narrower(scheme: str, notations: Iterable[str]) -> set[str]:
    """The notations and all that are narrower. :raises UsageError: for one that the scheme does not have."""
    ontology = Ontology.load()
    wanted: set[str] = set()
    for notation in notations:
        concept = ontology.concept(scheme, notation)
        if concept is None:
            known = ", ".join(sorted(ontology.notations(scheme)))
            raise UsageError(f"unknown {scheme.replace('-', ' ')} {notation!r}", hint=f"one of {known}")
        wanted.add(concept.iri)
    while True:
        narrower = {iri for iri, broader in ontology.broader.items() if broader & wanted} - wanted
        if not narrower:
            break
        wanted |= narrower
    return {iri.removeprefix(SCHEMES[scheme]) for iri in wanted}


def in_force(state: State) -> Array:
    """Objects whose recorded validity covers ``as_of``: begun, and not deprecated, then."""
    facets, when = state.snapshot.facets, (state.plan.version.moment or 0) / 1_000_000
    document = np.maximum(facets.document, 0)
    until = np.where(
        (facets.deprecated_at == END) & (facets.document >= 0), facets.deprecated_at[document], facets.deprecated_at
    )
    mask: Array = (state.snapshot.begins <= when) & (when < until)
    return mask
