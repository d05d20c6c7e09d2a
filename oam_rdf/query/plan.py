"""The query plan Q(q): what is asked, as data (paper §2, retrieval.md "Plan").

Every entry says where it came from (``caller``, ``rule:NAME`` of the compiler, ``model:NAME``), how sure that is, and
whether it is hard (a constraint) or soft (a preference). Plans are frozen; JSON and YAML in and out.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, ClassVar

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from oam_rdf.errors import UsageError

CALLER = "caller"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing the plan asks for. ``confidence`` in [0, 1]; ``hard`` entries constrain, others only prefer."""

    value: str
    origin: str = CALLER
    confidence: float = 1.0
    hard: bool = False


Entries = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Lexical:
    include: Entries = ()
    exclude: Entries = ()
    exact_terms: Entries = ()
    ids: Entries = ()


@dataclass(frozen=True, slots=True)
class Operator:
    require: Entries = ()
    prefer: Entries = ()
    exclude: Entries = ()


@dataclass(frozen=True, slots=True)
class Directions:
    directions: Entries = ()
    start: Entries = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """``relations`` to walk (none named: typed relations and links), ``hops`` outwards from what the query names (0 = the
    graph recalls nothing)."""

    relations: Entries = ()
    hops: int = 1


@dataclass(frozen=True, slots=True)
class Epistemic:
    require: Entries = ()
    prefer: Entries = ()
    exclude: Entries = ()


@dataclass(frozen=True, slots=True)
class Version:
    """``mode``: ``default`` (heads substitute), ``active`` (hard: current only), ``history`` (nothing is substituted).
    ``as_of``: a zoned ISO date-time, or ""."""

    mode: Entry = Entry("default", "rule:default")
    as_of: str = ""
    id: Entries = ()

    @property
    def moment(self) -> int | None:
        """``as_of`` as microseconds since 1970 UTC, None if it is not asked. :raises UsageError: if it is no date."""
        if not self.as_of:
            return None
        try:
            when = datetime.fromisoformat(self.as_of.strip())
        except ValueError as error:
            hint = "write 2026-07-31 or 2026-07-31T12:00:00+08:00"
            raise UsageError(f"{self.as_of!r} is not a date", hint=hint) from error
        return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Source:
    require_original: Entry | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    domain: Entries = ()
    safety: Entries = ()
    population: Entries = ()
    version: Entries = ()
    rights: Entries = ()
    preconditions: Entries = ()
    language: Entries = ()
    visibility: Entries = ()
    kind: Entries = ()


@dataclass(frozen=True, slots=True)
class Access:
    clearance: str = "RESTRICTED"


@dataclass(frozen=True, slots=True)
class Form:
    """``granularity`` "" = the finest that answers. ``asked``: fields the query asks for, such as ``creator[3]``.
    ``diversity`` is 1 − λ of maximal marginal relevance (paper §5.3), 0 = off."""

    k: int = 10
    offset: int = 0
    granularity: str = ""
    diversity: float = 0.0
    shape: str = "list"
    asked: Entries = ()


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight per channel, and the ``method`` of fusion: ``convex`` (scores) or ``rrf`` (ranks, with ``rrf_k``; decision
    D25). ``foreign`` is the share of words in a language that is asked by translation; it was tuned on questions and texts
    in two languages. ``reason`` says who set them.
    """

    rrf_k: int = 60
    lexical: float = 0.5
    dense: float = 0.5
    graph: float = 0.0
    reason: str = ""
    method: str = "convex"
    foreign: float = 0.4


@dataclass(frozen=True, slots=True)
class Scoring:
    """Weights of the score vector (paper §5). ``relevance`` weighs what fusion gave, sparse and dense together; a part of
    weight 0 is shown and moves nothing.

    ``retrieval`` is λ of §5.2: its share against generation utility. ``half_life`` in days (decision D27), 0 = freshness
    is off. ``rerank`` names a cross-encoder, "" = none.
    """

    relevance: float = 1.0
    operator: float = 0.0
    graph: float = 0.0
    provenance: float = 0.0
    epistemic: float = 0.0
    version: float = 0.0
    retrieval: float = 0.7
    half_life: int = 180
    rerank: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rescue:
    """Decision D8. Below ``k_min`` candidates (0 = min(k, 3)) conditions are relaxed one at a time; ``strict``: none is."""

    k_min: int = 0
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    text: str = ""
    language: str = ""  # primary subtag of what is asked: zh, en, …
    query_type: str = "SEMANTIC"
    entities: Entries = ()
    answerability_risk: Entries = ()
    lexical: Lexical = Lexical()
    semantic: Entry | None = None
    operator: Operator = Operator()
    navigation: Directions = Directions()
    graph: Graph = Graph()
    epistemic: Epistemic = Epistemic()
    version: Version = Version()
    source: Source = Source()
    condition: Condition = Condition()
    access: Access = Access()
    form: Form = Form()
    route: Entries = ()
    weights: Weights = Weights()
    scoring: Scoring = Scoring()
    rescue: Rescue = Rescue()
    whoosh: str = ""  # a query in Whoosh's syntax, which rows must meet; ``text`` then holds its words
    scorer: str = "auto"  # lexical score that feeds fusion (decision D21b)
    idf: str = "smooth"  # of IDF+Coverage: smooth or classic (decision D21)
    notes: tuple[str, ...] = field(default=())  # ambiguities the compiler saw (paper §19.10)

    # Spellings of the paper's §2.1 and §10 beside ours.
    ALIASES: ClassVar[Mapping[str, Mapping[str, str]]] = MappingProxyType(
        {
            "semantic": MappingProxyType({"intent": "value"}),
            "navigation": MappingProxyType({"direction": "directions"}),
            "graph": MappingProxyType({"relation": "relations"}),
            "operator": MappingProxyType({}),
        }
    )

    @property
    def routes(self) -> tuple[str, ...]:
        return tuple(entry.value for entry in self.route)

    def to_json(self) -> dict[str, Any]:
        """Plain data; empty parts are left out."""
        return {f.name: data for f in fields(self) if (data := _dump(getattr(self, f.name))) not in ({}, [], "", None)}

    def to_yaml(self) -> str:
        stream = io.StringIO()
        yaml = YAML(typ="safe", pure=True)
        yaml.default_flow_style = False
        yaml.allow_unicode = True
        yaml.dump(self.to_json(), stream)
        return stream.getvalue()

    @classmethod
    def from_json(cls, data: Mapping[str, Any], origin: str = CALLER) -> Plan:
        """Read a plan. A plain string stands for an entry of ``origin``; the paper's spellings are accepted.

        :raises UsageError: naming the key that is unknown or has the wrong shape.
        """
        return _read(cls, _paper(data), origin, "plan")  # type: ignore[no-any-return]

    @classmethod
    def from_yaml(cls, text: str, origin: str = CALLER) -> Plan:
        """Read a plan written as YAML. :raises UsageError: if it is none."""
        try:
            data = YAML(typ="safe", pure=True).load(text)
        except YAMLError as error:
            raise UsageError(f"the plan is not YAML: {str(error).splitlines()[0]}") from error
        if not isinstance(data, Mapping):
            raise UsageError("a plan is a mapping", hint="see docs: plan")
        return cls.from_json(data, origin)


_PREFERENCES: dict[str, dict[str, Any]] = {
    "latest_active": {"value": "active"},
    "testable_over_metaphysical": {"prefer": ["TESTABLE_HYPOTHESIS"], "exclude": ["METAPHYSICAL_CONJECTURE"]},
}
_ROUTE_NAMES = {"hybrid_graph": ("HYBRID", "GRAPH_LOCAL")}


def _paper(data: Mapping[str, Any]) -> dict[str, Any]:
    """The paper's shorthand (§2.1, and §10's for what a certificate shows of a plan), spelt out."""
    plan = dict(data)
    if "semantic_intent" in plan:
        plan.setdefault("semantic", plan.pop("semantic_intent"))
    if "operators" in plan:
        plan.setdefault("operator", {"prefer": plan.pop("operators")})
    if (asked := plan.pop("version_preference", None)) is not None:
        plan.setdefault("version", {"mode": _PREFERENCES.get(str(asked), asked)})
    if (asked := plan.pop("epistemic_preference", None)) is not None:
        plan.setdefault("epistemic", _PREFERENCES.get(str(asked), {"prefer": asked}))
    route = plan.get("route")
    if isinstance(route, Mapping):
        route = route.get("type", "")
    if isinstance(route, str):
        plan["route"] = list(_ROUTE_NAMES.get(route, (route.upper(),))) if route else []
    version = plan.get("version")
    if isinstance(version, Mapping) and "prefer_active" in version:
        rest = {key: value for key, value in version.items() if key != "prefer_active"}
        plan["version"] = {**rest, "mode": {"value": "default", "hard": False}} if version["prefer_active"] else rest
    return plan


def _dump(value: Any) -> Any:
    if isinstance(value, Entry):
        return {
            "value": value.value,
            "origin": value.origin,
            "confidence": round(value.confidence, 2),
            "hard": value.hard,
        }
    if is_dataclass(value):
        items = ((f.name, _dump(getattr(value, f.name))) for f in fields(value))
        return {name: data for name, data in items if data not in ({}, [], "", None)}
    if isinstance(value, tuple):
        return [_dump(item) for item in value]
    return value


_PARTS: dict[str, Any] = {
    "lexical": Lexical,
    "operator": Operator,
    "navigation": Directions,
    "graph": Graph,
    "epistemic": Epistemic,
    "version": Version,
    "source": Source,
    "condition": Condition,
    "access": Access,
    "form": Form,
    "weights": Weights,
    "scoring": Scoring,
    "rescue": Rescue,
}


def _read(kind: Any, data: Any, origin: str, place: str) -> Any:
    if not isinstance(data, Mapping):
        raise UsageError(f"{place} must be a mapping, not {type(data).__name__}")
    aliases = Plan.ALIASES.get(place.rpartition(".")[2], {})
    known = {f.name: f for f in fields(kind)}
    values: dict[str, Any] = {}
    for raw, value in data.items():
        name = aliases.get(str(raw), str(raw))
        where = f"{place}.{name}"
        if name not in known:
            raise UsageError(f"unknown key {raw!r} in {place}", hint="one of " + ", ".join(sorted(known)))
        shape = str(known[name].type)
        if kind is Plan and name in _PARTS:
            values[name] = _read(_PARTS[name], value, origin, where)
        elif shape == "Entries":
            items = value if isinstance(value, (list, tuple)) else [value]
            values[name] = tuple(_entry(item, origin, where) for item in items)
        elif shape in ("Entry", "Entry | None"):
            values[name] = None if value is None else _entry(value, origin, where)
        elif shape == "tuple[str, ...]":
            values[name] = tuple(str(item) for item in value)
        else:
            values[name] = _scalar(value, shape, where)
    return kind(**values)


def _entry(item: Any, origin: str, place: str) -> Entry:
    if isinstance(item, Entry):
        return item
    if isinstance(item, Mapping):
        item = {("value" if key == "intent" else key): value for key, value in item.items()}
        if not set(item) <= {"value", "origin", "confidence", "hard"} or "value" not in item:
            raise UsageError(f"{place}: an entry has value, origin, confidence, hard", hint=f"got {sorted(item)}")
        confidence = _scalar(item.get("confidence", 1.0), "float", f"{place}.confidence")
        if not 0 <= confidence <= 1:
            raise UsageError(f"{place}.confidence must lie in [0, 1]")
        return Entry(str(item["value"]), str(item.get("origin", origin)), confidence, bool(item.get("hard", False)))
    if isinstance(item, (str, int, float)) and not isinstance(item, bool):
        return Entry(str(item), origin)
    raise UsageError(f"{place}: {item!r} is no entry", hint="write a string, or a mapping with value")


def _scalar(value: Any, shape: str, place: str) -> Any:
    if shape == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if shape == "float" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if shape == "bool" and isinstance(value, bool):
        return value
    if shape == "str" and isinstance(value, str):
        return value
    if shape == "str" and isinstance(value, date):  # YAML reads an unquoted date as one
        return value.isoformat()
    raise UsageError(f"{place} must be of type {shape}, not {value!r}")
