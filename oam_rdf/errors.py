"""Every error this package raises, drawn once.

::

    OamError                    exit 2
     ├─ UsageError              a flag, id or file that cannot be used as given
     │   └─ NotFound            an id or file that is not there (or not yours to see)
     ├─ ConfigError             oam.toml or a profile is wrong
     ├─ ParseError              an input could not be read; carries file:line:column
     ├─ Refused           1     something was found wrong with the content (shapes, collisions)
     ├─ LockHeld                another process is writing; names the holder
     ├─ Damaged                 a stored file does not match its manifest or hash
     ├─ LimitExceeded           a query passed its time or memory limit
     ├─ Forbidden               a query asks for something that is never allowed (SERVICE, LOAD)
     ├─ FeatureMissing    3     an extra or a platform feature is absent
     └─ NothingChecked    4     a check met nothing to check, which is never a pass

Each error says what is wrong, where (``place`` is ``file[:line[:column]]``) and the way out (``hint``).
"""

from __future__ import annotations

MESSAGE_LIMIT = 2000  # characters: a message may quote a text of any length


class OamError(Exception):
    """Base of all errors. ``str()`` gives ``place: message (hint)`` on one line."""

    exit_code = 2

    def __init__(self, message: str, *, place: str = "", hint: str = "") -> None:
        if len(message) > MESSAGE_LIMIT:
            message = f"{message[:MESSAGE_LIMIT]}… ({len(message)} characters)"
        self.message = message
        self.place = place
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        way_out = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{way_out}"


class UsageError(OamError):
    """A flag, id or file that cannot be used as given."""


class NotFound(UsageError):
    """Absent, or hidden from this clearance: the two look the same on purpose (decision D16)."""


class ConfigError(OamError):
    """``oam.toml`` or a profile is wrong."""


class ParseError(OamError):
    """An input could not be read."""


class Refused(OamError):
    """The content was read and found wrong."""

    exit_code = 1


class LockHeld(OamError):
    """Another process holds the write lock."""


class Damaged(OamError):
    """A stored file does not match its manifest or hash."""


class LimitExceeded(OamError):
    """A query passed its time or memory limit."""


class Forbidden(OamError):
    """A request for something that is never allowed, such as fetching a URL."""


class FeatureMissing(OamError):
    """An optional extra or a platform feature is absent."""

    exit_code = 3


class NothingChecked(OamError):
    """A check met nothing to check."""

    exit_code = 4
