"""What wrong tags cost: hits that a hard operator filter loses, before and after rescue (paper §7.1, §7.2, H5).

    python benchmarks/noise.py --kb DIR [--queries 200] [--json figures.json]

Every document of a knowledge base is given one operator as the truth; a share of the tags is then made wrong (0 to 50 %)
or taken away, and a query for a known document filters by the true operator. Wrong tags come with lower confidence than
right ones, but not always: right 0.6 to 0.95, wrong 0.3 to 0.9. With few operators a filter leaves many candidates and
rescue, which acts below three, has nothing to do; with many it leaves few. Both are shown, and a soft preference beside.
Every answer is checked: nothing that the filter forbids is in it unless a relaxation that is shown let it in.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.index.columns import Column
from oam_rdf.index.tag_table import RELIABLE, Tags
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology
from oam_rdf.query.answer import Answer
from oam_rdf.query.compile import compile_query
from oam_rdf.query.plan import Entry, Operator, Plan, Rescue, Scoring
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
K = 10
_WORD = re.compile(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2,6}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--kb", type=Path, required=True)
    arguments.add_argument("--queries", type=int, default=200)
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    rows: list[dict[str, Any]] = []
    kb = KnowledgeBase.open(given.kb)
    with kb.snapshot() as snapshot:
        asked = list(known_items(snapshot, given.queries))
        if not asked:
            sys.exit("no document gives a query: nothing was measured")
        names = sorted(n for n in Ontology.load().notations("operator") if "." in n)
        for count in (8, len(names)):
            for coverage in (1.0, 0.5):
                for share in SHARES:
                    rows.append(run(snapshot, asked, names[:count], coverage, share))
                    print(rows[-1], file=sys.stderr, flush=True)
    print(f"{len(asked)} known items, k = {K}, checked answers: {sum(row['checked'] for row in rows)}\n")
    keys = list(rows[0])
    print("| " + " | ".join(keys) + " |\n" + "|---" * len(keys) + "|")
    for row in rows:
        print("| " + " | ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()) + " |")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


def known_items(snapshot: Snapshot, count: int) -> Iterator[tuple[str, int]]:
    """(query, document row): seven words drawn from one passage of a document."""
    rng = random.Random(7)
    order = list(range(len(snapshot.passages)))
    rng.shuffle(order)
    seen: set[int] = set()
    for passage in order:
        document = int(snapshot.passage_document[passage])
        words = _WORD.findall(snapshot.text(passage))
        if document < 0 or document in seen or len(words) < 15 or snapshot.version_status[document] != "ACTIVE":
            continue
        seen.add(document)
        yield " ".join(rng.sample(words, 7)), document
        if len(seen) == count:
            return


def tags(snapshot: Snapshot, truth: dict[int, str], names: list[str], coverage: float, share: float) -> Tags:
    rng = random.Random(int(1000 * share) + len(names))
    owner, notation, confidence = [], [], []
    for row in sorted(truth):
        if rng.random() >= coverage:
            continue
        wrong = rng.random() < share
        owner.append(row)
        notation.append("operator/" + (rng.choice([n for n in names if n != truth[row]]) if wrong else truth[row]))
        confidence.append(rng.uniform(0.3, 0.9) if wrong else rng.uniform(0.6, 0.95))
    sure = np.array(confidence, dtype=np.float32)
    return Tags(snapshot.facets, np.array(owner, dtype=np.int32), Column.of(notation), sure, sure >= RELIABLE, {})


def run(
    snapshot: Snapshot, asked: list[tuple[str, int]], names: list[str], coverage: float, share: float
) -> dict[str, Any]:
    rng = random.Random(len(names))
    documents = np.flatnonzero(snapshot.facets.mask("granularity", "DOCUMENT")).tolist()
    truth = {int(row): rng.choice(names) for row in documents}
    snapshot.__dict__["tags"] = tags(snapshot, truth, names, coverage, share)
    found = {"none": 0, "strict": 0, "rescue": 0, "soft": 0}
    lost = {"strict": 0, "rescue": 0, "soft": 0}
    precise = {"none": 0.0, "strict": 0.0, "rescue": 0.0, "soft": 0.0}
    relaxed = checked = 0
    for text, document in asked:
        operator = truth[document]
        plan = compile_query(text, snapshot)
        soft = Operator(prefer=(Entry(operator),))
        answers = {
            "none": search(snapshot, plan, k=K, granularity="DOCUMENT"),
            # Not the option of that name, which also asks for every channel.
            "strict": search(
                snapshot, replace(plan, rescue=Rescue(strict=True)), k=K, granularity="DOCUMENT", operators=[operator]
            ),
            "rescue": search(snapshot, plan, k=K, granularity="DOCUMENT", operators=[operator]),
            "soft": search(
                snapshot,
                _with(plan, soft),
                k=K,
                granularity="DOCUMENT",
            ),
        }
        hit = {name: _has(snapshot, answer, document) for name, answer in answers.items()}
        for name, answer in answers.items():
            found[name] += hit[name]
            right = [truth[snapshot.facets.row(r.iri)] == operator for r in answer.results]
            precise[name] += sum(right) / len(right) if right else 0.0
        for name in lost:
            lost[name] += hit["none"] and not hit[name]
        relaxed += bool(answers["rescue"].certificate["relaxations"])
        for name in ("strict", "rescue"):
            _check(snapshot, answers[name], operator)
            checked += 1
    n = len(asked)
    return {
        "operators": len(names), "coverage": coverage, "wrong": share, "hits unfiltered": found["none"] / n,
        "lost hard": lost["strict"] / n, "lost after rescue": lost["rescue"] / n, "lost soft": lost["soft"] / n,
        "precision unfiltered": precise["none"] / n, "precision hard": precise["strict"] / n,
        "precision rescue": precise["rescue"] / n, "precision soft": precise["soft"] / n,
        "rescued queries": relaxed / n, "checked": checked,
    }  # fmt: skip


def _with(plan: Plan, operator: Operator) -> Plan:
    return replace(plan, operator=operator, scoring=Scoring(operator=0.3, reason="set by the caller"))


def _has(snapshot: Snapshot, answer: Answer, document: int) -> bool:
    name = snapshot.facets.identifiers[document]
    return any(result.document == name for result in answer.results)


def _check(snapshot: Snapshot, answer: Answer, operator: str) -> None:
    """:raises AssertionError: if a result breaks the filter and no shown relaxation explains it."""
    steps = [step["step"] for step in answer.certificate["relaxations"]]
    meets, reliable = snapshot.tags.mask([operator]), snapshot.tags.reliable  # type: ignore[union-attr]
    for result in answer.results:
        row = snapshot.facets.row(result.iri)
        if meets[row] or any("prefers" in step or "widened" in step for step in steps):
            continue
        assert steps and not reliable[row], (answer.query, result.id, steps)


if __name__ == "__main__":
    main()
