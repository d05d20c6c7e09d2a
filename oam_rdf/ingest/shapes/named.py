"""JSON of a shape that nothing reads more closely, but that says what it is: a document with every leaf kept as a field."""

from __future__ import annotations

from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, word
from oam_rdf.ingest.source import Source
from oam_rdf.model import ParsedDocument

_SAYS = ("schema", "schema_version", "$schema")


def shape(value: Any) -> str:
    """The name that a JSON object gives its own shape, "" if it gives none. Timings are known by their units."""
    if not isinstance(value, dict):
        return ""
    said = next((word(value[key]) for key in _SAYS if word(value.get(key))), "")
    if "json-schema.org" in said:
        return "JSON Schema"
    if not said and value and all(_timing(part) for part in value.values()):
        return "timings"
    return said


def _timing(part: Any) -> bool:
    return isinstance(part, dict) and bool(part) and all(str(name).endswith(("_ms", "_s", "_ns")) for name in part)


def is_named(rows: Rows) -> bool:
    """Whether the file is one object that says what it is."""
    return len(rows) == 1 and bool(shape(rows[0][0])) and "knowledge_object_id" not in rows[0][0]


def read(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The object with every leaf as a field; its shape's name is reported."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    name = shape(value)
    found = leaves(value)
    build.issue("shape-kept", f"read as fields only: {len(found)} values of the shape {name!r}", severity="note",
                hint="nothing in the graph has a more exact place for them")  # fmt: skip
    title = word(value.get("title")) or word(value.get("name")) or source.stem
    lead = "\n".join(part for part in (title, word(value.get("description")), *list(value)[:40]) if part)
    own = word(value.get("$id")) if name == "JSON Schema" else ""
    return build.document("", title, lead=lead, aliases=(own,) if own else (), extra=found)
