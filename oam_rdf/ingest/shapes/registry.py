"""A register of papers and a programme that orders them (formats.md, "In", 5).

A register says where a paper is and what its bytes hash to; an entry is no paper, so that it never answers for one. A
programme gives an order of reading: what comes later in it does not replace what came before.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, text, word
from oam_rdf.ingest.shapes.hashed import digest_of
from oam_rdf.ingest.source import Source
from oam_rdf.model import HashClaim, ParsedDocument

_ITEM = frozenset({"id", "title", "source_file", "hash"})
_STEP = frozenset({"sequence", "iteration_type"})


def is_registry(rows: Rows) -> bool:
    """Whether the file is ``{"items": [{"id", "source_file" or "hash", …}]}``."""
    if len(rows) != 1 or not isinstance(rows[0][0], dict):
        return False
    items = rows[0][0].get("items")
    found = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return any("id" in item and {"source_file", "hash"} & item.keys() for item in found)


def is_programme(rows: Rows) -> bool:
    """Whether the file is ``{"id", "iterations": [{"sequence", "id", …}]}``."""
    if len(rows) != 1 or not isinstance(rows[0][0], dict):
        return False
    value = rows[0][0]
    steps = value.get("iterations")
    found = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return "id" in value and (any(_STEP & step.keys() for step in found) or (steps == [] and "type" in value))


def registry(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The register as a document, each item as an object that mentions its paper."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    seen: dict[str, int] = {}
    for number, item in enumerate(value["items"]):
        if not isinstance(item, dict):
            build.issue("not-an-item", f"items.{number} is a {type(item).__name__}", hint="kept as a field")
            continue
        _item(build, number, item, seen)
    kept = {f"items.{n}" for n, item in enumerate(value["items"]) if isinstance(item, dict)}
    return build.document(word(value.get("id")), word(value.get("title")), extra=leaves(value, kept))


def _item(build: Builder, number: int, item: dict[str, Any], seen: dict[str, int]) -> None:
    identifier, title, path = word(item.get("id")), word(item.get("title")), word(item.get("source_file"))
    line = build.place(identifier)
    if not identifier:
        build.issue("no-id", f"items.{number} has no id", line=line, hint="give it the id of its paper")
    elif identifier in seen:
        build.issue("duplicate-id", f"{identifier!r} is registered on line {seen[identifier]} already", line=line,
                    hint="both entries are kept; remove one")  # fmt: skip
    seen.setdefault(identifier, line)
    words = "\n".join(text(part) for part in (title, identifier, path, item.get("authorship")) if text(part))
    created = build.moment(item.get("created"), "created", line)
    local = build.section(
        identifier or f"item-{number + 1}", title or identifier or path, words, line=line,
        created=created, order=number + 1, extra=leaves(item),
    )  # fmt: skip
    names = [name for name in (identifier, path) if name]
    if names:
        build.relate(local, "mentions", names[0], line=line, also=tuple(names[1:]))
    stated = digest_of(item.get("hash"))
    if stated and names:
        build.hashes += [HashClaim("original", f"hash of {identifier or path}", stated, target=name, strict=False, line=line)
                         for name in (path, identifier) if name][:1]  # fmt: skip
    elif item.get("hash"):
        build.issue(
            "bad-hash", f"{text(item['hash'])!r} is no SHA-256", line=line, hint="write sha256: and 64 hex digits"
        )


def programme(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The programme as a document; its iterations are parts in reading order, each mentions its paper."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    steps: list[tuple[float, str, int]] = []
    for number, step in enumerate(value["iterations"]):
        if not isinstance(step, dict):
            build.issue("not-an-iteration", f"iterations.{number} is a {type(step).__name__}", hint="kept as a field")
            continue
        identifier, position = word(step.get("id")), step.get("sequence")
        at = build.place(identifier)
        usable = isinstance(position, int | float) and not isinstance(position, bool)
        if not usable:
            build.issue("no-sequence", f"iterations.{number} has no number in the sequence", line=at,
                        hint="it follows the entry before it")  # fmt: skip
        if any(usable and position == other for other, _, _ in steps):
            build.issue("duplicate-sequence", f"the sequence number {position} occurs twice", line=at,
                        hint="the order of the file decides between the two")  # fmt: skip
        title = word(step.get("title")) or identifier
        order = int(position) if isinstance(position, int) and not isinstance(position, bool) else number + 1
        local = build.section(identifier or f"iteration-{number + 1}", title, line=at, order=order, extra=leaves(step))
        build.relate(local, "mentions", identifier, line=at)
        before = steps[-1][0] if steps else 0.0
        steps.append((float(position) if isinstance(position, int | float) and usable else before, local, at))
    steps.sort(key=lambda step: step[0])  # stable: the file decides among equals
    for (_, earlier, _), (_, after, at) in pairwise(steps):
        build.relate(after, "read_after", earlier, line=at, local=True)
    kept = {f"iterations.{n}" for n, step in enumerate(value["iterations"]) if isinstance(step, dict)}
    status = word(value.get("status"))
    return build.document(
        word(value.get("id")), word(value.get("title")), status_label=status,
        version_status=profile.word("version-status", status) if status else "", extra=leaves(value, kept),
    )  # fmt: skip
