"""Both engines say the same of whole knowledge bases and of graphs with one violation planted, and both find it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutations import Graph, graph, mutate, reporting
from shape_examples import failing_examples

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.resources import sample_dir
from oam_rdf.store import shapes_extract
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes import Shapes
from oam_rdf.store.shapes_report import ValidationReport
from oam_rdf.store.validation import Request, examine_store

CORPORA = {"peps": ("peps", ".rst"), "eips": ("eips", ".md"), "pldst-zh-hant": ("pldst", ".md")}
FILES = 40  # of a corpus, not the longest: pySHACL reads each of them many times


def pairs(report: ValidationReport) -> Counter[tuple[str, str]]:
    return Counter((r.focus if not r.focus.startswith("_:") else "_:", r.component) for r in report.results)


def fingerprints(report: ValidationReport) -> set[str]:
    return {result.fingerprint for result in report.results}


def extracts(kb: KnowledgeBase) -> list[Graph]:
    """Each document with its neighbourhood, small ones only: pySHACL reads them two hundred times."""
    with kb.snapshot() as snapshot:
        names = [g for g in shapes_extract.asserted(snapshot.store) if "/assertion" in str(g)]
        heads = [str(g).strip("<>").rpartition("/assertion")[0] + "/" for g in names]
        found = []
        for head in heads:
            mine = [g for g in shapes_extract.asserted(snapshot.store) if str(g).strip("<>").startswith(head)]
            text, _ = shapes_extract.extract(snapshot.store, mine)  # type: ignore[arg-type]
            found.append(graph(text))
    found.sort(key=len)
    return found[: max(1, len(found) * 2 // 3)]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.init(tmp_path_factory.mktemp("sample") / "kb") as kb:
        kb.ingest([sample_dir() / "documents"], IngestOptions(workers=1))
        yield kb


def plant(kb: KnowledgeBase, count: int, seed: int, shapes: Shapes) -> tuple[Counter[str], set[str]]:
    """Plant ``count`` violations, one a graph, in turn over all shapes; both engines must report each and agree on all.

    Returns how they were made, and the shapes that were failed.
    """
    rng, bases, failing = random.Random(seed), extracts(kb), failing_examples()
    engines = [Validator("shacl"), Validator("pyshacl")]
    targets = reporting(shapes)
    rng.shuffle(targets)
    ways: Counter[str] = Counter()
    failed: set[str] = set()
    for number in range(count):
        shape = targets[number % len(targets)]
        options = (mutate(shapes, shape, base, [], rng) for base in rng.sample(bases, min(16, len(bases))))
        made = next(filter(None, options), None) or mutate(
            shapes, shape, rng.choice(bases), failing.get(shape, []), rng
        )
        if made is None:
            continue
        reports = [engine.validate(made.text) for engine in engines]
        for report in reports:
            hits = {r.focus for r in report.results if r.shape == shape}
            assert hits and (not made.focus or made.focus in hits), (report.engine, shape, made.how, made.focus)
        assert pairs(reports[0]) == pairs(reports[1]), (shape, made.how)
        ways[made.how] += 1
        failed.add(shape)
    return ways, failed


def test_thirty_planted_violations_on_the_sample(sample: KnowledgeBase) -> None:
    ways, _ = plant(sample, 30, 20260731, Shapes.load())
    assert sum(ways.values()) == 30 and sum(ways.values()) - ways["graft"] >= 8, ways


def test_both_engines_agree_on_the_sample(sample: KnowledgeBase) -> None:
    with sample.snapshot() as snapshot:
        found = [examine_store(snapshot.store, Request(engine)).report for engine in ("shacl", "pyshacl")]
    assert pairs(found[0]) == pairs(found[1]) and found[0].checked == found[1].checked > 1000


@pytest.mark.slow
def test_fingerprints_do_not_depend_on_the_engine() -> None:
    for shape, texts in failing_examples().items():
        for text in texts:
            if "_:" in text:
                continue
            reports = [Validator(engine).validate(text) for engine in ("shacl", "pyshacl")]
            assert fingerprints(reports[0]) == fingerprints(reports[1]) != set(), shape


@pytest.mark.slow
@pytest.mark.parametrize("corpus", sorted(CORPORA))
def test_a_corpus_and_two_hundred_mutations_of_it(
    corpus: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, suffix = CORPORA[corpus]
    folder = shared / "corpora" / corpus / ("vault" if profile == "pldst" else "files")
    files = sorted(folder.rglob(f"*{suffix}"), key=lambda f: (f.stat().st_size, f.name))
    shapes = Shapes.load()
    with KnowledgeBase.init(tmp_path / "kb") as kb:
        kb.ingest(
            files[len(files) // 4 : len(files) // 2 : max(1, len(files) // 4 // FILES)], IngestOptions(profile=profile)
        )
        with kb.snapshot() as snapshot:
            found = [examine_store(snapshot.store, Request(engine)).report for engine in ("shacl", "pyshacl")]
        ways, failed = plant(kb, 200, 20260731, shapes)
    never = [shape for shape in reporting(shapes) if shape not in failed]
    with capsys.disabled():
        print(
            f"\n{corpus}: {found[0].checked} focus nodes, {sum(pairs(found[0]).values())} findings, the same from both"
        )
        print(
            f"  {sum(ways.values())} planted, all found by both: {dict(ways)}; shapes that no mutation failed: {never}"
        )
    assert pairs(found[0]) == pairs(found[1])
    assert sum(ways.values()) == 200 and not never
