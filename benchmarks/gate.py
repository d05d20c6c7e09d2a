"""Can the corpus answer? Verdicts of the gate on questions of five kinds, beside a similarity threshold (hazard 74).

    python benchmarks/gate.py --work DIR [--kinds claims,removed,field,version,restricted] [--json figures.json]

- claims: SciFact claims labelled NOT_ENOUGH_INFO, against as many with evidence (:data:`SETS`, read where they lie);
- removed: 100 XQuAD questions (50 Chinese, 50 English) whose paragraph was left out of the corpus, in both languages,
  against 100 whose paragraph stayed; the drawing is seeded;
- field: 50 questions for a field that is not stored of a named document, against 50 for one that is;
- version: 25 questions whose words occur in a superseded document alone, restricted: 25 whose words occur in documents
  alone that the asking clearance may not see; against 50 whose words occur in visible documents in force.

The last two kinds are asked of a knowledge base without vectors, where the baseline has nothing to go by.

The baseline abstains below a cosine of the best dense hit; its threshold is the best on the other half of the questions of
the kind (two-fold), which the gate has no use for. An abstention is any verdict but ANSWERABLE and PARTIALLY_ANSWERABLE.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from beir import Dataset, read
from library import open_library
from public_sets import SHARED

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.stem import stem

ANSWERS = ("ANSWERABLE", "PARTIALLY_ANSWERABLE")
CORPORA = SHARED.parent / "corpora"


@dataclass(frozen=True, slots=True)
class Question:
    """``expected``: the verdict of one that cannot be answered, "" for one that can."""

    kind: str
    text: str
    expected: str
    clearance: str = "RESTRICTED"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--work", type=Path, required=True)
    arguments.add_argument("--kinds", default="claims,removed,field,version")
    arguments.add_argument("--fold", type=int, default=0, help="another drawing of questions, for development")
    arguments.add_argument("--show", type=int, default=0, help="wrong verdicts to print")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    makers: dict[str, Callable[[Path, int], tuple[KnowledgeBase, list[Question]]]] = {
        "claims": claims, "removed": removed, "field": fields, "version": versions,
    }  # fmt: skip
    figures: dict[str, Any] = {}
    for kind in given.kinds.split(","):
        kb, questions = makers[kind](given.work, given.fold)
        if not questions:
            sys.exit(f"{kind}: no questions, nothing was measured")
        asked = [(question, *ask(kb, question)) for question in questions]
        figures[kind] = report(kind, asked, given.show)
        kb.close()
    if given.json:
        given.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1))


def ask(kb: KnowledgeBase, question: Question) -> tuple[str, float]:
    """(verdict, cosine of the best dense hit, 0 if there is none)."""
    answer = kb.search(question.text, clearance=question.clearance)
    ranks = answer.certificate["channels"].get("ranks", ())
    best = [entry["best"][0]["score"] for entry in ranks if entry["channel"] == "dense" and entry["best"]]
    return answer.verdict, max(best, default=0.0)


def report(kind: str, asked: Sequence[tuple[Question, str, float]], show: int) -> dict[str, Any]:
    """Precision and recall of abstaining, of every expected verdict, and of the threshold."""
    cannot = np.array([bool(question.expected) for question, _, _ in asked])
    gate = np.array([verdict not in ANSWERS for _, verdict, _ in asked])
    similar = np.array([score for _, _, score in asked])
    base = two_fold(similar, cannot)
    print(f"\n## {kind}: {int(cannot.sum())} unanswerable, {int((~cannot).sum())} answerable\n")
    print("| | precision | recall | F1 | answerable kept |\n|---|---|---|---|---|")
    rows = {"gate": scores(gate, cannot), "threshold on similarity": scores(base, cannot)}
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in row.values()) + " |")
    counts = Counter((question.kind, question.expected or "ANSWERABLE", verdict) for question, verdict, _ in asked)
    print("\n| asked | expected | verdict | n |\n|---|---|---|---|")
    for (name, expected, verdict), count in sorted(counts.items()):
        print(f"| {name} | {expected} | {verdict} | {count} |")
    per: dict[str, Any] = {}
    for expected in sorted({question.expected for question, _, _ in asked} - {""}):
        given = np.array([verdict == expected for _, verdict, _ in asked])
        wanted = np.array([question.expected == expected for question, _, _ in asked])
        per[expected] = scores(given, wanted)
        print(f"\n{expected}: precision {per[expected]['precision']:.3f}, recall {per[expected]['recall']:.3f}")
    wrong = [(q, v) for q, v, _ in asked if (v not in ANSWERS) != bool(q.expected)]
    for question, verdict in wrong[:show]:
        print(f"- expected {question.expected or 'ANSWERABLE'}, got {verdict}: {question.text}")
    return {
        "rows": rows,
        "verdicts": {" / ".join(key): n for key, n in counts.items()},
        "per verdict": per,
        "n": len(asked),
    }


def scores(said: Any, truth: Any) -> dict[str, float]:
    hit = int((said & truth).sum())
    precision = hit / int(said.sum()) if said.any() else float("nan")
    recall = hit / int(truth.sum()) if truth.any() else float("nan")
    f1 = 2 * precision * recall / (precision + recall) if hit else 0.0
    kept = float((~said & ~truth).sum() / max(1, int((~truth).sum())))
    return {"precision": precision, "recall": recall, "F1": f1, "kept": kept}


def two_fold(similar: Any, cannot: Any) -> Any:
    """Abstentions by the threshold with the best F1 on the other half."""
    said = np.zeros(len(similar), dtype=bool)
    half = np.arange(len(similar)) % 2 == 0
    for mine in (half, ~half):
        other = ~mine
        choices = np.unique(similar[other])
        best = max(choices, key=lambda limit: scores(similar[other] < limit, cannot[other])["F1"])
        said[mine] = similar[mine] < best
    return said


def claims(work: Path, fold: int) -> tuple[KnowledgeBase, list[Question]]:
    """SciFact: the dev claims that are the test part of the retrieval set; ``fold`` > 0 takes train claims instead."""
    dataset = read(SHARED / "scifact")
    library = open_library(dataset, work, keep=True)
    rows = [json.loads(line) for line in (SHARED / "scifact" / "claims.jsonl").read_text("utf-8").splitlines()]
    part = "train" if fold else "dev"
    nothing = [row["claim"] for row in rows if row["split"] == part and row["label"] == "NOT_ENOUGH_INFO"][:112]
    evident = [row["claim"] for row in rows if row["split"] == part and row["label"] in ("SUPPORT", "CONTRADICT")]
    kept = random.Random(fold).sample(evident, min(len(evident), len(nothing)))
    questions = [Question("claims", text, "EVIDENCE_INSUFFICIENT") for text in nothing]
    return library.kb, _mixed(questions + [Question("claims", text, "") for text in kept])


def removed(work: Path, fold: int) -> tuple[KnowledgeBase, list[Question]]:
    whole = read(SHARED / "xquad-zh-en")
    rng = random.Random(1000 + fold)
    pairs = {name: whole.judged[name] for name in ("zh-zh", "en-en")}
    parallel: dict[str, str] = {}
    for line in (SHARED / "xquad-zh-en" / "corpus.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        parallel[row["_id"]] = str(row["metadata"].get("parallel", ""))
    out: set[str] = set()
    asked: list[tuple[str, str]] = []
    for judged in pairs.values():
        for query in rng.sample(sorted(judged), len(judged)):
            (document,) = judged[query]
            if len([1 for q, _ in asked if q in judged]) == 50:
                break
            if document not in out:
                out |= {document, parallel[document]}
                asked.append((query, document))
    stays = []
    for judged in pairs.values():
        order = [q for q in rng.sample(sorted(judged), len(judged)) if not out & set(judged[q])]
        stays += order[:50]
    left = tuple(d for d in whole.documents if d.id not in out)
    dataset = Dataset(f"xquad-removed-{fold}", left, whole.queries, {})
    library = open_library(dataset, work, keep=True)
    questions = [Question("removed", whole.queries[query], "UNANSWERABLE_FROM_CORPUS") for query, _ in asked]
    return library.kb, _mixed(questions + [Question("kept", whole.queries[query], "") for query in stays])


def _peps(work: Path) -> KnowledgeBase:
    home = work / "kb" / "peps-gate"
    if not (home / "kb" / "oam.toml").is_file():
        home.mkdir(parents=True, exist_ok=True)
        kb = KnowledgeBase.init(home / "kb")
        kb.ingest([CORPORA / "peps" / "files"], IngestOptions(profile="peps"))
        secret = home / "secret"
        secret.mkdir(exist_ok=True)
        vault = sorted((CORPORA / "pldst-zh-hant" / "vault").rglob("*.md"))
        for number, path in enumerate(vault[:40]):
            level = "CONFIDENTIAL" if number % 2 else "PUBLIC"
            text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text("utf-8"), flags=re.DOTALL)
            name = json.dumps(f"NOTE-{number:02d}")
            (secret / f"{number:02d}.md").write_text(
                f"---\nid: {name}\ntitle: {json.dumps(path.stem, ensure_ascii=False)}\nvisibility: {level}\n---\n\n{text}"
            )
        kb.ingest([secret], IngestOptions())
        kb.close()
    return KnowledgeBase.open(home / "kb")  # words decide here; vectors of 24,000 passages would take half an hour


def fields(work: Path, fold: int) -> tuple[KnowledgeBase, list[Question]]:
    """Fields of named documents: an author beyond the last, a version and a successor where none is recorded."""
    kb = _peps(work)
    rng = random.Random(2000 + fold)
    absent, stored = [], []
    with kb.snapshot() as snapshot:
        rows = np.flatnonzero(snapshot.facets.mask("granularity", "DOCUMENT")).tolist()
        names = [snapshot.facets.identifiers[r] for r in rows if snapshot.facets.identifiers[r].startswith("PEP-")]
        following = {snapshot.facets.identifiers[old] for old in snapshot.successors}
        for name in rng.sample(names, len(names)):
            authors = len(set(_creators(snapshot, name)))
            plain = name.replace("-0", " ").replace("-", " ")
            nth = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
            han = "一二三四五六七八"
            if authors < 7:
                absent += [f"Who is the {nth[authors]} author of {plain}?", f"{plain} 的第{han[authors]}位作者是誰？"]
            if 0 < authors <= len(nth):
                stored += [
                    f"Who is the {nth[authors - 1]} author of {plain}?",
                    f"{plain} 的第{han[authors - 1]}位作者是誰？",
                ]
            if name not in following:
                absent += [f"What was {plain} superseded by?"]
            else:
                stored += [f"What was {plain} superseded by?"]
            if not snapshot.facets.versions[next(row for row, _ in snapshot.facets.named(name))]:
                absent += [f"Which version is {plain}?"]
            stored += [f"When was {plain} created?"]
    questions = [Question("absent field", text, "EVIDENCE_INSUFFICIENT") for text in rng.sample(absent, 50)]
    return kb, _mixed(questions + [Question("stored field", text, "") for text in rng.sample(stored, 50)])


def _creators(snapshot: Snapshot, name: str) -> Iterator[str]:
    from pyoxigraph import NamedNode

    row = next(row for row, _ in snapshot.facets.named(name))
    creator = NamedNode("http://purl.org/dc/terms/creator")
    for quad in snapshot.store.quads_for_pattern(NamedNode(snapshot.facets.iris[row]), creator, None):
        yield str(quad.object)


def versions(work: Path, fold: int) -> tuple[KnowledgeBase, list[Question]]:
    """Words that occur in one document alone: a superseded one, a hidden one, or one that is in force and visible."""
    kb = _peps(work)
    rng = random.Random(3000 + fold)
    with kb.snapshot() as snapshot:
        where: dict[str, set[int]] = {}
        for row in range(len(snapshot.passages)):
            document = int(snapshot.passage_document[row])
            text = snapshot.text(row) + " " + snapshot.passages.heading(row) + " " + snapshot.passages.title(row)
            for word in words(snapshot, text):
                where.setdefault(word, set()).add(document)
        rare: dict[int, list[str]] = {}
        for word, documents in where.items():
            if len(documents) == 1:
                rare.setdefault(next(iter(documents)), []).append(word)
        kinds: dict[str, list[list[str]]] = {"version": [], "restricted": [], "kept": []}
        hidden = snapshot.facets.mask("visibility", "CONFIDENTIAL")
        for document in sorted(rare):
            status = snapshot.version_status[document]
            alone = sorted(rare[document])
            if len(alone) < 4:
                continue
            single = status == "SUPERSEDED" and len(snapshot.successors.get(document, ())) == 1
            kind = "restricted" if hidden[document] else "version" if single else "kept" if status == "ACTIVE" else ""
            if kind:
                kinds[kind].append(alone)
    expected = {"version": "VERSION_CONFLICT", "restricted": "UNANSWERABLE_FROM_CORPUS", "kept": ""}
    questions = []
    for kind, count in (("version", 25), ("restricted", 25), ("kept", 50)):
        for alone in (rng.sample(kinds[kind], len(kinds[kind])) * 5)[:count]:
            questions.append(Question(kind, " ".join(rng.sample(alone, 2)), expected[kind], "PUBLIC"))
    return kb, _mixed(questions)


def words(snapshot: Snapshot, text: str) -> set[str]:
    """Words as the index cuts them: Latin ones by their stem, Han ones of two characters or more."""
    tokens = snapshot.lexical.segmenter.tokens(text)  # type: ignore[union-attr]
    han = {token.key for token in tokens if token.kind == "han" and len(token.key) > 1}
    return han | {
        stem(token.key) for token in tokens if token.kind == "ascii" and token.key.isalpha() and len(token.key) > 4
    }


def _mixed(questions: list[Question]) -> list[Question]:
    """In an order that tells nothing, always the same."""
    return random.Random(5).sample(questions, len(questions))


if __name__ == "__main__":
    main()
