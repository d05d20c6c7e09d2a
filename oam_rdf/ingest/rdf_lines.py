"""The line on which an RDF file first speaks of a resource, as far as its spelling shows: for messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin

_PREFIX = re.compile(r"@?prefix\s+([\w.-]*):\s*<([^<>]*)>|xmlns:([\w.-]+)\s*=\s*[\"']([^\"']*)[\"']", re.IGNORECASE)
_CONTEXT = re.compile(r'"([\w.-]+)"\s*:\s*"([^"\s]+[#/:])"')
_BASE = re.compile(r"@?base\s+<([^<>\s]+)>|xml:base\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_TOKEN = re.compile(r"<([^<>\s\"]*)>|(?<![\w\"<>:])((?:[A-Za-z][\w.-]*)?):((?:[\w%:-]|\\.|\.(?=[\w%]))*)")
_ABOUT = re.compile(r'"@id"\s*:\s*"([^"]*)"|rdf:about\s*=\s*["\']([^"\']*)|rdf:ID\s*=\s*["\']([^"\']*)')


def lines(text: str, base: str) -> dict[str, int]:
    """IRI → 1-based line: where a line begins with it, else where it first occurs. ``base`` resolves relative IRIs."""
    prefixes = {one or other: iri or other_iri for one, iri, other, other_iri in _PREFIX.findall(text)}
    prefixes |= {name: iri for name, iri in _CONTEXT.findall(text) if name not in prefixes}
    if written := _BASE.search(text):
        base = _joined(base, written[1] or written[2])
    first: dict[str, int] = {}
    anywhere: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for spelled, leads in _mentions(line, prefixes):
            iri = spelled if re.match(r"[A-Za-z][\w+.-]*:", spelled) else _joined(base, spelled)
            anywhere.setdefault(iri, number)
            if leads:
                first.setdefault(iri, number)
    return anywhere | first


def _joined(base: str, written: str) -> str:
    try:
        return urljoin(base, written) if written else base
    except ValueError:  # "//[": no address, so it names nothing that could be looked for
        return written


def _mentions(line: str, prefixes: dict[str, str]) -> Iterator[tuple[str, bool]]:
    start = len(line) - len(line.lstrip(" \t\ufeff{"))
    for found in _TOKEN.finditer(line):
        if found[1] is not None:
            yield found[1], found.start() == start
        elif (found[2] or "") in prefixes:
            yield prefixes[found[2] or ""] + re.sub(r"\\(.)", r"\1", found[3]), found.start() == start
    for found in _ABOUT.finditer(line):
        if found[3] is not None:
            yield "#" + found[3], True
            continue
        written = found[1] if found[1] is not None else found[2]
        name, colon, local = written.partition(":")
        yield prefixes[name] + local if colon and name in prefixes else written, True
