"""Profiles: shipped ones load, tables map, mistakes are placed errors."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from oam_rdf.errors import ConfigError
from oam_rdf.ingest import dates, profiles
from oam_rdf.ingest.language import detect, tag


def test_shipped_profiles_load_and_travel_between_processes() -> None:
    assert {"default", "peps", "eips", "pldst", "wiki"} <= set(profiles.names())
    for name in profiles.names():
        profile = profiles.load(name)
        assert profile.name == name and pickle.loads(pickle.dumps(profile)) == profile


def test_maps_of_the_peps_profile() -> None:
    peps = profiles.load("peps")
    assert peps.field("Superseded-By") == "superseded_by" and peps.field("replaces") == "supersedes"
    assert peps.identifier("8") == "PEP-0008" and peps.reference("8") == "PEP 8" and peps.reference("X") == "X"
    assert [peps.word("version-status", w) for w in ("Final", "Superseded", "Rejected")] == ["ACTIVE", "SUPERSEDED", ""]
    assert peps.field("文件編號") == "id", "the default profile is inherited"


def test_any_relation_of_the_ontology_is_a_field() -> None:
    default = profiles.load("default")
    for name in ("depends_on", "depends-on", "dependsOn", "Depends On", "counterexample_to", "superseded_by"):
        assert default.field(name) == default.field(name.lower()) != "" or name == "dependsOn"
    assert default.field("dependsOn") == "depends_on" and default.field("no such field") == ""


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '[fields]\n"Vorgänger" = "supersedes"\n[status]\nfertig = "ACTIVE"\n[states]\nVermutung = "CONJECTURE"\n',
        encoding="utf-8",
    )
    mine = profiles.load(str(path))
    assert mine.name == "mine" and mine.field("vorgänger") == "supersedes"
    assert mine.word("epistemic-state", "vermutung") == "CONJECTURE" and mine.field("title") == "title"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[fields\n", "not valid TOML"),
        ('[fields]\na = "nonsense"\n', "neither an attribute nor a relation"),
        ('[status]\na = "GONE"\n', "no version-status"),
        ('[states]\na = "MAYBE"\n', "no epistemic-state"),
        ('[[citations]]\npattern = "("\ntarget = "{}"\n', "citations"),
        ('links = "nonsense"\n', "no relation"),
        ('surprise = "x"\n', "unknown or ill-typed"),
        ("[fields]\na = 1\n", "must be text"),
        ('extends = "nowhere"\n', "no profile"),
    ],
)
def test_mistakes_are_placed(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        profiles.load(str(path))
    assert words in str(caught.value)


def test_profiles_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(f'extends = "{two}"\n', encoding="utf-8")
    two.write_text(f'extends = "{one}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="extends itself"):
        profiles.load(str(one))


@pytest.mark.parametrize("name", ["../../etc/passwd", "no-such", "a b"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        profiles.load(name)
    assert "peps" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-07-31", "2026-07-31T00:00:00Z"),
        ("2026-7-3", "2026-07-03T00:00:00Z"),
        ("2026-07-31T08:30", "2026-07-31T08:30:00Z"),
        ("2026-07-31T08:30:15+0800", "2026-07-31T08:30:15+08:00"),
        ("2026-07-31 08:30:15Z", "2026-07-31T08:30:15Z"),
        ("11-Jan-2021", "2021-01-11T00:00:00Z"),
        ("July 4, 1999", "1999-07-04T00:00:00Z"),
        ("4 July 1999", "1999-07-04T00:00:00Z"),
        ("March 2020", "2020-03-01T00:00:00Z"),
        ("2026 年 7 月 30 日", "2026-07-30T00:00:00Z"),
        ("2025年1月", "2025-01-01T00:00:00Z"),
        ("2025.1月", "2025-01-01T00:00:00Z"),
        ("2026/7/31", "2026-07-31T00:00:00Z"),
        ("2026-07", "2026-07-01T00:00:00Z"),
        ("2026-02-30", ""),
        ("soon", ""),
        ("2026-07-31T25:00:00Z", ""),
    ],
)
def test_dates(text: str, wanted: str) -> None:
    assert dates.moment(text) == wanted


def test_languages() -> None:
    assert tag("zh-TW") == "zh-Hant" and tag("zh-CN") == "zh-Hans" and tag("en") == "en" and tag("?!") == ""
    assert tag("zh", "这个问题没有说明") == "zh-Hans" and tag("zh", "這個問題沒有說明") == "zh-Hant"
    assert detect("這是 OAM 的說明文字，含 RAG 等詞") == "zh-Hant" and detect("这是说明文字") == "zh-Hans"
    assert detect("plain English with 一 word") == "en" and detect("123", "zh-Hant") == "zh-Hant"
