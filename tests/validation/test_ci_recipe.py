"""The recipe of docs/ci.md, run as a new user would run it, and the pre-commit hook."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conftest import ALPHA, BETA
from ruamel.yaml import YAML

from oam_rdf.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "alpha.md").write_text(ALPHA, encoding="utf-8")
    (tmp_path / "docs" / "beta.md").write_text(BETA, encoding="utf-8")
    return tmp_path


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script in a shell of its own, with `oam` on the PATH as an installation puts it there."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "oam").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m oam_rdf.cli "$@"\n', encoding="utf-8")
    (folder / "bin" / "oam").chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TMPDIR": str(folder), "RUNNER_TEMP": str(folder)}
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_shell_recipe(project: Path) -> None:
    done = run(blocks("sh")[0], project)
    assert done.returncode == 0, done.stderr
    results = json.loads((project / "oam.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert places == {"docs/alpha.md", "docs/beta.md"} and (project / "oam-junit.xml").stat().st_size > 500


@pytest.mark.slow
def test_the_shell_recipe_fails_where_it_should(project: Path) -> None:
    stricter = blocks("sh")[0].replace("--fail-on violation", "--fail-on warning")
    assert stricter != blocks("sh")[0] and run(stricter, project).returncode == 1
    for file in (project / "docs").glob("*"):
        file.unlink()
    assert run(blocks("sh")[0], project).returncode == 4


def test_the_steps_of_the_workflow(project: Path) -> None:
    workflow = YAML(typ="safe").load(blocks("yaml")[0])
    steps = workflow["jobs"]["validate"]["steps"]
    script = next(step["run"] for step in steps if step.get("name") == "Build and validate")
    done = run("set -e\n" + script, project)
    assert done.returncode == 0 and (project / "oam.sarif").is_file(), done.stderr


def test_every_flag_of_the_guide_exists() -> None:
    commands = [app.get_command(click.Context(app), name) for name in ("validate", "ingest", "init", "status")]
    options = {name for command in commands if command for p in command.params for name in p.opts}
    options |= {name for parameter in app.params for name in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", GUIDE)) <= options


def test_the_hook(project: Path) -> None:
    hook = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
    assert re.search(hook["files"], "graph/a.ttl") and not re.search(hook["files"], "docs/a.md")
    (project / "bad.ttl").write_text("<urn:a:s> a <https://w3id.org/oam/ns#Statement> .", encoding="utf-8")
    (project / "none.ttl").write_text("<urn:a:s> <urn:a:p> 1 .", encoding="utf-8")
    assert run(f"{hook['entry']} bad.ttl", project).returncode == 1
    assert run(f"{hook['entry']} none.ttl", project).returncode == 4
