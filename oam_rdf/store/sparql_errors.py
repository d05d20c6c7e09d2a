"""Where a query is wrong, and what the parser hoped for there.

Oxigraph reports the furthest character that any grammar rule looked at. A rule that tries a keyword looks as many
characters ahead as the keyword has, past the place that is wrong and into the next line. So a query that does not parse
is parsed once more with its gaps widened: then looking ahead ends inside the gap behind the token that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pyoxigraph as ox

from oam_rdf.store.sparql_gate import position
from oam_rdf.store.sparql_lexer import NAME, OTHER, SKIP, Lexer

_GAP = " " * 24  # longer than any keyword
_ALONE = frozenset("{}(),;")
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Mistake:
    """``line`` and ``column`` from 1, in code points."""

    line: int
    column: int
    message: str
    hint: str = ""


def locate(text: str, error: str, prefixes: Mapping[str, str], base: str | None) -> Mistake | None:
    """What Oxigraph's ``error at 2:9: expected …`` about ``text`` means; None if the message has another form."""
    found = _read(error)
    if found is None:
        return None
    offset, expected, ahead = _offset(text, found[0], found[1]), found[2], True
    wide, starts = _widen(text)
    try:
        ox.Store().query(wide, prefixes=dict(prefixes), base_iri=base)
    except SyntaxError as again:
        better = _read(str(again))
        if better is not None:
            reached = _offset(wide, better[0], better[1])
            place, offset = max(start for start in starts if start[0] <= reached)
            expected, ahead = better[2], place < reached
    except (OSError, RuntimeError, ValueError):
        pass  # it parses like this, which leaves the first report
    line, column = position(text, min(offset, len(text)))
    if "Prefix not found" in expected:
        return _undeclared(text, offset, line, column)
    # Alternatives are quoted characters, keywords, ranges such as ['a' ..= 'z'], or a sentence about a broken rule.
    expected = expected.removeprefix("expected ").removeprefix("one of ")
    alternatives = [part.strip() for part in re.findall(r'\[[^\]]*\]|"(?:[^"\\]|\\.)*"|[^,]+', expected)]
    for part in alternatives:
        if " " in part and part[0] not in '["':
            return Mistake(line, column, part[0].lower() + part[1:])
    words = [part for part in alternatives if part and part[0] != "[" and part != "<unreported>"]
    at = "at the end of the query" if offset >= len(text.rstrip()) else f"at {_excerpt(text, offset)}"
    # What looked ahead is the longest keyword only, not all that might stand here.
    hoped = f": expected {' or '.join(words)}" if words and not ahead and len(words) <= _SHOWN else ""
    return Mistake(line, column, f"syntax error {at}{hoped}")


def _read(error: str) -> tuple[int, int, str] | None:
    match = re.match(r"error at (\d+):(\d+): (.*)", error, re.DOTALL)
    return None if match is None else (int(match[1]), int(match[2]), match[3])


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def _widen(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with wide gaps, and (offset there, offset in ``text``) of all that stands between gaps, in order."""
    lexer, parts, starts = Lexer(text), [_GAP], [(0, 0)]
    at, length, in_gap = 0, len(_GAP), True
    while at < len(text):
        token = lexer.token(at)
        piece = text[at : token.end]
        alone = token.kind == OTHER and piece in _ALONE and "|" not in text[max(0, at - 1) : token.end + 1]
        if token.kind == SKIP or alone:
            parts.append("" if in_gap else _GAP)
            length += len(parts[-1])
            in_gap = True
        if token.kind != SKIP:
            if in_gap:
                starts.append((length, at))
            parts.append(piece + (_GAP if alone else ""))
            length += len(parts[-1])
            in_gap = alone
        at = token.end
    starts.append((length + len(_GAP), len(text)))
    return "".join(parts) + _GAP, starts


def _undeclared(text: str, offset: int, line: int, column: int) -> Mistake:
    token = Lexer(text).token(offset) if offset < len(text) else None
    what = f"prefix {token.value}: is not declared" if token and token.kind == NAME else "a prefix is not declared"
    return Mistake(line, column, what, "add a PREFIX line")


def _excerpt(text: str, offset: int) -> str:
    token = Lexer(text).token(offset)
    piece = " ".join(text[offset : token.end].split())
    return piece if len(piece) <= 30 else piece[:29] + "…"
