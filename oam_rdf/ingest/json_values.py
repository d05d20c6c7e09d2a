"""Reading JSON strictly and with lines: one value, the members of a list, or JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest import visibility
from oam_rdf.ingest.json_places import located
from oam_rdf.ingest.source import Source

#: The top-level values of a file with their 1-based lines: one value, the members of one list, or JSON Lines.
Rows = Sequence[tuple[Any, int]]

_SPACE = re.compile(r"[\s\ufeff]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def values(source: Source) -> Iterator[tuple[Any, int]]:
    """Each top-level object with its line: one value, the members of one list, or values one after another."""
    text = source.text
    repeats: list[str] = []
    decoder = json.JSONDecoder(object_pairs_hook=_pairs(repeats), parse_constant=_constant(source))
    at = _skip(text, 0)
    in_list = text.startswith("[", at)
    if in_list:
        at = _skip(text, at + 1)
    while at < len(text):
        if in_list and text[at] == "]":
            return
        line = source.line(at)
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            where = f"{source.place(error.lineno)}:{error.colno}"
            raise ParseError(f"not valid JSON: {error.msg}", place=where, hint="correct it there") from error
        except RecursionError as error:
            raise ParseError("JSON nested too deeply", place=source.place(line), hint="flatten it") from error
        _no_surrogates(source, text[at:end], value, line)
        if repeats:
            _report_repeats(source, at)
            repeats.clear()
        yield value, line
        at = _skip(text, end)
        if in_list and at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
        elif in_list and (at >= len(text) or text[at] != "]"):
            raise ParseError("the list is not closed", place=source.place(source.line(at)), hint="end it with ]")


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _pairs(repeats: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Makes objects; the keys that occur twice in one are added to ``repeats``."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, value in pairs:
            if name in out and visibility.named(name):
                out[name] = [out[name], value]  # the narrowest of them counts
            elif name in out:
                repeats.append(name)
            else:
                out[name] = value
        return out

    return build


def _report_repeats(source: Source, start: int) -> None:
    for path, offset, repeated in located(source.text, start):
        if repeated and not visibility.named(name := str(path[-1])):
            source.issue("duplicate-key", f"the key {name!r} occurs twice in one object: the first one counts",
                         line=source.line(offset), hint="remove one of the two")  # fmt: skip


def _constant(source: Source) -> Callable[[str], float]:
    def refuse(name: str) -> float:
        raise ParseError(f"{name} is no JSON number", place=source.place(), hint="write null or a number")

    return refuse


def _no_surrogates(source: Source, raw: str, value: Any, line: int) -> None:
    """Half a character (``"\\ud800"``) cannot be stored in any Unicode text."""
    if "\\u" not in raw or not _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        return
    for match in re.finditer(r'"', raw):
        try:
            text, _ = scanstring(raw, match.end(), True)
        except ValueError:
            continue
        if _SURROGATE.search(text):
            line += raw.count("\n", 0, match.start())
            break
    raise ParseError("a lone surrogate (half a character)", place=source.place(line), hint="write the whole character")
