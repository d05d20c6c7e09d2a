"""Running one Python program that nobody vouches for: no network, no files but its own, bounded in time, memory and output.

Linux namespaces do it, by the ordinary programs ``unshare``, ``mount``, ``pivot_root``, ``setpriv`` and ``prlimit`` of
util-linux and ``timeout``. The program sees the system's read-only libraries, this interpreter, and ``/work``, a folder in
memory with its declared files, which is gone when it ends. It runs without privileges, in one process: a fork fails. Where
any of this does not hold, nothing is run (:func:`isolation`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/nix/store", "/gnu/store")
_TOOLS = ("unshare", "mount", "umount", "pivot_root", "setpriv", "prlimit", "timeout", "env")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NAMESPACES = ("--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child")
_NOBODY = 65534
_SPARE = 20.0  # seconds that setting up may take
OUTPUT = 1024 * 1024  # bytes that may be printed, and the size of any file

# $1: staging folder (files/ and the mount point root/), $2: seconds, $3: bytes of the work folder; then what is to be
# visible up to a "--", then the command. A line in the file ready says that the walls stand.
_SETUP = r"""
set -eu
stage=$1 seconds=$2 room=$3; shift 3
root=$stage/root
exec 3> "$stage/ready"
mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"
mkdir "$root/old" "$root/work" "$root/proc"
mount -t tmpfs -o "size=$room,mode=1777,nosuid,nodev" tmpfs "$root/work"
cp -R "$stage/files/." "$root/work/"
while [ "$1" != -- ]; do
  if [ -L "$1" ]; then cp -P "$1" "$root$1"
  elif [ -e "$1" ]; then
    if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root${1%/*}"; : > "$root$1"; fi
    mount --bind "$1" "$root$1"
    mount -o remount,bind,ro,nosuid,nodev "$root$1"
  fi
  shift
done
shift
mount --rbind /proc "$root/proc"
mount -o remount,bind,ro,nosuid,nodev "$root"
cd "$root"
pivot_root . old
umount -l /old
umount -l /proc
cd /work
echo ready >&3
exec 3>&-
status=0
timeout -s KILL "$seconds" "$@" || status=$?
exit "$status"
"""

_PROBE = """
import os, socket, sys
host, port, secret, folder = sys.argv[1:]
leaks = []
def tried(name, action):
    try:
        action()
    except OSError:
        return
    leaks.append(name)
tried("network", lambda: socket.create_connection((host, int(port)), 2))
tried("reading", lambda: open(secret).read())
tried("writing", lambda: open(os.path.join(folder, "written"), "w"))
tried("writing at the top", lambda: open("/written", "w"))
tried("writing to the interpreter", lambda: open(os.path.join(sys.prefix, "written"), "w"))
tried("processes", os.fork)
if os.listdir("/proc") or os.listdir("/old"):
    leaks.append("the former root")
print("open:" + ",".join(leaks))
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit status, what it printed, and the end of what it complained of.

    ``stopped`` says which limit ended it, "" if it ended by itself.
    """

    status: int
    output: bytes
    errors: str
    stopped: str = ""


class NotIsolated(Exception):
    """The walls could not be built; nothing was run."""


def run(arguments: Sequence[str], files: Mapping[str, bytes], *, seconds: int, memory: int) -> Ended:
    """Run ``python`` with these arguments in a folder that holds these files (by relative path).

    ``seconds`` of processor time, three times as many by the clock; ``memory`` in MiB.

    :raises NotIsolated: if the platform cannot; then nothing was run.
    """
    missing = [tool for tool in _TOOLS if shutil.which(tool, path=_PATH) is None]
    if sys.platform != "linux" or missing:
        raise NotIsolated("it needs Linux" if sys.platform != "linux" else f"not installed: {', '.join(missing)}")
    clock = 3 * seconds
    with tempfile.TemporaryDirectory(prefix="oam-run-") as name:
        stage = Path(name)
        (stage / "root").mkdir()
        (stage / "files").mkdir()
        for path, data in files.items():
            target = stage / "files" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o644)
        room = 2 * sum(map(len, files.values())) + 16 * OUTPUT
        words = [
            "unshare", *_user(), *_NAMESPACES, "sh", "-c", _SETUP, "sh", str(stage), str(clock), str(room), *_visible(),
            "--", *_powerless(), "prlimit", f"--cpu={seconds}:{seconds + 1}", f"--as={memory * 1024 * 1024}",
            f"--fsize={OUTPUT}", "--nproc=1", "--core=0", "--nofile=64", "env", "-i", "PYTHONHASHSEED=0",
            _interpreter(), "-S", "-s", "-B", "-X", "utf8", *arguments,
        ]  # fmt: skip
        began = time.monotonic()
        status, ready, output, errors = _process(words, stage, clock + _SPARE)
        if not ready:
            raise NotIsolated(errors.strip().replace("\n", "; ") or f"unshare ended with {status}")
        return Ended(status, output, errors[-2000:], _stopped(status, time.monotonic() - began, seconds, clock))


def _process(words: Sequence[str], stage: Path, most: float) -> tuple[int, bool, bytes, str]:
    """Run it to its end: exit status, whether the walls stood, stdout, stderr. Whatever happens, nothing stays running."""
    out, err, mark = stage / "out", stage / "err", stage / "ready"
    mark.touch()
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env={"PATH": _PATH}, cwd="/",
            start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(most)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, bool(mark.read_bytes()), out.read_bytes(), err.read_bytes().decode("utf-8", "replace")


def _user() -> list[str]:
    """Root needs no user namespace and could not change into another user inside one."""
    return [] if os.geteuid() == 0 else ["--user", "--map-root-user"]


def _powerless() -> list[str]:
    who = [f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *who, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]


def _interpreter() -> str:
    """The interpreter itself, not its link in a virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


def _visible() -> list[str]:
    own = [sys.base_prefix, str(Path(_interpreter()).parent)]
    found = [path for path in _SYSTEM if os.path.lexists(path)]
    for path in own:
        if not any(path == known or path.startswith(f"{known}/") for known in found):
            found.append(path)
    return found


def _stopped(status: int, took: float, seconds: int, clock: int) -> str:
    """Which limit ended it; a shell adds 128 to the number of the signal."""
    ending = -status if status < 0 else status - 128
    if ending == signal.SIGXCPU:
        return f"it needed more than {seconds} s of processor time"
    if ending == signal.SIGKILL:
        return f"it ran longer than {clock} s" if took >= clock else "the system stopped it, probably for its memory"
    if ending == signal.SIGXFSZ:
        return f"it wrote more than {OUTPUT} bytes"
    return ""


_known: list[str] = []


def isolation() -> str:
    """Why programs cannot be run here, "" if they can: a program that tries to get out is run once to see it fail."""
    if not _known:
        _known.append(_probed())
    return _known[0]


def _probed() -> str:
    with tempfile.TemporaryDirectory(prefix="oam-probe-") as folder, _listening() as (host, port):
        secret = Path(folder, "secret")
        secret.write_text("secret")
        for path in (Path(folder), secret):
            path.chmod(0o777)  # only the walls may keep it out
        try:
            ended = run(
                ["probe.py", host, str(port), str(secret), folder],
                {"probe.py": _PROBE.encode()},
                seconds=10,
                memory=256,
            )
        except NotIsolated as error:
            return str(error)
        said = ended.output.decode("utf-8", "replace").strip()
        if ended.status or not said.startswith("open:"):
            return f"a probe inside did not run: {ended.stopped or ended.errors.strip() or ended.status}"
        leaks = said.removeprefix("open:")
        return f"a probe inside got out by {leaks}" if leaks or Path(folder, "written").exists() else ""


@contextlib.contextmanager
def _listening() -> Iterator[tuple[str, int]]:
    """A port of this machine that answers, so that failing to reach it means something."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_accept, args=(server,), daemon=True)
        thread.start()
        yield server.getsockname()


def _accept(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            server.accept()[0].close()
