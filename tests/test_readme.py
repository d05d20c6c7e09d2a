"""The README is run, not believed: every `oam` command in order, the Python block, and `make demo` in a fresh clone."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line[2:] for block in CONSOLE for line in block.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path, environment: dict[str, str], timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        shlex.split(command), cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def test_every_command_of_the_readme_runs(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = 0
    for command in COMMANDS:
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            environment[name] = value
        elif command.startswith("oam "):
            done = run(command, tmp_path, environment)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            assert done.stdout.strip() or command.startswith(("oam init", "oam export --all")), command
            ran += 1
    assert ran >= 18
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "ANSWERABLE" in done.stdout


def test_the_two_commands_are_the_makefiles() -> None:
    made = [command.split()[1] for command in COMMANDS if command.startswith("make ")]
    assert made == ["demo", "test"]
    targets = set(re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(made) <= targets
    assert "make test" in (ROOT / ".ci" / "run").read_text()


@pytest.mark.slow
def test_make_demo_in_a_fresh_clone(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "clone")], check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OAM_", "VIRTUAL_ENV"))}
    done = run("make demo", tmp_path / "clone", environment, timeout=1200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for part in ("substituted for", "UNANSWERABLE_FROM_CORPUS", "0 violations", "@prefix oam:", "make serve"):
        assert part in done.stdout, part
