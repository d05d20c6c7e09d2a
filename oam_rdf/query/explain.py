"""Sentences from the trace and from nothing else (decision D13, paper §15).

Each sentence points to the field of the certificate that it was made from, as a JSON pointer (RFC 6901): whoever doubts
it looks there. No language model writes an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from oam_rdf.errors import UsageError
from oam_rdf.query.phrases import LANGUAGES, REASONS, TEMPLATES


def explain(certificate: Mapping[str, Any], language: str = "en") -> list[dict[str, str]]:
    """Why these results: a list of ``{"text", "pointer"}``.

    :param language: zh-Hant, zh-Hans or en, or a tag of a region where one of them is written (zh-TW, zh-CN, en-GB).
    :raises UsageError: for any other.
    """
    if language.lower().partition("-")[0] not in ("zh", "en"):
        raise UsageError(f"no explanations in {language!r}", hint="one of " + ", ".join(LANGUAGES))
    tag = nearest(language)
    return [
        {"text": TEMPLATES[key][tag].format_map(values), "pointer": pointer}
        for key, values, pointer in _sentences(certificate, tag)
    ]


def nearest(language: str) -> str:
    """The explanation language for a tag: zh-CN, zh-SG, zh-Hans simplified, other zh traditional, else English."""
    tag = language.lower()
    if tag.startswith("zh"):
        return "zh-Hans" if any(part in tag for part in ("hans", "cn", "sg")) else "zh-Hant"
    return "en"


def _sentences(certificate: Mapping[str, Any], tag: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    routing = certificate.get("routing", {})
    reasons = say("; ", routing.get("reasons", ()), tag)
    yield "route", {"route": " + ".join(certificate.get("route", ())), "reason": reasons}, "/routing/reasons"
    for number, note in enumerate(certificate.get("query_plan", {}).get("notes", ())):
        yield "ambiguous", {"note": note}, f"/query_plan/notes/{number}"
    weights = certificate.get("weights", {})
    if any("ranks" in result and len(result["ranks"]) for result in certificate.get("results", ())):
        values = {"k": weights.get("rrf_k"), **weights, "reason": say("", [weights.get("reason", "")], tag)}
        yield "weights", values, "/weights"
    for channel, reason in certificate.get("degraded", {}).items():
        yield "degraded", {"channel": channel, "reason": reason}, f"/degraded/{channel}"
    verdicts = certificate.get("gate", {}).get("verdicts", ())
    for number, item in enumerate(verdicts):
        reason = say("", [item["reason"]], tag)
        yield "verdict", {"verdict": item["verdict"], "reason": reason}, f"/gate/verdicts/{number}"
    if not verdicts:
        decision = certificate.get("gate", {})
        reason = say("", [decision.get("reason", "")], tag)
        yield "verdict", {"verdict": decision.get("verdict", ""), "reason": reason}, "/gate/verdict"
    for name, count in certificate.get("constraints", {}).get("removed", {}).items():
        yield "constraint", {"name": name, "count": count}, f"/constraints/removed/{_escape(name)}"
    for number, result in enumerate(certificate.get("results", ())):
        yield from _result(result, number, tag)
    for number, item in enumerate(certificate.get("excluded", ())[:3]):
        yield "excluded", dict(item), f"/excluded/{number}"


def _result(result: Mapping[str, Any], number: int, tag: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    at, name = f"/results/{number}", result["id"]
    separator = ", " if tag == "en" else "，"
    words = _ranks(result.get("ranks", {}), tag)
    if result.get("named"):
        words.insert(0, TEMPLATES["rank id"][tag])
    words = words or [TEMPLATES["rank none"][tag]]
    yield "result", {"position": result["position"], "id": name, "ranks": separator.join(words)}, f"{at}/ranks"
    if result.get("matched"):
        terms = separator.join(f"{match['term']} ({match['how']})" for match in result["matched"])
        yield "matched", {"id": name, "terms": terms}, f"{at}/matched"
    for index, item in enumerate(result.get("substituted_for", ())):
        ranks = separator.join(_ranks(item.get("ranks", {}), tag)) or TEMPLATES["rank id"][tag]
        values = {"id": name, "old": item["id"], "path": " → ".join(item["path"]), "ranks": ranks}
        yield "substituted", values, f"{at}/substituted_for/{index}"
    if result.get("successors"):
        yield "successor", {"id": name, "successors": separator.join(result["successors"])}, f"{at}/successors"
    if result.get("historical"):
        old = result["historical"]
        yield "historical", {"id": name, "version": old["version"], "until": old["until"]}, f"{at}/historical"
    if result.get("epistemic_state"):
        values = {"id": name, "state": result["epistemic_state"], "verification": result["verification"],
                  "status": result["version_status"]}  # fmt: skip
        yield "state", values, f"{at}/epistemic_state"
    span = result.get("span")
    if span:
        yield "source", {"id": name, **span}, f"{at}/span"
    elif not result.get("source_available"):
        yield "no source", {"id": name}, f"{at}/source_available"


def _ranks(ranks: Mapping[str, int], tag: str) -> list[str]:
    keys = ((f"rank {channel}", rank) for channel, rank in ranks.items())
    return [TEMPLATES[key][tag].format(rank=rank) for key, rank in keys if key in TEMPLATES]


def say(separator: str, reasons: Iterable[str], tag: str) -> str:
    """Reasons of the trace in a language; what has no translation (a rule's name, an error) stays as it is."""
    return separator.join(REASONS.get(reason, {}).get(tag, reason) for reason in reasons)


def _escape(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")
