"""Precision of the cue rules on real text: reliable tags of two corpora, judged by hand against their Originals.

A rule is the unit: it alone carries a confidence. Below 0.7 it is a suggestion (decision D11), whichever corpus shows it;
fewer than five judged tags of one corpus are read together with the other's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from oam_rdf.annotate.rules import RELIABLE, RuleSet
from oam_rdf.ontology import Ontology

CORPORA = ("peps", "pldst")
_ENOUGH, _LOWEST = 5, 0.7


@cache
def _data() -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "precision.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _verdicts() -> dict[str, dict[str, list[bool]]]:
    """Rule → corpus → right or wrong, one for each judged tag."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in _data()["judged"]:
        found[row["rule"]][row["corpus"]].append(row["right"])
    return found


def wilson(right: int, judged: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    z, share = 1.96, right / judged
    middle, spread = share + z * z / (2 * judged), z * sqrt(share * (1 - share) / judged + z * z / (4 * judged**2))
    scale = 1 + z * z / judged
    return (middle - spread) / scale, (middle + spread) / scale


def _estimate(corpus: str, rules: set[str]) -> float:
    """Precision of all reliable tags by ``rules``: the rules' own precision, weighed by how many tags they gave."""
    reliable = {rule: count for rule, count in _data()["reliable"][corpus].items() if rule in rules}
    verdicts = _verdicts()
    right = sum(count * sum(verdicts[rule][corpus]) / len(verdicts[rule][corpus]) for rule, count in reliable.items())
    return float(right / sum(reliable.values()))


def test_wilson_gives_the_textbook_interval() -> None:
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)
    assert wilson(5, 5)[1] == pytest.approx(1.0)


def test_the_judged_tags_are_named_once_without_any_text_of_the_corpus() -> None:
    rows = _data()["judged"]
    assert all(set(row) == {"corpus", "document", "object", "concept", "rule", "right"} for row in rows)
    keys = {(row["corpus"], row["document"], row["object"], row["concept"], row["rule"]) for row in rows}
    assert len(keys) == len(rows)
    for corpus in CORPORA:
        assert sum(row["corpus"] == corpus for row in rows) >= 100
        for rule, count in _data()["reliable"][corpus].items():
            assert len(_verdicts()[rule][corpus]) >= min(8, count), f"{rule} in {corpus}"
    for row in rows:
        scheme, _, notation = row["concept"].partition("/")
        assert Ontology.load().concept(scheme, notation), row
        assert (scheme, notation) in RuleSet.load().named(row["rule"]).proposes


@pytest.mark.parametrize("rule", sorted(_verdicts()))
def test_a_rule_that_is_often_wrong_on_real_text_only_suggests(rule: str) -> None:
    verdicts = _verdicts()[rule]
    enough = [given for given in verdicts.values() if len(given) >= _ENOUGH]
    together = [right for given in verdicts.values() for right in given]
    lowest = min(sum(given) / len(given) for given in (*enough, together))
    assert lowest >= _LOWEST or RuleSet.load().named(rule).confidence < RELIABLE, f"{lowest:.2f}"


def test_the_table_of_precision_and_what_stays_reliable(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts, rules = _verdicts(), RuleSet.load()
    with capsys.disabled():
        print(f"\n{'rule':24}{'conf':>5}" + "".join(f"   {corpus:<27}" for corpus in CORPORA))
        for rule in sorted(verdicts):
            cells = []
            for corpus in CORPORA:
                given = verdicts[rule][corpus]
                low, high = wilson(sum(given), len(given)) if given else (0.0, 1.0)
                share = f"{sum(given):>3}/{len(given):<3}{sum(given) / len(given):.2f}" if given else ""
                cells.append(f"   {share + f' [{low:.2f}, {high:.2f}]':<27}" if given else f"   {'–':<27}")
            print(f"{rule:24}{rules.named(rule).confidence:>5}{''.join(cells)}".rstrip())
        stay = {rule for rule in verdicts if rules.named(rule).confidence >= RELIABLE}
        for corpus in CORPORA:
            judged = [right for rule in stay for right in verdicts[rule][corpus]]
            low, high = wilson(sum(judged), len(judged))
            reliable = _data()["reliable"][corpus]
            tags = sum(count for rule, count in reliable.items() if rule in stay)
            print(f"{corpus}: {tags} of {sum(reliable.values())} tags stay reliable; of those judged")
            print(f"  {sum(judged)}/{len(judged)} right [{low:.2f}, {high:.2f}], weighed {_estimate(corpus, stay):.3f}")
            print(f"  (before: weighed {_estimate(corpus, set(verdicts)):.3f})")
            assert sum(judged) / len(judged) >= 0.85
            assert _estimate(corpus, stay) >= 0.85
