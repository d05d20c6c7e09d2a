"""A hash-chained log of events, one JSON object a line (formats.md, "In", 8): the chain is verified link by link.

An event's ``event_hash_sha256`` is the SHA-256 of its canonical JSON without that key; it holds the hash of the event before
it, 64 zeros in the first. A broken link is an error that names it, and where a single flipped byte explains it, that byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, word
from oam_rdf.ingest.shapes.hashed import own_hash
from oam_rdf.ingest.source import Source
from oam_rdf.model import HashClaim, ParsedDocument, ProvNode
from oam_rdf.namespaces import OAM

OWN, BEFORE = "event_hash_sha256", "previous_hash_sha256"
GENESIS = "0" * 64
# Lines of at most so many bytes are searched for one flipped bit, and for one byte of another value: a second or less.
_BITS, _BYTES = 4096, 640
_HINT = "fetch the log again from where it was written; nothing after this link can be trusted"


def is_chain(rows: Rows) -> bool:
    """Whether every value of the file is an event of a chain (a damaged name in one of them does not hide the rest)."""
    fitting = sum(isinstance(value, dict) and bool({OWN, BEFORE} & value.keys()) for value, _ in rows)
    return bool(rows) and fitting * 2 > len(rows)


def name_of(release: str) -> str:
    """The name under which the log of a release is known to what speaks of it."""
    return f"{release} events"


def read(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The log as a document with one event after another.

    :raises ParseError: if the chain is broken, with the link's index, event and line, and the byte if it can be told.
    """
    events = _events(source, rows)
    for index, event in enumerate(events):
        _check(source, events, index, event)
    build = Builder(source, profile, [event.value for event in events], events[0].line)
    releases = {word(event.value.get("release_id")) for event in events}
    release = next(iter(releases)) if len(releases) == 1 else ""
    earlier = ""
    for number, event in enumerate(events, 1):
        check, passed = word(event.value.get("check")), event.value.get("passed")
        node = build.names.take(f"event-{word(event.value.get('sequence')) or number}")
        links = ((OAM + "previousEvent", earlier),) if earlier else ()
        build.nodes.append(
            ProvNode(
                node, kind="verification", label=check, author_id=word(event.value.get("sequence")),
                outcome={True: "passed", False: "failed"}.get(passed, "") if isinstance(passed, bool) else "",
                at=build.moment(event.value.get("at") or event.value.get("timestamp"), "at", event.line),
                sha256=event.value[OWN], links=links, line=event.line,
            )
        )  # fmt: skip
        earlier = node
        build.hashes.append(HashClaim("own", f"{OWN} of event {number}", event.value[OWN], found=event.value[OWN],
                                      line=event.line))  # fmt: skip
    name = name_of(release) if release else ""
    lead = "\n".join(dict.fromkeys(word(event.value.get("check")) for event in events))
    return build.document(
        f"{release} {source.stem}" if release else "", "", lead=lead, extra=leaves([event.value for event in events]),
        aliases=tuple(a for a in (name, events[-1].value[OWN]) if a),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Event:
    value: dict[str, Any]
    line: int
    start: int  # offsets of its line in the text
    end: int
    computed: str


def _events(source: Source, rows: Rows) -> list[_Event]:
    found = []
    for index, (value, line) in enumerate(rows):
        start, end = source.line_span(line)
        if not isinstance(value, dict):
            raise ParseError(f"link {index + 1} of the chain is no event but a {type(value).__name__}",
                             place=source.place(line), hint=_HINT)  # fmt: skip
        found.append(_Event(value, line, start, end, own_hash(value, {OWN})))
    return found


def _check(source: Source, events: list[_Event], index: int, event: _Event) -> None:
    stated, before = event.value.get(OWN), event.value.get(BEFORE)
    expected = events[index - 1].value.get(OWN) if index else GENESIS
    follower = events[index + 1].value.get(BEFORE) if index + 1 < len(events) else None
    link = f"link {index + 1} of {len(events)}"
    named = word(event.value.get("sequence"))
    who = f"{link} (event {named or '?'}" + (f", {check}" if (check := word(event.value.get("check"))) else "") + ")"
    if event.computed == stated and before == expected:
        return
    if event.computed == stated:
        _gap(source, events, index, event, who, expected)
    # The one byte, wherever it lies, whose change makes the event whole and lets it follow the one before it.
    at = _changed(source.text[event.start : event.end], event.start, lambda value: value.get(BEFORE) == expected)
    if event.computed == follower:  # the event after it vouches for its content
        what = f"its {OWN} says {stated}, its content has {event.computed}"
    elif before != expected and own_hash({**event.value, BEFORE: expected}, {OWN}) == stated:
        what = f"its {BEFORE} says {before}, the event before it has {expected}"
    else:
        what = f"its content has the hash {event.computed}, it says {stated}"
    _broken(source, event, who, what, at)


def _gap(source: Source, events: list[_Event], index: int, event: _Event, who: str, expected: Any) -> None:
    """An event that is whole and does not follow the one before it: some are missing, added, or in another order."""
    before = event.value.get(BEFORE)
    place = next((n for n, other in enumerate(events, 1) if other.value.get(OWN) == before), 0)
    if place:
        what = f"it follows link {place} of the file, not link {index}: events were moved or added"
    elif not index:
        what = f"it names {before} as the event before it: the beginning of the chain is missing"
    else:
        last, this = events[index - 1].value.get("sequence"), event.value.get("sequence")
        missing = this - last - 1 if isinstance(last, int) and isinstance(this, int) else 0
        count = f"{missing} event{'s' * (missing != 1)} of" if missing > 0 else "events of"
        what = f"it names {before} as the event before it, which has {expected}: {count} the chain are missing between them"
    _broken(source, event, who, what, -1)


def _broken(source: Source, event: _Event, who: str, what: str, at: int) -> None:
    """:raises ParseError: always; ``at`` is the offset of the altered character, -1 if it cannot be told."""
    first = len(source.text[: event.start].encode())
    if at >= 0:
        column = at - event.start + 1
        byte = len(source.text[:at].encode())
        where, exact = f":{column}", f"; byte {byte} of the file (column {column}) was altered"
    else:
        last = first + len(source.text[event.start : event.end].encode()) - 1
        where, exact = "", f"; it lies in bytes {first} to {last} of the file"
    raise ParseError(
        f"the hash chain is broken at {who}: {what}{exact}", place=source.place(event.line) + where, hint=_HINT
    )


def _changed(line: str, start: int, fits: Callable[[dict[str, Any]], bool]) -> int:
    """Offset of the one byte of a line whose change makes it a whole event that ``fits``, -1 if there is none."""
    data = line.encode()
    if not line.lstrip().startswith("{"):  # a list on one line: not an event of its own
        return -1
    single = tuple(1 << bit for bit in range(8))  # the likeliest
    others = tuple(flip for flip in range(1, 256) if flip not in single)
    for flips, most in ((single, _BITS), (others, _BYTES)):
        for at, old in enumerate(data if len(data) <= most else b""):
            for flip in flips:
                try:
                    value = json.loads(data[:at] + bytes((old ^ flip,)) + data[at + 1 :])
                except ValueError:
                    continue
                if isinstance(value, dict) and fits(value) and own_hash(value, {OWN}) == value.get(OWN):
                    return start + len(data[:at].decode("utf-8", "ignore"))
    return -1


def damaged(source: Source, error: ParseError) -> ParseError:
    """The error for a file that is no JSON: if it is a chain, which link is broken, or that the chain ends early."""
    whole: list[_Event] = []
    line = 1
    for line, text in enumerate(source.text.split("\n"), 1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except ValueError:
            break
        if not isinstance(value, dict) or not {OWN, BEFORE} <= value.keys():
            return error
        whole.append(_Event(value, line, *source.line_span(line), own_hash(value, {OWN})))
    start, end = source.line_span(line)
    piece = source.text[start:end]
    if f'"{OWN}"' not in source.text or not (whole or f'"{BEFORE}"' in piece):
        return error
    for index, event in enumerate(whole):
        try:
            _check(source, whole, index, event)
        except ParseError as earlier:
            return earlier
    link = f"link {len(whole) + 1}"
    before = whole[-1].value[OWN] if whole else GENESIS
    at = _changed(piece, start, lambda value: value.get(BEFORE) == before)
    if at < 0 and not source.text[end:].strip() and not piece.rstrip().endswith("}"):
        return ParseError(
            f"the hash chain ends early: the file stops inside {link}, after {len(whole)} whole events that verify",
            place=source.place(line), hint="fetch the rest of the log",
        )  # fmt: skip
    what = f"the hash chain is broken at {link}: {error.message}"
    if at >= 0:
        byte = len(source.text[:at].encode())
        column = at - start + 1
        return ParseError(f"{what}; byte {byte} of the file (column {column}) was altered",
                          place=f"{source.place(line)}:{column}", hint=_HINT)  # fmt: skip
    return ParseError(what, place=error.place or source.place(line), hint=_HINT)
