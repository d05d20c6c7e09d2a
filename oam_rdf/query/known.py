"""Values of a plan that the vocabulary does not have: named, never passed over in silence.

A plan by hand may prefer a state or operator that does not exist. It moves nothing then, and the answer says so. A
*constraint* on such a value could only leave nothing or let everything through, so it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from oam_rdf.errors import UsageError
from oam_rdf.ontology import Ontology
from oam_rdf.query.families import families
from oam_rdf.query.layout import SHAPES
from oam_rdf.query.plan import Entries, Entry, Plan

STANDING = ("epistemic-state", "verification", "evidence-kind", "role")
REASON = "unknown value, not used"
_SUGGESTED = 24  # values that an error names


def spelt(plan: Plan) -> Plan:
    """Operators and states by their notation, however they are spelt (decision D4); what is unknown stays as it is."""

    def operator(entry: Entry) -> Entry:
        concept = Ontology.load().concept("operator", entry.value)
        return entry if concept is None or concept.notation == entry.value else replace(entry, value=concept.notation)

    def standing(entry: Entry) -> Entry:
        found = (Ontology.load().concept(scheme, entry.value) for scheme in STANDING)
        notations = [concept.notation for concept in found if concept is not None]
        return entry if not notations or entry.value in notations else replace(entry, value=notations[0])

    operators = {f.name: tuple(map(operator, getattr(plan.operator, f.name))) for f in fields(plan.operator)}
    states = {f.name: tuple(map(standing, getattr(plan.epistemic, f.name))) for f in fields(plan.epistemic)}
    return replace(plan, operator=replace(plan.operator, **operators), epistemic=replace(plan.epistemic, **states))


def check(plan: Plan) -> None:
    """:raises UsageError: where a constraint names a value that does not exist, with some that do."""
    for part, scheme, entries in _concepts(plan):
        for entry in entries:
            if entry.hard and part.rpartition(".")[2] != "prefer" and not _exists(scheme, entry.value):
                known = sorted(Ontology.load().notations(scheme))
                more = " …" if len(known) > _SUGGESTED else ""
                hint = f"one of {', '.join(known[:_SUGGESTED])}{more}"
                raise UsageError(f"unknown {scheme.replace('-', ' ')} {entry.value!r} in {part}", hint=hint)


def unused(plan: Plan) -> list[Mapping[str, Any]]:
    """Values that exist nowhere and so move nothing: ``part`` of the plan, ``value``, ``origin``, ``reason``."""
    found: list[Mapping[str, Any]] = []

    def add(part: str, value: str, origin: str) -> None:
        found.append({"part": part, "value": value, "origin": origin, "reason": REASON})

    for part, scheme, entries in _concepts(plan):
        for entry in entries:
            if not _exists(scheme, entry.value):
                add(part, entry.value, entry.origin)
    for entry in plan.graph.relations:
        if entry.value.lstrip("^") not in Ontology.load().relations:
            add("graph.relations", entry.value, entry.origin)
    if plan.form.shape not in SHAPES:
        add("form.shape", plan.form.shape, "caller")
    if plan.query_type not in families():
        add("query_type", plan.query_type, "caller")
    return found


def _concepts(plan: Plan) -> Iterator[tuple[str, str, Entries]]:
    for name in ("require", "prefer", "exclude"):
        yield f"epistemic.{name}", STANDING[0], getattr(plan.epistemic, name)
        yield f"operator.{name}", "operator", getattr(plan.operator, name)


def _exists(scheme: str, value: str) -> bool:
    """Whether the vocabulary has the value; what is said of states may also be verification, evidence or a role."""
    schemes = STANDING if scheme == STANDING[0] else (scheme,)
    return any(Ontology.load().concept(one, value) is not None for one in schemes)
