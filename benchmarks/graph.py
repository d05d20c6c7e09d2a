"""The graph channel: how long its parts take on a large graph, and what a walk adds for multi-hop questions.

    python benchmarks/graph.py --speed                   # 100,000 objects, 400,000 edges
    python benchmarks/graph.py --walk musique-train100   # a set in BEIR layout, mention edges made here

The second is an experiment: documents of such sets have no links, so an edge is made where the text of one holds the title
of another. Weights and damping are compared on sets that are meant for tuning; judge nothing by them on a test set.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import beir
import numpy as np
from library import identifier, open_library
from measures import Run, compare, estimate, evaluate
from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.index import facets, graph_build, tag_table
from oam_rdf.index.centrality import pagerank
from oam_rdf.index.communities import communities
from oam_rdf.index.facet_table import Facets
from oam_rdf.index.graph_table import LINK, Graph, RelationName
from oam_rdf.namespaces import DCTERMS, OAM, RDF, concept
from oam_rdf.query import graph as channel
from oam_rdf.query.compile import compile_query
from oam_rdf.query.constrain import constrain
from oam_rdf.query.fuse import fuse
from oam_rdf.query.graph import reach, seeds, walk_from
from oam_rdf.query.recall import recall
from oam_rdf.query.route import route
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import State
from oam_rdf.query.ways import Ways
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import HAN_CLASS

# -- speed -------------------------------------------------------------------------------------------------------------


def synthetic(documents: int, parts: int, edges: int, seed: int = 1) -> Iterator[Quad]:
    """Documents in communities of about 100, four links of five inside their community; every tenth is INTERNAL."""
    chance = np.random.default_rng(seed)
    base = "http://bench.localhost/"
    home = chance.integers(0, max(1, documents // 100), documents)
    order = np.argsort(home, kind="stable")
    first = np.searchsorted(home[order], np.arange(home.max() + 2))
    source = chance.integers(0, documents, edges)
    low, high = first[home[source]], first[home[source] + 1]
    near = order[(low + chance.random(edges) * (high - low)).astype(int)]
    target = np.where(chance.random(edges) < 0.8, near, chance.integers(0, documents, edges))
    part = chance.integers(1, parts + 1, edges)
    kind, identifier_, above = (
        NamedNode(RDF + "type"),
        NamedNode(DCTERMS + "identifier"),
        NamedNode(DCTERMS + "isPartOf"),
    )
    document_, statement, cites = NamedNode(OAM + "Document"), NamedNode(OAM + "Statement"), NamedNode(OAM + "cites")
    subject, visibility = NamedNode(DCTERMS + "subject"), NamedNode(OAM + "visibility")
    for d in range(documents):
        iri, graph = NamedNode(f"{base}doc/D{d:06d}"), NamedNode(f"{base}graph/D{d:06d}/assertion")
        yield Quad(iri, kind, document_, graph)
        yield Quad(iri, identifier_, Literal(f"D{d:06d}"), graph)
        for tag in chance.integers(0, documents // 20 + 1, 4):
            yield Quad(iri, subject, Literal(f"tag {tag}"), graph)
        if d % 10 == 9:
            about = NamedNode(f"{base}graph/D{d:06d}/provenance")
            yield Quad(graph, visibility, NamedNode(concept("visibility", "INTERNAL")), about)
        for p in range(1, parts + 1):
            own = NamedNode(f"{iri.value}#H{p}")
            yield Quad(own, kind, statement, graph)
            yield Quad(own, identifier_, Literal(f"D{d:06d}#H{p}"), graph)
            yield Quad(own, above, iri, graph)
    for s, t, p in zip(source.tolist(), target.tolist(), part.tolist(), strict=True):
        if s != t:
            graph = NamedNode(f"{base}graph/D{s:06d}/assertion")
            yield Quad(NamedNode(f"{base}doc/D{s:06d}#H{p}"), cites, NamedNode(f"{base}doc/D{t:06d}"), graph)


def timed(name: str, call: Callable[[], Any]) -> Any:
    began, busy = time.perf_counter(), time.process_time()
    found = call()
    spent, busy = time.perf_counter() - began, time.process_time() - busy
    print(f"| {name} | {spent * 1000:.1f} ms, CPU {busy * 1000:.1f} ms |", flush=True)
    return found


def speed(documents: int, parts: int, edges: int) -> None:
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n\n| step | time |\n|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        store.bulk_extend(synthetic(documents, parts, edges))

        def select(query: str) -> Any:
            return store.query(query, use_default_graph_as_union=True)

        table = timed("facets, for comparison", lambda: facets.build(select))
        made = timed(
            f"graph table of {len(table):,} objects, with PageRank and communities",
            lambda: graph_build.build(select, table),
        )
        tags = timed("tag table", lambda: tag_table.build(select, table))
        timed("save the graph", lambda: made.save(Path(folder) / "graph"))
        opened = timed("open it", lambda: type(made).open(Path(folder) / "graph", len(table)))
        whole = timed(
            "view of those who see everything", lambda: opened.view(table, table.visible("RESTRICTED"), "RESTRICTED")
        )
        print(f"| edges {len(whole):,}, tags {len(made.tag):,}, operator tags {len(tags):,} | |")
        timed("sort its edges, first use", lambda: whole.around(0))
        public = timed("view of PUBLIC", lambda: opened.view(table, table.visible("PUBLIC"), "PUBLIC"))
        timed("PageRank of PUBLIC", lambda: public.pagerank)
        timed("shared tags of PUBLIC", lambda: public.shared_edges)
        found = timed("communities of PUBLIC", lambda: public.community)
        print(f"| communities {int(found.max()) + 1}, largest {int(np.bincount(found[found >= 0]).max()):,} rows | |")
        chance = np.random.default_rng(2)
        documents_ = np.flatnonzero(table.mask("granularity", "DOCUMENT"))
        picked = [int(row) for row in chance.choice(documents_, 100)]
        both = Ways(np.ones(len(whole.relations), dtype=bool), np.ones(len(whole.relations), dtype=bool))
        for hops in (1, 2, 3):
            each(
                f"walk of {hops} hops from one document", picked, lambda row, hops=hops: reach(whole, [row], both, hops)
            )
        each("documents with shared tags", picked, whole.shared)
        each("personalised PageRank from one document", picked[:20], lambda row: whole.personalised([row], [1.0]))
    plain(len(documents_), edges)


def each(name: str, rows: list[int], call: Callable[[int], Any]) -> None:
    spent = []
    for row in rows:
        began = time.process_time()
        call(row)
        spent.append((time.process_time() - began) * 1000)
    spent.sort()
    print(
        f"| {name} | CPU p50 {statistics.median(spent):.2f} ms, p95 {spent[int(0.95 * len(spent))]:.2f} ms |",
        flush=True,
    )


def plain(n: int, edges: int) -> None:
    """The same two algorithms over 100,000 nodes, beside networkx where it is installed."""
    n = max(n, 100_000)
    chance = np.random.default_rng(1)
    source, target = chance.integers(0, n, edges), chance.integers(0, n, edges)
    print(f"\n| {n:,} nodes, {edges:,} random edges | time |\n|---|---|")
    timed("PageRank, numpy", lambda: pagerank(n, source, target))
    timed("communities, Leiden", lambda: communities(n, source, target, np.ones(edges)))
    try:
        import networkx
    except ImportError:
        return
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    timed("PageRank, networkx", lambda: networkx.pagerank(graph))


# -- multi-hop ---------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(rf"[{HAN_CLASS}]|[^\W_{HAN_CLASS}]+")
_RARE = 20  # a title that stands in more documents says nothing


def mentions(snapshot: Snapshot, *, single: bool = False) -> set[tuple[int, int]]:
    """(document row, row of a document whose title stands in its text): titles of at least two words or three Han
    characters, that at most 20 documents mention. ``single``: capitalised titles of one word too."""
    table, passages = snapshot.facets, snapshot.passages
    titles: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row in np.flatnonzero(table.mask("granularity", "DOCUMENT")).tolist():
        title = re.sub(r"\s*\([^)]*\)\s*$", "", table.titles[row])
        words = tuple(_TOKEN.findall(index_key(title)))
        han = sum(1 for word in words if re.match(rf"[{HAN_CLASS}]", word))
        if (len(words) >= 2 and (not han or han >= 3)) or (
            single and words and len(words[0]) > 3 and title[:1].isupper()
        ):
            titles[words].append(row)
    longest = max(map(len, titles), default=0)
    found: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for passage in range(len(passages)):
        words = _TOKEN.findall(index_key(snapshot.text(passage)))
        home = int(snapshot.passage_document[passage])
        for at in range(len(words)):
            for size in range(1, longest + 1):
                if (key := tuple(words[at : at + size])) in titles:
                    found[key].add(home)
    return {
        (home, row)
        for key, homes in found.items()
        if len(homes) <= _RARE
        for home in homes
        for row in titles[key]
        if home != row
    }


_NAME = re.compile(r"[A-Z][\w'’-]*(?: (?:(?:of|the|de|and|von|van|for|in) ){0,2}[A-Z0-9][\w'’-]*)*")


def shared_names(snapshot: Snapshot) -> dict[tuple[int, int], float]:
    """Documents whose texts hold the same capitalised name, one that 2 to 20 documents hold: the share of the rarest."""
    homes: dict[str, set[int]] = defaultdict(set)
    for passage in range(len(snapshot.passages)):
        home = int(snapshot.passage_document[passage])
        for match in _NAME.finditer(f"{snapshot.passages.title(passage)}. {snapshot.text(passage)}"):
            if len(match.group()) > 3:
                homes[match.group()].add(home)
    found: dict[tuple[int, int], float] = {}
    for rows in homes.values():
        if 2 <= len(rows) <= _RARE:
            ordered = sorted(rows)
            for at, one in enumerate(ordered):
                for other in ordered[at + 1 :]:
                    found[one, other] = max(found.get((one, other), 0.0), 1.0 / (len(rows) - 1))
    return found


def linked(table: Facets, pairs: Mapping[tuple[int, int], float]) -> Graph:
    ordered = np.array(sorted(pairs), dtype=np.int64).reshape(len(pairs), 2)
    edges = (
        ordered[:, 0],
        ordered[:, 1],
        np.zeros(len(pairs), dtype=np.int64),
        np.array([pairs[pair] for pair in sorted(pairs)]),
    )
    none = np.zeros(0, dtype=np.int64)
    return Graph(
        (RelationName("mentions", LINK, frozenset()),), table, np.ones(len(table), dtype=bool), edges, (none, none)
    )


def walk(folder: Path, work: Path) -> None:
    dataset = beir.read(folder)
    library = open_library(dataset, work, keep=True)
    task = dataset.tasks()[0]
    with library.kb.snapshot() as snapshot:
        print(f"{dataset.name}: {len(library.documents)} documents, {len(task.qrels)} questions")
        states = {query: _recalled(snapshot, text) for query, text in task.search.queries.items()}
        base = evaluate(task.qrels, _run(library.documents, states, 0.0))
        _row("without a walk", base, base)
        kinds: dict[str, Callable[[], dict[tuple[int, int], float]]] = {
            "titles of two words and more": lambda: dict.fromkeys(mentions(snapshot), 1.0),
            "titles of one word too": lambda: dict.fromkeys(mentions(snapshot, single=True), 1.0),
            "shared names": lambda: shared_names(snapshot),
            "shared names and titles": lambda: (
                shared_names(snapshot) | dict.fromkeys(mentions(snapshot, single=True), 1.0)
            ),
        }
        for name, make in kinds.items():
            began = time.perf_counter()
            pairs = make()
            spent = time.perf_counter() - began
            graph = linked(snapshot.facets, pairs)
            judged = _joined(graph, task.qrels, snapshot)
            print(
                f"\n{name}: {len(pairs):,} edges in {spent:.2f} s; of the pairs of gold documents {judged:.0%} are one edge apart"
            )
            snapshot.__dict__["graph"] = graph
            for damping in (0.85, 0.5):
                walked = {query: _walked(state, graph, damping) for query, state in states.items()}
                for weight in (0.1, 0.3, 0.5, 0.7, 1.0):
                    found = evaluate(task.qrels, _run(library.documents, walked, weight))
                    _row(f"walk, damping {damping}, weight {weight}", found, base)


def _recalled(snapshot: Snapshot, text: str) -> State:
    plan = compile_query(text, snapshot)
    plan = replace(plan, form=replace(plan.form, granularity="DOCUMENT", k=100))
    return recall(constrain(route(State(plan, snapshot))))


def _walked(state: State, graph: Graph, damping: float) -> State:
    kept = channel.personalised
    channel.personalised = lambda g, rows, weights: g.personalised(rows, weights, damping)  # type: ignore[assignment]
    try:
        return walk_from(state, graph, seeds(state))
    finally:
        channel.personalised = kept  # type: ignore[assignment]


def _run(documents: Any, states: dict[str, State], weight: float) -> Run:
    run: dict[str, list[tuple[str, float]]] = {}
    for query, state in states.items():
        weights = replace(state.plan.weights, graph=weight, reason="benchmark")
        fused = fuse(replace(state, plan=replace(state.plan, weights=weights)))
        names = dict.fromkeys(state.name(c.document) for c in fused.candidates)
        run[query] = [(documents[name], 1000.0 - at) for at, name in enumerate(names) if name in documents][:100]
    return run


def _joined(graph: Graph, qrels: Any, snapshot: Snapshot) -> float:
    pairs = {(int(a), int(b)) for a, b in zip(graph.source, graph.target, strict=True)}
    rows = {name: row for row, name in enumerate(snapshot.facets.identifiers)}
    joined = total = 0
    for gold in qrels.values():
        found = [rows[identifier(name)] for name in sorted(gold)]
        for at, one in enumerate(found):
            for other in found[at + 1 :]:
                total += 1
                joined += (one, other) in pairs or (other, one) in pairs
    return joined / max(total, 1)


def _row(name: str, found: Any, base: Any) -> None:
    cells = []
    for measure in ("nDCG@10", "R@10", "RR"):
        mean = estimate(found[measure])
        cells.append(f"{measure} {mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]")
    difference = compare(found["nDCG@10"], base["nDCG@10"])
    print(
        f"{name:34} {'  '.join(cells)}  {difference.difference:+.3f} (p {difference.p:.3f})"
        if found is not base
        else f"{name:34} {'  '.join(cells)}",
        flush=True,
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--speed", action="store_true")
    arguments.add_argument("--documents", type=int, default=10_000)
    arguments.add_argument("--parts", type=int, default=9)
    arguments.add_argument("--edges", type=int, default=400_000)
    arguments.add_argument("--walk", metavar="SET", help="a set below the benchmarks folder, or a path")
    arguments.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "oam-graph")
    given = arguments.parse_args()
    if given.speed:
        speed(given.documents, given.parts, given.edges)
    if given.walk:
        shared = Path(os.environ.get("OAM_SHARED", Path(__file__).parents[2] / "shared")) / "benchmarks"
        walk(Path(given.walk) if Path(given.walk).is_dir() else shared / given.walk, given.work)


if __name__ == "__main__":
    main()
