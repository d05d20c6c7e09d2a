"""Sentences from the trace and from nothing else (decision D13, paper §15).

Each sentence points to the field of the certificate that it was made from, as a JSON pointer (RFC 6901), and :func:`render`
makes it again from that field: whoever doubts it looks there. Of anything else a sentence takes only the id and position
of the result that the field belongs to. No language model writes an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from oam_rdf.errors import UsageError
from oam_rdf.query.phrases import LANGUAGES, TEMPLATES, say
from oam_rdf.query.sentences import SENTENCES, SHOWN, Place

_ENTRIES = {
    "entities": ("",),
    "lexical": ("ids", "exact_terms", "exclude"),
    "operator": ("require", "prefer", "exclude"),
    "navigation": ("directions", "start"),
    "graph": ("relations",),
    "epistemic": ("require", "prefer", "exclude"),
    "version": ("mode", "id"),
    "source": ("require_original",),
    "condition": (
        "domain", "safety", "population", "version", "rights", "preconditions", "language", "visibility", "kind",
    ),
    "form": ("asked",),
}  # fmt: skip
_OF_A_RESULT = (
    "ranks", "named", "injected", "matched", "met", "scores", "substituted_for", "graph_path", "reach", "successors",
    "conflict", "heads", "historical", "version", "version_status", "status_then", "epistemic_state", "verification", "span",
    "source_available", "duplicates", "spans", "evidence", "evidence_of",
)  # fmt: skip
_NAMED_EXCLUDED = 10

Tokens = tuple[str, ...]


def explain(certificate: Mapping[str, Any], language: str = "en") -> list[dict[str, str]]:
    """Why these results: a list of ``{"text", "pointer"}``.

    :param language: zh-Hant, zh-Hans or en, or a tag of a region where one of them is written (zh-TW, zh-CN, en-GB).
    :raises UsageError: for any other.
    """
    tag = checked(language)
    return [
        {"text": _sentence(certificate, tokens, field, tag), "pointer": "".join("/" + _escape(t) for t in tokens)}
        for tokens, field in _places(certificate)
    ]


def render(certificate: Mapping[str, Any], pointer: str, language: str = "en") -> str:
    """The sentence of one pointer. :raises UsageError: if there is nothing at the pointer, or nothing to be said of it."""
    tokens = tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])
    try:
        field: Any = certificate
        for token in tokens:
            field = field[int(token)] if isinstance(field, list) else field[token]
        return _sentence(certificate, tokens, field, checked(language))
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise UsageError(f"no sentence is made from {pointer!r}", hint="take a pointer of an explanation") from error


def checked(language: str) -> str:
    """The explanation language for a tag. :raises UsageError: if there is none."""
    if language.lower().partition("-")[0] not in ("zh", "en"):
        raise UsageError(f"no explanations in {language!r}", hint="one of " + ", ".join(LANGUAGES))
    return nearest(language)


def nearest(language: str) -> str:
    """The explanation language for a tag: zh-CN, zh-SG, zh-Hans simplified, other zh traditional, else English."""
    tag = language.lower()
    if tag.startswith("zh"):
        return "zh-Hans" if any(part in tag for part in ("hans", "cn", "sg")) else "zh-Hant"
    return "en"


def _sentence(certificate: Mapping[str, Any], tokens: Tokens, field: Any, tag: str) -> str:
    kind, name, position = tokens[0], "", 0
    if kind == "results":
        owner = certificate["results"][int(tokens[1])]
        kind, name, position = f"results/{tokens[2]}", str(owner["id"]), int(owner["position"])
    key, values = SENTENCES[kind](Place(tokens, field, name, position, tag))
    return TEMPLATES[key][tag].format_map(values).rstrip()


def _places(certificate: Mapping[str, Any]) -> Iterator[tuple[Tokens, Any]]:
    """Every field that there is something to say of, in the order in which it is told."""
    routing = certificate.get("routing", {})
    yield ("routing",), routing
    yield from _asked(certificate.get("query_plan", {}))
    results = certificate.get("results", ())
    if any(result.get("ranks") for result in results):
        yield ("weights",), certificate["weights"]
    if certificate.get("channels", {}).get("graph", {}).get("starts"):
        yield ("channels", "graph"), certificate["channels"]["graph"]
    yield from _filled(certificate, ("adapt", "scoring", "rerank", "diversity", "echo"))
    if certificate.get("layout"):
        yield ("layout", "shape"), certificate["layout"]["shape"]
    scoring = certificate.get("scoring", {})
    for name in ("half_life", "freshness_off"):
        if scoring.get(name):
            yield ("scoring", name), scoring[name]
    for channel, reason in certificate.get("degraded", {}).items():
        yield ("degraded", channel), reason
    if 0 < certificate.get("coverage", 0) < 1:
        yield ("coverage",), certificate["coverage"]
    gate = certificate.get("gate", {})
    for number, item in enumerate(gate.get("verdicts", ())):
        yield ("gate", "verdicts", str(number)), item
    if not gate.get("verdicts") and gate.get("verdict"):
        yield ("gate", "verdict"), gate["verdict"]
    for name, count in certificate.get("constraints", {}).get("removed", {}).items():
        yield ("constraints", "removed", name), count
    if certificate.get("as_of", {}).get("reason"):
        yield ("as_of", "reason"), certificate["as_of"]["reason"]
    if certificate.get("as_of", {}).get("meaning"):
        yield ("as_of", "meaning"), certificate["as_of"]["meaning"]
    for number, said in enumerate(certificate.get("as_of", {}).get("statuses", ())):
        yield ("as_of", "statuses", str(number)), said
    yield from _each("relaxations", certificate)
    if certificate.get("filter_regret", {}).get("share"):
        yield ("filter_regret",), certificate["filter_regret"]
    if certificate.get("tag_coverage"):
        yield ("tag_coverage",), certificate["tag_coverage"]
    yield from _each("expansions", certificate)
    for number, result in enumerate(results):
        yield from _result(result, number)
    yield from _excluded(certificate.get("excluded", ()))
    uncertainty = certificate.get("uncertainty", {})
    if uncertainty.get("unknown_terms"):
        yield ("uncertainty", "unknown_terms"), uncertainty["unknown_terms"]
    for number, value in enumerate(uncertainty.get("unknown_values", ())):
        yield ("uncertainty", "unknown_values", str(number)), value
    for number, risk in enumerate(uncertainty.get("answerability_risk", ())):
        yield ("uncertainty", "answerability_risk", str(number)), risk


def _asked(plan: Mapping[str, Any]) -> Iterator[tuple[Tokens, Any]]:
    """What the plan asks for beside the text itself, and where that is ambiguous."""
    for part, names in _ENTRIES.items():
        for name in names:
            tokens: Tokens = (part, name) if name else (part,)
            entries = plan.get(part, {}).get(name, ()) if name else plan.get(part, ())
            if isinstance(entries, Mapping):
                if entries.get("origin") != "rule:default":
                    yield ("query_plan", *tokens), entries
                continue
            for number, entry in enumerate(entries):
                yield ("query_plan", *tokens, str(number)), entry
    if plan.get("version", {}).get("as_of"):
        yield ("query_plan", "version", "as_of"), plan["version"]["as_of"]
    for number, note in enumerate(plan.get("notes", ())):
        yield ("query_plan", "notes", str(number)), note


def _result(result: Mapping[str, Any], number: int) -> Iterator[tuple[Tokens, Any]]:
    for name in _OF_A_RESULT:
        field, at = result.get(name), ("results", str(number), name)
        if name == "ranks":
            other = ("named", "injected", "substituted_for", "evidence")  # why it is here without a rank
            if field or not any(result.get(reason) for reason in other):
                yield at, field or {}
        elif name == "source_available":
            if not (result.get("span") or result.get("evidence")):
                yield at, field
        elif name in ("substituted_for", "evidence_of", "spans"):
            for index, item in enumerate((field or ())[:SHOWN]):
                yield (*at, str(index)), item
            if name in result.get("counts", {}):
                yield ("results", str(number), "counts", name), result["counts"][name]
        elif field:
            yield at, field


def _excluded(excluded: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Tokens, Any]]:
    for number, item in enumerate(excluded):
        if number < _NAMED_EXCLUDED:
            yield ("excluded", str(number)), item


def _filled(certificate: Mapping[str, Any], names: Iterable[str]) -> Iterator[tuple[Tokens, Any]]:
    yield from (((name,), certificate[name]) for name in names if certificate.get(name))


def _each(name: str, certificate: Mapping[str, Any]) -> Iterator[tuple[Tokens, Any]]:
    yield from (((name, str(number)), item) for number, item in enumerate(certificate.get(name, ())))


def _escape(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")


__all__ = ["checked", "explain", "nearest", "render", "say"]
