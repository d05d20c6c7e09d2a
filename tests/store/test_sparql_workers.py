"""The worker pool over a real store: answers, limits, isolation, and life after each way to die."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from oam_rdf.errors import Damaged, Forbidden, LimitExceeded, UsageError
from oam_rdf.store.sparql import MIN_MEMORY, Limits, WorkerPool
from oam_rdf.store.sparql_language import bcp47, restore_case
from oam_rdf.store.sparql_process import WorkerProcess
from oam_rdf.store.sparql_worker import Failure, _Stores, answer

EX = "http://example.org/"
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
RUNAWAY = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
STATEMENTS = 3_000


def node(name: str) -> ox.NamedNode:
    return ox.NamedNode(EX + name)


def fill(folder: Path, statements: int) -> Path:
    store = ox.Store(str(folder))
    store.bulk_extend(
        ox.Quad(node(f"s{i}"), node("content"), ox.Literal(f"statement {i}", language="en"), node(f"graph{i % 3}"))
        for i in range(statements)
    )
    store.add(ox.Quad(node("doc"), node("title"), ox.Literal("知識", language="zh-Hant"), node("graph0")))
    store.add(ox.Quad(node("doc"), node("title"), ox.Literal("in no graph")))
    store.flush()
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("store") / "store", STATEMENTS)


@pytest.fixture(scope="module")
def pool(folder: Path) -> Iterator[WorkerPool]:
    with WorkerPool(folder, limits=Limits(timeout=10, result=200_000)) as opened:
        yield opened


def rows(pool: WorkerPool, query: str, **options: Any) -> list[dict[str, str]]:
    body, media_type = pool.query(query, **options)
    assert media_type == "application/sparql-results+json"
    return [{name: term["value"] for name, term in row.items()} for row in json.loads(body)["results"]["bindings"]]


def count(pool: WorkerPool, query: str = COUNT, **options: Any) -> int:
    return int(rows(pool, query, **options)[0]["n"])


# -- the dataset ------------------------------------------------------------------------------------------------------


def test_the_default_graph_is_the_union_unless_strict(pool: WorkerPool) -> None:
    assert count(pool) == STATEMENTS + 2
    assert count(pool, strict=True) == 1


def test_from_chooses_graphs_and_is_not_drowned_by_the_union(pool: WorkerPool) -> None:
    assert count(pool, f"SELECT (COUNT(*) AS ?n) FROM <{EX}graph1> {{ ?s ?p ?o }}") == STATEMENTS // 3
    query = f"PREFIX g: <{EX}> SELECT (COUNT(*) AS ?n) FROM NAMED g:graph1 {{ GRAPH ?g {{ ?s ?p ?o }} }}"
    assert count(pool, query) == STATEMENTS // 3
    assert count(pool, f"SELECT (COUNT(*) AS ?n) FROM NAMED <{EX}graph1> {{ ?s ?p ?o }}") == 0


def test_the_graph_lists_of_the_protocol_are_the_whole_dataset(pool: WorkerPool) -> None:
    graphs = [EX + "graph1", EX + "graph2"]
    in_graph = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
    assert count(pool, default_graphs=graphs) == STATEMENTS // 3 * 2
    assert count(pool, in_graph, default_graphs=graphs) == 0
    assert count(pool, in_graph, named_graphs=graphs) == STATEMENTS // 3 * 2
    assert count(pool, named_graphs=graphs) == 0
    # The lists replace what the query says (SPARQL 1.1 Protocol §2.1.4).
    query = f"SELECT (COUNT(*) AS ?n) FROM <{EX}graph0> {{ ?s ?p ?o }}"
    assert count(pool, query, default_graphs=graphs[:1]) == STATEMENTS // 3


@pytest.mark.parametrize("graph", ["http://127.0.0.1:9200/", "http://169.254.169.254/latest", EX + "absent"])
def test_a_graph_that_is_not_there_is_refused_not_fetched(pool: WorkerPool, graph: str) -> None:
    for options in ({"default_graphs": [graph]}, {"named_graphs": [graph]}):
        with pytest.raises(Forbidden, match="no graph"):
            pool.query(COUNT, **options)  # type: ignore[arg-type]
    with pytest.raises(Forbidden, match="no graph"):
        pool.query(f"SELECT * FROM <{graph}> {{ ?s ?p ?o }}")
    with pytest.raises(Forbidden):
        pool.query(COUNT, default_graphs=["file:///etc/passwd"])
    with pytest.raises(UsageError, match="not an absolute IRI"):
        pool.query(COUNT, default_graphs=["relative"])


# -- texts and formats ------------------------------------------------------------------------------------------------


def test_project_prefixes_need_no_declaration_and_may_be_declared(pool: WorkerPool) -> None:
    assert count(pool, "SELECT (COUNT(*) AS ?n) { ?s a oam:Document ; dcterms:title ?t }") == 0
    assert count(pool, f"PREFIX oam: <{EX}> SELECT (COUNT(*) AS ?n) {{ ?s oam:content ?t }}") == STATEMENTS


@pytest.mark.parametrize(
    ("query", "place", "message"),
    [
        ("SELECT ?s {\n  ?s ?p }", "query:2:9", "syntax error"),
        ("# 註解\nSELECT ?s { ?s '知識' ?o }", "query:2:16", "syntax error at '知識'"),
        ("SELECT * { ?s ?p ?o }\nORDER ?s", "query:2:7", "syntax error at"),
        ("SELECT * { ?s ?p ?o FILTR(?o>1)\n\n }", "query:1:21", "syntax error at FILTR"),
        ("SELECT * {\n ?s ?p ?o", "query:2:10", "end of the query"),
        ("SELECT ?x (COUNT(?s) AS ?n) { ?s ?p ?x }", "query:1:41", "variable that is unbound"),
        ("SELECT * {\n ?s ex:missing ?o }", "query:2:5", "prefix ex: is not declared"),
        ("hello", "query:1:1", "syntax error at hello"),
        ("", "query:1:1", "syntax error"),
        (f"SELECT (<{EX}f>(1) AS ?x) {{}}", "", "function"),
    ],
)
def test_a_mistake_is_located(pool: WorkerPool, query: str, place: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        pool.query(query)
    assert caught.value.place == place
    assert "SERVICE" not in str(caught.value)


FORMATS = [
    ("SELECT ?t { ?s ?p ?t FILTER(LANG(?t) = 'zh-hant') }", {
        "json": (b'"xml:lang":"zh-Hant"', "application/sparql-results+json"),
        "xml": ('<literal xml:lang="zh-Hant">知識</literal>'.encode(), "application/sparql-results+xml"),
        "csv": ("t\r\n知識\r\n".encode(), "text/csv"),
        "tsv": ('?t\n"知識"@zh-Hant\n'.encode(), "text/tab-separated-values"),
        "application/json": (b'"bindings"', "application/json"),
    }),
    ("ASK { ?s ?p 'in no graph' }", {
        "json": (b'"boolean":true', "application/sparql-results+json"),
        "xml": (b"<boolean>true</boolean>", "application/sparql-results+xml"),
        "csv": (b"true", "text/csv"),
        "tsv": (b"true", "text/tab-separated-values"),
    }),
    (f"CONSTRUCT {{ ?s a ?t }} {{ VALUES (?s ?t) {{ (<{EX}a> '知識'@ZH-hANT) }} }}", {
        "turtle": ('"知識"@zh-Hant'.encode(), "text/turtle"),
        "nt": ('"知識"@zh-Hant .'.encode(), "application/n-triples"),
        "jsonld": (b'"@language":"zh-Hant"', "application/ld+json"),
        "xml": (b'xml:lang="zh-Hant"', "application/rdf+xml"),
    }),
    (f"DESCRIBE <{EX}doc>", {"ttl": ('"知識"@zh-Hant'.encode(), "text/turtle")}),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), FORMATS, ids=["select", "ask", "construct", "describe"])
def test_formats(pool: WorkerPool, query: str, expected: dict[str, tuple[bytes, str]]) -> None:
    for name, (part, media_type) in expected.items():
        body, got = pool.query(query, format=name)
        assert (part in body, got) == (True, media_type), (name, body)
    assert pool.query(query).media_type == next(iter(expected.values()))[1]
    wrong = "turtle" if "json" in expected else "csv"
    with pytest.raises(UsageError, match="does not fit"):
        pool.query(query, format=wrong)
    with pytest.raises(UsageError, match="unknown format"):
        pool.query(query, format="excel")


def test_only_tags_are_recased() -> None:
    assert [bcp47(tag) for tag in ("zh-hant-tw", "EN", "en-us", "de-1996", "en-x-ab-cdef", "sr-latn-rs")] == [
        "zh-Hant-TW", "en", "en-US", "de-1996", "en-x-ab-cdef", "sr-Latn-RS",
    ]  # fmt: skip
    lookalikes = r'"say \"@zh-hant" . <http://x/"@zh-hant> "@zh-hant"@zh-hant '
    assert restore_case(lookalikes.encode(), "turtle").decode() == lookalikes[:-len("@zh-hant ")] + "@zh-Hant "
    text = json.dumps({"value": '"xml:lang":"zh-hant"', "xml:lang": "zh-hant"}, separators=(",", ":")).encode()
    assert json.loads(restore_case(text, "json")) == {"value": '"xml:lang":"zh-hant"', "xml:lang": "zh-Hant"}
    xml = b'<literal xml:lang="zh-hant">&lt;a xml:lang="zh-hant"></literal>'
    assert restore_case(xml, "xml") == b'<literal xml:lang="zh-Hant">&lt;a xml:lang="zh-hant"></literal>'


def test_odd_texts(pool: WorkerPool) -> None:
    assert count(pool, "\ufeff" + COUNT) == STATEMENTS + 2
    for text in ("SELECT ?s { ?s ?p '\ud800' }", "# " + "x" * (1 << 20), COUNT + "\x00"):
        with pytest.raises(UsageError):
            pool.query(text)


# -- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [RUNAWAY, "SELECT (GROUP_CONCAT(CONCAT(STR(?o), STR(?c))) AS ?x) { ?s ?p ?o . ?a ?b ?c . ?d ?e ?f }"],
    ids=["count", "concat"],
)
def test_a_runaway_query_ends_at_its_limit_and_the_next_one_works(pool: WorkerPool, query: str) -> None:
    started = time.perf_counter()
    with pytest.raises(LimitExceeded, match="within 1 s"):
        pool.query(query, timeout=1)
    assert time.perf_counter() - started < 2.0
    assert count(pool) == STATEMENTS + 2


def test_an_exponential_regular_expression_is_none_here(pool: WorkerPool) -> None:
    query = "ASK { BIND('" + "a" * 3000 + "!' AS ?o) FILTER(REGEX(?o, '^(a+)+$')) }"
    assert b"false" in pool.query(query, timeout=2).body


def test_a_huge_result_is_refused(pool: WorkerPool) -> None:
    with pytest.raises(LimitExceeded, match="larger than 200000 bytes"):
        pool.query("SELECT * { ?s ?p ?o }")
    assert len(rows(pool, "SELECT * { ?s ?p ?o } LIMIT 100")) == 100


def test_memory_and_stack_are_bounded(folder: Path) -> None:
    with WorkerPool(folder, workers=1, limits=Limits(timeout=20, memory=MIN_MEMORY)) as small:
        assert count(small) == STATEMENTS + 2
        if small.isolation["memory"]:
            with pytest.raises(LimitExceeded, match="memory"):
                small.query("SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f")
        with pytest.raises(LimitExceeded, match=r"stack|memory"):
            small.query("SELECT * " + "{" * 100_000 + "}" * 100_000)
        assert count(small) == STATEMENTS + 2
    with pytest.raises(UsageError, match="at least 512 MB"):
        WorkerPool(folder, limits=Limits(memory=MIN_MEMORY - 1))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_cpu_time_is_limited_even_without_the_parent(folder: Path) -> None:
    worker = WorkerProcess(1 << 30)
    worker.start()
    request = {
        "store": str(folder), "format": "json", "union": True, "default": None, "named": None, "dataset": [],
        "prefixes": {}, "base": None, "limit": 1000, "cpu": 0.2,
    }  # fmt: skip
    with pytest.raises(LimitExceeded, match="CPU time"):
        worker.ask(request, RUNAWAY.encode(), time.monotonic() + 20, 20)


def run_away(pool: WorkerPool) -> None:
    with pytest.raises(LimitExceeded):
        pool.query(RUNAWAY, timeout=1.5)


def test_all_workers_busy_is_an_answer_too(folder: Path) -> None:
    with WorkerPool(folder, workers=1, limits=Limits(timeout=3)) as one:
        assert count(one)
        busy = threading.Thread(target=run_away, args=(one,))
        busy.start()
        time.sleep(0.3)
        with pytest.raises(LimitExceeded, match="busy"):
            one.query(COUNT, timeout=0.3)
        busy.join()
        assert count(one)


def test_the_clock_begins_when_the_worker_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a worker takes longer to start than a query may last: neither it nor who waits is at fault."""
    begin = WorkerProcess.start

    def slowly(self: WorkerProcess) -> Any:
        time.sleep(1.5)
        return begin(self)

    monkeypatch.setattr(WorkerProcess, "start", slowly)
    with WorkerPool(folder, workers=1, limits=Limits(timeout=1)) as one:
        got: list[int] = []
        threads = [threading.Thread(target=lambda: got.append(count(one))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got == [STATEMENTS + 2] * 3


# -- life of the workers ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_killed_while_idle_is_replaced(pool: WorkerPool) -> None:
    assert count(pool)
    for worker in pool._idle:
        process = worker._process
        assert process is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert count(pool) == STATEMENTS + 2


def test_switch_to_a_newer_generation(folder: Path, tmp_path: Path) -> None:
    newer = fill(tmp_path / "newer", 10)
    gone = tmp_path / "gone"
    shutil.copytree(folder, gone)
    with WorkerPool(gone, workers=1) as pool:
        assert count(pool) == STATEMENTS + 2
        pool.switch(newer)
        shutil.rmtree(gone)
        assert count(pool) == 12
        assert count(pool, store=folder) == STATEMENTS + 2
        assert count(pool) == 12
        for _ in range(2):
            with pytest.raises(Damaged, match="no store"):
                pool.query(COUNT, store=gone)
    with pytest.raises(UsageError, match="closed"):
        pool.query(COUNT)


def test_many_threads_share_the_pool(pool: WorkerPool) -> None:
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.extend(count(pool) for _ in range(10))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [STATEMENTS + 2] * 80


def test_a_worker_leaves_with_its_parent(folder: Path) -> None:
    pool = WorkerPool(folder, workers=1)
    assert count(pool)
    process = pool._idle[0]._process
    assert process is not None and process.stdin is not None
    process.stdin.close()  # what the end of the parent does
    assert process.wait(5) == 0
    pool.close()


# -- isolation --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
def test_without_the_gate_the_worker_still_reaches_no_network(folder: Path) -> None:
    asked: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

        do_POST = do_GET

    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        worker = WorkerProcess(1 << 30)
        network = worker.start()["network"]
        request = {
            "store": str(folder), "format": "json", "union": True, "default": None, "named": None, "dataset": [],
            "prefixes": {}, "base": None, "limit": 1000, "cpu": 5,
        }  # fmt: skip
        query = f"SELECT * {{ SERVICE <http://127.0.0.1:{server.server_port}/> {{ ?s ?p ?o }} }}"
        header, _ = worker.ask(request, query.encode(), time.monotonic() + 5, 5)
        server.shutdown()
        worker.stop()
    if "namespace" not in network:
        pytest.skip(f"the kernel gives no namespace here: {network}")
    assert "unreachable" in header["message"]
    assert asked == []


def test_isolation_is_told(pool: WorkerPool) -> None:
    told = pool.isolation
    assert set(told) == {"network", "memory", "cpu"}
    assert told["network"]


def test_a_worker_sees_no_secrets_of_its_parent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/environ").exists():
        pytest.skip("no /proc")
    monkeypatch.setenv("OAM_TOKEN", "secret")
    with WorkerPool(folder, workers=1) as pool:
        assert count(pool)
        process = pool._idle[0]._process
        assert process is not None
        environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"MALLOC_ARENA_MAX=1" in environment
    assert b"secret" not in environment
    assert "OAM_TOKEN" in os.environ


# -- the worker's own functions, in this process ------------------------------------------------------------------------


def test_answer_refuses_with_a_kind(folder: Path) -> None:
    stores = _Stores()
    store = stores.open(str(folder))
    assert stores.open(str(folder)) is store
    request: dict[str, Any] = {
        "format": "json", "union": True, "default": None, "named": None, "dataset": [], "prefixes": {}, "base": EX,
        "limit": 10_000,
    }  # fmt: skip
    assert b'"boolean":true' in answer(store, request, "ASK { <doc> <title> ?t }")
    for change, query, kind in (
        ({"format": "turtle"}, COUNT, "usage"),
        ({"format": "csv"}, "CONSTRUCT WHERE { ?s ?p ?o }", "usage"),
        ({"limit": 10}, COUNT, "limit"),
        ({"dataset": [EX + "absent"]}, COUNT, "forbidden"),
        ({"default": ["x"]}, COUNT, "usage"),
        ({}, "SELECT", "usage"),
        ({}, "ASK { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "damaged"),
    ):
        with pytest.raises(Failure) as caught:
            answer(store, {**request, **change}, query)
        assert caught.value.header["error"] == kind, query
    with pytest.raises(Failure, match="does not open"):
        stores.open(str(Path(__file__).parent))
