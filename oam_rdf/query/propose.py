"""A language model may propose a plan, through any OpenAI-compatible chat endpoint (retrieval.md, "Plan"). Off by default.

What it says is read by the same schema as a caller's plan and added to what the rules found, marked ``model:NAME``. It can
prefer, never demand: hard entries are made soft, and what has no soft form (access, dates, weights, ids) is refused. When
the model fails, the plan is what rules made of it, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Protocol

from oam_rdf.errors import OamError, UsageError
from oam_rdf.ontology import Ontology
from oam_rdf.query.families import ROUTES, default_routes, families
from oam_rdf.query.plan import Entries, Entry, Form, Lexical, Plan

_LIKELY = 0.8  # a model is never surer than a cue phrase
_SHAPES = ("list", "comparison", "timeline", "evidence table")
_MOST = 8  # entries that a model may add to one place
# Part of a plan -> the fields of it that a model may fill.
_OPEN: Mapping[str, tuple[str, ...]] = {
    "lexical": ("include", "exclude"),
    "operator": ("require", "prefer", "exclude"),
    "navigation": ("directions", "direction"),
    "graph": ("relations", "relation"),
    "epistemic": ("prefer", "exclude"),
    "condition": ("domain", "population", "language"),
    "form": ("shape",),
}
_WHOLE = ("query_type", "semantic", "semantic_intent", "route")
_SYSTEM = """You turn a search query into a query plan. Answer with one JSON object and nothing else. Leave out every key that
the query does not ask for. Keys: query_type; semantic (the need in other words, one sentence); lexical.include and
lexical.exclude (words of the query); operator.prefer; navigation.directions; graph.relations; epistemic.prefer;
condition.domain, condition.population, condition.language; form.shape. Every list holds strings from the lists below,
except lexical, semantic and condition, which are free text."""


class Chat(Protocol):
    """What is needed of :class:`oam_rdf.annotate.chat.Chat`."""

    def complete(self, system: str, user: str) -> dict[str, Any]: ...


def propose(plan: Plan, chat: Chat, name: str) -> Plan:
    """The plan with what the model ``name`` adds to it. Nothing that the caller or a rule put there is changed.

    A model that fails or answers with what is no plan leaves the plan as it was, with the reason among
    ``answerability_risk`` (origin ``model:NAME``).
    """
    if not plan.text.strip():
        return plan
    origin = f"model:{name}"
    try:
        answer = chat.complete(_system(), plan.text)
        proposed, refused = _checked(answer, origin)
    except OamError as error:
        return _noted(plan, f"rules alone made the plan: {str(error).splitlines()[0]}", origin)
    merged = _merged(plan, proposed, origin)
    for reason in refused[:_MOST]:
        merged = _noted(merged, reason, origin)
    return merged


def _system() -> str:
    ontology = Ontology.load()
    lists = {
        "query_type": sorted(families()),
        "directions": sorted(ontology.directions),
        "relations": sorted(name for name, relation in ontology.relations.items() if not relation.inverse),
        "operators": sorted(ontology.notations("operator")),
        "epistemic": sorted(_standings()),
        "shapes": list(_SHAPES),
    }
    return "\n".join([_SYSTEM, *(f"{name}: {json.dumps(values)}" for name, values in lists.items())])


def _checked(answer: Mapping[str, Any], origin: str) -> tuple[Plan, list[str]]:
    """The answer as a plan of soft entries, and what of it was refused. :raises UsageError: if it is no plan."""
    for key, value in answer.items():
        allowed = _OPEN.get(key)
        if allowed is None and key not in _WHOLE:
            raise UsageError(f"a model may not set {key!r}", hint="one of " + ", ".join(sorted({*_OPEN, *_WHOLE})))
        if allowed is None or not isinstance(value, Mapping):
            continue
        for name in value:
            if name not in allowed:
                raise UsageError(f"a model may not set {key}.{name}", hint="one of " + ", ".join(allowed))
    plan = Plan.from_json(answer, origin)
    refused: list[str] = []
    return _soft(plan, origin, refused), refused


def _soft(plan: Plan, origin: str, refused: list[str]) -> Plan:
    ontology = Ontology.load()

    def kept(what: str, entries: Entries, known: Any) -> Entries:
        found: list[Entry] = []
        for entry in entries[:_MOST]:
            notation = known(entry.value)
            if notation is None:
                refused.append(f"{entry.value!r} of the model is no {what}")
            else:
                found.append(Entry(notation, origin, min(entry.confidence, _LIKELY)))
        return tuple(found)

    def direction(value: str) -> str | None:
        way = ontology.direction(value)
        return way.notation if way else None

    def operator(value: str) -> str | None:
        concept = ontology.concept("operator", value)
        return concept.notation if concept else None

    def free(value: str) -> str | None:
        return value.strip() or None

    parts: dict[str, Any] = {}
    for part in ("lexical", "condition"):
        old = getattr(plan, part)
        parts[part] = replace(old, **{f.name: kept(part, getattr(old, f.name), free) for f in fields(old)})
    old = plan.operator
    parts["operator"] = replace(old, **{f.name: kept("operator", getattr(old, f.name), operator) for f in fields(old)})
    parts["navigation"] = replace(plan.navigation, directions=kept("direction", plan.navigation.directions, direction))
    relations = kept("relation", plan.graph.relations, lambda v: v if v in ontology.relations else None)
    parts["graph"] = replace(plan.graph, relations=relations)
    standings = _standings()
    states = {
        name: kept("state or evidence", getattr(plan.epistemic, name), lambda v: v if v in standings else None)
        for name in ("prefer", "exclude")
    }
    parts["epistemic"] = replace(plan.epistemic, **states)
    parts["route"] = kept("route", plan.route, lambda v: v if v in ROUTES and v != "NO_RETRIEVAL" else None)
    if plan.semantic is not None:
        parts["semantic"] = next(iter(kept("intent", (plan.semantic,), free)), None)
    if plan.query_type not in families():
        refused.append(f"{plan.query_type!r} of the model is no query type")
        parts["query_type"] = "SEMANTIC"
    if plan.form.shape not in _SHAPES:
        refused.append(f"{plan.form.shape!r} of the model is no shape")
        parts["form"] = Form()
    return replace(plan, **parts)


def _standings() -> frozenset[str]:
    ontology = Ontology.load()
    schemes = ("epistemic-state", "verification", "evidence-kind", "role")
    return frozenset().union(*(ontology.notations(scheme) for scheme in schemes))


def _merged(plan: Plan, more: Plan, origin: str) -> Plan:
    """Rules first; of the model what they do not say. Routes follow where the model tells a type that rules did not see."""
    changes: dict[str, Any] = {}
    for part in ("operator", "epistemic", "condition"):
        ours, theirs = getattr(plan, part), getattr(more, part)
        lists = {f.name: _joined(getattr(ours, f.name), getattr(theirs, f.name)) for f in fields(ours)}
        changes[part] = replace(ours, **lists)
    changes["lexical"] = Lexical(
        _joined(plan.lexical.include, more.lexical.include),
        _joined(plan.lexical.exclude, more.lexical.exclude),
        plan.lexical.exact_terms,
        plan.lexical.ids,
    )
    directions = _joined(plan.navigation.directions, more.navigation.directions)
    start = plan.navigation.start or (plan.lexical.ids if directions else ())
    changes["navigation"] = replace(plan.navigation, directions=directions, start=start)
    changes["graph"] = replace(plan.graph, relations=_joined(plan.graph.relations, more.graph.relations))
    if more.semantic is not None:
        changes["semantic"] = more.semantic
    if plan.form.shape == "list" and more.form.shape != "list":
        changes["form"] = replace(plan.form, shape=more.form.shape)
    plan = replace(plan, **changes)
    routes = more.route
    if plan.query_type == "SEMANTIC" and more.query_type != "SEMANTIC":
        plan = replace(plan, query_type=more.query_type)
        routes = (*routes, *(Entry(entry.value, origin, _LIKELY) for entry in default_routes(plan)))
    if any(entry.value == "NO_RETRIEVAL" for entry in plan.route):
        return plan
    return replace(plan, route=_joined(plan.route, routes))


def _joined(ours: Entries, theirs: Entries) -> Entries:
    known = {entry.value for entry in ours}
    return (*ours, *{e.value: e for e in theirs if e.value not in known}.values())


def _noted(plan: Plan, reason: str, origin: str) -> Plan:
    return replace(plan, answerability_risk=(*plan.answerability_risk, Entry(reason, origin)))
