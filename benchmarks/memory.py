"""Peak memory of a process, its own alone."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak() -> float:
    """Megabytes of the largest resident set of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would begin with that of the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1024 / 1024 if sys.platform == "darwin" else most / 1024
