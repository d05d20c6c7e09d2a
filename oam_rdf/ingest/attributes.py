"""Lines that say something about a document or a statement: ``- key:: value`` and ``- relation [[Target]]``."""

from __future__ import annotations

import re

from oam_rdf.ingest import links
from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import relation
from oam_rdf.text.statements import HAN

_WIKI = r"!?\[\[[^\]\n]+\]\]"
_PAIR = re.compile(rf"\s*(?:[-*+]\s+)?\**(?P<key>[A-Za-z{HAN}][\w {HAN}-]{{0,39}}?)\**::\s+(?P<value>\S.*?)\s*\Z")
_RELATION = re.compile(
    rf"\s*(?:[-*+]\s+)?\**(?P<name>[A-Za-z][A-Za-z_-]{{1,30}})\**:?\s+"
    rf"(?P<targets>{_WIKI}(?:\s*[,，、]\s*{_WIKI})*)\s*(?:[(（]\s*(?P<confidence>[01](?:\.\d+)?)\s*[)）])?\s*[.。]?\s*\Z"
)
#: ``[key:: value]`` or ``(key:: value)`` inside prose (Dataview).
INLINE = re.compile(
    rf"[\[(](?P<key>[A-Za-z{HAN}][\w {HAN}-]{{0,39}})::\s+(?P<value>[^\[\]()\n]+|\[\[[^\]\n]+\]\])[\])]"
)


def is_attribute(line: str) -> bool:
    """Whether a line is ``key:: value`` or ``relation [[Target]]``."""
    if _PAIR.match(line):
        return True
    match = _RELATION.match(line)
    return bool(match and (relation(match["name"]) or "_" in match["name"]))


def apply(line: str, draft: Draft, number: int, profile: Profile, source: Source) -> bool:
    """Reads one such line into ``draft``; False if it is none. A relation name that is not in the vocabulary becomes
    ``related_to`` with the word kept beside it."""
    pair = _PAIR.match(line)
    if pair:
        read = draft.apply(pair["key"], (pair["value"],), number, profile, source)
        if not read and "_" in pair["key"] and "[[" in pair["value"]:
            _unknown(pair["key"], number, source)
        return True
    match = _RELATION.match(line)
    if not match:
        return False
    kind = relation(match["name"])
    if not kind:
        if "_" not in match["name"]:
            return False  # "- See [[X]]" is prose
        _unknown(match["name"], number, source)
    confidence = float(match["confidence"]) if match["confidence"] else None
    if confidence is not None and confidence > 1:
        confidence = None
    for target in links.in_value(match["targets"], profile):
        draft.relate(kind or "related_to", target, number, confidence, "" if kind else match["name"])
    return True


def _unknown(name: str, line: int, source: Source) -> None:
    source.issue("unknown-label", f"unknown relation {name!r}", line=line, hint="kept as related_to with its own word")
