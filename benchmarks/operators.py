"""What the operator stage adds to questions that ask for a direction, on a knowledge base of one's own (paper §13.3, H2).

    python benchmarks/operators.py --kb DIR [--starts 60] [--queries] [--json figures.json]

The questions are made from templates over objects from which the direction leads somewhere, in English and Chinese, half
with the id of the start and half with its title. Gold is what a SPARQL property path, the direction's step once or more
often, reaches from the start in the store; neither compiler nor router has a part in it. Directions without gold are named.

- full: every stage with its defaults;
- no operators: no operator tag is asked for or scored, OPERATOR_FILTERED is not taken; the graph stays;
- no directions: besides, the directions and relations that the query names are forgotten, so that the graph walks all edges;
- neither: besides, no graph at all, which leaves text retrieval.

Beside them the full system is asked, for each direction, in what share of the questions the compiler saw the direction and
the start, the graph channel had a right object among its ten best, a tag was asked for and a result of twenty carries it, and
how many of the rankings change without the tags.

The start is taken out of every ranking, since the question names it. Recall and reciprocal rank are of ten places, intervals
and p paired over the same questions.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measures import compare, estimate, evaluate
from pyoxigraph import QuerySolutions

from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Direction, Ontology
from oam_rdf.query.answer import Answer
from oam_rdf.query.plan import Directions, Graph, Operator
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.stages import STAGES
from oam_rdf.query.trace import State

K = 10
MEASURED = ("R@10", "RR")
TEMPLATES: dict[str, dict[str, tuple[str, ...]]] = {
    "VERSION.LATER": {
        "en": ("what came after {x}?", "which document took the place of {x}", "is there anything newer than {x}?",
               "{x} was retired: what do people use instead"),
        "zh": ("{x} 之後換成了哪一份？", "取代 {x} 的是什麼", "有比 {x} 更新的嗎", "{x} 由哪一份接手"),
    },
    "VERSION.EARLIER": {
        "en": ("what did {x} take over from?", "the predecessor of {x}", "which older text does {x} replace",
               "before {x}, what was there?"),
        "zh": ("{x} 之前是哪一份", "{x} 的前身", "{x} 取代了哪些舊文件", "往回看，{x} 更早的說法"),
    },
    "DEPENDENCY.UPSTREAM": {
        "en": ("what does {x} depend on", "what must be accepted before {x} can work?", "prerequisites of {x}",
               "which documents does {x} build upon?"),
        "zh": ("{x} 依賴什麼", "要先有什麼，{x} 才成立", "{x} 建立在哪些文件之上", "{x} 的前提"),
    },
    "DEPENDENCY.DOWNSTREAM": {
        "en": ("what depends on {x}", "which later work needs {x}", "what is built on top of {x}?",
               "if {x} fell, what would fall with it"),
        "zh": ("有哪些依賴 {x}", "誰需要 {x}", "建立在 {x} 上的東西", "若撤掉 {x}，什麼會受影響"),
    },
    "ABSTRACT.UP": {
        "en": ("a more general view than {x}", "what is {x} a special case of?"),
        "zh": ("比 {x} 更一般的是什麼", "{x} 屬於哪個更大的概念"),
    },
    "CONCRETE.DOWN": {"en": ("a special case of {x}", "examples of {x}"), "zh": ("{x} 的特例", "{x} 有什麼例子")},
    "IMPLEMENTATION.NEAREST": {
        "en": ("an implementation of {x}", "who put {x} into practice?"),
        "zh": ("{x} 的實作", "有沒有把 {x} 做出來的"),
    },
    "COUNTEREXAMPLE.NEAREST": {
        "en": ("a counterexample to {x}", "what breaks {x}?"),
        "zh": ("{x} 有反例嗎", "什麼例子推翻 {x}"),
    },
    "CRITIQUE.OPPOSING": {
        "en": ("what contradicts {x}?", "who speaks against {x}"),
        "zh": ("什麼和 {x} 矛盾", "反對 {x} 的內容"),
    },
    "EVIDENCE.STRONGER": {
        "en": ("stronger evidence for {x}", "what supports {x} better?"),
        "zh": ("支持 {x} 的更強證據", "有什麼能讓 {x} 更可信"),
    },
    "DERIVATION.FORWARD": {
        "en": ("what was derived from {x}", "where does {x} lead?"),
        "zh": ("由 {x} 推出了什麼", "{x} 後來導出什麼"),
    },
    "SOURCE.BACK": {
        "en": ("what was {x} derived from?", "the origin of {x}"),
        "zh": ("{x} 出自哪裡", "{x} 的來源"),
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A question from ``start``; ``gold`` are ids. ``documents``: all that is asked for are documents."""

    id: str
    text: str
    direction: str
    language: str
    start: str
    gold: frozenset[str]
    documents: bool


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--kb", type=Path, required=True)
    arguments.add_argument("--starts", type=int, default=60, help="starts for each direction at most")
    arguments.add_argument("--queries", action="store_true", help="print every question with what each system found")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    ontology = Ontology.load()
    asked: list[Asked] = []
    with KnowledgeBase.open(given.kb) as kb:
        with kb.snapshot() as snapshot:
            without = []
            for name in TEMPLATES:
                way = ontology.direction(name)
                if way is None:
                    sys.exit(f"the ontology has no direction {name}")
                made = list(questions(snapshot, way, given.starts))
                asked += made
                if not made:
                    without.append(name)
            facts = {
                "objects": len(snapshot.facets),
                "operator tags": len(snapshot.tags) if snapshot.tags is not None else 0,
            }
        print(f"{given.kb.name}: {facts['objects']:,} objects, {facts['operator tags']:,} operator tags")
        print("without gold: " + (", ".join(without) or "none"))
        if not asked:
            sys.exit("no direction leads anywhere: nothing was measured")
        answers = {name: run(kb, asked, change) for name, change in SYSTEMS.items()}
    found = {name: {one.id: names(one, given_[one.id]) for one in asked} for name, given_ in answers.items()}
    figures = report(asked, found)
    figures["steps"] = steps(asked, answers["full"], found)
    if given.queries:
        for one in asked:
            ranks = {name: rank(one, rankings[one.id]) or "-" for name, rankings in found.items()}
            print(f"- {one.direction}, {one.text}: {', '.join(f'{name} {at}' for name, at in ranks.items())}")
    if given.json:
        given.json.write_text(json.dumps(facts | {"without gold": without} | figures, ensure_ascii=False, indent=1))


# -- questions and gold ------------------------------------------------------------------------------------------------


def questions(snapshot: Snapshot, way: Direction, most: int) -> Iterator[Asked]:
    """Two questions, English and Chinese, for each of at most ``most`` starts, drawn with a seed."""
    ends = gold(snapshot, way)
    starts = sorted(ends)
    random.Random(11).shuffle(starts)
    for at, start in enumerate(starts[:most]):
        row = snapshot.facets.row(start)
        rows = [snapshot.facets.row(end) for end in ends[start]]
        names = frozenset(snapshot.facets.identifiers[other] for other in rows)
        whole = snapshot.facets.mask("granularity", "DOCUMENT")
        title = snapshot.facets.titles[row]
        for language, templates in TEMPLATES[way.notation].items():
            name = snapshot.facets.identifiers[row] if at % 2 == 0 or not title else title
            text = templates[(at // 2) % len(templates)].format(x=name)
            yield Asked(
                f"{way.notation}-{at:03}-{language}", text, way.notation, language, snapshot.facets.identifiers[row],
                names, all(bool(whole[other]) for other in rows),
            )  # fmt: skip


def gold(snapshot: Snapshot, way: Direction) -> dict[str, set[str]]:
    """start IRI -> IRIs that the step reaches, once or more often; both ends are visible objects."""
    query = f"SELECT DISTINCT ?start ?end WHERE {{ ?start ({way.step.to_sparql()})+ ?end . FILTER(?start != ?end) }}"
    known = {iri: row for row, iri in enumerate(snapshot.facets.iris)}
    found: dict[str, set[str]] = defaultdict(set)
    solutions = snapshot.store.query(query, use_default_graph_as_union=True)
    assert isinstance(solutions, QuerySolutions)
    for solution in solutions:
        start, end = solution["start"].value, solution["end"].value
        if all(name in known and snapshot.visible[known[name]] for name in (start, end)):
            found[start].add(end)
    return found


# -- systems -----------------------------------------------------------------------------------------------------------


def no_operators(state: State) -> State:
    """As if operators were unknown: asked by nobody, so scored by nobody."""
    plan = state.plan
    kept = tuple(entry for entry in plan.route if entry.value != "OPERATOR_FILTERED")
    return replace(state, plan=replace(plan, operator=Operator(), route=kept))


def no_directions(state: State) -> State:
    state = no_operators(state)
    plan = state.plan
    navigation = Directions(start=plan.navigation.start)
    return replace(state, plan=replace(plan, navigation=navigation, graph=Graph(hops=plan.graph.hops)))


def neither(state: State) -> State:
    state = no_directions(state)
    plan = state.plan
    kept = tuple(entry for entry in plan.route if entry.value not in ("GRAPH_LOCAL", "GRAPH_GLOBAL"))
    weights = replace(plan.weights, graph=0.0)
    return replace(state, plan=replace(plan, graph=Graph(hops=0), route=kept, weights=weights))


SYSTEMS: Mapping[str, Callable[[State], State] | None] = {
    "full": None, "no operators": no_operators, "no directions": no_directions, "neither": neither,
}  # fmt: skip


def run(kb: KnowledgeBase, asked: list[Asked], change: Callable[[State], State] | None) -> dict[str, Answer]:
    """Answers by question id. ``change`` is made right after routing."""
    stages = list(STAGES)
    if change is not None:
        stages.insert([name for name, _ in stages].index("route") + 1, ("change", change))
    return {
        one.id: kb.search(one.text, k=2 * K, granularity="DOCUMENT" if one.documents else "", stages=stages)
        for one in asked
    }


def names(one: Asked, answer: Answer) -> list[str]:
    """The first ten, the start left out. A result counts as itself where that is asked for, else as its document."""
    found = dict.fromkeys(r.id if r.id in one.gold else r.document for r in answer.results)
    return [name for name in found if name != one.start][:K]


def rank(one: Asked, ranking: list[str]) -> int:
    """Place of the first right one, 0 = none."""
    return next((at for at, name in enumerate(ranking, 1) if name in one.gold), 0)


# -- figures -----------------------------------------------------------------------------------------------------------


def report(asked: list[Asked], found: Mapping[str, Mapping[str, list[str]]]) -> dict[str, Any]:
    """A table for each direction and for all together, and the differences of ``full`` from each system."""
    figures: dict[str, Any] = {}
    groups = dict.fromkeys(["all", *(one.direction for one in asked), "en", "zh"])
    print("\n| | n | system | R@10 | RR@10 | full − it, R@10 | full − it, RR@10 |\n|---|---|---|---|---|---|---|")
    for group in groups:
        own = [one for one in asked if group in ("all", one.direction, one.language)]
        qrels = {one.id: dict.fromkeys(one.gold, 1) for one in own}
        values = {
            name: evaluate(qrels, {one.id: [(n, 100.0 - at) for at, n in enumerate(r[one.id])] for one in own})
            for name, r in found.items()
        }
        figures[group] = {"n": len(own), "starts": len({(one.direction, one.start) for one in own})}
        for name, value in values.items():
            cells, row = [], {}
            for measure in MEASURED:
                mean = estimate(value[measure])
                row[measure] = {"mean": mean.mean, "low": mean.low, "high": mean.high}
                cells.append(f"{mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]")
            for measure in MEASURED if name != "full" else ():
                gain = compare(values["full"][measure], value[measure])
                row[f"gain {measure}"] = {"mean": gain.difference, "low": gain.low, "high": gain.high, "p": gain.p}
                cells.append(f"{gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}] p {gain.p:.3f}")
            figures[group][name] = row
            print(f"| {group} | {len(own)} | {name} | " + " | ".join(cells) + " |")
    return figures


#: Directions that lead along the same edges.
SAME = {"VERSION.LATER": "VERSION.LATEST", "IMPLEMENTATION.NEAREST": "APPLICATION.DOWN"}


def steps(
    asked: list[Asked], answers: Mapping[str, Answer], found: Mapping[str, Mapping[str, list[str]]]
) -> dict[str, dict[str, float]]:
    """How far the full system follows what is asked, as shares of the questions of each direction."""
    table: dict[str, dict[str, float]] = {}
    for direction in dict.fromkeys(one.direction for one in asked):
        own = [one for one in asked if one.direction == direction]
        counts: Counter[str] = Counter()
        for one in own:
            certificate = answers[one.id].certificate
            plan, graph = certificate["query_plan"], certificate["channels"].get("graph", {})
            seen = {entry["value"] for entry in plan.get("navigation", {}).get("directions", ())}
            reached = {entry["id"] for entry in graph.get("best", ())}
            counts["direction seen"] += bool(seen & {direction, SAME.get(direction, "")})
            counts["start seen"] += one.start in graph.get("starts", ())
            counts["graph reached gold"] += bool(reached & one.gold)
            counts["gold shown"] += bool(rank(one, found["full"][one.id]))
            counts["reached, not shown"] += bool(reached & one.gold) and not rank(one, found["full"][one.id])
            counts["tag asked"] += "operator" in plan
            counts["tag carried"] += any(result.scores.get("operator", 0) > 0 for result in answers[one.id].results)
            counts["changed without tags"] += found["full"][one.id] != found["no operators"][one.id]
        table[direction] = {"n": len(own)} | {name: counts[name] / len(own) for name in STEPS}
    print("\n| | n | " + " | ".join(STEPS) + " |\n" + "|---" * (len(STEPS) + 2) + "|")
    for direction, line in table.items():
        shares = " | ".join(f"{line[name]:.2f}" for name in STEPS)
        print(f"| {direction} | {line['n']} | {shares} |")
    return table


STEPS = (
    "direction seen", "start seen", "graph reached gold", "gold shown", "reached, not shown", "tag asked", "tag carried",
    "changed without tags",
)  # fmt: skip


if __name__ == "__main__":
    main()
