"""One open snapshot for many threads."""

from __future__ import annotations

import threading
from collections.abc import Callable

from oam_rdf.query.snapshot import Snapshot


class Shared:
    """A snapshot with a count of its users; closed when retired and unused."""

    def __init__(self, snapshot: Snapshot, close: Callable[[], None]) -> None:
        self.snapshot = snapshot
        self.users = 0
        self._close = close
        self._retired = False
        self._guard = threading.Lock()

    def release(self) -> None:
        with self._guard:
            self.users -= 1
            self._finish()

    def retire(self) -> None:
        with self._guard:
            self._retired = True
            self._finish()

    def _finish(self) -> None:
        if self._retired and self.users == 0:
            self.snapshot.close()
            self._close()
