"""The query families of paper §13 and the routes that serve each by default: rows of ``ontology/schemes/query-families.ttl``."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from oam_rdf.errors import ConfigError
from oam_rdf.namespaces import OAM, SCHEMES
from oam_rdf.query.plan import Entries, Entry, Plan
from oam_rdf.resources import ontology_dir

# In the order of paper §4.2, which is the order in which a plan lists them.
ROUTES = (
    "SPARSE_ONLY", "DENSE_ONLY", "HYBRID", "OPERATOR_FILTERED", "GRAPH_LOCAL", "GRAPH_GLOBAL", "VERSION_TRACE", "SOURCE_TRACE",
    "NO_RETRIEVAL",
)  # fmt: skip
TEXT_ROUTES = ("SPARSE_ONLY", "DENSE_ONLY", "HYBRID", "NO_RETRIEVAL")


@dataclass(slots=True)
class Family:
    """Route names: by default, when no start is named, when evidence is asked."""

    default: set[str] = field(default_factory=set)
    without_start: set[str] = field(default_factory=set)
    with_evidence: set[str] = field(default_factory=set)


def families() -> dict[str, Family]:
    """Query type (``DIRECTIONAL``) -> its row. :raises ConfigError: for a row without routes, or a route that is none."""
    return _load()


@lru_cache(maxsize=1)
def _load() -> dict[str, Family]:
    rows: dict[str, Family] = {}
    names: dict[str, str] = {}
    file = ontology_dir() / "schemes" / "query-families.ttl"
    slots = {"defaultRoute": "default", "routeWithoutStart": "without_start", "routeWithEvidence": "with_evidence"}
    for quad in parse(path=str(file), format=RdfFormat.TURTLE):
        subject, name = str(getattr(quad.subject, "value", "")), quad.predicate.value.removeprefix(OAM)
        if name == "alias" and isinstance(quad.object, Literal):
            names[subject] = quad.object.value
        elif name in slots and isinstance(quad.object, NamedNode):
            route = quad.object.value.removeprefix(SCHEMES["route"])
            if route not in ROUTES:
                raise ConfigError(f"{route!r} is no route", place=file.name, hint="one of " + ", ".join(ROUTES))
            getattr(rows.setdefault(subject, Family()), slots[name]).add(route)
    if missing := sorted(set(names) - set(rows)):
        raise ConfigError(f"no default route for {missing[0]}", place=file.name, hint="add oam:defaultRoute")
    return {names[subject]: row for subject, row in rows.items() if subject in names}


def default_routes(plan: Plan, *, more: tuple[str, ...] = (), evidence: bool = False) -> Entries:
    """The routes of a plan's type and of ``more`` types that it also shows, in the order of :data:`ROUTES`.

    What else the plan asks for adds its own: a version or a date VERSION_TRACE, a source SOURCE_TRACE, relations GRAPH_LOCAL,
    operators that are named OPERATOR_FILTERED.
    """
    chosen: dict[str, Entry] = {}

    def add(names: set[str], origin: str) -> None:
        for name in names:
            chosen.setdefault(name, Entry(name, f"rule:{origin}"))

    bare = bool(plan.navigation.start) and not plan.lexical.include
    for kind in (plan.query_type, *more):
        row = families().get(kind)
        if row is None:
            continue
        add(row.default, f"type {kind}")
        if not bare:
            add(row.without_start, f"type {kind}, more than a start is named")
        if evidence:
            add(row.with_evidence, f"type {kind}, evidence asked")
    add(traces(plan), "asked")
    if any(entry.confidence > 0.9 for entry in (*plan.operator.require, *plan.operator.exclude)):
        add({"OPERATOR_FILTERED"}, "operator named")
    text = [name for name in TEXT_ROUTES if name in chosen]
    for name in text:  # of two text routes the wider one stays
        if "HYBRID" in chosen and name != "HYBRID":
            del chosen[name]
    return tuple(chosen[name] for name in ROUTES if name in chosen)


def traces(plan: Plan) -> set[str]:
    """VERSION_TRACE and SOURCE_TRACE where version, date, direction or source ask for them."""
    found: set[str] = set()
    directions = [entry.value for entry in plan.navigation.directions]
    if plan.version.as_of or plan.version.mode.value == "history" or any(d.startswith("VERSION.") for d in directions):
        found.add("VERSION_TRACE")
    if "SOURCE.BACK" in directions or plan.source.require_original is not None:
        found.add("SOURCE_TRACE")
    return found
