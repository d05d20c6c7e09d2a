"""Metadata of enhancement proposals: YAML with its traps, two files of one proposal, and YAML that is something else."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oam_rdf.errors import ParseError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.skipping import Skipped
from oam_rdf.model import ParsedDocument
from oam_rdf.text.normalise import id_key

PROFILE = profiles.load("keps")
KEP = """title: Warm standby for gauges
kep-number: 4711
authors:
  - "@lin"
  - "@okafor"
owning-sig: sig-gauges
status: implementable
creation-date: 2021-04-06
see-also:
  - "/keps/sig-gauges/0042-cold-standby"
  - https://github.com/kubernetes/enhancements/blob/master/keps/sig-gauges/43-hot-standby/README.md
replaces:
  - n/a
superseded-by: "KEP-5000"
milestone:
  alpha: "v1.10"
  beta: no
latest-milestone: 1.10
disable-supported: yes
"""


# Nine by nine by nine …: 59,049 values out of six lines.
BOMB = "kep-number: 1\na: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{now}: &{now} [{', '.join(['*' + before] * 9)}]\n" for before, now in zip("abcd", "bcde", strict=True)
)


def kep(text: str, path: str = "keps/sig-gauges/4711-warm-standby/kep.yaml") -> ParsedDocument:
    return parse(text.encode(), path, PROFILE)


def codes(document: ParsedDocument) -> list[tuple[str, int]]:
    return [(issue.code, issue.line) for issue in document.issues if issue.severity != "note"]


def test_the_metadata_of_a_proposal_are_a_document() -> None:
    document = kep(KEP)
    head = document.document
    assert (document.id, head.title, head.creators) == ("KEP-4711", "Warm standby for gauges", ("@lin", "@okafor"))
    assert (head.status_label, head.version_status, head.created) == ("implementable", "ACTIVE", "2021-04-06T00:00:00Z")
    assert {(r.type, r.target) for r in document.relations} == {
        ("see_also", "KEP-42"), ("see_also", "KEP-43"), ("superseded_by", "KEP-5000"),
    }  # fmt: skip
    assert head.extra["milestone.alpha"] == "v1.10" and head.extra["milestone.beta"] == "no"
    assert head.extra["latest-milestone"] == "1.10" and head.extra["disable-supported"] == "yes"
    assert head.extra["replaces"] == "n/a" and not codes(document)
    assert all(relation.line for relation in document.relations) and document.passages


@pytest.mark.parametrize("word", ["imlpemented", "provisional|implementable|implemented", "Implemented (alpha)"])
def test_a_wrong_status_is_kept_letter_for_letter_and_reported(word: str) -> None:
    document = kep(KEP.replace("status: implementable", f"status: {word}"))
    assert document.document.status_label == word and document.document.version_status == ""
    assert codes(document) == [("unknown-status", 7)]
    if word == "imlpemented":
        assert "'implemented'" in next(issue.hint for issue in document.issues if issue.code == "unknown-status")


def test_the_readme_is_a_document_of_its_own_that_is_part_of_the_proposal() -> None:
    readme = parse(
        b"# Warm standby for gauges\n\nSee KEP-42.\n", "keps/sig-gauges/4711-warm-standby/README.md", PROFILE
    )
    assert readme.id == "KEP-4711/README" != kep(KEP).id
    assert {(r.type, r.target) for r in readme.relations} == {("cites", "KEP-42"), ("part_of", "KEP-4711")}
    assert next(r.source for r in readme.relations if r.type == "part_of") == ""
    other = parse(b"# Notes\n\nText.\n", "keps/sig-gauges/notes.md", PROFILE)
    assert other.id == "Notes" and not other.relations


def test_a_placeholder_is_no_number() -> None:
    document = kep(KEP.replace("4711", "NNNN"), "keps/NNNN-template/kep.yaml")
    assert document.id == "KEP-NNNN-template" and codes(document) == [("no-number", 2)]
    other = kep(KEP, "keps/sig-gauges/4712-warm-standby/kep.yaml")
    assert other.id == "KEP-4711" and "KEP-4712" in other.document.aliases and codes(other) == [("number-differs", 2)]


def test_keys_twice_merged_or_no_text_are_read_with_their_lines() -> None:
    text = "base: &b\n  status: implemented\n  owning-sig: sig-a\n<<: *b\ntitle: A\nkep-number: 7\ntitle: B\n"
    text += "? [x, y]\n: z\n5: five\n"
    document = kep(text, "7-a/kep.yaml")
    assert document.document.title == "A" and document.document.status_label == "implemented"
    assert document.document.extra["?"] == "z" and document.document.extra["5"] == "five"
    assert sorted(codes(document)) == [("bad-key", 8), ("duplicate-key", 7)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kep-number: 1\n\ttitle: A\n", r":2.*tabs"),
        ("kep-number: 1\ntitle: A: B\n", r":2.*quotation marks"),
        (BOMB, "aliases"),
        ("kep-number: 1\na: &a\n  b: *a\n", "levels"),
        ("kep-number: 1\nx: &x\n  <<: *x\n", "levels"),
        ("kep-number: 1\n---\nkep-number: 2\n", "broken YAML"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        kep(text)
    assert (
        not isinstance(caught.value, Skipped)
        and re.search(said, str(caught.value))
        and re.search(r"yaml:\d", str(caught.value))
    )


@pytest.mark.parametrize(
    "text", ["a: 1\nb: 2\n", "- one\n- two\n", "{{ template }}\n", "title: Page\nstatus: draft\n", "# nothing\n"]
)
def test_other_yaml_is_skipped_with_a_reason(text: str) -> None:
    with pytest.raises(Skipped, match="no proposal's metadata"):
        parse(text.encode(), "chart/values.yml", PROFILE)


_YAML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8).map(repr),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["title", "status", "a", "<<"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_YAML, st.text(max_size=30))
def test_any_yaml_is_read_refused_or_skipped(value: object, tail: str) -> None:
    text = f"kep-number: 7\ntitle: A\nx: {value}\n{tail}"
    try:
        document = kep(text)
    except ParseError:
        return
    assert document.id.startswith("KEP-") and document.length == len(text)


def test_every_proposal_of_a_public_corpus_is_in_or_named(shared: Path) -> None:
    folder = shared / "corpora" / "keps"
    parsed = [parse(path.read_bytes(), path.relative_to(folder).as_posix(), PROFILE)
              for path in sorted((folder / "files").rglob("*")) if path.suffix in (".yaml", ".md")]  # fmt: skip
    raw = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in (folder / "files").rglob("kep.yaml")
    }
    proposals = {document.path: document for document in parsed if document.path.endswith(".yaml")}
    assert proposals.keys() == raw.keys() and len(parsed) == len(raw) + 15
    for path, text in raw.items():  # read here by a pattern of its own
        word = re.search(r"^status:[ \t]*[\"']?(.*?)[\"']?[ \t]*(?:#.*)?$", text, re.MULTILINE)
        assert word and proposals[path].document.status_label == word[1], path
    twice = [name for name in {d.id for d in parsed} if sum(d.id == name for d in parsed) > 1]
    assert twice == ["KEP-2133"]  # two folders claim this number
    with (folder / "relations.tsv").open(encoding="utf-8") as file:
        wanted = {
            (id_key(r["source"]), r["relation"], id_key(r["target"])) for r in csv.DictReader(file, delimiter="\t")
        }
    found = {(id_key(d.id), r.type, id_key(r.target)) for d in proposals.values() for r in d.relations}
    numbers = {id_key(document.id) for document in parsed}
    missing = {edge for edge in wanted - found if edge[0] in numbers}
    assert not missing, sorted(missing)
