"""Files that list entries with ids: an atlas of concepts, registers of domains, methods, curricula, learning paths, indexes.

Each entry is a part of the document with every leaf kept; references between entries of the file, and from an entry to a
knowledge object, become relations where their meaning is plain from the key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, text, word
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import relation
from oam_rdf.model import ParsedDocument

#: Keys of an entry that refer to others, and what they say.
_REFERENCES = {
    "prerequisites": "depends_on", "depends_on": "depends_on", "methods": "uses", "method_ids": "uses",
    "related_methods": "related_to", "target_mko_id": "mentions", "object_id": "mentions", "parent_id": "part_of",
    "subject_id": "mentions", "framework_id": "part_of", "path_ids": "part_of",
}  # fmt: skip
#: What the edges of a learning path say: an order of learning, which is no dependency of one claim on another.
_BEFORE = frozenset({"recommended_before", "required_before", "before"})
_TITLES = ("title", "title_zh", "titles", "name", "label")
_NAMES = ("id", "object_id", "item_id")


def is_listing(rows: Rows) -> bool:
    """Whether the file names its schema version and has at least one list of objects with ids."""
    value = rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], dict) else {}
    return isinstance(value.get("schema_version"), str) and "$schema" not in value and any(_lists(value))


def _lists(value: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for key, part in value.items():
        if isinstance(part, list) and part and all(isinstance(e, dict) and _name(e) for e in part):
            yield key, part


def _name(entry: dict[str, Any]) -> str:
    return next((word(entry[key]) for key in _NAMES if word(entry.get(key))), "")


def _title(entry: dict[str, Any]) -> str:
    for key in _TITLES:
        found = entry.get(key)
        words = next((text(part) for part in found.values()), "") if isinstance(found, dict) else word(found)
        if words:
            return words
    return ""


def listing(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The list as a document; its name is its file's, its shape's name is reported and kept."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    entries = [(key, entry) for key, part in _lists(value) for entry in part]
    local: dict[str, str] = {}
    made: list[tuple[str, dict[str, Any], int]] = []
    for key, entry in entries:
        name = _name(entry)
        at = build.place(name)
        wanted = name if "id" in entry or key not in ("alignments", "profiles") else f"{key}-{name}"
        said = [text(entry[k]) for k in entry if isinstance(entry[k], str) and k not in ("id", "schema_version")]
        # An index only says where the thing of that id is; any other list is where it is.
        own = (name,) if "id" in entry and "path" not in entry else ()
        words = "\n".join(said)
        identifier = build.section(wanted, _title(entry) or name, words, line=at, aliases=own, extra=leaves(entry))
        if "id" in entry:
            local.setdefault(name, identifier)
        made.append((identifier, entry, at))
    for identifier, entry, at in made:
        _references(build, identifier, entry, at, local)
    kept = {f"{key}.{n}" for key, part in _lists(value) for n in range(len(part))}
    schema = word(value["schema_version"])
    build.issue("shape-read", f"read as a list of {len(entries)} entries ({schema})", severity="note",
                hint="every value of an entry is a field of it")  # fmt: skip
    return build.document(
        "", _title(value) or source.stem, version=word(value.get("version") or value.get("atlas_version")),
        extra=leaves(value, kept),
    )  # fmt: skip


def _references(build: Builder, identifier: str, entry: dict[str, Any], at: int, local: dict[str, str]) -> None:
    for key, kind in _REFERENCES.items():
        for part in rows_of(entry.get(key)):
            _relate(build, identifier, kind, word(part), at, local)
    if "path" in entry and "id" in entry:  # an index: the entry says where the thing of that id is
        build.relate(identifier, "mentions", word(entry["id"]), line=at)
    # Positions of a learning path, and what comes before what in it.
    steps: dict[str, str] = {}
    for node in rows_of(entry.get("nodes")):
        target = word(mapping(node).get("object_id"))
        if target:
            position = mapping(node).get("position")
            whole = isinstance(position, int) and not isinstance(position, bool)
            steps[target] = build.section(f"{identifier}.{target}", target, line=at, parent=identifier,
                                          order=position if whole else None)  # fmt: skip
            build.relate(steps[target], "mentions", target, line=at)
    for edge in rows_of(entry.get("edges")):
        start, end, name = (word(mapping(edge).get(k)) for k in ("from", "to", "relation"))
        if start not in steps or end not in steps:
            message = f"the edge {start} {name} {end} of {identifier} is not between its nodes"
            build.issue("dangling-edge", message, line=at, hint="kept as a field")
        elif name in _BEFORE:
            build.relate(steps[end], "read_after", steps[start], line=at, local=True, source_label=name)
        else:
            known = relation(name)
            build.relate(
                steps[start],
                known or "related_to",
                steps[end],
                line=at,
                local=True,
                source_label="" if known else name,
            )


def _relate(build: Builder, identifier: str, kind: str, target: str, at: int, local: dict[str, str]) -> None:
    if not target:
        return
    here = local.get(target, "")
    if here and here != identifier:
        build.relate(identifier, kind, here, line=at, local=True)
    elif not here:
        build.relate(identifier, kind, target, line=at)
