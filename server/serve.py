"""Run the application with a production server (waitress), and embed in the background what has no vector yet."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection
from pathlib import Path
from types import FrameType
from typing import Any

from waitress.server import create_server

from oam_rdf.errors import UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_server.app import create_app
from oam_server.kb import Reader


def serve(
    kb: str | Path,
    host: str = "127.0.0.1",
    port: int = 8765,
    threads: int = 8,
    *,
    embed_in_background: bool = True,
    clearance: str = "PUBLIC",
    allowed_hosts: Collection[str] = (),
) -> None:
    """Serve until interrupted or terminated. ``port`` 0 takes a free one; the address goes to stderr.

    Another ``host`` than a local one must be named in ``allowed_hosts`` too, by the name that clients use. Raises
    UsageError when the port is taken or there is no knowledge base.
    """
    app = create_app(kb, clearance=clearance, allowed_hosts=allowed_hosts)
    reader: Reader = app.extensions["oam"]
    waiting = missing_vectors(reader.base)
    try:
        server: Any = create_server(app, host=host, port=port, threads=threads, ident="oam")
    except OSError as error:
        what = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise UsageError(what, hint="choose another --port") from error
    name = f"[{host}]" if ":" in host else host
    print(f"serving {kb} at http://{name}:{server.effective_port}/ (Ctrl-C stops)", file=sys.stderr, flush=True)
    embedding = _embed(Path(kb)) if embed_in_background and waiting else None
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)
    try:
        server.run()  # returns on KeyboardInterrupt and SystemExit
    finally:
        server.close()
        reader.close()
        if embedding is not None and embedding.poll() is None:
            embedding.terminate()  # it resumes from its cache
            embedding.wait()


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def missing_vectors(base: KnowledgeBase) -> bool:
    """Do passages of the published generation wait for their vectors?"""
    status = base.status()
    return status.embedded < status.passages


def _embed(kb: Path) -> subprocess.Popen[bytes]:
    # A process of its own, so that the interpreter lock of the server stays with its requests.
    command = [sys.executable, "-m", "oam_rdf.cli", "--quiet", "--kb", str(kb), "embed"]
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, child.pid, 10)  # requests come first
    return child
