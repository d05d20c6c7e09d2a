"""Does the router take the right way? 40 questions per type of the paper's §13 and §17.2 on the sample documents.

    python benchmarks/routes.py [--words] [--misses] [--json figures.json]

The questions, their expected routes and the rules that judge them lie in ``data/gold/route_queries.json``. Each is searched
with every default; route and query type are read from the certificate, the verdict from the answer. With ``--words`` there
are no vectors, HYBRID and DENSE_ONLY cannot be taken and what asks for them is counted wrong. Intervals are Wilson's, 95 %.

The majority route is one answer given to all questions: the best single route, the best set among those the router gave,
and the best of all sets (most rules ask what a set contains, so a large one that runs nearly everything is right often).
The query type that goes with it is the one that would be right most often.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.answer import Answer
from oam_rdf.resources import sample_dir

TYPES = ("EXACT", "SEMANTIC", "DIRECTIONAL", "RELATIONAL", "GLOBAL", "EPISTEMIC", "VERSION", "NEGATIVE")
TEXT, ADDED = (
    ("SPARSE_ONLY", "DENSE_ONLY", "HYBRID"),
    ("OPERATOR_FILTERED", "GRAPH_LOCAL", "GRAPH_GLOBAL", "VERSION_TRACE", "SOURCE_TRACE"),
)

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Question:
    """``expected``: sets of routes, any one of which is right; ``rule`` says how (``about.rules`` of the file)."""

    id: str
    text: str
    language: str
    type: str
    source: str
    expected: tuple[frozenset[str], ...]
    rule: Mapping[str, Any]

    @property
    def routed(self) -> bool:
        return str(self.rule["of"]) != "verdict"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the program did with a question."""

    question: Question
    routes: frozenset[str]
    query_type: str
    verdict: str

    @property
    def right(self) -> bool:
        return right(self.question, self.routes, self.query_type, self.verdict)


def questions(file: Path | None = None) -> list[Question]:
    """All questions, in the file's order."""
    data = json.loads((file or sample_dir() / "gold" / "route_queries.json").read_text("utf-8"))
    rules = data["about"]["rules"]
    return [
        Question(
            row["id"], row["query"], row["language"], row["type"], row["source"],
            tuple(map(frozenset, row["expected"])), rules[row["scored_by"]],
        )
        for row in data["queries"]
    ]  # fmt: skip


def right(question: Question, routes: frozenset[str], query_type: str, verdict: str = "") -> bool:
    """Does this answer to the question keep the question's rule?"""
    rule = question.rule
    if rule["of"] == "verdict":
        return verdict not in rule["never"]
    if rule["of"] == "equal":
        return routes in question.expected
    wanted = rule.get("query_type", query_type)
    return (
        any(one <= routes for one in question.expected)
        and not routes & set(rule.get("without", ()))
        and query_type == wanted
    )


def outcome(question: Question, answer: Answer) -> Outcome:
    certificate = answer.certificate
    kind = str(certificate["query_plan"].get("query_type", ""))
    return Outcome(question, frozenset(certificate["route"]), kind, answer.verdict)


def constants(outcomes: Sequence[Outcome]) -> dict[str, tuple[str, int]]:
    """name -> (the answer given to every question, how many it is right for); routed questions only."""
    asked = [one.question for one in outcomes if one.question.routed]
    sets = [frozenset((text, *more)) for text in TEXT for n in range(len(ADDED) + 1) for more in combinations(ADDED, n)]
    candidates = {
        "best single route": [frozenset((name,)) for name in (*TEXT, *ADDED)],
        "best set the router gave": list({one.routes for one in outcomes}),
        "best of all sets": sets,
    }
    best: dict[str, tuple[str, int]] = {}
    for name, choices in candidates.items():
        counted = {
            (kind, routes): sum(right(question, routes, kind) for question in asked)
            for kind in TYPES
            for routes in choices
        }
        (kind, routes), count = max(counted.items(), key=lambda item: (item[1], -len(item[0][1]), sorted(item[0][1])))
        best[name] = (" + ".join(sorted(routes)) + f", type {kind}", count)
    return best


def share(rights: Iterable[bool]) -> dict[str, Any]:
    """Share with Wilson's 95 % interval."""
    values = list(rights)
    if not values:
        raise ValueError("no questions: nothing was measured")
    n, p, z = len(values), sum(values) / len(values), _Z
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return {"share": p, "low": (middle - half) / (1 + z * z / n), "high": (middle + half) / (1 + z * z / n), "n": n}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--words", action="store_true", help="without vectors")
    arguments.add_argument("--misses", action="store_true", help="list what went wrong")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.init(Path(folder) / "kb") as kb:
        kb.ingest([sample_dir() / "documents"], IngestOptions())
        if not given.words:
            kb.embed()
        outcomes = [outcome(question, kb.search(question.text)) for question in questions()]
    figures = report(outcomes)
    if given.misses:
        print("\n## Misses\n")
        print("\n".join(misses(outcomes)))
    if given.json:
        rows = [
            {"id": one.question.id, "routes": sorted(one.routes), "query_type": one.query_type,
             "verdict": one.verdict, "right": one.right}
            for one in outcomes
        ]  # fmt: skip
        given.json.write_text(json.dumps(figures | {"outcomes": rows}, ensure_ascii=False, indent=1), "utf-8")


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Prints the tables and gives them as data."""
    families = [one for one in outcomes if one.question.source == "13"]
    routed = [one for one in outcomes if one.question.routed]
    confusion = Counter((one.question.type, one.query_type) for one in families)
    seen = [*TYPES, *sorted({one.query_type for one in families} - set(TYPES))]
    print("## Query types (§13): rows gold, columns given\n")
    print("| | " + " | ".join(seen) + " |\n" + "|---" * (len(seen) + 1) + "|")
    for gold in TYPES:
        print(f"| {gold} | " + " | ".join(str(confusion[gold, given] or "·") for given in seen) + " |")
    figures: dict[str, Any] = {
        "confusion": {gold: {given: confusion[gold, given] for given in seen} for gold in TYPES},
        "query type": share(one.query_type == one.question.type for one in families),
        "routes": share(one.right for one in routed),
        "routes, §13": share(one.right for one in families),
        "routes, §17.2": share(one.right for one in routed if one.question.source != "13"),
        "majority": {},
    }
    print("\n| | right | 95 % | n |\n|---|---|---|---|")
    for name in ("query type", "routes", "routes, §13", "routes, §17.2"):
        row(name, figures[name])
    for name, (answer, count) in constants(outcomes).items():
        figures["majority"][name] = {"answer": answer} | share([True] * count + [False] * (len(routed) - count))
        row(f"{name}: {answer}", figures["majority"][name])
    groups: tuple[tuple[str, Callable[[Outcome], str]], ...] = (
        ("language", lambda one: one.question.language),
        ("type", lambda one: f"{one.question.source} {one.question.type}"),
    )
    for name, key in groups:
        print(f"\n| {name} | right | 95 % | n | routes each |\n|---|---|---|---|---|")
        kept = outcomes if name == "type" else routed
        figures[name] = {}
        for group in dict.fromkeys(map(key, kept)):
            own = [one for one in kept if key(one) == group]
            figures[name][group] = share(one.right for one in own)
            row(group, figures[name][group], f"{sum(len(one.routes) for one in own) / len(own):.1f}")
    return figures


def row(name: str, figure: Mapping[str, Any], *more: str) -> None:
    cells = (
        name,
        f"{figure['share']:.3f}",
        f"[{figure['low']:.3f}, {figure['high']:.3f}]",
        str(figure["n"]),
        *more,
    )
    print("| " + " | ".join(cells) + " |")


def misses(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for one in outcomes:
        if not one.right:
            expected = " or ".join("+".join(sorted(routes)) for routes in one.question.expected) or "no answer"
            expected += f", type {kind}" if (kind := one.question.rule.get("query_type")) else ""
            found = "+".join(sorted(one.routes)) if one.question.routed else one.verdict
            yield f"- {one.question.id} ({one.query_type}; {found}, not {expected}): {one.question.text}"


if __name__ == "__main__":
    main()
