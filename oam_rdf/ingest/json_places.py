"""Where in a JSON text each value stands, by the path that leads to it: for messages, and for what is read again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from oam_rdf.ingest.source import Source

#: Keys and places in lists, from the outermost value inwards.
Path = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def located(text: str, start: int = 0) -> Iterator[tuple[Path, int, bool]]:
    """``(path, offset, whether its object had the key already)`` of all values in the one that begins at ``start``, in order."""
    path: list[str | int] = []
    open_: list[set[str] | None] = []  # for each container that is open the keys of an object so far, None for a list
    key_next = repeated = False
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == ":":
            continue
        if mark == ",":
            key_next = open_[-1] is not None
            if not key_next:
                path[-1] = int(path[-1]) + 1
        elif mark in ("}", "]"):
            path.pop()
            open_.pop()
            key_next = False
            if not open_:
                return
        elif key_next:
            name, keys = json.loads(mark), open_[-1]
            path[-1], key_next = name, False
            if keys is not None:
                repeated = name in keys
                keys.add(name)
        else:
            yield tuple(path), token.start(), repeated
            repeated = False
            if mark in ("{", "["):
                path.append("" if mark == "{" else 0)
                open_.append(set() if mark == "{" else None)
                key_next = mark == "{"
            elif not open_:
                return


class Places:
    """The lines of the values of the one JSON object of a file, alone or in a list."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: dict[Path, int] = {}
        for path, offset, _ in located(source.text, max(source.text.find("{"), 0)):
            self._lines.setdefault(path, source.line(offset))  # of a key that occurs twice the first value counts

    def line(self, *path: str | int) -> int:
        """The 1-based line on which a value begins; for one that is not there, that of what it would stand in."""
        for length in range(len(path), -1, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return 1
