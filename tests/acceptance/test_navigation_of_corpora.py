"""Three corpora walked along every direction: hop by hop as the SPARQL path, against edges counted from the raw tables."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest
from pyoxigraph import Store

from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.ontology import Ontology
from oam_rdf.paths import branches
from oam_rdf.store.walk import _NOT_WALKED, walk

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("navigation")]

WAYS = Ontology.load().directions
SAMPLED = 40  # starts of a direction, those of versions and dependencies apart, which are walked from everywhere
BROAD = 3  # starts of a direction that walks every relation


class Corpus:
    """A knowledge base and the relations that the corpus's own table states."""

    def __init__(self, name: str, shared: Path, folder: Path) -> None:
        self.name = name
        self.kb = KnowledgeBase.init(folder / "kb")
        self.kb.ingest([shared / "corpora" / name / "files"], IngestOptions(profile=name))
        rows = csv.DictReader((shared / "corpora" / name / "relations.tsv").open(encoding="utf-8"), delimiter="\t")
        self.stated: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for row in rows:
            self.stated[row["relation"]].add((row["source"], row["target"]))

    @cached_property
    def walked(self) -> Store:
        """What the walker may see, for the oracle: provenance graphs speak of graphs and are not walked."""
        copy = Store()
        with self.kb.snapshot() as snapshot:
            told = (
                quad for quad in snapshot.store if not _NOT_WALKED.search(str(getattr(quad.graph_name, "value", "")))
            )
            copy.bulk_extend(told)
        return copy

    def pairs(self, relation: str, inverse: str = "") -> set[tuple[str, str]]:
        return self.stated[relation] | {(target, source) for source, target in self.stated[inverse]}


@pytest.fixture(scope="module", params=["peps", "eips", "keps"])
def corpus(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    made = Corpus(request.param, shared, tmp_path_factory.mktemp(request.param))
    yield made
    made.kb.close()


def closure(pairs: set[tuple[str, str]], start: str) -> set[str]:
    """What is reached from a start, itself left out."""
    following: dict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        following[source].add(target)
    found: set[str] = set()
    queue = [start]
    while queue:
        fresh = following[queue.pop()] - found
        found |= fresh
        queue += fresh
    return found - {start}


@pytest.mark.parametrize("name", sorted(WAYS))
def test_each_direction_equals_the_sparql_path(corpus: Corpus, name: str) -> None:
    way = WAYS[name]
    ways = set(branches(way.hop))
    with corpus.kb.snapshot() as snapshot:
        store = snapshot.store
        starts: set[str] = set()
        for branch in ways:
            predicate, against = branch[0]
            for source, target in corpus.walked.query(  # type: ignore[misc]
                f"SELECT ?s ?o {{ ?s <{predicate}> ?o FILTER(isIRI(?o)) }}", use_default_graph_as_union=True
            ):
                starts.add((target if against else source).value)
        chosen = sorted(starts)
        if not name.startswith(("VERSION.", "DEPENDENCY.")):
            chosen = random.Random(name).sample(chosen, min(len(chosen), SAMPLED if len(ways) < 20 else BROAD))
        for start in chosen:
            found = walk(store, start, way.hop, max_nodes=10**9, max_hops=10**9)
            query = f"SELECT DISTINCT ?o {{ <{start}> ({way.hop.to_sparql()})+ ?o FILTER(isIRI(?o)) }}"
            oracle = {row[0].value for row in corpus.walked.query(query, use_default_graph_as_union=True)}  # type: ignore[union-attr]
            assert set(found.depth) == oracle - {start}, (name, start)
            assert (start in oracle) == any(hop.target == start for hop in found.hops)
    print(f"{corpus.name} {name}: {len(chosen)} of {len(starts)} starts")


def test_supersession_pairs_and_chains(corpus: Corpus) -> None:
    pairs = corpus.pairs("supersedes", "superseded_by")
    if not pairs:
        pytest.skip("this corpus states no supersession")
    known = {name for pair in pairs for name in pair}
    kb, later = corpus.kb, {(old, new) for new, old in pairs}
    present = {name for name in known if exists(kb, name)}
    for name in sorted(present):
        ahead = kb.navigate(name, "VERSION.LATER", steps=1)
        assert set(ahead.route) == {new for old, new in later if old == name} & present
        assert set(kb.navigate(name, "VERSION.LATEST").route) == closure(later, name) & present
        assert {n.id for n in kb.navigate(name, "VERSION.EARLIER").nodes if "@" not in n.id} == closure(
            pairs, name
        ) & present
    if corpus.name == "peps":
        assert len(pairs) == 47
        for start, heads in (("PEP-563", ("PEP-0649", "PEP-0749")), ("PEP-381", ("PEP-0449", "PEP-0464"))):
            found = kb.navigate(start, "VERSION.LATEST")
            assert (found.conflict, found.reason, found.heads) == ("VERSION_CONFLICT", "fork", heads)
        told = kb.conflicts(kinds=("version",))
        assert {c.objects for c in told.conflicts} == {
            ("PEP-0381", "PEP-0449", "PEP-0464"), ("PEP-0563", "PEP-0649", "PEP-0749"),
        }  # fmt: skip
        assert told.checked["version_edges"] == 47


def exists(kb: KnowledgeBase, name: str) -> bool:
    with kb.snapshot() as snapshot:
        return any(True for _ in snapshot.facets.named(name))


def test_requirements_of_eips(corpus: Corpus) -> None:
    if corpus.name != "eips":
        pytest.skip("of one corpus")
    kb, pairs = corpus.kb, corpus.pairs("depends_on")
    assert len(pairs) == 769
    walked = set()
    for name in sorted({source for source, _ in pairs}):
        found = kb.navigate(name, "DEPENDENCY.UPSTREAM")
        walked |= {(name, node.id) for node in found.nodes if node.depth == 1}
        assert {node.id for node in found.nodes} == closure(pairs, name) and not found.truncated
    assert walked == {pair for pair in pairs if pair[0] != pair[1]}
    (chain,) = kb.paths("EIP-7919", "EIP-8", relations=["depends_on"], directed=True).paths
    assert len(chain.nodes) == 17 and chain.length == 16
    far: Mapping[str, tuple[str, ...]] = {n.id: n.route for n in kb.navigate("EIP-7919", "DEPENDENCY.UPSTREAM").nodes}
    assert len(far["EIP-8"]) == 17 and all(pair in pairs for pair in pairwise(far["EIP-8"]))
    for ring in ({"EIP-2780", "EIP-8037", "EIP-8038"}, {"EIP-4750", "EIP-5450"}):
        for name in ring:
            loops = kb.navigate(name, "DEPENDENCY.UPSTREAM").loops
            assert {end for loop in loops for end in loop} == ring
