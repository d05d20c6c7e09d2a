"""Bad input: one clear line (file:line, what, what to do), the rest goes on, nothing stored is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kb_world import World

from oam_rdf.ingest.candidate import ParseJob, parse_file

GOOD = "---\nid: GOOD\n---\n# Good\n\nThe good document stays.\n"
REFUSED: dict[str, tuple[str, bytes, int]] = {
    # name: (file, bytes, the line that must be named; 0 = any or none)
    "empty": ("bad.md", b"", 0),
    "white space": ("bad.md", b" \n\t\n", 0),
    "binary": ("bad.md", bytes(range(256)) * 20, 0),
    "NUL": ("bad.md", b"# Title\n\nHalf \0 a sentence.\n", 3),
    "not UTF-8": ("bad.md", b"# Title\n\nLatin-1: \xe9t\xe9.\n", 3),
    "lone surrogate, encoded": ("bad.md", b"# Title\n\n\xed\xa0\x80\n", 3),
    "broken YAML": ("bad.md", "---\nid: BAD\ntitle: OAM: 算子\n---\n# T\n\nBody.\n".encode(), 3),
    "tab in YAML": ("bad.md", b"---\nid: BAD\n\ttitle: x\n---\n# T\n\nBody.\n", 3),
    "broken JSON": ("bad.json", b'{"knowledge_object_id": "KO-1",\n "content": \n}', 3),
    "lone surrogate in JSON": ("bad.json", b'{"knowledge_object_id": "KO-1",\n "content": "\\ud800"}', 2),
    "broken Turtle": ("bad.ttl", b"@prefix oam: <https://w3id.org/oam/ns#> .\n<http://x.test/a> a oam:Statement\n", 0),
    "naive time in Turtle": (
        "bad.ttl",
        b"<http://x.test/a> <https://w3id.org/oam/ns#validFrom>\n"
        b'  "2026-07-31T00:00:00"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n',
        0,
    ),
    "remote JSON-LD context": (
        "bad.jsonld",
        b'{"@context": "http://169.254.169.254/x",\n "@id": "http://x.test/a"}',
        0,
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_it_is_refused_with_a_line_and_the_rest_lands(world: World, name: str) -> None:
    file, data, line = REFUSED[name]
    world.write("good.md", GOOD)
    world.write(file, data)
    report = world.ingest()
    assert (report.added, report.refused, report.balanced, report.exit_code) == (1, 1, True, 1), report.issues
    (issue,) = [issue for issue in report.issues if issue.severity == "error"]
    assert issue.file == file
    assert issue.message
    assert issue.hint
    if line:
        assert issue.line == line, issue
    assert "GOOD" in {row[0] for row in world.select("SELECT ?i { ?d a oam:Document ; dcterms:identifier ?i }")}


def test_a_stored_document_survives_its_own_damage(world: World) -> None:
    path = world.write("good.md", GOOD)
    world.ingest()
    before = world.kb.export("GOOD", "nquads")
    for data in (b"", b"---\nid: GOOD\ntitle: a: b\n---\n", b"\xff\xfe"):
        path.write_bytes(data)
        report = world.ingest()
        assert (report.refused, report.revision) == (1, 1)
        assert world.kb.export("GOOD", "nquads") == before
    assert path.read_bytes() == b"\xff\xfe"  # a source is never rewritten


@pytest.mark.parametrize(
    ("name", "data", "title"),
    [
        ("BOM", "\ufeff---\ntitle: 帶標記\nstatus: superseded\n---\n\n正文在此。\n".encode(), "帶標記"),
        ("CRLF, fence at the end", b"---\r\ntitle: Windows\r\ntags: [a, b]\r\n---", "Windows"),
        ("full-width colon", "---\ntitle: x\n---\n\n**版本：** v0.1\n\n正文。\n".encode(), "x"),
    ],
)
def test_odd_but_readable_lands(world: World, name: str, data: bytes, title: str) -> None:
    world.write("odd.md", data)
    report = world.ingest()
    assert report.added == 1, report.issues
    body, _ = world.kb.sparql("SELECT ?t { ?d a oam:Document ; dcterms:title ?t }", format="csv")
    assert title in body.decode()
    assert world.kb.doctor().clean  # offsets count the mark and the carriage returns
    if name.startswith("CRLF"):
        assert sorted(row[0] for row in world.select("SELECT ?s { ?d dcterms:subject ?s }")) == ["a", "b"]


def test_a_duplicate_key_is_named_and_the_first_counts(world: World) -> None:
    world.write("twice.md", "---\nid: TWICE\nversion: one\nversion: two\n---\n# T\n\nBody.\n")
    report = world.ingest()
    assert (report.added, report.exit_code) == (1, 1)
    (issue,) = [issue for issue in report.issues if issue.code == "duplicate-key"]
    assert (issue.file, issue.line) == ("twice.md", 4)
    assert world.select("SELECT ?v { ?d a oam:Document ; pav:version ?v }") == [("one",)]


def test_unknown_labels_land_and_are_kept_as_written(world: World) -> None:
    world.write(
        "odd.md",
        "---\nid: ODD\n---\n# Odd\n\n**Claim C1.** Ether fills space.\n\n"
        "- state:: VIBRATING\n- operator:: HUM.LOUD 0.7\n- hums_with [[ODD]]\n",
    )
    report = world.ingest()
    assert (report.added, report.exit_code) == (1, 1)
    assert any("VIBRATING" in issue.message for issue in report.issues)
    exported = world.kb.export("ODD", "trig").decode()
    assert "VIBRATING" in exported
    assert "HUM.LOUD" in exported
    assert "UNKNOWN_OPERATOR" in exported


def test_links_out_of_the_folder_are_not_followed(world: World, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nNobody asked for this.\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "more.md").write_text("# More\n\nNor for this.\n")
    world.write("good.md", GOOD)
    (world.sources / "link.md").symlink_to(secret)
    (world.sources / "folder").symlink_to(tmp_path / "elsewhere")
    (world.sources / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    report = world.ingest()
    assert (report.added, report.skipped, report.balanced, report.exit_code) == (1, 3, True, 1)
    assert {issue.file for issue in report.issues} >= {"link.md", "folder", "dangling.md"}


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "closed.md"
    path.write_text("# Closed\n\nText.\n")
    path.chmod(0)
    job = ParseJob(str(path), "closed.md", "default", "said", "http://kb.test/", 1_000_000)
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)  # root reads everything, so we look as nobody
    try:
        packed, issue = parse_file(job)
    finally:
        os.seteuid(mine)
    assert packed == b""
    assert issue is not None
    assert (issue.severity, issue.code, issue.file) == ("error", "unreadable", "closed.md")
    assert "Permission denied" in issue.message
    assert issue.hint


@pytest.mark.slow  # the parser's own ten megabytes are in tests/ingest
def test_ten_megabytes_land(world: World) -> None:
    sentence = "The pendulum swings to and fro while the clock counts its swings. "
    world.write("big.md", "# Big\n\n" + sentence * (10_000_000 // len(sentence)) + "\n")
    report = world.ingest()
    assert (report.added, report.refused) == (1, 0)
    assert world.kb.search("pendulum", k=1).results


def test_a_file_over_the_limit_is_refused_with_the_way_out(world: World) -> None:
    config = world.kb.layout.config
    config.write_text(config.read_text().replace("max_file_bytes = 67108864", "max_file_bytes = 1000"))
    world.write("good.md", GOOD)
    world.write("big.md", "# Big\n\n" + "word " * 1000)
    done = world.oam("ingest", str(world.sources), check=1)
    assert "big.md" in done.stdout
    assert "max_file_bytes" in done.stdout


def test_paths_in_links_and_headers_read_nothing(world: World) -> None:
    world.write(
        "a.md", "---\nsources: [/etc/passwd]\n---\n# A\n\nSee [[../../etc/passwd]] and [x](../../../etc/hosts.md).\n"
    )
    report = world.ingest()
    assert report.added == 1
    assert b"root:" not in world.kb.export(None, "nquads")


def test_a_config_file_can_run_nothing(world: World) -> None:
    config = world.kb.layout.config
    config.write_text(config.read_text() + '\nupdate = "touch PWNED"\n[hooks]\nafter = "touch PWNED"\n')
    world.write("good.md", GOOD)
    world.oam("ingest", str(world.sources))
    assert not list(Path.cwd().glob("PWNED"))
    config.write_text(config.read_text().replace('embedder = "e5"', 'embedder = "/tmp/model"'))
    done = world.oam("status", check=2)
    assert "oam.toml" in done.stderr
    assert '"e5"' in done.stderr
