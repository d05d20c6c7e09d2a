"""Parts that open on first use, and what is said of those that are off or incomplete.

Places are told relative to the knowledge base; they are for answers, which others than its keeper may read.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from oam_rdf.errors import Damaged, OamError
from oam_rdf.index.columns import Array
from oam_rdf.model import VISIBILITIES

T = TypeVar("T")
#: What opening or asking a part that is missing or damaged may raise.
UNREADABLE = (OamError, OSError, ValueError, KeyError, EOFError, tokenize.TokenError)  # the last: numpy, of a header
# Folders of an absolute path; not what follows a scheme, a host or another name.
_FOLDERS = re.compile(r"(?<![\w/.:~-])/(?:[^\s/'\":;,()]+/)+")


def told(reason: str, folder: Path, *, everything: bool) -> str:
    """The reason with places relative to the knowledge base in ``folder``.

    Who may not see ``everything`` is told of no other folder of this machine either.

    >>> told("/srv/kb/synonyms.toml:3: not valid TOML", Path("/srv/kb"), everything=True)
    'synonyms.toml:3: not valid TOML'
    >>> told("/var/cache/oam-rdf/e5/model.onnx: cannot be used", Path("/srv/kb"), everything=False)
    'model.onnx: cannot be used'
    """
    reason = re.sub(rf"(?<![\w/.~-]){re.escape(str(folder))}/", "", reason)
    return reason if everything else _FOLDERS.sub("", reason)


def uncovered(embedded: Array, visible: Array) -> str:
    """Why the dense channel is incomplete, "" if it is not; both ``bool[passages]``, what is hidden counts nowhere."""
    total, missing = int(np.count_nonzero(visible)), int(np.count_nonzero(visible & ~embedded))
    return f"{missing} of {total} passages have no vector yet: run `oam embed`" if missing else ""


class Parts:
    """The parts of one generation as one clearance sees them, and which of them are off.

    :param strict: a part that cannot be read is an error instead of a degraded channel.
    """

    def __init__(self, kb: Path, folder: Path, clearance: str, strict: bool) -> None:
        self.kb, self.clearance, self.strict = kb, clearance, strict
        #: channel -> why it is off or incomplete.
        self.degraded: dict[str, str] = {}
        self._folder = folder

    def _needed(self, name: str, make: Callable[[], T]) -> T:
        try:
            return make()
        except OamError:
            raise
        except UNREADABLE as error:
            raise Damaged(
                f"cannot open the {name}: {error}", place=str(self._folder), hint="run `oam doctor --repair`"
            ) from error

    def _optional(self, name: str, make: Callable[[], T]) -> T | None:
        try:
            return make()
        except UNREADABLE as error:
            self.note(name, str(error))
            return None

    def note(self, channel: str, reason: str) -> None:
        """Record that a channel is off or incomplete, once. :raises Damaged: under ``strict``."""
        if self.strict:
            raise Damaged(f"channel {channel} is off: {reason}", place=str(self._folder), hint="oam reindex")
        self.degraded.setdefault(channel, self.told(reason))

    def told(self, reason: str) -> str:
        """A reason as this clearance is told it."""
        return told(reason, self.kb, everything=self.clearance == VISIBILITIES[-1])

    def lose(self, channel: str, error: Exception) -> None:
        """Switch off a channel (``lexical``) that opened well and could not be read later."""
        self.note(channel, str(error))
        self.__dict__[channel] = None
