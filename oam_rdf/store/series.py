"""Series and programmes in reading order: what comes before and after, which replaces nothing (formats.md, "In", 5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology
from oam_rdf.store.facts import TITLE, Facts
from oam_rdf.store.selection import Selection
from oam_rdf.text.normalise import id_key

# Header fields in which a document names the series that it belongs to.
_FIELDS = frozenset({"series", "系列", "programme", "program", "計畫", "计划"})
_PARTS = re.compile(r"(\d+)")

Entry = dict[str, Any]


def dump(selection: Selection) -> bytes:
    """``{"series": [{"name", "kind", "documents": [{"place", "id", "title", "previous", "next"}]}]}`` as UTF-8 JSON.

    A programme gives its own order; the documents that name a series follow by id, numbers by size.
    """
    ontology = Ontology.load()
    named: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    programmes: list[Entry] = []
    for iri, quads in selection.documents():
        facts = Facts(iri, quads, selection.store, ontology)
        for name in _named(facts):
            kept, members = named.setdefault(id_key(name), (name, []))
            members.append((facts.name(iri), facts.value(iri, TITLE)))
            named[id_key(name)] = min(kept, name), members
        steps = list(_steps(facts))
        if steps:
            programmes.append(_entry(facts.value(iri, TITLE) or facts.name(iri), "programme", steps, facts.name(iri)))
    series = [_entry(name, "series", sorted(set(members), key=_natural)) for name, members in named.values()]
    found = sorted([*series, *programmes], key=lambda entry: (entry["kind"], entry["name"], entry.get("id", "")))
    return (json.dumps({"series": found}, ensure_ascii=False, indent=2) + "\n").encode()


def _entry(name: str, kind: str, members: list[tuple[str, str]], identifier: str = "") -> Entry:
    ids = [member for member, _ in members]
    documents = [
        {
            "place": place,
            "id": member,
            "title": title,
            "previous": ids[place - 2] if place > 1 else None,
            "next": ids[place] if place < len(ids) else None,
        }
        for place, (member, title) in enumerate(members, 1)
    ]
    return {"name": name, "kind": kind, **({"id": identifier} if identifier else {}), "documents": documents}


def _named(facts: Facts) -> Iterator[str]:
    for written in facts.values(facts.iri, OAM + "sourceField"):
        field, _, name = written.partition(": ")
        if field.strip().casefold() in _FIELDS and id_key(name):
            yield " ".join(name.split())


def _steps(facts: Facts) -> Iterator[tuple[str, str]]:
    """``(id, title)`` of the papers of a programme: its parts mention them, and each part is read after another."""
    after: dict[str, str] = {}
    papers: dict[str, str] = {}
    for edge in facts.edges():
        if edge.relation == "read_after" and edge.target:
            after[edge.source] = edge.target
        elif edge.relation == "mentions":
            papers[edge.source] = facts.name(edge.target) if edge.target else edge.label.removeprefix("#")
    steps = after.keys() | set(after.values())
    before = {earlier: later for later, earlier in after.items()}
    # Two ends, or a ring, are no order: then the numbers of the parts decide.
    starts = sorted(steps - after.keys())
    order = [starts[0]] if len(starts) == 1 else []
    while order and (following := before.get(order[-1])) is not None and following not in order:
        order.append(following)
    if len(order) != len(steps):
        order = sorted(steps, key=lambda part: (int(facts.value(part, OAM + "order") or 0), part))
    for part in order:
        yield papers.get(part) or facts.name(part), facts.value(part, TITLE)


def _natural(member: tuple[str, str]) -> list[tuple[int, int, str]]:
    """Key by which ``ORBIT-2`` stands before ``ORBIT-10``."""
    parts = _PARTS.split(member[0])
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]
