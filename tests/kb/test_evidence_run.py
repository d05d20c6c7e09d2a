"""A registered check is made again in isolation and recorded; what it says of the claim is for a person to decide."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from check_world import CLAIM, PRINTED, PROGRAM, declaration, register, sha
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from kb_world import World

from oam_rdf.analysis import sandbox
from oam_rdf.analysis.decide import Ruling
from oam_rdf.cli.app import app
from oam_rdf.errors import FeatureMissing, NotFound, Refused, UsageError
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.resources import sample_dir, schemas_dir

ISOLATED = pytest.mark.skipif(bool(sandbox.isolation()), reason=f"no isolation here: {sandbox.isolation()}")
STATES = "SELECT ?o ?s { ?o oam:epistemicState ?s } ORDER BY ?o"
RUNS = """SELECT ?outcome ?reason { ?run oam:activityKind <https://w3id.org/oam/activity-kind/execution> ;
    oam:outcome ?outcome ; oam:reason ?reason ; prov:startedAtTime ?a ; prov:endedAtTime ?b }"""


@pytest.fixture
def sums(world: World) -> World:
    world.write("sums.md", CLAIM)
    return world


def ready(world: World, name: str = "odd", program: str = PROGRAM, **more: object) -> str:
    identifier = register(world, name, program, **more)  # type: ignore[arg-type]
    assert world.ingest().refused == 0
    return identifier


def proposals(world: World) -> dict[str, str]:
    return {entry.id: entry.key for entry in world.kb.curation.queue(["PROPOSED_STATE"])}


# -- what is bundled -------------------------------------------------------------------------------------------------


@ISOLATED
def test_the_bundled_check_is_made_again_with_an_equal_hash(world: World) -> None:
    kb = world.kb
    folders = [sample_dir() / "checks", sample_dir() / "documents"]
    assert kb.ingest(folders, IngestOptions(workers=1)).refused == 0
    before = world.select(STATES)
    done = kb.curation.run_check("CHECK-EULER-POWERS", by="ann")
    assert done.outcome.outcome == "passed" and done.outcome.sha256 == done.check.procedure.output
    assert done.outcome.output.splitlines()[0] == b"27^5 + 84^5 + 110^5 + 133^5 = 144^5"
    assert world.select(STATES) == before, "no state changes by itself"
    ((_, proposed),) = [(iri, one) for iri, one in done.proposals.items()]
    assert proposed.state == "REPRODUCED" and "there is 1" in proposed.missing
    assert set(proposals(world)) == {"EULER-POWERS#X1"}
    walk = kb.navigate("EULER-POWERS#X1", "EVIDENCE.STRONGER")
    assert [(node.granularity, node.epistemic_state) for node in walk.nodes] == [("EVIDENCE_ARTIFACT", "")]
    (found,) = [item for item in kb.evidence("EULER-POWERS#X1").items if item.artifact]
    assert (found.stance, found.kind, found.outcome) == ("supporting", "finite_computational_check", "passed")
    assert found.id == walk.route[0]
    for state in ("FORMALLY_PROVED", "MACHINE_CHECKED"):  # a finite check is no proof
        with pytest.raises(Refused, match="formal_proof"):
            kb.curation.set_state("EULER-POWERS#X1", state, by="ann", reason="it ran", evidence=[found.id])
    assert kb.validate().report.conforms and kb.doctor().clean


def test_the_declaration_fits_its_schema() -> None:
    schema = Draft202012Validator(json.loads((schemas_dir() / "check.schema.json").read_text("utf-8")))
    bundled = json.loads((sample_dir() / "checks" / "euler-powers.json").read_text("utf-8"))
    assert not list(schema.iter_errors(bundled)) and not list(schema.iter_errors(declaration("a", PROGRAM)))
    assert bundled["inputs"][0]["sha256"] == sha((sample_dir() / "checks" / "euler_powers.py").read_bytes())


# -- what is recorded ------------------------------------------------------------------------------------------------


@ISOLATED
def test_an_execution_is_an_activity_with_agents_times_and_hashes(sums: World) -> None:
    check = ready(sums, quantification="n = 100", universal_proof=False)
    done = sums.kb.curation.run_check(check, by="ann")
    select = f"SELECT ?x {{ <{done.run}> %s ?x }} ORDER BY ?x"
    base = "http://oam.localhost/"
    assert sums.select(select % "oam:outcome") == [("https://w3id.org/oam/outcome/passed",)]
    used = {row[0] for row in sums.select(select % "prov:used")}
    assert used == {f"{base}original/sha256-{sha(PROGRAM)}", f"{base}doc/{check}#procedure"}
    assert sums.select(select % "prov:generated") == [(f"{base}original/sha256-{sha(PRINTED)}",)]
    agents = [row[0].removeprefix(f"{base}agent/") for row in sums.select(select % "prov:wasAssociatedWith")]
    assert agents[0] == "ann" and agents[1].startswith("oam-rdf-") and agents[2].startswith("python-3.")
    ((start, end),) = sums.select(f"SELECT ?a ?b {{ <{done.run}> prov:startedAtTime ?a ; prov:endedAtTime ?b }}")
    assert start < end
    scope = f"SELECT ?q ?u {{ <{done.evidence}> oam:claimScope ?s . ?s oam:quantification ?q ; oam:universalProof ?u }}"
    assert [row[0] for row in sums.select(scope)] == ["n = 100"]
    assert sums.select(f"SELECT ?a {{ <{done.evidence}> prov:wasAttributedTo ?a }}") == [
        (f"{base}agent/sha256-{sha(PROGRAM)}",)
    ]


@ISOLATED
def test_it_outlives_reingest_export_restore_and_the_loss_of_its_files(sums: World, tmp_path: Path) -> None:
    check = ready(sums)
    sums.kb.curation.run_check(check, by="ann")
    (first,) = [item.id for item in sums.kb.evidence("SUMS#C1").items if item.artifact]
    sums.write("sums.md", CLAIM + "\nA line more.\n")
    sums.write("odd.json", json.dumps(declaration("odd", PROGRAM, title="Odd numbers")))
    assert sums.ingest().changed == 2
    assert len(sums.select(RUNS)) == 1 and set(proposals(sums)) == {"SUMS#C1"}
    (sums.sources / "odd.py").unlink()
    (tmp_path / "all.trig").write_bytes(sums.kb.export(None, "trig", originals=tmp_path / "originals"))
    with KnowledgeBase.init(tmp_path / "loaded") as loaded:
        loaded.load(tmp_path / "all.trig", tmp_path / "originals")
        assert [item.id for item in loaded.evidence("SUMS#C1").items if item.artifact] == [first]
        assert [entry.id for entry in loaded.curation.queue(["PROPOSED_STATE"])] == ["SUMS#C1"]
        assert loaded.doctor().clean
    sums.kb.backup(tmp_path / "saved")
    with KnowledgeBase.restore(tmp_path / "saved", tmp_path / "again") as again:
        assert [item.id for item in again.evidence("SUMS#C1").items if item.artifact] == [first]
        assert [entry.id for entry in again.curation.queue(["PROPOSED_STATE"])] == ["SUMS#C1"]
        assert again.curation.run_check(check, by="bob").outcome.outcome == "passed"
        assert again.doctor().clean and again.validate().report.conforms


@ISOLATED
def test_evidence_that_proposes_nothing_outlives_reingest_too(sums: World) -> None:
    done = sums.kb.curation.run_check(ready(sums, evidence_kind="counterexample_search"), by="ann")
    sums.write("sums.md", CLAIM + "\nA line more.\n")
    assert sums.ingest().changed == 1 and not done.proposals
    assert [item.iri for item in sums.kb.evidence("SUMS#C1").items if item.artifact] == [done.evidence]


@ISOLATED
def test_who_may_not_see_the_check_sees_nothing_of_its_runs(sums: World) -> None:
    check = ready(sums, visibility="confidential")
    done = sums.kb.curation.run_check(check, by="ann")
    public = sums.kb.evidence("SUMS#C1", clearance="PUBLIC")
    assert not [item for item in public.items if item.artifact or item.id == check]
    assert [item for item in sums.kb.evidence("SUMS#C1").items if item.artifact]
    body, _ = sums.kb.sparql("SELECT ?s ?p ?o { ?s ?p ?o }", format="tsv", clearance="PUBLIC")
    assert done.run.encode() not in body and b"proposal-" not in body and b"run-" not in body
    assert not sums.kb.curation.queue(["PROPOSED_STATE"], clearance="PUBLIC") and proposals(sums)


# -- what is refused -------------------------------------------------------------------------------------------------


def test_one_altered_byte_is_refused_with_both_hashes(sums: World) -> None:
    check = ready(sums)
    altered = PROGRAM.replace("200", "201")
    sums.write("odd.py", altered)
    status = sums.kb.status().content_hash
    with pytest.raises(Refused) as caught:
        sums.kb.curation.run_check(check, by="ann")
    for said in ("odd.py", sha(PROGRAM), sha(altered), check):
        assert said in str(caught.value)
    assert sums.kb.status().content_hash == status
    sums.write("new.md", "# New\n\nText.\n")
    sums.write("odd.json", json.dumps(declaration("odd", PROGRAM, title="Edited")))
    report = sums.ingest()
    assert report.refused == 1 and any(sha(altered) in str(issue) for issue in report.issues)


def test_a_file_that_is_nowhere_is_refused(sums: World) -> None:
    check = ready(sums)
    (sums.sources / "odd.py").unlink()
    with pytest.raises(Refused, match=r"'odd.py' .* is not here"):
        sums.kb.curation.run_check(check, by="ann")
    with pytest.raises(NotFound, match="declares how"):
        sums.kb.curation.check("SUMS#C1")
    with pytest.raises(UsageError, match="answers for it"):
        sums.kb.curation.run_check(check, by=" ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"command": ["sh", "odd.py"]}, "only 'python' is run"),
        ({"command": ["python", "-c", "print(10000)"]}, "none of the declared files"),
        ({"command": ["python"]}, "none of the declared files"),
        ({"command": "python odd.py"}, "no list of words"),
        ({"inputs": [{"path": "../odd.py", "sha256": sha(PROGRAM)}], "command": ["python", "../odd.py"]}, "below the folder"),
        ({"inputs": [{"path": "/etc/passwd", "sha256": sha("")}], "command": ["python", "/etc/passwd"]}, "below the folder"),
        ({"inputs": [{"path": "odd.py"}]}, "no SHA-256"),
        ({"output": {}}, "output has no SHA-256"),
        ({"limits": {"seconds": 10**6}}, "limits go from"),
        ({"limits": {"memory_mb": "much"}}, "no whole number"),
        ({"evidence_kind": "rumour"}, "unknown kind"),
    ],
)  # fmt: skip
def test_what_could_never_be_run_is_not_registered(sums: World, change: dict[str, object], said: str) -> None:
    register(sums, "odd", PROGRAM, **change)  # type: ignore[arg-type]
    report = sums.ingest()
    assert report.refused == 1 and any(said in str(issue) for issue in report.issues)
    schema = Draft202012Validator(json.loads((schemas_dir() / "check.schema.json").read_text("utf-8")))
    if said not in ("none of the declared files", "unknown kind"):  # what a schema cannot say
        assert not schema.is_valid(declaration("odd", PROGRAM, **change))


def test_nothing_runs_by_being_ingested(sums: World) -> None:
    marked = sums.sources / "ran"
    ready(sums, program=f"open({str(marked)!r}, 'w').write('x')\n")
    assert not marked.exists() and not sums.select(RUNS)


# -- programs that nobody vouches for --------------------------------------------------------------------------------


HOSTILE = {
    "a port here": ("import socket\nsocket.create_connection(('127.0.0.1', PORT), 2)\n", "unreachable"),
    "the network": ("import socket\nsocket.create_connection(('192.0.2.1', 80), 2)\n", "unreachable"),
    "a file outside": ("print(open('SECRET').read())\n", "FileNotFoundError"),
    "a system file": ("print(open('/etc/passwd').read())\n", "FileNotFoundError"),
    "writes outside": ("open('OUTSIDE', 'w').write('x')\n", "FileNotFoundError"),
    "writes to the system": ("open('/usr/written', 'w').write('x')\n", "Read-only"),
    "forks": ("import os\nwhile True:\n    os.fork()\n", "temporarily unavailable"),
    "eats memory": ("kept = bytearray(10**9)\n", "MemoryError"),
    "never ends": ("while True:\n    pass\n", "1 s of processor time"),
    "sleeps": ("import time\ntime.sleep(60)\n", "longer than 3 s"),
    "prints": ("while True:\n    print('x' * 10**5)\n", "File too large"),
    "fills the disk": (
        "n = 0\nwhile True:\n    n += 1\n    open(f'f{n}', 'wb').write(bytes(10**6))\n",
        "No space left",
    ),
    "kills": ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nprint(10000)\n", ""),
    "prints another thing": ("print(9999)\n", "printed something else"),
    "denies": ("raise SystemExit('it does not hold')\n", "exit status 1: it does not hold"),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """All of them in one knowledge base; ``secret`` lies beside it, readable by everybody."""
    folder = tmp_path_factory.mktemp("hostile")
    made = World(folder)
    (folder / "secret").write_text("the secret")
    for path in (folder / "secret", folder):
        path.chmod(0o777)
    with sandbox._listening() as (_, port):
        made.write("sums.md", CLAIM)
        for number, (program, _) in enumerate(HOSTILE.values()):
            for name, value in (("PORT", port), ("SECRET", folder / "secret"), ("OUTSIDE", folder / "outside")):
                program = program.replace(name, str(value))
            register(made, f"p{number}", program)
        assert made.ingest().refused == 0
        yield made
    made.kb.close()


@ISOLATED
@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_stopped_and_recorded_as_failed_with_the_reason(hostile: World, name: str) -> None:
    before, check = hostile.select(STATES), f"CHECK-p{list(HOSTILE).index(name)}"
    done = hostile.kb.curation.run_check(check, by="ann")
    assert done.outcome.outcome == "failed" and HOSTILE[name][1] in done.outcome.reason
    assert b"the secret" not in done.outcome.output and not (hostile.sources.parent / "outside").exists()
    assert hostile.select(STATES) == before and not proposals(hostile)
    said = f"SELECT ?o {{ <{done.run}> oam:outcome ?o ; oam:reason ?r . FILTER ( STR(?r) = {json.dumps(done.outcome.reason)} ) }}"
    assert hostile.select(said) == [("https://w3id.org/oam/outcome/failed",)]
    assert not [item for item in hostile.kb.evidence("SUMS#C1").items if item.artifact], "it says nothing of the claim"
    (own,) = hostile.kb.evidence(check).items
    assert own.outcome == "failed"


@ISOLATED
def test_what_failed_runs_leave_is_sound(hostile: World) -> None:
    hostile.kb.curation.run_check("CHECK-p0", by="ann")
    assert hostile.kb.validate().report.conforms and hostile.kb.doctor().clean


@ISOLATED
def test_a_program_may_say_that_it_cannot_decide(sums: World) -> None:
    done = sums.kb.curation.run_check(ready(sums, program="raise SystemExit(77)\n"), by="ann")
    assert done.outcome.outcome == "inconclusive" and not proposals(sums)


@ISOLATED
def test_it_sees_its_files_alone_and_an_empty_environment(sums: World) -> None:
    program = "import os, sys\nprint(sorted(os.listdir('.')), sorted(os.environ), sys.argv)\n"
    data = "one\n"
    sums.write("table/one.txt", data)
    files = [{"path": "odd.py", "sha256": sha(program)}, {"path": "table/one.txt", "sha256": sha(data)}]
    printed = b"['odd.py', 'table'] ['LC_CTYPE', 'PYTHONHASHSEED'] ['odd.py', 'a b']\n"
    check = ready(sums, program=program, printed=printed, inputs=files, command=["python", "odd.py", "a b"])
    assert sums.kb.curation.run_check(check, by="ann").outcome.output == printed


def running(mark: str) -> bool:
    """Whether a process has the mark among its arguments."""
    found = b""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            found += file.read_bytes()
    return mark.encode() in found


@ISOLATED
def test_a_killed_run_leaves_nothing_behind(sums: World, tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}"
    check = ready(sums, program="import time\ntime.sleep(60)\n", command=["python", "odd.py", mark])
    before, stage = sums.kb.status().content_hash, tmp_path / "stage"
    stage.mkdir()
    command = [sys.executable, "-m", "oam_rdf.cli", "-q", "--kb", str(sums.kb.layout.root), "evidence", "run", check]
    with subprocess.Popen([*command, "--yes", "--by", "ann"], env={**os.environ, "TMPDIR": str(stage)}) as run:
        wait_for(lambda: running(mark))
        run.send_signal(signal.SIGKILL)
    wait_for(lambda: not running(mark))  # the clock inside the walls goes on
    sums.kb.close()
    assert sums.kb.status().content_hash == before and sums.kb.doctor().clean and not sums.select(RUNS)


def wait_for(happened: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


# -- what people decide ----------------------------------------------------------------------------------------------


@ISOLATED
def test_a_proposal_is_carried_out_only_with_a_second_independent_run(sums: World) -> None:
    kb, check = sums.kb, ready(sums)
    for who in ("ann", "bob"):  # one program is one program, whoever runs it
        kb.curation.run_check(check, by=who)
        key = proposals(sums)["SUMS#C1"]
        before = kb.status().content_hash
        with pytest.raises(Refused, match="2 independent pieces of evidence"):
            kb.curation.decide([Ruling(key, "accept", "eve")])
        assert kb.status().content_hash == before
    other = ready(sums, "square", "print(100 ** 2)\n")
    (proposed,) = kb.curation.run_check(other, by="ann").proposals.values()
    assert not proposed.missing
    key = proposals(sums)["SUMS#C1"]
    kb.curation.decide([Ruling(key, "accept", "eve", reason="two ways to it")])
    (last,) = kb.curation.history("SUMS#C1").assessments
    assert (last.state, last.agent, last.reason) == ("REPRODUCED", "eve", "two ways to it") and last.evidence
    assert not proposals(sums) and kb.validate().report.conforms and kb.doctor().clean
    sums.write("sums.md", CLAIM + "\nA line more.\n")
    sums.ingest()
    assert kb.card("SUMS#C1").epistemic_state == "REPRODUCED" and not proposals(sums)


@ISOLATED
def test_a_rejected_proposal_waits_again_only_after_another_run(sums: World) -> None:
    kb, check = sums.kb, ready(sums)
    kb.curation.run_check(check, by="ann")
    kb.curation.decide([Ruling(proposals(sums)["SUMS#C1"], "reject", "eve")])
    assert not proposals(sums)
    sums.write("sums.md", CLAIM + "\nA line more.\n")
    sums.ingest()
    assert not proposals(sums)
    kb.curation.run_check(check, by="ann")
    key = proposals(sums)["SUMS#C1"]
    kb.curation.decide([Ruling(key, "change", "eve", change="OBSERVATION")])
    assert kb.card("SUMS#C1").epistemic_state == "OBSERVATION" and not proposals(sums)


@ISOLATED
def test_a_symbolic_check_proposes_what_it_can_bear(sums: World) -> None:
    kb = sums.kb
    kb.curation.run_check(ready(sums, evidence_kind="symbolic_check"), by="ann")
    (entry,) = kb.curation.queue(["PROPOSED_STATE"])
    assert entry.concept.endswith("/MACHINE_CHECKED") and "needs" not in entry.detail
    kb.curation.decide([Ruling(entry.key, "accept", "eve")])
    assert kb.card("SUMS#C1").epistemic_state == "MACHINE_CHECKED" and kb.validate().report.conforms


def test_a_check_that_was_not_run_decides_nothing(sums: World) -> None:
    check = ready(sums)
    (item,) = sums.kb.evidence("SUMS#C1").items
    assert (item.id, item.stance) == (check, "undecided")


# -- other ways in ---------------------------------------------------------------------------------------------------


@ISOLATED
def test_a_check_may_be_declared_in_rdf(sums: World) -> None:
    sums.write("odd.py", PROGRAM)
    sums.write("odd.ttl", f"""@prefix oam: <https://w3id.org/oam/ns#> . @prefix ex: <http://example.org/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
ex:check a oam:Model ; dcterms:identifier "CHECK-RDF" ; dcterms:title "Odd"@en ; oam:hasProcedure ex:how .
ex:how a oam:Procedure ; oam:command '["python", "odd.py"]' ; oam:input ex:file ;
  oam:evidenceKind <https://w3id.org/oam/evidence-kind/finite_computational_check> ;
  oam:expectedOutput "sha256:{sha(PRINTED)}" .
ex:file oam:filePath "odd.py" ; oam:contentHash "sha256:{sha(PROGRAM)}" .
""")  # fmt: skip
    assert sums.ingest().refused == 0
    assert sums.kb.curation.run_check("CHECK-RDF", by="ann").outcome.outcome == "passed"


def oam(world: World, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["--kb", str(world.kb.layout.root), *arguments], standalone_mode=False)


@ISOLATED
def test_the_command_shows_what_it_would_run_and_asks(sums: World) -> None:
    wrong = register(sums, "wrong", "print(1)\n")
    check = ready(sums)
    shown = oam(sums, "evidence", "run", check, "--dry-run").stdout
    for said in ("python odd.py", sha(PROGRAM), sha(PRINTED), "SUMS#C1", "nothing was run"):
        assert said in shown
    assert "未執行" in oam(sums, "evidence", "run", check, "--dry-run", "--ui", "zh-Hant").stdout
    assert json.loads(oam(sums, "evidence", "run", check, "--dry-run", "--json").stdout)["tests"] == ["SUMS#C1"]
    asked = oam(sums, "evidence", "run", check, "--by", "ann").exception
    assert isinstance(asked, UsageError) and "--yes" in asked.hint and not sums.select(RUNS)
    told = json.loads(sums.oam("evidence", "run", check, "--by", "ann", "--yes", "--json").stdout)
    assert told["outcome"] == "passed" and told["output_sha256"] == told["expected_sha256"]
    assert told["proposals"][0]["state"] == "REPRODUCED"
    assert "there is 1" in oam(sums, "review", "--kind", "proposed-state").stdout
    failed = oam(sums, "evidence", "run", wrong, "--by", "ann", "--yes")
    assert failed.return_value == 1 and "printed something else" in failed.stdout
    sums.write("odd.py", PROGRAM + " ")
    altered = oam(sums, "evidence", "run", check, "--dry-run").exception
    assert isinstance(altered, Refused) and altered.exit_code == 1


def test_the_probe_does_not_get_out() -> None:
    assert "got out" not in sandbox.isolation()


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can give up what isolation needs",
)
def test_where_programs_cannot_be_isolated_nothing_runs(sums: World) -> None:
    check = ready(sums)
    command = [sys.executable, "-m", "oam_rdf.cli", "--kb", str(sums.kb.layout.root), "evidence", "run", check, "--yes"]
    powerless = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all"]
    done = subprocess.run([*powerless, *command, "--by", "ann"], capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "cannot be isolated" in done.stderr and "unshare" in done.stderr
    assert not sums.select(RUNS)


def test_no_wall_no_run(sums: World, monkeypatch: pytest.MonkeyPatch) -> None:
    check = ready(sums)
    monkeypatch.setattr(sandbox, "_known", ["it needs Linux"])
    with pytest.raises(FeatureMissing, match="it needs Linux") as caught:
        sums.kb.curation.run_check(check, by="ann")
    assert caught.value.exit_code == 3 and not sums.select(RUNS)
