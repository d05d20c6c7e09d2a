"""The wheel carries all it needs: installed in a clean environment elsewhere, it runs the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_the_wheel_runs_the_demo_elsewhere(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "clone")], check=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path / "dist"), str(tmp_path / "clone")], check=True)
    (wheel,) = (tmp_path / "dist").glob("oam_rdf-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    binaries = tmp_path / "venv" / "bin"
    subprocess.run([binaries / "python", "-m", "pip", "--quiet", "install", str(wheel)], check=True)
    (tmp_path / "elsewhere").mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OAM_", "PYTHON", "VIRTUAL"))}
    done = subprocess.run(
        [binaries / "oam", "demo"], cwd=tmp_path / "elsewhere", env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for part in ("substituted for", "UNANSWERABLE_FROM_CORPUS", "0 violations", "@prefix oam:"):
        assert part in done.stdout
    top = subprocess.run(
        [binaries / "python", "-c", "import oam_server, importlib.util as u; print(u.find_spec('server'))"],
        capture_output=True, text=True, check=True, cwd=tmp_path / "elsewhere",
    )  # fmt: skip
    assert top.stdout.strip() == "None"
