"""Verbs are read when they are called; the table that says where they are is right."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import oam_rdf.cli
from oam_rdf.cli.app import VERBS


def test_the_table_names_every_verb_of_every_module() -> None:
    folder = Path(oam_rdf.cli.__file__).parent
    modules = {file.stem: import_module(f"oam_rdf.cli.{file.stem}") for file in folder.glob("[a-z]*.py")}
    found = {name: tuple(c.name for c in module.COMMANDS) for name, module in modules.items() if hasattr(module, "COMMANDS")}
    assert found == dict(VERBS)
    assert sum(map(len, VERBS.values())) > 20


def test_what_needs_no_knowledge_base_reads_little() -> None:
    script = (
        "import sys; from oam_rdf.cli.app import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: print(*(name for name in ('whoosh', 'numpy', 'pyoxigraph') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == [""]
