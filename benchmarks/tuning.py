"""Fusions compared on recorded channels, without another search: for train and dev parts only.

Three questions: which weights of RRF, whether a convex combination of min-max normalised scores does better (Bruch, Gai and
Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023), and what a document should get from its passages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from beir import Task
from measures import Run, evaluate
from systems import RECORDED, rows

SHARES = tuple(tenth / 10 for tenth in range(11))  # of the lexical channel
RRF_K = (10, 20, 60)
Scores = dict[str, float]


def best_passage(names: Sequence[str], scores: Sequence[float]) -> Scores:
    """A document gets its best passage's score."""
    found: Scores = {}
    for name, score in zip(names, scores, strict=True):
        found[name] = max(score, found.get(name, score))
    return found


def falling_sum(names: Sequence[str], scores: Sequence[float]) -> Scores:
    """A document gets Σ score / 2^i over its passages, best first, scores taken above the list's last."""
    floor = min(scores, default=0.0)
    found: Scores = {}
    seen: dict[str, int] = {}
    for name, score in sorted(zip(names, scores, strict=True), key=lambda pair: -pair[1]):
        place = seen[name] = seen.get(name, -1) + 1
        found[name] = found.get(name, 0.0) + (score - floor) / 2**place
    return found


AGGREGATIONS: Mapping[str, Callable[[Sequence[str], Sequence[float]], Scores]] = {
    "best passage": best_passage,
    "falling sum": falling_sum,
}


def rrf(parts: Mapping[str, Scores], share: float, k: int) -> Scores:
    found: Scores = {}
    for channel, weight in (("lexical", share), ("dense", 1 - share)):
        for rank, name in enumerate(_ordered(parts.get(channel, {})), 1):
            found[name] = found.get(name, 0.0) + weight / (k + rank)
    return found


def convex(parts: Mapping[str, Scores], share: float) -> Scores:
    """share · lexical + (1 − share) · dense, each scaled to [0, 1] over its list; what a list lacks counts 0."""
    found: Scores = {}
    for channel, weight in (("lexical", share), ("dense", 1 - share)):
        scores = parts.get(channel, {})
        low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        for name, score in scores.items():
            found[name] = found.get(name, 0.0) + weight * ((score - low) / (high - low) if high > low else 1.0)
    return found


def grid(task: Task, folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Fusion → share of the lexical channel → mean of each measure, on the language group that was asked first."""
    recorded = list(rows(folder, task.search, RECORDED))
    out: dict[str, dict[str, dict[str, float]]] = {}
    for name, aggregate in AGGREGATIONS.items():
        parts = {row["q"]: _parts(row, aggregate) for row in recorded}
        for k in RRF_K:
            out[f"RRF {k}, {name}"] = _over(task, parts, partial(rrf, k=k))
        out[f"convex, {name}"] = _over(task, parts, convex)
    return out


def _over(
    task: Task, parts: Mapping[str, Mapping[str, Scores]], fuse: Callable[[Mapping[str, Scores], float], Scores]
) -> dict[str, dict[str, float]]:
    found = {}
    for share in SHARES:
        run: Run = {query: _ranked(fuse(part, share), share, part) for query, part in parts.items()}
        found[f"{share:.1f}"] = {name: round(float(v.mean()), 4) for name, v in evaluate(task.qrels, run).items()}
    return found


def _ranked(scores: Scores, share: float, parts: Mapping[str, Scores]) -> list[tuple[str, float]]:
    """The ranking with falling scores. A channel of weight 0 finds nothing by itself."""
    if share in (0.0, 1.0):
        only = parts.get("lexical" if share else "dense", {})
        scores = {name: score for name, score in scores.items() if name in only}
    return [(name, float(-at)) for at, name in enumerate(_ordered(scores)[:100])]


def _ordered(scores: Scores) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))


def _parts(row: Mapping[str, Any], aggregate: Callable[[Sequence[str], Sequence[float]], Scores]) -> dict[str, Scores]:
    return {c["channel"]: aggregate(c["docs"], c["scores"]) for c in row.get("channels", ()) if c["group"] == 0}


def best(
    found: Mapping[str, Mapping[str, Mapping[str, float]]], measure: str = "nDCG@10"
) -> Iterable[tuple[str, str, float]]:
    """Each fusion with its best share and what it gives."""
    for name, by_share in found.items():
        share = max(by_share, key=lambda s: by_share[s][measure])
        yield name, share, by_share[share][measure]


def by_share(found: Mapping[str, Mapping[str, Mapping[str, float]]], measure: str = "nDCG@10") -> str:
    """The grid as a Markdown table."""
    lines = ["| fusion | " + " | ".join(f"{s:.1f}" for s in SHARES) + " |", "|---|" + "--:|" * len(SHARES)]
    for name, values in found.items():
        lines.append(f"| {name} | " + " | ".join(f"{values[f'{s:.1f}'][measure]:.4f}" for s in SHARES) + " |")
    return "\n".join(lines)
