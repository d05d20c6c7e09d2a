"""Status words that a profile does not know: kept as written and reported, never corrected."""

from __future__ import annotations

from difflib import get_close_matches

from oam_rdf.ingest.profiles import Profile, key
from oam_rdf.ingest.source import Source


def known(profile: Profile, word: str) -> bool:
    """Whether the profile, or the ontology, has the word, with or without a version status for it."""
    return key(word) in profile.status or bool(profile.word("version-status", word))


def report_unknown(source: Source, profile: Profile, word: str, line: int, count: int = 1) -> None:
    """Say that ``word`` is no status of the profile, and which one it looks like."""
    near = get_close_matches(key(word), list(profile.status), 1, 0.8)
    times = f", {count} times" if count > 1 else ""
    hint = "kept as written, without a version status" + (f"; did the source mean {near[0]!r}?" if near else "")
    source.issue(
        "unknown-status", f"the status {word!r} is not in the profile {profile.name}{times}", line=line, hint=hint
    )
