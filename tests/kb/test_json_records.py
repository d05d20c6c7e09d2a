"""Records in JSON inside a knowledge base: order of arrival, hashes of what lies beside them, what may be walked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import json_samples as samples
import pytest
from kb_world import World

from oam_rdf.ingest.parse import EXTENSIONS
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

OAM = "https://w3id.org/oam/ns#"
PROV = "http://www.w3.org/ns/prov#"
ID = "http://purl.org/dc/terms/identifier"
ACT = "https://w3id.org/oam/activity-kind/"


def write(world: World, name: str, value: Any) -> None:
    world.write(name, samples.lines(value) if isinstance(value, list) else samples.text(value))


def said(report: IngestReport, code: str) -> list[str]:
    return [str(issue) for issue in report.issues if issue.code == code]


def events(world: World, of: str) -> set[tuple[str, str]]:
    """(kind, time) of what is recorded as having happened to the object of an id."""
    rows = world.select(f"""SELECT DISTINCT ?kind ?at WHERE {{
      ?object <{ID}> "{of}" . {{ ?event <{PROV}used> ?object }} UNION {{ ?object <{PROV}wasGeneratedBy> ?event }}
      ?event <{OAM}activityKind> ?kind . OPTIONAL {{ ?event <{PROV}endedAtTime> ?at }} }}""")
    return {(kind.removeprefix(ACT), at.partition('"')[0]) for kind, at in rows}


# -- 3M --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(("old", "new", "note"))))
def test_a_superseded_candidate_leads_to_its_correction_whatever_came_first(
    world: World, order: tuple[str, ...]
) -> None:
    old, new = samples.candidate(shards=[]), samples.candidate("pearl-2", shards=[])
    values = {"old": old, "new": new, "note": samples.superseded(old, new)}
    for name in order:
        write(world, f"{name}.json", values[name])
        assert world.ingest().refused == 0
    later = world.kb.navigate("pearl-2030-01-05", "VERSION.LATER")
    assert (later.route, later.conflict) == (("pearl-2",), "")
    assert world.kb.navigate(old["manifest_sha256"], "VERSION.LATEST").route == ("pearl-2",)
    assert world.ingest().revision_before == world.kb.status().revision
    assert world.kb.doctor().clean


@pytest.mark.parametrize("first", ["candidate", "records"])
def test_a_verified_candidate_is_not_a_promoted_one(world: World, first: str) -> None:
    candidate = samples.candidate(shards=[])
    files: dict[str, Any] = {"candidate": candidate}
    records = {"check": samples.verification(candidate), "review": samples.review(candidate)}
    for group in (files, records) if first == "candidate" else (records, files):
        for name, value in group.items():
            write(world, f"{name}.json", value)
        world.ingest()
    before = {("proposal", "2030-01-05T00:00:00Z"), ("verification", "2030-01-06T00:00:00Z"), ("review", "")}
    assert events(world, candidate["candidate_id"]) == before
    assert not world.select(f"SELECT ?x WHERE {{ ?x <{OAM}promotes> ?y }}")
    assert not world.select(f"SELECT ?x WHERE {{ ?x <{OAM}activityKind> <{ACT}promotion> }}")
    write(world, "receipt.json", samples.receipt(candidate))
    world.ingest()
    assert events(world, candidate["candidate_id"]) == before | {("promotion", "2030-03-01T08:00:00+08:00")}
    rows = world.select(f"SELECT ?name WHERE {{ ?e <{OAM}activityKind> <{ACT}promotion> ; <{PROV}wasAssociatedWith> ?a . "
                        "?a <http://www.w3.org/2000/01/rdf-schema#label> ?name }")  # fmt: skip
    assert sorted(rows) == [("diver_a",), ("diver_b",)]


def test_files_beside_a_manifest_are_hashed_and_an_altered_one_is_an_error(world: World) -> None:
    candidate = samples.candidate()
    folder = f"runs/{candidate['candidate_id']}"
    write(world, f"{folder}/candidate_manifest.json", candidate)
    world.write(f"{folder}/shards/part_4.npz", samples.SHARD)
    report = world.ingest()
    assert (report.added, report.skipped, report.refused, report.balanced) == (1, 1, 0, True)
    checks = world.select(f"SELECT ?what ?outcome WHERE {{ ?c <{OAM}checkedHash> ?what ; <{OAM}outcome> ?outcome ; "
                          f"<{PROV}wasAttributedTo> ?us . ?us a <{PROV}SoftwareAgent> }}")  # fmt: skip
    assert {what for what, _ in checks} == {
        f"manifest_sha256 sha256:{candidate['manifest_sha256']}",
        f"file_sha256 {folder}/shards/part_4.npz sha256:{samples.sha(samples.SHARD)}",
    }
    other = samples.candidate("pearl-2", shard=b"what was hashed")
    write(world, "runs/pearl-2/candidate_manifest.json", other)
    world.write("runs/pearl-2/shards/part_4.npz", b"what lies there")
    report = world.ingest()
    (message,) = said(report, "hash-mismatch")
    assert report.refused == 1 and "runs/pearl-2/shards/part_4.npz" in message
    assert samples.sha(b"what was hashed") in message and samples.sha(b"what lies there") in message
    with pytest.raises(Exception, match="pearl-2"):
        world.kb.navigate("pearl-2", "VERSION.LATER")


def test_a_file_that_is_not_there_is_said_and_no_path_leads_out_of_the_folder(world: World, tmp_path: Path) -> None:
    (tmp_path / "secret.npz").write_bytes(b"secret")
    (world.sources / "link.npz").symlink_to(tmp_path / "secret.npz")
    shards = [{"file_path": path, "file_sha256": samples.sha(b"another")} for path in
              ("../secret.npz", str(tmp_path / "secret.npz"), "link.npz", "x/../../secret.npz", "gone.npz")]  # fmt: skip
    write(world, "m.json", samples.candidate(shards=shards))
    report = world.ingest()
    (message,) = said(report, "absent-file")
    assert "5 of 5 files" in message and not said(report, "hash-mismatch") and report.added == 1


def test_a_record_of_another_manifest_of_the_same_candidate_is_an_error(world: World) -> None:
    candidate = samples.candidate(shards=[])
    write(world, "candidate.json", candidate)
    write(world, "check.json", samples.verification({**candidate, "manifest_sha256": "ab" * 32}))
    report = world.ingest()
    (message,) = said(report, "hash-mismatch")
    assert report.refused == 1 and "ab" * 32 in message and candidate["manifest_sha256"] in message


def test_a_log_that_verifies_and_is_shorter_than_its_results_say_is_reported(world: World) -> None:
    write(world, "events.jsonl", samples.chain(4))
    write(world, "results.json", samples.every_shape()["conformance"])
    report = world.ingest()
    (message,) = said(report, "hash-mismatch")
    assert "ends early" in message and "4 events, not 5" in message


def test_a_copy_is_skipped_with_its_reason_and_stays_so(world: World) -> None:
    for name in ("a.json", "b.json"):
        write(world, name, samples.candidate(shards=[]))
    for _ in range(2):
        report = world.ingest()
        assert (report.skipped, report.refused, report.balanced, report.exit_code) == (1, 0, True, 0)
        assert "the same bytes as a.json" in said(report, "skipped-copy")[0]


# -- OCME ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["object", "evidence"])
def test_stronger_evidence_is_the_proof_and_never_the_finite_check(world: World, first: str) -> None:
    found = [samples.evidence("formal_proof"), samples.evidence("finite_computational_check")]
    claim = samples.knowledge_object(verification={"evidence_refs": [{"id": e["id"]} for e in found]})
    groups = [{"object": claim}, {e["evidence_type"]: e for e in found}]
    for group in groups if first == "object" else groups[::-1]:
        for name, value in group.items():
            write(world, f"{name}.json", value)
        assert world.ingest().refused == 0
    walk = world.kb.navigate("mko-odd-sum", "EVIDENCE.STRONGER")
    assert [(node.id, node.epistemic_state) for node in walk.nodes] == [(found[0]["id"], "FORMALLY_PROVED")]
    assert walk.passed == (found[1]["id"],)
    rows = world.select(f"SELECT ?kind ?universal WHERE {{ ?e <{OAM}evidenceKind> ?kind ; "
                        f"<{OAM}claimScope>/<{OAM}universalProof> ?universal }}")  # fmt: skip
    assert {(kind.rpartition("/")[2], universal.split('"')[0]) for kind, universal in rows} == {
        ("formal_proof", "true"), ("finite_computational_check", "false"),
    }  # fmt: skip


# -- registers, edges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["register", "paper"])
def test_a_register_points_to_its_papers_and_compares_their_hashes(worlds: Callable[[str], World], first: str) -> None:
    for edited in (False, True):
        world = worlds(f"w{edited}")
        paper = samples.PAPER + ("An afterthought.\n" if edited else "")
        for name in ("register", "paper") if first == "register" else ("paper", "register"):
            if name == "register":
                write(world, "papers.json", samples.registry())
            else:
                world.write("papers/tides.md", paper)
            report = world.ingest()
        rows = world.select(f"SELECT ?to WHERE {{ ?entry <{ID}> 'papers#TIDE-01' ; <{OAM}mentions> ?to }}")
        assert [to.rpartition("/")[2] for (to,) in rows] == ["TIDE-01"]
        waiting = world.select(f"SELECT ?label WHERE {{ ?node <{OAM}targetLabel> ?label }}")
        assert {label for (label,) in waiting} == {"TIDE-02", "papers/currents.md"}
        messages = said(report, "hash-mismatch")
        assert len(messages) == edited
        for message in messages:
            assert samples.sha(samples.PAPER.encode()) in message and samples.sha(paper.encode()) in message
        assert not world.select(f"SELECT ?x WHERE {{ ?x <{OAM}supersedes> ?y }}")


@pytest.mark.parametrize("first", ["register", "paper"])
def test_a_paper_that_does_not_give_its_id_is_found_where_the_register_says_it_is(world: World, first: str) -> None:
    paper = "# High and low water\n\nThe moon pulls the sea.\n"
    for name in ("register", "paper") if first == "register" else ("paper", "register"):
        if name == "register":
            write(world, "papers.json", samples.registry(paper))
        else:
            world.write("papers/tides.md", paper)
        report = world.ingest()
    rows = world.select(f"SELECT ?name WHERE {{ ?e <{ID}> 'papers#TIDE-01' ; <{OAM}mentions>/<{ID}> ?name }}")
    assert rows == [("High and low water",)] and not said(report, "hash-mismatch")


def test_an_entry_of_a_register_is_found_and_never_answers_for_its_paper(world: World) -> None:
    write(world, "papers.json", samples.registry())
    world.write("papers/tides.md", samples.PAPER)
    write(world, "sea.json", samples.PROGRAMME)
    world.ingest()
    assert "papers" in [hit.document for hit in world.kb.search("On currents").results]
    world.write("note.md", "# Note\n\nSee [[On tides]] and [[TIDE-01]].\n")
    world.ingest()
    rows = world.select(
        f"SELECT DISTINCT ?to WHERE {{ ?n <http://purl.org/dc/terms/isPartOf>/<{ID}> 'Note' ; <{OAM}mentions> ?to }}"
    )
    assert [to.rpartition("/")[2] for (to,) in rows] == ["TIDE-01"]
    order = world.select(
        f"SELECT ?b ?a WHERE {{ ?later <{OAM}readAfter> ?earlier . ?later <{ID}> ?b . ?earlier <{ID}> ?a }}"
    )
    assert order == [("SEA#TIDE-02", "SEA#TIDE-01")]


@pytest.mark.parametrize("first", ["edges", "ends"])
def test_an_edge_waits_for_both_its_ends_and_is_walked_only_if_accepted(world: World, first: str) -> None:
    edges = [samples.edge(), samples.edge("e2", "TIDE-01", "Salt", verdict="ok", relation="depends_on")]
    for name in ("edges", "ends") if first == "edges" else ("ends", "edges"):
        if name == "edges":
            write(world, "edges.jsonl", edges)
        else:
            for title, identifier in (("On tides", "TIDE-01"), ("Sea", "SEA"), ("Salt", "Salt")):
                world.write(f"{identifier}.md", f"---\nid: {identifier}\n---\n# {title}\n\nText.\n")
        assert world.ingest().refused == 0
    rows = world.select(f"""SELECT ?from ?type ?to ?verdict (COUNT(?c) AS ?n) WHERE {{ ?r <{OAM}relationSource> ?from ;
      <{OAM}relationTarget> ?to ; <{OAM}relationType> ?type ; <{OAM}verdict> ?verdict ; <{OAM}coupling> ?c }}
      GROUP BY ?from ?type ?to ?verdict""")
    got = {tuple(cell.rpartition("/")[2].rpartition("#")[2] for cell in row[:4]) for row in rows}
    assert got == {("SEA", "relatedTo", "TIDE-01", "pending"), ("TIDE-01", "dependsOn", "Salt", "ok")}
    assert {row[4].partition('"')[0] for row in rows} == {"9"}
    assert world.kb.navigate("TIDE-01", "DEPENDENCY.UPSTREAM").route == ("Salt",)
    assert not world.select(f"SELECT ?x WHERE {{ ?x <{OAM}relatedTo> ?y }}")
    assert not world.select(f"SELECT ?x WHERE {{ ?x <{OAM}subjectLabel> ?y }}")
    before = world.kb.status().revision
    world.ingest()
    assert world.kb.status().revision == before


# -- the corpora -----------------------------------------------------------------------------------------------------


def counted(folder: Path) -> Counter[str]:
    """Files of a folder by what must become of them, told without the importer."""
    found: Counter[str] = Counter()
    contents: dict[bytes, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found["found"] += 1
            data = path.read_bytes()
            readable = path.suffix.removeprefix(".") in EXTENSIONS
            copied = readable and path.suffix == ".json" and data in contents
            found["skipped"] += not readable or copied
            if readable and path.suffix == ".json":
                contents.setdefault(data, path)
    return found


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    made: dict[str, tuple[KnowledgeBase, IngestReport]] = {}

    def get(name: str) -> tuple[KnowledgeBase, IngestReport]:
        if name not in made:
            kb = KnowledgeBase.init(tmp_path_factory.mktemp(name) / "kb")
            made[name] = kb, kb.ingest([shared / "corpora" / name], IngestOptions(workers=1))
        return made[name]

    yield get
    for kb, _ in made.values():
        kb.close()


@pytest.mark.parametrize("name", ["ocme", "mmrf-3m"])
def test_of_a_corpus_everything_is_accounted_for(shared: Path, corpus: Any, name: str) -> None:
    folder = shared / "corpora" / name
    expected = counted(folder)
    _, report = corpus(name)
    assert report.found == expected["found"] == report.landed + report.skipped + report.refused
    assert report.skipped == expected["skipped"]
    assert report.refused == 0 and not [issue for issue in report.issues if issue.severity == "error"]
    # Hand-over notes that share a title with another go by their paths: in Markdown the title is the id, if it is the only one.
    titles: dict[str, list[str]] = {}
    for path in folder.rglob("*.md"):
        first = next((line for line in path.read_text("utf-8").splitlines() if line.startswith("# ")), path.stem)
        titles.setdefault(first, []).append(path.relative_to(folder).as_posix())
    shared_titles = {path for paths in titles.values() if len(paths) > 1 for path in paths}
    assert {issue.file for issue in report.issues if issue.code == "shared-title"} == shared_titles
    assert {file.path for file in report.files if file.id == file.path} >= shared_titles
    assert len(shared_titles) == (9 if name == "mmrf-3m" else 0)


def test_the_superseded_candidates_of_the_corpus_lead_to_their_corrections(shared: Path, corpus: Any) -> None:
    kb, _ = corpus("mmrf-3m")
    folder = shared / "corpora" / "mmrf-3m" / "research_candidates"
    ids = {value["manifest_sha256"]: value["candidate_id"] for path in folder.glob("*/candidate_manifest.json")
           for value in [json.loads(path.read_text())]}  # fmt: skip
    notes = [json.loads(path.read_text()) for path in sorted(folder.glob("*/SUPERSEDED.json"))]
    assert len(notes) == 8 and len(ids) == 29
    for note in notes:
        walk = kb.navigate(ids[note["superseded_manifest_sha256"]], "VERSION.LATER")
        assert walk.route == (ids[note["replacement_manifest_sha256"]],) and not walk.conflict
    body, _ = kb.sparql(f"SELECT ?x WHERE {{ ?x <{OAM}activityKind> <{ACT}promotion> }}", format="tsv")
    assert len(body.decode().splitlines()) == 2  # a header and the one receipt
    body, _ = kb.sparql(f"SELECT ?id WHERE {{ ?r <{OAM}promotes> ?x . ?x <{ID}> ?id }}", format="tsv")
    assert len(body.decode().splitlines()) == 1  # what it promotes is not in the folder: no candidate here is promoted
    body, _ = kb.sparql(
        f"SELECT ?w WHERE {{ ?c <{OAM}checkedHash> ?w FILTER(STRSTARTS(?w, 'file_sha256')) }}", format="tsv"
    )
    shards = list((shared / "corpora" / "mmrf-3m").rglob("*.npz"))
    assert len(body.decode().splitlines()) - 1 == len(shards) == 30


def test_stronger_evidence_of_the_pythagorean_object_is_the_formal_proof(corpus: Any) -> None:
    kb, _ = corpus("ocme")
    walk = kb.navigate("mko-euclid-pythagorean-theorem", "EVIDENCE.STRONGER")
    assert {node.epistemic_state for node in walk.nodes} == {"FORMALLY_PROVED"} and len(walk.nodes) == 2
    finite, _ = kb.sparql(
        f"""SELECT ?state WHERE {{ ?d <{OAM}hasEvidence>/<{OAM}evidenceKind>
          <https://w3id.org/oam/evidence-kind/finite_computational_check> ; <{OAM}epistemicState> ?state
          FILTER(?state IN (<https://w3id.org/oam/epistemic-state/FORMALLY_PROVED>,
                            <https://w3id.org/oam/epistemic-state/MACHINE_CHECKED>)) }}""",
        format="tsv",
    )
    assert len(finite.decode().splitlines()) == 1
