"""One function for each kind of field that explanations speak of: field in, template and its values out.

A function sees its field, the way to it, and the id and position of the result that it belongs to; nothing else of the
certificate, so that no sentence can say what its field does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from oam_rdf.query.phrases import TEMPLATES, say, word

Said = tuple[str, dict[str, Any]]
PATH = 12  # members of a way of supersession that are shown
SHOWN = 5  # of what a result stands for, or is quoted from; the others are counted


class Place(NamedTuple):
    """Where a sentence is made from: the tokens of its pointer, the field there, and the result that it is part of."""

    tokens: tuple[str, ...]
    field: Any
    id: str
    position: int
    tag: str

    def join(self, parts: Iterable[Any]) -> str:
        return (", " if self.tag == "en" else "、").join(map(str, parts))

    def word(self, key: str) -> str:
        return word(key, self.tag)

    def say(self, *reasons: str) -> str:
        return say("; " if self.tag == "en" else "；", reasons, self.tag)

    def behind(self, text: str) -> str:
        """The text after a colon, nothing where there is none."""
        return (": " if self.tag == "en" else "：") + text if text else ""

    def pairs(self, values: Mapping[str, Any]) -> str:
        return self.join(f"{self.word(name)} {number(value)}" for name, value in values.items())


def number(value: Any) -> str:
    """A number as sentences show it: at most four places after the point."""
    if isinstance(value, float):
        return f"{round(value, 4):g}" if abs(value) < 1e6 else f"{value:.0f}"
    return str(value)


def origin(text: str, tag: str) -> str:
    """Where an entry of the plan came from; a rule or model is called by its own name."""
    return word("caller", tag) if text == "caller" else text


def ranks(found: Mapping[str, int], place: Place) -> str:
    known = ((f"rank {channel}", rank) for channel, rank in found.items())
    said = [TEMPLATES[key][place.tag].format(rank=rank) for key, rank in known if key in TEMPLATES]
    return place.join(said) or "-"


def facts(found: Mapping[str, Any], place: Place) -> str:
    """The typed facts behind a verdict: ``ids: A, B; share 0.8``."""
    said = []
    for name, value in found.items():
        if isinstance(value, Mapping):
            value = place.join(f"{place.say(str(k))} {number(v)}" for k, v in value.items())
        elif isinstance(value, (list, tuple)):
            shown = (" | ".join(map(str, v)) if isinstance(v, (list, tuple)) else str(v) for v in value)
            value = place.join(map(place.word, shown) if name in ("constraints", "off") else shown)
        said.append(f"{place.word(name)} {number(value)}")
    text = "; ".join(said) if place.tag == "en" else "；".join(said)
    return f" ({text})" if text and place.tag == "en" else f"（{text}）" if text else ""


def _plan(at: Place) -> Said:
    if at.tokens[1] == "notes":
        return "ambiguous", {"note": at.field}
    if at.tokens[1:] == ("version", "as_of"):
        return "as of", {"value": at.field}
    facet = ".".join(token for token in at.tokens[1:] if not token.isdigit())
    return "asked", {
        "facet": at.word(facet),
        "value": at.field["value"],
        "force": at.word("hard" if at.field["hard"] else "soft"),
        "origin": origin(at.field["origin"], at.tag),
        "confidence": number(at.field["confidence"]),
    }


def _time(at: Place) -> Said:
    """What the time that is asked about means, or the status that something had then."""
    if at.tokens[1] == "reason":
        return "as of reason", {"reason": at.say(at.field)}
    if at.tokens[1] == "statuses":
        if at.field["status"]:
            return "status then", dict(at.field)
        return "no status then", {**at.field, "reason": at.say(at.field["reason"])}
    return "as of meaning", {"meaning": at.join(at.word(name) for name in at.field)}


def _scoring(at: Place) -> Said:
    if at.tokens[-1] == "half_life":
        return "freshness on", {"value": number(at.field)}
    if at.tokens[-1] == "freshness_off":
        return "freshness off", {"value": at.say(at.field)}
    used = {name: weight for name, weight in at.field.get("weights", {}).items() if weight}
    return "scoring", {"weights": at.pairs(used), "reason": at.say(at.field.get("reason", ""))}


def _rerank(at: Place) -> Said:
    if at.field.get("failed"):
        return "rerank failed", {"model": at.field["model"], "failed": at.field["failed"]}
    before, after = (at.join(at.field.get(name, ())[:10]) for name in ("before", "after"))
    return "reranked", {"model": at.field.get("model", ""), "before": before, "after": after}


def _relaxed(at: Place) -> Said:
    item = at.field
    to = item.get("to", "")
    values = {
        "what": at.word(item["what"]),
        "value": item["value"],
        "origin": origin(item["origin"], at.tag),
        "confidence": number(item["confidence"]),
        "step": at.say(item.get("step", "")),
        "to": at.behind(at.join(to) if isinstance(to, list) else at.word(to)),
        "count": item.get("count", len(item["let_in"])),
        "ids": at.behind(at.join(item["let_in"])),
    }
    return "relaxed", values


def _expanded(at: Place) -> Said:
    item = at.field
    path = item.get("path", ())
    return "expanded", {
        "id": item["id"],
        "source": item.get("from", ""),
        "path": " → ".join(map(str, path)) if isinstance(path, list) else path,
        "relation": item.get("relation", ""),
        "pagerank": _fine(item.get("pagerank")),
        "score": number(item.get("score")),
    }


def _fine(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _adapt(at: Place) -> Said:
    before, after, features = (at.pairs(at.field.get(name, {})) for name in ("before", "after", "features"))
    reasons = at.say(*at.field.get("reasons", ()))
    return "adapt", {"before": before, "after": after, "features": features, "reasons": reasons}


def _walked(at: Place) -> Said:
    starts = at.join(at.field.get("starts", ()))
    return "walked", {"starts": starts, "hops": at.field.get("hops"), "reached": at.field.get("reached")}


def _matched(at: Place) -> Said:
    def one(match: Mapping[str, Any]) -> str:
        where = at.join(at.word(name) for name in match["fields"])
        text = match.get("text", "")
        as_there = f" “{text}”" if text and text.casefold() != match["term"].casefold() else ""
        return f"{match['term']} ({at.word(match['how'])}{as_there}{at.behind(where)})"

    return "matched", {"id": at.id, "terms": at.join(map(one, at.field))}


def _excluded(at: Place) -> Said:
    reason = at.say(at.field["reason"])
    if reason == at.field["reason"]:  # names of conditions, not a sentence
        reason = at.join(at.word(name) for name in reason.split(", "))
    if "position" in at.field:
        return "below", {"id": at.field["id"], "position": at.field["position"], "reason": reason}
    return "excluded", {"id": at.field["id"], "reason": reason}


def _verdict(at: Place) -> Said:
    if isinstance(at.field, str):
        return "verdict", {"verdict": at.field, "reason": "", "facts": ""}
    found = facts(at.field.get("facts", {}), at)
    return "verdict", {"verdict": at.field["verdict"], "reason": at.say(at.field.get("reason", "")), "facts": found}


def path_of(names: Sequence[Any]) -> str:
    """A way as text; of a long one the ends."""
    if len(names) > PATH:
        names = [*names[: PATH // 2], "…", *names[-(PATH // 2) :]]
    return " → ".join(map(str, names))


def _substituted(at: Place) -> Said:
    path = path_of(at.field["path"])
    how = ranks(at.field.get("ranks", {}), at)
    return "substituted", {"id": at.id, "old": at.field["id"], "path": path, "ranks": how}


def _uncertain(at: Place) -> Said:
    if at.tokens[1] == "unknown_terms":
        return "unknown", {"names": at.join(at.field)}
    if at.tokens[1] == "unknown_values":
        values = {"facet": at.word(at.field["part"]), "value": at.field["value"]}
        return "unknown value", {**values, "origin": origin(at.field["origin"], at.tag)}
    return "risk", {"value": at.field}


def _evidence(at: Place) -> Said:
    kind, outcome = (at.word(str(at.field.get(name, ""))) or "-" for name in ("kind", "outcome"))
    return "evidence", {"id": at.id, "kind": kind, "outcome": outcome, "reference": at.field.get("reference") or "-"}


def _evidence_of(at: Place) -> Said:
    return "evidence of", {"id": at.id, "statement": at.field["id"], "ranks": ranks(at.field.get("ranks", {}), at)}


def _spans(at: Place) -> Said:
    start, end = (at.field[name] if at.field[name] is not None else "-" for name in ("start", "end"))
    return "quoted", {"id": at.id, "start": start, "end": end, "original": at.field["original"]}


def _route(at: Place) -> Said:
    return "route", {"route": " + ".join(at.field.get("route", ())), "reason": at.say(*at.field.get("reasons", ()))}


def _weights(at: Place) -> Said:
    shown = {name: number(at.field.get(name, 0)) for name in ("lexical", "dense", "graph", "foreign")}
    method = at.field.get("method", "rrf")
    return "weights", {"method": method, "k": at.field["rrf_k"], **shown, "reason": at.say(at.field.get("reason", ""))}


def _of(key: str) -> Callable[[Place], Said]:
    """A sentence of a result that shows the field as it is."""
    return lambda at: (key, {"id": at.id, "value": at.field})


def _ids(key: str, name: str = "names") -> Callable[[Place], Said]:
    return lambda at: (key, {"id": at.id, name: at.join(at.field)})


SENTENCES: Mapping[str, Callable[[Place], Said]] = {
    "routing": _route,
    "query_plan": _plan,
    "weights": _weights,
    "adapt": _adapt,
    "channels": _walked,
    "scoring": _scoring,
    "rerank": _rerank,
    "diversity": lambda at: ("diversity", {
        "balance": number(at.field.get("lambda")), "similarity": at.field.get("similarity", ""),
        "moved": at.field.get("moved"),
    }),
    "degraded": lambda at: ("degraded", {"channel": at.tokens[1], "reason": at.field}),
    "coverage": lambda at: ("coverage", {"share": number(at.field)}),
    "gate": _verdict,
    "constraints": lambda at: ("constraint", {"name": at.word(at.tokens[2]), "count": at.field}),
    "as_of": _time,
    "layout": lambda at: ("laid out", {"shape": at.word(at.field)}),
    "echo": lambda at: ("echo", {name: at.field[name] for name in ("characters", "limit", "sha256")}),
    "relaxations": _relaxed,
    "filter_regret": lambda at: ("regret", {
        "share": number(at.field["share"]), "of": at.field["of"], "by": at.behind(at.pairs(at.field.get("by", {}))),
    }),
    "tag_coverage": lambda at: ("tag coverage", {"share": number(at.field)}),
    "expansions": _expanded,
    "excluded": _excluded,
    "uncertainty": _uncertain,
    "results/ranks": lambda at: ("result", {"position": at.position, "id": at.id, "ranks": ranks(at.field, at)}),
    "results/named": _of("named"),
    "results/injected": _of("injected"),
    "results/matched": _matched,
    "results/met": lambda at: ("met", {"id": at.id, "names": at.join(map(at.word, at.field))}),
    "results/scores": lambda at: ("scores", {"id": at.id, "scores": at.pairs(at.field)}),
    "results/substituted_for": _substituted,
    "results/counts": lambda at: (f"{at.tokens[3]} in all", {"id": at.id, "count": at.field}),
    "results/spans": _spans,
    "results/evidence": _evidence,
    "results/evidence_of": _evidence_of,
    "results/graph_path": lambda at: ("graph path", {"id": at.id, "path": " → ".join(at.field)}),
    "results/reach": lambda at: ("reach", {
        "id": at.id, "confidences": at.join(map(number, at.field["confidences"])), "score": number(at.field["score"]),
    }),
    "results/successors": _ids("successor", "successors"),
    "results/conflict": _of("conflict"),
    "results/heads": _ids("heads"),
    "results/historical": lambda at: ("historical", {
        "id": at.id, "version": at.field["version"], "until": at.field["until"],
    }),
    "results/version": _of("version"),
    "results/version_status": _of("version status"),
    "results/status_then": lambda at: ("superseded since" if at.field["since"] else "superseded once", {
        "id": at.id, "by": at.field["by"], "since": at.field["since"], "now": at.field["now"],
    }),
    "results/epistemic_state": _of("state"),
    "results/verification": _of("verification"),
    "results/span": lambda at: ("source", {"id": at.id, **at.field}),
    "results/source_available": lambda at: ("no span" if at.field else "no source", {"id": at.id}),
    "results/duplicates": _ids("duplicates"),
}  # fmt: skip
