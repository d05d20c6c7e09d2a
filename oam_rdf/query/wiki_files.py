"""``index.md`` and ``log.md`` of the wiki report: a catalogue for reading, and what came in when."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oam_rdf.namespaces import DCTERMS, OAM
from oam_rdf.ontology import Ontology
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.facts import TITLE, Facts
from oam_rdf.store.selection import COMMITTED, Selection

_SUMMARY = 120  # characters
# What Markdown would read as a link, emphasis, code or a heading instead of the title that it is part of.
_MARKS = re.compile(r"([\\`*_\[\]<>|#])")
_MARKUP = re.compile(r"[*`]+")


def index(snapshot: Snapshot, selection: Selection) -> bytes:
    """A line for each document, under the first of its keywords: title, id, what it says first, and a version status
    other than ACTIVE."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for facts in _facts(selection):
        keyword = next(iter(facts.values(facts.iri, DCTERMS + "subject")), "")
        identifier, title = facts.name(facts.iri), facts.value(facts.iri, TITLE)
        row = snapshot.facets.row(facts.iri)
        status = snapshot.version_status[row] if row >= 0 else "ACTIVE"
        summary = _first_words(facts)
        parts = [f"- [{_plain(title or identifier)}]({facts.iri})", f"`{identifier}`"]
        parts += [f"({status})"] if status != "ACTIVE" else []
        groups.setdefault(keyword, []).append((identifier, " ".join(parts) + (f": {summary}" if summary else "")))
    lines = [f"# Index\n\n{sum(map(len, groups.values()))} documents\n"]
    for keyword in sorted(groups, key=lambda name: (not name, name)):  # those without a keyword come last
        lines.append(f"\n## {_plain(keyword) or '…'}\n\n")
        lines += [f"{line}\n" for _, line in sorted(groups[keyword])]
    return "".join(lines).encode()


def log(selection: Selection) -> bytes:
    """A line for each document and the day it came in, newest first: when, id, file."""
    entries = []
    for facts in _facts(selection):
        for graph in facts.committed():
            when = facts.value(graph, COMMITTED)
            entries.append((when, facts.name(facts.iri), facts.value(graph, OAM + "sourcePath")))
    lines = ["# Log\n"]
    day = ""
    for when, identifier, path in sorted(sorted(set(entries), key=lambda e: e[1]), key=lambda e: e[0], reverse=True):
        if when[:10] != day:
            day = when[:10]
            lines.append(f"\n## {day}\n\n")
        lines.append(f"- {when} `{identifier}`" + (f" from {_plain(path)}" if path else "") + "\n")
    return "".join(lines).encode()


def _facts(selection: Selection) -> Iterator[Facts]:
    ontology = Ontology.load()
    for iri, quads in selection.documents():
        yield Facts(iri, quads, selection.store, ontology)


def _first_words(facts: Facts) -> str:
    for iri in facts.objects():
        text = " ".join(_MARKUP.sub("", facts.value(iri, OAM + "content")).split())
        if text:
            return _plain(text if len(text) <= _SUMMARY else text[:_SUMMARY].rstrip() + "…")
    return ""


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
